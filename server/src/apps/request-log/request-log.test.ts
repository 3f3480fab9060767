// Tests the request log of a merchant's servers, as the developers of the merchant read the log.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, START, type World } from '../../../test/harness.ts'
import { createKey, revokeKey } from '../../access/api-keys/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { findRequestsOf } from './index.ts'

const DAY_MS = 86_400_000
const PUSH = '/v1/collections/wallet-push'
const body = (more: object = {}) => ({ amount: '25000.00', phone: '0754123001', ...more })

let world: World
let developer: string

before(async () => {
  world = await createWorld()
  developer = (await world.newSession('DEVELOPER')).token
})
after(() => world.close())

/** Writes all captured requests, then reads a list. */
async function list(query = '', token = developer): Promise<Record<string, unknown>[]> {
  await written()
  const reply = await world.get(`/v1/merchant/requests?environment=sandbox${query}`, token)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items
}

async function written(of = world): Promise<void> {
  await of.system.own_tasks.find(({ name }) => name === 'request_log')?.idle()
}

async function show(id: unknown, environment = 'sandbox', token = developer) {
  return world.get(`/v1/merchant/requests/${id}?environment=${environment}`, token)
}

/** Returns the entry that a search finds. The search must find exactly one entry. */
async function one(q: string): Promise<Record<string, unknown>> {
  const [entry, ...others] = await list(`&q=${encodeURIComponent(q)}`)
  assert.deepEqual(others, [])
  assert.ok(entry, `${q} is found`)
  return entry
}

async function detailsOf(q: string) {
  return (await show((await one(q)).id)).body.data
}

describe('requests of an API key', () => {
  test('the request log lists a request with its bodies; a search by id, reference or created collection finds it', async () => {
    const reference = `ORDER-${randomUUID()}`
    const idempotency_key = randomUUID()
    const made = await world.post(PUSH, body({ reference }), { idempotency_key, headers: { 'user-agent': 'duka/1.0' } })
    assert.equal(made.status, 202)
    const entry = await one(reference)
    const { collection_id } = made.body.data
    const keys = await world.rows<{ id: string }>(
      `select id from api_keys where merchant_id = $1 and environment = 'sandbox' order by id limit 1`,
      [world.merchant.id],
    )
    assert.deepEqual(
      { ...entry, id: null, duration_ms: null },
      {
        id: null,
        kind: 'request',
        request_id: made.headers['x-request-id'],
        at: START.toISOString(),
        until: null,
        count: 1,
        method: 'POST',
        path: PUSH,
        status: 202,
        duration_ms: null,
        key_id: keys[0]?.id,
        key_name: 'Test',
        address: '127.0.0.1',
        reference,
        resource_id: collection_id,
        error_code: null,
      },
    )
    assert.equal((await one(String(made.headers['x-request-id']))).id, entry.id)
    assert.equal((await one(collection_id)).id, entry.id)
    assert.equal((await one(String(entry.id))).id, entry.id)
    const { data } = (await show(entry.id)).body
    assert.deepEqual(JSON.parse(data.request_body), body({ reference }))
    assert.equal(data.response_body, made.text)
    assert.equal(data.user_agent, 'duka/1.0')
    assert.equal(data.idempotency_key, idempotency_key)
    assert.equal(data.request_body_cut || data.response_body_cut || data.bodies_dropped, false)
  })

  test('the request log finds a request by an X-Request-Id that the caller chose', async () => {
    const chosen = 'till-7.order_1'
    await world.post(PUSH, body(), { headers: { 'x-request-id': chosen } })
    assert.equal((await one(chosen)).request_id, chosen)
    const copied = String((await world.get('/v1/collections')).headers['x-request-id'])
    await world.call({ method: 'GET', url: '/v1/collections?page=2', headers: { 'x-request-id': copied } })
    const both = await list(`&q=${copied}`)
    assert.deepEqual(
      [both.length, both.every(({ request_id }) => request_id === copied)],
      [2, true],
      'the search also finds an id that the server made',
    )
  })

  test('the request log lists a refused request with its error code, after a revoked key, a missing scope, a wrong body or an unknown payment', async () => {
    const made = await createKey(world.deps, {
      merchant_id: world.merchant.id,
      environment: 'sandbox',
      scopes: ['collections:read'],
      name: 'Reader',
    })
    const reader = made.plaintext_key
    const refused: [string, number, string][] = []
    const expect = async (reply: { status: number; body: { error: { code: string } }; headers: object }) => {
      const id = (reply.headers as Record<string, string>)['x-request-id'] as string
      refused.push([id, reply.status, reply.body.error.code])
    }
    await expect(await world.post(PUSH, body(), { key: reader }))
    await expect(await world.post(PUSH, { phone: 'x' }))
    await expect(await world.get(`/v1/collections/${newId(world.deps, 7)}`))
    const broken = { 'content-type': 'application/json' }
    await expect(await world.call({ method: 'POST', url: PUSH, payload: '{"amount": ', headers: broken }))
    await revokeKey(world.deps, world.merchant.id, made.record.id)
    await expect(await world.get('/v1/collections', reader))
    const statuses_and_codes = refused.map(([, status, code]) => [status, code])
    assert.deepEqual(statuses_and_codes, [
      [403, 'insufficient_scope'],
      [400, 'validation_failed'],
      [404, 'not_found'],
      [400, 'invalid_json'],
      [401, 'api_key_revoked'],
    ])
    for (const [id, status, code] of refused) {
      const entry = await one(id)
      assert.deepEqual([entry.status, entry.error_code], [status, code])
    }
    assert.equal((await detailsOf((refused[3] as [string, number, string])[0])).request_body, '{"amount": ')
  })

  test('the request log omits requests with an unknown or missing key, and requests of members', async () => {
    const before_them = (await list('&page_size=100')).length
    await world.get('/v1/collections', `${world.sandbox_key.slice(0, -1)}x`)
    await world.call({ method: 'GET', url: '/v1/collections', key: null })
    await world.get('/v1/collections?environment=sandbox', developer)
    assert.equal((await list('&page_size=100')).length, before_them)
  })
})

describe('access and filters of the request log', () => {
  test('the request log shows nothing to another merchant, and separates the environments', async () => {
    const other = await world.newMerchant()
    const stranger = (await world.newSession([{ role: 'DEVELOPER', merchant: other }])).token
    const reference = `LIVE-${randomUUID()}`
    const made = await world.post(PUSH, body({ reference }), { key: world.live_key })
    await written()
    const live = await world.get(`/v1/merchant/requests?q=${reference}`, developer)
    assert.equal(live.body.data.items.length, 1)
    const { id, resource_id } = live.body.data.items[0]
    assert.equal((await show(id, 'live')).status, 200)
    assert.equal((await show(id)).status, 404)
    assert.deepEqual(await list(`&q=${reference}`), [])
    for (const q of [reference, id, resource_id, String(made.headers['x-request-id'])]) {
      assert.deepEqual((await world.get(`/v1/merchant/requests?q=${q}`, stranger)).body.data.items, [], q)
    }
    assert.equal((await show(id, 'live', stranger)).status, 404)
    assert.deepEqual(await findRequestsOf(world.deps.db, other.id, resource_id), [])
  })

  test('administrators and developers can read /v1/merchant/requests, and other roles and an API key cannot', async () => {
    for (const role of ['MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'] as const) {
      const { token } = await world.newSession(role)
      const allowed = role === 'MERCHANT_ADMIN' || role === 'DEVELOPER' ? 200 : 403
      assert.equal((await world.get('/v1/merchant/requests', token)).status, allowed, role)
      if (allowed === 403) assert.equal((await show(randomUUID(), 'live', token)).status, 403)
    }
    assert.equal((await world.get('/v1/merchant/requests', world.live_key)).status, 403)
  })

  test('a key with requests:read lists the requests of its merchant and environment, without bodies, addresses and records', async () => {
    const merchant = await world.newMerchant()
    const [caller, reader] = [
      await world.newKey({ merchant }),
      await world.newKey({ merchant, scopes: ['requests:read'] }),
    ]
    const live = await world.newKey({ merchant, environment: 'live', scopes: ['requests:read'] })
    const made = await world.post(PUSH, body({ reference: 'SECRET-REFERENCE' }), { key: caller })
    world.deps.clock.advance(1)
    const refused = await world.post(PUSH, body(), { key: reader })
    assert.deepEqual(codeOf(refused), [403, 'insufficient_scope'])
    await written()
    const read = async (query = '', key = reader) => (await world.get(`/v1/requests${query}`, key)).body.data
    const { items, pagination } = await read()
    assert.deepEqual(pagination, { page: 1, page_size: 20, total_items: 2, total_pages: 1 })
    assert.deepEqual(
      items.map(({ request_id, status, error_code, method, path }: Record<string, unknown>) => [
        request_id,
        status,
        error_code,
        method,
        path,
      ]),
      [refused, made].map(({ headers }, n) => [
        headers['x-request-id'],
        n === 0 ? 403 : 202,
        n === 0 ? 'insufficient_scope' : null,
        'POST',
        PUSH,
      ]),
    )
    const fields = 'id at request_id method path status duration_ms error_code key_id key_name not_kept'.split(' ')
    assert.deepEqual(Object.keys(items[0]), fields)
    assert.equal((await read('?status=4xx')).items.length, 1)
    assert.deepEqual((await read('', live)).items, [])
    const stranger = await world.newKey({ merchant: await world.newMerchant(), scopes: ['requests:read'] })
    assert.deepEqual((await read('', stranger)).items, [])
    const narrow = await world.newKey({ merchant, scopes: ['webhooks:manage', 'collections:read'] })
    assert.deepEqual(codeOf(await world.get('/v1/requests', narrow)), [403, 'insufficient_scope'])
    assert.deepEqual(codeOf(await world.get('/v1/requests', developer)), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await world.get('/v1/requests?environment=live', reader)), [400, 'validation_failed'])
    assert.deepEqual(codeOf(await world.get('/v1/requests?q=x', reader)), [400, 'validation_failed'])
    assert.deepEqual(codeOf(await world.get(`/v1/merchant/requests/${items[1].id}`, reader)), [
      403,
      'insufficient_role',
    ])
  })

  test('the request log omits the successful reads of the log by an API key, and contains the refused reads', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant, scopes: ['requests:read'] })
    for (const status of [200, 400]) {
      assert.equal((await world.get(`/v1/requests${status === 400 ? '?status=9xx' : ''}`, key)).status, status)
    }
    await written()
    const { items } = (await world.get('/v1/requests', key)).body.data
    assert.deepEqual(
      items.map(({ status }: { status: number }) => status),
      [400],
    )
  })

  test('the request log filters by method, status, path, key and time, and has pages', async () => {
    const merchant = await world.newMerchant()
    const token = (await world.newSession([{ role: 'DEVELOPER', merchant }])).token
    const keys = [await world.newKey({ merchant }), await world.newKey({ merchant })] as const
    const begin = world.deps.clock.now()
    for (let n = 0; n < 3; n++) {
      await world.post(PUSH, body(), { key: keys[0] })
      world.deps.clock.advance(1)
      await world.get('/v1/collections', keys[1])
      world.deps.clock.advance(1)
      await world.get(`/v1/collections/${newId(world.deps, merchant.routing_code)}`, keys[1])
      world.deps.clock.advance(59_998)
    }
    const all = await list('', token)
    assert.deepEqual(
      all.map(({ status }) => status),
      [404, 200, 202, 404, 200, 202, 404, 200, 202],
    )
    const statuses = async (query: string) => (await list(query, token)).map(({ status }) => status)
    assert.deepEqual(await statuses('&method=POST'), [202, 202, 202])
    assert.deepEqual(await statuses('&status=2xx'), [200, 202, 200, 202, 200, 202])
    assert.deepEqual(await statuses('&status=4xx'), [404, 404, 404])
    assert.deepEqual(await statuses('&status=404&page=2&page_size=2'), [404])
    assert.deepEqual(await statuses('&status=5xx'), [])
    assert.deepEqual(await statuses('&path=wallet'), [202, 202, 202])
    assert.deepEqual(await statuses(`&key_id=${all[2]?.key_id}`), [202, 202, 202])
    const minute = (n: number) => new Date(begin.getTime() + n * 60_000).toISOString()
    assert.deepEqual(await statuses(`&from=${minute(1)}&to=${minute(2)}`), [404, 200, 202])
    const page = await world.get('/v1/merchant/requests?environment=sandbox&status=2xx&page=2&page_size=4', token)
    assert.deepEqual(page.body.data.pagination, { page: 2, page_size: 4, total_items: 6, total_pages: 2 })
    assert.equal(page.body.data.looked_back_to, null)
    assert.equal((await world.get('/v1/merchant/requests?status=9xx', token)).status, 400)
  })

  test('when a filter contains a NUL character, the request log answers 400 and names the field', async () => {
    for (const field of ['q', 'path']) {
      const reply = await world.get(`/v1/merchant/requests?${field}=%00`, developer)
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
      assert.equal(reply.body.error.details.fields[0].field, field)
    }
  })

  test('the request log finds the requests that created and changed a payment, oldest first, and omits reads', async () => {
    const made = await world.post(PUSH, body())
    const { collection_id } = made.body.data
    await world.get(`/v1/collections/${collection_id}`)
    world.deps.clock.advance(1_000)
    const refreshed = await world.post(`/v1/collections/${collection_id}/refresh-status`, {})
    await written()
    const found = await findRequestsOf(world.deps.db, world.merchant.id, collection_id)
    assert.deepEqual(
      found.map(({ request_id, method, path, status }) => [request_id, method, path, status]),
      [made, refreshed].map(({ headers, status }, n) => [
        headers['x-request-id'],
        'POST',
        n === 0 ? PUSH : `/v1/collections/${collection_id}/refresh-status`,
        status,
      ]),
    )
    assert.equal((await list(`&q=${collection_id}`)).length, 3, 'a search finds all of them')
  })

  test('when a payment has more than 201 requests, the request log returns the newest 201', async () => {
    const { collection_id } = (await world.post(PUSH, body())).body.data
    await Promise.all(
      Array.from({ length: 210 }, () => world.post(`/v1/collections/${collection_id}/refresh-status`, {})),
    )
    world.deps.clock.advance(1_000)
    const last = await world.post(`/v1/collections/${collection_id}/refresh-status`, {})
    await written()
    const found = await findRequestsOf(world.deps.db, world.merchant.id, collection_id)
    assert.equal(found.length, 201)
    assert.equal(found.at(-1)?.request_id, last.headers['x-request-id'])
  })
})

describe('secrets', () => {
  test('no row of the request log contains API keys from bodies and paths, PINs, or the signing secret of webhooks', async () => {
    const key = await world.newKey()
    const secrets = [key]
    const q = async (reply: { headers: object }) =>
      detailsOf((reply.headers as Record<string, string>)['x-request-id'] as string)

    const spilled = await q(
      await world.post(PUSH, body({ customer_name: `mine is ${key}`, pin: '987654321', note: '\\"' })),
    )
    assert.match(spilled.request_body, /"customer_name":"mine is \[redacted\]","pin":"\[redacted\]"/)
    await q(await world.get(`/v1/collections/${key}`))
    await q(await world.post(PUSH, body({ reference: key })))
    await q(await world.post(PUSH, body(), { idempotency_key: key, headers: { 'user-agent': key } }))
    const listed = await q(await world.get(`/v1/collections?note=is.${key}&page=1&pin=987654321`))
    assert.equal(listed.query, 'note=is.[redacted]&page=1&pin=[redacted]')
    const answered = await world.call({ method: 'GET', url: '/v1/collections', headers: { 'x-request-id': key } })
    assert.equal(answered.status, 200)
    // The log cuts these bodies before the key or in the middle of the key.
    for (const filler of [4_036, 4_040, 4_044, 4_048, 4_090]) {
      await q(await world.post(PUSH, { filler: 'x'.repeat(filler), note: key }))
    }
    const url = '/v1/merchant/webhook-config'
    const change = { webhook_url: 'http://127.0.0.1:9/hook' }
    const saved = await world.call({ method: 'PATCH', url, payload: change })
    const rotated = await world.call({ method: 'PATCH', url, payload: { rotate_secret: true } })
    secrets.push(saved.body.data.secret, rotated.body.data.secret, '987654321')
    assert.match((await q(saved)).response_body, /"secret":"\[redacted\]"/)
    const turned = await q(rotated)
    assert.match(turned.response_body, /"secret":"\[redacted\]"/)
    assert.equal(
      turned.request_body,
      '{"rotate_secret":"[redacted]"}',
      'the log redacts the value by the name of its field',
    )

    const rows = await world.rows<{ row: string }>('select r::text as row from requests r')
    const packs = await world.rows<{ merchant_id: string; id: string }>('select merchant_id, id from request_packs')
    const entries = await world.rows<{ id: string }>(`select id from requests where environment = 'sandbox'`)
    assert.ok(packs.length > 0 && entries.length > 0)
    const texts = rows.map(({ row }) => row)
    for (const { id } of entries) texts.push((await show(id)).text)
    for (const secret of secrets) {
      assert.ok(secret.length > 8)
      assert.equal(
        texts.find((text) => text.includes(secret)),
        undefined,
        secret.slice(0, 6),
      )
      assert.equal(
        texts.find((text) => text.includes(secret.slice(0, 24)) && secret.length > 24),
        undefined,
        'the beginning of a secret',
      )
    }
  })

  test('the request log does not redact phone numbers, names and amounts', async () => {
    const reply = await world.post(PUSH, body({ customer_name: 'Pinda Okey' }))
    const data = await detailsOf(String(reply.headers['x-request-id']))
    assert.equal(data.request_body, JSON.stringify(body({ customer_name: 'Pinda Okey' })))
  })
})

describe('hostile bodies', () => {
  const send = async (payload: string | Buffer) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await world.call({ method: 'POST', url: PUSH, payload, headers, idempotency_key: randomUUID() })
    return detailsOf(String(reply.headers['x-request-id']))
  }

  test('the request log cuts a body at 4,096 characters, never inside a character, and marks the body as cut', async () => {
    const smileys = await send(JSON.stringify({ amount: '1', x: `${'y'.repeat(2)}${'😀'.repeat(6_000)}` }))
    assert.equal(smileys.request_body_cut, true)
    assert.ok(smileys.request_body.isWellFormed())
    assert.ok(smileys.request_body.length >= 4_095 && smileys.request_body.length <= 4_096)
    const odd_cut = await send(JSON.stringify({ amount: '1', x: `${'y'.repeat(3)}${'😀'.repeat(6_000)}` }))
    assert.ok(odd_cut.request_body.isWellFormed() && !odd_cut.request_body.includes('\ufffd'))
    assert.notEqual(
      odd_cut.request_body.length,
      smileys.request_body.length,
      'a cut at the limit would split a character',
    )
    const whole = await send(JSON.stringify({ x: 'y'.repeat(4_096 - 8) }))
    assert.deepEqual([whole.request_body.length, whole.request_body_cut], [4_096, false])
  })

  test('the request log stores valid text when a body contains NUL, lone surrogates or 64 KB', async () => {
    const nul = await send('{"reference":"a\\u0000b","x":"\\ud800","merchant_reference":"\\ud800"}')
    assert.equal(nul.request_body, '{"reference":"a\\u0000b","x":"\\ud800","merchant_reference":"\\ud800"}')
    assert.equal(nul.reference, 'a\ufffdb')
    const raw = await send(Buffer.from('{"reference":"a\u0000b"}'))
    assert.equal(raw.request_body, '{"reference":"a\u0000b"}')
    const lone = await send('{"reference":"\\ud800 \\"{,}\\\\ "}')
    assert.equal(lone.reference, '\ufffd "{,}\\ ')
    const large = await send(JSON.stringify({ x: 'y'.repeat(60_000) }))
    assert.deepEqual([large.request_body.length, large.request_body_cut], [4_096, true])
    const too_large = await send(JSON.stringify({ x: 'y'.repeat(70_000) }))
    assert.deepEqual([too_large.status, too_large.request_body], [413, null])
    const no_text = await send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))
    assert.deepEqual([no_text.error_code, no_text.request_body], ['invalid_json', null])
    const long = await world.get(`/v1/collections/${'%00'.repeat(60)}?x=${'z'.repeat(3_000)}`)
    assert.equal((await detailsOf(String(long.headers['x-request-id']))).query.length, 2_048)
    const quoted = { method: 'GET', url: '/v1/collections/"{},null', headers: { 'user-agent': '"\\{}\u00ff' } } as const
    const odd_cut = await world.call(quoted)
    assert.equal((await detailsOf(String(odd_cut.headers['x-request-id']))).user_agent, '"\\{}\u00ff')
  })
})

describe('the deletion of old requests', () => {
  test('the request log deletes requests and their bodies after thirty days', async () => {
    const own = await createWorld()
    try {
      const token = (await own.newSession('DEVELOPER')).token
      const count = async () => {
        await own.work()
        return (
          await own.rows<{ rows: number; packs: number }>(
            'select (select count(*)::int from requests) as rows, (select count(*)::int from request_packs) as packs',
          )
        )[0]
      }
      await own.get('/v1/collections')
      assert.deepEqual(await count(), { rows: 1, packs: 1 })
      own.deps.clock.advance(29 * DAY_MS)
      await own.get('/v1/collections', own.live_key)
      assert.deepEqual(await count(), { rows: 2, packs: 2 })
      own.deps.clock.advance(DAY_MS + 2_000)
      assert.deepEqual(await count(), { rows: 1, packs: 1 })
      const fresh = (await own.newSession('DEVELOPER')).token
      assert.notEqual(fresh, token)
      assert.equal((await own.get('/v1/merchant/requests', fresh)).body.data.items.length, 1)
    } finally {
      await own.close()
    }
  })

  test('the server stores no request when REQUEST_LOG_DAYS is 0', async () => {
    const own = await createWorld({ env: { REQUEST_LOG_DAYS: '0' } })
    try {
      await own.get('/v1/collections')
      await own.work()
      assert.deepEqual(await own.rows('select 1 from requests'), [])
    } finally {
      await own.close()
    }
  })
})
