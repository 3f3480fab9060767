// Defines a withdrawal as the API returns it to operators, and the actions that its status permits.

import type { Calls } from '../../ui/api-types.ts'
import type { Me } from '../operator.ts'

/** A withdrawal, as the API lists withdrawals for operators. */
export type WithdrawalRow = Calls['GET /v1/operator/withdrawals']['data']['items'][number]
/** A withdrawal with all facts for the decision. */
export type WithdrawalCaseRecord = Calls['GET /v1/operator/withdrawals/{withdrawal_id}/case']['data']
/** The name of the receiving account at the provider, and whether the name matches. */
export type NameCheck = Calls['POST /v1/operator/withdrawals/{withdrawal_id}/name-check']['data']

/** The actions of an operator on the page of a withdrawal. */
export const ACTIONS = ['approve', 'reject', 'ask', 'resolve', 'retry', 'recall'] as const
/** The name of an action, as the address of the page and the shortcuts use it. */
export type ActionName = (typeof ACTIONS)[number]

const ALLOWED: Record<string, readonly ActionName[]> = {
  PENDING_ADMIN_APPROVAL: ['approve', 'reject', 'ask'],
  INFO_REQUESTED: ['approve', 'reject'],
  NEEDS_RECONCILIATION: ['resolve'],
  BLOCKED_IP_WHITELIST: ['retry', 'resolve'],
  NEEDS_ADMIN_ATTENTION: ['resolve'],
}

/** Returns true if the status of the withdrawal permits an approval. */
export function isApprovable({ status }: { status: string }): boolean {
  return ALLOWED[status]?.includes('approve') ?? false
}

/** Returns true if no money of the withdrawal left the balance, and none can leave any more. */
export function isClosedUnpaid({ status }: { status: string }): boolean {
  return status === 'REJECTED' || status === 'CANCELLED' || status === 'FAILED'
}

/** The actions that an operator with a conflict of interest may not take. */
const CONFLICTING: readonly ActionName[] = ['approve', 'resolve', 'retry']

/**
 * Returns the actions that this operator may take now. The operator of the first approval, and the user who submitted the
 * withdrawal, may not approve. An operator with a conflict of interest may not send money or decide the outcome.
 */
export function allowedActions(
  { withdrawal, conflict_of_interest }: WithdrawalCaseRecord,
  me: Me,
): readonly ActionName[] {
  if (!me.operator_duties.includes('money')) return []
  // An operator can recall a payout until a process takes its send token.
  if (withdrawal.status === 'PROCESSING') return withdrawal.payout?.state === 'to_send' ? ['recall'] : []
  const acts = ALLOWED[withdrawal.status] ?? []
  if (conflict_of_interest) return acts.filter((act) => !CONFLICTING.includes(act))
  return hasApproved(withdrawal, me) || isSubmitter(withdrawal, me) ? acts.filter((act) => act !== 'approve') : acts
}

/** Returns true if the withdrawal needs two approvals and this operator gave one of them. */
export function hasApproved(
  { approvals_required, approvals }: Pick<WithdrawalRow, 'approvals_required' | 'approvals'>,
  { email }: Me,
): boolean {
  return approvals_required > 1 && approvals.some(({ operator }) => operator === email)
}

/** Returns true if this operator submitted the withdrawal as a member of the merchant. */
export function isSubmitter({ requested_by }: WithdrawalCaseRecord['withdrawal'], { id }: Me): boolean {
  return requested_by.id === id
}

/** The properties of each dialog. `onDone` gets the message that describes the result. */
export type DecisionProps = { of: WithdrawalCaseRecord; onDone: (news: string) => void; onClose: () => void }

/** The greatest number of characters of a reason that the API accepts. */
export const REASON_MAX = 500
