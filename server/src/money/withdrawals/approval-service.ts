// The approval service: gathers concurrent approvals into sets, and sends payouts and deliveries after the commit.

import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inTransaction, type Tx } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import {
  type ApprovalBatch,
  type ApprovalRequest,
  type ApprovalResult,
  type ApproveOptions,
  approveWithdrawals,
  type PayoutProviders,
} from './approve.ts'
import type { FindProvider } from './check.ts'
import type { PayoutDriver } from './drive.ts'
import type { Payout } from './store.ts'

/** The operations and capacities that operators' decisions use. */
export type ApprovalService = {
  providers: PayoutProviders
  /** True if this process has capacity to send another delivery of the merchant at once. */
  canDeliver(merchant_id: string): boolean
  /**
   * Approves one withdrawal in a set with concurrent approvals, and sends its payout. The first of two approvals sends
   * nothing. Throws a Refusal.
   */
  approve(request: ApprovalRequest): Promise<ApprovalResult>
  /** Approves a set in the caller's transaction. The caller calls `sendApproved` after the commit. */
  approveSet(tx: Tx, requests: readonly ApprovalRequest[], options?: ApproveOptions): Promise<ApprovalBatch>
  sendApproved(batch: ApprovalBatch): void
  /** Sends the payouts and deliveries that this process leases. Call it after the commit that queued them. */
  sendNow(made: { payouts?: readonly Payout[]; deliveries?: Delivery[] }): void
}

/** Makes the service. `canDispatch` is false in a process that only serves HTTP; a worker claims its payouts. */
export function createApprovalService(
  deps: Deps,
  options: {
    driver: PayoutDriver
    find: FindProvider
    webhooks: { canDispatch(merchant_id: string): boolean; dispatch(deliveries: Delivery[]): void }
    canDispatch: boolean
  },
): ApprovalService {
  const { driver, find, webhooks, canDispatch } = options
  const providers: PayoutProviders = { find, canDispatch: (name) => canDispatch && driver.hasCapacity(name) }
  const sendNow: ApprovalService['sendNow'] = ({ payouts = [], deliveries = [] }) => {
    driver.dispatch(payouts)
    webhooks.dispatch(deliveries)
  }
  const approveSet: ApprovalService['approveSet'] = async (tx, requests, options) => {
    const batch = await approveWithdrawals(deps, tx, providers, requests, options)
    deps.point('approve.before_commit')
    return batch
  }
  const sendApproved: ApprovalService['sendApproved'] = (batch) => {
    deps.point('approve.after_commit')
    sendNow(batch)
  }
  return {
    providers,
    canDeliver: webhooks.canDispatch,
    sendNow,
    approveSet,
    sendApproved,
    approve: gather<ApprovalRequest, ApprovalResult>(
      async (requests) => {
        const batch = await inTransaction(deps.db, (tx) => approveSet(tx, requests))
        sendApproved(batch)
        return batch.answers
      },
      { max_items: 100, max_running: 1 },
    ),
  }
}
