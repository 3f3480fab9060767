// The desk: what operators' decisions need beside the database, and approvals gathered into sets.

import { type Deps, inTransaction } from '../db/index.ts'
import { gather } from '../lib/index.ts'
import type { Delivery } from '../webhooks/index.ts'
import { type Approval, type Approver, approveAll } from './approve.ts'
import type { FindProvider } from './check.ts'
import type { PayoutDriver } from './drive.ts'
import type { Locked, Payout } from './store.ts'

/** What decisions about withdrawals are made with. */
export type Desk = {
  approver: Approver
  /** Which merchants' deliveries this process sends at once. */
  room(merchant_id: string): boolean
  /** Approves one withdrawal, together with those that arrive meanwhile, and sends it. Throws a Refusal. */
  approve(approval: Approval): Promise<Locked>
  /** Call it after the commit of whatever answered payouts or deliveries: those that are leased go out now. */
  sendNow(made: { payouts?: readonly Payout[]; deliveries?: Delivery[] }): void
}

/** Makes the desk. `sends`: false in a process that only serves HTTP, whose payouts a worker claims. */
export function createDesk(
  deps: Deps,
  options: {
    driver: PayoutDriver
    find: FindProvider
    webhooks: { room(merchant_id: string): boolean; dispatch(deliveries: Delivery[]): void }
    sends: boolean
  },
): Desk {
  const { driver, find, webhooks, sends } = options
  const approver: Approver = { find, lease: (provider) => sends && driver.room(provider) }
  const sendNow: Desk['sendNow'] = ({ payouts = [], deliveries = [] }) => {
    driver.dispatch(payouts)
    webhooks.dispatch(deliveries)
  }
  return {
    approver,
    room: webhooks.room,
    sendNow,
    approve: gather<Approval, Locked>(
      async (approvals) => {
        const approved = await inTransaction(deps.db, async (tx) => {
          const made = await approveAll(deps, tx, approver, approvals)
          deps.point('approve.before_commit')
          return made
        })
        deps.point('approve.after_commit')
        sendNow(approved)
        return approved.answers
      },
      { max_items: 100, max_running: 1 },
    ),
  }
}
