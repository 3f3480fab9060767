// Tests the pay page over HTTP. Each address shows the current state, GET changes nothing, and a repeated form pays once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { until } from '../../../test/programs.ts'
import type { Answer, Provider } from '../../adapters/providers/port.ts'
import { showTimeOfDay } from '../../kernel/lib/index.ts'
import { TEXTS } from './texts.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', TRIES_PER_LINK: '0', TRIES_PER_ADDRESS: '0' } })
})
after(() => world.close())

const LANGUAGES = ['sw', 'en'] as const
const CUSTOMER = '255713555777'
const MINOR = 2_500_000n

const newLink = async (body: object = {}, of = world) => {
  const made = await of.post('/v1/payment-links', { amount: '25000.00', reference: 'ORDER-7', ...body })
  assert.equal(made.status, 201, made.text)
  return made.body.data as { id: string; public_slug: string }
}
const newPage = async (body: object = {}) => {
  const made = await world.post('/v1/collections', { amount: '25000.00', reference: 'ORDER-8', ...body })
  const { collection_id, payment_url } = made.body.data
  return { collection_id: collection_id as string, slug: String(payment_url).split('/pay/')[1] as string }
}
const look = (path: string, headers: Record<string, string> = {}, of = world) =>
  of.call({ method: 'GET', url: path, key: null, headers })
const send = (path: string, form: Record<string, string> | string, of = world, headers: Record<string, string> = {}) =>
  of.call({
    method: 'POST',
    url: path,
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
const keyIn = (page: Reply) => /name="idempotency_key" value="([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text)
/** Submits the form of a page as a browser does. Returns the response. */
const choose = async (slug: string, phone: string, method = 'WALLET_PUSH', of = world) => {
  const key = keyIn(await look(`/pay/${slug}?lang=en`, {}, of))
  return send(`/pay/${slug}?lang=en`, { idempotency_key: key, method, phone }, of)
}
const applyAnswer = (collection_id: string, number: number, answer: Answer) =>
  world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number, answer })
const counts = async (of = world) => {
  const tables = await of.rows<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  )
  const rows = await of.rows<{ name: string; n: number }>(
    tables.map(({ name }) => `select '${name}' as name, count(*)::int as n from "${name}"`).join(' union all '),
  )
  return rows.map(({ name, n }) => `${name} ${n}`).sort()
}
const statesOf = async (slug: string) => {
  const found = await world.rows<{ status: string }>(
    'select c.status from collections c join payment_links l on l.id = c.payment_link_id where l.slug = $1',
    [slug],
  )
  return found.map(({ status }) => status)
}
/** Checks the status, the headers and the language of a page, and that the page shows no whole phone number. */
const checkPage = (reply: Reply, status: number, language?: string) => {
  assert.equal(reply.status, status, reply.text)
  const { headers } = reply
  assert.match(String(headers['content-type']), /^text\/html/)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  assert.equal(headers['set-cookie'], undefined)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  if (language !== undefined) assert.match(reply.text, new RegExp(`<html lang="${language}">`))
  // The example number and the numbers with magic endings are no numbers of a payer.
  assert.doesNotMatch(
    reply.text,
    /(?:255|0)(?:754 ?12[34] ?(?!456)\d{3}|713 ?555 ?777)/,
    'the page shows no whole phone',
  )
}

/** The screen that the page shows for each magic number. */
const MAGIC = {
  '001': 'success',
  '002': 'failed',
  '003': 'failed',
  '004': 'failed',
  '005': 'failed',
  '006': 'failed',
  '007': 'waiting_push',
  '008': 'success',
  '009': 'success',
  '010': 'failed',
  '011': 'review',
  '012': 'success',
  '013': 'failed',
  '014': 'review',
} as const

describe('the screens of magic numbers', () => {
  for (const [ending, state] of Object.entries(MAGIC)) {
    test(`a payment by a phone number that ends in ${ending} leads to the screen ${state}`, async () => {
      const { public_slug: slug } = await newLink()
      const sent = await choose(slug, `0754 123 ${ending}`)
      assert.equal(sent.status, 303, sent.text)
      const path = String(sent.headers.location)
      assert.match(path, new RegExp(`^/pay/${slug}/c/[0-9a-f-]{36}\\?lang=en$`))
      for (const language of LANGUAGES)
        checkPage(await look(path.replace('lang=en', `lang=${language}`)), 200, language)
      const poll = await look(path.replace('?', '/state?'))
      assert.equal(poll.body.state, state)
      assert.ok(poll.text.length < 300)
      const page = await look(path)
      const shown = /data-state="(\w+)"/.exec(page.text)?.[1]
      if (shown !== undefined) assert.equal(shown, state, 'the page waits for another state than its own')
    })
  }

  test('a payment by a phone number that ends in 010 later becomes paid, and by one that ends in 012 returned', async () => {
    for (const [ending, state] of [
      ['010', 'success'],
      ['012', 'reversed'],
    ] as const) {
      const { public_slug: slug } = await newLink()
      const path = String((await choose(slug, `0754123${ending}`)).headers.location)
      await world.pass(10_000)
      assert.equal((await look(path.replace('?', '/state?'))).body.state, state)
      checkPage(await look(path), 200)
      assert.equal((await look(`/pay/${slug}/state`)).body.state, state === 'success' ? 'paid' : 'reversed')
    }
  })
})

describe('the state of a payment at every address in both languages', () => {
  const both = async (path: string, status: number, key: keyof typeof TEXTS.sw, of = world) => {
    for (const language of LANGUAGES) {
      const page = await look(`${path}?lang=${language}`, {}, of)
      checkPage(page, status, language)
      const sentence = TEXTS[language][key].split('{')[0] as string
      assert.ok(page.text.includes(sentence.replaceAll("'", '&#39;').trim()), `${path}: ${sentence}`)
    }
  }

  test("the first page of a link masks the customer's phone number", async () => {
    const { public_slug } = await newLink({ customer_phone: CUSTOMER, customer_name: 'Asha' })
    await both(`/pay/${public_slug}`, 200, 'by_phone')
    assert.match((await look(`/pay/${public_slug}`)).text, /0713 \*\*\* 777/)
  })

  test('the pages of a prompt, a wallet payment and a slow payment show the state, and the page of the link names the masked phone of the prompt', async () => {
    for (const [method, key] of [
      ['WALLET_PUSH', 'check_phone'],
      ['PROVIDER_PESA', 'step_confirm'],
    ] as const) {
      const { public_slug: slug, id } = await newLink()
      const idempotency_key = keyIn(await look(`/pay/${slug}`))
      const pay = (phone: string) => send(`/pay/${slug}?lang=en`, { idempotency_key, method, phone })
      const [path = ''] = String((await pay('0754123007')).headers.location).split('?')
      await both(path, 200, key)
      const { left_s } = (await look(`${path}/state`)).body
      assert.ok(left_s > 0)
      await both(`/pay/${slug}`, 200, 'in_progress')
      // The answer to the first form was lost, so the payer types another number into the same form.
      const next = String((await pay('0754124008')).headers.location)
      for (const language of LANGUAGES) {
        const page = (await look(next.replace('lang=en', `lang=${language}`))).text
        assert.ok(page.includes('<strong><span class="whole">0754 *** 007</span></strong>'), page)
      }
      // The page rounds the end of the prompt up to a whole minute.
      const ends_at = new Date(world.deps.clock.now().getTime() + left_s * 1_000 + 59_999)
      const end = `wait until <strong><span class="whole">${showTimeOfDay(ends_at)}</span>`
      for (const address of [path, `/pay/${slug}`])
        assert.ok((await look(`${address}?lang=en`)).text.includes(end), `${address}: ${end}`)
      world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)
      await both(path, 200, 'still_waiting')
      await both(`/pay/${slug}`, 200, 'unanswered')
      const offersOther = async () => (await look(`${path}?lang=en`)).text.includes(TEXTS.en.other_way)
      assert.equal(await offersOther(), true)
      await world.call({ method: 'POST', url: `/v1/payment-links/${id}/cancel` })
      assert.equal(await offersOther(), false, 'a cancelled link takes no other payment')
    }
  })

  test('the page of a paid link and the receipt show the state, and the server sends the receipt as a PDF', async () => {
    const { public_slug: slug } = await newLink()
    const [path = ''] = String((await choose(slug, '0754123001')).headers.location).split('?')
    await both(path, 200, 'success')
    await both(`/pay/${slug}`, 200, 'paid')
    await both(`${path}/receipt`, 200, 'receipt')
    const pdf = await look(`${path}/receipt.pdf`)
    assert.equal(pdf.headers['content-type'], 'application/pdf')
    assert.ok(pdf.text.startsWith('%PDF'))
  })

  test('the pages of payments under review, of expired, cancelled and unknown links, and of help show the state', async () => {
    const review = await newLink()
    await choose(review.public_slug, '0754123014')
    await both(`/pay/${review.public_slug}`, 200, 'review')
    const expires_at = new Date(world.deps.clock.now().getTime() + 1_000).toISOString()
    const expired = await newLink({ expires_at })
    const cancelled = await newLink()
    await both(`/pay/${cancelled.public_slug}/help`, 200, 'help')
    assert.doesNotMatch((await look(`/pay/${cancelled.public_slug}/help`)).text, /href="[^"]*\/help\?lang=sw"/)
    await world.call({ method: 'POST', url: `/v1/payment-links/${cancelled.id}/cancel` })
    world.deps.clock.advance(1_000)
    await both(`/pay/${expired.public_slug}`, 200, 'expired')
    await both(`/pay/${cancelled.public_slug}`, 200, 'cancelled')
    for (const path of [
      '/pay/x',
      `/pay/${review.public_slug}/`,
      `/pay/${review.public_slug}/c/x`,
      '/pay/a/b/c/d',
      '/pay/',
    ])
      await both(path, 404, 'unknown')
    await both(`/pay/${review.public_slug}/c/019b8d62-7a80-8fcd-b985-e7aff1551b15/receipt`, 404, 'unknown')
  })

  test('the receipt address of an unpaid payment redirects to the payment', async () => {
    const { public_slug: slug } = await newLink()
    const [path = ''] = String((await choose(slug, '0754123002')).headers.location).split('?')
    const sent = await look(`${path}/receipt?lang=sw`)
    assert.deepEqual([sent.status, sent.headers.location], [303, `${path}?lang=sw`])
  })

  test('an address that combines a payment with a different link shows no payment', async () => {
    const [one, two] = [await newLink(), await newLink()]
    const path = String((await choose(one.public_slug, '0754123001')).headers.location)
    checkPage(await look(path.replace(one.public_slug, two.public_slug)), 404)
  })
})

describe('requests that read a page', () => {
  test('a GET or HEAD request for a page, a poll, a QR code or a receipt changes no payment and adds no row', async () => {
    const { public_slug: slug } = await newLink()
    const [path = ''] = String((await choose(slug, '0754123007')).headers.location).split('?')
    const open = (await newLink()).public_slug
    const paid = await newLink()
    const [receipt = ''] = String((await choose(paid.public_slug, '0754123001')).headers.location).split('?')
    const before_counts = await counts()
    const before_states = await world.rows('select id, status, version, updated_at from collections order by id')
    for (const address of [
      ...[`/pay/${open}`, `/pay/${open}/help`, `/pay/${open}/state`, `/pay/${slug}`, `/pay/${slug}/state`],
      ...[
        path,
        `${path}/state`,
        `${path}/receipt`,
        `${path}/qr.png`,
        receipt,
        `${receipt}/receipt`,
        `${receipt}/receipt.pdf`,
      ],
      `/public/payment-links/${slug}`,
    ]) {
      for (const method of ['GET', 'HEAD'] as const) await world.system.app.inject({ method, url: address })
    }
    assert.deepEqual(await counts(), before_counts)
    assert.deepEqual(
      await world.rows('select id, status, version, updated_at from collections order by id'),
      before_states,
    )
  })

  test('a HEAD request returns the headers of a GET request without the page', async () => {
    const { public_slug: slug } = await newLink()
    const head = await world.call({ method: 'HEAD', url: `/pay/${slug}`, key: null })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.match(String(head.headers['content-security-policy']), /default-src 'none'/)
  })

  test('the language of a page comes from the address, else from the browser, else is Swahili; the server accepts a repeated lang', async () => {
    const { public_slug: slug } = await newLink()
    checkPage(await look(`/pay/${slug}`), 200, 'sw')
    checkPage(await look(`/pay/${slug}`, { 'accept-language': 'en-GB,en' }), 200, 'en')
    checkPage(await look(`/pay/${slug}?lang=en`), 200, 'en')
    checkPage(await look(`/pay/${slug}?lang=sw&lang=en`), 200, 'sw')
    checkPage(await look(`/pay/${slug}?lang=%22%3E%3Cscript%3E`), 200, 'sw')
  })

  test('the server compresses a page if the browser accepts compression, and the first view stays under 14 KB', async () => {
    const { public_slug: slug } = await newLink()
    const plain = await world.system.app.inject({ url: `/pay/${slug}` })
    const packed = await world.system.app.inject({ url: `/pay/${slug}`, headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(packed.headers['content-encoding'], 'br')
    const text = brotliDecompressSync(packed.rawPayload).toString()
    const same = (page: string) => page.replaceAll(/value="[0-9a-f-]{36}"/g, '')
    assert.equal(same(text), same(plain.body))
    const script = /src="(\/pay\/assets\/[^"]+)"/.exec(text)?.[1] as string
    const loaded = await world.system.app.inject({ url: script, headers: { 'accept-encoding': 'br' } })
    assert.equal(loaded.statusCode, 200)
    assert.ok(packed.rawPayload.length + loaded.rawPayload.length < 14 * 1024)
    assert.ok(loaded.rawPayload.length < 3 * 1024)
  })
})

describe('forms of the pay page', () => {
  test('four requests with the same form start one payment', async () => {
    const { public_slug: slug } = await newLink()
    const form = { idempotency_key: keyIn(await look(`/pay/${slug}`)), method: 'WALLET_PUSH', phone: '0754123007' }
    const replies = await Promise.all([
      send(`/pay/${slug}`, form),
      send(`/pay/${slug}`, form),
      send(`/pay/${slug}`, form),
    ])
    const again = await send(`/pay/${slug}`, form)
    const places = new Set([...replies, again].map(({ status, headers }) => `${status} ${headers.location}`))
    assert.equal(places.size, 1, [...places].join())
    assert.match([...places][0] as string, /^303 \/pay\/.*\/c\//)
    assert.equal(
      (
        await world.rows(
          'select 1 from collections c join payment_links l on l.id = c.payment_link_id where l.slug = $1',
          [slug],
        )
      ).length,
      1,
    )
  })

  test('two simultaneous requests for a QR code lead to the same payment', async () => {
    const { public_slug: slug } = await newLink()
    const form = { idempotency_key: keyIn(await look(`/pay/${slug}`)), method: 'TANQR' }
    const replies = await Promise.all([send(`/pay/${slug}`, form), send(`/pay/${slug}`, form)])
    assert.equal(new Set(replies.map(({ headers }) => headers.location)).size, 1)
    assert.match(String(replies[0]?.headers.location), /\/c\//)
  })

  test('an old form starts another payment only if the form has another phone number', async () => {
    const { public_slug: slug } = await newLink()
    const key = keyIn(await look(`/pay/${slug}`))
    const form = (phone: string) => send(`/pay/${slug}`, { idempotency_key: key, method: 'WALLET_PUSH', phone })
    const first = await form('0754123002')
    const other = await form('0754124003')
    assert.notEqual(other.headers.location, first.headers.location)
    assert.equal((await form('0754 123 002')).headers.location, first.headers.location)
    // Both payments fail after their responses. The next tests count rows, so this test waits for these failures.
    await until(async () => (await statesOf(slug)).every((status) => status === 'failed'))
  })

  test('the server shows a wrong form again with its input and its problems, and sends no prompt', async () => {
    const { public_slug: slug } = await newLink()
    const key = keyIn(await look(`/pay/${slug}`))
    const before_counts = await counts()
    for (const [form, problem, kept] of [
      [{ method: 'WALLET_PUSH', phone: '12 <b>' }, 'phone_characters', 'value="12 &lt;b&gt;"'],
      [{ method: 'WALLET_PUSH', phone: '+254 712 345 678' }, 'phone_foreign', 'value="+254 712 345 678"'],
      [{ method: 'WALLET_PUSH', phone: '0754 123 45' }, 'phone_short', 'value="0754 123 45"'],
      [{ method: 'WALLET_PUSH', phone: '0754 123 4567' }, 'phone_long', 'value="0754 123 4567"'],
      [{ method: 'WALLET_PUSH', phone: '022 211 1234' }, 'phone_prefix', 'value="022 211 1234"'],
      [{ method: 'WALLET_PUSH', phone: '' }, 'phone_missing', 'value=""'],
      [{ method: 'CASH', phone: '0754123001' }, 'method_missing', '0754123001'],
    ] as const) {
      const reply = await send(`/pay/${slug}?lang=en`, { idempotency_key: key, ...form })
      assert.equal(reply.status, 422)
      assert.ok(reply.text.includes(TEXTS.en[problem].replaceAll("'", '&#39;')), problem)
      assert.ok(reply.text.includes(kept), kept)
      assert.notEqual(keyIn(reply), key)
    }
    assert.deepEqual(await counts(), before_counts)
  })

  test('the server refuses a form with a repeated field, and chooses none of the phone numbers', async () => {
    const { public_slug: slug } = await newLink({ customer_phone: CUSTOMER })
    const key = keyIn(await look(`/pay/${slug}`))
    const before_counts = await counts()
    const twice = await send(
      `/pay/${slug}`,
      `idempotency_key=${key}&method=WALLET_PUSH&phone=0754123001&phone=0754124001`,
    )
    assert.equal(twice.status, 422)
    const methods = await send(
      `/pay/${slug}`,
      `idempotency_key=${key}&method=WALLET_PUSH&method=TANQR&phone=0754123001`,
    )
    assert.equal(methods.status, 422)
    assert.deepEqual(await counts(), before_counts)
  })

  test('the server ignores unknown fields and refuses a missing key, another content type, a large body and another method', async () => {
    const { public_slug: slug } = await newLink()
    const path = `/pay/${slug}`
    checkPage(await send(path, { method: 'WALLET_PUSH', phone: '0754123001' }), 422)
    checkPage(await send(path, { idempotency_key: 'x'.repeat(200), method: 'WALLET_PUSH' }), 422)
    checkPage(await send(path, 'phone=1', world, { 'content-type': 'text/plain' }), 415)
    checkPage(await send(path, `phone=${'1'.repeat(5_000)}`), 413)
    const wrong = await world.call({ method: 'PUT', url: path, key: null })
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, POST'])
    const key = keyIn(await look(path))
    const paid = await send(path, {
      idempotency_key: key,
      method: 'WALLET_PUSH',
      phone: '0754123001',
      amount: '1',
      status: 'PAID',
    })
    assert.equal(paid.status, 303)
    assert.match((await look(String(paid.headers.location))).text, /25,000/)
  })

  test('the server redirects the form of a cancelled link to its page, and answers 404 to the form of an unknown link', async () => {
    const link = await newLink()
    const key = keyIn(await look(`/pay/${link.public_slug}`))
    await world.call({ method: 'POST', url: `/v1/payment-links/${link.id}/cancel` })
    const sent = await send(`/pay/${link.public_slug}?lang=en`, {
      idempotency_key: key,
      method: 'WALLET_PUSH',
      phone: '0754123001',
    })
    assert.deepEqual([sent.status, sent.headers.location], [303, `/pay/${link.public_slug}?lang=en`])
    checkPage(await send('/pay/AAAA', { idempotency_key: key }), 404)
  })

  test('the payer may repeat an expired prompt to the same phone number, but cannot repeat a payment without a phone number', async () => {
    const { collection_id, slug } = await newPage()
    await choose(slug, '0754123007')
    world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)
    const slow = await look(`/pay/${slug}/c/${collection_id}`)
    const again = await send(`/pay/${slug}`, { idempotency_key: keyIn(slow), again: collection_id })
    assert.match(String(again.headers.location), new RegExp(`/c/${collection_id}`))
    const attempts = await world.rows(
      'select number, phone from collection_attempts where collection_id = $1 order by 1',
      [collection_id],
    )
    assert.deepEqual(
      attempts,
      [1, 2].map((number) => ({ number, phone: '255754123007' })),
    )
    // The server made this collection for a duplicate payment, so the collection has no phone number.
    const success: Answer = { kind: 'succeeded', amount_minor: MINOR, currency: 'TZS', provider_status: 'COMPLETED' }
    await applyAnswer(collection_id, 1, success)
    await applyAnswer(collection_id, 2, success)
    const [duplicate] = await world.rows<{ id: string }>(
      'select id from collections where attempts = 0 and payment_link_id = (select payment_link_id from collections where id = $1)',
      [collection_id],
    )
    const before_counts = await counts()
    const without_phone = await send(`/pay/${slug}?lang=sw`, { idempotency_key: 'other', again: duplicate?.id ?? '' })
    assert.equal(without_phone.headers.location, `/pay/${slug}?lang=sw`)
    assert.deepEqual(await counts(), before_counts)
  })
})

describe('limits and failures of the pay page', () => {
  test('a payer with too many attempts gets a page about the limit and a Retry-After header', async () => {
    const careful = await createWorld({ env: { TRIES_PER_LINK: '1' } })
    try {
      const { public_slug: slug } = await newLink({}, careful)
      await choose(slug, '0754123002', 'WALLET_PUSH', careful)
      const refused = await choose(slug, '0754123002', 'WALLET_PUSH', careful)
      checkPage(refused, 429, 'en')
      assert.ok(Number(refused.headers['retry-after']) > 0)
      assert.ok(refused.text.includes(TEXTS.en.too_many.replaceAll("'", '&#39;')))
    } finally {
      await careful.close()
    }
  })

  test('the server answers a request above the rate limit of an IP address with a page and a Retry-After header', async () => {
    const careful = await createWorld({ env: { RATE_LIMIT_PAYERS: '2' } })
    try {
      const { public_slug: slug } = await newLink({}, careful)
      for (let i = 0; i < 2; i++) checkPage(await look(`/pay/${slug}`, {}, careful), 200)
      const refused = await look(`/pay/${slug}`, {}, careful)
      checkPage(refused, 429)
      assert.ok(Number(refused.headers['retry-after']) > 0)
    } finally {
      await careful.close()
    }
  })

  test('when the provider is unavailable, the payer of a QR code gets an error page, and a payment by prompt fails', async () => {
    const open = { kind: 'accepted', provider_status: 'PENDING' } as const
    const down: Provider = {
      name: 'mock',
      capabilities: { methods: ['wallet_push', 'qr'], whole_shillings: false, payout_methods: [] },
      push: async () => ({ kind: 'declined', reason: 'provider_unavailable', provider_status: null }),
      qr: async () => ({ kind: 'declined', reason: 'provider_unavailable', provider_status: null }),
      status: async (requests) => requests.map(() => open),
      payout: async () => open,
      payoutStatus: async (requests) => requests.map(() => open),
      verifyCallback: () => ({ verified: false }),
    }
    const broken = await createWorld({ compose: { providers: [down] } })
    try {
      const made = await broken.post('/v1/payment-links', { amount: 1_000 }, { key: broken.live_key })
      const slug = made.body.data.public_slug as string
      const refused = await choose(slug, '', 'TANQR', broken)
      checkPage(refused, 503, 'en')
      assert.ok(refused.text.includes(TEXTS.en.unavailable.replaceAll("'", '&#39;')))
      const [path = ''] = String((await choose(slug, '0754123001', 'WALLET_PUSH', broken)).headers.location).split('?')
      await broken.work()
      assert.equal((await look(`${path}/state`, {}, broken)).body.state, 'failed')
      checkPage(await look(`${path}?lang=en`, {}, broken), 200)
    } finally {
      await broken.close()
    }
  })

  test('when a query fails, a payer gets a page without technical details', async () => {
    let away = false
    const broken = await createWorld({
      before: (name) => {
        if (away && name.startsWith('payment_links')) throw new Error('secret detail')
      },
    })
    try {
      const { public_slug: slug } = await newLink({}, broken)
      away = true
      const reply = await look(`/pay/${slug}?lang=en`, {}, broken)
      checkPage(reply, 500, 'en')
      assert.doesNotMatch(reply.text, /secret|Error:|select/)
    } finally {
      away = false
      await broken.close()
    }
  })

  test('the return link contains reference, payment and status, and never runs as a script', async () => {
    const { collection_id, slug } = await newPage({
      redirect_url: 'https://duka.example/a?x=1&y=%22',
      cancel_url: 'https://duka.example/rudi',
    })
    const open = (await look(`/pay/${slug}?lang=en`)).text
    assert.match(
      open,
      /https:\/\/duka\.example\/rudi\?reference=ORDER-8&amp;collection_id=[0-9a-f-]{36}&amp;status=cancelled/,
    )
    const path = String((await choose(slug, '0754123001')).headers.location)
    const done = (await look(path)).text
    assert.ok(
      done.includes(
        `https://duka.example/a?x=1&amp;y=%22&amp;reference=ORDER-8&amp;collection_id=${collection_id}&amp;status=successful`,
      ),
    )
    // The page checks a stored address again, because an older version may have accepted an invalid address.
    await world.rows(
      "update payment_links set redirect_url = 'javascript:alert(1)', cancel_url = 'data:text/html,x' where slug = $1",
      [slug],
    )
    assert.doesNotMatch((await look(path)).text, /javascript:|data:text/)
  })

  test("the pay page shows the merchant's texts as plain text", async () => {
    const attack = '<script>alert(1)</script>"\'><img src=x onerror=y>'
    const { public_slug: slug } = await newLink({ description: attack, reference: attack, customer_name: attack })
    const page = await look(`/pay/${slug}`)
    checkPage(page, 200)
    assert.doesNotMatch(page.text, /<script>|<img/)
    assert.match(page.text, /&lt;script&gt;/)
  })
})
