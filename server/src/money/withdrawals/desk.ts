// The desk: what operators' decisions need beside the database, and approvals gathered into sets.

import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inTransaction, type Tx } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { type Approval, type Approved, type ApproveOptions, type Approver, approveAll, type Judged } from './approve.ts'
import type { FindProvider } from './check.ts'
import type { PayoutDriver } from './drive.ts'
import type { Payout } from './store.ts'

/** What decisions about withdrawals are made with. */
export type Desk = {
  approver: Approver
  /** Which merchants' deliveries this process sends at once. */
  room(merchant_id: string): boolean
  /**
   * Approves one withdrawal, together with those that arrive meanwhile, and sends it; the first of two approvals sends
   * nothing. Throws a Refusal.
   */
  approve(approval: Approval): Promise<Judged>
  /** Approves a set in a transaction of the caller, who calls `sendApproved` after its commit. */
  approveSet(tx: Tx, approvals: readonly Approval[], options?: ApproveOptions): Promise<Approved>
  sendApproved(made: Approved): void
  /** Call it after the commit of whatever answered payouts or deliveries: those that are leased go out now. */
  sendNow(made: { payouts?: readonly Payout[]; deliveries?: Delivery[] }): void
}

/** Makes the desk. `sends`: false in a process that only serves HTTP, whose payouts a worker claims. */
export function createDesk(
  deps: Deps,
  options: {
    driver: PayoutDriver
    find: FindProvider
    webhooks: { canDispatch(merchant_id: string): boolean; dispatch(deliveries: Delivery[]): void }
    sends: boolean
  },
): Desk {
  const { driver, find, webhooks, sends } = options
  const approver: Approver = { find, lease: (provider) => sends && driver.room(provider) }
  const sendNow: Desk['sendNow'] = ({ payouts = [], deliveries = [] }) => {
    driver.dispatch(payouts)
    webhooks.dispatch(deliveries)
  }
  const approveSet: Desk['approveSet'] = async (tx, approvals, options) => {
    const made = await approveAll(deps, tx, approver, approvals, options)
    deps.point('approve.before_commit')
    return made
  }
  const sendApproved: Desk['sendApproved'] = (made) => {
    deps.point('approve.after_commit')
    sendNow(made)
  }
  return {
    approver,
    room: webhooks.canDispatch,
    sendNow,
    approveSet,
    sendApproved,
    approve: gather<Approval, Judged>(
      async (approvals) => {
        const approved = await inTransaction(deps.db, (tx) => approveSet(tx, approvals))
        sendApproved(approved)
        return approved.answers
      },
      { max_items: 100, max_running: 1 },
    ),
  }
}
