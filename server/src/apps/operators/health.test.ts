// Tests the health of providers, for which the server counts the payments and payouts of every process.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { answerWithAmount, createHeldPaymentCalls, type HeldPaymentCalls } from '../../../test/held-payments.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { newId } from '../../kernel/lib/index.ts'
import { COUNTED_MAX, LOOKED_AT_MAX } from './health.ts'

type Item = {
  provider: string
  flow: string
  method: string
  network: string | null
  counted: number
  successful: number
  failed: number
  undecided: number
  success_rate: string | null
  median_confirm_ms: number | null
  p95_confirm_ms: number | null
  last_success_at: string | null
  since: string
  bounded: boolean
  circuit: object | null
}

let world: World
let operator: TestOperator
let review: HeldPaymentCalls
let shop: ShopWithKeys
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
  review = createHeldPaymentCalls(world, operator, 'http://127.0.0.1:9/none')
  shop = await operator.shop('1000000.00')
})
after(() => world.close())

const read = async (query = ''): Promise<Item[]> => {
  const reply = await world.get(`/v1/operator/providers/health${query}`, await operator.session())
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items
}
const HOUR = 3_600_000
const hoursAgo = (hours: number) => new Date(world.deps.clock.now().getTime() - hours * HOUR).toISOString()
// The clock moves by 169 hours, so that health does not count the payments of earlier tests.
beforeEach(() => world.deps.clock.advance(169 * HOUR))

test('health counts the successful, failed and undecided payments of a network, and a held payment as successful', async () => {
  for (const ending of ['001', '001', '002', '014', '007']) await review.pay(shop, ending)
  const [item, ...others] = await read('?hours=1')
  assert.deepEqual(others, [])
  assert.deepEqual(item, {
    provider: 'mock',
    flow: 'collection',
    method: 'wallet_push',
    network: 'MPESA',
    counted: 5,
    // Health counts a held payment as successful.
    successful: 3,
    failed: 1,
    undecided: 1,
    success_rate: '75.0',
    median_confirm_ms: 0,
    p95_confirm_ms: 0,
    last_success_at: world.deps.clock.now().toISOString(),
    last_request_at: world.deps.clock.now().toISOString(),
    since: hoursAgo(1),
    bounded: false,
    // The mock provider runs in this process, so the mock provider has no circuit.
    circuit: null,
  })
  world.deps.clock.advance(169 * HOUR)
  assert.deepEqual(await read('?hours=168'), [])
})

test('health counts the payments of the requested hours and shows the time of the last success', async () => {
  await review.pay(shop, '001')
  const last = world.deps.clock.now().toISOString()
  world.deps.clock.advance(30 * HOUR)
  await review.pay(shop, '002')
  const rates = async (hours: number) => {
    const [item] = await read(`?hours=${hours}`)
    return [item?.counted, item?.success_rate, item?.last_success_at, item?.since]
  }
  assert.deepEqual(await rates(24), [1, '0.0', null, hoursAgo(24)])
  assert.deepEqual(await rates(31), [2, '50.0', last, hoursAgo(31)])
  assert.deepEqual((await read())[0]?.counted, 1, 'the default period is a day')
})

test('health counts each network, method, flow and environment separately', async () => {
  const pay = async (path: string, body: object) =>
    assert.equal(
      (await world.post(`/v1/collections/${path}`, { amount: 1000, ...body }, { key: shop.live })).status,
      202,
    )
  await pay('wallet-push', { phone: '0754123001' })
  await pay('wallet-push', { phone: '0684123001' })
  await pay('provider-pesa', { phone: '0684123001' })
  await pay('qr', { customer_phone: '0684123001' })
  await review.pay(shop, '001', 'sandbox')
  await operator.approve(await operator.submit(shop, { amount: '1000.00' }))
  await operator.approve(await operator.submit(shop, { amount: '1000.00', ending: '102' }))
  await operator.approve(await operator.submit(shop, { amount: '1000.00', ending: '103' }))
  await operator.submit(shop, { amount: '1000.00' })
  await world.work()
  const short = (items: Item[]) =>
    items.map((item) => [item.flow, item.method, item.network, item.successful, item.failed, item.undecided])
  assert.deepEqual(short(await read()), [
    ['collection', 'provider_pesa', 'AIRTEL', 1, 0, 0],
    ['collection', 'qr', null, 1, 0, 0],
    ['collection', 'wallet_push', 'AIRTEL', 1, 0, 0],
    ['collection', 'wallet_push', 'MPESA', 1, 0, 0],
    ['withdrawal', 'MOBILE_MONEY', 'MPESA', 1, 1, 1],
  ])
  assert.deepEqual(short(await read('?environment=sandbox')), [['collection', 'wallet_push', 'MPESA', 1, 0, 0]])
})

test('health measures the time from an attempt to its success', async () => {
  const ids = []
  for (let i = 0; i < 4; i++) ids.push(await review.pay(shop, '007'))
  for (const [i, id] of ids.entries()) {
    world.deps.clock.advance([1_000, 1_000, 2_000, 96_000][i] as number)
    await review.say(shop, id, answerWithAmount('succeeded', 100_000n))
  }
  // The provider repeats an answer later. The repeated answer changes no row.
  world.deps.clock.advance(HOUR)
  await review.say(shop, ids[0] as string, answerWithAmount('succeeded', 100_000n))
  const [item] = await read()
  assert.deepEqual([item?.median_confirm_ms, item?.p95_confirm_ms], [3_000, 85_600])
})

test('health counts a payout from its approval and a page payment from its attempts, however old the record is', async () => {
  const id = await operator.submit(shop, { amount: '1000.00' })
  const hosted = await world.post('/v1/collections', { amount: '1000.00' }, { key: shop.live })
  const slug = new URL(hosted.body.data.payment_url).pathname.split('/').at(-1)
  world.deps.clock.advance(20 * HOUR)
  await operator.approve(id)
  for (const ending of ['002', '001']) {
    const body = { method: 'WALLET_PUSH', customer_phone: `0754123${ending}` }
    await world.post(`/public/payment-links/${slug}/collect`, body, { key: null })
    await world.work()
  }
  assert.deepEqual(
    (await read('?hours=1')).map(({ flow, successful, failed }) => [flow, successful, failed]),
    [
      ['collection', 1, 1],
      ['withdrawal', 1, 0],
    ],
  )
})

/** Inserts declined payments of alternating providers, 100 ms apart until now. Returns their times. */
async function plant(many: number, providers: readonly string[], of: ShopWithKeys = shop): Promise<Date[]> {
  const now = world.deps.clock.now().getTime()
  const rows = Array.from({ length: many }, (_, i) => {
    const at = new Date(now - (many - i) * 100)
    const seams = { ...world.deps, clock: { ...world.deps.clock, now: () => at } }
    return { id: newId(seams, of.merchant.routing_code), at, provider: providers[i % providers.length] }
  })
  await world.rows(
    `with input as (
       select * from json_to_recordset($2::json) as x(id uuid, at timestamptz, provider text)
     ), made as (
       insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor, currency,
         fee_minor, created_at, updated_at, failure_reason_code)
       select $1, id, 'live', 'live', 'failed', 1, 'wallet_push', 100, 'TZS', 0, at, at, 'wrong_pin' from input)
     insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference, method, phone,
       amount_minor, currency, state, asks, deadline_at, created_at, updated_at)
     select $1, id, 1, 'live', provider, id, 'wallet_push', '255754123456', 100, 'TZS', 'final', 0, at, at, at from input`,
    [of.merchant.id, JSON.stringify(rows)],
  )
  return rows.map(({ at }) => at)
}

test('if a provider and method have too many attempts, health counts the newest attempts and shows the start of the count', async () => {
  const times = await plant(COUNTED_MAX + 500, ['mock'])
  const [item] = await read()
  assert.deepEqual([item?.counted, item?.failed, item?.bounded], [COUNTED_MAX, COUNTED_MAX, true])
  assert.equal(item?.since, times[500]?.toISOString())
})

test('if all merchants have too many payments, health examines the newest payments and shows the start of the count', async () => {
  const quiet = await operator.shop('0.01')
  await plant(10, ['old'], quiet)
  world.deps.clock.advance(HOUR)
  const times = await plant(LOOKED_AT_MAX + 600, ['a', 'b', 'c', 'd', 'e', 'f'])
  await plant(6, ['new'], quiet)
  const items = await read()
  const count = (provider: string) => items.find((item) => item.provider === provider)?.counted
  assert.deepEqual([count('old'), count('new')], [undefined, 6], 'health leaves out older attempts')
  assert.equal(
    items.reduce((sum, item) => sum + item.counted, 0),
    LOOKED_AT_MAX,
  )
  for (const { bounded, since } of items) assert.deepEqual([bounded, since], [true, times[606]?.toISOString()])
})

test('health refuses a period that is not a whole number of hours from 1 to 168', async () => {
  for (const hours of [0, 169, 1.5, 'x']) {
    const refused = await world.get(`/v1/operator/providers/health?hours=${hours}`, await operator.session())
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
  }
})
