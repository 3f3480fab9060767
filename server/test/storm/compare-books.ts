// Finds contradictions between the books of both sides, with pure functions from records to sentences. No sentence means that
// no record got lost or doubled, and that both books agree to the cent.

import {
  type Books,
  decidedPayment,
  decidedPayout,
  leftOf,
  type OurPayment,
  type OurPayout,
  type TheirPayment,
  type TheirPayout,
} from './books.ts'
import { PAYEES_THAT_LIE, PAYERS_THAT_LIE } from './faults.ts'

/**
 * A payment or payout about which the books differ. Both amounts are the money at the provider in cents: by our books, and by
 * the books of the provider.
 */
export type Difference = {
  flow: 'payment' | 'payout'
  reference: string
  merchant_id: string
  says: string
  ours_minor: bigint
  theirs_minor: bigint
  /** True if the provider reported a different final outcome before. */
  denied: boolean
}

/** The number of our payments in processing and payouts in NEEDS_RECONCILIATION, by their state in the provider's book. */
export type Undecided = Record<string, number>

/** Describes every problem except those that `findDifferences`, `findShortage` and `eventProblems` find. */
export function findProblems(books: Books): string[] {
  return [
    ...promises(books),
    ...twice(books),
    ...undecided(books).problems,
    ...merchants(books),
    ...books.checks.filter((check) => !check.ok).map((check) => `verify: ${check.name}: ${check.detail}`),
  ]
}

/** Finds the differences between the books, one per record. */
export function findDifferences(books: Books): Difference[] {
  const found: Difference[] = []
  for (const our of books.our_payments) {
    const their = books.their_payments.get(our.reference)
    const theirs_minor = their === undefined ? 0n : leftOf(their)
    const says = paymentSays(our, their)
    if (says === null && our.float_minor === theirs_minor) continue
    const { reference, merchant_id, float_minor: ours_minor } = our
    const denied = their?.fate != null && PAYERS_THAT_LIE.includes(their.fate)
    found.push({ flow: 'payment', reference, merchant_id, says: says ?? our.status, ours_minor, theirs_minor, denied })
  }
  for (const our of books.our_payouts) {
    const their = books.their_payouts.get(our.reference ?? '')
    const theirs_minor = their === undefined ? 0n : -their.amount_minor * BigInt(their.executions - their.returns)
    const says = payoutSays(our, their)
    if (says === null && our.float_minor === theirs_minor) continue
    const { merchant_id, float_minor: ours_minor } = our
    const reference = our.reference ?? our.id
    const denied = their !== undefined && PAYEES_THAT_LIE.includes(their.fate)
    found.push({ flow: 'payout', reference, merchant_id, says: says ?? our.status, ours_minor, theirs_minor, denied })
  }
  return found
}

/** Describes a difference in a sentence. */
export function sentenceOf({ flow, reference, says, ours_minor, theirs_minor }: Difference): string {
  return `${flow} ${reference} ${says}: ${ours_minor} in our books, ${theirs_minor} in the provider's book`
}

function paymentSays(our: OurPayment, their: TheirPayment | undefined): string | null {
  const decided = their === undefined ? 'undecided' : decidedPayment(their)
  const contradiction = `is ${our.status}, and ${their === undefined ? 'unknown' : `${decided} (${their.word})`} to the provider`
  switch (our.status) {
    case 'successful':
      return their !== undefined && leftOf(their) === our.amount_minor ? null : contradiction
    case 'pending_clearance':
      return decided === 'paid' && their !== undefined && leftOf(their) !== our.amount_minor ? null : contradiction
    case 'failed':
      return decided === 'paid' ? contradiction : null
    case 'processing':
      return decided === 'undecided' ? null : contradiction
    default:
      return contradiction
  }
}

const UNDECIDED_PAYOUT = 'NEEDS_RECONCILIATION'

function payoutSays(our: OurPayout, their: TheirPayout | undefined): string | null {
  const decided = their === undefined ? 'undecided' : decidedPayout(their)
  const contradiction = `is ${our.status}, and ${their === undefined ? 'unknown' : their.truth} to the provider`
  if (our.status === 'SUCCESS') return decided === 'paid' ? null : contradiction
  if (our.status === 'FAILED') return decided === 'unpaid' ? null : contradiction
  return our.status === UNDECIDED_PAYOUT && decided === 'undecided' ? null : contradiction
}

/**
 * Describes each acknowledged id that does not exist exactly once or has a wrong amount. Also describes refused requests whose
 * record did not fail, and records without an acknowledged id.
 */
function promises({ results, our_payments, our_payouts }: Books): string[] {
  const problems: string[] = []
  const name = (merchant_id: string, reference: string) => `${merchant_id} ${reference}`
  const ours = new Map<string, { id: string; amount_minor: bigint; status: string }[]>()
  for (const row of [...our_payments, ...our_payouts]) {
    const key = name(row.merchant_id, row.client_reference)
    ours.set(key, [...(ours.get(key) ?? []), row])
  }
  for (const { request, id } of results) {
    const key = name(request.shop.merchant.id, request.key)
    const rows = ours.get(key) ?? []
    const [row] = rows
    ours.delete(key)
    if (rows.length > 1) problems.push(`${request.key} exists ${rows.length} times`)
    if (id === null) {
      if (row !== undefined && row.status !== 'failed')
        problems.push(`the server refused ${request.key}, which is ${row.status}`)
    } else if (row?.id !== id) problems.push(`the database lacks the acknowledged record ${id} of ${request.key}`)
    else if (row.amount_minor !== BigInt(request.amount_minor))
      problems.push(`${request.key} has the amount ${row.amount_minor}, not ${request.amount_minor}`)
  }
  for (const rows of ours.values()) problems.push(`${rows[0]?.id} exists, and no merchant got its id`)
  return problems
}

/**
 * Describes executions that happened twice on one side, and records that only the provider has. Also describes payments with a
 * wrong fee or more than one attempt.
 */
function twice({ our_payments, our_payouts, their_payments, their_payouts }: Books): string[] {
  const problems: string[] = []
  for (const { reference, prompts, paid_minor } of their_payments.values()) {
    if (prompts > 1) problems.push(`payment ${reference} prompted its payer ${prompts} times`)
    if (paid_minor.length > 1) problems.push(`the payer paid ${reference} ${paid_minor.length} times`)
  }
  for (const { reference, executions } of their_payouts.values())
    if (executions > 1) problems.push(`the provider executed ${reference} ${executions} times`)
  const known = new Set([...our_payments, ...our_payouts].map(({ reference }) => reference))
  for (const reference of [...their_payments.keys(), ...their_payouts.keys()])
    if (!known.has(reference)) problems.push(`the provider has ${reference}, and the platform does not`)
  for (const { id, credits, attempts, float_minor, merchant_minor, fee_minor } of our_payments) {
    if (credits > 1) problems.push(`the ledger credited payment ${id} ${credits} times`)
    if (attempts !== 1) problems.push(`payment ${id} has ${attempts} attempts`)
    const kept = float_minor - merchant_minor
    if (kept !== 0n && kept !== fee_minor) problems.push(`payment ${id} cost its merchant ${kept}, not ${fee_minor}`)
  }
  return problems
}

/**
 * Counts our open payments and payouts in doubt by their state at the provider. Describes open records that no process queries,
 * and failed payments whose payer can still pay.
 */
export function undecided({ our_payments, our_payouts, their_payments, their_payouts }: Books): {
  counts: Undecided
  problems: string[]
} {
  const counts: Undecided = {}
  const problems: string[] = []
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  for (const { id, reference, status, waits } of our_payments) {
    const their = their_payments.get(reference)
    const is_open = status === 'processing'
    if (is_open !== waits) problems.push(`payment ${id} is ${status}, and ${waits ? 'waits' : 'does not wait'}`)
    if (is_open) count(their === undefined ? 'payments it never had' : `payments it has as ${their.word}`)
    const may_pay = their !== undefined && their.prompts > 0 && decidedPayment(their) === 'undecided'
    if (status === 'failed' && may_pay) problems.push(`payment ${id} is failed, and its payer may still pay`)
  }
  for (const { id, status, reference, waits } of our_payouts) {
    if (status !== UNDECIDED_PAYOUT) continue
    if (!waits) problems.push(`payout ${id} is in doubt, and no process queries it`)
    const their = their_payouts.get(reference ?? '')
    count(their === undefined ? 'payouts it never had' : `payouts it has as ${their.truth}`)
  }
  return { counts, problems }
}

/**
 * Describes negative balances, and merchants whose money at the provider differs from the booked payments, payouts and
 * corrections, or from their other balances.
 */
function merchants(books: Books): string[] {
  const problems: string[] = []
  const due = new Map(books.funded)
  const add = (merchant_id: string, amount_minor: bigint) =>
    due.set(merchant_id, (due.get(merchant_id) ?? 0n) + amount_minor)
  for (const { merchant_id, float_minor } of [...books.our_payments, ...books.our_payouts])
    add(merchant_id, float_minor)
  const is = new Map<string, bigint>()
  const own = new Map<string, bigint>()
  for (const { merchant_id, code, balance_minor } of books.accounts) {
    const [sums, amount] = code === 'provider_float' ? [is, -balance_minor] : [own, balance_minor]
    sums.set(merchant_id, (sums.get(merchant_id) ?? 0n) + amount)
    if (['available', 'held', 'reserved'].includes(code) && balance_minor < 0n)
      problems.push(`merchant ${merchant_id} has ${balance_minor} ${code}`)
  }
  const corrected = new Map(books.adjusted.map((row) => [row.merchant_id, row.float_minor]))
  for (const [merchant_id, lies] of is) {
    // The accounts also contain the opening money, which operators booked as adjustments.
    const booked = (due.get(merchant_id) ?? 0n) - (books.funded.get(merchant_id) ?? 0n)
    const expected = booked + (corrected.get(merchant_id) ?? 0n)
    if (lies !== expected) problems.push(`merchant ${merchant_id}: ${lies} at the provider, booked ${expected}`)
    if (lies !== own.get(merchant_id)) problems.push(`merchant ${merchant_id} owns ${own.get(merchant_id)} of ${lies}`)
  }
  return problems
}

/**
 * Compares each merchant's money at the provider by the provider's book and by our book, as the last check. The two sums share
 * no code.
 */
export function findShortage(books: Books): string[] {
  const problems: string[] = []
  const theirs = new Map(books.funded)
  for (const our of books.our_payments) {
    const their = books.their_payments.get(our.reference)
    if (their) theirs.set(our.merchant_id, (theirs.get(our.merchant_id) ?? 0n) + leftOf(their))
  }
  for (const our of books.our_payouts) {
    const their = books.their_payouts.get(our.reference ?? '')
    const paid_out = their === undefined ? 0n : their.amount_minor * BigInt(their.executions - their.returns)
    theirs.set(our.merchant_id, (theirs.get(our.merchant_id) ?? 0n) - paid_out)
  }
  for (const { merchant_id, code, balance_minor } of books.accounts) {
    if (code !== 'provider_float') continue
    const has = theirs.get(merchant_id) ?? 0n
    if (-balance_minor !== has)
      problems.push(`merchant ${merchant_id}: ${-balance_minor} in our books, ${has} at the provider`)
  }
  const { payments, payouts } = books.totals
  const at_provider = (payments.amount - payments.returned_amount - payouts.paid_amount) * 100n
  const funded = [...books.funded.values()].reduce((sum, amount) => sum + amount, 0n)
  const ours = books.accounts.reduce((sum, row) => sum + (row.code === 'provider_float' ? -row.balance_minor : 0n), 0n)
  if (ours !== at_provider + funded)
    problems.push(`all merchants together: ${ours} in our books, ${at_provider + funded} at the provider`)
  return problems
}
