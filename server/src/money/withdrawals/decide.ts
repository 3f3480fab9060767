// Decides the moves that a provider's answer about a payout causes. The functions are pure, so that a table can test every case.

import { isUnasked } from '../../adapters/providers/breaker.ts'
import { BLOCK_CAUSES, type PayoutAnswer, type PayoutFailure } from '../../adapters/providers/port.ts'
import type { Fact } from '../../books/ledger/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import { canMoveWithdrawal, type Funds, moves, type WithdrawalMoveName } from './state.ts'
import type { Withdrawal } from './store.ts'

/** The fields of a withdrawal that determine the amounts of its postings. Amounts are in cents. */
export type WithdrawalMoney = Pick<
  Withdrawal,
  | 'funds'
  | 'amount_minor'
  | 'total_charges_minor'
  | 'total_reserved_minor'
  | 'processor_charge_minor'
  | 'processor_fee_pass_through'
>

/** The data about the withdrawal, its payout and its reservation on which a decision depends. */
export type PayoutDecisionInput = WithdrawalMoney &
  Pick<Withdrawal, 'status' | 'currency'> & {
    /** The amount that the ledger has reserved for the withdrawal. */
    booked_minor: bigint
    /** The time at which the provider accepted the payout. Null means that the server has no record of an acceptance. */
    sent_at: Date | null
    /** True means that the deadline of the payout has passed. */
    overdue: boolean
  }

/** The posting of a move: a ledger fact with its amounts. */
export type Effect = {
  fact: Fact
  amount_minor: bigint
  fee_minor: bigint
  charge_minor: bigint
  charge_borne_by: 'merchant' | 'platform'
}

/** One move, with its posting, the place of the money after the move and the reason of a failure. */
export type DecidedMove = {
  move: WithdrawalMoveName
  funds: Funds
  failure: PayoutFailure | null
  effect: Effect | null
  why: string | null
}

/**
 * The moves that an answer causes, in order. If the answer contradicts the status and no move is possible, `noted` has the
 * answer. If the answer changes nothing, the decision has neither a move nor a note.
 */
export type PayoutDecision = { steps: DecidedMove[]; noted: string | null }

const NOTHING: PayoutDecision = { steps: [], noted: null }

/** Decides the moves that an answer about a withdrawal causes. */
export function decidePayout(input: PayoutDecisionInput, answer: PayoutAnswer): PayoutDecision {
  // If money may move, the reservation in the ledger must equal the reservation in the record.
  if (isFinalAnswer(answer) && input.funds !== 'none' && input.booked_minor !== input.total_reserved_minor) {
    const booked = `${formatAmount(input.booked_minor)} of ${formatAmount(input.total_reserved_minor)}`
    return alarm(input, `the ledger reserved ${booked}; the provider answered ${describePayoutAnswer(answer)}`)
  }
  const why = describePayoutAnswer(answer)
  switch (answer.kind) {
    case 'succeeded':
      return decideSucceeded(input, answer)
    case 'declined':
      return decideDeclined(input, answer)
    case 'reversed':
      return decideReversed(input, answer)
    case 'blocked':
      if (input.sent_at === null) return moveTo(input, 'block', { why })
      // The provider accepted this payout before, so a later refusal does not prove a failure.
      return input.overdue ? moveTo(input, 'doubt', { why }) : NOTHING
    case 'unknown':
      // The provider did not receive the query, so this answer does not change the outcome.
      if (isUnasked(answer) && !input.overdue) return NOTHING
      // If a request got no answer, the provider may have paid. If the provider accepted the payout, the server only queries again.
      return input.sent_at === null || input.overdue ? moveTo(input, 'doubt', { why }) : NOTHING
    case 'not_found':
      return input.sent_at !== null || input.overdue ? moveTo(input, 'doubt', { why }) : NOTHING
    case 'accepted':
      return input.overdue ? moveTo(input, 'doubt', { why: 'no final answer in time' }) : NOTHING
    case 'not_sent':
      // The worker retries until the deadline. After the deadline, a final answer of the provider or an operator's decision
      // moves the money.
      return input.overdue ? moveTo(input, 'doubt', { why: 'the server could not send the payout in time' }) : NOTHING
  }
}

/** Returns true for an answer that settles the payout: succeeded, declined or reversed. */
export function isFinalAnswer(answer: PayoutAnswer): boolean {
  return answer.kind === 'succeeded' || answer.kind === 'declined' || answer.kind === 'reversed'
}

/**
 * Returns the text of an answer for the history. The server detects repeated answers by this text, so a new version of the
 * server must not change the text.
 */
export function describePayoutAnswer(answer: PayoutAnswer): string {
  if ('amount_minor' in answer) return `${answer.kind} ${formatAmount(answer.amount_minor)} ${answer.currency}`
  if (answer.kind === 'declined') return `declined ${answer.reason}`
  if (answer.kind === 'unknown') return `unknown ${answer.why}`
  if (answer.kind === 'blocked') return answer.because === undefined ? 'blocked' : `blocked ${answer.because}`
  return answer.kind
}

/** The parts of an amount without a fee and without a charge. */
export const WHOLE = { fee_minor: 0n, charge_minor: 0n, charge_borne_by: 'platform' } as const

/** If the provider blocks the payout, returns the explanation for operators; otherwise returns null. */
export function blockReason(answer: PayoutAnswer): string | null {
  if (answer.kind !== 'blocked') return null
  const cause = answer.because === undefined ? BLOCKED : BLOCK_CAUSES[answer.because]
  return `${cause} The provider paid no money. An operator corrects the cause and retries the payout.`
}

/** The explanation of a block for which the provider gives no cause. */
const BLOCKED = "The provider refused the platform's address or access."

/**
 * Returns the posting of a paid payout. If the ledger has released the money, the posting takes the money from `available`
 * again.
 */
export function paidEffect(money: WithdrawalMoney): Effect {
  const fact = money.funds === 'released' ? 'withdrawal_paid_late' : 'withdrawal_paid'
  return { fact, ...parts(money) }
}

/** Returns the posting that returns the reserved money to the merchant. */
export function releaseEffect(money: WithdrawalMoney): Effect {
  return { fact: 'withdrawal_released', amount_minor: money.total_reserved_minor, ...WHOLE }
}

/** Returns the posting of a reversal: the amount and our fee, and the provider's charge if the provider returned the charge. */
export function reversalEffect(money: WithdrawalMoney, charge_returned: boolean): Effect {
  const { charge_minor, ...rest } = parts(money)
  return { fact: 'withdrawal_reversed', ...rest, charge_minor: charge_returned ? charge_minor : 0n }
}

function parts(money: WithdrawalMoney): Omit<Effect, 'fact'> {
  const { amount_minor, total_charges_minor, processor_charge_minor, processor_fee_pass_through } = money
  return {
    amount_minor,
    fee_minor: total_charges_minor - (processor_fee_pass_through ? processor_charge_minor : 0n),
    charge_minor: processor_charge_minor,
    charge_borne_by: processor_fee_pass_through ? 'merchant' : 'platform',
  }
}

function hasExpectedAmount(input: PayoutDecisionInput, answer: { amount_minor: bigint; currency: string }): boolean {
  return answer.amount_minor === input.amount_minor && answer.currency === input.currency
}

function decideSucceeded(input: PayoutDecisionInput, answer: PayoutAnswer & { kind: 'succeeded' }): PayoutDecision {
  const { status, funds } = input
  if (status === 'SUCCESS' && hasExpectedAmount(input, answer)) return NOTHING
  if (canMoveWithdrawal('succeed', status) && hasExpectedAmount(input, answer)) {
    return moveTo(input, 'succeed', { funds: 'paid', effect: paidEffect(input), why: describePayoutAnswer(answer) })
  }
  // The provider reports another amount, or reports a payment after it declined the payout or an operator recalled the payout.
  const contradicts_failure = (status === 'FAILED' || status === 'CANCELLED') && funds === 'released'
  if (contradicts_failure || !hasExpectedAmount(input, answer)) return alarm(input, describePayoutAnswer(answer))
  return note(answer)
}

function decideDeclined(input: PayoutDecisionInput, answer: PayoutAnswer & { kind: 'declined' }): PayoutDecision {
  const { status } = input
  const why = describePayoutAnswer(answer)
  if (status === 'FAILED' || (status === 'CANCELLED' && input.funds === 'released')) return NOTHING
  if (canMoveWithdrawal('fail', status)) {
    return moveTo(input, 'fail', { funds: 'released', effect: releaseEffect(input), failure: answer.reason, why })
  }
  return status === 'SUCCESS' ? alarm(input, why) : note(answer)
}

function decideReversed(input: PayoutDecisionInput, answer: PayoutAnswer & { kind: 'reversed' }): PayoutDecision {
  const { status } = input
  const why = describePayoutAnswer(answer)
  if (status === 'REVERSED' && hasExpectedAmount(input, answer)) return NOTHING
  if (!hasExpectedAmount(input, answer)) return alarm(input, why)
  if (canMoveWithdrawal('succeed', status)) {
    // The server never received the answer about the payment, so the ledger books both the payment and the reversal.
    const [first] = moveTo(input, 'succeed', { funds: 'paid', effect: paidEffect(input), why }).steps
    const then = decideReversed({ ...input, status: moves.succeed.to, funds: 'paid' }, answer)
    return { steps: [first as DecidedMove, ...then.steps], noted: null }
  }
  const effect = reversalEffect(input, answer.charge_returned)
  const decision = moveTo(input, 'reverse', { funds: 'returned', effect, why })
  return decision.steps.length > 0 ? decision : note(answer)
}

/**
 * If the status and the place of the money allow the move, moves to NEEDS_ADMIN_ATTENTION; otherwise notes the contradiction.
 * No money moves.
 */
function alarm(input: PayoutDecisionInput, why: string): PayoutDecision {
  const may = canMoveWithdrawal('alarm', input.status) && input.funds !== 'returned' && input.funds !== 'none'
  return may ? moveTo(input, 'alarm', { why }) : { steps: [], noted: why }
}

function moveTo(
  input: PayoutDecisionInput,
  move: WithdrawalMoveName,
  fields: Partial<Omit<DecidedMove, 'move'>>,
): PayoutDecision {
  if (!canMoveWithdrawal(move, input.status)) return NOTHING
  return { steps: [{ move, funds: input.funds, failure: null, effect: null, why: null, ...fields }], noted: null }
}

function note(answer: PayoutAnswer): PayoutDecision {
  return { steps: [], noted: describePayoutAnswer(answer) }
}
