// The states of a withdrawal, the only moves between them, and where its money lies in each.

import type { EventName } from '../../adapters/webhooks/index.ts'

/** Statuses of a withdrawal. */
export const STATUSES = [
  'PENDING_ADMIN_APPROVAL',
  'INFO_REQUESTED',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'NEEDS_ADMIN_ATTENTION',
  'REVERSED',
] as const
/** Where a withdrawal stands. */
export type Status = (typeof STATUSES)[number]

/** Statuses in which somebody still has to do something: an operator, the merchant or the provider. */
export const OPEN_STATUSES = [
  'PENDING_ADMIN_APPROVAL',
  'INFO_REQUESTED',
  'PROCESSING',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'NEEDS_ADMIN_ATTENTION',
] as const satisfies readonly Status[]

/**
 * Where amount and charges lie. Money goes this way only: none, reserved, then paid or released; from released to paid
 * when it was paid out after all; from paid to returned. So each fact of the ledger happens at most once.
 */
export const FUNDS = ['none', 'reserved', 'paid', 'released', 'returned'] as const
/** Where amount and charges lie. */
export type Funds = (typeof FUNDS)[number]

/** States of a payout: see the comment of its column. */
export type PayoutState = 'to_send' | 'sending' | 'asked' | 'blocked' | 'final'

type Move = {
  from: readonly Status[]
  to: Status
  /** Whose move it is. */
  by: 'operator' | 'merchant' | 'provider'
  event: EventName | null
}

const APPROVABLE = ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'] as const
const UNSETTLED = ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'] as const
const STUCK = ['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'] as const

/** Every move there is. */
export const moves = {
  approve: { from: APPROVABLE, to: 'PROCESSING', by: 'operator', event: null },
  reject: { from: APPROVABLE, to: 'REJECTED', by: 'operator', event: null },
  request_info: { from: ['PENDING_ADMIN_APPROVAL'], to: 'INFO_REQUESTED', by: 'operator', event: null },
  respond: { from: ['INFO_REQUESTED'], to: 'PENDING_ADMIN_APPROVAL', by: 'merchant', event: null },
  succeed: { from: UNSETTLED, to: 'SUCCESS', by: 'provider', event: 'disbursement.success' },
  fail: { from: UNSETTLED, to: 'FAILED', by: 'provider', event: 'disbursement.failed' },
  doubt: { from: ['PROCESSING'], to: 'NEEDS_RECONCILIATION', by: 'provider', event: null },
  block: { from: ['PROCESSING'], to: 'BLOCKED_IP_WHITELIST', by: 'provider', event: null },
  // The provider contradicts itself, the amount, or our own books: a person has to look.
  alarm: {
    from: ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'SUCCESS', 'FAILED'],
    to: 'NEEDS_ADMIN_ATTENTION',
    by: 'provider',
    event: null,
  },
  reverse: { from: ['SUCCESS'], to: 'REVERSED', by: 'provider', event: 'disbursement.reversed' },
  retry: { from: ['BLOCKED_IP_WHITELIST'], to: 'PROCESSING', by: 'operator', event: null },
  resolve_paid: { from: STUCK, to: 'SUCCESS', by: 'operator', event: 'disbursement.success' },
  resolve_unpaid: { from: STUCK, to: 'FAILED', by: 'operator', event: 'disbursement.failed' },
} as const satisfies Record<string, Move>

/** The name of a move. */
export type MoveName = keyof typeof moves

/** True when the move may start from this status. */
export function mayMove(name: MoveName, from: Status): boolean {
  return (moves[name].from as readonly Status[]).includes(from)
}
