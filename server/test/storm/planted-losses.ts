// Plants losses in the correct books of a storm, and asserts that the comparison finds each loss.

import assert from 'node:assert/strict'
import { sql } from '../../src/kernel/db/index.ts'
import type { Payment, Payout } from '../../twins/selcom/index.ts'
import { type Books, leftOf, readBooks } from './books.ts'
import { findDifferences, findProblems, findShortage, sentenceOf } from './compare-books.ts'
import { eventProblems } from './events.ts'
import { PAYEES_THAT_LIE, PAYERS_THAT_LIE } from './faults.ts'
import type { StormRig } from './rig.ts'

/** Plants one loss after another in the correct books `sound`. If the comparison does not find a loss, throws an error. */
export function plantLosses(sound: Books): void {
  const found = (change: (books: Books) => void): string => {
    const books = structuredClone(sound)
    change(books)
    const differences = findDifferences(books).filter(({ denied }) => !denied)
    const all = [findProblems(books), differences.map(sentenceOf), eventProblems(books), findShortage(books)]
    return all.flat().join('\n')
  }
  const of = <T>(items: Iterable<T>, is: (item: T) => boolean): T => {
    const item = Iterator.from(items).find(is)
    assert.ok(item !== undefined, 'the storm was large enough for every plant')
    return item
  }
  // Chooses a payment whose final outcome the provider reports truthfully. Other records may differ even without a planted
  // loss.
  const paid = (books: Books) =>
    of(books.our_payments, ({ status, reference }) => {
      const fate = books.their_payments.get(reference)?.fate
      return status === 'successful' && (fate == null || !PAYERS_THAT_LIE.includes(fate))
    })
  // A payment without money at the provider. If the provider had the money, "successful" would be the correct status.
  const failed = (books: Books) =>
    of(books.our_payments, ({ status, reference }) => {
      const their = books.their_payments.get(reference)
      return (
        status === 'failed' &&
        (their === undefined || (leftOf(their) === 0n && (their.fate == null || !PAYERS_THAT_LIE.includes(their.fate))))
      )
    })
  const sent = (books: Books) =>
    of(books.our_payouts, ({ status, reference }) => {
      const fate = books.their_payouts.get(reference ?? '')?.fate
      return status === 'SUCCESS' && (fate === undefined || !PAYEES_THAT_LIE.includes(fate))
    })
  const order = (books: Books) => of(books.their_payments.values(), (their) => leftOf(their) > 0n)
  const payout = (books: Books) => of(books.their_payouts.values(), ({ truth }) => truth === 'paid')
  const open = (books: Books) => of(books.our_payments, ({ status }) => status === 'processing')

  const plants: [RegExp, (books: Books) => void][] = [
    // Losses of acknowledged requests.
    [/lacks the acknowledged record/, (books) => books.our_payments.splice(books.our_payments.indexOf(paid(books)), 1)],
    [/lacks the acknowledged record/, (books) => books.our_payouts.splice(books.our_payouts.indexOf(sent(books)), 1)],
    [/no merchant got its id/, (books) => Object.assign(books, { results: books.results.slice(1) })],
    [/exists 2 times/, (books) => books.our_payments.push({ ...paid(books), id: 'another' })],
    [/has the amount 1, not/, (books) => Object.assign(paid(books), { amount_minor: 1n })],
    // Executions that happen twice.
    [/prompted its payer 2 times/, (books) => Object.assign(order(books), { prompts: 2 })],
    [/the payer paid \S+ 2 times/, (books) => void order(books).paid_minor.push(100n)],
    [/the provider executed \S+ 2 times/, (books) => Object.assign(payout(books), { executions: 2 })],
    [/credited payment \S+ 2 times/, (books) => Object.assign(paid(books), { credits: 2 })],
    [/the provider has stray, and the platform does not/, (books) => stray(books)],
    [
      /cost its merchant 1, not/,
      (books) => Object.assign(paid(books), { merchant_minor: paid(books).float_minor - 1n }),
    ],
    // Wrong statuses on one side.
    [/is successful, and unknown to the provider/, (books) => books.their_payments.delete(paid(books).reference)],
    [/is SUCCESS, and unknown to the provider/, (books) => books.their_payouts.delete(sent(books).reference ?? '')],
    [/is failed, and paid/, (books) => Object.assign(paid(books), { status: 'failed' })],
    [/is successful, and un/, (books) => Object.assign(failed(books), { status: 'successful' })],
    [/is processing, and paid/, (books) => Object.assign(paid(books), { status: 'processing' })],
    [/is FAILED, and paid/, (books) => Object.assign(sent(books), { status: 'FAILED' })],
    [/is PROCESSING, and paid/, (books) => Object.assign(sent(books), { status: 'PROCESSING' })],
    [/is NEEDS_RECONCILIATION, and paid/, (books) => Object.assign(sent(books), { status: 'NEEDS_RECONCILIATION' })],
    [/does not wait/, (books) => Object.assign(open(books), { waits: false })],
    [/no process queries it/, (books) => Object.assign(sent(books), { status: 'NEEDS_RECONCILIATION', waits: false })],
    [/its payer may still pay/, (books) => mayStillPay(books)],
    // Wrong amounts, in one record and in total.
    [/: 1 in our books, \d+ in the provider's book/, (books) => Object.assign(paid(books), { float_minor: 1n })],
    [/: -1 in our books, -\d+ in the provider's book/, (books) => Object.assign(sent(books), { float_minor: -1n })],
    [/\d+ in our books, \d+ at the provider/, (books) => Object.assign(floatOf(books), { balance_minor: 1n })],
    [/owns \d+ of \d+/, (books) => Object.assign(floatOf(books, 'available'), { balance_minor: 1n })],
    [/has -1 available/, (books) => Object.assign(floatOf(books, 'available'), { balance_minor: -1n })],
    [/all merchants together: \d+ in our books/, (books) => Object.assign(books.totals.payments, { amount: 1n })],
    [/all merchants together: \d+ in our books/, (books) => Object.assign(books.totals.payouts, { paid_amount: 1n })],
    [/verify: some check/, (books) => books.checks.push({ name: 'some check', ok: false, detail: 'is broken' })],
    // Lost and wrong events.
    [/became \S+ with 0 events/, (books) => books.deliveries.splice(0, 1)],
    [/with the events $/m, (books) => forgetEvents(books)],
    [/is pending/, (books) => Object.assign(books.deliveries[0] ?? {}, { status: 'pending' })],
    [
      /the receiver never accepted/,
      (books) => Object.assign(books, { arrivals: books.arrivals.slice(1).filter(isNot(books)) }),
    ],
    [/arrived with other bytes/, (books) => Object.assign(books.arrivals[0] ?? {}, { body: '{}' })],
    [/arrived at another merchant/, (books) => Object.assign(books.arrivals[0] ?? {}, { path: '/other' })],
    [
      /arrived, and the platform has no such delivery/,
      (books) => Object.assign(books.arrivals[0] ?? {}, { id: 'other' }),
    ],
  ]
  for (const [expected, change] of plants) assert.match(found(change), expected)
}

const ONE_CENT = sql(
  'storm_plant',
  `update ledger_accounts set balance_minor = balance_minor + 1
   where environment = 'live' and code = 'available' and merchant_id = $1`,
)

/**
 * Plants three losses in the real books: a shilling at the provider, a second execution of a payout, and a cent without a
 * source.
 */
export async function tamper(rig: StormRig, sound: Books): Promise<void> {
  const again = () => readBooks(rig, { results: sound.results, funded: sound.funded, fates: new Map() })
  const payments = rig.simulator.list('payments', 1, Number.MAX_SAFE_INTEGER).items as Payment[]
  // Chooses a payment that the provider did not return, because a returned payment has no amount to lose.
  const shilling =
    payments.find(({ returned_at }) => returned_at === null) ?? assert.fail('the storm has no paid payment')
  shilling.amount += 1n
  const more = await again()
  assert.match(findShortage(more).join('\n'), /in our books, \d+ at the provider[\s\S]*all merchants together/)
  assert.ok(findDifferences(more).some(({ reference }) => reference === shilling.order_id))
  shilling.amount -= 1n
  assert.deepEqual(findShortage(await again()), [])

  const payouts = rig.simulator.list('payouts', 1, Number.MAX_SAFE_INTEGER).items as Payout[]
  const paid = payouts.find(({ truth }) => truth === 'paid') ?? assert.fail('the storm has no paid payout')
  paid.executions += 1
  const twice = await again()
  assert.match(findProblems(twice).join('\n'), new RegExp(`the provider executed ${paid.transid} 2 times`))
  assert.match(findShortage(twice).join('\n'), /all merchants together/)
  paid.executions -= 1

  await rig.db.query(ONE_CENT, [rig.shops[0]?.merchant.id])
  assert.match(findProblems(await again()).join('\n'), /owns \d+ of \d+[\s\S]*verify: Every book sums to zero/)
}

const floatOf = (books: Books, code = 'provider_float') =>
  books.accounts.find((row) => row.code === code && books.funded.has(row.merchant_id)) ??
  assert.fail('the books do not contain the account')

const isNot = (books: Books) => (arrival: Books['arrivals'][number]) => arrival.id !== books.arrivals[0]?.id

function stray(books: Books): void {
  const [some] = books.their_payments.values()
  assert.ok(some)
  books.their_payments.set('stray', { ...some, reference: 'stray' })
}

function mayStillPay(books: Books): void {
  const ours =
    books.our_payments.find(({ status }) => status === 'failed') ?? assert.fail('the storm has no failed payment')
  const some = [...books.their_payments.values()][0] ?? assert.fail('the provider has no payments')
  const still_open = { ...some, word: 'PENDING', prompts: 1, paid_minor: [], returned_minor: [] } as const
  books.their_payments.set(ours.reference, {
    ...still_open,
    reference: ours.reference,
    paid_minor: [],
    returned_minor: [],
  })
}

function forgetEvents(books: Books): void {
  const { id } =
    books.our_payouts.find(({ status }) => status === 'SUCCESS') ?? assert.fail('the storm has no paid payout')
  books.deliveries = books.deliveries.filter(({ source_id }) => source_id !== id)
  books.moves = books.moves.filter((move) => move.id !== id)
}
