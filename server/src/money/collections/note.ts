// Records open answers. An open answer changes only its attempt, and never the status of the collection.

import type { PushAnswer } from '../../adapters/providers/port.ts'
import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../../kernel/db/index.ts'
import { nextAskAt } from './pauses.ts'
import { ASKS_MAX, ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/**
 * An answer about an attempt without an outcome. If the answer ends the lease of this process, `holds_lease` is true. If the
 * query needed no lease, for example after a callback or a refresh, it is false.
 */
export type OpenAnswer = { attempt: Attempt; answer: PushAnswer; holds_lease: boolean }

// The query needs no lock on the collection: only the process with the lease ends the lease and sets the next due time. After a
// callback or a refresh, the query changes the due time only of an unleased row, and only to an earlier time. If the attempt is
// certainly unsent, the server counts no query.
const NOTE_OPEN = sql(
  'attempts_note_open',
  `update collection_attempts a set
     state = case when i.sent and a.state = 'to_send' then 'asked' else a.state end,
     asks = case when a.lease_owner = i.owner then least(a.asks + i.counts, ${ASKS_MAX}) else a.asks end,
     due_at = case when a.lease_owner = i.owner then i.due_at
       when a.lease_owner is null then least(a.due_at, i.earlier_at) else a.due_at end,
     lease_owner = case when a.lease_owner = i.owner then null else a.lease_owner end,
     sent_at = case when i.sent then coalesce(a.sent_at, $2) else a.sent_at end,
     provider_status = coalesce(i.provider_status, a.provider_status),
     provider_id = coalesce(i.provider_id, a.provider_id), updated_at = $2
   from ${inputRows(
     '$1',
     'collection_id',
     `merchant_id uuid, collection_id uuid, number smallint, owner uuid, sent boolean, counts smallint, due_at timestamptz,
        earlier_at timestamptz, provider_status text, provider_id text`,
   )} i
   where a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
     and a.due_at is not null`,
)

type OpenAnswerRow = {
  merchant_id: string
  collection_id: string
  number: number
  owner: string | null
  sent: boolean
  /** The number of queries to count: 1, or 0 if the attempt is unsent. */
  counts: number
  due_at: Date
  earlier_at: Date | null
  provider_status: string | null
  provider_id: string | null
}

/** Records open answers. Merges several answers about one attempt into one row. */
export async function noteOpenAnswers(deps: Deps, notes: readonly OpenAnswer[]): Promise<void> {
  const now = deps.clock.now()
  const rows = new Map<string, OpenAnswerRow>()
  for (const note of notes) {
    const row = openAnswerRow(deps, note, now)
    const known = rows.get(note.attempt.provider_reference)
    rows.set(note.attempt.provider_reference, known ? mergeRows(known, row) : row)
  }
  const ordered = inLockOrder(
    [...rows.values()],
    (row) => `${row.collection_id} ${String(row.number).padStart(5, '0')}`,
  )
  await oneStatement(deps.db).query(NOTE_OPEN, [JSON.stringify(ordered), now])
}

function openAnswerRow(deps: Deps, { attempt, answer, holds_lease }: OpenAnswer, now: Date): OpenAnswerRow {
  const { merchant_id, collection_id, number, deadline_at } = attempt
  const sent = answer.kind === 'accepted'
  const sent_at = attempt.sent_at ?? (sent ? now : null)
  const due_at = nextAskAt(now, { asks: attempt.asks + 1, sent_at, deadline_at }, answer)
  return {
    merchant_id,
    collection_id,
    number,
    owner: holds_lease ? deps.process_id : null,
    sent,
    counts: answer.kind === 'not_sent' ? 0 : 1,
    due_at,
    // After a callback or a refresh, only a pause that the provider announces makes the row due earlier. Frequent refreshes
    // thus do not change the pauses of the worker.
    earlier_at: answer.ask_again_ms === undefined ? null : due_at,
    provider_status: answer.provider_status,
    provider_id: answer.provider_id ?? null,
  }
}

/** Merges two answers about one attempt, because one SQL statement updates a row only once. */
function mergeRows(first: OpenAnswerRow, second: OpenAnswerRow): OpenAnswerRow {
  const [base, other] = first.owner !== null && second.owner === null ? [first, second] : [second, first]
  const earlier = [first.earlier_at, second.earlier_at]
    .filter((at) => at !== null)
    .sort((a, b) => Number(a) - Number(b))
  return {
    ...base,
    sent: first.sent || second.sent,
    earlier_at: earlier[0] ?? null,
    provider_status: base.provider_status ?? other.provider_status,
    provider_id: base.provider_id ?? other.provider_id,
  }
}

const RENEW = sql(
  'attempts_renew',
  `update collection_attempts set due_at = $5, updated_at = $6
   where merchant_id = $1 and collection_id = $2 and number = $3 and lease_owner = $4 and state = 'to_send'
     and due_at is not null
   returning 1 as held`,
)

/**
 * Renews a lease of this process on an unsent attempt. If this process no longer has the lease, or the attempt is no longer
 * unsent, returns false.
 */
export async function renewAttemptLease(deps: Deps, attempt: Attempt): Promise<boolean> {
  const { merchant_id, collection_id, number } = attempt
  const now = deps.clock.now()
  const until = new Date(now.getTime() + ATTEMPT_LEASE_MS)
  const values = [merchant_id, collection_id, number, deps.process_id, until, now]
  return (await oneStatement(deps.db).query(RENEW, values)).length === 1
}
