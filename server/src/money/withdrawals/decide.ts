// What a provider's answer means for a withdrawal: pure, so that every case can be tested as a table.

import { isUnasked } from '../../adapters/providers/breaker.ts'
import { BLOCK_CAUSES, type PayoutAnswer, type PayoutFailure } from '../../adapters/providers/port.ts'
import type { Fact } from '../../books/ledger/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import { type Funds, type MoveName, mayMove, moves, type Status } from './state.ts'

/** The withdrawal as far as a decision needs it. Amounts in cents. */
export type Standing = {
  status: Status
  funds: Funds
  amount_minor: bigint
  total_charges_minor: bigint
  total_reserved_minor: bigint
  processor_charge_minor: bigint
  processor_fee_pass_through: boolean
  currency: string
  /** What the ledger says was set aside for it. */
  booked_minor: bigint
  /** When the provider took the request; null when that is not known. */
  sent_at: Date | null
  /** True when it should have been sent, and its final answer should have come, long ago. */
  overdue: boolean
}

/** Money that a move moves: a fact of the ledger with its parts. */
export type Effect = {
  fact: Fact
  amount_minor: bigint
  fee_minor: bigint
  charge_minor: bigint
  charge_borne_by: 'merchant' | 'platform'
}

/** One move with what it does. */
export type Step = {
  move: MoveName
  funds: Funds
  failure: PayoutFailure | null
  effect: Effect | null
  why: string | null
}

/**
 * What an answer comes to: moves in order, or what is `noted` because it denies where the withdrawal stands without moving
 * it. Neither: it says nothing new.
 */
export type Decision = { steps: Step[]; noted: string | null }

const NOTHING: Decision = { steps: [], noted: null }

/** What an answer makes of a withdrawal. */
export function decide(standing: Standing, answer: PayoutAnswer): Decision {
  // Before money moves, the ledger must have set aside what the record says. It is asked, not believed.
  if (isFinal(answer) && standing.funds !== 'none' && standing.booked_minor !== standing.total_reserved_minor) {
    const booked = `${formatAmount(standing.booked_minor)} of ${formatAmount(standing.total_reserved_minor)}`
    return alarm(standing, `the ledger set aside ${booked}; told ${wordOf(answer)}`)
  }
  switch (answer.kind) {
    case 'succeeded':
      return paid(standing, answer)
    case 'declined':
      return declined(standing, answer)
    case 'reversed':
      return reversed(standing, answer)
    case 'blocked':
      if (standing.sent_at === null) return step(standing, 'block', { why: wordOf(answer) })
      // Of one that the provider took before, a refusal says as little as no answer.
      return standing.overdue ? step(standing, 'doubt', { why: wordOf(answer) }) : NOTHING
    case 'unknown':
      // Nothing was asked, so there is nothing new to doubt.
      if (isUnasked(answer) && !standing.overdue) return NOTHING
      // Sent and not answered: it may have been paid. A question about one that was taken is only asked again.
      return standing.sent_at === null || standing.overdue ? step(standing, 'doubt', { why: wordOf(answer) }) : NOTHING
    case 'not_found':
      return standing.sent_at !== null || standing.overdue ? step(standing, 'doubt', { why: wordOf(answer) }) : NOTHING
    case 'accepted':
      return standing.overdue ? step(standing, 'doubt', { why: 'no final answer in time' }) : NOTHING
    case 'not_sent':
      // It is tried again, but not for ever: money that nobody expects any more does not leave by itself.
      return standing.overdue ? step(standing, 'doubt', { why: 'could not be sent in time' }) : NOTHING
  }
}

/** True for an answer after which nothing more is expected of the provider. */
export function isFinal(answer: PayoutAnswer): boolean {
  return answer.kind === 'succeeded' || answer.kind === 'declined' || answer.kind === 'reversed'
}

/** What an answer says, as the history keeps it. */
export function wordOf(answer: PayoutAnswer): string {
  if ('amount_minor' in answer) return `${answer.kind} ${formatAmount(answer.amount_minor)} ${answer.currency}`
  if (answer.kind === 'declined') return `declined ${answer.reason}`
  if (answer.kind === 'unknown') return `unknown ${answer.why}`
  if (answer.kind === 'blocked') return answer.because === undefined ? 'blocked' : `blocked ${answer.because}`
  return answer.kind
}

/** The parts of money that moves as a whole: no fee and no charge is taken out of it. */
export const WHOLE = { fee_minor: 0n, charge_minor: 0n, charge_borne_by: 'platform' } as const

/** What the merchant is told of a payout that cannot be made yet. Null for every other answer. */
export function reasonOf(answer: PayoutAnswer): string | null {
  if (answer.kind !== 'blocked') return null
  const cause = answer.because === undefined ? BLOCKED : BLOCK_CAUSES[answer.because]
  return `${cause} Nothing was paid; an operator mends it and sends it again.`
}

/** The provider gave no cause. */
const BLOCKED = "The provider refused the platform's address or access."

/** Money that leaves for good, from where it lies. */
export function payment(standing: Standing): Effect {
  const fact = standing.funds === 'released' ? 'withdrawal_paid_late' : 'withdrawal_paid'
  return { fact, ...parts(standing) }
}

/** What was set aside goes back. */
export function release(standing: Standing): Effect {
  return { fact: 'withdrawal_released', amount_minor: standing.total_reserved_minor, ...WHOLE }
}

/** What left comes back: amount and our fee, and the provider's charge when the provider gave it back. */
export function comeback(standing: Standing, charge_returned: boolean): Effect {
  const { charge_minor, ...rest } = parts(standing)
  return { fact: 'withdrawal_reversed', ...rest, charge_minor: charge_returned ? charge_minor : 0n }
}

function parts(standing: Standing): Omit<Effect, 'fact'> {
  const { amount_minor, total_charges_minor, processor_charge_minor, processor_fee_pass_through } = standing
  return {
    amount_minor,
    fee_minor: total_charges_minor - (processor_fee_pass_through ? processor_charge_minor : 0n),
    charge_minor: processor_charge_minor,
    charge_borne_by: processor_fee_pass_through ? 'merchant' : 'platform',
  }
}

function asAsked(standing: Standing, answer: { amount_minor: bigint; currency: string }): boolean {
  return answer.amount_minor === standing.amount_minor && answer.currency === standing.currency
}

function paid(standing: Standing, answer: PayoutAnswer & { kind: 'succeeded' }): Decision {
  const { status, funds } = standing
  if (status === 'SUCCESS' && asAsked(standing, answer)) return NOTHING
  if (mayMove('succeed', status) && asAsked(standing, answer)) {
    return step(standing, 'succeed', { funds: 'paid', effect: payment(standing), why: wordOf(answer) })
  }
  // Another amount than was asked, or paid after it was declined.
  const denies_failure = status === 'FAILED' && funds === 'released'
  if (denies_failure || !asAsked(standing, answer)) return alarm(standing, wordOf(answer))
  return note(answer)
}

function declined(standing: Standing, answer: PayoutAnswer & { kind: 'declined' }): Decision {
  const { status } = standing
  if (status === 'FAILED') return NOTHING
  if (mayMove('fail', status)) {
    const effect = release(standing)
    return step(standing, 'fail', { funds: 'released', effect, failure: answer.reason, why: wordOf(answer) })
  }
  return status === 'SUCCESS' ? alarm(standing, wordOf(answer)) : note(answer)
}

function reversed(standing: Standing, answer: PayoutAnswer & { kind: 'reversed' }): Decision {
  const { status } = standing
  if (status === 'REVERSED' && asAsked(standing, answer)) return NOTHING
  if (!asAsked(standing, answer)) return alarm(standing, wordOf(answer))
  if (mayMove('succeed', status)) {
    // That it was paid was never seen: both facts belong in the books.
    const [first] = step(standing, 'succeed', { funds: 'paid', effect: payment(standing), why: wordOf(answer) }).steps
    const then = reversed({ ...standing, status: moves.succeed.to, funds: 'paid' }, answer)
    return { steps: [first as Step, ...then.steps], noted: null }
  }
  const effect = comeback(standing, answer.charge_returned)
  const decision = step(standing, 'reverse', { funds: 'returned', effect, why: wordOf(answer) })
  return decision.steps.length > 0 ? decision : note(answer)
}

/** A person has to look. No money moves. */
function alarm(standing: Standing, why: string): Decision {
  const may = mayMove('alarm', standing.status) && standing.funds !== 'returned'
  return may ? step(standing, 'alarm', { why }) : { steps: [], noted: why }
}

function step(standing: Standing, move: MoveName, what: Partial<Omit<Step, 'move'>>): Decision {
  if (!mayMove(move, standing.status)) return NOTHING
  return { steps: [{ move, funds: standing.funds, failure: null, effect: null, why: null, ...what }], noted: null }
}

function note(answer: PayoutAnswer): Decision {
  return { steps: [], noted: wordOf(answer) }
}
