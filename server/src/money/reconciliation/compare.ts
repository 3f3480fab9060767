// Compares the lines of a provider about one payment or payout with our books. The functions are pure, so that a table can test
// every case.

import type { LineKind } from './line.ts'
import type { MoneyFlow } from './subject.ts'

/** All kinds of differences. A payment or payout has at most one open case of each kind. */
export const CASE_KINDS = [
  'unknown_to_us',
  'unknown_to_them',
  'amount_differs',
  'outcome_differs',
  'duplicate',
] as const
/** The kind of one difference, and of the case for this difference. */
export type CaseKind = (typeof CASE_KINDS)[number]

/** A line of a statement as the database stores it. The amount is in cents. */
export type StoredLine = {
  kind: LineKind
  statement_id: string
  line_number: number
  reference: string | null
  provider_id: string | null
  amount_minor: bigint
  currency: string
  at: Date
}

/** A payment or payout in our books, with the facts that a provider's statement can have. */
export type BookedMovement = {
  flow: MoneyFlow
  status: string
  /** True means that the platform received or paid out the money. */
  moved: boolean
  /** True means that the money went back after the platform received or paid it. */
  returned: boolean
  /**
   * True means that the payment or payout has failed, or that its attempt has no next query. A late answer may still change
   * this.
   */
  ended: boolean
  /** The received or paid amount in cents. If no money moved, this is the requested amount. */
  amount_minor: bigint
  currency: string
  /**
   * The provider's charge of a payout, in cents. Null means that this is a payment, because the books have no provider's charge
   * of a payment.
   */
  charge_minor: bigint | null
  at: Date | null
}

/**
 * A difference between books and statements. Amounts are in cents; `theirs_minor` is an amount of the provider, and
 * `ours_minor` of our books.
 */
export type LineDifference = {
  kind: CaseKind
  line_kind: LineKind
  theirs_minor: bigint | null
  /** The currency of `theirs_minor`. Null means that the provider states no amount. */
  theirs_currency: string | null
  ours_minor: bigint | null
  /** The currency of `ours_minor` and `difference_minor`. */
  currency: string
  ours_status: string | null
  /** The provider's money minus the money in our books, as the sum of all differences of this kind. */
  difference_minor: bigint
  at: Date | null
  line: StoredLine | null
  /**
   * True means that a line is missing, which another statement may have. The difference keeps an open case open, and opens a case
   * only after a sweep of the period.
   */
  opens_only_in_sweep: boolean
}

/**
 * Our books and the provider's lines about one reference. Null in `ours` means that no payment or payout of ours has the
 * reference.
 */
export type Comparison = { ours: BookedMovement | null; lines: readonly StoredLine[] }

/** Returns all differences between books and lines, at most one difference of each kind. */
export function compareSubject(comparison: Comparison): LineDifference[] {
  const by_kind = new Map<CaseKind, LineDifference>()
  for (const difference of findAll(comparison)) {
    const other = by_kind.get(difference.kind)
    by_kind.set(difference.kind, other === undefined ? difference : combine(other, difference, comparison.ours))
  }
  return [...by_kind.values()]
}

/**
 * Combines two differences of one kind, because a payment or payout has one case of each kind. The result is the larger
 * difference with the sum of both. If the currencies differ, the result is the difference in the currency of our books, or else
 * the first difference.
 */
function combine(one: LineDifference, other: LineDifference, ours: BookedMovement | null): LineDifference {
  if (one.currency !== other.currency) return other.currency === ours?.currency ? other : one
  const larger = size(other) > size(one) ? other : one
  const opens_only_in_sweep = one.opens_only_in_sweep && other.opens_only_in_sweep
  return { ...larger, difference_minor: one.difference_minor + other.difference_minor, opens_only_in_sweep }
}

/** Returns the number of the given lines that agree with our books. */
export function countAgreeing(comparison: Comparison, lines: readonly StoredLine[]): number {
  const differing = new Set(findAll(comparison).map(({ line }) => line))
  return lines.filter((line) => !differing.has(line)).length
}

function findAll({ ours, lines }: Comparison): LineDifference[] {
  return ours === null ? lines.map(unknownToUs) : compareWithBooks(ours, lines)
}

/** Returns the difference of a second movement under one reference. The server compares only the first movement with our books. */
export function duplicateOf(line: StoredLine, ours: BookedMovement | null): LineDifference {
  const { kind: line_kind, amount_minor, currency, at } = line
  return {
    kind: 'duplicate',
    line_kind,
    theirs_minor: amount_minor,
    theirs_currency: currency,
    ours_minor: null,
    currency,
    ours_status: ours?.status ?? null,
    difference_minor: signOf(line_kind, ours) * amount_minor,
    at,
    line,
    opens_only_in_sweep: false,
  }
}

const size = ({ difference_minor }: LineDifference) => (difference_minor < 0n ? -difference_minor : difference_minor)

/** Returns 1 if the movement increases the money at the provider, and -1 if the movement decreases this money. */
function signOf(kind: LineKind, ours: { flow: MoneyFlow } | null): bigint {
  if (kind === 'payment') return 1n
  return kind === 'reversal' && ours?.flow === 'payout' ? 1n : -1n
}

function unknownToUs(line: StoredLine): LineDifference {
  return { ...duplicateOf(line, null), kind: 'unknown_to_us' }
}

function compareWithBooks(ours: BookedMovement, lines: readonly StoredLine[]): LineDifference[] {
  const findLine = (kind: LineKind) => lines.find((line) => line.kind === kind) ?? null
  const [main, reversal, charge] = [findLine(ours.flow), findLine('reversal'), findLine('charge')]
  const differences = [...compareMain(ours, main, reversal), ...compareReversal(ours, main, reversal)]
  if (charge !== null && ours.charge_minor !== null) differences.push(...compareCharge(ours, charge, ours.charge_minor))
  // A payment of ours cannot have a payout line, and a payout of ours cannot have a payment line.
  const opposite = findLine(ours.flow === 'payment' ? 'payout' : 'payment')
  return opposite === null ? differences : [...differences, { ...unknownToUs(opposite), ours_status: ours.status }]
}

/**
 * Returns true if the money moved and went back in our books, and the provider states neither movement. The net amount is then
 * zero on both sides.
 */
const isReturnedUnstated = (ours: BookedMovement, main: StoredLine | null, reversal: StoredLine | null) =>
  ours.moved && ours.returned && main === null && reversal === null

/** Returns true if a reversal with the same amount and currency cancels the movement. */
const isFullyReversed = (main: StoredLine, reversal: StoredLine | null) =>
  reversal !== null && reversal.amount_minor === main.amount_minor && reversal.currency === main.currency

function compareMain(ours: BookedMovement, main: StoredLine | null, reversal: StoredLine | null): LineDifference[] {
  if (main === null) {
    if (!ours.moved || isReturnedUnstated(ours, main, reversal)) return []
    return [missingLine(ours, 'unknown_to_them', ours.flow, ours.amount_minor)]
  }
  if (!ours.moved) {
    return isFullyReversed(main, reversal)
      ? []
      : [differingLine(ours, main, 'outcome_differs', null, main.amount_minor)]
  }
  return compareAmount(ours, main, ours.amount_minor)
}

function compareReversal(ours: BookedMovement, main: StoredLine | null, reversal: StoredLine | null): LineDifference[] {
  if (reversal === null) {
    if (!ours.returned || isReturnedUnstated(ours, main, reversal)) return []
    return [missingLine(ours, 'outcome_differs', 'reversal', ours.amount_minor)]
  }
  if (ours.returned) return compareAmount(ours, reversal, ours.amount_minor)
  // If no money moved in our books, both sides agree after a full reversal at the provider. If our payment or payout has also
  // ended, both sides agree when the provider states only the reversal.
  const agrees = !ours.moved && (main === null ? ours.ended : isFullyReversed(main, reversal))
  return agrees ? [] : [differingLine(ours, reversal, 'outcome_differs', null, reversal.amount_minor)]
}

/** Compares the charge of a payout. If our books have no paid payout, they expect no charge. */
function compareCharge(ours: BookedMovement, charge: StoredLine, expected_minor: bigint): LineDifference[] {
  if (ours.moved) return compareAmount(ours, charge, expected_minor)
  return [differingLine(ours, charge, 'outcome_differs', null, charge.amount_minor)]
}

function compareAmount(ours: BookedMovement, line: StoredLine, ours_minor: bigint): LineDifference[] {
  if (line.currency !== ours.currency) {
    // An amount in another currency counts as zero until an operator states its worth in shillings.
    return [{ ...differingLine(ours, line, 'amount_differs', ours_minor, -ours_minor), currency: ours.currency }]
  }
  const difference = line.amount_minor - ours_minor
  return difference === 0n ? [] : [differingLine(ours, line, 'amount_differs', ours_minor, difference)]
}

function differingLine(
  ours: BookedMovement,
  line: StoredLine,
  kind: CaseKind,
  ours_minor: bigint | null,
  excess_minor: bigint,
): LineDifference {
  const { amount_minor: theirs_minor, kind: line_kind, currency, at } = line
  const difference_minor = signOf(line_kind, ours) * excess_minor
  const { status: ours_status } = ours
  return {
    kind,
    line_kind,
    theirs_minor,
    theirs_currency: currency,
    ours_minor,
    currency,
    ours_status,
    difference_minor,
    at,
    line,
    opens_only_in_sweep: false,
  }
}

function missingLine(ours: BookedMovement, kind: CaseKind, line_kind: LineKind, amount_minor: bigint): LineDifference {
  const { currency, at, status: ours_status } = ours
  const difference_minor = -signOf(line_kind, ours) * amount_minor
  const nothing_stated = { theirs_minor: null, theirs_currency: null, line: null, opens_only_in_sweep: true } as const
  return { kind, line_kind, ours_minor: amount_minor, currency, ours_status, difference_minor, at, ...nothing_stated }
}
