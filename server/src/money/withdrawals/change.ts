// Changing withdrawals: steps are applied to locked rows in memory, then everything is written at once. Whoever moves a
// withdrawal, be it operator, merchant or provider, comes through here.

import { PAYOUT_FAILURES } from '../../adapters/providers/port.ts'
import {
  type Delivery,
  type EventName,
  enqueueEvents,
  type NewEvent,
  subscriptionsOf,
} from '../../adapters/webhooks/index.ts'
import { type Posting, postingOf, postTransfers } from '../../books/ledger/index.ts'
import { type Deps, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import type { Actor } from '../../kernel/http/index.ts'
import { assertInvariant, formatAmount } from '../../kernel/lib/index.ts'
import type { Step } from './decide.ts'
import { mayMove, moves } from './state.ts'
import type { Locked } from './store.ts'

type HistoryRow = {
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

/** Everything that a set of moves changes, before it is written. */
export type Changes = {
  rows: Set<Locked>
  history: HistoryRow[]
  postings: Posting[]
  events: NewEvent[]
  subscriptions: Map<string, ReadonlySet<string>>
}

/** Begins a set of changes to locked withdrawals. */
export async function beginChanges(tx: Tx, rows: Iterable<Locked>): Promise<Changes> {
  const merchant_ids = new Set([...rows].map(({ merchant_id }) => merchant_id))
  const subscriptions = await subscriptionsOf(tx, [...merchant_ids])
  return { rows: new Set(), history: [], postings: [], events: [], subscriptions }
}

/** Makes one move of a locked withdrawal. `status_reason`: why, by an operator or a provider; it ends with the next move. */
export function applyStep(
  deps: Deps,
  changes: Changes,
  row: Locked,
  step: Step,
  who: { actor: Omit<Actor, 'kind'> & { kind: string }; status_reason?: string | null; transfer_id?: string },
): void {
  const move = moves[step.move]
  assertInvariant(mayMove(step.move, row.status), `${step.move} of a ${row.status} withdrawal ${row.id}`)
  const now = deps.clock.now()
  const from_status = row.status
  row.status = move.to
  row.version += 1
  row.funds = step.funds
  row.failure_reason_code = step.failure
  row.status_reason = who.status_reason ?? null
  row.updated_at = now
  if (move.to === 'SUCCESS') row.completed_at ??= now
  if (move.to === 'FAILED') row.completed_at = null
  const { merchant_id, id, routing_code, environment, version } = row
  const event = move.event !== null && changes.subscriptions.get(merchant_id)?.has(move.event) ? move.event : null
  changes.rows.add(row)
  changes.history.push({
    merchant_id,
    withdrawal_id: id,
    seq: version,
    from_status,
    to_status: move.to,
    ...whom(who.actor),
    reason: step.why,
    event,
  })
  if (step.effect) {
    const source = { source_type: 'withdrawal', source_id: id } as const
    const named = who.transfer_id === undefined ? {} : { transfer_id: who.transfer_id }
    changes.postings.push(postingOf({ merchant_id, routing_code, environment, ...step.effect, ...source, ...named }))
  }
  if (event !== null) {
    const body = eventBody(row, event, now.toISOString())
    const source = { source_type: 'withdrawal', source_id: id, source_seq: version } as const
    changes.events.push({ merchant_id, routing_code, environment, event, ...source, body })
  }
}

/** Writes down what denies where a withdrawal stands, without moving it: a row of the history from a status to itself. */
export function applyNote(
  deps: Deps,
  changes: Changes,
  row: Locked,
  actor: { kind: string; id: null; name: string },
  why: string,
) {
  const { merchant_id, id, status } = row
  deps.log.warn({ merchant_id, withdrawal_id: id, status, told: why }, 'the provider contradicts what is booked')
  row.version += 1
  row.updated_at = deps.clock.now()
  changes.rows.add(row)
  changes.history.push({
    merchant_id,
    withdrawal_id: id,
    seq: row.version,
    from_status: status,
    to_status: status,
    ...whom(actor),
    reason: why,
    event: null,
  })
}

function whom({ kind, id, name }: { kind: string; id: string | null; name: string }) {
  return { actor_kind: kind, actor_id: id, actor_name: name }
}

const TIME_FIELDS: Partial<Record<EventName, string>> = {
  'disbursement.success': 'completed_at',
  'disbursement.failed': 'failed_at',
  'disbursement.reversed': 'reversed_at',
}

/** The payload of every disbursement event. */
function eventBody(row: Locked, event: EventName, now: string) {
  const { failure_reason_code } = row
  const failure =
    row.status === 'FAILED' && failure_reason_code !== null
      ? { failure_reason_code, failure_reason_message: PAYOUT_FAILURES[failure_reason_code] }
      : {}
  return {
    event,
    merchant_code: row.merchant_code,
    disbursement_id: row.id,
    reference: row.reference,
    merchant_reference: row.reference,
    amount: formatAmount(row.amount_minor),
    currency: row.currency,
    status: row.status,
    method: row.method,
    ...failure,
    [TIME_FIELDS[event] as string]: now,
    timestamp: now,
    ...(row.environment === 'sandbox' ? { sandbox: true } : {}),
  }
}

// The version is the compare-and-set: the rows are locked, so that it always holds.
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

/** Writes a set of changes: rows, history, money and events. Answers the deliveries it queued. */
export async function writeChanges(
  deps: Deps,
  tx: Tx,
  changes: Changes,
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  if (changes.rows.size === 0) return []
  const rows = [...changes.rows].map((row) => ({
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
  const [deliveries, written] = await Promise.all([
    enqueueEvents(deps, tx, changes.events, lease),
    tx.query<{ moved: number }>(WRITE, [JSON.stringify(rows), JSON.stringify(changes.history), deps.clock.now()]),
    // Last, because it locks the merchants' accounts: others wait for them until the commit.
    postTransfers(deps, tx, changes.postings),
  ])
  assertInvariant(written[0]?.moved === rows.length, `${rows.length} withdrawals were due, ${written[0]?.moved} moved`)
  return deliveries
}
