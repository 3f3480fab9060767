// Changes withdrawals. `moveWithdrawal`, `noteContradiction` and `noteHold` compute changes, and `writeWithdrawalChanges`
// writes a batch of changes. Every move by an operator, a merchant or a provider uses these functions.

import { PAYOUT_FAILURES, PAYOUT_FAILURES_SW } from '../../adapters/providers/port.ts'
import {
  type CanDeliver,
  type Delivery,
  type EventEndpoints,
  type EventName,
  enqueueEvents,
  type NewEvent,
  subscriptionKey,
  subscriptionsOf,
} from '../../adapters/webhooks/index.ts'
import { type Posting, postingOf, postTransfers } from '../../books/ledger/index.ts'
import { type Deps, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import type { Actor } from '../../kernel/http/index.ts'
import { assertInvariant, formatAmount } from '../../kernel/lib/index.ts'
import type { DecidedMove } from './decide.ts'
import { countWithdrawalMoves } from './metrics.ts'
import { canMoveWithdrawal, moves } from './state.ts'
import {
  type PayoutSnapshot,
  type Withdrawal,
  type WithdrawalMerchant,
  type WithdrawalSnapshot,
  withdrawalName,
} from './store.ts'

type WithdrawalHistoryRow = {
  merchant_id: string
  withdrawal_id: string
  seq: number
  from_status: string
  to_status: string
  actor_kind: string
  actor_id: string | null
  actor_name: string
  reason: string | null
  event: string | null
}

/** One change of a withdrawal: the changed row, the history row, the posting and the event. */
export type WithdrawalChange = {
  withdrawal: Withdrawal
  history: WithdrawalHistoryRow
  posting: Posting | null
  event: NewEvent | null
}

/** The endpoints that receive each event of a merchant in an environment, by `subscriptionKey`. */
export type EventSubscriptions = ReadonlyMap<string, EventEndpoints>

/** Reads the subscriptions of the merchants of a batch of locked withdrawals. */
export function readSubscriptions(tx: Tx, snapshots: Iterable<WithdrawalSnapshot>): Promise<EventSubscriptions> {
  const merchant_ids = new Set([...snapshots].map(({ withdrawal }) => withdrawal.merchant_id))
  return subscriptionsOf(tx, [...merchant_ids])
}

/**
 * The party that makes a move. `status_reason` is the explanation of an operator or a provider; the next move replaces the
 * explanation.
 */
export type MoveAuthor = {
  actor: Omit<Actor, 'kind'> & { kind: string }
  status_reason?: string | null
  transfer_id?: string
}

/** The withdrawal before a move, with its merchant. The event of the move has the trace of the payout. */
export type MovedSnapshot = Pick<WithdrawalSnapshot, 'withdrawal' | 'merchant'> & {
  payout: Pick<PayoutSnapshot, 'trace'> | null
}

/** Computes one move of a locked withdrawal. The calling function writes the returned change. */
export function moveWithdrawal(
  deps: Deps,
  subscriptions: EventSubscriptions,
  { withdrawal: before, merchant, payout }: MovedSnapshot,
  decided: DecidedMove,
  author: MoveAuthor,
): WithdrawalChange {
  const move = moves[decided.move]
  assertInvariant(
    canMoveWithdrawal(decided.move, before.status),
    `the move ${decided.move} may start from the status ${before.status} of withdrawal ${before.id}`,
  )
  const now = deps.clock.now()
  const { merchant_id, id, environment } = before
  const { routing_code } = merchant
  const withdrawal: Withdrawal = {
    ...before,
    status: move.to,
    version: before.version + 1,
    funds: decided.funds,
    failure_reason_code: decided.failure,
    status_reason: author.status_reason ?? null,
    updated_at: now,
    completed_at: completedAt(before, move.to, now),
  }
  const endpoint_ids =
    move.event === null ? [] : (subscriptions.get(subscriptionKey(withdrawal))?.get(move.event) ?? [])
  const event = endpoint_ids.length === 0 ? null : move.event
  const source = { source_type: 'withdrawal', source_id: id } as const
  const transfer = author.transfer_id === undefined ? {} : { transfer_id: author.transfer_id }
  return {
    withdrawal,
    history: historyRow(before, withdrawal, author.actor, decided.why, event),
    posting: decided.effect
      ? postingOf({ merchant_id, routing_code, environment, ...decided.effect, ...source, ...transfer })
      : null,
    event:
      move.event === null
        ? null
        : {
            merchant_id,
            routing_code,
            environment,
            event: move.event,
            endpoint_ids,
            ...source,
            source_seq: withdrawal.version,
            body: disbursementEventBody(withdrawal, merchant, move.event, now.toISOString()),
            trace: payout?.trace ?? null,
          },
  }
}

function completedAt(before: Withdrawal, to: Withdrawal['status'], now: Date): Date | null {
  if (to === 'SUCCESS') return before.completed_at ?? now
  return to === 'FAILED' ? null : before.completed_at
}

/**
 * Logs an answer that contradicts the status but causes no move, and computes its history row. The row has the same status
 * before and after.
 */
export function noteContradiction(
  deps: Deps,
  before: Withdrawal,
  actor: { kind: string; id: null; name: string },
  why: string,
): WithdrawalChange {
  const { merchant_id, id, status } = before
  deps.log.warn(
    { component: 'withdrawals', merchant_id, withdrawal_id: id, status, reported: why },
    'the provider reports an outcome that contradicts the recorded status: compare the payout with the records of the provider',
  )
  const withdrawal = { ...before, version: before.version + 1, updated_at: deps.clock.now() }
  return { withdrawal, history: historyRow(before, withdrawal, actor, why, null), posting: null, event: null }
}

/** Computes the history row of a payout that the server does not send yet. The row has the same status before and after. */
export function noteHold(deps: Deps, before: Withdrawal, why: string): WithdrawalChange {
  const { merchant_id, id } = before
  deps.log.info({ component: 'withdrawals', merchant_id, withdrawal_id: id, reason: why }, 'an approved payout waits')
  const withdrawal = { ...before, version: before.version + 1, updated_at: deps.clock.now() }
  const actor = { kind: 'system', id: null, name: 'server' }
  return { withdrawal, history: historyRow(before, withdrawal, actor, why, null), posting: null, event: null }
}

function historyRow(
  before: Withdrawal,
  after: Withdrawal,
  actor: MoveAuthor['actor'],
  reason: string | null,
  event: EventName | null,
): WithdrawalHistoryRow {
  return {
    merchant_id: before.merchant_id,
    withdrawal_id: before.id,
    seq: after.version,
    from_status: before.status,
    to_status: after.status,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    reason,
    event,
  }
}

const TIME_FIELDS: Partial<Record<EventName, string>> = {
  'disbursement.success': 'completed_at',
  'disbursement.failed': 'failed_at',
  'disbursement.reversed': 'reversed_at',
  'disbursement.approved': 'approved_at',
  'disbursement.info_requested': 'info_requested_at',
}

/** Returns the body of the webhook that the server sends to the merchant about an event of a disbursement. */
function disbursementEventBody(row: Withdrawal, { merchant_code }: WithdrawalMerchant, event: EventName, now: string) {
  const { failure_reason_code } = row
  const failure =
    row.status === 'FAILED' && failure_reason_code !== null
      ? {
          failure_reason_code,
          failure_reason_message: PAYOUT_FAILURES[failure_reason_code],
          failure_reason_message_sw: PAYOUT_FAILURES_SW[failure_reason_code],
        }
      : {}
  return {
    event,
    merchant_code,
    disbursement_id: row.id,
    reference: row.reference,
    merchant_reference: row.reference,
    amount: formatAmount(row.amount_minor),
    currency: row.currency,
    status: row.status,
    method: row.method,
    ...failure,
    // The message is the operator's question, which the merchant has to answer.
    ...(event === 'disbursement.info_requested' ? { message: row.status_reason } : {}),
    [TIME_FIELDS[event] as string]: now,
    timestamp: now,
    metadata: row.metadata ?? {},
    ...(row.environment === 'sandbox' ? { sandbox: true } : {}),
  }
}

// The query compares the version of each row. The rows are under lock, so every row matches.
const WRITE = sql(
  'withdrawals_write',
  `with moved as (
     update withdrawals w set status = i.status, version = i.version, funds = i.funds,
       failure_reason_code = i.failure_reason_code, status_reason = i.status_reason,
       provider_reference = i.provider_reference, transfer_id = i.transfer_id, approvals_required = i.approvals_required,
       four_eyes_minor = i.four_eyes_minor, completed_at = i.completed_at, updated_at = $3
     from ${inputRows(
       '$1',
       'id',
       `merchant_id uuid, id uuid, status text, version int, funds text, failure_reason_code text, status_reason text,
        provider_reference text, transfer_id uuid, approvals_required smallint, four_eyes_minor bigint, completed_at timestamptz`,
     )} i
     where w.merchant_id = i.merchant_id and w.id = i.id and w.version < i.version
     returning 1
   ), history as (
     insert into withdrawal_history (merchant_id, withdrawal_id, seq, from_status, to_status, actor_kind, actor_id,
       actor_name, reason, event, at)
     select merchant_id, withdrawal_id, seq, from_status, to_status, actor_kind, actor_id, actor_name, reason, event, $3
     from json_to_recordset($2::json) as h(merchant_id uuid, withdrawal_id uuid, seq int, from_status text,
       to_status text, actor_kind text, actor_id text, actor_name text, reason text, event text)
   )
   select count(*)::int as moved from moved`,
)

/**
 * Writes a batch of changes in their order: rows, history, postings and events. If a withdrawal has several changes, its last
 * change has the row to write. Returns the queued deliveries.
 */
export async function writeWithdrawalChanges(
  deps: Deps,
  tx: Tx,
  changes: readonly WithdrawalChange[],
  canDeliver: CanDeliver,
): Promise<Delivery[]> {
  if (changes.length === 0) return []
  tx.afterCommit(() => countWithdrawalMoves(deps.metrics, changes))
  const latest = new Map(changes.map(({ withdrawal }) => [withdrawalName(withdrawal), withdrawal]))
  const rows = [...latest.values()].map((row) => ({
    merchant_id: row.merchant_id,
    id: row.id,
    status: row.status,
    version: row.version,
    funds: row.funds,
    failure_reason_code: row.failure_reason_code,
    status_reason: row.status_reason,
    provider_reference: row.provider_reference,
    transfer_id: row.transfer_id,
    approvals_required: row.approvals_required,
    four_eyes_minor: row.four_eyes_minor?.toString() ?? null,
    completed_at: row.completed_at,
  }))
  const history = changes.map((change) => change.history)
  const events = changes.flatMap(({ event }) => (event === null ? [] : [event]))
  const postings = changes.flatMap(({ posting }) => (posting === null ? [] : [posting]))
  const [deliveries, written] = await Promise.all([
    enqueueEvents(deps, tx, events, canDeliver),
    tx.query<{ moved: number }>(WRITE, [JSON.stringify(rows), JSON.stringify(history), deps.clock.now()]),
    // `postTransfers` runs last, because other transactions wait for the locked accounts of the merchants until the commit.
    postTransfers(deps, tx, postings),
  ])
  assertInvariant(
    written[0]?.moved === rows.length,
    `the transaction moved ${written[0]?.moved} of ${rows.length} due withdrawals`,
  )
  return deliveries
}
