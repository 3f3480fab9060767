// Tests the routes of API keys: the required roles, and the answers that show the plaintext.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createWorld, type Reply, START, testDeps, type World } from '../../../test/harness.ts'
import type { Role } from '../../kernel/http/index.ts'
import { compose } from '../../system.ts'

const KEYS = '/v1/merchant/api-keys'
const LIST = '/v1/collections'
const BODY = { name: 'Shop', environment: 'sandbox', scopes: ['collections:read'] }

let world: World
let admin: string
before(async () => {
  world = await createWorld()
  admin = (await world.newSession('MERCHANT_ADMIN')).token
})
after(() => world.close())

const codeOf = (reply: Reply): [number, string] => [reply.status, reply.body.error?.code ?? 'ok']
const fieldOf = (reply: Reply): string => reply.body.error.details.fields[0].field
const make = (body: object, options: Parameters<World['post']>[2] = {}) =>
  world.post(KEYS, { ...BODY, ...body }, { key: admin, ...options })
const revoke = (id: string, key = admin, idempotency_key: string | null = null) =>
  world.call({ method: 'PATCH', url: `${KEYS}/${id}/revoke`, key, idempotency_key })
const rotate = (id: string, key = admin, idempotency_key: string | null = null) =>
  world.call({ method: 'POST', url: `${KEYS}/${id}/rotate`, key, idempotency_key })
const auditOf = (action: string, target_id: string) =>
  world.rows<{
    actor_name: string
    before: Record<string, unknown>
    after: Record<string, unknown>
    request_id: string
  }>(
    'select actor_name, before, after, request_id, a.address from audit_log l left join audit_addresses a using (merchant_id, seq) where action = $1 and target_id = $2',
    [action, target_id],
  )

describe('creation of keys', () => {
  test('the response to a creation shows the record and the plaintext of the key once, and the key works immediately', async () => {
    const reply = await make({ scopes: ['collections:read', 'transactions:read'] })
    assert.equal(reply.status, 201)
    const { plaintext_key, id, created_at, key_prefix, key_last4, ...rest } = reply.body.data
    assert.deepEqual(rest, {
      merchant_id: world.merchant.id,
      name: 'Shop',
      environment: 'sandbox',
      scopes: ['collections:read', 'transactions:read'],
      ip_whitelist_enabled: false,
      continue_without_ip_whitelist: true,
      status: 'active',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    })
    assert.equal(created_at, START.toISOString())
    assert.ok(plaintext_key.startsWith(key_prefix) && plaintext_key.endsWith(key_last4))
    assert.equal((await world.get(LIST, plaintext_key)).status, 200)
    const listed = await world.get(`${KEYS}?page_size=100`, admin)
    assert.ok(listed.body.data.items.some((key: { id: string }) => key.id === id))
    assert.ok(!listed.text.includes(plaintext_key) && !listed.text.includes('plaintext_key'))
  })

  test('the server lets administrators and developers create keys, and refuses other roles and requests without a session', async () => {
    for (const [role, expected] of [
      ['MERCHANT_ADMIN', 201],
      ['DEVELOPER', 201],
      ['FINANCE', 403],
      ['VIEWER', 403],
      ['SUPER_ADMIN', 403],
    ] as [Role, number][]) {
      const { token } = await world.newSession(role)
      assert.equal((await make({}, { key: token })).status, expected, role)
    }
    assert.deepEqual(codeOf(await make({}, { key: world.sandbox_key })), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await make({}, { key: null })), [401, 'authentication_required'])
  })

  test('the server refuses a path that names another merchant than the merchant of the caller', async () => {
    const own = await world.post(`/v1/merchants/${world.merchant.id}/api-keys`, BODY, { key: admin })
    assert.equal(own.status, 201)
    assert.equal(own.body.data.merchant_id, world.merchant.id)
    const stranger = await world.newMerchant()
    for (const id of [stranger.id, randomUUID(), 'none']) {
      const foreign = await world.post(`/v1/merchants/${id}/api-keys`, BODY, { key: admin })
      assert.deepEqual(codeOf(foreign), [403, 'merchant_mismatch'], id)
      assert.deepEqual(codeOf(await make({ merchant_id: id })), [403, 'merchant_mismatch'], id)
    }
    const by_key = await world.post(`/v1/merchants/${world.merchant.id}/api-keys`, BODY)
    assert.deepEqual(codeOf(by_key), [403, 'insufficient_role'])
  })

  test('a member of two merchants names the merchant of a new key, and has only the role at that merchant', async () => {
    const other = await world.newMerchant()
    const { token } = await world.newSession([{ role: 'VIEWER' }, { role: 'DEVELOPER', merchant: other }])
    const unnamed = await make({}, { key: token })
    assert.deepEqual([...codeOf(unnamed), fieldOf(unnamed)], [400, 'validation_failed', 'merchant_id'])
    assert.deepEqual(codeOf(await make({ merchant_id: world.merchant.id }, { key: token })), [403, 'insufficient_role'])
    assert.equal((await make({ merchant_id: other.id }, { key: token })).body.data.merchant_id, other.id)
    const contradicting = await world.post(
      `/v1/merchants/${other.id}/api-keys`,
      { ...BODY, merchant_id: world.merchant.id },
      { key: token },
    )
    assert.deepEqual(codeOf(contradicting), [403, 'merchant_mismatch'])
  })

  test('the server creates a live key only for an approved, verified and priced merchant, and a sandbox key also for a pending merchant', async () => {
    const pending = await world.newMerchant({ approved: false })
    const { token: key } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: pending }])
    const refused = await make({ environment: 'live' }, { key })
    assert.deepEqual(codeOf(refused), [403, 'production_access_restricted'])
    assert.match(refused.body.error.message, /available after an operator has approved the business account/)
    assert.equal((await make({}, { key })).status, 201)
    assert.equal((await make({ environment: 'live' })).body.data.environment, 'live')
    const REFUSED = [403, 'production_access_restricted']
    const live = async () => codeOf(await make({ environment: 'live' }, { key }))
    const set = (status: string, verified: boolean) =>
      world.rows('update merchants set status = $2, verified = $3 where id = $1', [pending.id, status, verified])
    await set('ACTIVE', true)
    assert.deepEqual(await live(), REFUSED, 'the merchant has no price')
    const operator = (await world.newSession('SUPER_ADMIN')).token
    const url = `/v1/operator/merchants/${pending.id}/pricing`
    const payload = { rules: [{ flow: 'withdrawal' }] }
    assert.equal((await world.call({ method: 'PUT', url, key: operator, payload })).status, 200)
    assert.deepEqual(await live(), [201, 'ok'])
    await set('ACTIVE', false)
    assert.deepEqual(await live(), REFUSED, 'the merchant is not verified')
    await set('PENDING', true)
    assert.deepEqual(await live(), REFUSED, 'no operator has approved the merchant')
  })

  test('the refusal of a new key names the wrong field of the body', async () => {
    const wrong: [object, string, RegExp?][] = [
      [{ scopes: [] }, 'scopes', /at least one/],
      [{ scopes: ['collections:read', 'money:print'] }, 'scopes', /money:print/],
      [{ scopes: ['toString'] }, 'scopes', /toString/],
      [{ scopes: 'collections:read' }, 'scopes'],
      [{ scopes: undefined }, 'scopes'],
      [{ name: undefined }, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 7 }, 'name'],
      [{ environment: undefined }, 'environment'],
      [{ environment: 'production' }, 'environment'],
      [{ ip_whitelist_enabled: 'true' }, 'ip_whitelist_enabled'],
      [{ ip_whitelist_enabled: true, continue_without_ip_whitelist: true }, 'continue_without_ip_whitelist', /true/],
      [{ ip_whitelist_enabled: false, continue_without_ip_whitelist: false }, 'continue_without_ip_whitelist', /false/],
      [{ expires_at: START.toISOString() }, 'expires_at', /future/],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', /future/],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ expires_at: 1_900_000_000 }, 'expires_at'],
    ]
    for (const [body, field, message = /./] of wrong) {
      const reply = await make(body)
      assert.deepEqual([...codeOf(reply), fieldOf(reply)], [400, 'validation_failed', field], JSON.stringify(body))
      assert.match(reply.body.error.details.fields[0].message, message)
    }
  })

  test('the server sets the other IP flag to the opposite value when the request for a new key has only one flag', async () => {
    const cases: [object, boolean][] = [
      [{}, false],
      [{ ip_whitelist_enabled: true }, true],
      [{ ip_whitelist_enabled: false }, false],
      [{ continue_without_ip_whitelist: true }, false],
      [{ continue_without_ip_whitelist: false }, true],
      [{ ip_whitelist_enabled: true, continue_without_ip_whitelist: false }, true],
      [{ ip_whitelist_enabled: false, continue_without_ip_whitelist: true }, false],
    ]
    for (const [body, restricted] of cases) {
      const { data } = (await make(body)).body
      assert.equal(data.ip_whitelist_enabled, restricted, JSON.stringify(body))
      assert.equal(data.continue_without_ip_whitelist, !restricted, JSON.stringify(body))
    }
  })

  test('the server refuses a key from the moment of its expiry on', async () => {
    const own = await createWorld()
    try {
      const { token: key } = await own.newSession('DEVELOPER')
      const expires_at = '2026-01-05T12:30:00+03:00'
      const made = (await own.post(KEYS, { ...BODY, expires_at }, { key })).body.data
      assert.equal(made.expires_at, '2026-01-05T09:30:00.000Z')
      own.deps.clock.advance(30 * 60_000)
      assert.deepEqual(codeOf(await own.get(LIST, made.plaintext_key)), [401, 'api_key_revoked'])
    } finally {
      await own.close()
    }
  })

  test('the server creates one key for repeated requests with one Idempotency-Key, and shows the plaintext only once', async () => {
    const idempotency_key = randomUUID()
    const first = await make({ name: 'Once' }, { idempotency_key })
    const again = await make({ name: 'Once' }, { idempotency_key })
    assert.equal(again.status, 201)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    const { plaintext_key, ...record } = first.body.data
    assert.deepEqual(again.body.data, record)
    assert.deepEqual(codeOf(await make({ name: 'Twice' }, { idempotency_key })), [422, 'idempotency_key_reused'])
    const made = await world.rows("select 1 from api_keys where name in ('Once', 'Twice')")
    assert.equal(made.length, 1)
    const [stored] = await world.rows('select response_body from idempotency_keys where key = $1', [idempotency_key])
    assert.ok(!JSON.stringify(stored).includes(plaintext_key))
  })
})

describe('the limit of active keys', () => {
  let limited: World
  let member: string
  let beforeInsert: () => void | Promise<void> = () => {}
  before(async () => {
    limited = await createWorld({
      env: { KEYS_PER_MERCHANT: '3' },
      before: (name) => (name === 'api_key_insert' ? beforeInsert() : undefined),
    })
  })
  after(() => limited.close())
  beforeEach(async () => {
    const merchant = await limited.newMerchant()
    member = (await limited.newSession([{ role: 'DEVELOPER', merchant }])).token
  })
  const create = (body: object = {}) => limited.post(KEYS, { ...BODY, ...body }, { key: member })
  const change = (method: 'POST' | 'PATCH', path: string) =>
    limited.call({ method, url: `${KEYS}/${path}`, key: member })

  test('at the limit, the server refuses a new key with the number of active keys and the limit, until the merchant revokes a key', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await create()).body.data.id)
    const refused = await create()
    assert.deepEqual(codeOf(refused), [409, 'key_limit_reached'])
    assert.match(refused.body.error.message, /3 active sandbox keys, and the limit is 3\. Revoke a key/)
    assert.deepEqual(refused.body.error.details, { environment: 'sandbox', active: 3, limit: 3 })
    assert.deepEqual(codeOf(await create({ scopes: ['money:print'] })), [400, 'validation_failed'])
    assert.equal((await create({ environment: 'live' })).status, 201, 'the other environment has its own limit')
    const rotated = await change('POST', `${ids[0]}/rotate`)
    assert.equal(rotated.status, 201, 'a rotation at the limit replaces the key')
    assert.deepEqual(codeOf(await create()), [409, 'key_limit_reached'])
    assert.equal((await change('PATCH', `${ids[1]}/revoke`)).status, 200)
    assert.equal((await create()).status, 201)
    assert.deepEqual(codeOf(await create()), [409, 'key_limit_reached'])
  })

  test('an expired key does not count towards the limit', async () => {
    const expires_at = new Date(limited.deps.clock.now().getTime() + 60_000).toISOString()
    for (let i = 0; i < 3; i++) assert.equal((await create({ expires_at })).status, 201)
    assert.deepEqual(codeOf(await create()), [409, 'key_limit_reached'])
    limited.deps.clock.advance(60_000)
    assert.equal((await create()).status, 201)
  })

  test('exactly one of ten simultaneous requests creates a key when the merchant may have one more key', async () => {
    for (let i = 0; i < 2; i++) assert.equal((await create()).status, 201)
    // Each creation waits between its count and its insert, so that the other requests could count before the insert.
    beforeInsert = () => wait(100, undefined)
    const outcomes = (await Promise.all(Array.from({ length: 10 }, () => create()))).map(codeOf)
    beforeInsert = () => {}
    assert.equal(outcomes.filter(([status]) => status === 201).length, 1)
    assert.equal(outcomes.filter(([, code]) => code === 'key_limit_reached').length, 9)
    const { items } = (await limited.get(`${KEYS}?status=active`, member)).body.data
    assert.equal(items.length, 3)
  })
})

describe('lists of keys', () => {
  test('every role can list the keys of both environments, newest first, with filters and pages', async () => {
    const merchant = await world.newMerchant()
    const { token: key } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    const made: string[] = []
    for (const environment of ['sandbox', 'live', 'sandbox']) {
      world.deps.clock.advance(1)
      made.unshift((await make({ environment }, { key })).body.data.id)
    }
    await revoke(made[0] as string, key)
    const ids = async (query: string, token = key) =>
      (await world.get(`${KEYS}${query}`, token)).body.data.items.map((item: { id: string }) => item.id)
    assert.deepEqual(await ids(''), made)
    assert.deepEqual(await ids('?environment=live'), [made[1]])
    assert.deepEqual(await ids('?environment=sandbox'), [made[0], made[2]])
    assert.deepEqual(await ids('?status=active'), [made[1], made[2]])
    assert.deepEqual(await ids('?status=revoked'), [made[0]])
    assert.deepEqual(await ids('?page=2&page_size=2'), [made[2]])
    const { pagination } = (await world.get(`${KEYS}?page_size=2`, key)).body.data
    assert.deepEqual(pagination, { page: 1, page_size: 2, total_items: 3, total_pages: 2 })
    for (const role of ['MERCHANT_ADMIN', 'FINANCE', 'VIEWER'] as const) {
      assert.deepEqual(await ids('', (await world.newSession([{ role, merchant }])).token), made, role)
    }
    assert.deepEqual(codeOf(await world.get(KEYS)), [403, 'insufficient_role'])
    assert.equal((await world.get(`${KEYS}?status=gone`, key)).status, 400)
    assert.equal((await world.get(`${KEYS}?environment=live&environment=sandbox`, key)).status, 400)
  })

  test('last_used_at is the minute of the last use in the list and in the response to a revocation', async () => {
    const { plaintext_key, id } = (await make({ name: 'Used' })).body.data
    await world.get(LIST, plaintext_key)
    await world.work()
    const minute = new Date(Math.floor(world.deps.clock.now().getTime() / 60_000) * 60_000).toISOString()
    const { items } = (await world.get(`${KEYS}?page_size=100`, admin)).body.data
    assert.equal(items.find((key: { id: string }) => key.id === id).last_used_at, minute)
    assert.equal((await revoke(id)).body.data.last_used_at, minute)
  })
})

describe('revocations of keys', () => {
  test('the server refuses a key immediately after its revocation; a second revocation returns the same record and adds no audit entry', async () => {
    const { plaintext_key, id } = (await make({})).body.data
    const first = await revoke(id)
    assert.equal(first.status, 200)
    assert.equal(first.body.data.status, 'revoked')
    assert.equal(first.body.data.revoked_at, world.deps.clock.now().toISOString())
    assert.equal(first.body.data.plaintext_key, undefined)
    assert.deepEqual(codeOf(await world.get(LIST, plaintext_key)), [401, 'api_key_revoked'])
    world.deps.clock.advance(1_000)
    const again = await revoke(id)
    assert.deepEqual([again.status, again.body.data], [200, first.body.data])
    assert.equal((await auditOf('api_key.revoke', id)).length, 1)
  })

  test("the server answers not_found to a request about an unknown key, and in the same way about another merchant's key", async () => {
    const stranger = await world.newMerchant()
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: stranger }])
    const { id, plaintext_key } = (await make({})).body.data
    for (const act of [revoke, rotate]) {
      const foreign = await act(id, token)
      assert.deepEqual(codeOf(foreign), [404, 'not_found'])
      assert.equal(foreign.text, (await act(randomUUID(), token)).text)
      assert.equal(foreign.text, (await act('not-an-id', token)).text)
    }
    assert.equal((await world.get(LIST, plaintext_key)).status, 200)
  })

  test('the server refuses a revocation by a viewer, and refuses an API key that revokes or rotates itself', async () => {
    const { id, plaintext_key } = (await make({})).body.data
    const { token } = await world.newSession('VIEWER')
    assert.deepEqual(codeOf(await revoke(id, token)), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await revoke(id, plaintext_key)), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await rotate(id, plaintext_key)), [403, 'insufficient_role'])
  })
})

describe('rotations of keys', () => {
  test('a rotation copies name, environment, scopes, IP flags and expiry to the new key, and the server refuses the old key immediately', async () => {
    const body = { name: 'Till', environment: 'live', scopes: ['transactions:read'], ip_whitelist_enabled: true }
    const old = (await make({ ...body, expires_at: '2030-01-01T00:00:00Z' })).body.data
    const reply = await rotate(old.id)
    assert.equal(reply.status, 201)
    const fresh = reply.body.data
    assert.notEqual(fresh.id, old.id)
    assert.notEqual(fresh.plaintext_key, old.plaintext_key)
    for (const field of Object.keys(old).filter(
      (name) => !/^(id|plaintext_key|key_prefix|key_last4)$|_at$/.test(name),
    )) {
      assert.deepEqual(fresh[field], old[field], field)
    }
    assert.equal(fresh.expires_at, old.expires_at)
    assert.deepEqual(codeOf(await world.get('/v1/balance', old.plaintext_key)), [401, 'api_key_revoked'])
    // The new key is valid, and has the IP flags of the old key.
    assert.deepEqual(codeOf(await world.get('/v1/balance', fresh.plaintext_key)), [403, 'forbidden'])
  })

  test('the server refuses to rotate a revoked or expired key', async () => {
    const own = await createWorld()
    try {
      const { token: key } = await own.newSession('DEVELOPER')
      const rotateThere = (id: string) => own.call({ method: 'POST', url: `${KEYS}/${id}/rotate`, key })
      const revoked = (await own.post(KEYS, BODY, { key })).body.data
      await own.call({ method: 'PATCH', url: `${KEYS}/${revoked.id}/revoke`, key })
      assert.deepEqual(codeOf(await rotateThere(revoked.id)), [409, 'invalid_state'])
      const expires_at = new Date(START.getTime() + 60_000).toISOString()
      const expiring = (await own.post(KEYS, { ...BODY, expires_at }, { key })).body.data
      own.deps.clock.advance(60_000)
      assert.deepEqual(codeOf(await rotateThere(expiring.id)), [409, 'invalid_state'])
    } finally {
      await own.close()
    }
  })

  test('ten simultaneous rotations of one key make one new key', async () => {
    const { id, name } = (await make({ name: 'Contended' })).body.data
    const replies = await Promise.all(Array.from({ length: 10 }, () => rotate(id)))
    const outcomes = replies.map(codeOf).sort()
    assert.deepEqual(outcomes[0], [201, 'ok'])
    for (const outcome of outcomes.slice(1)) assert.deepEqual(outcome, [409, 'invalid_state'])
    const keys = await world.rows<{ revoked_at: Date | null }>('select revoked_at from api_keys where name = $1', [
      name,
    ])
    assert.equal(keys.length, 2)
    assert.equal(keys.filter((key) => key.revoked_at === null).length, 1)
  })

  test('the server refuses to rotate a live key when its merchant has no live access, and continues to accept the key', async () => {
    const merchant = await world.newMerchant()
    const { token: key } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
    const live = (await make({ environment: 'live' }, { key })).body.data
    const sandbox = (await make({}, { key })).body.data
    await world.rows('update merchants set verified = false where id = $1', [merchant.id])
    assert.deepEqual(codeOf(await rotate(live.id, key)), [403, 'production_access_restricted'])
    assert.equal((await world.get(LIST, live.plaintext_key)).status, 200)
    assert.equal((await rotate(sandbox.id, key)).status, 201)
  })

  test('the server rotates a key once for repeated requests with one Idempotency-Key, and shows the plaintext only once', async () => {
    const { id } = (await make({})).body.data
    const idempotency_key = randomUUID()
    const first = await rotate(id, admin, idempotency_key)
    const again = await rotate(id, admin, idempotency_key)
    const { plaintext_key, ...record } = first.body.data
    assert.ok(plaintext_key)
    assert.deepEqual([again.status, again.body.data], [201, record])
    assert.equal(again.headers['idempotency-replayed'], 'true')
  })

  test('another process refuses the old key on the next request after a rotation', async () => {
    const made = (await make({})).body.data
    const other = testDeps(world.url)
    const system = await compose(other)
    const there = (key: string) => system.app.inject({ method: 'GET', url: LIST, headers: { 'x-api-key': key } })
    try {
      assert.equal((await there(made.plaintext_key)).statusCode, 200)
      const fresh = (await rotate(made.id)).body.data
      assert.equal((await there(made.plaintext_key)).statusCode, 401)
      assert.equal((await there(fresh.plaintext_key)).statusCode, 200)
    } finally {
      await system.app.close()
      await system.close()
      await other.close()
    }
  })
})

test('the audit log has the actor of a key creation, and the states before and after each change, without plaintext and hash', async () => {
  const { token, email } = await world.newSession('DEVELOPER')
  const made = await make({ name: 'Audited' }, { key: token, headers: { 'x-request-id': 'making-it' } })
  const first = made.body.data
  const second = (await rotate(first.id, token)).body.data
  await revoke(second.id, token)
  const [created] = await auditOf('api_key.create', first.id)
  const [rotated] = await auditOf('api_key.rotate', first.id)
  const [revoked] = await auditOf('api_key.revoke', second.id)
  assert.deepEqual([created?.actor_name, created?.request_id], [email, 'making-it'])
  assert.deepEqual([created?.before, created?.after.name], [null, 'Audited'])
  assert.deepEqual([rotated?.before.id, rotated?.after.id], [first.id, second.id])
  assert.deepEqual([revoked?.before.status, revoked?.after.status], ['active', 'revoked'])
  const [log] = await world.rows<{ text: string }>("select string_agg(l::text, ' ') as text from audit_log l")
  const hashes = await world.rows<{ hash: string }>("select encode(key_hash, 'hex') as hash from api_keys")
  for (const key of [first.plaintext_key, second.plaintext_key, ...hashes.map(({ hash }) => hash)]) {
    assert.ok(!log?.text.includes(key))
  }
  assert.ok(!log?.text.includes('key_hash'))
})
