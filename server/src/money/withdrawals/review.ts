// What people do with a withdrawal beside approving it: reject, ask for information, respond, resolve, retry. Each is one
// transaction with its history row and, for operators, its audit entry.

import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Act, type AuditAction, recordAudit } from '../../books/audit/index.ts'
import { lockBooks } from '../../books/ledger/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { formatAmount, isId, newId, refuse } from '../../kernel/lib/index.ts'
import { type Approver, factsOf, isRestricted, NOT_FOUND, payoutDeadline, refuseState, shortOf } from './approve.ts'
import { applyStep, beginChanges, writeChanges } from './change.ts'
import { comeback, type Effect, payment, release, type Step } from './decide.ts'
import { type Funds, type MoveName, mayMove } from './state.ts'
import {
  findPayouts,
  type Locked,
  lockWithdrawals,
  PAYOUT_LEASE_MS,
  type Payout,
  type WithdrawalId,
  withdrawalName,
} from './store.ts'

/** Locks one withdrawal. Refuses an unknown one, and another environment's where one is named, with not_found. */
export async function lockOne(tx: Tx, key: WithdrawalId & { environment?: string }): Promise<Locked> {
  const row = isId(key.id) ? (await lockWithdrawals(tx, [key])).get(withdrawalName(key)) : undefined
  if (row === undefined || (key.environment ?? row.environment) !== row.environment) refuse('not_found', NOT_FOUND)
  return row
}

const stay = (move: MoveName, row: Locked, why: string | null): Step => ({
  move,
  funds: row.funds,
  failure: null,
  effect: null,
  why,
})

/**
 * Rejects a withdrawal; nothing was set aside, so nothing moves. `reason` is shown to the merchant. Refuses with
 * invalid_state unless it waits for approval or for information.
 */
export async function rejectWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { reason: string },
): Promise<Locked> {
  const row = await lockOne(tx, input)
  if (!mayMove('reject', row.status)) refuseState(row, 'rejected')
  return decideOne(
    deps,
    tx,
    act,
    row,
    'withdrawal.reject',
    stay('reject', row, input.reason),
    input.reason,
    input.reason,
  )
}

/**
 * Asks the merchant for information: the withdrawal waits until it responds, and an operator may still decide. Refuses with
 * invalid_state unless it waits for approval.
 */
export async function requestInfo(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { message: string },
): Promise<Locked> {
  const row = await lockOne(tx, input)
  if (!mayMove('request_info', row.status)) refuseState(row, 'asked about')
  const step = stay('request_info', row, input.message)
  return decideOne(deps, tx, act, row, 'withdrawal.request_info', step, input.message, input.message)
}

/** The merchant answers: the withdrawal waits for approval again. Refuses with invalid_state when nothing was asked. */
export async function respond(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { environment: string; message: string },
): Promise<Locked> {
  const row = await lockOne(tx, input)
  if (!mayMove('respond', row.status)) refuseState(row, 'responded to: nothing was asked')
  return decideOne(deps, tx, act, row, 'withdrawal.respond', stay('respond', row, input.message), input.message, null)
}

/** An operator's word on a payout that the provider left in doubt. */
export type Resolution = WithdrawalId & {
  outcome: 'SUCCESS' | 'FAILED'
  reason: string
  /** The provider's own id of the payout, as the operator found it. */
  provider_reference: string | null
}

const CLOSE = sql(
  'payouts_close',
  `update payouts set state = 'final', send_token = null, due_at = null, lease_owner = null,
     provider_id = coalesce($3, provider_id), updated_at = $4
   where merchant_id = $1 and withdrawal_id = $2`,
)

/**
 * Ends a withdrawal whose payout is in doubt, by an operator's word: the money goes where the outcome says, from wherever it
 * lies. Refuses with invalid_state unless it is stuck, and with insufficient_balance when it was paid after all, the
 * reservation went back to the merchant, and the balance does not cover it any more.
 */
export async function resolveWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: Resolution,
  lease: (merchant_id: string) => boolean,
): Promise<{ row: Locked; deliveries: Delivery[] }> {
  const row = await lockOne(tx, input)
  const paid = input.outcome === 'SUCCESS'
  const move = paid ? 'resolve_paid' : 'resolve_unpaid'
  if (!mayMove(move, row.status)) refuseState(row, 'resolved')
  if (paid && row.funds === 'released') {
    const [available = 0n] = (await lockBooks(tx, [row])).values()
    if (available < row.total_reserved_minor) throw shortOf(available, row)
  }
  const { funds, effect } = paid ? paidFrom(row) : unpaidFrom(row)
  if (effect !== null && row.booked_minor !== row.total_reserved_minor) refuseBooks(row)
  const failure = paid ? null : ('operator_resolved' as const)
  const before = { status: row.status }
  const changes = await beginChanges(tx, [row])
  const who = { actor: act.actor, status_reason: input.reason }
  applyStep(deps, changes, row, { move, funds, failure, effect, why: input.reason }, who)
  const deliveries = await writeChanges(deps, tx, changes, lease)
  await tx.query(CLOSE, [row.merchant_id, row.id, input.provider_reference, deps.clock.now()])
  const { outcome, provider_reference, reason } = input
  const after = { status: row.status, outcome, provider_reference, ...factsOf(row) }
  await audit(deps, tx, act, row, 'withdrawal.resolve', reason, before, after)
  return { row, deliveries }
}

/** The ledger is asked, not believed: other withdrawals' money must not pay for what was never set aside for this one. */
function refuseBooks(row: Locked): never {
  const [booked, needed] = [formatAmount(row.booked_minor), formatAmount(row.total_reserved_minor)]
  const message = `The ledger set aside ${booked} of ${needed}: find out why before any money moves. Run "admin verify".`
  refuse('invalid_state', { message, details: { status: row.status } })
}

function paidFrom(row: Locked): { funds: Funds; effect: Effect | null } {
  return row.funds === 'paid' ? { funds: 'paid', effect: null } : { funds: 'paid', effect: payment(row) }
}

/** Where it was booked as paid and was not, everything comes back, the provider's charge as well. */
function unpaidFrom(row: Locked): { funds: Funds; effect: Effect | null } {
  if (row.funds === 'paid') return { funds: 'returned', effect: comeback(row, true) }
  return row.funds === 'released' ? { funds: 'released', effect: null } : { funds: 'released', effect: release(row) }
}

const RETRY = sql(
  'payouts_retry',
  `update payouts set state = 'to_send', send_token = $3, asks = 0, due_at = $4, lease_owner = $5,
     updated_at = $6, deadline_at = $7
   where merchant_id = $1 and withdrawal_id = $2 and state = 'blocked' returning 1 as retried`,
)

/**
 * Sends a payout again that the provider refused because of our address: a new token, the same reference. Refuses with
 * invalid_state unless it is blocked, and with withdrawal_restricted if its merchant was suspended. The payout in the answer is to be sent after the commit when it is leased.
 */
export async function retryWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  key: WithdrawalId,
  approver: Pick<Approver, 'lease'>,
): Promise<{ row: Locked; payouts: Payout[] }> {
  const row = await lockOne(tx, key)
  if (!mayMove('retry', row.status)) refuseState(row, 'retried')
  if (isRestricted(row)) {
    const message = 'The merchant is not active and verified. Resolve the withdrawal, or complete the merchant first.'
    refuse('withdrawal_restricted', { message })
  }
  const now = deps.clock.now()
  const leased = approver.lease(row.provider ?? '')
  const due_at = leased ? new Date(now.getTime() + PAYOUT_LEASE_MS) : now
  const token = newId(deps, row.routing_code)
  const owner = leased ? deps.process_id : null
  const values = [row.merchant_id, row.id, token, due_at, owner, now, payoutDeadline(deps)]
  const retried = await tx.query(RETRY, values)
  if (retried.length === 0) refuseState(row, 'retried: its payout is under way')
  await decideOne(deps, tx, act, row, 'withdrawal.retry', stay('retry', row, null), null, null)
  return { row, payouts: leased ? await findPayouts(tx, [row]) : [] }
}

/** One move without money, with its history row and its audit entry. `told`: what the merchant reads. */
async function decideOne(
  deps: Deps,
  tx: Tx,
  act: Act,
  row: Locked,
  action: AuditAction,
  step: Step,
  reason: string | null,
  told: string | null,
): Promise<Locked> {
  const before = { status: row.status }
  const changes = await beginChanges(tx, [row])
  applyStep(deps, changes, row, step, { actor: act.actor, status_reason: told })
  await writeChanges(deps, tx, changes, () => false)
  await audit(deps, tx, act, row, action, reason, before, { status: row.status, ...factsOf(row) })
  return row
}

function audit(
  deps: Deps,
  tx: Tx,
  act: Act,
  row: Locked,
  action: AuditAction,
  reason: string | null,
  before: object,
  after: object,
): Promise<void> {
  const { merchant_id, id } = row
  return recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action,
    target_type: 'withdrawal',
    target_id: id,
    reason,
    before,
    after,
  })
}
