// Withdrawals as operators see them, and what may be done with one.

import type { Calls } from '../../ui/api-types.ts'
import type { Me } from '../operator.ts'

/** A withdrawal in a list. */
export type Row = Calls['GET /v1/operator/withdrawals']['data']['items'][number]
/** A withdrawal with all that a decision needs. */
export type Case = Calls['GET /v1/operator/withdrawals/{withdrawal_id}/case']['data']
/** The name on the receiving account, as the provider has it. */
export type NameCheck = Calls['POST /v1/operator/withdrawals/{withdrawal_id}/name-check']['data']

/** The questions that the page of a withdrawal asks. */
export const ACTS = ['approve', 'reject', 'ask', 'resolve', 'retry'] as const
/** One of them. */
export type ActName = (typeof ACTS)[number]

const ALLOWED: Record<string, readonly ActName[]> = {
  PENDING_ADMIN_APPROVAL: ['approve', 'reject', 'ask'],
  INFO_REQUESTED: ['approve', 'reject'],
  NEEDS_RECONCILIATION: ['resolve'],
  BLOCKED_IP_WHITELIST: ['retry', 'resolve'],
  NEEDS_ADMIN_ATTENTION: ['resolve'],
}

/** True while an operator can still approve it. */
export function isApprovable({ status }: { status: string }): boolean {
  return ALLOWED[status]?.includes('approve') ?? false
}

/** What this operator may do now. Who approved first leaves the second approval to another. */
export function actsOf(record: Case['withdrawal'], me: Me): readonly ActName[] {
  const acts = ALLOWED[record.status] ?? []
  return hasApproved(record, me) || isOwn(record, me) ? acts.filter((act) => act !== 'approve') : acts
}

/** True when this operator's approval is the first of two. */
export function hasApproved({ approvals_required, approvals }: Row, { email }: Me): boolean {
  return approvals_required > 1 && approvals.some(({ operator }) => operator === email)
}

/** True where two operators are needed and this one asked for the money. */
export function isOwn({ approvals_required, requested_by }: Case['withdrawal'], { id }: Me): boolean {
  return approvals_required > 1 && requested_by.id === id
}

/** A decimal string in cents. */
export function cents(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/** What each question gets. `onDone` takes the sentence that says what has happened. */
export type Question = { of: Case; onDone: (news: string) => void; onClose: () => void }

/** Longest reason that the API takes. */
export const REASON_MAX = 500
