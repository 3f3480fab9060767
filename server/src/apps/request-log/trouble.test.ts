// The log of requests when there is too much to log, or nowhere to write it.

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
/** What a statement of this name throws. */
let broken: string | null = null
let tries = 0

before(async () => {
  world = await createWorld({
    before: (name) => {
      if (broken === null || !name.startsWith(broken)) return
      tries++
      throw Object.assign(new Error('Connection terminated'), { code: '57P01' })
    },
  })
  token = (await world.newSession('DEVELOPER')).token
})
after(() => world.close())

const own = (name = 'request_log') => {
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

/** Notes a request as the app does. */
function note(
  log: RequestLog,
  sent: string | null,
  answer = '{"success":true}',
  { method = 'POST', url = '/v1/x', statusCode = 200, recognised = principal() } = {},
): string {
  const id = newId(world.deps, 0)
  const request = { recognised, id, headers: {}, sent, url, method, ip: '::1', body: null }
  const reply = { statusCode, elapsedTime: 1.5 }
  log.answering?.(request as unknown as FastifyRequest, reply as FastifyReply, answer)
  return id
}

test('a database that takes nothing of the log refuses no request, and the log says what it lacks', async () => {
  await world.get('/v1/collections')
  await own().idle()
  const known = (await list()).length
  world.deps.clock.advance(1_000)
  const at = world.deps.clock.now().toISOString()
  broken = 'requests_write'
  tries = 0
  for (let n = 0; n < 3; n++) assert.equal((await world.get('/v1/collections')).status, 200)
  await own().runOnce()
  assert.equal(tries, 1, 'a set is one statement')
  world.deps.clock.advance(5_000)
  assert.equal((await world.get('/v1/collections')).status, 200)
  await own().runOnce()
  assert.equal(tries, 2, 'tried once more')
  broken = null
  await own().idle()
  const items = await list()
  assert.equal(items.length, known + 2)
  const [newest, lost] = items
  assert.equal(newest?.kind, 'request', 'what came later is there')
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
  assert.equal((await list('&status=5xx')).length, 1, 'whoever asks for errors is told that some may be missing')
  assert.equal((await list('&method=POST')).length, 1)
  const shown = await world.get(`/v1/merchant/requests/${lost?.id}?environment=sandbox`, token)
  assert.equal(shown.body.data.count, 3)
})

test('a set whose statement broke after its commit is not there twice', async () => {
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
    await own().idle()
  } finally {
    world.deps.db.query = query
  }
  assert.equal(cut, false)
  const items = await list()
  assert.equal(items.length, before_it + 2)
  assert.equal(items.filter(({ request_id }) => request_id === 'my-own-id').length, 1)
  assert.ok(
    items.every(({ kind, count }) => kind === 'request' || count === 3),
    'and none is told to be lost',
  )
})

test('without room requests lose their bodies first, and are counted when there is no room for them either', async () => {
  world.deps.clock.advance(60_000)
  const log = createRequestLog(world.deps, createRecorder(world.deps), { chars: 100, entries: 4 })
  const with_bodies = [note(log, 'a'.repeat(40), ''), note(log, 'b'.repeat(60), '')]
  const without = [note(log, 'c', ''), note(log, null, 'd')]
  world.deps.clock.advance(1_000)
  note(log, 'e', '')
  world.deps.clock.advance(1_000)
  note(log, 'f', '')
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
  // What was written made room.
  const later = note(log, 'g'.repeat(100), '')
  await log.task.idle()
  assert.equal((await detail(later)).bodies_dropped, false)
})

test('with little room left, readings that were answered give way to what changed something or was refused', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps), { chars: 100, entries: 4 })
  const get = { method: 'GET' }
  const [first, second, gone] = [note(log, 'a', '', get), note(log, 'b', '', get), note(log, 'c', '', get)]
  const [refused, changed] = [note(log, 'd', '', { ...get, statusCode: 404 }), note(log, 'e', '')]
  await log.task.idle()
  for (const id of [first, second, refused, changed]) assert.equal((await list(`&q=${id}`)).length, 1)
  assert.deepEqual(
    (await list(`&q=${gone}`)).filter(({ kind }) => kind === 'request'),
    [],
  )
})

test('a burst is written in turns, none of it is lost, and whoever sent little does not wait for whoever sent much', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps))
  const { id, routing_code, merchant_code: code } = await world.newMerchant()
  const url = '/v1/burst'
  for (let n = 0; n < 2_500; n++) note(log, null, undefined, { url })
  note(log, null, undefined, { url, recognised: { ...principal(), merchant: { id, routing_code, code } } })
  const written = async () => {
    const [row] = await world.rows<{ much: number; little: number }>(
      `select count(*) filter (where merchant_id = $1)::int as much, count(*) filter (where merchant_id = $2)::int as little
       from requests where path = $3`,
      [world.merchant.id, id, url],
    )
    return row
  }
  await log.task.runOnce()
  const { much = 0, little } = (await written()) ?? {}
  assert.ok(much >= 500 && much <= 1_500, `a part of the ${much}`)
  assert.equal(little, 1)
  await log.task.idle()
  assert.deepEqual(await written(), { much: 2_500, little: 1 })
})

test('a request that the database cannot take is left out alone', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps))
  const good = note(log, 'good')
  const request = { recognised: principal(), id: 'no id', headers: {}, sent: null, url: '/', method: 'POST', ip: '::1' }
  log.answering?.(request as unknown as FastifyRequest, { statusCode: 200, elapsedTime: 1 } as FastifyReply, '')
  const other = note(log, 'other')
  await log.task.idle()
  for (const id of [good, other]) assert.equal((await list(`&q=${id}`)).length, 1)
})

test('stopping writes what is still in memory', async () => {
  const reply = await world.get('/v1/collections')
  const worker_stops = world.system.own_tasks.map((task) => task.idle())
  await Promise.all(worker_stops)
  assert.equal((await list(`&q=${reply.headers['x-request-id']}`)).length, 1)
})

test('a database that is away while a process stops does not hold it up', async () => {
  const log = createRequestLog(world.deps, createRecorder(world.deps))
  for (let n = 0; n < 1_200; n++) note(log, null, '')
  broken = 'requests_write'
  tries = 0
  await log.task.idle()
  assert.equal(tries, 2)
  broken = null
  await log.task.idle()
  const lost = (await list('&status=5xx')).filter(({ kind, count }) => kind === 'not_kept' && count === 500)
  assert.equal(lost.length, 1)
  const [total] = await world.rows<{ rows: number }>(`select count(*)::int as rows from requests where path = '/v1/x'`)
  assert.ok((total?.rows ?? 0) >= 700, `${total?.rows}`)
})
