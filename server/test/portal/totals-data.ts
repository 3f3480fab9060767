// Makes payments, pages, invoices, withdrawals and adjustments in every state, in one environment of one shop, with the
// expected sums. The test's SQL for the sums is independent of the platform's SQL.

import assert from 'node:assert/strict'
import { settlePayouts } from '../../src/money/withdrawals/index.ts'
import type { Reply, World } from '../harness.ts'
import { invoicesOf, slugOf } from '../invoices.ts'
import type { ShopWithKeys, TestOperator } from '../operator.ts'
import { payoutAnswers } from '../payouts.ts'

type Environment = 'live' | 'sandbox'

/** Waits until `fact` returns true. After the time limit, throws an error with `what`. */
export async function until(what: string, fact: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await fact())) {
    assert.ok(Date.now() < end, `the condition never became true: ${what}`)
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

/** Statuses, each with the expected number of records. */
const PAYMENTS: Record<string, number> = {
  created: 2,
  processing: 1,
  successful: 12,
  failed: 8,
  pending_clearance: 2,
  reversed: 1,
}
const WITHDRAWALS: Record<string, number> = {
  PENDING_ADMIN_APPROVAL: 2,
  INFO_REQUESTED: 1,
  PROCESSING: 1,
  SUCCESS: 3,
  FAILED: 1,
  REJECTED: 1,
  CANCELLED: 1,
  NEEDS_RECONCILIATION: 1,
  BLOCKED_IP_WHITELIST: 1,
  NEEDS_ADMIN_ATTENTION: 1,
  REVERSED: 1,
}

/** Fills one environment of a shop, and waits until each payment and withdrawal has its expected status. */
export async function fillEnvironment(
  world: World,
  operator: TestOperator,
  shop: ShopWithKeys,
  environment: Environment,
): Promise<void> {
  const at = { world, operator, shop, environment, key: shop[environment] }
  await payments(at)
  await pages(at)
  await withdrawals(at)
  for (const [direction, amount] of [
    ['debit', '1234.56'],
    ['credit', '77.00'],
  ]) {
    const body = { environment, direction, against: 'provider_float', amount, reason: 'Counted again' }
    ok(await operator.adjust(shop, body))
  }
  const of = [shop.merchant.id, environment]
  for (const [table, wanted] of [
    ['collections', PAYMENTS],
    ['withdrawals', WITHDRAWALS],
  ] as const) {
    const counts = async () =>
      Object.fromEntries(
        (
          await world.rows<{ status: string; count: number }>(
            `select status, count(*)::int as count from ${table} where merchant_id = $1 and environment = $2 group by 1`,
            of,
          )
        ).map(({ status, count }) => [status, count]),
      )
    await until(`the states of ${table} are ${JSON.stringify(wanted)}`, async () => same(await counts(), wanted))
  }
}

function same(one: Record<string, number>, other: Record<string, number>): boolean {
  return Object.keys({ ...one, ...other }).every((name) => one[name] === other[name])
}

type At = { world: World; operator: TestOperator; shop: ShopWithKeys; environment: Environment; key: string }

function ok(reply: Reply): Reply {
  assert.ok(reply.status < 300, reply.text)
  return reply
}

async function payments({ world, operator, key, shop, environment }: At): Promise<void> {
  // The last payer pays more than the requested amount. An operator approves that payment, and declines the payment before it.
  const failing = ['002', '003', '004', '005', '006']
  const endings = [...Array(9).fill('001'), ...failing, '007', '012', '013', '014', '014', '014', '011']
  const pushed = endings.map(async (ending, i) => {
    const body = { amount: `${10_000 + i * 111}.${10 + i}`, phone: `0754123${ending}` }
    return ok(await world.post('/v1/collections/wallet-push', body, { key })).body.data.collection_id as string
  })
  const ids = await Promise.all(pushed)
  for (let i = 0; i < 2; i++) ok(await world.post('/v1/collections', { amount: `${500 + i}.00` }, { key }))
  const held = async () =>
    world.rows<{ collection_id: string }>(
      `select collection_id from held_collections
       where merchant_id = $1 and environment = $2 and decided_at is null order by collection_id`,
      [shop.merchant.id, environment],
    )
  await until('four held payments', async () => (await held()).length === 4)
  for (const [place, decision] of ['approve', 'decline'].entries()) {
    const path = `/v1/operator/collections/${ids.at(-1 - place)}/clear`
    ok(await world.post(path, { decision, reason: 'The receipt' }, { key: await operator.session() }))
  }
}

/** Makes links and invoices in each state. Payers pay one link and one invoice, and one attempt to pay a link fails. */
async function pages({ world, shop, key }: At): Promise<void> {
  const link = async (amount: string, more: object = {}) =>
    ok(await world.post('/v1/payment-links', { merchant_id: shop.merchant.id, amount, ...more }, { key })).body.data
  const pay = async (slug: string, ending: string) => {
    const body = { method: 'WALLET_PUSH', customer_phone: `0754123${ending}` }
    ok(await world.post(`/public/payment-links/${slug}/collect`, body, { key: null }))
  }
  const soon = new Date(world.deps.clock.now().getTime() + 3_600_000).toISOString()
  const [open, paid, cancelled] = [await link('3000.00'), await link('4000.50'), await link('5000.00')]
  const expired = await link('6000.00', { expires_at: soon })
  await world.rows(
    `update payment_links set expires_at = created_at + interval '1 millisecond' where id = $1 and merchant_id = $2`,
    [expired.id, shop.merchant.id],
  )
  await link('6500.00', { expires_at: new Date(world.deps.clock.now().getTime() + 86_400_000).toISOString() })
  await pay(open.public_slug, '002')
  await pay(paid.public_slug, '001')
  ok(await world.call({ method: 'POST', url: `/v1/payment-links/${cancelled.id}/cancel`, key }))

  const { draft, sent, act } = invoicesOf(world)
  const today = new Date(world.deps.clock.now().getTime() + 10_800_000).toISOString().slice(0, 10)
  const invoice = (unit_price: string) => ({
    due_date: today,
    customer_email: null,
    items: [{ description: 'Viatu', quantity: '1', unit_price }],
  })
  await draft(invoice('7000.00'), key)
  await draft(invoice('7100.25'), key)
  await sent(invoice('7200.00'), key)
  const late = await sent(invoice('7300.00'), key)
  const settled = await sent(invoice('7400.00'), key)
  ok(await act((await sent(invoice('7500.00'), key)).id, 'cancel', key))
  await pay(slugOf(settled.payment_url), '001')
  // This statement has the effect of three days that pass.
  await world.rows('update invoices set due_date = due_date - 3 where id = $1 and merchant_id = $2', [
    late.id,
    shop.merchant.id,
  ])
}

async function withdrawals({ world, operator, shop, environment }: At): Promise<void> {
  const submit = (ending: string, amount: string) => operator.submit(shop, { ending, amount, environment })
  const statusOf = async (id: string) => (await operator.show(id)).status as string
  const approved = async (ending: string, amount: string) => {
    const id = await submit(ending, amount)
    ok(await operator.act(id, 'approve'))
    return id
  }
  await submit('001', '1000.00')
  await submit('001', '1100.00')
  ok(await operator.act(await submit('001', '1200.00'), 'request-info'))
  ok(await operator.act(await submit('001', '1300.00'), 'reject'))
  ok(await world.post(`/v1/disbursements/${await submit('001', '1350.00')}/cancel`, {}, { key: shop[environment] }))
  for (const amount of ['2000.00', '2100.50']) await approved('001', amount)
  const doubtful = await approved('103', '2200.00')
  const contradicted = await approved('001', '2300.00')
  for (const [ending, amount] of [
    ['102', '2400.00'],
    ['103', '2500.00'],
    ['104', '2600.00'],
    ['105', '2700.00'],
  ] as const)
    await approved(ending, amount)
  await until('a doubt and a payout', async () => {
    const reached = [await statusOf(doubtful), await statusOf(contradicted)]
    return same({ [reached.join()]: 1 }, { 'NEEDS_RECONCILIATION,SUCCESS': 1 })
  })
  ok(await operator.act(doubtful, 'resolve'))
  const key = { merchant_id: shop.merchant.id, id: contradicted }
  await settlePayouts(world.deps, [{ ...key, answer: payoutAnswers.declined, holds_lease: false }], () => false)
  // The provider keeps this payout open. If the platform queries the payout too early, the provider pays the payout. The loop
  // then makes another payout.
  for (let waits = false; !waits; ) {
    const taken = await approved('106', '2800.00')
    await until('a payout that the provider has', async () => {
      const updated = await world.rows(
        `update payouts set due_at = due_at + interval '1 day'
         where withdrawal_id = $1 and state = 'asked' and lease_owner is null returning 1`,
        [taken],
      )
      waits = updated.length === 1
      return waits || (await statusOf(taken)) === 'SUCCESS'
    })
  }
}
