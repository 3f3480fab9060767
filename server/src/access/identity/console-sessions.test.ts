// Tests the end of sessions, and the confirmation of a session before an action that needs a recent sign-in.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { codeOf, type Reply } from '../../../test/harness.ts'
import { consoleToken } from '../../../test/operator-sessions.ts'
import { workBeforeCommit } from '../../../test/running-change.ts'
import {
  authorizeUrl,
  exchange,
  newPerson,
  openBrowser,
  refresh,
  type Served,
  serve,
  signIn,
  type Tokens,
} from '../../../test/sign-in.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import type { Console, MerchantRole } from '../../kernel/http/index.ts'
import { type Merchant, renameUser, setMember } from '../merchants/index.ts'
import { setPassword } from './credentials.ts'
import { newTotpSecret, setSecondStep } from './totp.ts'

const IDLE_S = 900
const SESSION_S = 3_600

let world: Served
/** Another server process on the same database, with the same clock. */
let other: Served
before(async () => {
  world = await serve({ env: { OPERATOR_IDLE_S: String(IDLE_S), OPERATOR_SESSION_S: String(SESSION_S) } })
  other = await serve({ url: world.url, clock: world.deps.clock })
})
after(async () => {
  await other.close()
  await world.close()
})
beforeEach(async () => {
  await world.rows('delete from sign_in_attempts')
})

const OVER: [number, string] = [401, 'invalid_session']
const STALE: [number, string] = [403, 'step_up_required']
const passes = (seconds: number) => world.deps.clock.advance(seconds * 1000)
const me = (token: string, headers: Record<string, string> = {}, at = world) =>
  at.call({ method: 'GET', url: '/v1/me', key: token, headers })

/** Signs a new MERCHANT_ADMIN in to a console. Returns the user, the browser and the tokens. */
async function comes(client: Console) {
  const person = await newPerson(world, { super_admin: client === 'operator' })
  await inTransaction(world.deps.db, (tx) => setMember(world.deps, tx, world.merchant.id, person.id, 'MERCHANT_ADMIN'))
  const browser = openBrowser(world.base)
  return { person, browser, tokens: await signIn(world, person, browser, client) }
}

describe('sessions of operators', () => {
  test('a session ends after OPERATOR_IDLE_S without activity, and the provider then refuses the refresh token', async () => {
    const { tokens } = await comes('operator')
    for (let i = 0; i < 3; i++) {
      passes(IDLE_S - 60)
      assert.equal((await me(tokens.access_token)).status, 200)
      if (i < 2) Object.assign(tokens, (await refresh(world.base, tokens.refresh_token, 'operator')).body)
    }
    passes(IDLE_S)
    assert.deepEqual(codeOf(await me(tokens.access_token)), OVER)
    assert.equal((await refresh(world.base, tokens.refresh_token, 'operator')).body.error, 'invalid_grant')
  })

  test('requests in the background do not keep a session open', async () => {
    const { tokens } = await comes('operator')
    for (let i = 0; i < 2; i++) {
      passes(IDLE_S / 3)
      assert.equal((await me(tokens.access_token, { 'x-background': 'true' })).status, 200)
    }
    passes(IDLE_S / 3)
    for (const at of [world, other]) {
      const refused = await me(tokens.access_token, {}, at)
      assert.deepEqual(codeOf(refused), OVER)
      assert.match(refused.body.error.message, /because you did not use it/)
    }
    assert.equal((await refresh(world.base, tokens.refresh_token, 'operator')).body.error, 'invalid_grant')
  })

  test('a session ends OPERATOR_SESSION_S after the sign-in, although the operator uses the session', async () => {
    const { tokens } = await comes('operator')
    for (let s = 0; s < SESSION_S - 600; s += 600) {
      passes(600)
      Object.assign(tokens, (await refresh(world.base, tokens.refresh_token, 'operator')).body)
      assert.equal((await me(tokens.access_token)).status, 200)
    }
    passes(600)
    const refused = await me(tokens.access_token)
    assert.deepEqual(codeOf(refused), OVER)
    assert.match(refused.body.error.message, /longest duration/)
    assert.equal((await refresh(world.base, tokens.refresh_token, 'operator')).body.error, 'invalid_grant')
  })

  test('the server refuses an operator whose session has no database row OPERATOR_SESSION_S after the sign-in', async () => {
    const { user_id } = await world.newSession('SUPER_ADMIN')
    const at = async (age_s: number) => codeOf(await me(await consoleToken(world, user_id, { age_s })))
    assert.deepEqual([(await at(SESSION_S - 1))[0], await at(SESSION_S)], [200, OVER])
  })

  test('a session of the dashboard stays open without activity', async () => {
    const { tokens } = await comes('dashboard')
    passes(SESSION_S * 2)
    const { body, status } = await refresh(world.base, tokens.refresh_token)
    assert.equal(status, 200)
    assert.equal((await me(body.access_token)).status, 200)
  })
})

describe('the list of sessions', () => {
  const list = async (token: string) => (await world.get('/v1/sessions', token)).body.data.items
  const end = (token: string, id: string, at = world) =>
    at.call({ method: 'DELETE', url: `/v1/sessions/${id}`, key: token })

  test('a user lists their sessions with console, address and last use, and the server marks the current session', async () => {
    const { person, tokens } = await comes('dashboard')
    passes(120)
    const elsewhere = await signIn(world, person)
    const [newest, oldest, ...more] = await list(elsewhere.access_token)
    assert.deepEqual(more, [])
    assert.deepEqual([newest.current, oldest.current], [true, false])
    assert.deepEqual(
      [newest.console, newest.address, newest.seen_at],
      ['dashboard', '127.0.0.1', world.deps.clock.now().toISOString()],
    )
    passes(120)
    const after = await list(tokens.access_token)
    assert.deepEqual(
      [after[0].id, after[0].current, after[0].seen_at],
      [oldest.id, true, world.deps.clock.now().toISOString()],
    )
    // A refresh keeps the session, so the list has no further session.
    assert.equal((await list((await refresh(world.base, tokens.refresh_token)).body.access_token)).length, 2)
  })

  test('every process refuses the next request of an ended session, and the other sessions stay open', async () => {
    const { person, browser, tokens } = await comes('dashboard')
    const elsewhere = await signIn(world, person)
    const ended = (await list(elsewhere.access_token)).find(({ current }: { current: boolean }) => !current)
    const answer = await end(elsewhere.access_token, ended.id, other)
    assert.deepEqual([answer.status, answer.body.data], [200, ended])
    for (const at of [world, other]) assert.deepEqual(codeOf(await me(tokens.access_token, {}, at)), OVER)
    assert.equal((await refresh(world.base, tokens.refresh_token)).body.error, 'invalid_grant')
    const silent = await browser.get(authorizeUrl(world.base, { prompt: 'none' }).url)
    assert.match(silent.location ?? '', /error=login_required/)
    assert.equal((await me(elsewhere.access_token)).status, 200)
    assert.equal((await end(elsewhere.access_token, ended.id)).status, 404)
    const entries = await world.rows("select 1 from audit_log where action = 'user.end_session' and target_id = $1", [
      person.id,
    ])
    assert.equal(entries.length, 1)
  })

  test('a user can neither see nor end the session of another user', async () => {
    const [asha, juma] = [await comes('dashboard'), await comes('operator')]
    const [session] = await list(asha.tokens.access_token)
    for (const id of [session.id, randomUUID(), 'x']) {
      assert.deepEqual(codeOf(await end(juma.tokens.access_token, id)), [404, 'not_found'])
    }
    const listed = await list(juma.tokens.access_token)
    assert.deepEqual(
      listed.map(({ console }: { console: string }) => console),
      ['operator'],
    )
    assert.equal((await me(asha.tokens.access_token)).status, 200)
  })

  test('a new password immediately ends the sessions of the user', async () => {
    const { person, tokens } = await comes('dashboard')
    await inTransaction(world.deps.db, (tx) => setPassword(world.deps, tx, person.id, 'ndege juu ya mti'))
    assert.deepEqual(codeOf(await me(tokens.access_token)), OVER)
    assert.deepEqual(await world.rows('select 1 from console_sessions where user_id = $1', [person.id]), [])
  })

  test('the worker deletes sessions without a new token for two weeks', async () => {
    const late = await serve({ url: world.url })
    const { person } = await comes('dashboard')
    try {
      late.deps.clock.advance(world.deps.clock.now().getTime() - late.deps.clock.now().getTime() + 15 * 86_400_000)
      await late.work()
      assert.deepEqual(await world.rows('select 1 from console_sessions where user_id = $1', [person.id]), [])
    } finally {
      await late.close()
    }
  })
})

describe('confirmations', () => {
  const KEY = { name: 'Duka', environment: 'sandbox', scopes: ['webhooks:manage'] }
  const makeKey = ({ access_token: key }: Tokens, idempotency_key: string = randomUUID()) =>
    world.post('/v1/merchant/api-keys', KEY, { key, idempotency_key })
  const confirm = ({ access_token: key }: Tokens, body: object): Promise<Reply> =>
    world.call({ method: 'POST', url: '/v1/session/confirm', payload: body, key })
  const shown = async ({ access_token }: Tokens) =>
    (await world.get('/v1/session', access_token)).body.data.confirm_with
  /** Advances the clock by eleven minutes and renews the tokens. */
  const grewOld = async (tokens: Tokens) => {
    passes(660)
    Object.assign(tokens, (await refresh(world.base, tokens.refresh_token)).body)
  }

  test('a member confirms an old session with the password, and then repeats the refused request with the same Idempotency-Key', async () => {
    const { person, tokens } = await comes('dashboard')
    assert.equal((await makeKey(tokens)).status, 201)
    await grewOld(tokens)
    const once = randomUUID()
    assert.deepEqual(codeOf(await makeKey(tokens, once)), STALE)
    assert.equal(await shown(tokens), 'password')
    for (const wrong of [{}, { code: '123456' }, { password: '' }, { password: 'si nywila yangu' }]) {
      const refused = await confirm(tokens, wrong)
      assert.deepEqual([refused.status, refused.body.error.details.fields[0].field], [400, 'password'], refused.text)
    }
    assert.deepEqual(codeOf(await makeKey(tokens, once)), STALE)
    const confirmed = await confirm(tokens, { password: person.password })
    assert.equal(confirmed.status, 200, confirmed.text)
    assert.equal(confirmed.body.data.auth_time, world.deps.clock.now().toISOString())
    assert.equal((await makeKey(tokens, once)).status, 201)
    const entries = await world.rows('select after from audit_log where action = $1 and target_id = $2', [
      'user.confirm_session',
      person.id,
    ])
    assert.deepEqual(entries, [{ after: { email: person.email, with: 'password' } }])
    await grewOld(tokens)
    assert.deepEqual(codeOf(await makeKey(tokens)), STALE)
    // The confirmation of one session does not change other sessions of the user.
    const elsewhere = await signIn(world, person)
    await grewOld(elsewhere)
    await confirm(tokens, { password: person.password })
    assert.deepEqual(codeOf(await makeKey(elsewhere)), STALE)
  })

  test('a user with a second step confirms with each code once, and never with the password', async () => {
    const { person, tokens } = await comes('dashboard')
    const secret = newTotpSecret(world.deps)
    await inTransaction(world.deps.db, (tx) => setSecondStep(world.deps, tx, person.id, secret, 0))
    await grewOld(tokens)
    assert.equal(await shown(tokens), 'code')
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: world.deps.clock.now().getTime(),
    })
    for (const wrong of [{ password: person.password }, { code: '000000' }]) {
      assert.equal((await confirm(tokens, wrong)).status, 400)
    }
    assert.equal((await confirm(tokens, { code })).status, 200)
    assert.equal((await confirm(tokens, { code })).status, 400, 'the code is used up')
    assert.equal((await makeKey(tokens)).status, 201)
  })

  test('after five confirmations with a wrong password, the server makes the user wait', async () => {
    const { person, tokens } = await comes('dashboard')
    for (let i = 0; i < 5; i++) assert.equal((await confirm(tokens, { password: 'si nywila yangu' })).status, 400)
    const refused = await confirm(tokens, { password: person.password })
    assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
    assert.equal(refused.headers['retry-after'], '30')
  })

  test('a user of a session without a database row needs a new sign-in for a confirmation', async () => {
    const { user_id } = await world.newSession('MERCHANT_ADMIN')
    const access_token = await consoleToken(world, user_id, { client: 'dashboard', age_s: 700 })
    const tokens = { access_token } as Tokens
    assert.equal(await shown(tokens), 'sign_in')
    assert.deepEqual(codeOf(await confirm(tokens, { password: 'x' })), [409, 'invalid_state'])
  })

  test('a member needs a recent sign-in to create keys or to change the webhook or members, and an API key needs none', async () => {
    const { user_id } = await world.newSession('MERCHANT_ADMIN')
    const old = await consoleToken(world, user_id, { client: 'dashboard', age_s: 700 })
    const calls: ['POST' | 'PATCH' | 'DELETE', string, object][] = [
      ['POST', '/v1/merchant/api-keys', KEY],
      ['POST', `/v1/merchants/${world.merchant.id}/api-keys`, KEY],
      ['POST', `/v1/merchant/api-keys/${randomUUID()}/rotate`, {}],
      ['PATCH', '/v1/merchant/webhook-config', { webhook_url: 'http://127.0.0.1:9/hook' }],
      ['POST', '/v1/merchant/members', { email: 'mgeni@example.com', role: 'VIEWER' }],
      ['PATCH', `/v1/merchant/members/${randomUUID()}`, { role: 'VIEWER' }],
      ['DELETE', `/v1/merchant/members/${randomUUID()}`, {}],
    ]
    for (const [method, url, payload] of calls) {
      assert.deepEqual(codeOf(await world.call({ method, url, payload, key: old })), STALE, url)
      const fresh = await consoleToken(world, user_id, { client: 'dashboard' })
      assert.notEqual((await world.call({ method, url, payload, key: fresh })).status, 403, url)
    }
    assert.equal((await world.get('/v1/merchant/members', old)).status, 200)
    const revoked = { method: 'PATCH', url: `/v1/merchant/api-keys/${randomUUID()}/revoke`, key: old } as const
    assert.equal((await world.call(revoked)).status, 404, 'a revocation needs no recent sign-in')
    const key = await world.newKey({ scopes: ['webhooks:manage'] })
    const config = { method: 'PATCH', url: '/v1/merchant/webhook-config', key } as const
    assert.equal((await world.call({ ...config, payload: { events: ['collection.failed'] } })).status, 200)
  })
})

describe('merchants that require a second factor', () => {
  const security = (key: string, second_factor_required: boolean) =>
    world.call({ method: 'PATCH', url: '/v1/merchant/security', payload: { second_factor_required }, key })
  const NEEDED: [number, string] = [403, 'second_factor_required']

  /** Signs in a new member of this merchant with the password alone. */
  async function member(role: MerchantRole, merchant: Merchant) {
    const person = await newPerson(world)
    await inTransaction(world.deps.db, (tx) => setMember(world.deps, tx, merchant.id, person.id, role))
    return { person, tokens: await signIn(world, person) }
  }

  test('members without a second factor get access only after they set up a second factor, in every process', async () => {
    const merchant = await world.newMerchant()
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
    const { person, tokens } = await member('VIEWER', merchant)
    const list = (key: string, at = world) => at.get('/v1/collections', key)
    assert.equal((await list(tokens.access_token)).status, 200)
    assert.deepEqual((await security(token, true)).body.data, { second_factor_required: true })
    for (const at of [world, other]) assert.deepEqual(codeOf(await list(tokens.access_token, at)), NEEDED)
    const { body } = await me(tokens.access_token)
    assert.deepEqual([body.data.second_factor, body.data.memberships[0].second_factor_required], [false, true])
    assert.equal((await list(token)).status, 200)
    const key = await world.newKey({ merchant, scopes: ['collections:read'] })
    assert.equal((await list(key)).status, 200, 'API keys are not members')

    const browser = openBrowser(world.base)
    const asking = authorizeUrl(world.base, { prompt: 'login', enrol: 'totp' })
    const page = await browser.follow(await browser.get(asking.url))
    const form = await browser.follow(await browser.post(page.url, person))
    const secret = /<code class="key"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(form.text)?.[1]?.replaceAll(' ', '') ?? ''
    const timestamp = world.deps.clock.now().getTime()
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
    const codes = await browser.post(form.url, { code })
    const way_on = /class="button" href="([^"]+)"/.exec(codes.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const signed_in = await exchange(world.base, asking, await browser.follow(await browser.get(way_on)))
    assert.equal((await list(signed_in.body.access_token)).status, 200)
    assert.deepEqual(codeOf(await me(tokens.access_token)), OVER, 'the setup ended the other session')

    assert.equal((await security(token, false)).status, 200)
    const acts = await world.rows(
      'select action, before, after from audit_log where merchant_id = $1 and action = $2',
      [merchant.id, 'merchant.change_security'],
    )
    assert.equal(acts.length, 2)
  })

  test('an administrator without a second factor cannot require second factors, and a developer cannot change the setting', async () => {
    const merchant = await world.newMerchant()
    const { tokens } = await member('MERCHANT_ADMIN', merchant)
    const refused = await security(tokens.access_token, true)
    assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
    assert.match(refused.body.error.message, /Set up your own second step/)
    const settings = await world.get('/v1/merchant/security', tokens.access_token)
    assert.deepEqual(settings.body.data, { second_factor_required: false })
    const { tokens: developer } = await member('DEVELOPER', merchant)
    assert.deepEqual(codeOf(await security(developer.access_token, true)), [403, 'insufficient_role'])
  })
})

describe('a change of the password by a signed-in user', () => {
  const change = (key: string, password: string, new_password: string) =>
    world.call({ method: 'POST', url: '/v1/session/password', payload: { password, new_password }, key })
  const NEW = 'mti mrefu kando ya mto'

  test('a user changes the password, all sessions end, the server mails the user, and only the new password signs in', async () => {
    const { person, tokens } = await comes('dashboard')
    const second = await signIn(world, person, openBrowser(world.base))
    const changed = await world.call({
      method: 'POST',
      url: '/v1/session/password',
      payload: { password: person.password, new_password: NEW },
      key: tokens.access_token,
      headers: { 'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/130.0' },
    })
    assert.equal(changed.status, 200, changed.text)
    for (const at of [world, other]) assert.deepEqual(codeOf(await me(tokens.access_token, {}, at)), OVER)
    assert.ok((await refresh(world.base, tokens.refresh_token)).status >= 400)
    assert.deepEqual(codeOf(await me(second.access_token)), OVER)
    await assert.rejects(signIn(world, person))
    await signIn(world, { ...person, password: NEW })
    const mails = await listEmails(world.deps, { to: person.email })
    const notice = mails.find(({ kind }) => kind === 'identity.changed')
    const facts = /\nWakati: .* \(EAT\)\nKifaa: Chrome, Android\nAnwani ya IP: 127\.0\.0\.1\n\nKama si wewe/
    assert.match(notice?.text ?? '', facts)
    const [entry] = await world.rows<{ actor_name: string }>(
      "select actor_name from audit_log where action = 'user.set_password' and target_id = $1",
      [person.id],
    )
    assert.equal(entry?.actor_name, person.email)
  })

  test('of two changes of one password at the same time, only the first is made', async () => {
    const { person, tokens } = await comes('dashboard')
    const second = await signIn(world, person, openBrowser(world.base))
    const changes = [tokens, second].map(({ access_token }, place) =>
      change(access_token, person.password, `${NEW} ${place}`),
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    assert.deepEqual([...statuses].sort(), [200, 401])
    await signIn(world, { ...person, password: `${NEW} ${statuses.indexOf(200)}` })
  })

  test('the server refuses a wrong current password and a weak, personal or unchanged new password, and the session continues', async () => {
    const { person, tokens } = await comes('dashboard')
    const fieldOf = (reply: Reply) => [reply.status, reply.body.error.details.fields[0].field]
    for (const [password, new_password, field] of [
      ['not this one', NEW, 'password'],
      [person.password, 'short', 'new_password'],
      [person.password, 'password123', 'new_password'],
      [person.password, person.email, 'new_password'],
      [person.password, person.password, 'new_password'],
    ] as const) {
      assert.deepEqual(fieldOf(await change(tokens.access_token, password, new_password)), [400, field], new_password)
    }
    assert.equal((await me(tokens.access_token)).status, 200)
    await signIn(world, person)
  })

  test('the server refuses further changes after too many wrong passwords, as at the sign-in', async () => {
    const { person, tokens } = await comes('dashboard')
    let last = 400
    for (let tries = 0; tries < 30 && last === 400; tries++) {
      last = (await change(tokens.access_token, `wrong ${tries}`, NEW)).status
    }
    assert.equal(last, 429)
    assert.equal((await change(tokens.access_token, person.password, NEW)).status, 429)
  })

  test('a user with a second step confirms an old session before the change of the password', async () => {
    const { person, tokens } = await comes('dashboard')
    const { deps } = world
    await inTransaction(deps.db, (tx) => setSecondStep(deps, tx, person.id, newTotpSecret(deps), 0))
    passes(660)
    const { body } = await refresh(world.base, tokens.refresh_token)
    assert.deepEqual(codeOf(await change(body.access_token, person.password, NEW)), STALE)
  })
})

test('a user changes the own name without direction marks, and the audit log has the name before each change, also of a change that waited', async () => {
  const { person, tokens } = await comes('dashboard')
  const rename = (name: string) =>
    world.call({ method: 'PATCH', url: '/v1/session/name', payload: { name }, key: tokens.access_token })
  for (const name of ['', ' ', '\u202e \u2069', 'a\nb', 'x'.repeat(101)]) {
    const refused = await rename(name)
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].field], [400, 'name'], JSON.stringify(name))
  }
  const first = await rename('\u202eNeema\u202c Mushi ')
  assert.equal(first.body.data.name, 'Neema Mushi')
  const during = await workBeforeCommit(
    world,
    (tx) => renameUser(world.deps, tx, person.id, 'Between'),
    () => rename('\u2067محمد\u2069'),
  )
  assert.equal(during.body.data.name, 'محمد')
  const last = (await me(tokens.access_token)).body.data.name
  assert.equal((await rename(last)).status, 200)
  const log = await world.rows<{ before: { name: string }; after: { name: string } }>(
    "select before, after from audit_log where action = 'user.change_name' and target_id = $1 order by seq",
    [person.id],
  )
  assert.equal(log.length, 2, 'the same name again leaves no entry')
  assert.equal(log[1]?.before.name, 'Between')
  assert.equal(log[1]?.after.name, last)
})

test('a user changes the language of the own e-mails, and the audit log has each change once', async () => {
  const { person, tokens } = await comes('dashboard')
  const choose = (language: string) =>
    world.call({ method: 'PATCH', url: '/v1/session/language', payload: { language }, key: tokens.access_token })
  const before = (await me(tokens.access_token)).body.data.language
  const other = before === 'sw' ? 'en' : 'sw'
  assert.equal((await choose('fr')).status, 400)
  for (const repeated of [other, other]) assert.deepEqual((await choose(repeated)).body.data, { language: other })
  assert.equal((await me(tokens.access_token)).body.data.language, other)
  const log = await world.rows<{ before: { language: string }; after: { language: string } }>(
    "select before, after from audit_log where action = 'user.change_language' and target_id = $1",
    [person.id],
  )
  assert.deepEqual(
    log.map((entry) => [entry.before.language, entry.after.language]),
    [[before, other]],
  )
})
