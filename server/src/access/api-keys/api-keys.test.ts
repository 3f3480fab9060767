// Tests how the server authenticates API keys: accepted credentials, scopes, environments and revocation.

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, START, testDeps, type World } from '../../../test/harness.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import type { Scope } from '../../kernel/http/index.ts'
import { Refusal, readConfig, systemRandom } from '../../kernel/lib/index.ts'
import { compose } from '../../system.ts'
import { createKey, createUsage, newPlaintextKey, revokeKey } from './index.ts'

const LIST = '/v1/collections'
const PUSH = '/v1/collections/wallet-push'
const BODY = { amount: '10', phone: '0754123001' }

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const withHeaders = (headers: Record<string, string>) => world.call({ method: 'GET', url: LIST, key: null, headers })

async function makeKey(options: { environment?: 'live' | 'sandbox'; expires_at?: Date; scopes?: Scope[] } = {}) {
  const { environment = 'sandbox', scopes = ['collections:read', 'collections:write'], ...rest } = options
  return createKey(world.deps, { merchant_id: world.merchant.id, environment, scopes, name: 'Made', ...rest })
}

describe('credentials of a request', () => {
  test('the server accepts a key in the header Authorization: Bearer and in the header X-API-Key', async () => {
    const key = world.sandbox_key
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { 'x-api-key': key },
    ]) {
      assert.equal((await withHeaders(headers as Record<string, string>)).status, 200)
    }
  })

  test('the server accepts one key in both headers, and refuses two different keys with 401', async () => {
    assert.equal(
      (await withHeaders({ authorization: `Bearer ${world.sandbox_key}`, 'x-api-key': world.sandbox_key })).status,
      200,
    )
    const reply = await withHeaders({ authorization: `Bearer ${world.sandbox_key}`, 'x-api-key': world.live_key })
    assert.equal(reply.status, 401)
    for (const key of [world.sandbox_key, world.live_key]) assert.ok(!reply.text.includes(key))
  })

  test('the server answers 401 authentication_required when the credential is missing, empty or of another authentication scheme', async () => {
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Basic abc' },
      { 'x-api-key': '' },
      { authorization: world.sandbox_key },
    ]) {
      assert.deepEqual(
        codeOf(await withHeaders(headers as Record<string, string>)),
        [401, 'authentication_required'],
        JSON.stringify(headers),
      )
    }
  })

  test('the server refuses a value that begins with pk_ in either header, because it is a public identifier', async () => {
    for (const value of ['pk_live_abc', 'pk_test_0123456789', 'pk_']) {
      assert.deepEqual(codeOf(await withHeaders({ authorization: `Bearer ${value}` })), [
        401,
        'public_key_not_accepted',
      ])
      assert.deepEqual(codeOf(await withHeaders({ 'x-api-key': value })), [401, 'public_key_not_accepted'])
    }
  })

  test('the server treats a credential in the form of a token as a session token, and refuses an invalid token', async () => {
    assert.deepEqual(codeOf(await withHeaders({ authorization: 'Bearer eyJhbGciOi.eyJzdWIiOi.c2ln' })), [
      401,
      'invalid_session',
    ])
  })

  test('the server answers invalid_api_key, not invalid_session, to a wrong credential that begins like a key', async () => {
    for (const value of [
      'service_live_abc-def',
      `${world.sandbox_key}.`,
      world.sandbox_key.replace(/.{10}$/, '.$&'),
      'sk_test_',
      'sk_live_ä',
      'other_sandbox_*',
    ]) {
      const reply = await withHeaders({ 'x-api-key': Buffer.from(value, 'utf8').toString('latin1') })
      assert.deepEqual(codeOf(reply), [401, 'invalid_api_key'], value)
    }
  })

  test('the server refuses a mistyped key without a database query', async () => {
    const statements: string[] = []
    const counted = testDeps(world.url, { before: (name) => void statements.push(name) })
    const system = await compose(counted)
    try {
      const flip = (text: string, at: number) => text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1)
      const { sandbox_key: key } = world
      for (const wrong of [
        flip(key, key.length - 1),
        flip(key, key.length - 20),
        key.slice(0, -1),
        `${key}a`,
        key.replace('sandbox', 'live'),
      ]) {
        const reply = await system.app.inject({
          method: 'GET',
          url: LIST,
          headers: { authorization: `Bearer ${wrong}` },
        })
        assert.equal(reply.statusCode, 401)
        assert.equal(reply.json().error.code, 'invalid_api_key')
      }
      assert.deepEqual(statements, [])
    } finally {
      await system.app.close()
      await system.close()
      await counted.close()
    }
  })

  test('the server answers 401 invalid_api_key to a well-formed key that does not exist', async () => {
    const key = newPlaintextKey(world.deps.config, systemRandom(), 'live')
    assert.deepEqual(codeOf(await world.get(LIST, key)), [401, 'invalid_api_key'])
  })

  test('the server accepts keys of both key styles, whichever style new keys have', async () => {
    const database = world.url
    const deps = testDeps(database, { env: { API_KEY_STYLE: 'sk' } })
    const system = await compose(deps)
    try {
      const owner = { merchant_id: world.merchant.id, scopes: ['collections:read'], name: 'Style' }
      const sk_test = (await createKey(deps, { ...owner, environment: 'sandbox' })).plaintext_key
      const sk_live = (await createKey(deps, { ...owner, environment: 'live' })).plaintext_key
      assert.ok(sk_test.startsWith('sk_test_') && sk_live.startsWith('sk_live_'))
      assert.ok(world.live_key.startsWith('service_live_') && world.sandbox_key.startsWith('service_sandbox_'))
      for (const key of [sk_test, sk_live, world.live_key, world.sandbox_key]) {
        assert.equal((await world.get(LIST, key)).status, 200)
        assert.equal(
          (await system.app.inject({ method: 'GET', url: LIST, headers: { 'x-api-key': key } })).statusCode,
          200,
        )
      }
    } finally {
      await system.app.close()
      await system.close()
      await deps.close()
    }
  })
})

describe('lifetime of API keys', () => {
  test('every process refuses a revoked key on the next request', async () => {
    const { record, plaintext_key: key } = await makeKey()
    const other = testDeps(world.url)
    const system = await compose(other)
    const there = () => system.app.inject({ method: 'GET', url: LIST, headers: { 'x-api-key': key } })
    try {
      assert.equal((await world.get(LIST, key)).status, 200)
      assert.equal((await there()).statusCode, 200)
      await revokeKey(world.deps, world.merchant.id, record.id)
      assert.deepEqual(codeOf(await world.get(LIST, key)), [401, 'api_key_revoked'])
      assert.equal((await there()).statusCode, 401)
      const again = await revokeKey(world.deps, world.merchant.id, record.id)
      assert.equal(again.id, record.id, 'revoking twice changes nothing')
    } finally {
      await system.app.close()
      await system.close()
      await other.close()
    }
  })

  test('the server accepts a key until the moment of its expiry, and refuses the key from that moment on', async () => {
    const own = await createWorld()
    try {
      const { plaintext_key } = await createKey(own.deps, {
        merchant_id: own.merchant.id,
        environment: 'sandbox',
        scopes: ['collections:read'],
        name: 'Short',
        expires_at: new Date(START.getTime() + 60_000),
      })
      own.deps.clock.advance(59_999)
      assert.equal((await own.get(LIST, plaintext_key)).status, 200)
      own.deps.clock.advance(1)
      assert.deepEqual(codeOf(await own.get(LIST, plaintext_key)), [401, 'api_key_revoked'])
    } finally {
      await own.close()
    }
  })

  test('the server refuses to revoke a key of another merchant', async () => {
    const { record, plaintext_key } = await makeKey()
    const stranger = await world.newMerchant()
    await assert.rejects(revokeKey(world.deps, stranger.id, record.id), (error: Refusal) => error.code === 'not_found')
    assert.equal((await world.get(LIST, plaintext_key)).status, 200)
  })

  test('the database has the SHA-256 of a key, and no table contains the plaintext or the random part of the key', async () => {
    const { plaintext_key: key } = await makeKey()
    await world.post(PUSH, { ...BODY, reference: 'after the key' }, { key })
    const tables = await world.rows<{ table_name: string }>(
      "select table_name from information_schema.tables where table_schema = 'public'",
    )
    assert.ok(tables.length > 10)
    let dump = ''
    for (const { table_name } of tables)
      dump += JSON.stringify(await world.rows(`select t::text as row from "${table_name}" t`))
    assert.ok(dump.includes('after the key'), 'the dump has the stored reference')
    for (const plaintext of [key, world.sandbox_key, world.live_key]) {
      assert.ok(!dump.includes(plaintext))
      assert.ok(!dump.includes(plaintext.slice(-38)), 'the dump has no random part of a key')
    }
    assert.ok(dump.includes(createHash('sha256').update(key).digest('hex')))
  })

  test('a new key has 38 letters and digits after its prefix, and no two of 2,000 new keys are equal', () => {
    const config = readConfig({}, PROVIDERS)
    const keys = Array.from({ length: 2000 }, () => newPlaintextKey(config, systemRandom(), 'live'))
    assert.equal(new Set(keys).size, keys.length)
    // A key has 32 random base62 characters (190 bits) and a checksum of 6 characters.
    for (const key of keys) assert.match(key, /^service_live_[0-9A-Za-z]{38}$/)
  })

  test('the server refuses a new key without a scope or with an unknown scope', async () => {
    for (const scopes of [[], ['collections:everything'], ['collections:read', 'toString']]) {
      await assert.rejects(
        createKey(world.deps, { merchant_id: world.merchant.id, environment: 'sandbox', scopes, name: 'x' }),
        (error: Refusal) => error instanceof Refusal && error.code === 'validation_failed',
      )
    }
  })
})

describe('live keys of merchants', () => {
  test('a merchant that is not approved can create a sandbox key but not a live key', async () => {
    const pending = await world.newMerchant({ approved: false })
    await assert.rejects(
      world.newKey({ merchant: pending, environment: 'live' }),
      (error: Refusal) => error.code === 'production_access_restricted',
    )
    const key = await world.newKey({ merchant: pending })
    assert.equal((await world.post(PUSH, BODY, { key })).status, 202)
  })

  test('a merchant that is not verified or has no prices cannot create a live key', async () => {
    const merchant = await world.newMerchant()
    await world.rows('update merchants set verified = false where id = $1', [merchant.id])
    await assert.rejects(
      world.newKey({ merchant, environment: 'live' }),
      (error: Refusal) => error.code === 'production_access_restricted',
    )
    await world.rows('update merchants set verified = true where id = $1', [merchant.id])
    await world.rows("update pricing_rules set valid_until = '2026-01-01' where merchant_id = $1", [merchant.id])
    await assert.rejects(
      world.newKey({ merchant, environment: 'live' }),
      (error: Refusal) => error.code === 'production_access_restricted',
    )
  })

  test('the server refuses the live key of a suspended merchant with 403, accepts its sandbox key and settles its open payments', async () => {
    const merchant = await world.newMerchant()
    const live = await world.newKey({ merchant, environment: 'live' })
    const sandbox = await world.newKey({ merchant })
    const { collection_id } = (await world.post(PUSH, { amount: '10', phone: '0754123008' }, { key: live })).body.data
    await world.rows("update merchants set status = 'SUSPENDED' where id = $1", [merchant.id])
    assert.deepEqual(codeOf(await world.post(PUSH, BODY, { key: live })), [403, 'production_access_restricted'])
    assert.deepEqual(codeOf(await world.get(LIST, live)), [403, 'production_access_restricted'])
    assert.equal((await world.post(PUSH, BODY, { key: sandbox })).status, 202)
    await world.pass(30_000)
    const [row] = await world.rows<{ status: string }>(
      'select status from collections where merchant_id = $1 and id = $2',
      [merchant.id, collection_id],
    )
    assert.equal(row?.status, 'successful')
  })
})

describe('records of a merchant and environment', () => {
  test('the server finds no live record for a sandbox key, and no sandbox record for a live key', async () => {
    for (const [owner, other] of [
      [world.live_key, world.sandbox_key],
      [world.sandbox_key, world.live_key],
    ] as const) {
      const { collection_id } = (await world.post(PUSH, BODY, { key: owner })).body.data
      assert.equal((await world.get(`${LIST}/${collection_id}`, owner)).status, 200)
      assert.deepEqual(codeOf(await world.get(`${LIST}/${collection_id}`, other)), [404, 'not_found'])
      const refreshed = await world.call({ method: 'POST', url: `${LIST}/${collection_id}/refresh-status`, key: other })
      assert.deepEqual(codeOf(refreshed), [404, 'not_found'])
      const listed = (await world.get(`${LIST}?page_size=100`, other)).body.data.items
      assert.ok(!listed.some((item: { collection_id: string }) => item.collection_id === collection_id))
    }
    await world.work()
  })

  test('the server answers 404 for a record of another merchant, exactly as for an unknown record', async () => {
    const stranger = await world.newKey({ merchant: await world.newMerchant() })
    const { collection_id } = (await world.post(PUSH, BODY)).body.data
    const foreign = await world.get(`${LIST}/${collection_id}`, stranger)
    const missing = await world.get(`${LIST}/${randomUUID()}`, stranger)
    assert.deepEqual(codeOf(foreign), [404, 'not_found'])
    assert.equal(foreign.text, missing.text)
    assert.equal((await world.get(LIST, stranger)).body.data.pagination.total_items, 0)
  })

  test('the server answers 403 when the body or the query names the merchant_id of another merchant, even an unknown merchant_id', async () => {
    const stranger = await world.newMerchant()
    const { collection_id } = (await world.post(PUSH, BODY)).body.data
    for (const merchant_id of [stranger.id, randomUUID(), 'not-an-id', '']) {
      assert.deepEqual(
        codeOf(await world.post(PUSH, { ...BODY, merchant_id })),
        [403, 'merchant_mismatch'],
        merchant_id,
      )
      assert.deepEqual(codeOf(await world.get(`${LIST}?merchant_id=${merchant_id}`)), [403, 'merchant_mismatch'])
      assert.deepEqual(codeOf(await world.get(`${LIST}/${collection_id}?merchant_id=${merchant_id}`)), [
        403,
        'merchant_mismatch',
      ])
      const url = `${LIST}/${collection_id}/refresh-status?merchant_id=${merchant_id}`
      assert.deepEqual(codeOf(await world.call({ method: 'POST', url })), [403, 'merchant_mismatch'])
    }
  })

  test('the server accepts the merchant_id of the key in lower and upper case', async () => {
    for (const merchant_id of [world.merchant.id, world.merchant.id.toUpperCase()]) {
      assert.equal((await world.post(PUSH, { ...BODY, merchant_id })).status, 202)
      assert.equal((await world.get(`${LIST}?merchant_id=${merchant_id}`)).status, 200)
    }
  })
})

test('the error code of an invalid credential depends on the form and the header of the credential', async () => {
  const key = world.sandbox_key
  const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  const with_header = async (headers: Record<string, string>) => {
    const reply = await world.call({ method: 'GET', url: '/v1/collections', key: null, headers })
    assert.equal(reply.status, 401, reply.text)
    return [reply.body.error.code, reply.body.error.message] as const
  }
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
  for (const text of [mistyped, key.slice(0, -3), `${key}x`, 'sk_live_abc', 'service_sandbox_']) {
    assert.equal((await with_header(bearer(text)))[0], 'invalid_api_key', text)
    assert.equal((await with_header({ 'x-api-key': text }))[0], 'invalid_api_key', text)
  }
  for (const text of ['garbage', key.replace('sandbox', 'sandbx'), 'a.b', 'null', 'deadbeef'.repeat(8), 'ey', '{}']) {
    const [code, message] = await with_header(bearer(text))
    assert.equal(code, 'authentication_required', text)
    assert.match(message, /API key.*X-API-Key.*access token/)
    assert.equal((await with_header({ 'x-api-key': text }))[0], 'invalid_api_key', text)
  }
  for (const text of ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln'])
    assert.equal((await with_header(bearer(text)))[0], 'invalid_session', text)
  for (const text of ['Basic YTpi', key, 'Bearer'])
    assert.equal((await with_header({ authorization: text }))[0], 'authentication_required', text)
})

test('the recorder of key uses repeats a failed write with the time of the use', async () => {
  const { record } = await makeKey()
  let is_down = true
  const query: typeof world.deps.db.query = (statement, values) =>
    is_down ? Promise.reject(new Error('the database is down')) : world.deps.db.query(statement, values)
  const usage = createUsage({ ...world.deps, db: { ...world.deps.db, query } })
  const minute = new Date(Math.floor(world.deps.clock.now().getTime() / 60_000) * 60_000)
  usage.note(world.merchant.id, record.id)
  await assert.rejects(usage.task.runOnce(), { message: 'the database is down' })

  world.deps.clock.advance(600_000)
  is_down = false
  await usage.task.runOnce()
  const stored = 'select last_used_at from api_key_usage where key_id = $1'
  assert.deepEqual(await world.rows(stored, [record.id]), [{ last_used_at: minute }])
})
