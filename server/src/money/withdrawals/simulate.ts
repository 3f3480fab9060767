// Simulates an outcome in the sandbox, where the merchant decides for the operator and answers for the provider.

import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import type { Act } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { assertInvariant, Refusal } from '../../kernel/lib/index.ts'
import type { ApprovalService } from './approval-service.ts'
import { approveWithdrawals, refuseState } from './approve.ts'
import { lockWithdrawal, rejectWithdrawal, requestInfo } from './review.ts'
import type { SimulatedOutcome } from './schema.ts'
import { applyPayoutOutcomes } from './settle.ts'
import { canMoveWithdrawal, type WithdrawalMoveName } from './state.ts'
import { findWithdrawal, type Withdrawal, type WithdrawalId } from './store.ts'

const SIMULATED_REASON = 'Simulated in the sandbox.'

type ProviderOutcome = Exclude<SimulatedOutcome, 'REJECTED' | 'INFO_REQUESTED'>

/**
 * The moves by which an approved withdrawal can reach each outcome. An empty list means that only a withdrawal before its
 * approval can reach the outcome.
 */
const MOVES_AFTER_APPROVAL: Record<ProviderOutcome, readonly WithdrawalMoveName[]> = {
  SUCCESS: ['succeed'],
  FAILED: ['fail'],
  REVERSED: ['succeed', 'reverse'],
  NEEDS_RECONCILIATION: [],
  BLOCKED_IP_WHITELIST: [],
}

/** The withdrawal after a simulation, and the deliveries to send after the commit. */
export type SimulatedWithdrawal = { row: Withdrawal; deliveries: Delivery[] }

/**
 * Moves a sandbox withdrawal to an outcome. If the withdrawal is live or unknown, refuses with not_found. If no move leads to
 * the outcome, refuses with invalid_state. If the server approves the withdrawal first, also refuses for the
 * reasons of `approveUnsent`.
 */
export async function simulateOutcome(
  deps: Deps,
  tx: Tx,
  service: Pick<ApprovalService, 'providers' | 'canDeliver'>,
  act: Act,
  input: WithdrawalId & { outcome: SimulatedOutcome },
): Promise<SimulatedWithdrawal> {
  const { merchant_id, id, outcome } = input
  const { withdrawal } = await lockWithdrawal(tx, { merchant_id, id, environment: 'sandbox' })
  // The server sends no e-mail about a simulated rejection or question, because the recipient requested the simulation.
  if (outcome === 'REJECTED') {
    const rejection = { merchant_id, id, reason: SIMULATED_REASON }
    return { row: await rejectWithdrawal(deps, tx, act, rejection), deliveries: [] }
  }
  if (outcome === 'INFO_REQUESTED') {
    const question = { merchant_id, id, message: SIMULATED_REASON }
    return { row: await requestInfo(deps, tx, act, question), deliveries: [] }
  }
  const { status } = withdrawal
  const waits = canMoveWithdrawal('approve', status)
  if (!waits && !MOVES_AFTER_APPROVAL[outcome].some((move) => canMoveWithdrawal(move, status))) {
    refuseState(withdrawal, `The sandbox cannot change this status to ${outcome}. Simulate another outcome.`)
  }
  if (waits) await approveUnsent(deps, tx, service, act, { merchant_id, id })
  // The transaction of the approval also settles the payout, so that no other process claims the payout and queries the
  // provider.
  const outcomes = [{ merchant_id, id, answer: simulatedAnswer(withdrawal, outcome), holds_lease: waits }]
  const deliveries = await applyPayoutOutcomes(deps, tx, outcomes, service.canDeliver)
  const after = await findWithdrawal(tx, { merchant_id, id })
  assertInvariant(after !== null, 'a withdrawal that was just locked exists')
  return { row: after, deliveries }
}

async function approveUnsent(
  deps: Deps,
  tx: Tx,
  { providers }: Pick<ApprovalService, 'providers'>,
  act: Act,
  key: WithdrawalId,
): Promise<void> {
  const { answers } = await approveWithdrawals(deps, tx, providers, [{ ...key, act }], { send: false })
  const [answer] = answers
  if (answer instanceof Refusal) throw answer
}

/** Returns the provider's answer that leads to an outcome. */
function simulatedAnswer({ amount_minor, currency }: Withdrawal, outcome: ProviderOutcome): PayoutAnswer {
  const provider_status = SIMULATED_REASON
  switch (outcome) {
    case 'SUCCESS':
      return { kind: 'succeeded', amount_minor, currency, provider_status }
    case 'FAILED':
      return { kind: 'declined', reason: 'provider_declined', provider_status }
    case 'REVERSED':
      return { kind: 'reversed', amount_minor, currency, charge_returned: false, provider_status }
    case 'NEEDS_RECONCILIATION':
      return { kind: 'unknown', why: 'ambiguous', provider_status }
    case 'BLOCKED_IP_WHITELIST':
      return { kind: 'blocked', provider_status }
  }
}
