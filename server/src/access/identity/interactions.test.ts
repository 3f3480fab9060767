// Tests sign-ins with guessed passwords, forged forms and the second step.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { Secret, TOTP } from 'otpauth'
import {
  authorizeUrl,
  type Browser,
  type BrowserPage,
  exchange,
  newPerson,
  openBrowser,
  refresh,
  type Served,
  serve,
  signIn,
} from '../../../test/sign-in.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { beginAttempt } from './attempts.ts'
import { setPassword } from './credentials.ts'
import { newTotpSecret, setSecondStep } from './totp.ts'

let world: Served
before(async () => {
  world = await serve()
})
after(() => world.close())
beforeEach(async () => {
  await world.rows('delete from sign_in_attempts')
})

const STRANGER = 'hayupo@example.com'
const WRONG = 'si nywila yangu'

/** Opens the sign-in form in a browser. */
async function open(at: Served, browser = openBrowser(at.base), more: Record<string, string> = {}) {
  const asking = authorizeUrl(at.base, more)
  return { browser, asking, page: await browser.follow(await browser.get(asking.url)) }
}

/** Enters one password in a new browser. */
async function guess(at: Served, email: string, password = WRONG, browser?: Browser): Promise<BrowserPage> {
  const { browser: used, page } = await open(at, browser, { prompt: 'login' })
  return used.post(page.url, { email, password })
}

const mailsOf = async ({ email }: { email: string }, kind: string) =>
  (await listEmails(world.deps, { to: email })).filter((mail) => mail.kind === kind)

describe('new browsers', () => {
  const AGENT = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36'

  test('the server mails the user about the first sign-in of each browser, in the language of the user', async () => {
    const person = await newPerson(world)
    const own = openBrowser(world.base)
    await signIn(world, person, own)
    assert.equal((await mailsOf(person, 'identity.new_place')).length, 1)
    world.deps.clock.advance(1)
    assert.equal((await guess(world, person.email, person.password, own)).status, 303)
    assert.equal((await mailsOf(person, 'identity.new_place')).length, 1, 'the browser is known')
    assert.equal((await guess(world, person.email)).status, 401)
    assert.equal((await mailsOf(person, 'identity.new_place')).length, 1, 'a refused sign-in sends no e-mail')
    world.deps.clock.advance(1)
    await world.rows("update users set language = 'en' where id = $1", [person.id])
    const { browser, page } = await open(world)
    await browser.post(page.url, person, { origin: world.base, 'user-agent': AGENT })
    const [english, swahili, ...more] = await mailsOf(person, 'identity.new_place')
    assert.deepEqual(more, [])
    assert.match(swahili?.subject ?? '', /umeingia kwenye kivinjari kipya/)
    assert.match(english?.text ?? '', /Device: Chrome, Android\nIP address: 127\.0\.0\.1/)
    assert.ok(!english?.text?.includes(person.password))
    const entries = await world.rows(
      "select 1 from audit_log where action = 'user.sign_in_new_place' and target_id = $1",
      [person.id],
    )
    assert.equal(entries.length, 2)
  })
})

describe('guessed passwords', () => {
  test('a wrong password and an unknown address get the same status, header names and page, apart from the entered address and the sign-in id', async () => {
    const person = await newPerson(world)
    const anonymous = ({ status, text, headers }: BrowserPage, email: string) => ({
      status,
      text: text.replaceAll(email, '').replace(/sign-in\/[\w-]+/g, ''),
      headers: [...headers.keys()].sort(),
    })
    const [known, unknown] = [await guess(world, person.email), await guess(world, STRANGER)]
    assert.deepEqual(anonymous(known, person.email), anonymous(unknown, STRANGER))
    assert.equal(known.status, 401)
  })

  test('the answers to a wrong password and to an unknown address take about the same time', async () => {
    const person = await newPerson(world)
    const browser = openBrowser(world.base)
    const times: Record<string, number[]> = { [person.email]: [], [STRANGER]: [] }
    for (let round = 0; round < 12; round++) {
      for (const email of [person.email, STRANGER]) {
        await world.rows('delete from sign_in_attempts')
        const { page } = await open(world, browser)
        const begin = performance.now()
        await browser.post(page.url, { email, password: WRONG })
        times[email]?.push(performance.now() - begin)
      }
    }
    const median = (of: number[] = []) => of.sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0
    const [known, unknown] = [median(times[person.email]), median(times[STRANGER])]
    // Without the dummy hash, the server would answer many times faster for an unknown e-mail address.
    assert.ok(unknown > known / 2 && known > unknown / 2, `${known} ms and ${unknown} ms`)
  })

  test('after five wrong passwords, the server makes each client wait longer and longer, even when no user has the address', async () => {
    const person = await newPerson(world)
    for (const email of [person.email, STRANGER]) {
      for (let i = 0; i < 5; i++) assert.equal((await guess(world, email)).status, 401)
      const refused = await guess(world, email)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30'])
      assert.match(refused.text, /Try again in 30 seconds/)
      world.deps.clock.advance(30_000)
      assert.equal((await guess(world, email)).status, 401)
      assert.equal((await guess(world, email)).headers.get('retry-after'), '60')
    }
    // During the pause, the server also refuses the right password. After the pause, the right password resets the counter.
    assert.equal((await guess(world, person.email, person.password)).status, 429)
    world.deps.clock.advance(60_000)
    await signIn(world, person)
    assert.equal((await guess(world, person.email)).status, 401)
  })

  test('the pause after wrong passwords also applies in another process, and lasts at most 15 minutes', async () => {
    const person = await newPerson(world)
    for (let i = 0; i < 5; i++) await guess(world, person.email)
    const other = await serve({ url: world.url })
    try {
      other.deps.clock.advance(world.deps.clock.now().getTime() - other.deps.clock.now().getTime())
      assert.equal((await guess(other, person.email)).status, 429)
      let longest = 0
      for (let i = 0; i < 12; i++) {
        const wait = Number((await guess(other, person.email)).headers.get('retry-after'))
        longest = Math.max(longest, wait)
        other.deps.clock.advance(wait * 1000)
        await guess(other, person.email)
      }
      assert.equal(longest, 900)
    } finally {
      await other.close()
    }
  })

  test('the server checks no more passwords when guesses arrive at the same time than when guesses arrive one after the other', async () => {
    const person = await newPerson(world)
    const statuses = await Promise.all(Array.from({ length: 15 }, () => guess(world, person.email)))
    assert.equal(statuses.filter(({ status }) => status === 401).length, 5)
  })

  test('the owner can sign in with a browser that signed in before during an attack on the account', async () => {
    const person = await newPerson(world)
    const own = openBrowser(world.base)
    await signIn(world, person, own)
    for (let i = 0; i < 8; i++) await guess(world, person.email)
    assert.equal((await guess(world, person.email, person.password)).status, 429)
    assert.equal((await guess(world, person.email, person.password, own)).status, 303)
    // The server also counts the attempts of a known browser. For another account, the same browser is unknown.
    for (let i = 0; i < 5; i++) await guess(world, person.email, WRONG, own)
    assert.equal((await guess(world, person.email, WRONG, own)).status, 429)
    const other = await newPerson(world)
    for (let i = 0; i < 5; i++) await guess(world, other.email)
    assert.equal((await guess(world, other.email, WRONG, own)).status, 429)
  })

  test('the server treats a browser as unknown after a change of the password', async () => {
    const person = await newPerson(world)
    const own = openBrowser(world.base)
    await signIn(world, person, own)
    await inTransaction(world.deps.db, (tx) => setPassword(world.deps, tx, person.id, 'ndege juu ya mti'))
    for (let i = 0; i < 5; i++) assert.equal((await guess(world, person.email)).status, 401)
    assert.equal((await guess(world, person.email, WRONG, own)).status, 429)
  })

  test('all known browsers of an account share a limit of 500 attempts', async () => {
    const { deps } = world
    const of = (device: string) => ({ account: 'asha@example.com', address: '192.0.2.1', device })
    for (let i = 0; i < 500; i++) {
      const attempt = await beginAttempt(deps, 'password', of(`browser ${i}`))
      assert.ok(attempt.allowed, `${i}`)
    }
    const refused = await beginAttempt(deps, 'password', of('one more'))
    assert.deepEqual([refused.allowed, !refused.allowed && refused.blocked], [false, 'account'])
    deps.clock.advance(300_000)
    assert.ok((await beginAttempt(deps, 'password', of('one more'))).allowed)
  })

  test('failed attempts from one address expire while clients of the address make further attempts', async () => {
    const { deps } = world
    const fail = (i: number) =>
      beginAttempt(deps, 'password', { account: `a${i}@example.com`, address: '192.0.2.2', device: null })
    // One attempt fails every 20 seconds, so failures occur faster than they expire.
    for (let i = 0; i < 400; i++) {
      assert.ok((await fail(i)).allowed, `${i}`)
      deps.clock.advance(20_000)
    }
  })

  test('the server allows an attempt although an earlier attempt of the same address has a slightly later time', async () => {
    const { deps } = world
    const attempt = (account: string) => beginAttempt(deps, 'password', { account, address: '192.0.2.4', device: null })
    for (const succeeds of [false, true]) {
      const first = await attempt('asha@example.com')
      assert.ok(first.allowed)
      if (succeeds) await first.succeeded()
      // A concurrent attempt took its time before, or the clock of another process is behind.
      deps.clock.step(-1)
      assert.ok((await attempt('asha@example.com')).allowed)
      assert.ok((await attempt('juma@example.com')).allowed)
    }
  })

  test('the count of requested e-mails to one address decreases with time', async () => {
    const { deps } = world
    const ask = () => beginAttempt(deps, 'mail', { account: 'asha@example.com', address: '192.0.2.3', device: null })
    for (let i = 0; i < 4; i++) assert.ok((await ask()).allowed)
    assert.equal((await ask()).allowed, false)
    for (let i = 0; i < 8; i++) {
      deps.clock.advance(3_600_000)
      assert.ok((await ask()).allowed)
    }
    deps.clock.advance(4 * 3_600_000)
    for (let i = 0; i < 4; i++) assert.ok((await ask()).allowed)
  })
})

describe('forged forms', () => {
  test('the server refuses a form that a page of another site posts', async () => {
    const person = await newPerson(world)
    const { browser, page } = await open(world)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${world.base}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { referer: 'https://evil.example/127.0.0.1' },
      {},
    ] as Record<string, string>[]) {
      const refused = await browser.post(page.url, person, headers)
      assert.equal(refused.status, 403, JSON.stringify(headers))
      assert.match(refused.text, /did not come from this page/)
    }
    for (const path of ['sign-up', 'forgot', 'reset?token=x', 'confirm?token=x', 'sign-in/x/code', 'sign-in/x/enrol']) {
      const headers = { origin: 'https://evil.example' }
      assert.equal((await browser.post(`/identity/${path}`, {}, headers)).status, 403)
    }
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { referer: page.url }] as Record<string, string>[]) {
      assert.equal((await browser.post(page.url, { ...person, password: WRONG }, headers)).status, 401)
    }
  })

  test('a sign-in continues only in the browser in which it began', async () => {
    const person = await newPerson(world)
    const { page } = await open(world)
    const refused = await openBrowser(world.base).post(page.url, person)
    assert.equal(refused.status, 400)
    assert.match(refused.text, /This sign-in has expired/)
    const other = await open(world)
    const swapped = other.browser.cookies.map((cookie) => ({ ...cookie, path: '/' }))
    other.browser.cookies.push(...swapped)
    assert.equal((await other.browser.post(page.url, person)).status, 404)
  })

  test('the server refuses a sign-in whose cookie a client has altered', async () => {
    const { browser, page } = await open(world)
    for (const cookie of browser.cookies) {
      if (cookie.name === 'identity_sign_in.sig') cookie.value = `${cookie.value.slice(0, -2)}xx`
    }
    assert.equal((await browser.get(page.url)).status, 400)
  })

  test('four identity pages without passkeys forbid scripts and frames, and these pages and the sign-out page forbid caches to store them', async () => {
    for (const path of [
      '/identity/sign-up',
      '/identity/forgot',
      '/identity/reset',
      '/identity/sign-out',
      '/identity/sign-in/x',
    ]) {
      const { headers, text } = await openBrowser(world.base).get(path)
      if (path !== '/identity/sign-out') {
        const policy = headers.get('content-security-policy') ?? ''
        assert.match(policy, /default-src 'none'; style-src 'self'/)
        assert.match(policy, /frame-ancestors 'none'/)
        assert.ok(!text.includes('<script'))
      }
      assert.match(headers.get('cache-control') ?? '', /no-store/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
  })
})

describe('second steps', () => {
  const codeOf = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.deps.clock.now().getTime() })

  /** Sets up the second step as the dashboard requests it. Returns the secret of the app and the recovery codes. */
  async function enrol(person: { email: string; password: string }, used?: Browser) {
    const { browser, asking, page } = await open(world, used, { prompt: 'login', enrol: 'totp' })
    const form = await browser.follow(await browser.post(page.url, person))
    const secret = /<code class="key"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(form.text)?.[1]?.replaceAll(' ', '') ?? ''
    assert.match(form.text, /href="otpauth:\/\/totp\//)
    const wrong = await browser.post(form.url, { code: '000000' })
    assert.equal(wrong.status, 401)
    assert.ok(wrong.text.replaceAll(' ', '').includes(secret), 'the key stays the same')
    const shown = await browser.post(form.url, { code: codeOf(secret) })
    assert.equal(shown.status, 200)
    const codes = [...shown.text.matchAll(/<li><code>([a-z2-7-]+)<\/code>/g)].map(([, code]) => code as string)
    const way_on = /class="button" href="([^"]+)"/.exec(shown.text)?.[1] ?? ''
    const back = await browser.follow(await browser.get(way_on.replaceAll('&amp;', '&')))
    const { body } = await exchange(world.base, asking, back)
    return { secret, codes, amr: decodeJwt(body.access_token).amr }
  }

  /** Enters the password and returns the page of the second step. */
  async function toCode(person: { email: string; password: string }) {
    const { browser, asking, page } = await open(world)
    const form = await browser.follow(await browser.post(page.url, person))
    const give = async (code: string) => browser.follow(await browser.post(form.url, { code }))
    return { browser, asking, form, give }
  }

  test('a sign-in needs a code of the app after the password when the user has a second step', async () => {
    const person = await newPerson(world)
    const { secret, codes, amr } = await enrol(person)
    assert.deepEqual(amr, ['pwd', 'otp', 'mfa'])
    assert.equal(codes.length, 10)
    world.deps.clock.advance(30_000)
    const { asking, form, give, browser } = await toCode(person)
    assert.match(form.text, /Second step/)
    // With the password alone, the user can neither complete the sign-in nor set up another app.
    assert.equal((await browser.get(form.url.replace('/code', '/enrol'))).status, 404)
    assert.equal((await give('000000')).status, 401)
    const { body } = await exchange(world.base, asking, await give(codeOf(secret)))
    assert.deepEqual(decodeJwt(body.access_token).amr, ['pwd', 'otp', 'mfa'])
  })

  test('the server accepts a code of the app once, even when requests arrive at the same time', async () => {
    const person = await newPerson(world)
    const { secret } = await enrol(person)
    const used = codeOf(secret)
    assert.equal((await (await toCode(person)).give(used)).status, 401, 'the code that set it up')
    world.deps.clock.advance(60_000)
    const two = [await toCode(person), await toCode(person)]
    const statuses = await Promise.all(two.map(async ({ give }) => (await give(codeOf(secret))).status))
    assert.deepEqual(statuses.sort(), [303, 401])
    assert.equal((await (await toCode(person)).give(codeOf(secret))).status, 401)
  })

  test('the server refuses a code that is two minutes old, or 90 seconds too early', async () => {
    const person = await newPerson(world)
    const { secret } = await enrol(person)
    world.deps.clock.advance(600_000)
    const old = codeOf(secret)
    world.deps.clock.advance(120_000)
    assert.equal((await (await toCode(person)).give(old)).status, 401)
    const late = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: world.deps.clock.now().getTime() + 90_000,
    })
    assert.equal((await (await toCode(person)).give(late)).status, 401)
  })

  test('a user can sign in once with a recovery code instead of a code of the app', async () => {
    const person = await newPerson(world)
    const { codes } = await enrol(person)
    assert.equal((await (await toCode(person)).give(codes[3]?.toUpperCase() ?? '')).status, 303)
    assert.equal((await (await toCode(person)).give(codes[3] ?? '')).status, 401)
    const stored = JSON.stringify(await world.rows('select code_hash::text from recovery_codes'))
    assert.ok(!stored.includes(codes[0] ?? 'x'))
  })

  test('the server makes a user wait after five wrong codes of the second step', async () => {
    const person = await newPerson(world)
    await enrol(person)
    await world.rows('delete from sign_in_attempts')
    const { give } = await toCode(person)
    for (let i = 0; i < 5; i++) assert.equal((await give('123456')).status, 401)
    assert.equal((await give('123456')).status, 429)
  })

  test('the server counts the wrong codes of all browsers of a user together, including known browsers', async () => {
    const person = await newPerson(world)
    const { secret } = await enrol(person)
    world.deps.clock.advance(60_000)
    const { browser, asking, page } = await open(world)
    const form = await browser.follow(await browser.post(page.url, person))
    await exchange(world.base, asking, await browser.follow(await browser.post(form.url, { code: codeOf(secret) })))
    const again = await open(world, browser, { prompt: 'login' })
    const known = await browser.follow(await browser.post(again.page.url, person))
    await world.rows('delete from sign_in_attempts')
    const { give } = await toCode(person)
    for (let i = 0; i < 5; i++) assert.equal((await give('123456')).status, 401)
    assert.equal((await browser.post(known.url, { code: '123456' })).status, 429)
  })

  test('the server asks for a code of the old app before the setup of a new app, and afterwards refuses codes of the old app', async () => {
    const person = await newPerson(world)
    const { secret } = await enrol(person)
    world.deps.clock.advance(60_000)
    const { browser, page } = await open(world, undefined, { prompt: 'login', enrol: 'totp' })
    const form = await browser.follow(await browser.post(page.url, person))
    assert.match(form.url, /\/code/)
    const next = await browser.follow(await browser.post(form.url, { code: codeOf(secret) }))
    const replaced = /<code class="key"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(next.text)?.[1]?.replaceAll(' ', '') ?? ''
    assert.notEqual(replaced, secret)
    assert.equal((await browser.post(next.url, { code: codeOf(replaced) })).status, 200)
    world.deps.clock.advance(60_000)
    assert.equal((await (await toCode(person)).give(codeOf(secret))).status, 401)
  })

  test('the audit log has an entry for the setup of a second step, without the secret of the app', async () => {
    const person = await newPerson(world)
    const { secret } = await enrol(person)
    const [entry] = await world.rows<{ action: string; text: string }>(
      'select action, l::text as text from audit_log l where target_id = $1',
      [person.id],
    )
    assert.equal(entry?.action, 'user.enrol_second_step')
    assert.ok(!entry?.text.includes(secret))
    assert.ok(!world.deps.logged.join('\n').includes(secret))
  })

  test('the setup of a second step ends the other session of the user and a link that changes the address', async () => {
    const person = await newPerson(world)
    const [other, own] = [openBrowser(world.base), openBrowser(world.base)]
    const [elsewhere] = [await signIn(world, person, other), await signIn(world, person, own)]
    const payload = { email: 'mpya@example.com' }
    const asked = await world.call({ method: 'POST', url: '/v1/session/email', payload, key: elsewhere.access_token })
    assert.equal(asked.status, 200)
    const links = () => world.rows("select 1 from mailed_links where user_id = $1 and kind = 'change'", [person.id])
    assert.equal((await links()).length, 1)
    await enrol(person, own)
    assert.deepEqual(await links(), [])
    assert.equal((await refresh(world.base, elsewhere.refresh_token)).body.error, 'invalid_grant')
    const again = async (browser: Browser) =>
      (await browser.get(authorizeUrl(world.base, { prompt: 'none' }).url)).location ?? ''
    assert.match(await again(other), /error=login_required/)
    assert.match(await again(own), /[?&]code=/)
  })

  test('the server writes an audit entry and mails the user when the user signs in with a recovery code', async () => {
    const person = await newPerson(world)
    const { codes, secret } = await enrol(person)
    const used = () =>
      world.rows(
        'select actor_id, target_id, a.address from audit_log l left join audit_addresses a using (merchant_id, seq) where action = $1 and target_id = $2',
        ['user.use_recovery_code', person.id],
      )
    world.deps.clock.advance(60_000)
    assert.equal((await (await toCode(person)).give(codeOf(secret))).status, 303)
    assert.deepEqual([(await used()).length, (await mailsOf(person, 'identity.recovery')).length], [0, 0])
    assert.equal((await (await toCode(person)).give(codes[0] ?? '')).status, 303)
    assert.deepEqual(await used(), [{ actor_id: person.id, target_id: person.id, address: '127.0.0.1' }])
    const [notice] = await mailsOf(person, 'identity.recovery')
    assert.match(notice?.subject ?? '', /namba ya dharura imetumika/)
  })

  test('the server mails the user in the language of the user after the setup of a second step, without its key and codes', async () => {
    const person = await newPerson(world)
    const other = await newPerson(world)
    await world.rows("update users set language = 'en' where id = $1", [other.id])
    for (const [of, words] of [
      [person, /hatua ya pili ya kuingia imewekwa/],
      [other, /your sign-in has a new second step/],
    ] as const) {
      const { secret, codes } = await enrol(of)
      const [notice, ...more] = await mailsOf(of, 'identity.second_step')
      assert.deepEqual(more, [])
      assert.match(notice?.subject ?? '', words)
      for (const hidden of [secret, ...codes, of.password]) assert.ok(!notice?.text?.includes(hidden))
    }
  })

  test('in production, no operator can sign in without a second step, not even a demo operator', async () => {
    const production = await serve({ url: world.url })
    production.deps.config = { ...production.deps.config, node_env: 'production' }
    try {
      const support = await newPerson(world)
      await world.rows("update users set operator_role = 'SUPPORT' where id = $1", [support.id])
      const bosses = [false, true].map((demo) => newPerson(world, { super_admin: true, demo }))
      for (const operator of [...(await Promise.all(bosses)), support]) {
        const { browser, page } = await open(production)
        const form = await browser.follow(await browser.post(page.url, operator))
        assert.match(form.url, /\/enrol/)
        assert.match(form.text, /Your account needs a second step/)
      }
      const member = await newPerson(world)
      assert.equal((await guess(production, member.email, member.password)).status, 303)
    } finally {
      await production.close()
    }
  })
})

describe('identity pages', () => {
  const PATHS = ['/identity/sign-up', '/identity/forgot', '/identity/reset?token=x', '/identity/confirm?token=x']

  test('the identity pages are in Swahili by default, and in English when the browser prefers English or the URL names English', async () => {
    const cases: [string, string, RegExp][] = [
      ['', '/identity/sign-up', /<html lang="sw">/],
      ['fr-FR,fr', '/identity/sign-up', /<html lang="sw">/],
      ['en-GB,en;q=0.9,sw;q=0.8', '/identity/sign-up', /<html lang="en">/],
      ['fr, sw-TZ;q=0.5, en;q=0.4', '/identity/sign-up', /<html lang="sw">/],
      ['sw', '/identity/sign-up?lang=en', /<html lang="en">/],
      ['en', '/identity/sign-up?lang=sw', /<html lang="sw">/],
      ['en', '/identity/sign-up?lang=xx', /<html lang="en">/],
    ]
    for (const [accept, path, html] of cases) assert.match((await openBrowser(world.base, accept).get(path)).text, html)
    const { page } = await open(world, openBrowser(world.base, 'en'), { ui_locales: 'sw' })
    assert.match(page.text, /<html lang="sw">/)
  })

  test('the page for a forgotten password has a link to the sign-in under its button, also with a problem', async () => {
    for (const [language, sign_in] of [
      ['sw', 'Ingia'],
      ['en', 'Sign in'],
    ] as const) {
      const browser = openBrowser(world.base, language)
      for (const { text } of [
        await browser.get('/identity/forgot'),
        await browser.post('/identity/forgot', { email: '' }),
      ])
        assert.match(text, new RegExp(`</form>\\s*<p><a href="[^"]*/dashboard/?">${sign_in}</a></p>`))
    }
  })

  test('the page for a forgotten password, opened from the sign-in of operators, leads back to their console in both languages', async () => {
    for (const language of ['sw', 'en']) {
      const browser = openBrowser(world.base, language)
      const { page } = await open(world, browser, {
        client_id: 'operator',
        redirect_uri: `${world.base}/operator/callback`,
      })
      const href = /href="(\/identity\/forgot[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      assert.match(href, /^\/identity\/forgot\?console=operator&lang=/)
      for (const { text } of [await browser.get(href), await browser.post(href, { email: '' })]) {
        assert.match(text, /<\/form>\s*<p><a href="[^"]*\/operator\/">/)
        assert.match(text, /class="for-operators"/)
        assert.match(text, /href="\/identity\/forgot\?console=operator&amp;lang=(sw|en)"/)
      }
    }
    // Another value of the query changes nothing.
    const { text } = await openBrowser(world.base).get('/identity/forgot?console=https://shop.example/')
    assert.match(text, /href="[^"]*\/dashboard\/">/)
    assert.doesNotMatch(text, /href="https:\/\/shop/)
  })

  test('the sign-in and its second step begin in their first field, and a refused form begins with the problems', async () => {
    const browser = openBrowser(world.base, 'en')
    const { page } = await open(world, browser)
    const focused = (text: string) => [...text.matchAll(/id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id)
    assert.deepEqual(focused(page.text), ['email'])
    const refused = await browser.post(page.url, { email: 'nobody@shop.example', password: 'a wrong one' })
    assert.equal(refused.status, 401)
    assert.deepEqual(focused(refused.text), [])
    const person = await newPerson(world)
    await inTransaction(world.deps.db, (tx) => setSecondStep(world.deps, tx, person.id, newTotpSecret(world.deps), 0))
    const second = await browser.follow(await browser.post(page.url, person))
    assert.deepEqual(focused(second.text), ['code'])
    assert.deepEqual(focused((await browser.post(second.url, { code: '' })).text), [])
  })

  test('the link to the other language keeps the token of the mailed link', async () => {
    const { text } = await openBrowser(world.base, 'sw').get('/identity/reset?token=abc')
    assert.match(text, /href="\/identity\/reset\?token=abc&amp;lang=en"/)
  })

  test('each of five identity pages has one heading, and each field has a label and an autocomplete purpose, in both languages', async () => {
    for (const language of ['sw', 'en']) {
      const browser = openBrowser(world.base, language)
      const { page } = await open(world, browser)
      const shown = [page, ...(await Promise.all(PATHS.map((path) => browser.get(path))))]
      for (const { text, url } of shown) {
        assert.match(text, new RegExp(`^<!doctype html>\n<html lang="${language}">`), url)
        assert.equal(text.match(/<h1>/g)?.length, 1, url)
        assert.ok(!text.includes('undefined') && !text.includes('[object'), url)
        const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
        assert.equal(new Set(ids).size, ids.length, url)
        for (const [input] of text.matchAll(/<input (?!type="hidden")[^>]*>/g)) {
          const id = / id="([^"]+)"/.exec(input)?.[1]
          assert.ok(text.includes(`<label for="${id}">`), input)
          assert.match(input, / autocomplete="[a-z-]+"/)
          for (const described of / aria-describedby="([^"]+)"/.exec(input)?.[1]?.split(' ') ?? []) {
            assert.ok(ids.includes(described), described)
          }
        }
      }
    }
  })
})
