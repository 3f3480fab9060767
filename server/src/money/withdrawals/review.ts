// Makes the decisions about a withdrawal other than its approval: reject, request information, respond, cancel, recall, resolve and
// retry. Each decision is one transaction with its history row and its audit entry.

import {
  auditVerdict,
  type Correction,
  type CorrectionVerdict,
  judgeCorrection,
  lockCorrections,
} from '../../access/four-eyes/index.ts'
import { refuseConflict } from '../../access/merchants/index.ts'
import type { CanDeliver, Delivery } from '../../adapters/webhooks/index.ts'
import { type Act, type AuditAction, recordAudits } from '../../books/audit/index.ts'
import { lockBooks } from '../../books/ledger/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, formatAmount, isId, newId, refuse } from '../../kernel/lib/index.ts'
import {
  auditFields,
  isRestricted,
  NOT_FOUND,
  type PayoutProviders,
  payoutDeadline,
  refuseState,
  shortOf,
} from './approve.ts'
import { moveWithdrawal, readSubscriptions, writeWithdrawalChanges } from './change.ts'
import { type DecidedMove, type Effect, paidEffect, releaseEffect, reversalEffect } from './decide.ts'
import { findHold } from './hold.ts'
import { pauseDetails } from './pauses.ts'
import { canMoveWithdrawal, type Funds, type WithdrawalMoveName } from './state.ts'
import {
  findPayouts,
  lockWithdrawals,
  type MerchantWithdrawal,
  PAYOUT_LEASE_MS,
  type Payout,
  type Withdrawal,
  type WithdrawalId,
  type WithdrawalSnapshot,
  withdrawalName,
} from './store.ts'

/** Locks one withdrawal. If the withdrawal is unknown or is of another environment, refuses with not_found. */
export async function lockWithdrawal(
  tx: Tx,
  key: WithdrawalId & { environment?: string },
): Promise<WithdrawalSnapshot> {
  const snapshot = isId(key.id) ? (await lockWithdrawals(tx, [key])).get(withdrawalName(key)) : undefined
  if (snapshot === undefined) return refuse('not_found', NOT_FOUND)
  const { environment } = snapshot.withdrawal
  if ((key.environment ?? environment) !== environment) refuse('not_found', NOT_FOUND)
  return snapshot
}

const moveWithoutMoney = (move: WithdrawalMoveName, { funds }: Withdrawal, why: string | null): DecidedMove => ({
  move,
  funds,
  failure: null,
  effect: null,
  why,
})

/**
 * Rejects a withdrawal. No money moves, because the withdrawal has no reservation yet. The merchant can read `reason`. If the
 * withdrawal waits for neither approval nor information, refuses with invalid_state. `evidence` is what the operator could see.
 */
export async function rejectWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { reason: string; evidence?: object | undefined },
): Promise<MerchantWithdrawal> {
  const snapshot = await lockWithdrawal(tx, input)
  const { withdrawal } = snapshot
  if (!canMoveWithdrawal('reject', withdrawal.status))
    refuseState(
      withdrawal,
      'An operator can reject only a withdrawal that is PENDING_ADMIN_APPROVAL or INFO_REQUESTED.',
    )
  const { reason, evidence } = input
  const step = moveWithoutMoney('reject', withdrawal, reason)
  return writeDecision(deps, tx, act, snapshot, 'withdrawal.reject', step, { reason, status_reason: reason, evidence })
}

/**
 * Asks the merchant for information. The withdrawal waits for the answer, and an operator may still approve or reject the
 * withdrawal. If the withdrawal does not wait for approval, refuses with invalid_state.
 */
export async function requestInfo(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { message: string },
): Promise<MerchantWithdrawal> {
  const snapshot = await lockWithdrawal(tx, input)
  const { withdrawal } = snapshot
  if (!canMoveWithdrawal('request_info', withdrawal.status))
    refuseState(withdrawal, 'An operator can ask only about a withdrawal that is PENDING_ADMIN_APPROVAL.')
  const { message } = input
  const step = moveWithoutMoney('request_info', withdrawal, message)
  const texts = { reason: message, status_reason: message }
  return writeDecision(deps, tx, act, snapshot, 'withdrawal.request_info', step, texts)
}

/**
 * Stores the merchant's answer, so that the withdrawal waits for approval again. If no question of an operator waits for an
 * answer, refuses with invalid_state.
 */
export async function respond(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { environment: string; message: string },
): Promise<MerchantWithdrawal> {
  const snapshot = await lockWithdrawal(tx, input)
  const { withdrawal } = snapshot
  if (!canMoveWithdrawal('respond', withdrawal.status))
    refuseState(withdrawal, 'No operator waits for an answer of the merchant.')
  const { message } = input
  const step = moveWithoutMoney('respond', withdrawal, message)
  const texts = { reason: message, status_reason: null }
  return writeDecision(deps, tx, act, snapshot, 'withdrawal.respond', step, texts)
}

/**
 * Cancels a withdrawal for its merchant before an operator approves it. No money moves, because the withdrawal has no
 * reservation yet. If the withdrawal is CANCELLED already, returns the withdrawal unchanged. If its status allows no
 * cancellation, refuses with invalid_state.
 */
export async function cancelWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  key: WithdrawalId & { environment: string },
): Promise<Withdrawal> {
  const snapshot = await lockWithdrawal(tx, key)
  const { withdrawal } = snapshot
  if (withdrawal.status === 'CANCELLED') return withdrawal
  if (!canMoveWithdrawal('cancel', withdrawal.status))
    refuseState(
      withdrawal,
      'The merchant can cancel only a withdrawal that is PENDING_ADMIN_APPROVAL or INFO_REQUESTED.',
    )
  const step = moveWithoutMoney('cancel', withdrawal, null)
  return writeDecision(deps, tx, act, snapshot, 'withdrawal.cancel', step, { reason: null, status_reason: null })
}

/** Cancels those of the given withdrawals that still wait for an approval or an answer. One statement writes all of them. */
export async function cancelWaitingWithdrawals(
  deps: Deps,
  tx: Tx,
  act: Act,
  keys: readonly WithdrawalId[],
): Promise<void> {
  const snapshots = [...(await lockWithdrawals(tx, keys)).values()]
  const waiting = snapshots.filter(({ withdrawal }) => canMoveWithdrawal('cancel', withdrawal.status))
  const decided = waiting.map((snapshot) => ({
    snapshot,
    step: moveWithoutMoney('cancel', snapshot.withdrawal, null),
  }))
  await writeDecisions(deps, tx, act, 'withdrawal.cancel', decided, { reason: null, status_reason: null })
}

/** An operator's decision about a payout whose outcome is doubtful. */
export type WithdrawalResolution = WithdrawalId & {
  outcome: 'SUCCESS' | 'FAILED'
  reason: string
  /**
   * The provider's id of the payout that the operator found at the provider. Null means that the operator entered no id.
   */
  provider_reference: string | null
}

const CLOSE = sql(
  'payouts_close',
  `update payouts set state = 'final', send_token = null, due_at = null, lease_owner = null, held_by = null,
     provider_id = coalesce($3, provider_id), updated_at = $4
   where merchant_id = $1 and withdrawal_id = $2`,
)

/**
 * The withdrawal after a resolution, with the operators who have decided. If `verdict.is_last` is false, the withdrawal is
 * unchanged and waits for a second operator.
 */
export type ResolutionResult = { row: MerchantWithdrawal; deliveries: Delivery[]; verdict: CorrectionVerdict }

/**
 * Ends a withdrawal whose payout is doubtful. If the decision needs a second operator, stores the first decision and moves
 * nothing. Refuses with invalid_state (wrong status or reservation), insufficient_balance (the merchant spent the released
 * money), conflict_of_interest, or second_operator_required (the same operator decides again).
 */
export async function resolveWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalResolution,
  canDeliver: CanDeliver,
): Promise<ResolutionResult> {
  const snapshot = await lockWithdrawal(tx, input)
  const { withdrawal: before, merchant } = snapshot
  await refuseConflict(tx, { merchant_id: before.merchant_id, act })
  const paid = input.outcome === 'SUCCESS'
  const move = paid ? 'resolve_paid' : 'resolve_unpaid'
  if (!canMoveWithdrawal(move, before.status))
    refuseState(
      before,
      'An operator can resolve only a withdrawal that is NEEDS_RECONCILIATION, BLOCKED_IP_WHITELIST or NEEDS_ADMIN_ATTENTION.',
    )
  const sums = await lockCorrections(deps, tx, before)
  if (paid && before.funds === 'released') {
    const [available = 0n] = (await lockBooks(tx, [before])).values()
    if (available < before.total_reserved_minor) throw shortOf(available, before)
  }
  const { funds, effect } = paid ? resolvedAsPaid(before) : resolvedAsUnpaid(before)
  if (effect !== null && snapshot.booked_minor !== before.total_reserved_minor) refuseBooks(snapshot)
  const verdict = await judgeCorrection(deps, tx, act, sums, correctionBy(before, input))
  if (!verdict.is_last) return { row: { ...before, ...merchant }, deliveries: [], verdict }
  const failure = paid ? null : ('operator_resolved' as const)
  const subscriptions = await readSubscriptions(tx, [snapshot])
  const author = { actor: act.actor, status_reason: input.reason }
  const step = { move, funds, failure, effect, why: input.reason } as const
  const change = moveWithdrawal(deps, subscriptions, snapshot, step, author)
  const deliveries = await writeWithdrawalChanges(deps, tx, [change], canDeliver)
  await tx.query(CLOSE, [before.merchant_id, before.id, input.provider_reference, deps.clock.now()])
  const { outcome, provider_reference, reason } = input
  const { withdrawal } = change
  const after = {
    status: withdrawal.status,
    outcome,
    provider_reference,
    ...auditFields(withdrawal),
    ...auditVerdict(verdict),
  }
  await recordAudits(deps, tx, [auditEntry(act, before, 'withdrawal.resolve', reason, after)])
  return { row: { ...withdrawal, ...merchant }, deliveries, verdict }
}

/**
 * Returns the decision about a withdrawal. If the decision needs two operators, both must make the same decision. The version
 * is part of the decision, so a first decision ends when an answer of the provider changes the withdrawal.
 */
function correctionBy(row: Withdrawal, input: WithdrawalResolution): Correction {
  const { merchant_id, id, environment, version, total_reserved_minor: amount_minor } = row
  const { outcome, provider_reference, reason } = input
  return {
    ...{ merchant_id, environment },
    action: 'withdrawal.resolve',
    target_type: 'withdrawal',
    target_id: id,
    content: { outcome, provider_reference, version },
    ...{ amount_minor, reason },
  }
}

/**
 * Refuses an action because the reservation in the ledger differs from the record. Other reservations must not pay for this
 * withdrawal.
 */
function refuseBooks({ withdrawal, booked_minor }: WithdrawalSnapshot): never {
  const [booked, needed] = [formatAmount(booked_minor), formatAmount(withdrawal.total_reserved_minor)]
  const message = `The ledger reserved ${booked} of ${needed}: find the cause before any money moves. Run "admin verify".`
  refuse('invalid_state', { message, details: { status: withdrawal.status } })
}

function resolvedAsPaid(row: Withdrawal): { funds: Funds; effect: Effect | null } {
  return row.funds === 'paid' ? { funds: 'paid', effect: null } : { funds: 'paid', effect: paidEffect(row) }
}

/**
 * Returns the place of the money and the posting for an unpaid outcome. If the ledger has booked the payment, the posting returns
 * the whole amount with the provider's charge.
 */
function resolvedAsUnpaid(row: Withdrawal): { funds: Funds; effect: Effect | null } {
  if (row.funds === 'paid') return { funds: 'returned', effect: reversalEffect(row, true) }
  return row.funds === 'released'
    ? { funds: 'released', effect: null }
    : { funds: 'released', effect: releaseEffect(row) }
}

/**
 * Recalls an approved payout that no process has sent: deletes its send token and releases its reservation. The merchant can
 * read `reason`. If a process sent or may have sent the payout, refuses with invalid_state.
 */
export async function recallWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: WithdrawalId & { reason: string },
): Promise<MerchantWithdrawal> {
  const snapshot = await lockWithdrawal(tx, input)
  const { withdrawal, payout } = snapshot
  if (!canMoveWithdrawal('recall', withdrawal.status))
    refuseState(withdrawal, 'An operator can recall only a withdrawal that is PROCESSING.')
  // Every process that takes the token waits for this lock of the payout. After the commit, the payout has no token.
  if (payout?.state !== 'to_send')
    refuseState(withdrawal, 'The server has sent or may have sent the payout, so an operator cannot recall it.')
  if (snapshot.booked_minor !== withdrawal.total_reserved_minor) refuseBooks(snapshot)
  const { reason } = input
  await tx.query(CLOSE, [withdrawal.merchant_id, withdrawal.id, null, deps.clock.now()])
  const effect = releaseEffect(withdrawal)
  const step: DecidedMove = { ...moveWithoutMoney('recall', withdrawal, reason), funds: 'released', effect }
  return writeDecision(deps, tx, act, snapshot, 'withdrawal.recall', step, { reason, status_reason: reason })
}

const RETRY = sql(
  'payouts_retry',
  `update payouts set state = 'to_send', send_token = $3, asks = 0, due_at = $4, lease_owner = $5,
     updated_at = $6, deadline_at = $7
   where merchant_id = $1 and withdrawal_id = $2 and state = 'blocked' returning 1 as retried`,
)

/**
 * Prepares a blocked payout for another request, with a new token and the same reference. If the returned payout has a lease,
 * the calling process sends the payout after the commit. Errors: not_found, invalid_state for a payout that is not blocked,
 * withdrawal_restricted for a merchant that is not active and verified, conflict_of_interest, and payouts_paused.
 */
export async function retryWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  key: WithdrawalId,
  providers: Pick<PayoutProviders, 'canDispatch'>,
): Promise<{ row: MerchantWithdrawal; payouts: Payout[] }> {
  const snapshot = await lockWithdrawal(tx, key)
  const { withdrawal, payout, merchant } = snapshot
  await refuseConflict(tx, { merchant_id: withdrawal.merchant_id, act })
  if (!canMoveWithdrawal('retry', withdrawal.status))
    refuseState(withdrawal, 'An operator can retry only a withdrawal that is BLOCKED_IP_WHITELIST.')
  if (isRestricted(snapshot)) {
    const message = 'The merchant is not active and verified. Resolve the withdrawal, or complete the merchant first.'
    refuse('withdrawal_restricted', { message })
  }
  const provider = payout?.provider ?? ''
  const hold = await findHold(tx, { ...withdrawal, provider })
  if (hold?.pause) refuse('payouts_paused', { message: hold.text, details: pauseDetails(hold.pause) })
  const now = deps.clock.now()
  const leased = providers.canDispatch(provider)
  const due_at = leased ? new Date(now.getTime() + PAYOUT_LEASE_MS) : now
  const token = newId(deps, merchant.routing_code)
  const owner = leased ? deps.process_id : null
  const values = [withdrawal.merchant_id, withdrawal.id, token, due_at, owner, now, payoutDeadline(deps)]
  const retried = await tx.query(RETRY, values)
  if (retried.length === 0)
    refuseState(withdrawal, 'The payout is in progress, so an operator cannot retry it now. Read the withdrawal again.')
  const step = moveWithoutMoney('retry', withdrawal, null)
  const texts = { reason: null, status_reason: null }
  const row = await writeDecision(deps, tx, act, snapshot, 'withdrawal.retry', step, texts)
  return { row, payouts: leased ? await findPayouts(tx, [row]) : [] }
}

type DecisionTexts = { reason: string | null; status_reason: string | null; evidence?: object | undefined }

/** Writes a move with its history row, its posting and its audit entry. The merchant can read `status_reason`. */
async function writeDecision(
  deps: Deps,
  tx: Tx,
  act: Act,
  snapshot: WithdrawalSnapshot,
  action: AuditAction,
  step: DecidedMove,
  texts: DecisionTexts,
): Promise<MerchantWithdrawal> {
  const [withdrawal] = await writeDecisions(deps, tx, act, action, [{ snapshot, step }], texts)
  assertInvariant(withdrawal !== undefined, 'one decision changes one withdrawal')
  return { ...withdrawal, ...snapshot.merchant }
}

/** Writes the moves of different withdrawals together, and returns the changed withdrawals in order. */
async function writeDecisions(
  deps: Deps,
  tx: Tx,
  act: Act,
  action: AuditAction,
  decided: readonly { snapshot: WithdrawalSnapshot; step: DecidedMove }[],
  { reason, status_reason, evidence }: DecisionTexts,
): Promise<Withdrawal[]> {
  const snapshots = decided.map(({ snapshot }) => snapshot)
  const subscriptions = await readSubscriptions(tx, snapshots)
  const author = { actor: act.actor, status_reason }
  const changes = decided.map(({ snapshot, step }) => moveWithdrawal(deps, subscriptions, snapshot, step, author))
  await writeWithdrawalChanges(deps, tx, changes, () => false)
  const changed = changes.map(({ withdrawal }) => withdrawal)
  const entries = snapshots.map(({ withdrawal: before }, place) => {
    const after = changed[place] as Withdrawal
    return auditEntry(act, before, action, reason, {
      status: after.status,
      ...auditFields(after),
      ...(evidence === undefined ? {} : { evidence }),
    })
  })
  await recordAudits(deps, tx, entries)
  return changed
}

function auditEntry(
  act: Act,
  { merchant_id, id: target_id, status }: Withdrawal,
  action: AuditAction,
  reason: string | null,
  after: object,
) {
  const before = { status }
  return { ...act, merchant_id, action, target_type: 'withdrawal', target_id, reason, before, after } as const
}
