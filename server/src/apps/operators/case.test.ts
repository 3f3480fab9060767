// Tests the facts in the case of a withdrawal. All facts are about the environment of the withdrawal.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { fund, insertWithdrawal } from '../../../test/payouts.ts'

let world: World
let operator: TestOperator
let shop: ShopWithKeys
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
  shop = await operator.shop('1000000.00')
})
after(() => world.close())

// biome-ignore lint/suspicious/noExplicitAny: the tests read every field
const caseOf = async (id: string): Promise<any> => {
  const reply = await world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}
const now = () => world.deps.clock.now().toISOString()
const HOUR = 3_600_000

test('the case of a withdrawal contains the record of the withdrawal as the other calls return it, and the merchant', async () => {
  const id = await operator.submit(shop)
  const found = await caseOf(id)
  assert.deepEqual(found.withdrawal, await operator.show(id))
  const { merchant } = shop
  const listed = (await world.get(`/v1/operator/merchants/${merchant.id}`, await operator.session())).body.data
  assert.deepEqual(found.merchant, {
    id: merchant.id,
    name: merchant.name,
    merchant_code: merchant.merchant_code,
    status: 'ACTIVE',
    verified: true,
    created_at: listed.created_at,
  })
})

test('a case tells when the API key of its withdrawal was made, and has no such time for a withdrawal of a member', async () => {
  const made_at = now()
  const mine = await operator.shop('1000.00')
  world.deps.clock.advance(2 * HOUR)
  const by_key = await operator.submit(mine, { amount: '100.00' })
  assert.equal((await caseOf(by_key)).withdrawal.requested_by.kind, 'api_key')
  assert.equal((await caseOf(by_key)).api_key_created_at, made_at)
  const { id: by_member } = await insertWithdrawal(world)
  assert.equal((await caseOf(by_member)).withdrawal.requested_by.kind, 'user')
  assert.equal((await caseOf(by_member)).api_key_created_at, null)
})

test('a case shows the balance and the payments of a day, without adjustments and without the other environment', async () => {
  const fresh = await operator.shop('1000.00')
  const id = await operator.submit(fresh, { amount: '100.00' })
  assert.deepEqual((await caseOf(id)).balance, {
    available: '1000.00',
    reserved: '0.00',
    held: '0.00',
    currency: 'TZS',
    last_received_at: null,
    received_24h: '0.00',
    received_since: '0.00',
    received_24h_complete: true,
    received_daily_before: null,
    received_burst: false,
  })
  const of = { merchant: fresh.merchant }
  await fund(world, 50_000n, of)
  await fund(world, 70_000n, { ...of, environment: 'sandbox' })
  const first = now()
  world.deps.clock.advance(23 * HOUR)
  await fund(world, 20_000n, of)
  const incomeOf = async (withdrawal_id: string) => {
    const { received_24h, received_since, last_received_at } = (await caseOf(withdrawal_id)).balance
    return [received_24h, received_since, last_received_at]
  }
  const request = () => operator.submit(fresh, { amount: '100.00' })
  const next = await request()
  assert.deepEqual(await incomeOf(next), ['700.00', '0.00', now()])
  const last = now()
  assert.notEqual(first, last)
  // The first payment came in the same millisecond as the first request, and the second one after this request.
  assert.deepEqual(await incomeOf(id), ['500.00', '200.00', last])
  world.deps.clock.advance(2 * HOUR)
  assert.deepEqual(await incomeOf(await request()), ['200.00', '0.00', last])
  world.deps.clock.advance(48 * HOUR)
  assert.deepEqual(await incomeOf(await request()), ['0.00', '0.00', last])
  assert.deepEqual(await incomeOf(next), ['700.00', '0.00', last])
})

test('a case reports a burst if the income of 24 hours is five times the average day of the week before', async () => {
  const mine = await operator.shop('1000.00')
  const request = () => operator.submit(mine, { amount: '100.00' })
  const receivedBefore = async (id: string) => {
    const { received_24h, received_daily_before, received_burst } = (await caseOf(id)).balance
    return [received_24h, received_daily_before, received_burst]
  }
  const received = async () => receivedBefore(await request())
  const of = { merchant: mine.merchant }
  await fund(world, 500_000n, of)
  assert.deepEqual(await received(), ['5000.00', null, false], 'a merchant of the first week has no usual income')
  world.deps.clock.advance(9 * 24 * HOUR)
  assert.deepEqual(await received(), ['0.00', '0.00', false])
  await fund(world, 140_000n, of)
  assert.deepEqual(await received(), ['1400.00', '0.00', true], 'a merchant without income receives money')
  world.deps.clock.advance(3 * 24 * HOUR)
  assert.deepEqual(await received(), ['0.00', '200.00', false])
  await fund(world, 99_900n, of)
  assert.deepEqual(await received(), ['999.00', '200.00', false])
  await fund(world, 300_000n, { ...of, environment: 'sandbox' })
  assert.deepEqual(await received(), ['999.00', '200.00', false], 'the other environment does not count')
  const earlier = await request()
  world.deps.clock.advance(1)
  await fund(world, 100n, of)
  assert.deepEqual(await received(), ['1000.00', '200.00', true])
  assert.deepEqual(await receivedBefore(earlier), ['999.00', '200.00', false], 'later income does not count')
})

test('a case shows earlier payouts to the same destination, their sum, and the number of other merchants that paid the destination', async () => {
  const [mine, other, third] = [
    await operator.shop('100000.00'),
    await operator.shop('100000.00'),
    await operator.shop('100000.00'),
  ]
  const first = await operator.submit(mine, { ending: '501', amount: '1000.00' })
  const none = {
    first_time: true,
    paid_count: 0,
    paid_amount: '0.00',
    first_paid_at: null,
    last_paid_at: null,
    open_payout: null,
  }
  assert.deepEqual((await caseOf(first)).destination, {
    ...none,
    other_merchants: 0,
    newest_other_merchants: [],
    other_names: [],
  })
  await operator.approve(first)
  assert.deepEqual(
    (await caseOf(first)).destination,
    { ...none, other_merchants: 0, newest_other_merchants: [], other_names: [] },
    'the withdrawal itself does not count',
  )
  const paid_at = (await operator.show(first)).completed_at
  await operator.approve(await operator.submit(mine, { ending: '501', amount: '2000.00' }))
  const declined = await operator.submit(mine, { ending: '102', amount: '2000.00' })
  await operator.approve(declined)
  await operator.submit(mine, { ending: '501', amount: '9000.00' })
  await operator.approve(await operator.submit(other, { ending: '501', amount: '1000.00' }))
  await operator.approve(await operator.submit(third, { ending: '501', amount: '1000.00', environment: 'sandbox' }))
  const next = await operator.submit(mine, { ending: '501', amount: '500.00' })
  const { destination } = await caseOf(next)
  const { last_paid_at, newest_other_merchants, ...rest } = destination
  assert.deepEqual(rest, {
    first_time: false,
    paid_count: 2,
    paid_amount: '3000.00',
    first_paid_at: paid_at,
    open_payout: null,
    other_merchants: 1,
    other_names: [],
  })
  assert.deepEqual(
    newest_other_merchants.map(({ name }: { name: string }) => name),
    [other.merchant.name],
  )
  assert.ok(last_paid_at > paid_at)
  await operator.act(next, 'approve')
  const { status, amount, updated_at: changed_at } = await operator.show(next)
  assert.equal(status, 'PROCESSING')
  assert.deepEqual(
    (await caseOf(await operator.submit(mine, { ending: '501', amount: '400.00' }))).destination.open_payout,
    { withdrawal_id: next, status, amount, changed_at },
  )
  assert.equal((await caseOf(next)).destination.open_payout, null, 'the withdrawal itself is no other payout')
  assert.equal(
    (await caseOf(declined)).destination.first_time,
    true,
    'the provider did not pay the declined withdrawal',
  )
})

test('a case lists the five other merchants that paid the destination last, and their differing names of the recipient', async () => {
  const ending = '517'
  const mine = await operator.shop('100000.00')
  const pay = async (of: ShopWithKeys, name: string) => {
    world.deps.clock.advance(HOUR)
    const id = await operator.submit(of, { ending, amount: '1000.00', name })
    await operator.approve(id)
    const last_paid_at = (await operator.show(id)).completed_at
    return { merchant_id: of.merchant.id, name: of.merchant.name, destination_name: name, last_paid_at }
  }
  const paid = []
  const first = await operator.shop('100000.00')
  await pay(first, 'Juma Ali')
  for (const name of ['mwinyi  ASHA', 'Neema Mushi', 'NEEMA MUSHI', 'Asha Mwinyi', 'Rehema Said'])
    paid.unshift(await pay(await operator.shop('100000.00'), name))
  await pay(mine, 'Another Name')
  const id = await operator.submit(mine, { ending, amount: '500.00' })
  const { destination } = await caseOf(id)
  assert.equal(destination.other_merchants, 6)
  assert.deepEqual(destination.newest_other_merchants, paid)
  assert.deepEqual(destination.other_names, ['Rehema Said', 'NEEMA MUSHI', 'Juma Ali'])
  paid.unshift(await pay(first, 'Asha Mwinyi'))
  const again = (await caseOf(id)).destination
  assert.deepEqual(again.newest_other_merchants, paid.slice(0, 5), 'the latest payout of each merchant counts')
  assert.deepEqual(again.other_names, ['Rehema Said', 'NEEMA MUSHI'])
})

test('a case counts the withdrawals that the merchant requested in an hour, a day and a week', async () => {
  const mine = await operator.shop('100000.00')
  await operator.submit(mine, { amount: '1.00' })
  world.deps.clock.advance(6 * 24 * HOUR)
  await operator.submit(mine, { amount: '10.00' })
  await operator.submit(mine, { amount: '5000.00', environment: 'sandbox' })
  world.deps.clock.advance(23 * HOUR)
  const id = await operator.submit(mine, { amount: '100.00' })
  const velocity = async () => (await caseOf(id)).velocity
  assert.deepEqual(await velocity(), [
    { hours: 1, count: 1, amount: '100.00' },
    { hours: 24, count: 2, amount: '110.00' },
    { hours: 168, count: 3, amount: '111.00' },
  ])
  world.deps.clock.advance(HOUR + 1)
  assert.deepEqual(await velocity(), [
    { hours: 1, count: 0, amount: '0.00' },
    { hours: 24, count: 1, amount: '100.00' },
    { hours: 168, count: 2, amount: '110.00' },
  ])
})

test('a case shows the ten previous withdrawals, newest first, and the reason of a rejected withdrawal', async () => {
  const mine = await operator.shop('100000.00')
  const ids: string[] = []
  for (let i = 0; i < 12; i++) {
    world.deps.clock.advance(10)
    ids.push((await insertWithdrawal(world, { merchant: mine.merchant })).id)
  }
  await operator.act(ids[10] as string, 'reject', { reason: 'Not this one' })
  await insertWithdrawal(world, { merchant: mine.merchant, environment: 'sandbox' })
  const { earlier } = await caseOf(ids[11] as string)
  assert.deepEqual(
    earlier.map(({ withdrawal_id }: { withdrawal_id: string }) => withdrawal_id),
    ids.slice(1, 11).reverse(),
  )
  const { created_at } = await operator.show(ids[10] as string)
  assert.deepEqual(earlier[0], {
    withdrawal_id: ids[10],
    status: 'REJECTED',
    amount: '1000.00',
    destination_identifier: '255754123456',
    created_at,
    reason: 'Not this one',
  })
})

test('the case of a rejected withdrawal keeps the facts and warnings, computed now', async () => {
  const mine = await operator.shop('100000.00')
  const id = await operator.submit(mine, { ending: '518', amount: '85000.00' })
  const { facts } = await caseOf(id)
  assert.deepEqual(facts.warnings, ['large_share', 'new_destination'])
  await operator.act(id, 'reject')
  assert.deepEqual((await caseOf(id)).facts, facts)
  await fund(world, 90_000_000n, { merchant: mine.merchant })
  assert.deepEqual((await caseOf(id)).facts.warnings, ['new_destination'])
  const paid = await operator.submit(mine, { ending: '518', amount: '1000.00' })
  await operator.approve(paid)
  assert.equal((await caseOf(paid)).facts, null)
  assert.deepEqual((await caseOf(id)).facts.warnings, ['large_multiple'])
})

test('the server answers 404 for the case of an unknown withdrawal', async () => {
  for (const id of ['nonsense', '00000000-0000-8000-8000-000000000000']) {
    const reply = await world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())
    assert.deepEqual(codeOf(reply), [404, 'not_found'])
  }
})
