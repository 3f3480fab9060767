// Tests two checks of payouts: the daily limits, and the confirmation of new destinations.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
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
  other = await createWorld({ ...options, url: world.url, clock: world.deps.clock })
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
  for (const ending of ['301', '302'])
    await operator.approve(await operator.submit(shop, { ending, amount: '12000.00' }))
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

test('the payouts of a merchant to one phone share one limit, whichever network codes the payouts have', async () => {
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

test('a payout whose money came back counts towards no limit', async () => {
  const shop = await newShop()
  const declined = await operator.submit(shop, { ending: '102', amount: '14000.00' })
  await operator.approve(declined)
  assert.equal((await operator.show(declined)).status, 'FAILED')
  const again = await operator.submit(shop, { ending: '102', amount: '14000.00' })
  assert.equal((await operator.act(again, 'approve')).status, 200)
  await world.work()
})

test('concurrent approvals in two processes, and the approvals of one batch, never exceed the limit together', async () => {
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

test('the server names a wrong limit and changes nothing, and a merchant cannot set its own limits', async () => {
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
  for (const key of [token, shop.live])
    assert.equal((await world.call({ method: 'PUT', url, payload, key })).status, 403)
})

describe('the first payout of a merchant to a destination', () => {
  const TO_CONFIRM = [409, 'confirmation_required']
  const confirmed = { confirm_new_destination: true }
  before(() => {
    for (const { deps } of [world, other]) deps.config.new_destination = 'confirm'
  })
  after(() => {
    for (const { deps } of [world, other]) deps.config.new_destination = 'warn'
  })

  test('the server requires a confirmation of the destination until a payout to the destination has succeeded', async () => {
    const shop = await newShop()
    const id = await operator.submit(shop, { ending: '401', amount: '1000.00' })
    for (const body of [{}, { confirm_new_destination: false }]) {
      const refused = await unchanged(world, () => operator.act(id, 'approve', body), 'a refused approval')
      assert.deepEqual(codeOf(refused), TO_CONFIRM)
    }
    const wrong = await operator.act(id, 'approve', { confirm_new_destination: 'yes' })
    assert.deepEqual([wrong.status, wrong.body.error.details.fields[0].field], [400, 'confirm_new_destination'])
    assert.equal((await operator.act(id, 'approve', confirmed)).status, 200)
    const [entry] = await world.rows<{ after: { new_destination?: string } }>(
      `select after from audit_log where target_id = $1 and action = 'withdrawal.approve'`,
      [id],
    )
    assert.equal(entry?.after.new_destination, 'confirmed')
    // Until the provider has paid the first payout, a second payout to the destination needs a confirmation too.
    const second = await operator.submit(shop, { ending: '401', amount: '1000.00' })
    assert.deepEqual(codeOf(await operator.act(second, 'approve')), TO_CONFIRM)
    await world.work()
    await world.pass(3_000)
    assert.equal((await operator.show(id)).status, 'SUCCESS')
    assert.deepEqual(codeOf(await operator.act(second, 'approve')), [200, 'ok'])
    const stranger = await operator.submit(await newShop(), { ending: '401', amount: '1000.00' })
    assert.deepEqual(codeOf(await operator.act(stranger, 'approve')), TO_CONFIRM, 'another merchant')
  })

  test('a batch needs a confirmation only for new destinations, and a confirmation applies to no concurrent approval', async () => {
    const shop = await newShop()
    const submit = (ending: string) => operator.submit(shop, { ending, amount: '1000.00' })
    const known = await submit('411')
    assert.equal((await operator.act(known, 'approve', confirmed)).status, 200)
    await world.work()
    await world.pass(3_000)
    const withdrawal_ids = [await submit('411'), await submit('412')]
    const key = await operator.session()
    const batch = async (body: object) => {
      const reply = await world.post('/v1/operator/withdrawals/approve-batch', { withdrawal_ids, ...body }, { key })
      return reply.body.data.items.map((item: { code: string | null; new_destination: boolean }) => [
        item.new_destination,
        item.code,
      ])
    }
    const expected = [
      [false, null],
      [true, 'confirmation_required'],
    ]
    assert.deepEqual(await batch({ dry_run: true }), expected)
    assert.deepEqual(await batch({ dry_run: true, ...confirmed }), [expected[0], [true, null]])
    assert.deepEqual(await batch({}), expected)
    const both_new = [await submit('414'), await submit('415')]
    const named = { withdrawal_ids: both_new, confirmed_new_destinations: [both_new[0]?.toUpperCase()] }
    assert.deepEqual(await batch(named), [[true, null], expected[1]])
    const stranger = { withdrawal_ids: [both_new[1]], confirmed_new_destinations: [both_new[0]] }
    const refused = await world.post('/v1/operator/withdrawals/approve-batch', stranger, { key })
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].field], [400, 'confirmed_new_destinations'])
    const [one, two] = [withdrawal_ids[1] as string, await submit('413')]
    const replies = await Promise.all([operator.act(one, 'approve', confirmed), operator.act(two, 'approve', {})])
    assert.deepEqual(replies.map(codeOf), [[200, 'ok'], TO_CONFIRM])
  })
})
