// Tests a foreign issuer: the rotation of its keys, and the binding of its users to users of this server.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestIssuer, newTestKey, type TestIssuer, type TestKey } from '../../../test/issuer.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { createUser, type NewUser, setMember } from '../merchants/index.ts'

const MINUTE = 60_000

let issuer: TestIssuer
let world: World
const worlds: World[] = []

/** Starts a server process that accepts tokens of the issuer. If `url` is given, the process uses this database. */
async function newWorld(env: Record<string, string> = {}, url?: string): Promise<World> {
  const base = { OIDC_ISSUER: issuer.url, ...env }
  const made = await createWorld({ env: base, ...(url === undefined ? {} : { url }) })
  worlds.push(made)
  return made
}

before(async () => {
  issuer = await createTestIssuer()
})
beforeEach(async () => {
  issuer.broken = null
  issuer.description = {}
  issuer.keys = [newTestKey('first')]
  issuer.people.clear()
  world = await newWorld()
  issuer.requested_paths.length = 0
})
after(async () => {
  for (const made of worlds) await made.close()
  await issuer.close()
})

type Options = { claims?: Record<string, unknown>; key?: TestKey; header?: Record<string, unknown>; at?: World }

function tokenFor(sub: string, { claims = {}, key, header = {}, at = world }: Options = {}): string {
  const now = Math.floor(at.deps.clock.now().getTime() / 1000)
  const all = { iss: issuer.url, aud: 'malipo-api', sub, iat: now, exp: now + 86_400, ...claims }
  return issuer.token(all, header, key)
}

type Person = Partial<NewUser> & { role?: 'VIEWER' | null }

async function invite(email: string, { role = 'VIEWER', ...more }: Person = {}): Promise<string> {
  const base = {
    email,
    email_verified: false,
    name: 'Asha',
    language: 'sw',
    operator_role: null,
    identity: null,
  } as const
  return inTransaction(world.deps.db, async (tx) => {
    const { id } = await createUser(world.deps, tx, { ...base, ...more })
    if (role) await setMember(world.deps, tx, world.merchant.id, id, role)
    return id
  })
}
const known = (subject: string, person: Person = {}) =>
  invite(`${subject}@known.example`, { ...person, identity: { issuer: issuer.url, subject } })

const call = (token: string, at = world) => at.get('/v1/collections', token)
const codeOf = ({ status, body }: Reply) => (status === 200 ? 200 : body.error.code)
const countQueries = (end: string) => issuer.requested_paths.filter((path) => path.endsWith(end)).length

async function bindingOf(email: string): Promise<unknown[]> {
  const [row] = await world.rows('select issuer, subject, email_verified from users where email = $1', [email])
  return Object.values(row ?? {})
}

describe('keys of a foreign issuer', () => {
  test('the server fetches the keys of the issuer once, with the first of many tokens', async () => {
    await known('asha')
    assert.deepEqual(issuer.requested_paths, [])
    const replies = await Promise.all(Array.from({ length: 10 }, () => call(tokenFor('asha'))))
    assert.deepEqual(new Set(replies.map(codeOf)), new Set([200]))
    assert.deepEqual([countQueries('configuration'), countQueries('/keys')], [1, 1])
  })

  test('the server accepts tokens of the new key and of the old key one minute after the issuer rotates its keys', async () => {
    await known('asha')
    const [old] = issuer.keys as [TestKey]
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    issuer.keys = [newTestKey('second', 'ES256'), old]
    world.deps.clock.advance(MINUTE)
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    assert.equal(codeOf(await call(tokenFor('asha', { key: old }))), 200)
  })

  test('the server refuses a key five minutes after the issuer removed the key', async () => {
    await known('asha')
    const [old] = issuer.keys as [TestKey]
    const stolen = tokenFor('asha', { key: old })
    assert.equal(codeOf(await call(stolen)), 200)
    issuer.keys = [newTestKey('second')]
    world.deps.clock.advance(5 * MINUTE)
    assert.equal(codeOf(await call(stolen)), 'invalid_session')
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
  })

  test('after a process fetches the new keys, the process immediately refuses tokens of a removed key', async () => {
    await known('asha')
    const [old] = issuer.keys as [TestKey]
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    issuer.keys = [newTestKey('second')]
    world.deps.clock.advance(MINUTE)
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    assert.equal(codeOf(await call(tokenFor('asha', { key: old }))), 'invalid_session')
  })

  test('the server accepts a new key within five minutes when the issuer replaces a key and keeps its name', async () => {
    await known('asha')
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    issuer.keys = [newTestKey('first')]
    assert.equal(codeOf(await call(tokenFor('asha'))), 'invalid_session')
    world.deps.clock.advance(5 * MINUTE)
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
  })

  test('the server fetches the keys once for many tokens with invented key names', async () => {
    await known('asha')
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    world.deps.clock.advance(MINUTE)
    issuer.requested_paths.length = 0
    for (let i = 0; i < 50; i++) {
      const forged = tokenFor('asha', { key: newTestKey(`invented-${i}`, 'ES256') })
      assert.equal(codeOf(await call(forged)), 'invalid_session')
    }
    assert.equal(countQueries('/keys'), 1)
    for (const iss of ['https://evil.example', undefined])
      await call(tokenFor('asha', { claims: { iss }, header: { kid: 'x' } }))
    world.deps.clock.advance(MINUTE)
    await call(tokenFor('asha', { claims: { iss: 'https://evil.example' }, header: { kid: 'x' } }))
    assert.equal(countQueries('/keys'), 1, 'the server does not fetch keys for a token of another issuer')
  })

  test('the server accepts a token without a key name when the issuer has only one key', async () => {
    await known('asha')
    const nameless = tokenFor('asha', { header: { kid: undefined } })
    assert.equal(codeOf(await call(nameless)), 200)
    issuer.keys.push(newTestKey('second'))
    world.deps.clock.advance(5 * MINUTE)
    assert.equal(codeOf(await call(nameless)), 'invalid_session')
  })

  test('the server accepts only tokens with a configured algorithm', async () => {
    await known('asha')
    const strict = await newWorld({ OIDC_ALGORITHMS: 'ES256' }, world.url)
    issuer.keys.push(newTestKey('curve', 'ES256'))
    assert.equal(codeOf(await call(tokenFor('asha'), strict)), 'invalid_session')
    assert.equal(codeOf(await call(tokenFor('asha', { key: issuer.keys[1] as TestKey }), strict)), 200)
  })
})

describe('unreachable issuers', () => {
  const faults = [500, 404, 301, 'hang up', 'endless', 'silent'] as const
  for (const fault of faults) {
    test(`if the issuer fails with the fault "${fault}", the server accepts known keys, answers 503 for unknown keys and pauses its requests`, async () => {
      await known('asha')
      assert.equal(codeOf(await call(tokenFor('asha'))), 200)
      issuer.broken = fault
      world.deps.clock.advance(6 * MINUTE)
      issuer.requested_paths.length = 0
      assert.equal(codeOf(await call(tokenFor('asha'))), 200)
      const other = tokenFor('asha', { key: newTestKey('other', 'ES256') })
      for (let i = 0; i < 5; i++) {
        const refused = await call(other)
        assert.deepEqual([refused.status, codeOf(refused)], [503, 'service_unavailable'])
        assert.ok(Number(refused.headers['retry-after']) > 0)
      }
      assert.equal(issuer.requested_paths.length, 1)
      assert.equal(codeOf(await call(tokenFor('asha'))), 200)

      issuer.broken = null
      world.deps.clock.advance(MINUTE)
      assert.equal(codeOf(await call(other)), 'invalid_session')
    })
  }

  test('the server answers 503 for every token until the first fetch of the keys succeeds', async () => {
    await known('asha')
    issuer.broken = 503
    assert.equal(codeOf(await call(tokenFor('asha'))), 'service_unavailable')
    issuer.broken = null
    assert.equal(
      codeOf(await call(tokenFor('asha'))),
      'service_unavailable',
      'the server pauses its queries for ten seconds',
    )
    world.deps.clock.advance(11_000)
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
  })

  test('the server refuses tokens of known keys after a day without a response from the issuer', async () => {
    await known('asha')
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    issuer.broken = 500
    world.deps.clock.advance(24 * 60 * MINUTE)
    assert.equal(codeOf(await call(tokenFor('asha'))), 'service_unavailable')
  })

  test('the server accepts API keys when the issuer is unreachable', async () => {
    issuer.broken = 'hang up'
    assert.equal((await world.get('/v1/collections')).status, 200)
  })
})

describe('invalid discovery documents', () => {
  const descriptions: Record<string, () => Record<string, unknown>> = {
    'names another issuer': () => ({ issuer: 'https://evil.example' }),
    'adds a slash to the name of the issuer': () => ({ issuer: `${issuer.url}/` }),
    'names no issuer': () => ({ issuer: undefined }),
    'names no address of keys': () => ({ jwks_uri: undefined }),
    'names an address of keys that is not on the web': () => ({ jwks_uri: 'file:///etc/passwd' }),
    'names a list as the address of keys': () => ({ jwks_uri: [issuer.url] }),
  }
  for (const [name, description] of Object.entries(descriptions)) {
    test(`the server answers 503 and writes a log entry when the discovery document ${name}`, async () => {
      await known('asha')
      issuer.description = description()
      assert.equal(codeOf(await call(tokenFor('asha'))), 'service_unavailable')
      assert.match(world.deps.logged.join('\n'), /the server cannot use OIDC_ISSUER/)
    })
  }
})

describe('second factors in foreign tokens', () => {
  test('the server gives the operator role only to a token whose amr claim has a strong method', async () => {
    await known('boss', { operator_role: 'SUPER_ADMIN' })
    const me = (claims: object) => world.get('/v1/me', tokenFor('boss', { claims: { ...claims } }))
    for (const amr of [undefined, 'otp', ['pwd'], ['cli'], [], {}]) {
      assert.equal((await me({ amr })).body.data.super_admin, false, JSON.stringify(amr))
    }
    for (const amr of [['pwd', 'otp'], ['mfa'], ['hwk']]) {
      assert.equal((await me({ amr })).body.data.super_admin, true, JSON.stringify(amr))
    }
  })

  test('the server checks only the acr claim of a token when OIDC_OPERATOR_ACR is set', async () => {
    await known('boss', { operator_role: 'SUPER_ADMIN' })
    const strict = await newWorld({ OIDC_OPERATOR_ACR: 'gold, 2' }, world.url)
    const me = (claims: object) => strict.get('/v1/me', tokenFor('boss', { claims: { ...claims } }))
    for (const acr of ['1', 'silver', 'gold, 2', 2, ['gold'], undefined]) {
      assert.equal((await me({ acr, amr: ['otp'] })).body.data.super_admin, false, JSON.stringify(acr))
    }
    for (const acr of ['gold', '2']) assert.equal((await me({ acr })).body.data.super_admin, true, acr)
  })
})

test('the server refuses a new e-mail address of a user of a foreign issuer, which manages the address', async () => {
  await known('asha')
  const auth_time = Math.floor(world.deps.clock.now().getTime() / 1000)
  const key = tokenFor('asha', { claims: { auth_time } })
  const refused = await world.post('/v1/session/email', { email: 'asha@new.example' }, { key })
  assert.equal(codeOf(refused), 'invalid_state')
  assert.match(refused.body.error.message, /Change the e-mail address there/)
  assert.deepEqual(await world.rows('select 1 from mailed_links'), [])
})

describe('first sign-ins of invited users', () => {
  test('the first sign-in of an invited user binds the user to the subject once, and writes an entry to the audit log', async () => {
    const id = await invite('juma@kiosk.example')
    const token = tokenFor('s-1', { claims: { email: 'Juma@Kiosk.example', email_verified: true } })
    assert.equal(codeOf(await call(token)), 200)
    assert.deepEqual(await bindingOf('juma@kiosk.example'), [issuer.url, 's-1', true])
    assert.equal(codeOf(await call(tokenFor('s-1'))), 200, 'the next sign-in needs only the subject')
    const entries = await world.rows(
      "select actor_id, target_id, after, a.address from audit_log l left join audit_addresses a using (merchant_id, seq) where action = 'user.bind'",
    )
    const after = { issuer: issuer.url, subject: 's-1' }
    assert.deepEqual(entries, [{ actor_id: id, target_id: id, after, address: '127.0.0.1' }])
  })

  for (const [what, claims] of Object.entries({
    'is not verified': { email: 'juma@kiosk.example', email_verified: false },
    'has email_verified as a text': { email: 'juma@kiosk.example', email_verified: 'true' },
    'has no email_verified': { email: 'juma@kiosk.example' },
    'is the address of another user': { email: 'asha@shop.example', email_verified: true },
    'is a list': { email: ['juma@kiosk.example'], email_verified: true },
    'is a look-alike that becomes the same in lower case': {
      email: 'juma@\u212aiosk.example',
      email_verified: true,
    },
    'has a space': { email: ' juma@kiosk.example', email_verified: true },
    'contains a NUL': { email: 'juma@kiosk.example\0', email_verified: true },
  })) {
    test(`the server binds no invited user when the e-mail address of the token ${what}`, async () => {
      await invite('juma@kiosk.example')
      issuer.people.set(tokenFor('s-1', { claims }), { sub: 's-1', email: 'juma@kiosk.example', email_verified: true })
      assert.equal(codeOf(await call(tokenFor('s-1', { claims }))), 'invalid_session')
      assert.deepEqual(await bindingOf('juma@kiosk.example'), [null, null, false])
    })
  }

  test('the server requests the e-mail address from the issuer once when the token has no e-mail address', async () => {
    await invite('juma@kiosk.example')
    const token = tokenFor('s-1')
    issuer.people.set(token, { sub: 's-1', email: 'juma@kiosk.example', email_verified: true })
    assert.equal(codeOf(await call(token)), 200)
    assert.equal(codeOf(await call(token)), 200)
    assert.equal(countQueries('/me'), 1)
  })

  for (const [what, person] of Object.entries({
    'names another subject': { sub: 's-2', email: 'juma@kiosk.example', email_verified: true },
    'names no subject': { email: 'juma@kiosk.example', email_verified: true },
    'has no email_verified': { sub: 's-1', email: 'juma@kiosk.example' },
    'has no e-mail address': { sub: 's-1' },
  })) {
    test(`the server binds no invited user when the issuer's answer ${what}`, async () => {
      await invite('juma@kiosk.example')
      const token = tokenFor('s-1')
      issuer.people.set(token, person)
      assert.equal(codeOf(await call(token)), 'invalid_session')
      assert.deepEqual(await bindingOf('juma@kiosk.example'), [null, null, false])
    })
  }

  test('the server refuses an unknown user, and sends the issuer at most one request a minute about this user', async () => {
    const token = tokenFor('unknown')
    for (let i = 0; i < 5; i++) assert.equal(codeOf(await call(token)), 'invalid_session')
    assert.equal(countQueries('/me'), 1)
    await invite('juma@kiosk.example')
    issuer.people.set(token, { sub: 'unknown', email: 'juma@kiosk.example', email_verified: true })
    assert.equal(codeOf(await call(token)), 'invalid_session')
    world.deps.clock.advance(MINUTE)
    assert.equal(codeOf(await call(token)), 200)
  })

  test('the server answers 503 for an unknown user when the issuer is unreachable', async () => {
    await known('asha')
    assert.equal(codeOf(await call(tokenFor('asha'))), 200)
    issuer.broken = 502
    assert.equal(codeOf(await call(tokenFor('unknown'))), 'service_unavailable')
    issuer.broken = null
    world.deps.clock.advance(MINUTE)
    assert.equal(codeOf(await call(tokenFor('unknown'))), 'invalid_session')
  })

  test('the server sends no request about a user when the issuer has no userinfo endpoint', async () => {
    issuer.description = { userinfo_endpoint: undefined }
    await invite('juma@kiosk.example')
    assert.equal(codeOf(await call(tokenFor('s-1'))), 'invalid_session')
    assert.equal(countQueries('/me'), 0)
  })

  test('the server does not replace a binding when another subject has the same verified address', async () => {
    await invite('juma@kiosk.example')
    const claims = { email: 'juma@kiosk.example', email_verified: true }
    assert.equal(codeOf(await call(tokenFor('s-1', { claims }))), 200)
    assert.equal(codeOf(await call(tokenFor('s-2', { claims }))), 'invalid_session')
    assert.deepEqual(await bindingOf('juma@kiosk.example'), [issuer.url, 's-1', true])
  })

  test('the server refuses a foreign subject with the verified address of a user of the built-in provider', async () => {
    await invite('juma@kiosk.example', { identity: 'embedded' })
    const claims = { email: 'juma@kiosk.example', email_verified: true }
    assert.equal(codeOf(await call(tokenFor('s-1', { claims }))), 'invalid_session')
  })

  test('the server refuses a disabled user even after an invitation of another address of the user', async () => {
    const id = await known('s-1')
    await invite('second@shop.example')
    await world.rows('update users set disabled_at = $2 where id = $1', [id, world.deps.clock.now()])
    const claims = { email: 'second@shop.example', email_verified: true }
    assert.equal(codeOf(await call(tokenFor('s-1', { claims }))), 'invalid_session')
    assert.deepEqual(await bindingOf('second@shop.example'), [null, null, false])
  })

  test('the server refuses an invited user whom an operator disabled before the first sign-in', async () => {
    const id = await invite('juma@kiosk.example')
    await world.rows('update users set disabled_at = $2 where id = $1', [id, world.deps.clock.now()])
    const claims = { email: 'juma@kiosk.example', email_verified: true }
    assert.equal(codeOf(await call(tokenFor('s-1', { claims }))), 'invalid_session')
  })

  test('the server binds no user whose invitation the merchant has withdrawn when SIGN_UP is invited', async () => {
    await invite('juma@kiosk.example', { role: null })
    const closed = await newWorld({ SIGN_UP: 'invited' }, world.url)
    const token = tokenFor('s-1', { claims: { email: 'juma@kiosk.example', email_verified: true } })
    assert.equal(codeOf(await call(token, closed)), 'invalid_session')
    assert.deepEqual(await bindingOf('juma@kiosk.example'), [null, null, false])
    await invite('asha@kiosk.example')
    const asha = tokenFor('s-2', { claims: { email: 'asha@kiosk.example', email_verified: true } })
    assert.equal(codeOf(await call(asha, closed)), 200)
  })

  test('two processes make one binding and one audit entry for many simultaneous first requests of one user', async () => {
    await invite('juma@kiosk.example')
    const other = await newWorld({}, world.url)
    const token = tokenFor('s-1', { claims: { email: 'juma@kiosk.example', email_verified: true } })
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => call(token, i % 2 ? other : world)))
    assert.deepEqual(new Set(replies.map(codeOf)), new Set([200]))
    assert.equal((await world.rows("select 1 from audit_log where action = 'user.bind'")).length, 1)
  })

  test('the server binds one of two simultaneous subjects with one address, and refuses the other subject', async () => {
    await invite('juma@kiosk.example')
    const claims = { email: 'juma@kiosk.example', email_verified: true }
    const replies = await Promise.all(['s-1', 's-2'].map((sub) => call(tokenFor(sub, { claims }))))
    assert.deepEqual(replies.map(codeOf).sort(), [200, 'invalid_session'])
  })
})
