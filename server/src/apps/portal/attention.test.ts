// Tests which problems are items of the attention list of a merchant, and when an item disappears.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { fund } from '../../../test/withdrawals.ts'
import { issueAccessToken, issuerKey } from '../../access/identity/index.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { DAY_MS, newId } from '../../kernel/lib/index.ts'

type ItemReply = Record<string, unknown> & { kind: string; count: number }

let world: World
let receiver: Receiver
let operator: string
before(async () => {
  world = await createWorld()
  receiver = await startReceiver()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(async () => {
  await world.close()
  await receiver.close()
})

/** Makes a merchant with sessions of two roles and a sandbox key. */
async function newShop() {
  const merchant = await world.newMerchant()
  const token = async (role: 'MERCHANT_ADMIN' | 'VIEWER') => (await world.newSession([{ role, merchant }])).token
  const [viewer, admin] = await Promise.all([token('VIEWER'), token('MERCHANT_ADMIN')])
  const key = await world.newKey({ merchant })
  const items = async (environment = 'sandbox'): Promise<ItemReply[]> => {
    const reply = await world.get(`/v1/merchant/attention?environment=${environment}`, viewer)
    assert.equal(reply.status, 200, reply.text)
    const own = await world.get(`/v1/me/attention?environment=${environment}`, viewer)
    assert.equal(own.status, 200, own.text)
    const expected = [...new Set(kinds(reply.body.data.items))].filter((kind) => kind !== 'success_rate_low')
    const [found, ...others] = own.body.data.merchants
    assert.deepEqual([found?.kinds ?? [], others], [expected, []], 'the marks of the merchants agree with the list')
    if (found !== undefined) assert.equal(found.merchant_id, merchant.id)
    return reply.body.data.items
  }
  return { merchant, viewer, admin, key, items }
}

const kinds = (items: readonly ItemReply[]) => items.map(({ kind }) => kind)

test('the attention list of a merchant without problems is empty', async () => {
  const { items } = await newShop()
  assert.deepEqual([await items('sandbox'), await items('live')], [[], []])
})

test('an endpoint that misses deliveries is an item in both environments, until the server has sent the missed deliveries', async () => {
  const { merchant, admin, key, items } = await newShop()
  receiver.reply = { kind: 'status', status: 500 }
  const payload = { webhook_url: receiver.url, environment: 'sandbox' }
  const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key: admin })
  assert.equal(saved.status, 200, saved.text)
  const pay = () => world.post('/v1/collections/wallet-push', { amount: 500, phone: '0754123001' }, { key })
  await pay()
  await world.work()
  const factsOf = async () =>
    (await items()).map(({ kind, count, webhook }) => ({ kind, count, ...(webhook as object) }))
  const [retrying] = (await factsOf()) as Record<string, unknown>[]
  const retry_at = new Date(world.deps.clock.now().getTime() + 60_000).toISOString()
  assert.deepEqual([retrying?.kind, retrying?.count, retrying?.next_attempt_at], ['webhooks_retrying', 1, retry_at])
  assert.deepEqual(
    (await world.get('/v1/merchant/webhook-status', admin)).body.data.failing,
    [],
    'one miss is no failure',
  )
  await world.pass(61_000)
  for (const environment of ['sandbox', 'live']) {
    const [item] = await items(environment)
    assert.deepEqual([item?.kind, item?.environment, item?.count], ['webhooks_failing', 'sandbox', 1], environment)
    assert.equal((item?.webhook as { last_status_code: number } | undefined)?.last_status_code, 500)
  }
  await pay()
  await world.work()
  const changes = async () => ((await factsOf()) as { changed?: boolean }[]).map(({ changed }) => changed)
  assert.deepEqual(await changes(), [false])
  world.deps.clock.advance(1)
  await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key: admin })
  assert.deepEqual(await changes(), [true])
  const given_up = `update webhook_deliveries set status = 'failed', due_at = null where merchant_id = $1 and attempts = 1`
  await world.rows(given_up, [merchant.id])
  receiver.reply = { kind: 'status', status: 200 }
  await pay()
  await world.work()
  const [waiting] = (await factsOf()) as Record<string, unknown>[]
  assert.deepEqual(
    [waiting?.kind, waiting?.count, waiting?.failed, waiting?.given_up, waiting?.endpoint_id],
    ['webhooks_waiting', 2, 2, 1, 'default'],
  )
  assert.deepEqual((await world.get('/v1/merchant/webhook-status', admin)).body.data.failing, [])
  world.deps.clock.advance(1)
  const replay = { since: waiting?.oldest_at, endpoint_id: 'default' }
  const replayed = await world.post('/v1/merchant/webhook-deliveries/replay', replay, { key })
  assert.equal(replayed.body.data.queued, waiting?.count, 'the replay sends the deliveries that the item counts')
  assert.deepEqual(await items(), [], 'due deliveries are no item')
  await world.work()
  assert.deepEqual(await items(), [])
})

test('a question of an operator is an item until the merchant answers', async () => {
  const { merchant, admin, key, items } = await newShop()
  await fund(world, { merchant, amount: '5000' })
  const body = { amount: '1000', destination_code: 'MPESA', destination_identifier: '0754123456' }
  const { id } = (await world.post('/v1/disbursements/mobile-money', body, { key })).body.data
  assert.deepEqual(await items(), [])
  const asked = await world.post(`/v1/operator/withdrawals/${id}/request-info`, { message: 'Why?' }, { key: operator })
  assert.equal(asked.status, 200, asked.text)
  const [item] = await items()
  assert.deepEqual(
    [item?.kind, item?.count, item?.status, item?.amount, item?.since],
    ['withdrawals_info_requested', 1, 'INFO_REQUESTED', '1000.00', world.deps.clock.now().toISOString()],
  )
  assert.deepEqual(await items('live'), [])
  const url = `/v1/merchant/withdrawals/${id}/respond?environment=sandbox`
  const answered = await world.post(url, { message: 'For the supplier.' }, { key: admin })
  assert.equal(answered.status, 200, answered.text)
  assert.deepEqual(await items(), [])
})

test('a payment under review is an item with its amount, and a withdrawal that needs reconciliation is an item', async () => {
  const { merchant, key, items } = await newShop()
  await world.post('/v1/collections/wallet-push', { amount: 700, phone: '0754123014' }, { key })
  await world.work()
  const [held] = await items()
  assert.deepEqual(
    [held?.kind, held?.count, held?.status, held?.amount],
    ['payments_held', 1, 'pending_clearance', '700.00'],
  )
  await fund(world, { merchant, amount: '5000' })
  const body = { amount: '1000', destination_code: 'MPESA', destination_identifier: '0754123456' }
  const { id } = (await world.post('/v1/disbursements/mobile-money', body, { key })).body.data
  const url = `/v1/sandbox/disbursements/${id}/simulate`
  const simulated = await world.post(url, { outcome: 'NEEDS_RECONCILIATION' }, { key })
  assert.equal(simulated.status, 200, simulated.text)
  const found = (await items()).find(({ kind }) => kind === 'withdrawals_in_doubt')
  assert.deepEqual([found?.count, found?.status], [1, 'NEEDS_RECONCILIATION'])
})

test('a key that expires within 14 days is an item, and an expired key is no item', async () => {
  const { merchant, viewer, items } = await newShop()
  const expire = (name: string, days: number) =>
    world.rows('update api_keys set expires_at = $3 where merchant_id = $1 and name = $2', [
      merchant.id,
      name,
      new Date(world.deps.clock.now().getTime() + days * DAY_MS),
    ])
  await expire('Test', 15)
  assert.deepEqual(await items(), [])
  await expire('Test', 13)
  assert.deepEqual(kinds(await items()), ['keys_expiring'])
  await expire('Test', -1)
  assert.deepEqual(await items(), [])
  assert.ok(viewer)
})

test('a member reads in one request which merchants need attention, but only those that the session may read', async () => {
  const shops = await Promise.all([newShop(), newShop(), newShop(), newShop()])
  const [calm, low, strict, foreign] = shops.map(({ merchant }) => merchant) as [Merchant, Merchant, Merchant, Merchant]
  for (const { id } of [low, strict, foreign]) {
    await world.rows(
      "insert into balance_marks (merchant_id, environment, mark_minor, updated_at) values ($1, 'sandbox', 1, now())",
      [id],
    )
  }
  await world.rows('update merchants set second_factor_required = true where id = $1', [strict.id])
  const roles = [calm, low, strict].map((merchant) => ({ role: 'VIEWER' as const, merchant }))
  const { token: strong, user_id } = await world.newSession(roles)
  const issuer = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  const weak = await issueAccessToken(world.deps, issuer, user_id, ['pwd'])
  const marked = async (token: string, environment: string) => {
    const { merchants } = (await world.get(`/v1/me/attention?environment=${environment}`, token)).body.data
    return new Map(merchants.map((one: { merchant_id: string; kinds: string[] }) => [one.merchant_id, one.kinds]))
  }
  const balance_low = ['balance_low']
  assert.deepEqual(await marked(weak, 'sandbox'), new Map([[low.id, balance_low]]))
  assert.deepEqual(
    await marked(strong, 'sandbox'),
    new Map([
      [low.id, balance_low],
      [strict.id, balance_low],
    ]),
  )
  assert.deepEqual(await marked(strong, 'live'), new Map())
  assert.deepEqual((await world.get('/v1/me/attention?environment=sandbox', operator)).body.data.merchants, [])
})

describe('the mark of the balance', () => {
  const set = (token: string, balance_below: unknown, environment = 'sandbox') =>
    world.call({
      method: 'PUT',
      url: `/v1/merchant/balance-mark?environment=${environment}`,
      payload: { balance_below },
      key: token,
    })

  test('a balance below the mark is an item, and each environment has its own mark', async () => {
    const { merchant, viewer, admin, items } = await newShop()
    await fund(world, { merchant, amount: '5000' })
    assert.deepEqual((await set(admin, '5000.00')).body.data, { balance_below: '5000.00' })
    assert.deepEqual(await items(), [], 'the balance equals the mark')
    await set(admin, '5000.01')
    const [item] = await items()
    assert.deepEqual([item?.kind, item?.amount, item?.limit], ['balance_low', '5000.00', '5000.01'])
    assert.deepEqual(await items('live'), [])
    assert.deepEqual((await world.get('/v1/merchant/balance-mark?environment=sandbox', viewer)).body.data, {
      balance_below: '5000.01',
    })
    await set(admin, null)
    assert.deepEqual(await items(), [])
  })

  test('a wrong amount or a wrong role changes nothing, and each change is in the audit log once', async () => {
    const { merchant, viewer, admin } = await newShop()
    await set(admin, '900')
    await set(admin, '900.00')
    for (const wrong of ['-1', '0', '1e3', 'abc', '1.234', '25,000', '9'.repeat(30), 5]) {
      const reply = await set(admin, wrong)
      assert.deepEqual([reply.status, reply.body.error.details.fields[0].field], [400, 'balance_below'], String(wrong))
    }
    assert.equal((await set(viewer, '1')).status, 403)
    const { body } = await world.get('/v1/merchant/balance-mark?environment=sandbox', admin)
    assert.deepEqual(body.data, { balance_below: '900.00' })
    const log = await world.rows<{ after: object }>(
      "select after from audit_log where merchant_id = $1 and action = 'merchant.set_balance_mark'",
      [merchant.id],
    )
    assert.deepEqual(log, [{ after: { balance_below: '900.00', environment: 'sandbox' } }])
  })
})

test('a success rate of today is an item only with enough payments, and only far below the rate of the previous 7 days', async () => {
  const { merchant, items } = await newShop()
  const start = world.deps.clock.now()
  const insert = (days_ago: number, status: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () => {
        const at = new Date(start.getTime() - days_ago * DAY_MS)
        const id = newId(
          { clock: { ...world.deps.clock, now: () => at }, random: world.deps.random },
          merchant.routing_code,
        )
        return world.rows(
          `insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
             currency, fee_minor, amount_received_minor, failure_reason_code, created_at, updated_at)
           values ($1, $2, 'sandbox', 'sandbox', $3, 1, 'wallet_push', 1000, 'TZS', 0, 1000, 'timeout', $4, $4)`,
          [merchant.id, id, status, at],
        )
      }),
    )
  await insert(2, 'successful', 45)
  await insert(2, 'failed', 4)
  await insert(0, 'successful', 10)
  await insert(0, 'failed', 9)
  assert.deepEqual(await items(), [], 'too few payments of today and before')
  await insert(0, 'failed', 1)
  assert.deepEqual(await items(), [], 'too few payments before')
  await insert(3, 'failed', 1)
  const [item] = await items()
  assert.deepEqual([item?.kind, item?.count, item?.rate, item?.rate_before], ['success_rate_low', 10, '50.0', '90.0'])
  await insert(0, 'successful', 40)
  assert.deepEqual(await items(), [], '83.3 % is near to 90 %')
})
