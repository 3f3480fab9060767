// Recording finished attempts: one statement per set writes the attempts and moves their deliveries on.

import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../../kernel/db/index.ts'
import { gather, redactFields, redactText } from '../../kernel/lib/index.ts'
import type { Delivery } from './enqueue.ts'

/** Pauses before attempts two to five, each from the end of the attempt before. */
const PAUSES_MS = [60_000, 300_000, 900_000, 1_800_000]

/** The longest pause before an attempt. */
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS)

/** After so many failures a delivery is failed. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1

/** A finished attempt. `error` is null when the answer was 2xx. */
export type Attempt = {
  delivery: Delivery
  started_at: Date
  ended_at: Date
  status_code: number | null
  error: string | null
  response_body: string | null
}

const INPUT = `merchant_id uuid, id uuid, attempts smallint, status text, due_at timestamptz, started_at timestamptz,
       ended_at timestamptz, duration_ms int, status_code smallint, error text, response_body text`

// The guard: a process that was so slow that its lease ended has lost the row, and its late result counts for nothing.
const RECORD = sql(
  'webhook_record',
  `with result as materialized (
     select * from ${inputRows('$1', 'id', INPUT)} x
   ), moved as (
     update webhook_deliveries d
     set status = r.status, attempts = r.attempts + 1, due_at = r.due_at, lease_owner = null, updated_at = r.ended_at
     from result r
     where d.merchant_id = r.merchant_id and d.id = r.id
       and d.status = 'pending' and d.lease_owner = $2 and d.attempts = r.attempts
     returning r.*
   )
   insert into webhook_attempts (merchant_id, delivery_id, number, at, duration_ms, status_code, error, response_body)
   select m.merchant_id, m.id, coalesce((
       select a.number from webhook_attempts a where a.merchant_id = m.merchant_id and a.delivery_id = m.id
       order by a.number desc limit 1), 0) + 1,
     m.started_at, m.duration_ms, m.status_code, m.error, m.response_body
   from moved m`,
)

const SET_MAX = 500

/** Makes the recorder. A result whose lease has gone to someone else writes nothing. Throws when the database is away. */
export function createRecorder(deps: Deps): (attempt: Attempt) => Promise<void> {
  return gather<Attempt, void>(
    async (attempts) => {
      const rows = inLockOrder(attempts.map(rowOf), (row) => row.id)
      await oneStatement(deps.db).query(RECORD, [JSON.stringify(rows), deps.process_id])
      return attempts.map(() => undefined)
    },
    { max_items: SET_MAX, max_running: 2 },
  )
}

function rowOf({ delivery, started_at, ended_at, status_code, error, response_body }: Attempt) {
  const { merchant_id, id, attempts } = delivery
  const pause = error === null ? undefined : PAUSES_MS[attempts]
  return {
    merchant_id,
    id,
    attempts,
    status: error === null ? 'delivered' : pause === undefined ? 'failed' : 'pending',
    due_at: pause === undefined ? null : new Date(ended_at.getTime() + pause),
    started_at,
    ended_at,
    duration_ms: Math.max(0, ended_at.getTime() - started_at.getTime()),
    status_code,
    error,
    // A receiver may repeat what it was sent, or knows; whoever reads the deliveries need not have a right to that.
    response_body: response_body === null ? null : redactFields(redactText(response_body)),
  }
}
