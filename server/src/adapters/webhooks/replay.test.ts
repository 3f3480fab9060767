// Tests the replay of all deliveries since a time, after an outage of the merchant's receiver.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { queue } from '../../../test/webhooks.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { inTransaction, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { firstIdAt } from '../../kernel/lib/index.ts'

const PATH = '/v1/merchant/webhook-deliveries/replay'
let world: World
let receiver: Receiver

before(async () => {
  world = await createWorld()
  receiver = await startReceiver()
})
after(async () => {
  await receiver.close()
  await world.close()
})

const QUEUE_FIRST = sql(
  'test_webhook_queue_first',
  "update webhook_deliveries set status = 'pending', attempts = 4, due_at = $2 where merchant_id = $1",
)

/** Makes a merchant with an API key, and one delivery for each status, one second apart. */
async function stage(...statuses: string[]) {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  const url = '/v1/merchant/webhook-config'
  await world.call({ method: 'PATCH', url, key, payload: { webhook_url: receiver.url } })
  const begin = world.deps.clock.now()
  const ids: string[] = []
  for (const status of statuses) {
    ids.push(await make(merchant, status))
    world.deps.clock.advance(1_000)
  }
  const replay = (body: object, idempotency_key?: string) =>
    world.post(PATH, body, { key, ...(idempotency_key ? { idempotency_key } : {}) })
  return { merchant, key, token, ids, replay, at: (n: number) => new Date(begin.getTime() + n * 1_000).toISOString() }
}

async function make(merchant: Merchant, status: string, environment: Environment = 'sandbox'): Promise<string> {
  const [delivery] = await queue(world.deps, merchant, { environment })
  assert.ok(delivery)
  const due = status === 'pending' ? new Date(world.deps.clock.now().getTime() + 3_600_000) : null
  await world.rows(
    `update webhook_deliveries set status = $3, due_at = $4, attempts = case $3 when 'pending' then 2 else 5 end where merchant_id = $1 and id = $2`,
    [merchant.id, delivery.id, status, due],
  )
  return delivery.id
}

async function pendingOf(merchant: Merchant): Promise<string[]> {
  const rows = await world.rows<{ id: string }>(
    `select id from webhook_deliveries where merchant_id = $1 and due_at <= $2 order by id`,
    [merchant.id, world.deps.clock.now()],
  )
  return rows.map(({ id }) => id)
}

test('a replay queues failed deliveries since a time, makes a waiting retry due, and queues no delivered or older delivery', async () => {
  const { merchant, ids, replay, at, token } = await stage('failed', 'failed', 'delivered', 'failed', 'pending')
  const live = await make(merchant, 'failed', 'live')
  receiver.received.length = 0
  const done = await replay({ since: at(1) })
  assert.equal(done.status, 202)
  assert.deepEqual(done.body.data, { queued: 3, more: false, next_since: null })
  assert.deepEqual(await pendingOf(merchant), [ids[1], ids[3], ids[4]])
  assert.equal((await replay({ since: at(0), status: 'all' })).body.data.queued, 2, 'due deliveries stay unchanged')
  await world.work()
  const sent = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(sent.sort(), ids, 'each delivery once')
  const [other] = await world.rows<{ status: string }>('select status from webhook_deliveries where id = $1', [live])
  assert.equal(other?.status, 'failed', 'the delivery of the other environment is unchanged')
  const log = await world.get('/v1/merchant/audit-log', token)
  const [entry] = log.body.data.items
  assert.deepEqual([entry.action, entry.after.queued, entry.after.since], ['webhook_deliveries.replay', 2, at(0)])
})

test('a replay queues delivered events of the period again when the request includes delivered events', async () => {
  const { merchant, ids, replay, at } = await stage('delivered', 'failed', 'delivered', 'failed', 'delivered')
  assert.equal((await replay({ since: at(0), until: at(3), status: 'delivered' })).body.data.queued, 2)
  assert.deepEqual(await pendingOf(merchant), [ids[0], ids[2]])
  assert.equal(
    (await replay({ since: at(0), status: 'all' })).body.data.queued,
    3,
    'those that wait already are left alone',
  )
  assert.equal((await replay({ since: at(0), status: 'all', event: 'collection.failed' })).body.data.queued, 0)
})

test('two identical replays at the same time queue each delivery once', async () => {
  const { merchant, replay, at, ids } = await stage('failed', 'failed', 'failed')
  const both = await Promise.all([replay({ since: at(0) }), replay({ since: at(0) })])
  const queued = both.map(({ body }) => body.data.queued as number)
  assert.equal((queued[0] as number) + (queued[1] as number), 3)
  assert.deepEqual(await pendingOf(merchant), ids)
  const once = await replay({ since: at(0), status: 'all' }, 'once')
  const again = await replay({ since: at(0), status: 'all' }, 'once')
  assert.deepEqual([again.body, again.headers['idempotency-replayed']], [once.body, 'true'])
})

test('a replay queues 5,000 deliveries and returns the start of the next call, and further calls queue the rest', async () => {
  const { merchant, replay, at } = await stage('failed')
  await world.rows(
    `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status,
       attempts, due_at, lease_owner, created_at, updated_at)
     select merchant_id, ($2::text || lpad(to_hex(n), 12, '0'))::uuid, environment, event, source_type,
       ($2::text || lpad(to_hex(n), 12, '0'))::uuid, 1, body, 'failed', 5, null, null, created_at, updated_at
     from webhook_deliveries, generate_series(1, 5200) n where merchant_id = $1`,
    [merchant.id, firstIdAt(new Date(at(0))).slice(0, 24)],
  )
  const first = await replay({ since: at(0) })
  assert.deepEqual(first.body.data, { queued: 5_000, more: true, next_since: at(0) })
  const second = await replay({ since: first.body.data.next_since })
  assert.deepEqual(second.body.data, { queued: 201, more: false, next_since: null })
})

test('a replay keeps the attempts of a waiting retry, and skips a delivery in flight or without an attempt', async () => {
  const { merchant, replay, at, ids } = await stage('pending', 'pending', 'pending', 'pending')
  const set = (n: number, change: string) =>
    world.rows(`update webhook_deliveries set ${change} where merchant_id = $1 and id = $2`, [merchant.id, ids[n]])
  await set(0, `lease_owner = '${merchant.id}'`)
  await set(1, 'attempts = 0')
  const due = await pendingOf(merchant)
  assert.deepEqual((await replay({ since: at(0), status: 'delivered' })).body.data.queued, 0)
  const both = await Promise.all([replay({ since: at(0) }), replay({ since: at(0) })])
  assert.deepEqual(both.map(({ body }) => body.data.queued).sort(), [0, 2])
  assert.deepEqual([due, await pendingOf(merchant)], [[], [ids[2], ids[3]]])
  const rows = await world.rows<{ attempts: number; updated: boolean }>(
    'select attempts, updated_at > created_at as updated from webhook_deliveries where merchant_id = $1 and id >= $2',
    [merchant.id, ids[2]],
  )
  assert.deepEqual(rows, Array(2).fill({ attempts: 2, updated: false }))
})

test('a replay never queues a delivery that has a hundred attempts', async () => {
  const { merchant, replay, at } = await stage('failed', 'failed')
  await world.rows(`update webhook_deliveries set attempts = 100 where merchant_id = $1 and created_at = $2`, [
    merchant.id,
    new Date(at(0)),
  ])
  assert.equal((await replay({ since: at(0) })).body.data.queued, 1)
})

test('a replay by another merchant queues no delivery, and the server refuses a key without the scope and an invalid period', async () => {
  const { merchant, replay, at, key } = await stage('failed')
  const stranger = await world.newMerchant()
  const others = await world.newKey({ merchant: stranger })
  assert.equal((await world.post(PATH, { since: at(0) }, { key: others })).body.data.queued, 0)
  const weak = await world.newKey({ merchant, scopes: ['collections:read'] })
  assert.equal((await world.post(PATH, { since: at(0) }, { key: weak })).status, 403)
  const wrong = [
    {},
    { since: 'yesterday' },
    { since: at(3_600) },
    { since: at(0), until: at(0) },
    { since: at(0), status: 'pending' },
    { since: at(0), event: 'collection.maybe' },
  ]
  for (const body of wrong) assert.equal((await replay(body)).status, 400, JSON.stringify(body))
  assert.deepEqual(await pendingOf(merchant), [])
  assert.ok(key)
})

test('a refusal names the state that the server found when it queued, although an earlier request changed it meanwhile', async () => {
  const { merchant, ids, token } = await stage('failed')
  const [{ source_id } = { source_id: '' }] = await world.rows<{ source_id: string }>(
    'select source_id from webhook_deliveries where merchant_id = $1',
    [merchant.id],
  )
  const resend = () =>
    world.post('/v1/merchant/webhook-resends?environment=sandbox', { collection_ids: [source_id] }, { key: token })
  const waiting = async () =>
    (
      await world.rows(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'webhook_deliveries'",
      )
    ).length > 0
  const request = await inTransaction(world.deps.db, async (tx) => {
    await tx.query(QUEUE_FIRST, [merchant.id, world.deps.clock.now()])
    const sent = resend()
    for (let looks = 0; looks < 1_000 && !(await waiting()); looks++) await new Promise((done) => setTimeout(done, 10))
    return { sent }
  })
  const deliveries = [{ id: ids[0], attempts: 0, refusal: 'waits' }]
  assert.deepEqual((await request.sent).body.data.items, [{ collection_id: source_id, deliveries }])
})

test('one call sends the newest event of a hundred payments again once, and says for each delivery why it is not sent', async () => {
  const statuses = ['delivered', 'failed', 'pending', 'failed', 'failed', 'delivered']
  const { merchant, key, ids, token } = await stage(...statuses)
  const RESENDS = '/v1/merchant/webhook-resends?environment=sandbox'
  const change = (n: number, set: string) =>
    world.rows(`update webhook_deliveries set ${set} where merchant_id = $1 and id = $2`, [merchant.id, ids[n]])
  await change(3, 'attempts = 100')
  await world.rows(
    `insert into webhook_attempts (merchant_id, delivery_id, number, at, duration_ms, status_code, error)
     select $1, $2, n, $3, 5, 500, 'unexpected_status' from generate_series(98, 100) n`,
    [merchant.id, ids[3], world.deps.clock.now()],
  )
  await change(4, "endpoint_id = '0198c0de-0000-8000-8000-000000000000'")
  const sources = await world.rows<{ source_id: string }>(
    'select source_id from webhook_deliveries where merchant_id = $1 order by id',
    [merchant.id],
  )
  const payments = sources.map(({ source_id }) => source_id)
  // The last delivery belongs to the first payment, as a newer event of the same name, so the older event is not sent again.
  await change(5, `source_id = '${payments[0]}', source_seq = source_seq + 1`)
  payments.length = 5
  const live = await make(merchant, 'failed', 'live')
  const [other] = await world.rows<{ source_id: string }>('select source_id from webhook_deliveries where id = $1', [
    live,
  ])
  const filler = Array.from({ length: 94 }, (_, n) => `0198c0de-0000-8000-8000-${String(n).padStart(12, '0')}`)
  const collection_ids = [...payments, String(other?.source_id), ...filler]
  type Item = { collection_id: string; deliveries: { id: string; attempts: number; refusal: string | null }[] }
  const shown = (items: Item[]) =>
    items.slice(0, 6).map(({ deliveries }) => deliveries.map(({ id, refusal }) => [ids.indexOf(id), refusal]))
  const press = () => world.post(RESENDS, { collection_ids }, { key: token, idempotency_key: 'one-press' })
  receiver.received.length = 0
  const [first, second] = await Promise.all([press(), press()])
  assert.deepEqual([first.status, second.body], [202, first.body], 'a double press gets the same answer')
  const expected = [[[5, null]], [[1, null]], [[2, null]], [[3, 'attempt_limit']], [[4, 'endpoint_deleted']], []]
  assert.deepEqual(shown(first.body.data.items), expected)
  assert.equal(first.body.data.items.length, 100)
  assert.deepEqual(await pendingOf(merchant), [ids[1], ids[2], ids[5]])
  const again = await world.post(RESENDS, { collection_ids }, { key: token })
  assert.deepEqual(shown(again.body.data.items).slice(0, 3), [[[5, 'waits']], [[1, 'waits']], [[2, 'waits']]])
  const log = await world.get('/v1/merchant/audit-log', token)
  type Entry = { action: string; target_id: string; after: object }
  const replays = log.body.data.items.filter(({ action }: Entry) => action === 'webhook_delivery.replay')
  assert.deepEqual(
    replays.map(({ target_id, after }: Entry) => [target_id, after]).sort(),
    [ids[1], ids[2], ids[5]].map((id) => [id, { environment: 'sandbox' }]).sort(),
    'one entry for each delivery, as for a single replay',
  )
  await world.work()
  const sent = receiver.received.map(({ headers }) => String(headers['webhook-id'])).filter((id) => ids.includes(id))
  assert.deepEqual(sent.sort(), [ids[1], ids[2], ids[5]])
  const chosen = `&collection_ids=${payments.join(',')}`
  const read = await world.get(`${RESENDS}${chosen}`, token)
  assert.deepEqual(
    read.body.data.items.map(({ deliveries: [one] }: { deliveries: Record<string, unknown>[] }) => [
      one?.status,
      one?.attempts,
      one?.status_code,
    ]),
    [
      ['delivered', 1, 200],
      ['delivered', 1, 200],
      ['delivered', 1, 200],
      ['failed', 100, 500],
      ['failed', 0, null],
    ],
  )
  const stranger = await world.newMerchant()
  const foreign = await world.newSession([{ role: 'DEVELOPER', merchant: stranger }])
  const theirs = await world.post(RESENDS, { collection_ids: payments }, { key: foreign.token })
  assert.deepEqual(shown(theirs.body.data.items), [[], [], [], [], []], 'another merchant finds no delivery')
  const viewer = await world.newSession([{ role: 'VIEWER', merchant }])
  assert.equal((await world.post(RESENDS, { collection_ids: payments }, { key: viewer.token })).status, 403)
  assert.equal(
    (await world.post(RESENDS, { collection_ids: payments }, { key })).status,
    403,
    'the call is for sessions',
  )
  const above = await world.post(RESENDS, { collection_ids: [...collection_ids, merchant.id] }, { key: token })
  assert.equal(above.status, 400)
  assert.match(above.body.error.message, /at most 100 payments in one call\. Choose fewer payments\./)
  for (const wrong of [[], ['no id']]) {
    assert.equal((await world.post(RESENDS, { collection_ids: wrong }, { key: token })).status, 400)
    assert.equal((await world.post(RESENDS, { delivery_ids: wrong }, { key: token })).status, 400)
  }
})

test('the server accepts the documented example of a call that sends the webhooks of payments again', async () => {
  const { token } = await stage()
  const { paths } = JSON.parse((await world.get('/openapi.json')).text)
  const { example } = paths['/v1/merchant/webhook-resends'].post.requestBody.content['application/json']
  const reply = await world.post('/v1/merchant/webhook-resends?environment=sandbox', example, { key: token })
  assert.equal(reply.status, 202, reply.text)
})

test('one call sends chosen deliveries again, and says for each of them why it is not sent', async () => {
  const { merchant, ids, token } = await stage('delivered', 'failed', 'pending', 'failed', 'failed')
  const [delivered, failed, waits, worn] = ids as [string, string, string, string]
  const RESENDS = '/v1/merchant/webhook-resends?environment=sandbox'
  await world.rows('update webhook_deliveries set attempts = 100 where merchant_id = $1 and id = $2', [
    merchant.id,
    worn,
  ])
  await world.rows(
    `insert into webhook_attempts (merchant_id, delivery_id, number, at, duration_ms, status_code, error)
     values ($1, $2, 5, $3, 5, 500, 'unexpected_status')`,
    [merchant.id, failed, world.deps.clock.now()],
  )
  const live = await make(merchant, 'failed', 'live')
  const delivery_ids = [delivered, failed.toUpperCase(), waits, worn, live, failed]
  const press = () => world.post(RESENDS, { delivery_ids }, { key: token, idempotency_key: 'deliveries' })
  const [first, second] = await Promise.all([press(), press()])
  const one = (id: string, attempts: number, refusal: string | null) => ({
    collection_id: null,
    deliveries: [{ id, attempts, refusal }],
  })
  const [none, other] = [{ collection_id: null, deliveries: [] }, 'attempt_limit']
  assert.deepEqual(first.body.data.items, [
    one(delivered, 0, null),
    one(failed, 5, null),
    one(waits, 0, null),
    one(worn, 0, other),
    none,
  ])
  assert.deepEqual(second.body, first.body, 'a double press gets the same answer')
  assert.deepEqual(await pendingOf(merchant), [delivered, failed, waits])
  const log = await world.get('/v1/merchant/audit-log', token)
  type Entry = { action: string; target_id: string }
  const replays = log.body.data.items.filter(({ action }: Entry) => action === 'webhook_delivery.replay')
  assert.deepEqual(replays.map(({ target_id }: Entry) => target_id).sort(), [delivered, failed, waits].sort())
  const both = await world.post(RESENDS, { delivery_ids: [failed], collection_ids: [failed] }, { key: token })
  assert.equal(both.status, 400)
  const filler = Array.from({ length: 101 }, (_, n) => `0198c0de-0000-8000-8000-${String(n).padStart(12, '0')}`)
  const above = await world.post(RESENDS, { delivery_ids: filler }, { key: token })
  assert.match(above.body.error.message, /at most 100 deliveries in one call\. Choose fewer deliveries\./)
  const viewer = await world.newSession([{ role: 'VIEWER', merchant }])
  assert.equal((await world.post(RESENDS, { delivery_ids }, { key: viewer.token })).status, 403)
})
