// Tests the daily limits of payouts: the settings, the limits that an operator sets for a merchant, and the facts that people read.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { unchanged } from '../../../test/withdrawals.ts'

const DAY = 24 * 3_600_000
const REACHED = [409, 'payout_limit_reached']

let world: World
/** Another process of the same installation. */
let other: World
let operator: TestOperator
before(async () => {
  const options = { env: { PAYOUT_DAILY_LIMIT: '25000', PAYOUT_DAILY_LIMIT_PER_DESTINATION: '15000' } }
  world = await createWorld(options)
  other = await createWorld({ ...options, url: world.url })
  operator = await createTestOperator(world)
})
after(async () => {
  await other.close()
  await world.close()
})

const newShop = () => operator.shop('1000000.00')
// biome-ignore lint/suspicious/noExplicitAny: the tests read every field
const limitsInCase = async (id: string): Promise<any> =>
  (await world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())).body.data.payout_limits
const setLimits = async (shop: ShopWithKeys, payload: object) =>
  world.call({
    method: 'PUT',
    url: `/v1/operator/merchants/${shop.merchant.id}/payout-limits`,
    payload,
    key: await operator.session(),
  })

test('the server refuses an approval beyond the daily limit of the merchant, and accepts the same approval on the next day', async () => {
  const shop = await newShop()
  for (const ending of ['301', '302']) await operator.approve(await operator.submit(shop, { ending, amount: '12000.00' }))
  const [over, within] = [
    await operator.submit(shop, { ending: '303', amount: '1000.01' }),
    await operator.submit(shop, { ending: '303', amount: '1000.00' }),
  ]
  assert.deepEqual(await limitsInCase(over), {
    daily: { limit: '25000.00', approved_today: '24000.00', exceeded: true },
    destination: { limit: '15000.00', approved_today: '0.00', exceeded: false },
  })
  const refused = await unchanged(world, () => operator.act(over, 'approve'), 'a refused approval')
  assert.deepEqual(codeOf(refused), REACHED)
  assert.match(refused.body.error.message, /limit of the merchant is 25000\.00.* 24000\.00 today.* is 1000\.01\./)
  assert.equal((await operator.act(within, 'approve')).status, 200, 'exactly the limit')
  const elsewhere = await newShop()
  await operator.approve(await operator.submit(elsewhere, { ending: '303', amount: '15000.00' }))
  world.deps.clock.advance(DAY)
  assert.equal((await operator.act(over, 'approve')).status, 200)
})

test('the payouts of a merchant to one phone have a limit of their own, whatever the code of the network', async () => {
  const shop = await newShop()
  const phone = { amount: '8000.00', destination_name: 'Asha Mwinyi', destination_identifier: '255754123311' }
  const submit = async (destination_code: string) => {
    const body = { ...phone, destination_code }
    return (await world.post('/v1/disbursements/mobile-money', body, { key: shop.live })).body.data.id
  }
  const [mpesa, airtel] = [await submit('MPESA'), await submit('AIRTEL')]
  await operator.approve(mpesa)
  const refused = await operator.act(airtel, 'approve')
  assert.deepEqual(codeOf(refused), REACHED)
  assert.match(refused.body.error.message, /to one destination is 15000\.00\. Operators approved 8000\.00/)
  const { daily, destination } = await limitsInCase(airtel)
  assert.deepEqual([daily.exceeded, destination.exceeded, destination.approved_today], [false, true, '8000.00'])
})

test('a payout whose money came back no longer counts', async () => {
  const shop = await newShop()
  const declined = await operator.submit(shop, { ending: '102', amount: '14000.00' })
  await operator.approve(declined)
  assert.equal((await operator.show(declined)).status, 'FAILED')
  const again = await operator.submit(shop, { ending: '102', amount: '14000.00' })
  assert.equal((await operator.act(again, 'approve')).status, 200)
  await world.work()
})

test('approvals at once in two processes and in a batch never exceed the limit together', async () => {
  const shop = await newShop()
  const submit = async (ending: string) => operator.submit(shop, { ending, amount: '10000.00' })
  const ids = [await submit('321'), await submit('322'), await submit('323'), await submit('324')]
  const replies = await Promise.all(
    ids.map((id, place) => operator.act(id, 'approve', {}, { world: place % 2 === 0 ? world : other })),
  )
  assert.deepEqual(replies.map(codeOf).toSorted(), [[200, 'ok'], [200, 'ok'], REACHED, REACHED])
  const batched = await newShop()
  const lines = []
  for (const ending of ['331', '332', '333']) {
    lines.push(await operator.submit(batched, { ending, amount: '10000.00' }))
  }
  for (const dry_run of [true, false]) {
    const body = { withdrawal_ids: lines, dry_run }
    const reply = await world.post('/v1/operator/withdrawals/approve-batch', body, { key: await operator.session() })
    const outcomes = reply.body.data.items.map((item: { code: string | null }) => item.code)
    assert.deepEqual(outcomes, [null, null, 'payout_limit_reached'])
  }
})

test('an operator sets the limits of one merchant, with an audit entry, and the merchant reads the limits', async () => {
  const shop = await newShop()
  const id = await operator.submit(shop, { ending: '341', amount: '40000.00' })
  assert.deepEqual(codeOf(await operator.act(id, 'approve')), REACHED)
  const made = await setLimits(shop, { daily_limit: '50000', daily_limit_per_destination: '40000.00', reason: 'Rent' })
  const own = { daily_limit: '50000.00', daily_limit_per_destination: '40000.00' }
  assert.deepEqual([made.status, made.body.data], [200, { ...own, in_force: own }])
  assert.equal((await operator.act(id, 'approve')).status, 200)
  const facts = await world.get('/v1/merchant/payout-limits', shop.live)
  assert.deepEqual(facts.body.data, { ...own, approved_today: '40000.00' })
  const [entry] = await world.rows<{ action: string; reason: string; before: object; after: object }>(
    `select action, reason, before, after from audit_log where merchant_id = $1 and action = 'merchant.payout_limits'`,
    [shop.merchant.id],
  )
  const setting = { daily_limit: '25000.00', daily_limit_per_destination: '15000.00' }
  const before = { daily_limit: null, daily_limit_per_destination: null, in_force: setting }
  assert.deepEqual([entry?.reason, entry?.before, entry?.after], ['Rent', before, { ...own, in_force: own }])
  await setLimits(shop, { daily_limit: '0', daily_limit_per_destination: null })
  const next = await operator.submit(shop, { ending: '342', amount: '1.00' })
  assert.deepEqual(codeOf(await operator.act(next, 'approve')), REACHED, 'a limit of zero stops all payouts')
})

test('a wrong limit is refused by name, changes nothing, and a merchant cannot set its limits', async () => {
  const shop = await newShop()
  for (const [payload, field] of [
    [{ daily_limit: '-1', daily_limit_per_destination: null }, 'daily_limit'],
    [{ daily_limit: null, daily_limit_per_destination: '1e9' }, 'daily_limit_per_destination'],
    [{ daily_limit: null }, 'daily_limit_per_destination'],
  ] as const) {
    const refused = await unchanged(world, () => setLimits(shop, payload))
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].field], [400, field])
  }
  const url = `/v1/operator/merchants/${shop.merchant.id}/payout-limits`
  const payload = { daily_limit: null, daily_limit_per_destination: null }
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
  for (const key of [token, shop.live]) assert.equal((await world.call({ method: 'PUT', url, payload, key })).status, 403)
})
