// Waits until a storm has no open work, by conditions and not by a fixed time. The pauses between queries grow to an hour, so
// the test makes the queries due immediately.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Statement, sql } from '../../src/kernel/db/index.ts'
import type { Order, Payout } from '../../twins/selcom/index.ts'
import type { StormOperators } from './operators.ts'
import type { StormRig } from './rig.ts'

/**
 * The numbers of records that the storm has not settled. `pending` is the number of timers of the twin that have not run.
 */
export type OpenRecords = { payments: number; payouts: number; events: number; pending: number }

const OPEN_PAYMENTS = sql(
  'storm_open_payments',
  `select provider_reference as reference, a.due_at as due_at, a.lease_owner is not null as leased
   from collection_attempts a join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id
   where a.due_at is not null or c.status in ('created', 'processing')`,
)
const OPEN_PAYOUTS = sql(
  'storm_open_payouts',
  `select p.provider_reference as reference, w.status, p.state, p.due_at, p.lease_owner is not null as leased
   from withdrawals w left join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
   where w.status in ('PENDING_ADMIN_APPROVAL', 'PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST')`,
)
const OPEN_EVENTS = sql(
  'storm_open_events',
  `select count(*)::int as events from webhook_deliveries where status = 'pending'`,
)
const HURRY_PAYMENTS = sql(
  'storm_hurry_payments',
  `update collection_attempts set due_at = $1
   where provider_reference = any($2::text[]) and lease_owner is null and due_at > $1`,
)
const HURRY_PAYOUTS = sql(
  'storm_hurry_payouts',
  'update payouts set due_at = $1 where provider_reference = any($2::text[]) and lease_owner is null and due_at > $1',
)
const HURRY_EVENTS = sql(
  'storm_hurry_events',
  "update webhook_deliveries set due_at = $1 where status = 'pending' and lease_owner is null and attempts > 0 and due_at > $1",
)

const LOOK_EVERY_MS = 300
/**
 * The pause in milliseconds before the test makes a failed query due again. In this pause, the response can still arrive.
 */
const HURRY_EVERY_MS = 1_500

type OpenPayout = { reference: string; status: string }

/**
 * Resolves when no open record is left, or after `within_ms`. Returns the elapsed milliseconds and the numbers of open records.
 * Leaves out payments that wait for the payer, and payouts that wait for an operator's decision.
 */
export async function waitForRest(
  rig: StormRig,
  operators: StormOperators,
  within_ms: number,
  look: (left: OpenRecords) => void,
): Promise<{ ms: number; left: OpenRecords }> {
  const begin = Date.now()
  let hurried = 0
  for (;;) {
    const payments = (await references(rig, OPEN_PAYMENTS)).filter((one) => !isUndecided(rig, one))
    const payouts = (await rig.db.query<OpenPayout>(OPEN_PAYOUTS)).filter((one) => !isDoubted(rig, one))
    const [row] = await rig.db.query<{ events: number }>(OPEN_EVENTS)
    const blocked = await operators.retryBlocked()
    const left = {
      payments: payments.length,
      payouts: payouts.length + blocked,
      events: row?.events ?? 0,
      pending: rig.pending(),
    }
    look(left)
    const ms = Date.now() - begin
    const is_over = left.payments + left.payouts + left.events + left.pending === 0
    if (is_over || ms > within_ms) return { ms, left }
    if (Date.now() - hurried >= HURRY_EVERY_MS) {
      hurried = Date.now()
      const now = new Date()
      await rig.db.query(HURRY_PAYMENTS, [now, payments])
      await rig.db.query(HURRY_PAYOUTS, [now, payouts.map(({ reference }) => reference).filter((one) => one !== null)])
      await rig.db.query(HURRY_EVENTS, [now])
    }
    await sleep(LOOK_EVERY_MS)
  }
}

async function references(rig: StormRig, statement: Statement): Promise<string[]> {
  return (await rig.db.query<{ reference: string }>(statement)).map(({ reference }) => reference)
}

/** Returns true if the payment is open at the provider, and the provider will not decide without the payer. */
function isUndecided({ simulator, pending }: StormRig, reference: string): boolean {
  const order: Order | null = simulator.order(reference)
  return order !== null && order.payment === null && ['PENDING', 'INPROGRESS'].includes(order.word) && pending() === 0
}

/** Returns true if an operator must decide, because the provider has no such payout or reports no outcome. */
function isDoubted({ simulator, pending }: StormRig, { reference, status }: OpenPayout): boolean {
  if (status !== 'NEEDS_RECONCILIATION') return false
  const found = ['walletcashin', 'selcompesa', 'qwiksend'].map((rail) => simulator.payout(rail, reference))
  const payout: Payout | undefined = found.find((one) => one !== null) ?? undefined
  return payout === undefined || (payout.truth === 'pending' && pending() === 0)
}
