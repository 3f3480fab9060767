// Tests the record of what an operator could see at the moment of an approval or a rejection.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { fund } from '../../../test/payouts.ts'

const DAY = 86_400_000
const FREE = { rules: [{ flow: 'withdrawal' }] }

let world: World
let operator: TestOperator
before(async () => {
  world = await createWorld({ env: { FOUR_EYES_AMOUNT: '90000' } })
  operator = await createTestOperator(world)
})
after(() => world.close())

async function caseOf(id: string) {
  const reply = await world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}

/** Submits a withdrawal with a later time than the withdrawals before, so that its id is greater. */
function submitLater(shop: ShopWithKeys, options: { amount: string; ending: string }): Promise<string> {
  world.deps.clock.advance(1)
  return operator.submit(shop, options)
}

/** Returns the evidence in the audit entries about a withdrawal, oldest first. */
const evidenceOf = async (id: string) => {
  const rows = await world.rows<{ action: string; after: { evidence?: object } }>(
    "select action, after from audit_log where target_id = $1 and action <> 'withdrawal.submit' order by seq",
    [id],
  )
  return rows.map(({ action, after: { evidence } }) => [action, evidence])
}

test('the audit entry and the case keep the warnings of a rejection, an approval, a batch and a first approval, with their figures', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const [known, fresh] = ['651', '652']
  const paid = await operator.submit(shop, { amount: '1000.00', ending: known })
  await operator.approve(paid)
  const rejected = await submitLater(shop, { amount: '85000.00', ending: fresh })
  const single = await submitLater(shop, { amount: '2000.00', ending: known })
  const [batched, large] = [
    await submitLater(shop, { amount: '3000.00', ending: known }),
    await submitLater(shop, { amount: '92000.00', ending: known }),
  ]
  world.deps.clock.advance(1_000)
  await operator.act(rejected, 'reject')
  const { updated_at } = await operator.show(rejected)
  const name_check = await world.post(
    `/v1/operator/withdrawals/${single}/name-check`,
    {},
    { key: await operator.session() },
  )
  const { checked_at } = name_check.body.data
  await operator.act(single, 'approve', {}, { idempotency_key: randomUUID() })
  const body = { withdrawal_ids: [batched, large], dry_run: true }
  const send = async (dry_run: boolean) =>
    world.post('/v1/operator/withdrawals/approve-batch', { ...body, dry_run }, { key: await operator.session() })
  await send(true)
  assert.deepEqual(await evidenceOf(batched), [], 'a dry run decides nothing')
  await send(false)

  const figures = {
    largest_paid_amount: '1000.00',
    income: null,
    daily_limit: null,
    destination_limit: null,
    recent_failure: null,
    name_check: null,
  }
  const recent_failure = {
    count: 1,
    withdrawal_id: rejected,
    status: 'REJECTED',
    at: updated_at,
    rejected_by: { kind: 'operator', id: operator.user_id, name: operator.email },
  }
  const of_rejection = {
    ...figures,
    warnings: ['large_share', 'large_multiple', 'new_destination'],
    available: '99000.00',
    balance_percent: '85.8',
    times_largest_paid: '85.0',
  }
  const of_single = {
    ...figures,
    warnings: ['recent_failure'],
    available: '99000.00',
    balance_percent: '2.0',
    times_largest_paid: '2.0',
    recent_failure,
    name_check: { matches: null, checked_at },
  }
  const of_batch = { ...of_single, available: '97000.00', balance_percent: '3.0', times_largest_paid: '3.0' }
  const of_first = {
    ...of_batch,
    warnings: ['large_share', 'large_multiple', 'recent_failure'],
    balance_percent: '94.8',
    times_largest_paid: '92.0',
  }
  const expected = [
    [rejected, 'withdrawal.reject', of_rejection],
    [single, 'withdrawal.approve', of_single],
    [batched, 'withdrawal.approve', { ...of_batch, name_check: null }],
    [large, 'withdrawal.first_approve', { ...of_first, name_check: null }],
  ] as const
  for (const [id, action, evidence] of expected) {
    assert.deepEqual(
      (await evidenceOf(id)).filter(([name]) => name !== 'withdrawal.name_check'),
      [[action, evidence]],
    )
    const { decisions } = await caseOf(id)
    assert.deepEqual(
      decisions.map(({ at: _, ...rest }: { at: string }) => rest),
      [{ action, operator: operator.email, evidence }],
    )
  }
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
  const log = await world.get('/v1/merchant/audit-log?page_size=100', token)
  assert.match(log.text, /withdrawal\.reject/)
  assert.doesNotMatch(log.text, /evidence|large_share/, 'merchants do not read what operators saw')
})

test('the evidence has the figures of an exceeded limit and of a burst of income, and no name or number of the recipient', async () => {
  const shop = await operator.shop('30000.00', FREE)
  const ending = '653'
  await operator.approve(await operator.submit(shop, { ending, amount: '10000.00' }))
  world.deps.clock.advance(9 * DAY)
  await fund(world, 4_000_000n, { merchant: shop.merchant })
  const payload = { daily_limit: '39999.99', daily_limit_per_destination: '39000.00', reason: 'Test' }
  const url = `/v1/operator/merchants/${shop.merchant.id}/payout-limits`
  assert.equal((await world.call({ method: 'PUT', url, key: await operator.session(), payload })).status, 200)
  const id = await submitLater(shop, { ending, amount: '40000.00' })
  const shown = (await caseOf(id)).facts.warnings
  await operator.act(id, 'reject')
  const [[, evidence] = []] = await evidenceOf(id)
  const { warnings, income, daily_limit, destination_limit } = evidence as Record<string, object>
  assert.deepEqual(warnings, ['daily_limit', 'destination_limit', 'income_burst'])
  assert.deepEqual(warnings, shown)
  assert.deepEqual(income, { received: '40000.00', daily_before: '0.00' })
  assert.deepEqual(daily_limit, { limit: '39999.99', approved_today: '0.00' })
  assert.deepEqual(destination_limit, { limit: '39000.00', approved_today: '0.00' })
  assert.doesNotMatch(JSON.stringify(evidence), /Asha|754123/)
})
