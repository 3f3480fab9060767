// What a provider's lines about one payment or payout mean beside what our books say of it: pure, so that every case can be
// tested as a table.

import type { LineKind } from './line.ts'
import type { Flow } from './subject.ts'

/** Kinds of differences. */
export const CASE_KINDS = [
  'unknown_to_us',
  'unknown_to_them',
  'amount_differs',
  'outcome_differs',
  'duplicate',
] as const
/** One kind of difference. */
export type CaseKind = (typeof CASE_KINDS)[number]

/** A line as it is stored. */
export type Stated = {
  kind: LineKind
  statement_id: string
  line_number: number
  reference: string | null
  provider_id: string | null
  amount_minor: bigint
  currency: string
  at: Date
}

/** What our books say of a payment or payout, as far as the provider's side of it goes. */
export type Ours = {
  flow: Flow
  status: string
  /** The money moved: it was received, or it was paid out. */
  moved: boolean
  /** It went back the way it came. */
  returned: boolean
  /** Nothing more is expected to happen to it. */
  ended: boolean
  /** What was received, or paid out; what was asked for while it did not move. */
  amount_minor: bigint
  currency: string
  /** What the provider takes for a payout. Null for a payment: nothing is booked of that. */
  charge_minor: bigint | null
  at: Date | null
}

/** A difference. Amounts in cents. */
export type Finding = {
  kind: CaseKind
  line_kind: LineKind
  theirs_minor: bigint | null
  /** What `theirs_minor` is counted in. */
  theirs_currency: string | null
  ours_minor: bigint | null
  /** What `ours_minor` and the difference are counted in. */
  currency: string
  ours_status: string | null
  /** What the provider has more than our books say, in all differences of this kind. */
  difference_minor: bigint
  at: Date | null
  line: Stated | null
  /** It opens no case by itself, because the statement that has it may be one that we do not have; an open case stays. */
  only_in_period: boolean
}

/** What is known of one subject. `ours` is null where nothing of ours is behind it. */
export type Known = { ours: Ours | null; lines: readonly Stated[] }

/** All differences of a subject, at most one of each kind. */
export function judge(known: Known): Finding[] {
  const kinds = new Map<CaseKind, Finding>()
  for (const finding of findAll(known)) {
    const other = kinds.get(finding.kind)
    kinds.set(finding.kind, other === undefined ? finding : together(other, finding, known.ours))
  }
  return [...kinds.values()]
}

/**
 * Two differences of one kind: one case tells of one subject. It shows the larger, and the sum to the cent. Amounts of two
 * currencies have no sum: then it tells the one of our books' currency.
 */
function together(one: Finding, other: Finding, ours: Ours | null): Finding {
  if (one.currency !== other.currency) return other.currency === ours?.currency ? other : one
  const larger = size(other) > size(one) ? other : one
  const only_in_period = one.only_in_period && other.only_in_period
  return { ...larger, difference_minor: one.difference_minor + other.difference_minor, only_in_period }
}

/** How many of some lines of a subject agree with our books. */
export function agreeing(known: Known, some: readonly Stated[]): number {
  const differing = new Set(findAll(known).map(({ line }) => line))
  return some.filter((line) => !differing.has(line)).length
}

function findAll({ ours, lines }: Known): Finding[] {
  return ours === null ? lines.map(unknownToUs) : compare(ours, lines)
}

/** A second movement under one reference: the first one is compared, this one is too much. */
export function duplicateOf(line: Stated, ours: Ours | null): Finding {
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
    only_in_period: false,
  }
}

const size = ({ difference_minor }: Finding) => (difference_minor < 0n ? -difference_minor : difference_minor)

/** Which way a movement goes, seen from the money at the provider. */
function signOf(kind: LineKind, ours: { flow: Flow } | null): bigint {
  if (kind === 'payment') return 1n
  return kind === 'reversal' && ours?.flow === 'payout' ? 1n : -1n
}

function unknownToUs(line: Stated): Finding {
  return { ...duplicateOf(line, null), kind: 'unknown_to_us' }
}

function compare(ours: Ours, lines: readonly Stated[]): Finding[] {
  const of = (kind: LineKind) => lines.find((line) => line.kind === kind) ?? null
  const [main, back, charge] = [of(ours.flow), of('reversal'), of('charge')]
  const found = [...compareMain(ours, main, back), ...compareReturn(ours, main, back)]
  if (charge !== null && ours.charge_minor !== null) found.push(...compareCharge(ours, charge, ours.charge_minor))
  // Money that went the other way under this reference is none that we know.
  const other = of(ours.flow === 'payment' ? 'payout' : 'payment')
  return other === null ? found : [...found, { ...unknownToUs(other), ours_status: ours.status }]
}

/** They say nothing of money that came and went back by our books: on both sides nothing is left of it. */
const nothingLeft = (ours: Ours, main: Stated | null, back: Stated | null) =>
  ours.moved && ours.returned && main === null && back === null

/** Paid and taken back to the cent is the same as not paid. */
const tookBack = (main: Stated, back: Stated | null) =>
  back !== null && back.amount_minor === main.amount_minor && back.currency === main.currency

function compareMain(ours: Ours, main: Stated | null, back: Stated | null): Finding[] {
  if (main === null) {
    if (!ours.moved || nothingLeft(ours, main, back)) return []
    return [missing(ours, 'unknown_to_them', ours.flow, ours.amount_minor)]
  }
  if (!ours.moved) {
    return tookBack(main, back) ? [] : [differing(ours, main, 'outcome_differs', null, main.amount_minor)]
  }
  return compareAmount(ours, main, ours.amount_minor)
}

function compareReturn(ours: Ours, main: Stated | null, back: Stated | null): Finding[] {
  if (back === null) {
    if (!ours.returned || nothingLeft(ours, main, back)) return []
    return [missing(ours, 'outcome_differs', 'reversal', ours.amount_minor)]
  }
  if (ours.returned) return compareAmount(ours, back, ours.amount_minor)
  // Without the line of the payment itself, a way back tells that nothing stayed of one that failed.
  const agrees = !ours.moved && (main === null ? ours.ended : tookBack(main, back))
  return agrees ? [] : [differing(ours, back, 'outcome_differs', null, back.amount_minor)]
}

/** A payout that was not made costs nothing. */
function compareCharge(ours: Ours, charge: Stated, expected_minor: bigint): Finding[] {
  if (ours.moved) return compareAmount(ours, charge, expected_minor)
  return [differing(ours, charge, 'outcome_differs', null, charge.amount_minor)]
}

function compareAmount(ours: Ours, line: Stated, ours_minor: bigint): Finding[] {
  if (line.currency !== ours.currency) {
    // What they have is worth nothing in our currency until a person says what.
    return [{ ...differing(ours, line, 'amount_differs', ours_minor, -ours_minor), currency: ours.currency }]
  }
  const difference = line.amount_minor - ours_minor
  return difference === 0n ? [] : [differing(ours, line, 'amount_differs', ours_minor, difference)]
}

function differing(ours: Ours, line: Stated, kind: CaseKind, ours_minor: bigint | null, more: bigint): Finding {
  const { amount_minor: theirs_minor, kind: line_kind, currency, at } = line
  const difference_minor = signOf(line_kind, ours) * more
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
    only_in_period: false,
  }
}

function missing(ours: Ours, kind: CaseKind, line_kind: LineKind, amount_minor: bigint): Finding {
  const { currency, at, status: ours_status } = ours
  const difference_minor = -signOf(line_kind, ours) * amount_minor
  const none = { theirs_minor: null, theirs_currency: null, line: null, only_in_period: true } as const
  return { kind, line_kind, ours_minor: amount_minor, currency, ours_status, difference_minor, at, ...none }
}
