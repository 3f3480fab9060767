// Decides the moves and postings that a provider's answer, a deadline or an operator causes. The functions are pure, so that a
// table can test every case.

import type { Answer, FailureReason } from '../../adapters/providers/port.ts'
import type { Fact } from '../../books/ledger/index.ts'
import { assertInvariant, formatAmount } from '../../kernel/lib/index.ts'
import {
  type AttemptUpdate,
  type CollectionCore,
  type CollectionSnapshot,
  hasReceived,
  isUnvalued,
  type LockedAttempt,
} from './snapshot.ts'
import { type CollectionMoveName, mayMoveCollection, moves } from './state.ts'

/** The posting of a move: its kind, its amount and our fee. */
type StepPosting = { fact: Fact; amount_minor: bigint; fee_minor: bigint }

/** One move of a collection, with its effect on the money. */
export type CollectionStep = {
  move: CollectionMoveName
  failure_reason_code: FailureReason | null
  amount_received_minor: bigint | null
  /** The posting of the move. Null means that the ledger books nothing. */
  posting: StepPosting | null
  /** The arrival of money in another currency, whose worth an operator stated. The ledger books the arrival before `posting`. */
  arrival?: StepPosting
  /** Money in another currency that this move records. The ledger does not book such money. */
  foreign?: { amount_minor: bigint; currency: string }
}

/** Returns true for an answer after which the payment still waits. Such an answer makes no move. */
export function isOpenAnswer(answer: Answer): boolean {
  return answer.kind === 'accepted' || answer.kind === 'unknown' || answer.kind === 'not_found'
}

/**
 * Returns the moves that an answer causes, in order. An open answer, an answer after a declined review, and a move that the
 * status does not allow cause no move.
 */
export function decideAnswer(core: CollectionCore, answer: Answer): CollectionStep[] {
  if (wasDeclined(core)) return []
  switch (answer.kind) {
    case 'succeeded':
      return decideReceived(core, answer, isAsAsked(core, answer))
    case 'held':
      return decideReceived(core, answer, false)
    case 'reversed':
      return decideReversal(core, answer)
    case 'declined':
      return makeStep(core, 'fail', { failure_reason_code: answer.reason })
    case 'accepted':
    case 'not_found':
    case 'unknown':
      return []
  }
}

/**
 * Returns true if money had arrived and an operator declined it. No later answer credits or reverses such money. The history
 * records such answers for the operators.
 */
export function wasDeclined(core: CollectionCore): boolean {
  const { status, failure_reason_code } = core
  return status === 'failed' && failure_reason_code === 'review_declined' && hasReceived(core)
}

/**
 * Returns the moves of an operator's decision about held money. If the operator approves money in another currency, the ledger
 * books the stated amount in shillings. If the operator declines such money, the ledger books no amount.
 */
export function decideReview(
  core: CollectionCore,
  decision: 'approve' | 'decline',
  stated_minor: bigint | null = null,
): CollectionStep[] {
  if (isUnvalued(core)) {
    if (decision === 'decline') return makeStep(core, 'decline', { failure_reason_code: 'review_declined' })
    if (stated_minor === null) return []
    const arrival = { fact: 'collection_held', amount_minor: stated_minor, fee_minor: 0n } as const
    const fee_minor = feeOn(core, stated_minor)
    const posting = { fact: 'collection_cleared', amount_minor: stated_minor, fee_minor } as const
    return makeStep(core, 'clear', { amount_received_minor: stated_minor, arrival, posting })
  }
  const { amount_received_minor: amount_minor } = core
  if (amount_minor === null) return []
  if (decision === 'approve') {
    const posting = { fact: 'collection_cleared', amount_minor, fee_minor: feeOn(core, amount_minor) } as const
    return makeStep(core, 'clear', { posting })
  }
  const posting = { fact: 'collection_declined', amount_minor, fee_minor: 0n } as const
  return makeStep(core, 'decline', { posting, failure_reason_code: 'review_declined' })
}

/** Describes a final answer for the history. Null means that the answer is not final. */
export function describeOutcome(answer: Answer): string | null {
  if ('amount_minor' in answer) return `${answer.kind} ${formatAmount(answer.amount_minor)} ${answer.currency}`
  return answer.kind === 'declined' ? `declined ${answer.reason}` : null
}

/**
 * Returns true if a final answer contradicts the booked outcome, amount or currency, so that operators must see the answer.
 * During a review, every final answer except a reversal of the held amount contradicts. After a declined review, every answer
 * with money contradicts.
 */
export function contradicts(core: CollectionCore, answer: Answer): boolean {
  if (isOpenAnswer(answer)) return false
  if (wasDeclined(core)) return answer.kind !== 'declined'
  if (['created', 'processing', 'failed'].includes(core.status)) return false
  if (!('amount_minor' in answer) || answer.kind === 'held') return true
  const { foreign_currency, foreign_amount_minor } = core
  const received_minor = foreign_currency === null ? core.amount_received_minor : foreign_amount_minor
  const currency = foreign_currency ?? core.currency
  const as_booked = answer.amount_minor === received_minor && answer.currency === currency
  return !as_booked || (core.status === 'pending_clearance' && answer.kind === 'succeeded')
}

/** Returns the moves of a collection whose deadline passed without a final answer. */
export function decideTimeout(core: CollectionCore): CollectionStep[] {
  return makeStep(core, 'fail', { failure_reason_code: 'timeout' })
}

/** Returns true if amount and currency are as requested and the link still takes money. Any other money waits for an operator. */
function isAsAsked(core: CollectionCore, answer: { amount_minor: bigint; currency: string }): boolean {
  const same = core.amount_minor === answer.amount_minor && core.currency === answer.currency
  return same && !core.superseded
}

/**
 * Returns the move of money that arrived. If `as_asked` is true, the move credits the money; otherwise the move holds the
 * money.
 */
function decideReceived(
  core: CollectionCore,
  answer: { amount_minor: bigint; currency: string },
  as_asked: boolean,
): CollectionStep[] {
  const { amount_minor, currency } = answer
  if (currency !== core.currency) return makeStep(core, 'hold', { foreign: { amount_minor, currency } })
  if (as_asked) {
    const posting = { fact: 'collection_settled', amount_minor, fee_minor: core.fee_minor } as const
    return makeStep(core, 'succeed', { amount_received_minor: amount_minor, posting })
  }
  const posting = { fact: 'collection_held', amount_minor, fee_minor: 0n } as const
  return makeStep(core, 'hold', { amount_received_minor: amount_minor, posting })
}

/** Returns the moves of money that went back. If the ledger has not booked the arrival yet, the arrival comes first. */
function decideReversal(core: CollectionCore, answer: Answer & { kind: 'reversed' }): CollectionStep[] {
  if (mayMoveCollection('succeed', core.status)) {
    const arrival = decideReceived(core, answer, isAsAsked(core, answer))
    const arrived = arrival[0]
    assertInvariant(arrived !== undefined, 'a reversal starts with an arrival')
    const { move, amount_received_minor, foreign } = arrived
    const noted = { foreign_amount_minor: foreign?.amount_minor ?? null, foreign_currency: foreign?.currency ?? null }
    const then = { ...core, ...noted, status: moves[move].to, amount_received_minor }
    return [...arrival, ...decideReversal(then, answer)]
  }
  if (core.status === 'pending_clearance' && isUnvalued(core)) return makeStep(core, 'reverseHeld', {})
  // The reversal has the booked amount, even if the provider now reports another amount.
  const amount_minor = core.amount_received_minor ?? core.amount_minor
  if (core.status === 'pending_clearance') {
    const posting = { fact: 'collection_held_reversed', amount_minor, fee_minor: 0n } as const
    return makeStep(core, 'reverseHeld', { amount_received_minor: amount_minor, posting })
  }
  const posting = { fact: 'collection_reversed', amount_minor, fee_minor: feeOn(core, amount_minor) } as const
  return makeStep(core, 'reverse', { amount_received_minor: amount_minor, posting })
}

/**
 * Returns the fee that the server stored with the payment, in cents. If this fee is not less than the received amount, returns
 * 0.
 */
export function feeOn({ fee_minor }: Pick<CollectionCore, 'fee_minor'>, received_minor: bigint): bigint {
  return fee_minor < received_minor ? fee_minor : 0n
}

function makeStep(
  core: CollectionCore,
  move: CollectionMoveName,
  effect: Partial<Omit<CollectionStep, 'move'>>,
): CollectionStep[] {
  if (!mayMoveCollection(move, core.status)) return []
  return [
    {
      move,
      failure_reason_code: null,
      amount_received_minor: core.amount_received_minor,
      posting: null,
      ...effect,
    },
  ]
}

/** The changes that one answer causes: the attempt, the moves of its collection, and the record of a contradiction. */
export type OutcomeDecision = {
  attempt: Pick<AttemptUpdate, 'state' | 'due_at' | 'sent_at' | 'provider_status' | 'provider_id'>
  /**
   * True means that an attempt before the newest brought the money. The payment then gets the method, fee and payer of that
   * attempt.
   */
  paid_by_earlier: boolean
  /** True means that this attempt brought the money of the collection. */
  settles: boolean
  moves: { step: CollectionStep; actor: 'provider' | 'deadline'; reason: string | null }[]
  /** The texts that this answer adds to `recorded` of the snapshot. */
  recorded: string[]
  /** A contradiction that the history does not have yet. Null means that there is no new contradiction. */
  contradiction: string | null
}

/**
 * The facts on which a decision depends, in addition to the rows. `paid_by_other` means that another attempt has brought the
 * money of the payment.
 */
export type OutcomeContext = { now: Date; paid_by_other: boolean }

/**
 * Decides the changes that one answer about an attempt causes. The caller passes an open answer only after the deadline, or about
 * an attempt with a final answer.
 */
export function decideOutcome(
  { collection, recorded }: CollectionSnapshot,
  attempt: LockedAttempt,
  answer: Answer,
  { now, paid_by_other }: OutcomeContext,
): OutcomeDecision {
  const has_money = 'amount_minor' in answer
  const is_earlier = attempt.number < collection.attempts
  // If another attempt has brought the money, the answer does not change the payment. If the payer has started a newer attempt,
  // the failure of an earlier attempt does not change the payment either.
  const is_ignored = paid_by_other || (is_earlier && !has_money)
  const paid_by_earlier = has_money && !hasReceived(collection) && is_earlier
  const core: CollectionCore = paid_by_earlier
    ? { ...collection, fee_minor: attempt.of_fee_minor ?? collection.fee_minor }
    : collection
  const has_timed_out = isOpenAnswer(answer) && attempt.state !== 'final'
  assertInvariant(
    !has_timed_out || now >= attempt.deadline_at,
    `the deadline of attempt ${attempt.number} of ${attempt.collection_id} has passed`,
  )
  const steps = is_ignored ? [] : has_timed_out ? decideTimeout(core) : decideAnswer(core, answer)
  const outcome = describeOutcome(answer)
  const described = outcome !== null && core.superseded ? supersededText(outcome) : outcome
  // The text of a reversal does not replace the record of a contradiction: a reversal of another amount contradicts the books.
  const texts = steps.flatMap((step) => [
    ...(outcome !== null && answer.kind !== 'reversed' ? [outcome] : []),
    ...(step.failure_reason_code !== null ? [step.failure_reason_code] : []),
  ])
  const contradicted = !is_ignored && contradicts(core, answer) ? outcome : null
  // The history may have the outcome with the reason for which its money waits.
  const known = [...texts, ...recorded]
  const is_new = contradicted !== null && !known.includes(contradicted) && !known.includes(supersededText(contradicted))
  return {
    attempt: updateAttempt(attempt, answer, now),
    paid_by_earlier,
    settles:
      !hasReceived(core) && steps.some((step) => step.amount_received_minor !== null || step.foreign !== undefined),
    moves: steps.map((step) => ({
      step,
      actor: step.failure_reason_code === 'timeout' ? 'deadline' : 'provider',
      reason: step.failure_reason_code ?? (answer.kind === 'reversed' && !isReversal(step) ? null : described),
    })),
    recorded: is_new ? [...texts, contradicted] : texts,
    contradiction: is_new ? contradicted : null,
  }
}

/** Returns the history text of money that waits for an operator because its page took no more payments. */
function supersededText(outcome: string): string {
  return `${outcome}, but its page took no more payments`
}

/** Returns true for a reversal. An arrival that the same answer books first has no reason, because no answer reported it. */
function isReversal({ move }: CollectionStep): boolean {
  return move === 'reverse' || move === 'reverseHeld'
}

/**
 * Returns the columns of an attempt after an answer. If the provider announced a change of a final answer, the attempt stays due.
 */
function updateAttempt(attempt: LockedAttempt, answer: Answer, now: Date): OutcomeDecision['attempt'] {
  const { state, due_at, sent_at, provider_status, provider_id } = attempt
  const was_received = answer.kind !== 'unknown' && answer.kind !== 'not_found'
  const ends = isOpenAnswer(answer)
    ? state === 'final'
      ? { state, due_at }
      : { state: 'given_up' as const, due_at: null }
    : answer.ask_again_ms === undefined
      ? { state: 'final' as const, due_at: null }
      : { state: 'asked' as const, due_at: new Date(now.getTime() + answer.ask_again_ms) }
  return {
    ...ends,
    sent_at: was_received ? (sent_at ?? now) : sent_at,
    provider_status: answer.provider_status ?? provider_status,
    provider_id: answer.provider_id ?? provider_id,
  }
}
