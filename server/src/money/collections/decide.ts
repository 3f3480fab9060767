// What a provider's answer means for a collection: pure, so that every case can be tested as a table.

import type { Answer, FailureReason } from '../../adapters/providers/port.ts'
import type { Fact } from '../../books/ledger/index.ts'
import { assertInvariant, formatAmount } from '../../kernel/lib/index.ts'
import { type MoveName, mayMove, moves, type Status } from './state.ts'

/** The collection as far as a decision needs it. Amounts in cents. */
export type Standing = {
  status: Status
  amount_minor: bigint
  fee_minor: bigint
  currency: string
  amount_received_minor: bigint | null
  /** What the provider took in another currency, in hundredths. Null: nothing. */
  foreign_amount_minor: bigint | null
  foreign_currency: string | null
  failure_reason_code: FailureReason | null
  /** True: the page that it is paid on takes no more money, because another payment paid it or its merchant cancelled it. */
  superseded: boolean
}

/** One fact that a move books. */
type StepPosting = { fact: Fact; amount_minor: bigint; fee_minor: bigint }

/** One move with what it does to the money. */
export type Step = {
  move: MoveName
  failure_reason_code: FailureReason | null
  amount_received_minor: bigint | null
  /** Null: no money moves. */
  posting: StepPosting | null
  /** Booked before `posting`: the arrival of money in another currency, once an operator has stated its worth. */
  arrival?: StepPosting
  /** Money in another currency that this move notes. Nothing is booked of it. */
  foreign?: { amount_minor: bigint; currency: string }
}

type Received = Pick<Standing, 'amount_received_minor' | 'foreign_currency'>

/** True if money was received for the payment, in shillings or in another currency. */
export function hasReceived({ amount_received_minor, foreign_currency }: Received): boolean {
  return amount_received_minor !== null || foreign_currency !== null
}

/** True if money in another currency was received, and no operator has stated its worth in shillings. */
export function isUnvalued({ amount_received_minor, foreign_currency }: Received): boolean {
  return amount_received_minor === null && foreign_currency !== null
}

/** True for an answer after which the payment still waits: it makes no move. */
export function isOpen(answer: Answer): boolean {
  return answer.kind === 'accepted' || answer.kind === 'unknown' || answer.kind === 'not_found'
}

/** The moves an answer makes, in order. Empty: it changes nothing, because it was already so or because it is not final. */
export function decide(standing: Standing, answer: Answer): Step[] {
  if (wasDeclined(standing)) return []
  switch (answer.kind) {
    case 'succeeded':
      return received(standing, answer, isAsAsked(standing, answer))
    case 'held':
      return received(standing, answer, false)
    case 'reversed':
      return reversal(standing, answer)
    case 'declined':
      return step(standing, 'fail', { failure_reason_code: answer.reason })
    case 'accepted':
    case 'not_found':
    case 'unknown':
      return []
  }
}

/**
 * True when money had arrived and an operator declined it. It was booked out for the payer, so that no word of the
 * provider credits or reverses it any more: what comes is written down, for a person to see.
 */
export function wasDeclined(standing: Standing): boolean {
  const { status, failure_reason_code } = standing
  return status === 'failed' && failure_reason_code === 'review_declined' && hasReceived(standing)
}

/**
 * What an operator's decision about held money does. Money in another currency is booked when it is approved, with the
 * amount in shillings that the operator stated; declined, nothing of it was ever booked.
 */
export function decideReview(
  standing: Standing,
  decision: 'approve' | 'decline',
  stated_minor: bigint | null = null,
): Step[] {
  if (isUnvalued(standing)) {
    if (decision === 'decline') return step(standing, 'decline', { failure_reason_code: 'review_declined' })
    if (stated_minor === null) return []
    const arrival = { fact: 'collection_held', amount_minor: stated_minor, fee_minor: 0n } as const
    const fee_minor = feeOf(standing, stated_minor)
    const posting = { fact: 'collection_cleared', amount_minor: stated_minor, fee_minor } as const
    return step(standing, 'clear', { amount_received_minor: stated_minor, arrival, posting })
  }
  const { amount_received_minor: amount_minor } = standing
  if (amount_minor === null) return []
  if (decision === 'approve') {
    const posting = { fact: 'collection_cleared', amount_minor, fee_minor: feeOf(standing, amount_minor) } as const
    return step(standing, 'clear', { posting })
  }
  const posting = { fact: 'collection_declined', amount_minor, fee_minor: 0n } as const
  return step(standing, 'decline', { posting, failure_reason_code: 'review_declined' })
}

/** What a final answer says, as the history keeps it. */
export function wordOf(answer: Answer): string | null {
  if ('amount_minor' in answer) return `${answer.kind} ${formatAmount(answer.amount_minor)} ${answer.currency}`
  return answer.kind === 'declined' ? `declined ${answer.reason}` : null
}

/**
 * True for a final answer that denies what is booked: another outcome, another amount or another currency. It moves no
 * money, because what was booked may be on its way to the merchant, but a person has to see it. Of held money every other
 * word counts: it is what the person who clears it must know; and after a review was declined, every word of money.
 */
export function contradicts(standing: Standing, answer: Answer): boolean {
  if (isOpen(answer)) return false
  if (wasDeclined(standing)) return answer.kind !== 'declined'
  if (['created', 'processing', 'failed'].includes(standing.status)) return false
  if (!('amount_minor' in answer) || answer.kind === 'held') return true
  const { foreign_currency, foreign_amount_minor } = standing
  const received_minor = foreign_currency === null ? standing.amount_received_minor : foreign_amount_minor
  const currency = foreign_currency ?? standing.currency
  const as_booked = answer.amount_minor === received_minor && answer.currency === currency
  return !as_booked || (standing.status === 'pending_clearance' && answer.kind === 'succeeded')
}

/** No final answer came before the deadline. */
export function decideTimeout(standing: Standing): Step[] {
  return step(standing, 'fail', { failure_reason_code: 'timeout' })
}

/** What was asked for, and nobody else paid it meanwhile. Everything else waits for a person. */
function isAsAsked(standing: Standing, answer: { amount_minor: bigint; currency: string }): boolean {
  const same = standing.amount_minor === answer.amount_minor && standing.currency === answer.currency
  return same && !standing.superseded
}

/** Money arrived: it is credited when it is what was asked for, else it waits for an operator. */
function received(standing: Standing, answer: { amount_minor: bigint; currency: string }, as_asked: boolean): Step[] {
  const { amount_minor, currency } = answer
  if (currency !== standing.currency) return step(standing, 'hold', { foreign: { amount_minor, currency } })
  if (as_asked) {
    const posting = { fact: 'collection_settled', amount_minor, fee_minor: standing.fee_minor } as const
    return step(standing, 'succeed', { amount_received_minor: amount_minor, posting })
  }
  const posting = { fact: 'collection_held', amount_minor, fee_minor: 0n } as const
  return step(standing, 'hold', { amount_received_minor: amount_minor, posting })
}

/** Money went back. When its arrival was never seen, it arrives first: both facts belong in the books. */
function reversal(standing: Standing, answer: Answer & { kind: 'reversed' }): Step[] {
  if (mayMove('succeed', standing.status)) {
    const arrival = received(standing, answer, isAsAsked(standing, answer))
    const arrived = arrival[0]
    assertInvariant(arrived !== undefined, 'a reversal starts with an arrival')
    const { move, amount_received_minor, foreign } = arrived
    const noted = { foreign_amount_minor: foreign?.amount_minor ?? null, foreign_currency: foreign?.currency ?? null }
    const then = { ...standing, ...noted, status: moves[move].to, amount_received_minor }
    return [...arrival, ...reversal(then, answer)]
  }
  if (standing.status === 'pending_clearance' && isUnvalued(standing)) return step(standing, 'reverseHeld', {})
  // What comes back is what was booked, whatever the provider now says of the amount.
  const amount_minor = standing.amount_received_minor ?? standing.amount_minor
  if (standing.status === 'pending_clearance') {
    const posting = { fact: 'collection_held_reversed', amount_minor, fee_minor: 0n } as const
    return step(standing, 'reverseHeld', { amount_received_minor: amount_minor, posting })
  }
  const posting = { fact: 'collection_reversed', amount_minor, fee_minor: feeOf(standing, amount_minor) } as const
  return step(standing, 'reverse', { amount_received_minor: amount_minor, posting })
}

/** Our fee, as it was frozen. Of a cleared payment so small that the fee would eat it, none is taken. */
function feeOf({ fee_minor }: Standing, received_minor: bigint): bigint {
  return fee_minor < received_minor ? fee_minor : 0n
}

function step(standing: Standing, move: MoveName, effect: Partial<Omit<Step, 'move'>>): Step[] {
  if (!mayMove(move, standing.status)) return []
  return [
    {
      move,
      failure_reason_code: null,
      amount_received_minor: standing.amount_received_minor,
      posting: null,
      ...effect,
    },
  ]
}
