// Tests a provider that is unreachable for a whole day. After the outage, the provider answers about money that it moved just
// before the outage. The tests compare the views of merchants and operators with the provider's books.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { World } from './harness.ts'
import { booksHold } from './payouts.ts'
import { createSelcomWorld, type SelcomWorld } from './selcom-world.ts'

const HOUR = 3_600_000
const CALLS = ['create', 'push', 'status', 'cancel', 'list', 'payout', 'query', 'lookup', 'balance']
const PAYMENT = '50000.00'
const PAYOUT = '2000.00'

let stage: SelcomWorld
let world: World
before(async () => {
  stage = await createSelcomWorld({ env: { SELCOM_PAYOUT_ASK_AGAIN_S: '5' } })
  world = stage.world
})
after(() => stage.close())

/** From now on, each of these calls gets the fault, and the provider sends no callback. */
function setFault(fault: 'reset_before' | 'reset_after', calls: readonly string[]): void {
  const rates = Object.fromEntries(calls.map((call) => [call, { [fault]: 1 }]))
  stage.twin.setFaults({ rates: { ...rates, callback: { lost: 1 } } })
}

/** Makes a payment, and waits until the platform has tried to send its prompt. */
async function pay(): Promise<string> {
  const body = { amount: PAYMENT, phone: '0754123500' }
  const reply = await world.post('/v1/collections/wallet-push', body, { key: world.live_key })
  assert.equal(reply.status, 202, reply.text)
  await world.system.driver.task.idle()
  return reply.body.data.collection_id
}
const referenceOf = async (id: string): Promise<string> => {
  const rows = await world.rows<{ provider_reference: string }>(
    'select provider_reference from payouts where withdrawal_id = $1',
    [id],
  )
  return rows[0]?.provider_reference ?? ''
}
/** Returns a new session token of an operator. A session ends within an hour, so each action uses its own token. */
const operator = async () => (await world.newSession('SUPER_ADMIN')).token
const payments = (ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const { status, failure_reason_code } = (await world.get(`/v1/collections/${id}`, world.live_key)).body.data
      return failure_reason_code === null ? status : `${status}: ${failure_reason_code}`
    }),
  )
const payouts = async (ids: readonly string[]) => {
  const key = await operator()
  return Promise.all(ids.map(async (id) => (await world.get(`/v1/operator/withdrawals/${id}`, key)).body.data.status))
}
const balance = async () => (await world.get('/v1/balance', world.live_key)).body.data
const decide = async (id: string, verb: string, body = {}) =>
  world.post(`/v1/operator/withdrawals/${id}/${verb}`, body, { key: await operator() })

/** Makes a payout that an operator approved, and waits for the first attempt to send the payout. */
async function payOut(): Promise<string> {
  const made = await world.post(
    '/v1/disbursements/mobile-money',
    { amount: PAYOUT, destination_code: 'AIRTEL', destination_identifier: '0684123500', destination_name: 'Asha Juma' },
    { key: world.live_key },
  )
  assert.equal(made.status, 202, made.text)
  const { id } = made.body.data
  const approved = await decide(id, 'approve')
  assert.equal(approved.status, 200, approved.text)
  await world.system.payouts.task.idle()
  return id
}

/** Moves the clock by hours, and runs the due work after each hour. */
async function passHours(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    world.deps.clock.advance(HOUR)
    await world.work()
  }
}
const all = <Value>(value: Value, of: readonly unknown[]) => of.map(() => value)

describe('a day without the provider', { timeout: 120_000 }, () => {
  let prompted: string
  let cut_payment: string
  let cut_payout: string
  const refused: string[] = []
  const tried: string[] = []
  const waiting: string[] = []

  it('payments and payouts stay open when the provider executed them and its answer was lost', async () => {
    const paid = [await pay(), await pay()]
    await world.pass(10_000)
    assert.deepEqual(await payments(paid), ['successful', 'successful'])
    stage.twin.setFaults({ rates: { callback: { lost: 1 } } })
    prompted = await pay()
    setFault('reset_after', ['push', 'payout'])
    cut_payment = await pay()
    cut_payout = await payOut()
    setFault('reset_before', CALLS)
    await passHours(1)
    assert.deepEqual(await payments([prompted, cut_payment]), ['processing', 'processing'])
    assert.deepEqual(await payouts([cut_payout]), ['NEEDS_RECONCILIATION'])
    assert.equal(stage.twin.totals().payments.count, 4, 'both payers have paid')
    assert.equal(stage.twin.payout('walletcashin', await referenceOf(cut_payout))?.truth, 'paid')
  })

  it('while the provider is unreachable, each new payment fails as provider_unavailable, without a prompt', async () => {
    for (let hour = 2; hour <= 23; hour++) {
      if (hour % 3 === 0) refused.push(await pay())
      await passHours(1)
    }
    assert.deepEqual(await payments(refused), all('failed: provider_unavailable', refused))
    assert.equal(stage.twin.totals().pushes.prompts, 4)
    assert.deepEqual(await payments([prompted, cut_payment]), ['processing', 'processing'])
  })

  it('a payout whose request failed waits for an operator, and the server keeps the next payouts unsent', async () => {
    for (let i = 0; i < 8; i++) {
      const id = await payOut()
      const [status] = await payouts([id])
      ;(status === 'PROCESSING' ? waiting : tried).push(id)
    }
    assert.ok(tried.length > 0 && waiting.length > 0, `${tried.length} were tried, ${waiting.length} wait`)
    assert.deepEqual(await payouts(tried), all('NEEDS_RECONCILIATION', tried))
    const { available, reserved } = await balance()
    assert.deepEqual([available, reserved], ['82000.00', '18000.00'], 'the money of nine payouts is reserved')
    assert.equal(stage.twin.totals().payouts.count, 1)
    await booksHold(world)
  })

  it('the server books moved money once and sends each waiting payout once when the provider returns', async () => {
    stage.twin.setFaults({ rates: {} })
    await passHours(6)
    assert.deepEqual(await payments([prompted, cut_payment]), ['successful', 'successful'])
    assert.deepEqual(await payouts([cut_payout, ...waiting]), all('SUCCESS', [cut_payout, ...waiting]))
    assert.deepEqual(await payments(refused), all('failed: provider_unavailable', refused))
    // This provider documents no code for "no such payout", so the server neither repeats nor fails these payouts.
    assert.deepEqual(await payouts(tried), all('NEEDS_RECONCILIATION', tried))
    assert.deepEqual(await payments([await pay()]), ['processing'])
    await world.pass(10_000)
  })

  it('the books of provider and server agree when an operator has resolved the payouts that the provider does not have', async () => {
    for (const id of tried) {
      assert.equal(stage.twin.payout('walletcashin', await referenceOf(id)), null)
      const resolved = await decide(id, 'resolve', { outcome: 'FAILED', reason: 'The provider has no such payout' })
      assert.equal(resolved.status, 200, resolved.text)
    }
    assert.deepEqual(await payouts(tried), all('FAILED', tried))
    const { payments: taken, payouts: sent } = stage.twin.totals()
    assert.deepEqual([sent.count, sent.executed_more_than_once], [1 + waiting.length, 0])
    const { available, reserved } = await balance()
    assert.equal(reserved, '0.00')
    assert.deepEqual([taken.amount, sent.paid_amount], [250_000n, BigInt(sent.count) * 2_000n])
    assert.equal(available, `${250_000 - sent.count * 2_000}.00`)
    await booksHold(world)
  })
})
