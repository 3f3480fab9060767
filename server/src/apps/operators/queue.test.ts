// Tests the operators' queue, and the list of merchants whose webhooks fail.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createHeldPaymentCalls, type HeldPaymentCalls } from '../../../test/held-payments.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { QUEUE_KINDS } from './queue.ts'

type Entry = { kind: string; count: number; oldest_at: string | null; amount: string | null }

let receiver: Receiver
let world: World
let operator: TestOperator
let review: HeldPaymentCalls
let shop: ShopWithKeys
before(async () => {
  receiver = await startReceiver()
  world = await createWorld()
  operator = await createTestOperator(world)
  review = createHeldPaymentCalls(world, operator, receiver.url)
  shop = await operator.shop('1000000.00')
})
after(async () => {
  await world.close()
  await receiver.close()
})

const read = async (query = ''): Promise<Entry[]> => {
  const reply = await world.get(`/v1/operator/queue${query}`, await operator.session())
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items
}
const entry = async (kind: string, query = '') => (await read(query)).find((item) => item.kind === kind) as Entry
const now = () => world.deps.clock.now().toISOString()
const total = async (path: string) =>
  (await world.get(path, await operator.session())).body.data.pagination.total_items as number

test('an empty queue shows zero for each kind', async () => {
  const items = await read()
  assert.deepEqual(
    items.map(({ kind }) => kind),
    [...QUEUE_KINDS],
  )
  for (const { kind, count, oldest_at, amount } of items) {
    const money = /^(withdrawals|collections)_/.test(kind)
    assert.deepEqual([count, oldest_at, amount], [0, null, money ? '0.00' : null], kind)
  }
})

test('the queue states that one operator always suffices in this installation, and how recent a sign-in must be', async () => {
  const { data } = (await world.get('/v1/operator/queue', await operator.session())).body
  assert.deepEqual([data.four_eyes_amount, data.step_up_s], [null, 600])
})

test('the queue shows the last check of the books if that check failed or ended without a result', async () => {
  const check = async () => (await world.get('/v1/operator/queue', await operator.session())).body.data.failed_check
  assert.equal(await check(), null)
  const finish = (period: string, ok: boolean | null, problems: number | null) =>
    world.rows(
      `insert into verify_runs (period_start, process_id, started_at, lease_until, finished_at, ok, checks, problems, duration_ms,
         broken, error) values ($1, $2, $1, $1, $1, $3, case when $3::boolean is null then null else 40 end, $4, 5,
         case when $3::boolean is false then '[]'::jsonb end, case when $3::boolean is null then 'timeout' end)`,
      [period, '00000000-0000-0000-0000-000000000001', ok, problems],
    )
  await finish('2026-01-05T01:00:00Z', false, 2)
  assert.deepEqual(await check(), { finished_at: '2026-01-05T01:00:00.000Z', problems: 2 })
  await finish('2026-01-05T02:00:00Z', null, null)
  assert.deepEqual(await check(), { finished_at: '2026-01-05T02:00:00.000Z', problems: null })
  await finish('2026-01-05T03:00:00Z', true, 0)
  assert.equal(await check(), null)
})

describe('withdrawals in the queue', () => {
  /**
   * The statuses of withdrawals in the queue except NEEDS_ADMIN_ATTENTION, each with the steps that give a withdrawal this
   * status.
   */
  const ways: [string, string, string, 'approve' | 'request-info' | null][] = [
    ['withdrawals_waiting', 'PENDING_ADMIN_APPROVAL', '001', null],
    ['withdrawals_info_requested', 'INFO_REQUESTED', '001', 'request-info'],
    ['withdrawals_needs_reconciliation', 'NEEDS_RECONCILIATION', '103', 'approve'],
    ['withdrawals_blocked', 'BLOCKED_IP_WHITELIST', '104', 'approve'],
  ]
  for (const [kind, status, ending, verb] of ways) {
    test(`until a decision, the queue counts the withdrawals in ${status}, with their amount and the oldest withdrawal`, async () => {
      const at = now()
      const ids = [await operator.submit(shop, { ending, amount: '1000.00' })]
      world.deps.clock.advance(5_000)
      ids.push(await operator.submit(shop, { ending, amount: '2000.50' }))
      for (const id of ids)
        if (verb !== null) await (verb === 'approve' ? operator.approve(id) : operator.act(id, verb))
      assert.deepEqual(await entry(kind), { kind, count: 2, oldest_at: at, amount: '3000.50' })
      assert.equal(await total(`/v1/operator/withdrawals?status=${status}&environment=live`), 2)
      const end = verb === 'approve' ? 'resolve' : 'reject'
      for (const id of ids) assert.equal((await operator.act(id, end)).status, 200)
      assert.equal((await entry(kind)).count, 0)
    })
  }

  test('the queue counts withdrawals in NEEDS_ADMIN_ATTENTION', async () => {
    const id = await operator.submit(shop, { ending: '001', amount: '1000.00' })
    await operator.approve(id)
    await world.rows(`update withdrawals set status = 'NEEDS_ADMIN_ATTENTION' where id = $1`, [id])
    assert.deepEqual((await entry('withdrawals_needs_attention')).count, 1)
    await world.rows(`update withdrawals set status = 'SUCCESS' where id = $1`, [id])
  })

  test('the queue counts the withdrawals with a warning among the oldest hundred that wait', async () => {
    const warned = async (query: string) =>
      (await world.get(`/v1/operator/queue${query}`, await operator.session())).body.data.warned
    assert.deepEqual([await warned(''), await warned('?warnings=true')], [null, { count: 0, examined: 0 }])
    const of = await operator.shop('1000000.00')
    const ending = '719'
    const ids = [await operator.submit(of, { ending, amount: '1000.00' })]
    assert.deepEqual(await warned('?warnings=true'), { count: 1, examined: 1 }, 'the first payout to this number')
    await operator.approve(ids.pop() as string)
    world.deps.clock.advance(1)
    // Withdrawals of the same millisecond have no fixed order.
    for (let i = 0; i < 100; i++) {
      ids.push(await operator.submit(of, { ending, amount: '1000.00' }))
      world.deps.clock.advance(1)
    }
    ids.push(await operator.submit(of, { ending: '718', amount: '1000.00' }))
    assert.deepEqual(await warned('?warnings=true'), { count: 0, examined: 100 }, 'the newest is not examined')
    assert.deepEqual(await warned('?warnings=true&environment=sandbox'), { count: 0, examined: 0 })
    await operator.act(ids.shift() as string, 'reject')
    // The three withdrawals after the rejected one have a warning about it, and the newest is now examined.
    assert.deepEqual(await warned('?warnings=true'), { count: 3 + 1, examined: 100 })
    await world.rows('update merchants set archived_at = now() where id = $1', [of.merchant.id])
    assert.deepEqual(await warned('?warnings=true'), { count: 0, examined: 0 }, 'the merchant is archived')
    await world.rows('update merchants set archived_at = null where id = $1', [of.merchant.id])
    for (const id of ids) await operator.act(id, 'reject')
  })

  test('the queue counts live and sandbox withdrawals separately', async () => {
    const id = await operator.submit(shop, { environment: 'sandbox', amount: '77.00' })
    assert.equal((await entry('withdrawals_waiting')).count, 0)
    const played = await entry('withdrawals_waiting', '?environment=sandbox')
    assert.deepEqual([played.count, played.amount], [1, '77.00'])
    await operator.act(id, 'reject')
    assert.deepEqual(codeOf(await world.get('/v1/operator/queue?environment=x', await operator.session())), [
      400,
      'validation_failed',
    ])
  })
})

test('the queue counts held payments with their received amounts', async () => {
  const at = now()
  const ids = [await review.hold(shop, '014'), await review.hold(shop, '011')]
  const waiting = await entry('collections_held')
  assert.deepEqual(waiting, { kind: 'collections_held', count: 2, oldest_at: at, amount: '2100.00' })
  assert.equal(await total('/v1/operator/collections?environment=live'), 2)
  for (const id of ids) await review.clear(id, 'approve')
  assert.equal((await entry('collections_held')).count, 0)
})

test('until operators have approved and verified a merchant, the queue and the list contain the merchant', async () => {
  const at = now()
  const made = await world.newMerchant({ approved: false })
  world.deps.clock.advance(1_000)
  await world.newMerchant({ approved: false })
  const act = async (verb: string) =>
    world.post(`/v1/operator/merchants/${made.id}/${verb}`, {}, { key: await operator.session() })
  const both = async () => {
    const { count, oldest_at } = await entry('merchants_to_check')
    assert.equal(await total('/v1/operator/merchants?to_check=true'), count)
    return [count, oldest_at]
  }
  assert.deepEqual(await both(), [2, at])
  await act('approve')
  assert.deepEqual(await both(), [2, at], 'the queue counts a merchant who is approved and not verified')
  await act('verify')
  assert.equal((await both())[0], 1)
  await world.rows(`update merchants set status = 'SUSPENDED' where status = 'PENDING'`)
  assert.deepEqual(await both(), [0, null])
})

test('until an operator decides, the queue counts a requested IP address', async () => {
  const { token } = await world.newSession('MERCHANT_ADMIN')
  const body = { label: 'Office', address: '203.0.113.7', environment: 'live' }
  const made = await world.post('/v1/merchant/ip-addresses', body, { key: token })
  assert.deepEqual(await entry('ip_addresses_pending'), {
    kind: 'ip_addresses_pending',
    count: 1,
    oldest_at: now(),
    amount: null,
  })
  await world.post(`/v1/operator/ip-addresses/${made.body.data.id}/approve`, {}, { key: await operator.session() })
  assert.equal((await entry('ip_addresses_pending')).count, 0)
})

test('the queue counts open reconciliation cases', async () => {
  await world.rows(
    `insert into reconciliation_exceptions (id, provider, kind, subject, line_kind, currency, difference_minor, statement_id, opened_at)
     select gen_random_uuid(), 'mock', 'unknown_to_us', 'id:' || n, 'payment', 'TZS', 100, gen_random_uuid(), $1::timestamptz - n * interval '1 hour'
     from generate_series(1, 3) n`,
    [world.deps.clock.now()],
  )
  await world.rows(
    `update reconciliation_exceptions set resolution = 'accepted', resolved_at = $1 where subject = 'id:3'`,
    [world.deps.clock.now()],
  )
  const oldest_at = new Date(world.deps.clock.now().getTime() - 2 * 3_600_000).toISOString()
  assert.deepEqual(await entry('reconciliation_exceptions'), {
    kind: 'reconciliation_exceptions',
    count: 2,
    oldest_at,
    amount: null,
  })
})

test('the list of failing webhooks shows a URL, without its query, from the second failed attempt until a success', async () => {
  const failing = async () => {
    const reply = await world.get('/v1/operator/webhooks/failing', await operator.session())
    assert.equal(reply.status, 200, reply.text)
    const { items } = reply.body.data
    assert.equal((await entry('webhooks_failing')).count, items.length)
    return items
  }
  const own = async (shop: ShopWithKeys) => {
    const reply = await world.get(
      '/v1/merchant/webhook-status',
      (await world.newSession([{ role: 'VIEWER', merchant: shop.merchant }])).token,
    )
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data.failing
  }
  const listens = await review.shop()
  const deaf = await review.shop()
  const webhook_url = `${receiver.url}?token=hush`
  const url = '/v1/merchant/webhook-config'
  await world.call({ method: 'PATCH', url, payload: { webhook_url }, key: deaf.live })
  await review.pay(listens, '001')
  assert.deepEqual(await failing(), [])
  receiver.reply = { kind: 'status', status: 500 }
  const made = now()
  await review.pay(deaf, '001')
  await review.pay(deaf, '001')
  assert.deepEqual(await failing(), [], 'one miss does not make an endpoint fail')
  assert.deepEqual(await own(deaf), [])
  const later = async (minutes: number) => {
    world.deps.clock.advance(minutes * 60_000 + 1_000)
    await world.work()
  }
  await later(1)
  const { id, name } = deaf.merchant
  const next_attempt_at = new Date(world.deps.clock.now().getTime() + 5 * 60_000).toISOString()
  const state = (failed: number, given_up: number, next: string | null) => ({
    environment: 'live',
    endpoint_id: 'default',
    failed,
    given_up,
    oldest_at: made,
    last_failed_at: now(),
    last_status_code: 500,
    last_error: 'unexpected_status',
    next_attempt_at: next,
  })
  assert.deepEqual(await failing(), [
    { merchant_id: id, name, webhook_url: receiver.url, ...state(2, 0, next_attempt_at) },
  ])
  assert.deepEqual(await own(deaf), [state(2, 0, next_attempt_at)])
  assert.deepEqual(await own(listens), [])
  const of_sandbox = await world.get('/v1/operator/queue?environment=sandbox', await operator.session())
  const counted = of_sandbox.body.data.items.find(({ kind }: { kind: string }) => kind === 'webhooks_failing')
  assert.equal(counted.count, 0, 'the queue of the sandbox has no live endpoint')
  assert.equal((await entry('webhooks_failing')).oldest_at, made)
  for (const minutes of [5, 15, 30]) await later(minutes)
  assert.deepEqual(await own(deaf), [state(2, 2, null)])
  receiver.reply = { kind: 'status', status: 200 }
  world.deps.clock.advance(1_000)
  await review.pay(deaf, '001')
  assert.deepEqual(await failing(), [], 'the endpoint accepts events again')
  // If the merchant retries a failed delivery and the attempt also fails, the list contains the endpoint again.
  const list = await world.get('/v1/merchant/webhook-deliveries?status=failed', deaf.live)
  receiver.reply = { kind: 'status', status: 503 }
  world.deps.clock.advance(1_000)
  const again = `/v1/merchant/webhook-deliveries/${list.body.data.items[0].id}/replay`
  assert.equal((await world.call({ method: 'POST', url: again, key: deaf.live })).status, 202)
  assert.deepEqual(await failing(), [])
  await world.work()
  assert.equal((await own(deaf))[0].last_status_code, 503)
  world.deps.clock.advance(7 * 24 * 3_600_000 + 1)
  assert.deepEqual(await failing(), [])
})
