// Tests the request log when too many requests arrive, and when the database fails.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createWorld, type World } from '../../../test/harness.ts'
import type { KeyPrincipal } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { createRequestLog, type RequestLog } from './log.ts'
import { createRecorder } from './recorder.ts'

let world: World
let token: string
/** The prefix of the names of the queries that fail as with a broken connection. Null means that no query fails. */
let failing_statement: string | null = null
let write_attempts = 0

before(async () => {
  world = await createWorld({
    before: (name) => {
      if (failing_statement === null || !name.startsWith(failing_statement)) return
      write_attempts++
      throw Object.assign(new Error('Connection terminated'), { code: '57P01' })
    },
  })
  token = (await world.newSession('DEVELOPER')).token
})
after(() => world.close())

const ownTask = (name = 'request_log') => {
  const task = world.system.own_tasks.find((one) => one.name === name)
  assert.ok(task)
  return task
}
const list = async (query = '') => {
  const reply = await world.get(`/v1/merchant/requests?environment=sandbox&page_size=100${query}`, token)
  return reply.body.data.items as Record<string, unknown>[]
}
const principal = (): KeyPrincipal => {
  const { id, routing_code, merchant_code: code } = world.merchant
  return {
    kind: 'api_key',
    key_id: newId(world.deps, routing_code),
    key_name: 'Test',
    environment: 'sandbox',
    scopes: [],
    merchant: { id, routing_code, code },
  }
}

/** Captures a request as the server does. */
function captureRequest(
  log: RequestLog,
  sent: string | null,
  answer = '{"success":true}',
  { method = 'POST', url = '/v1/x', statusCode = 200, recognised = principal() } = {},
): string {
  const id = newId(world.deps, 0)
  const request = { recognised, id, headers: {}, sent, url, routeOptions: { url }, method, ip: '::1', body: null }
  const reply = { statusCode, elapsedTime: 1.5 }
  log.capture?.(request as unknown as FastifyRequest, reply as FastifyReply, answer)
  return id
}

test('requests succeed while the database refuses to write the request log, and the log counts the missing requests', async () => {
  await world.get('/v1/collections')
  await ownTask().idle()
  const count_before = (await list()).length
  world.deps.clock.advance(1_000)
  const at = world.deps.clock.now().toISOString()
  failing_statement = 'requests_write'
  write_attempts = 0
  for (let n = 0; n < 3; n++) assert.equal((await world.get('/v1/collections')).status, 200)
  await ownTask().runOnce()
  assert.equal(write_attempts, 1, 'one statement writes a chunk')
  world.deps.clock.advance(5_000)
  assert.equal((await world.get('/v1/collections')).status, 200)
  await ownTask().runOnce()
  assert.equal(write_attempts, 2, 'the recorder retries the chunk once')
  failing_statement = null
  await ownTask().idle()
  const items = await list()
  assert.equal(items.length, count_before + 2)
  const [newest, lost] = items
  assert.equal(newest?.kind, 'request', 'the log lists a later request')
  assert.deepEqual(
    { ...lost, id: null },
    {
      id: null,
      kind: 'not_kept',
      at,
      until: at,
      count: 3,
      request_id: null,
      method: null,
      path: null,
      status: null,
      duration_ms: null,
      key_id: null,
      key_name: null,
      address: null,
      reference: null,
      resource_id: null,
      error_code: null,
    },
  )
  assert.equal((await list('&status=5xx')).length, 1, 'a filter for errors shows that requests are missing')
  assert.equal((await list('&method=POST')).length, 1)
  const shown = await world.get(`/v1/merchant/requests/${lost?.id}?environment=sandbox`, token)
  assert.equal(shown.body.data.count, 3)
})

test('the recorder writes a chunk once although the connection breaks after the commit', async () => {
  const before_it = (await list()).length
  await world.get('/v1/collections')
  await world.call({ method: 'GET', url: '/v1/collections', headers: { 'x-request-id': 'my-own-id' } })
  const { query } = world.deps.db
  let cut = true
  world.deps.db.query = async (statement, values) => {
    const rows = await query<never>(statement, values)
    if (statement.name === 'requests_write' && cut) {
      cut = false
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' })
    }
    return rows
  }
  try {
    await ownTask().idle()
  } finally {
    world.deps.db.query = query
  }
  assert.equal(cut, false)
  const items = await list()
  assert.equal(items.length, before_it + 2)
  assert.equal(items.filter(({ request_id }) => request_id === 'my-own-id').length, 1)
  const unused = await world.rows(
    'select 1 from request_packs p where not exists (select from requests r where r.merchant_id = p.merchant_id and r.pack_id = p.id)',
  )
  assert.equal(unused.length, 0, 'an erasure finds each copy of a body by its request')
  assert.ok(
    items.every(({ kind, count }) => kind === 'request' || count === 3),
    'the log counts no request as lost',
  )
})

test('when the memory for bodies is full, the log stores requests without bodies; when the memory for requests is full, the log only counts requests', async () => {
  world.deps.clock.advance(60_000)
  const log = createRequestLog(world.deps, createRecorder(world.deps), { chars: 100, entries: 4 })
  const with_bodies = [captureRequest(log, 'a'.repeat(40), ''), captureRequest(log, 'b'.repeat(60), '')]
  const without = [captureRequest(log, 'c', ''), captureRequest(log, null, 'd')]
  world.deps.clock.advance(1_000)
  captureRequest(log, 'e', '')
  world.deps.clock.advance(1_000)
  captureRequest(log, 'f', '')
  await log.task.idle()
  const detail = async (id: string) => {
    const [entry] = await list(`&q=${id}`)
    return (await world.get(`/v1/merchant/requests/${entry?.id}?environment=sandbox`, token)).body.data
  }
  for (const id of with_bodies) {
    const { bodies_dropped, request_body } = await detail(id)
    assert.deepEqual([bodies_dropped, request_body.length > 0], [false, true])
  }
  for (const id of without) {
    const { bodies_dropped, request_body, response_body, status } = await detail(id)
    assert.deepEqual([bodies_dropped, request_body, response_body, status], [true, null, null, 200])
  }
  const lost = (await list()).filter(({ kind, count }) => kind === 'not_kept' && count === 2)
  const now = world.deps.clock.now().getTime()
  assert.deepEqual(
    lost.map(({ at, until }) => [at, until]),
    [[new Date(now - 1_000).toISOString(), new Date(now).toISOString()]],
  )
  // After the recorder has written requests, the memory of the log accepts further requests.
  const later = captureRequest(log, 'g'.repeat(100), '')
  await log.task.idle()
  assert.equal((await detail(later)).bodies_dropped, false)
})

test('when half of the memory is full, the request log drops successful reads before writes and failed requests', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps), { chars: 100, entries: 4 })
  const get = { method: 'GET' }
  const [first, second, gone] = [
    captureRequest(log, 'a', '', get),
    captureRequest(log, 'b', '', get),
    captureRequest(log, 'c', '', get),
  ]
  const [refused, changed] = [captureRequest(log, 'd', '', { ...get, statusCode: 404 }), captureRequest(log, 'e', '')]
  await log.task.idle()
  for (const id of [first, second, refused, changed]) assert.equal((await list(`&q=${id}`)).length, 1)
  assert.deepEqual(
    (await list(`&q=${gone}`)).filter(({ kind }) => kind === 'request'),
    [],
  )
})

test('the recorder writes a burst in several rounds without a loss, and a merchant with one request does not wait for the burst', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps))
  const { id, routing_code, merchant_code: code } = await world.newMerchant()
  const url = '/v1/burst'
  for (let n = 0; n < 2_500; n++) captureRequest(log, null, undefined, { url })
  captureRequest(log, null, undefined, { url, recognised: { ...principal(), merchant: { id, routing_code, code } } })
  const written = async () => {
    const [row] = await world.rows<{ of_burst: number; of_other: number }>(
      `select count(*) filter (where merchant_id = $1)::int as of_burst, count(*) filter (where merchant_id = $2)::int as of_other
       from requests where path = $3`,
      [world.merchant.id, id, url],
    )
    return row
  }
  await log.task.runOnce()
  const { of_burst = 0, of_other } = (await written()) ?? {}
  assert.ok(of_burst >= 500 && of_burst <= 1_500, `the first round wrote ${of_burst}`)
  assert.equal(of_other, 1)
  await log.task.idle()
  assert.deepEqual(await written(), { of_burst: 2_500, of_other: 1 })
})

test('the recorder drops only the request that the database refuses, and writes all other requests', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps))
  const good = captureRequest(log, 'good')
  const request = {
    recognised: principal(),
    id: 'no id',
    headers: {},
    sent: null,
    url: '/',
    routeOptions: { url: '/' },
    method: 'POST',
    ip: '::1',
  }
  log.capture?.(request as unknown as FastifyRequest, { statusCode: 200, elapsedTime: 1 } as FastifyReply, '')
  const other = captureRequest(log, 'other')
  await log.task.idle()
  for (const id of [good, other]) assert.equal((await list(`&q=${id}`)).length, 1)
})

test('a process that stops writes the requests in its memory', async () => {
  const reply = await world.get('/v1/collections')
  const worker_stops = world.system.own_tasks.map((task) => task.idle())
  await Promise.all(worker_stops)
  assert.equal((await list(`&q=${reply.headers['x-request-id']}`)).length, 1)
})

test('when the database is unavailable, a process that stops makes two write attempts and does not wait for the database', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps))
  for (let n = 0; n < 1_200; n++) captureRequest(log, null, '')
  failing_statement = 'requests_write'
  write_attempts = 0
  await log.task.idle()
  assert.equal(write_attempts, 2)
  failing_statement = null
  await log.task.idle()
  const lost = (await list('&status=5xx')).filter(({ kind, count }) => kind === 'not_kept' && count === 500)
  assert.equal(lost.length, 1)
  const [total] = await world.rows<{ rows: number }>(`select count(*)::int as rows from requests where path = '/v1/x'`)
  assert.ok((total?.rows ?? 0) >= 700, `${total?.rows}`)
})
