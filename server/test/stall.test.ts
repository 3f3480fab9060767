// Tests the limits on the heavy work for one caller. The server refuses further requests with a clear error, and other callers
// still get quick responses.
// Own process: the test measures the delays of the whole process.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createWorld, type Reply, type World } from './harness.ts'
import { authorizeUrl, type BrowserPage, newPerson, openBrowser, type Served, serve } from './sign-in.ts'

test('of 180 requests for posters with one sandbox key, the server draws some and refuses the others, and live requests stay quick', async (t) => {
  let reads = 0
  const world = await createWorld({ before: (name) => void (name === 'payment_links_find' && reads++) })
  try {
    const linkOf = async (key: string) =>
      (await world.post('/v1/payment-links', { amount: 1_000 }, { key })).body.data.id as string
    const [sandbox, live] = [await linkOf(world.sandbox_key), await linkOf(world.live_key)]
    const poster = (id: string, key: string) => world.get(`/v1/payment-links/${id}/poster.pdf`, key)
    const { token } = await world.newSession('FINANCE')
    const quiet = await measureLive(world, token)
    reads = 0
    const flood = floodOf(180, () => poster(sandbox, world.sandbox_key))
    const drawn_live = poster(live, world.live_key)
    const busy = await measureLive(world, token, flood)
    assert.equal((await drawn_live).status, 200, (await drawn_live).text)
    const replies = await flood.replies
    assertCalm(t, '180 posters', quiet, busy)
    const refused = replies.filter(({ status }) => status === 503)
    const drawn = replies.filter(({ status }) => status === 200)
    assert.equal(drawn.length + refused.length, 180)
    assert.ok(drawn.length >= 16 && refused.length > 0, `${drawn.length} drawn, ${refused.length} refused`)
    assert.equal(reads, drawn.length + 1, 'the server reads the link of each drawn poster, and of no refused poster')
    for (const { body, headers } of refused) {
      assert.equal(body.error.code, 'service_unavailable')
      assert.ok(Number(headers['retry-after']) > 0)
    }
    assert.equal((await poster(sandbox, world.sandbox_key)).status, 200, 'the server has capacity again later')
  } finally {
    await world.close()
  }
})

test('of 400 simultaneous wrong sign-ins, the server checks at most 100 passwords, and counts no refused sign-in as wrong', async (t) => {
  const world = await serve()
  try {
    const person = await newPerson(world)
    const { token } = await world.newSession('FINANCE')
    const form = await openForm(world, 'en')
    const quiet = await measureLive(world, token)
    const flood = floodOf(400, (at) => form.tryOne(at % 2 ? `a${at}@example.com` : person.email))
    const busy = await measureLive(world, token, flood)
    const shown = await flood.replies
    assertCalm(t, '400 wrong sign-ins', quiet, busy)
    assertRefused(world, shown, /Too many people/)
    const [{ failures }] = (await world.rows('select sum(failures)::int as failures from sign_in_attempts')) as [
      { failures: number },
    ]
    // The server counts a checked attempt three times: for the pair of account and address, for the account, and for the
    // address.
    const tried = shown.filter(({ status }) => status === 401).length
    assert.ok(tried >= 1 && tried <= 100, `the server checked ${tried} passwords`)
    assert.equal(failures, tried * 3)
    await world.rows('delete from sign_in_attempts')
    assert.notEqual(
      (await form.tryOne(person.email, person.password)).status,
      503,
      'the server has capacity again later',
    )
  } finally {
    await world.close()
  }
})

test('while the database does not answer, the server answers a wrong sign-in with 503, Retry-After and a page in the chosen language', async () => {
  const away = { names: new Set<string>() }
  const world = await serve({
    before: (name) => {
      // If no connection becomes free in time, node-postgres throws this error.
      if (away.names.has(name)) throw new Error('timeout exceeded when trying to connect')
    },
  })
  try {
    for (const [language, words] of [
      ['en', /Try again in 3 seconds/],
      ['sw', /Jaribu tena baada ya sekunde 3/],
    ] as const) {
      const form = await openForm(world, language)
      for (const name of ['attempts_lock', 'sign_in_by_email', 'identity_records_find']) {
        away.names.add(name)
        const shown = await form.tryOne('asha@example.com')
        away.names.clear()
        assert.equal(shown.status, 503, `${name}: ${shown.text}`)
        assertRefused(world, [shown], words)
      }
      away.names.add('identity_records_upsert')
      const begun = await fetch(authorizeUrl(world.base).url, {
        redirect: 'manual',
        headers: { accept: 'text/html', 'accept-language': language },
      })
      away.names.clear()
      assert.equal(begun.status, 503)
      assert.ok(Number(begun.headers.get('retry-after')) > 0)
      assert.match(await begun.text(), words)
    }
  } finally {
    await world.close()
  }
})

test('16 sign-in forms that arrive together read the signing key at most 16 times for their 32 requests', async () => {
  let reads = 0
  const world = await serve({ before: (name) => void (name === 'signing_keys_current' && reads++) })
  try {
    await openForm(world, 'en')
    reads = 0
    const forms = 16
    await Promise.all(Array.from({ length: forms }, () => openForm(world, 'en')))
    // Each form takes two requests, of which each needs the signing key. At most half of them may read the key.
    assert.ok(reads >= 1 && reads <= forms, `${reads} reads of the signing key for ${forms} forms`)
  } finally {
    await world.close()
  }
})

test('when one client posts 32 forms at the same time, the server refuses some of the forms, and serves other clients', async () => {
  const world = await createWorld()
  try {
    const post = (remoteAddress: string) =>
      world.call({
        method: 'POST',
        url: '/identity/forgot',
        key: null,
        remoteAddress,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          'accept-language': 'en',
        },
        payload: 'email=asha%40example.com',
      })
    // An internet provider gives one customer a whole /64 network of IPv6.
    const flood = Array.from({ length: 32 }, (_, at) => post(`2001:db8::${at + 1}`))
    const elsewhere = await Promise.all(['10.0.0.1', '2001:db8:0:1::1'].map(post))
    assert.deepEqual(
      elsewhere.map(({ status, text }) => [status, /Too many people/.test(text)]),
      [
        [200, false],
        [200, false],
      ],
    )
    const refused = (await Promise.all(flood)).filter(({ status }) => status === 503)
    assert.ok(refused.length >= 1, 'the server refused no form')
    for (const { text, headers } of refused) {
      assert.match(text, /Too many people/)
      assert.ok(Number(headers['retry-after']) > 0)
    }
    assert.equal((await post('2001:db8::1')).status, 200, 'the server has capacity again later')
  } finally {
    await world.close()
  }
})

/** Opens the sign-in form in one browser. The browser can post the form many times. */
async function openForm(world: Served, language: string) {
  const browser = openBrowser(world.base, language)
  const { url } = authorizeUrl(world.base)
  const form = await browser.follow(await browser.get(url))
  return {
    tryOne: (email: string, password = 'si nywila yangu') => browser.post(form.url, { email, password }),
  }
}

/**
 * Asserts that each response is a normal refusal, or 503 with Retry-After and a page with `words`. At least one response must
 * be 503.
 */
function assertRefused(world: World, shown: readonly BrowserPage[], words: RegExp): void {
  const other = shown.filter(({ status }) => ![401, 429, 503].includes(status))
  const logged = world.deps.logged.filter((line) =>
    line.includes('the server failed to answer a request for an identity page'),
  )
  assert.deepEqual([...new Set(other.map(({ status }) => status))], [], logged[0])
  const refused = shown.filter(({ status }) => status === 503)
  assert.ok(refused.length >= 1, 'the server refused no request')
  for (const { headers, text } of refused) {
    assert.ok(Number(headers.get('retry-after')) > 0)
    assert.match(String(headers.get('content-type')), /text\/html/)
    assert.match(text, words)
  }
}

type Flood<Answer> = { replies: Promise<Answer[]>; over(): boolean }

/** Sends `count` requests at the same time. `over` returns true after the last answer. */
function floodOf<Answer>(count: number, send: (at: number) => Promise<Answer>): Flood<Answer> {
  let over = false
  const replies = Promise.all(Array.from({ length: count }, (_, at) => send(at))).finally(() => {
    over = true
  })
  return { replies, over: () => over }
}

/** The response times for each kind of request, in milliseconds. */
type Latencies = Record<string, number[]>

const SAMPLES_MIN = 15

/**
 * Measures GET /v1/me and live wallet-pushes one after another during the flood, at least 15 of each. Returns the response
 * times.
 */
async function measureLive(world: World, token: string, flood?: Flood<unknown>): Promise<Latencies> {
  const took = { 'GET /v1/me': [] as number[], 'POST wallet-push': [] as number[] }
  const timed = async (times: number[], status: number, ask: () => Promise<Reply>) => {
    const began = performance.now()
    const reply = await ask()
    times.push(performance.now() - began)
    assert.equal(reply.status, status, reply.text)
  }
  const push = { amount: 1_000, phone: '0754123001' }
  for (let at = 0; at < SAMPLES_MIN || flood?.over() === false; at++) {
    await timed(took['GET /v1/me'], 200, () => world.get('/v1/me', token))
    await timed(took['POST wallet-push'], 202, () =>
      world.post('/v1/collections/wallet-push', push, { key: world.live_key }),
    )
  }
  return took
}

/** Returns the 95th percentile, in milliseconds. */
function p95(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return Math.round(sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0)
}

/**
 * Asserts that the 95th percentile of live requests is below half a second during the flood. On a slow machine, the limit is
 * higher.
 */
function assertCalm(t: TestContext, flood: string, quiet: Latencies, busy: Latencies): void {
  for (const [name, times] of Object.entries(busy)) {
    const [before, during] = [p95(quiet[name] ?? []), p95(times)]
    t.diagnostic(`${flood}: ${name} p95 ${before} ms without, ${during} ms during (${times.length} times)`)
    assert.ok(during < Math.max(500, before * 10), `${name} took ${during} ms during ${flood}, ${before} ms without`)
  }
}
