// Tests the sign-up, the confirmation of an e-mail address and the reset of a password. No answer may reveal whether an account
// exists.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  authorizeUrl,
  type BrowserPage,
  mailedUrl,
  newPerson,
  openBrowser,
  refresh,
  type Served,
  serve,
  signIn,
} from '../../../test/sign-in.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { createKey } from '../api-keys/index.ts'
import { setPassword } from './credentials.ts'
import { commonPasswords } from './credentials-common.ts'
import { MAIL_ANSWER } from './mail-answers.ts'
import { hasSecondStep, newTotpSecret, setSecondStep } from './totp.ts'

let world: Served
before(async () => {
  MAIL_ANSWER.ms = 1
  world = await serve()
})
after(() => world.close())

const FORM = { business_name: 'Duka la Neema', name: 'Neema Mushi', password: 'samaki wa ziwa' }
let people = 0
const newEmail = () => `mtu${++people}@example.com`

const from = () => openBrowser(world.base)

/**
 * Deletes the counters of attempts and advances the clock, so that tests do not share rate limits and e-mails have different
 * times.
 */
async function afresh(): Promise<void> {
  await world.rows('delete from sign_in_attempts')
  world.deps.clock.advance(1)
}

async function signUp(email: string, more: Record<string, string> = {}): Promise<BrowserPage> {
  await afresh()
  return from().post('/identity/sign-up', { ...FORM, email, ...more })
}

async function askReset(email: string): Promise<BrowserPage> {
  await afresh()
  return from().post('/identity/forgot', { email })
}

/**
 * Returns the parts of an answer that the tests compare: status, body, and the headers that are equal in equal answers.
 */
const answerOf = ({ status, text, headers }: BrowserPage) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'set-cookie'].includes(name)),
})

test('the pages tell known and unknown users in the same way that the installation sends no e-mail when SMTP_URL is empty', async () => {
  const known = newEmail()
  await signUp(known)
  for (const [lang, words] of [
    ['sw', 'Mfumo huu hautumi barua pepe'],
    ['en', 'This server sends no e-mail'],
  ] as const) {
    const pages: BrowserPage[] = []
    for (const email of [known, newEmail()]) {
      await afresh()
      pages.push(await from().post(`/identity/forgot?lang=${lang}`, { email }))
      await afresh()
      pages.push(await from().post(`/identity/sign-up?lang=${lang}`, { ...FORM, email }))
    }
    for (const page of pages) {
      assert.ok(page.text.includes(words), page.text)
      assert.ok(page.text.includes('npm run -s admin -- emails'))
      assert.doesNotMatch(page.text, /Tumetuma|We have sent/)
    }
    const [reset, sign_up, other_reset, other_sign_up] = pages.map(answerOf)
    assert.deepEqual([other_reset, other_sign_up], [reset, sign_up])
  }
})

describe('sign-ups', () => {
  test('a sign-up immediately gives the new merchant access to the sandbox, and no access to live money', async () => {
    const email = newEmail()
    assert.equal((await signUp(email)).status, 200)
    const { access_token } = await signIn(world, { email, password: FORM.password })
    const me = await world.call({ method: 'GET', url: '/v1/me', key: access_token })
    assert.deepEqual([me.status, me.body.data.email], [200, email])
    const [member] = await world.rows<{ merchant_id: string; role: string; status: string }>(
      `select s.merchant_id, s.role, m.status from members s join users u on u.id = s.user_id
       join merchants m on m.id = s.merchant_id where u.email = $1`,
      [email],
    )
    assert.deepEqual([member?.role, member?.status], ['MERCHANT_ADMIN', 'PENDING'])

    const key = (environment: string) => ({ name: 'Duka', environment, scopes: ['collections:write'] })
    const made = await world.post('/v1/merchant/api-keys', key('sandbox'), { key: access_token })
    assert.equal(made.status, 201)
    const paid = { amount: '1000', phone: '0754123001' }
    const payment = await world.post('/v1/collections/wallet-push', paid, { key: made.body.data.plaintext_key })
    assert.equal(payment.status, 202)
    const refused = await world.post('/v1/merchant/api-keys', key('live'), { key: access_token })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'production_access_restricted'])
  })

  test('the audit log has an entry of a sign-up with the e-mail address and the IP address', async () => {
    const email = newEmail()
    await signUp(email)
    const entries = await world.rows<{ action: string; actor_name: string; address: string }>(
      'select action, actor_name, a.address from audit_log l left join audit_addresses a using (merchant_id, seq) where actor_name = $1',
      [email],
    )
    assert.deepEqual(entries, [{ action: entries[0]?.action, actor_name: email, address: '127.0.0.1' }])
  })

  test('a sign-up gets the same answer when the address has an account, and the server mails the owner of the address', async () => {
    const [known, unknown] = [newEmail(), newEmail()]
    await signUp(known)
    const [first, second] = [await signUp(unknown), await signUp(known)]
    assert.deepEqual(answerOf(second), answerOf(first))
    const merchants = await world.rows('select 1 from merchants where email = $1', [known])
    assert.equal(merchants.length, 1)
    const [notice] = await listEmails(world.deps, { to: known })
    assert.match(notice?.subject ?? '', /you have an account already/)
    assert.match(await mailedUrl(world, known), /\/identity\/reset\?token=/)
  })

  test('simultaneous sign-ups with one address make one account', async () => {
    const email = newEmail()
    await world.rows('delete from sign_in_attempts')
    const replies = await Promise.all([1, 2, 3].map(() => from().post('/identity/sign-up', { ...FORM, email })))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    assert.equal((await world.rows('select 1 from merchants where email = $1', [email])).length, 1)
  })

  test('the sign-up page shows a message at each wrong field, and never returns the password', async () => {
    const cases: [Record<string, string>, string, RegExp][] = [
      [{ email: 'x' }, 'email', /Enter a whole e-mail address/],
      [{ email: 'a b@example.com' }, 'email', /Enter a whole e-mail address/],
      [{ email: '\u202ea@example.com' }, 'email', /Enter a whole e-mail address/],
      [{ business_name: ' ' }, 'business_name', /Enter the name of the business/],
      [{ email: `${'x'.repeat(500)}@example.com` }, 'email', /Enter at most 254 characters\. You entered 512\./],
      [{ business_name: 'x'.repeat(101) }, 'business_name', /Enter at most 100 characters\. You entered 101\./],
      [{ name: '😀'.repeat(500) }, 'name', /Enter at most 100 characters\. You entered 500\./],
      [{ name: 'a\u0000b' }, 'name', /ordinary characters/],
      [{ password: 'short' }, 'password', /at least 8/],
      [{ password: 'x'.repeat(129) }, 'password', /at most 128/],
      [{ password: 'Tanzania123' }, 'password', /Many people use/],
      [{ password: 'aaaaaaaaaa' }, 'password', /Many people use/],
      [{ password: 'NEEMA MUSHI' }, 'password', /must not be your e-mail address or name/],
      [{ password: 'neema@example.com', email: 'neema@example.com' }, 'password', /must not be your e-mail/],
    ]
    for (const [wrong, field, problem] of cases) {
      const { status, text } = await signUp('sahihi@example.com', wrong)
      assert.equal(status, 400)
      assert.match(text, problem)
      assert.match(text, new RegExp(`<a href="#${field}">`), 'the summary leads to the field')
      const input = new RegExp(`<input id="${field}"[^>]*>`).exec(text)?.[0] ?? ''
      assert.match(input, new RegExp(`aria-describedby="[^"]*${field}-problem"`))
      assert.match(input, /aria-invalid="true"/)
      if (field !== 'password') assert.doesNotMatch(input, /maxlength/, 'the browser cuts off no text')
      const { password } = { ...FORM, ...wrong }
      assert.ok(!/<input id="password"[^>]* value=/.test(text) && !text.includes(`>${password}<`))
    }
    assert.equal((await world.rows("select 1 from users where email = 'sahihi@example.com'")).length, 0)
  })

  test('the sign-up page escapes the input that it shows again', async () => {
    const { text } = await signUp('x', { business_name: '"><script>alert(1)</script>' })
    assert.ok(!text.includes('<script>'))
    assert.match(text, /&lt;script&gt;/)
  })
})

describe('confirmations of an e-mail address', () => {
  const verified = async (email: string) =>
    (await world.rows<{ email_verified: boolean }>('select email_verified from users where email = $1', [email]))[0]
      ?.email_verified

  test('a confirmation needs the link and the password, and a user who only opens the link confirms nothing', async () => {
    const email = newEmail()
    await signUp(email)
    const url = await mailedUrl(world, email)
    assert.equal((await from().get(url)).status, 200)
    assert.equal((await from().post(url, { password: 'another one' })).status, 401)
    assert.equal(await verified(email), false)
    assert.equal((await from().post(url, { password: FORM.password })).status, 200)
    assert.equal(await verified(email), true)
    assert.equal((await from().get(url)).status, 400)
  })

  test('the reset page refuses the token of a confirmation link, and the confirmation page refuses the token of a reset link', async () => {
    const email = newEmail()
    await signUp(email)
    const confirm = await mailedUrl(world, email)
    assert.equal((await from().get(confirm.replace('/confirm?', '/reset?'))).status, 400)
    await askReset(email)
    const reset = await mailedUrl(world, email)
    assert.equal((await from().get(reset.replace('/reset?', '/confirm?'))).status, 400)
  })
})

describe('new passwords', () => {
  test('a user sets a new password once through a mailed link, and the server ends the session of the user', async () => {
    const person = await newPerson(world)
    const browser = openBrowser(world.base)
    const tokens = await signIn(world, person, browser)
    await askReset(person.email)
    const url = await mailedUrl(world, person.email)
    assert.match((await from().get(url)).text, /Choose a new password|Chagua nywila mpya/)
    world.deps.clock.advance(1)
    assert.equal((await from().post(url, { password: 'ndege juu ya mti' })).status, 200)

    const refused = await world.call({ method: 'GET', url: '/v1/me', key: tokens.access_token })
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'invalid_session'])
    assert.equal((await refresh(world.base, tokens.refresh_token)).body.error, 'invalid_grant')
    const again = await browser.get(authorizeUrl(world.base, { prompt: 'none' }).url)
    assert.match(again.location ?? '', /error=login_required/)

    await assert.rejects(signIn(world, person))
    await signIn(world, { ...person, password: 'ndege juu ya mti' })
    assert.equal((await from().post(url, { password: 'tena na tena na tena' })).status, 400)
    const notice = (await listEmails(world.deps, { to: person.email })).find(({ kind }) => kind === 'identity.changed')
    assert.match(notice?.subject ?? '', /nywila yako imebadilishwa/)
    const facts = /\nWakati: \d+ \S+ \d{4}, \d\d:\d\d \(EAT\)\nKifaa: hakijulikani\nAnwani ya IP: \S+\n\nKama si wewe/
    assert.match(notice?.text ?? '', facts)
  })

  test('the sign-up and the reset in both languages, and setPassword, refuse two of more than 10,000 common passwords, one with a capital letter', async () => {
    assert.ok((await commonPasswords()).size > 10_000)
    const person = await newPerson(world)
    await askReset(person.email)
    const url = await mailedUrl(world, person.email)
    for (const password of ['Corvette', 'metallica']) {
      for (const [lang, words] of [
        ['sw', 'Watu wengi hutumia nywila hii'],
        ['en', 'Many people use this password'],
      ] as const) {
        const sign_up = await from().post(`/identity/sign-up?lang=${lang}`, { ...FORM, email: newEmail(), password })
        const reset = await from().post(url.replace(/lang=\w+/, `lang=${lang}`), { password })
        for (const { status, text } of [sign_up, reset]) {
          assert.equal(status, 400)
          assert.ok(text.includes(words), text)
        }
      }
      const set = inTransaction(world.deps.db, (tx) => setPassword(world.deps, tx, person.id, password))
      await assert.rejects(set, { code: 'validation_failed' })
    }
    await signIn(world, person)
  })

  test('only one of two simultaneous requests with one mailed link sets the new password', async () => {
    const person = await newPerson(world)
    await askReset(person.email)
    const url = await mailedUrl(world, person.email)
    const statuses = await Promise.all(
      ['moja na mbili', 'tatu na nne'].map((password) => from().post(url, { password })),
    )
    assert.deepEqual(statuses.map(({ status }) => status).sort(), [200, 400])
  })

  test('the server refuses a reset link after 30 minutes, after a newer link, or with an altered token', async () => {
    const other = await serve()
    try {
      const person = await newPerson(other)
      const browser = openBrowser(other.base)
      await browser.post('/identity/forgot', { email: person.email })
      const older = await mailedUrl(other, person.email)
      other.deps.clock.advance(1000)
      await browser.post('/identity/forgot', { email: person.email })
      const newer = await mailedUrl(other, person.email)
      assert.notEqual(older, newer)
      assert.equal((await browser.get(older)).status, 400)
      assert.equal((await browser.get(newer.replace('token=', 'token=x'))).status, 400)
      other.deps.clock.advance(30 * 60_000 - 1)
      assert.equal((await browser.get(newer)).status, 200)
      other.deps.clock.advance(1)
      assert.equal((await browser.get(newer)).status, 400)
      assert.equal((await browser.post(newer, { password: 'kuchelewa sana' })).status, 400)
    } finally {
      await other.close()
    }
  })

  test('a request for a new password gets the same answer for known and unknown addresses, and the server mails each address', async () => {
    const person = await newPerson(world)
    const stranger = newEmail()
    const [known, unknown] = [await askReset(person.email), await askReset(stranger)]
    assert.deepEqual(answerOf(known), answerOf(unknown))
    assert.match((await listEmails(world.deps, { to: stranger }))[0]?.subject ?? '', /no account with this address/)
    assert.match(await mailedUrl(world, person.email), /\/identity\/reset\?token=/)
  })

  test('the tables of links, messages and audit entries, and the log, contain no token of a reset link', async () => {
    const person = await newPerson(world)
    await askReset(person.email)
    const token = new URL(await mailedUrl(world, person.email)).searchParams.get('token') ?? ''
    for (const table of ['mailed_links', 'outbox_messages', 'audit_log']) {
      assert.ok(!JSON.stringify(await world.rows(`select t::text from ${table} t`)).includes(token))
    }
    assert.ok(!world.deps.logged.join('\n').includes(token))
  })

  test('an invited user sets the first password through a reset link', async () => {
    const email = newEmail()
    const { token } = await world.newSession('MERCHANT_ADMIN')
    const invited = await world.post('/v1/merchant/members', { email, role: 'VIEWER' }, { key: token })
    assert.equal(invited.status, 201)
    await askReset(email)
    const url = await mailedUrl(world, email)
    assert.match((await from().get(url)).text, /Karibu|Welcome/)
    assert.equal((await from().post(url, { password: 'mgeni njoo mwenyeji' })).status, 200)
    const { access_token } = await signIn(world, { email, password: 'mgeni njoo mwenyeji' })
    assert.equal((await world.get('/v1/collections', access_token)).status, 200)
  })

  test('the pages of a new password lead an operator to the operator console, and a member to the dashboard', async () => {
    const boss = await newPerson(world, { super_admin: true })
    const support = await newPerson(world)
    await world.rows("update users set operator_role = 'SUPPORT' where id = $1", [support.id])
    const member = await newPerson(world)
    for (const [person, console, text] of [
      [boss, 'operator', "Go to the operators' console"],
      [support, 'operator', "Go to the operators' console"],
      [member, 'dashboard', 'Go to the dashboard'],
    ] as const) {
      await askReset(person.email)
      const browser = openBrowser(world.base, 'en')
      const url = `${await mailedUrl(world, person.email)}&lang=en`
      const choose = await browser.get(url)
      assert.equal(/class="for-operators"/.test(choose.text), console === 'operator')
      const saved = await browser.post(choose.url, { password: `new words of ${console} today` })
      assert.equal(saved.status, 200)
      assert.match(saved.text.replaceAll('&#39;', "'"), new RegExp(`href="[^"]*/${console}/">${text}</a>`))
    }
  })

  test('a user with a printed password gets no session before the user has replaced it with another password', async () => {
    const person = await newPerson(world)
    const { id, email, password } = person
    await inTransaction(world.deps.db, (tx) => setPassword(world.deps, tx, id, password, { is_first: true }))
    await afresh()
    const browser = from()
    const form = await browser.follow(await browser.get(authorizeUrl(world.base).url))
    const choose = await browser.follow(await browser.post(form.url, { email, password }))
    assert.match(choose.url, /\/identity\/reset\?token=/)
    assert.match(choose.text, /Karibu|Welcome/)
    await assert.rejects(signIn(world, person), /returned no tokens/)

    const renewed = await browser.follow(await browser.post(form.url, { email, password }))
    const same = await browser.post(renewed.url, { password })
    assert.equal(same.status, 400)
    assert.match(
      same.text,
      /Choose another password than the one that you received|Chagua nywila tofauti na ile uliyopewa/,
    )
    assert.equal((await browser.post(choose.url, { password: 'nywila yangu mpya' })).status, 400, 'an older link')
    assert.equal((await browser.post(renewed.url, { password: 'nywila yangu mpya' })).status, 200)
    await signIn(world, { email, password: 'nywila yangu mpya' })
  })

  test('a password reset by the owner of the e-mail address ends the sessions and removes the second step of a stranger who signed up', async () => {
    const email = newEmail()
    await signUp(email)
    const thief = await signIn(world, { email, password: FORM.password })
    const [user] = await world.rows<{ id: string }>('select id from users where email = $1', [email])
    const id = user?.id ?? ''
    await inTransaction(world.deps.db, (tx) => setSecondStep(world.deps, tx, id, newTotpSecret(world.deps), 0))
    await askReset(email)
    assert.equal((await from().post(await mailedUrl(world, email), { password: 'mimi ndiye mwenyewe' })).status, 200)
    assert.equal(await hasSecondStep(world.deps.db, id), false)
    assert.equal((await world.call({ method: 'GET', url: '/v1/me', key: thief.access_token })).status, 401)
    await signIn(world, { email, password: 'mimi ndiye mwenyewe' })
  })

  test('a stranger who signed up with an e-mail address gets no access when a merchant invites that address', async () => {
    const email = newEmail()
    await signUp(email)
    const thief = await signIn(world, { email, password: FORM.password })
    const { token } = await world.newSession('MERCHANT_ADMIN')
    await world.post('/v1/merchant/members', { email, role: 'FINANCE' }, { key: token })
    const url = `/v1/collections?merchant_id=${world.merchant.id}`
    assert.equal((await world.get(url, thief.access_token)).status, 403)
    await askReset(email)
    await from().post(await mailedUrl(world, email), { password: 'mimi ndiye mwenyewe' })
    assert.equal((await world.get(url, thief.access_token)).status, 401)
    const owner = await signIn(world, { email, password: 'mimi ndiye mwenyewe' })
    assert.equal((await world.get(url, owner.access_token)).status, 200)
  })
})

describe('registrations when SIGN_UP is invited', () => {
  let closed: Served
  before(async () => {
    closed = await serve({ env: { SIGN_UP: 'invited' } })
  })
  after(() => closed.close())
  const visitor = (language = 'en') => openBrowser(closed.base, language)
  const ask = async (email: string) => {
    await closed.rows('delete from sign_in_attempts')
    closed.deps.clock.advance(1)
    return visitor().post('/identity/forgot', { email })
  }
  const register = async (email: string) => {
    assert.equal((await ask(email)).status, 200)
    const password = 'mgeni njoo mwenyeji'
    assert.equal((await visitor().post(await mailedUrl(closed, email), { password })).status, 200)
    const { access_token } = await signIn(closed, { email, password })
    return (await closed.get('/v1/me', access_token)).body.data
  }

  test('the sign-up page explains the invitation in both languages, and the server refuses a posted form and stores nothing', async () => {
    const known = await newPerson(closed)
    const count = () =>
      closed.rows('select (select count(*) from users) as users, (select count(*) from merchants) as shops')
    const before_forms = await count()
    for (const [language, words, way_on] of [
      ['en', /You need an invitation/, /Set your first password/],
      ['sw', /Unahitaji mwaliko/, /Weka nywila yako ya kwanza/],
    ] as const) {
      const shown = await visitor(language).get('/identity/sign-up')
      assert.equal(shown.status, 200)
      assert.match(shown.text, words)
      assert.match(shown.text, way_on)
      assert.doesNotMatch(shown.text, /<form|<input/)
      const refused = await visitor(language).post('/identity/sign-up', { ...FORM, email: newEmail() })
      assert.equal(refused.status, 403)
      assert.match(refused.text, words)
      assert.deepEqual(
        answerOf(await visitor(language).post('/identity/sign-up', { ...FORM, email: known.email })),
        answerOf(refused),
      )
      const browser = visitor(language)
      const form = await browser.follow(await browser.get(authorizeUrl(closed.base).url))
      assert.match(form.text, way_on)
      assert.ok(!form.text.includes('/identity/sign-up'))
    }
    assert.deepEqual(await count(), before_forms)
    await signIn(closed, known)
  })

  test('a person invited by a member or by an operator registers, and gets the invited role', async () => {
    const [by_member, by_operator] = [newEmail(), newEmail()]
    const { token } = await closed.newSession('MERCHANT_ADMIN')
    const invited = await closed.post('/v1/merchant/members', { email: by_member, role: 'VIEWER' }, { key: token })
    assert.equal(invited.status, 201)
    assert.equal((await register(by_member)).memberships[0].role, 'VIEWER')
    const { token: operator } = await closed.newSession('SUPER_ADMIN')
    const shop = { name: 'Duka la Neema', email: by_operator }
    assert.equal((await closed.post('/v1/operator/merchants', shop, { key: operator })).status, 201)
    assert.equal((await register(by_operator)).memberships[0].role, 'MERCHANT_ADMIN')
  })

  test('a person without an invitation, or with a withdrawn invitation, gets an e-mail without a link to set a password', async () => {
    const [unknown, withdrawn] = [newEmail(), newEmail()]
    const { token: key } = await closed.newSession('MERCHANT_ADMIN')
    const { id } = (await closed.post('/v1/merchant/members', { email: withdrawn, role: 'VIEWER' }, { key })).body.data
    assert.equal((await closed.call({ method: 'DELETE', url: `/v1/merchant/members/${id}`, key })).status, 200)
    const pages: BrowserPage[] = []
    for (const email of [unknown, withdrawn]) {
      pages.push(await ask(email))
      const [mail] = await listEmails(closed.deps, { to: email })
      assert.match(mail?.text ?? '', /An account needs an invitation|Akaunti hufunguliwa kwa mwaliko tu/)
      assert.doesNotMatch(mail?.text ?? '', /identity\/reset/)
    }
    assert.deepEqual(answerOf(pages[1] as BrowserPage), answerOf(pages[0] as BrowserPage))
  })
})

test('the server sends at most four e-mails to one address in a row, and gives the same answer to further requests', async () => {
  await world.rows('delete from sign_in_attempts')
  const email = newEmail()
  const replies: BrowserPage[] = []
  for (let i = 0; i < 6; i++) replies.push(await from().post('/identity/forgot', { email }))
  assert.deepEqual(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal((await listEmails(world.deps, { to: email })).length, 4)
})

test('an answer to a sign-up or a reset takes at least its fixed time, with or without an account', async () => {
  const person = await newPerson(world)
  const usual = MAIL_ANSWER.ms
  MAIL_ANSWER.ms = 400
  try {
    for (const email of [person.email, newEmail()]) {
      for (const ask of [askReset, signUp]) {
        const begin = performance.now()
        assert.equal((await ask(email)).status, 200)
        // The work of the request is short, compared with the fixed duration of the answer.
        assert.ok(performance.now() - begin >= 395)
      }
    }
  } finally {
    MAIL_ANSWER.ms = usual
  }
})

test('the server makes a client wait after too many requests for e-mails to addresses without an account', async () => {
  await world.rows('delete from sign_in_attempts')
  let refused: BrowserPage | null = null
  for (let i = 0; i < 40 && refused === null; i++) {
    const reply = await from().post('/identity/forgot', { email: newEmail() })
    if (reply.status === 429) refused = reply
  }
  assert.equal(refused?.headers.get('retry-after'), '30')
  assert.match(refused?.text ?? '', /Try again in 30 seconds/)
  await world.rows('delete from sign_in_attempts')
})

test('a merchant that signed up cannot create a live key before an operator approves the merchant', async () => {
  const email = newEmail()
  await signUp(email)
  const [merchant] = await world.rows<{ id: string }>('select id from merchants where email = $1', [email])
  const options = { merchant_id: merchant?.id ?? '', environment: 'live' as const, scopes: ['collections:write'] }
  await assert.rejects(createKey(world.deps, { ...options, name: 'Live' }), { code: 'production_access_restricted' })
})
