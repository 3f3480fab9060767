// Defines the statuses of a withdrawal, the allowed moves between them, and the place of its money in each status.

import type { EventName } from '../../adapters/webhooks/index.ts'

/** The statuses of a withdrawal. `moves` has the allowed changes. */
export const STATUSES = [
  'PENDING_ADMIN_APPROVAL',
  'INFO_REQUESTED',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'CANCELLED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'NEEDS_ADMIN_ATTENTION',
  'REVERSED',
] as const
/** The status of one withdrawal. Only a move in `moves` changes the status. */
export type WithdrawalStatus = (typeof STATUSES)[number]

/** Statuses in which an operator, the merchant or the provider still has to act. */
export const OPEN_STATUSES = [
  'PENDING_ADMIN_APPROVAL',
  'INFO_REQUESTED',
  'PROCESSING',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'NEEDS_ADMIN_ATTENTION',
] as const satisfies readonly WithdrawalStatus[]

/**
 * The places of the amount and the charges. Allowed changes are none to reserved, reserved to paid or released, released to
 * paid (a late payment), and paid to returned. So each posting of a withdrawal happens at most once.
 */
export const FUNDS = ['none', 'reserved', 'paid', 'released', 'returned'] as const
/**
 * The place of one withdrawal's money. `released` means that the merchant has the money again without a payout. `returned`
 * means that the money came back after the payout.
 */
export type Funds = (typeof FUNDS)[number]

/** The states of a payout; db/schema.md describes each. */
export type PayoutState = 'to_send' | 'sending' | 'asked' | 'blocked' | 'final'

type WithdrawalMove = {
  from: readonly WithdrawalStatus[]
  to: WithdrawalStatus
  /** The party that can make the move. */
  by: 'operator' | 'merchant' | 'provider'
  event: EventName | null
}

const APPROVABLE = ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'] as const
const UNSETTLED = ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'] as const
const STUCK = ['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'] as const

/** The allowed changes of the status of a withdrawal, with the party that can make each change. */
export const moves = {
  approve: { from: APPROVABLE, to: 'PROCESSING', by: 'operator', event: 'disbursement.approved' },
  reject: { from: APPROVABLE, to: 'REJECTED', by: 'operator', event: null },
  cancel: { from: APPROVABLE, to: 'CANCELLED', by: 'merchant', event: null },
  request_info: {
    from: ['PENDING_ADMIN_APPROVAL'],
    to: 'INFO_REQUESTED',
    by: 'operator',
    event: 'disbursement.info_requested',
  },
  respond: { from: ['INFO_REQUESTED'], to: 'PENDING_ADMIN_APPROVAL', by: 'merchant', event: null },
  succeed: { from: UNSETTLED, to: 'SUCCESS', by: 'provider', event: 'disbursement.success' },
  fail: { from: UNSETTLED, to: 'FAILED', by: 'provider', event: 'disbursement.failed' },
  doubt: { from: ['PROCESSING'], to: 'NEEDS_RECONCILIATION', by: 'provider', event: null },
  block: { from: ['PROCESSING'], to: 'BLOCKED_IP_WHITELIST', by: 'provider', event: null },
  // If the provider contradicts an earlier answer, the amount or the ledger, an operator has to decide.
  alarm: {
    from: ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'SUCCESS', 'FAILED', 'CANCELLED'],
    to: 'NEEDS_ADMIN_ATTENTION',
    by: 'provider',
    event: null,
  },
  reverse: { from: ['SUCCESS'], to: 'REVERSED', by: 'provider', event: 'disbursement.reversed' },
  // An operator can recall a payout only while no process has taken the send token.
  recall: { from: ['PROCESSING'], to: 'CANCELLED', by: 'operator', event: null },
  retry: { from: ['BLOCKED_IP_WHITELIST'], to: 'PROCESSING', by: 'operator', event: null },
  resolve_paid: { from: STUCK, to: 'SUCCESS', by: 'operator', event: 'disbursement.success' },
  resolve_unpaid: { from: STUCK, to: 'FAILED', by: 'operator', event: 'disbursement.failed' },
} as const satisfies Record<string, WithdrawalMove>

/** A name in `moves`, such as `approve` or `succeed`. Each move has one party that can make it. */
export type WithdrawalMoveName = keyof typeof moves

/** Returns true if the move may start from the given status. */
export function canMoveWithdrawal(name: WithdrawalMoveName, from: WithdrawalStatus): boolean {
  return (moves[name].from as readonly WithdrawalStatus[]).includes(from)
}
