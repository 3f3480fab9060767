import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bankOf,
  orderOf,
  startReceiver,
  startRig,
  type TwinRig,
  walletOf,
} from '../../test/providers/selcom-twin-caller.ts'
import { share } from './chance.ts'
import { PAYEE_FATES, PAYER_FATES, WIRE_FAULTS } from './fates.ts'
import { createFaults, type Rates, ratesOf } from './faults.ts'
import type { Payment, Payout, Simulator, SimulatorOptions } from './index.ts'
import { magicPayer } from './magic.ts'

const PAYMENTS = 120
const PAYOUTS = 50
const FLOAT = 100_000_000n

/** The rates of faults that answer or break the connection immediately: three per cent for each kind. */
const WIRE = Object.fromEntries(
  Object.keys(WIRE_FAULTS)
    .filter((kind) => !['delay', 'hang_before', 'hang_after'].includes(kind))
    .map((kind) => [kind, 0.03]),
)
const even = (names: object, sum: number) =>
  Object.fromEntries(Object.keys(names).map((name, _i, all) => [name, sum / all.length]))
const RATES = {
  create: WIRE,
  push: WIRE,
  status: WIRE,
  payout: WIRE,
  query: WIRE,
  payer: even(PAYER_FATES, 0.6),
  payee: even(PAYEE_FATES, 0.6),
  callback: { lost: 0.2, duplicate: 0.2, late: 0.1, unsigned: 0.1, forged: 0.1, tampered: 0.1 },
}

/**
 * Runs payments and payouts with retries, `width` references at the same time. The requests of one reference run one after
 * another.
 */
async function storm(
  rig: TwinRig,
  webhook: string,
  width: number,
  turn: (i: number) => number,
): Promise<Map<string, string[]>> {
  const seen = new Map<string, string[]>()
  const go = async (reference: string, method: string, path: string, fields: Record<string, string | number>) => {
    const reply = await rig.call(method, path, fields).catch(() => null)
    const entry = reply === null ? 'broken' : `${reply.status} ${reply.text}`
    seen.set(reference, [...(seen.get(reference) ?? []), entry])
  }
  const jobs = Array.from({ length: PAYMENTS + PAYOUTS }, (_, i) => async () => {
    if (i < PAYMENTS) {
      const id = `ORDER${i}`
      const order = orderOf(id, { amount: 1000 + i, webhook, buyer_phone: '255740000999' })
      for (let n = 0; n < 2; n++) await go(id, 'POST', '/checkout/create-order-minimal', order)
      const push = { transid: `T${i}`, order_id: id, msisdn: '255740000999' }
      for (let n = 0; n < 3; n++) await go(id, 'POST', '/checkout/wallet-payment', push)
      await go(id, 'GET', '/checkout/order-status', { order_id: id })
    } else {
      const transid = `OUT${i}`
      const path = i % 2 ? '/walletcashin/process' : '/qwiksend/process'
      for (let n = 0; n < 2; n++) await go(transid, 'POST', path, i % 2 ? walletOf(transid) : bankOf(transid))
      await go(transid, 'GET', i % 2 ? '/walletcashin/query' : '/qwiksend/query', { transid })
    }
  })
  let next = 0
  const hand = async () => {
    while (next < jobs.length) await jobs[turn(next++)]?.()
  }
  await Promise.all(Array.from({ length: width }, hand))
  rig.clock.advance(60_000)
  return seen
}

/**
 * Runs payments and payouts on a new twin, whose faults follow the seed. `use` reads the books before the twin closes.
 */
async function stormWith<T>(
  seed: string,
  use: (simulator: Simulator, seen: Map<string, string[]>) => T,
  options: SimulatorOptions = {},
  width = 8,
  turn = (i: number) => i,
) {
  const rig = await startRig({ float: FLOAT, faults: { seed, rates: RATES }, ...options })
  const receiver = await startReceiver()
  try {
    return use(rig.simulator, await storm(rig, receiver.webhook(), width, turn))
  } finally {
    await rig.close()
    receiver.close()
  }
}

/** Returns the records of a run in a fixed order, without the states of callbacks, so that a test can compare runs. */
function outcomeOf(simulator: Simulator, seen: Map<string, string[]>): unknown {
  const { refusals, struck, callbacks: _delivered, ...totals } = simulator.totals()
  const sorted = (counts: Record<string, number>) => Object.entries(counts).sort()
  const payments = (simulator.list('payments').items as Payment[]).map(
    ({ order_id, amount }) => `${order_id} ${amount}`,
  )
  return {
    totals,
    refusals: sorted(refusals),
    struck: sorted(struck),
    payments: payments.sort(),
    seen: [...seen].sort(),
  }
}

describe('the books after many faults', () => {
  it('after many faults, the books have a source for every shilling, and no money moves twice', async () => {
    await stormWith('storm', (simulator) => {
      const totals = simulator.totals()
      const payouts = simulator.list('payouts').items as Payout[]
      const payments = simulator.list('payments').items as Payment[]
      const gone = payouts.reduce(
        (sum, { amount, executions, returns, held }) => sum + amount * BigInt(executions - returns + held),
        0n,
      )
      assert.equal(totals.float.added - totals.float.now, gone)
      assert.equal(totals.payouts.paid_amount + totals.payouts.held_amount, gone)
      assert.equal(totals.payouts.executed_more_than_once, 0)
      for (const { executions, returns, held, truth } of payouts) {
        assert.equal(executions, Number(truth === 'paid' || truth === 'returned'))
        assert.equal(returns, Number(truth === 'returned'))
        assert.equal(held, Number(truth === 'pending'))
      }
      assert.equal(
        totals.payments.amount,
        payments.reduce((sum, { amount }) => sum + amount, 0n),
      )
      assert.equal(new Set(payments.map(({ order_id }) => order_id)).size, payments.length)
      for (const { order_id, amount } of payments) {
        const ordered = 1000n + BigInt(order_id.slice('ORDER'.length))
        assert.ok(amount === ordered || amount === ordered + 100n)
      }
      assert.equal(totals.payments.count - totals.payments.returned, totals.orders.by_word.COMPLETED)
      assert.equal(
        Object.values(totals.orders.by_word).reduce((a, b) => a + b),
        totals.orders.count,
      )
      // The test requires each fault at least once, because a run without faults would prove nothing.
      for (const kind of Object.keys(WIRE))
        assert.ok(totals.struck[`push.${kind}`] ?? totals.struck[`create.${kind}`], kind)
      assert.ok(
        totals.payments.returned > 0 && totals.payments.other_amount > 0 && totals.payouts.by_truth.returned > 0,
      )
    })
  })

  it('the books count every execution when the settings let the twin pay duplicates again', async () => {
    const options: SimulatorOptions = { settings: { duplicate_transid: 'execute' }, faults: {} }
    await stormWith(
      '',
      (simulator) => {
        const { payouts, float, pushes, payments } = simulator.totals()
        assert.equal(payouts.executions, 2 * PAYOUTS)
        assert.equal(payouts.executed_more_than_once, PAYOUTS)
        assert.equal(float.added - float.now, payouts.paid_amount)
        assert.equal(pushes.prompts, 3 * PAYMENTS)
        assert.equal(payments.count, PAYMENTS)
      },
      options,
    )
  })
})

describe('chance', () => {
  it('the twin repeats a run for the same seed, whatever the number and order of concurrent requests', async () => {
    const alone = await stormWith('again', outcomeOf, {}, 1)
    const total = PAYMENTS + PAYOUTS
    assert.deepEqual(await stormWith('again', outcomeOf, {}, 16, (i) => total - 1 - i), alone)
    assert.notDeepEqual(await stormWith('another', outcomeOf, {}, 16), alone)
  })

  it('the twin chooses a fault again for each call of a reference, whatever the order of rates, and no fault for magic numbers', () => {
    const [a, b] = [createFaults(), createFaults()]
    const read = (rates: Rates['rates']) => {
      const read = ratesOf({ seed: 's', rates })
      assert.ok('read' in read)
      return read.read
    }
    a.set(read({ push: { limited: 0.3, wall: 0.3 } }))
    b.set(read({ push: { wall: 0.3, limited: 0.3 } }))
    const references = Array.from({ length: 100 }, (_, i) => `R${i}`)
    const first = references.map((reference) => a.onWire('push', reference, null))
    const second = references.map((reference) => a.onWire('push', reference, null))
    assert.deepEqual([...new Set(first)].sort(), ['limited', 'wall', null].sort())
    assert.notDeepEqual(second, first)
    const other = references.map((reference) => b.onWire('push', reference, null))
    assert.deepEqual(other, first)
    const magic = references.map((reference) => a.onWire('push', reference, magicPayer('255740000001')))
    assert.deepEqual([...new Set(magic)], [null])
  })

  it('the twin applies each rate to its share of many references', () => {
    const chances = Array.from({ length: 20_000 }, (_, i) => share('seed', 'push', `R${i}`, 1))
    for (const end of [0.01, 0.1, 0.5, 0.9]) {
      const part = chances.filter((chance) => chance < end).length / chances.length
      assert.ok(Math.abs(part - end) < 0.01, `${part} of ${end}`)
    }
  })
})
