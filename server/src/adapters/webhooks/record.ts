// Records the results of attempts in batches: one query inserts the attempts and updates their deliveries.

import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../../kernel/db/index.ts'
import { batchSizes, gather, redactFields, redactText } from '../../kernel/lib/index.ts'
import type { Delivery } from './enqueue.ts'

/** The pauses before attempts two to five in milliseconds, each from the end of the previous attempt. */
const PAUSES_MS = [60_000, 300_000, 900_000, 1_800_000]

/** The longest pause before an attempt, in milliseconds. */
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS)

/** The number of attempts after which the server gives up a delivery. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1

/**
 * The result of an attempt. Null as `error` means that the receiver answered with 2xx. Null as `status_code` means no answer.
 */
export type WebhookAttempt = {
  delivery: Delivery
  started_at: Date
  ended_at: Date
  status_code: number | null
  error: string | null
  response_body: string | null
}

const INPUT = `merchant_id uuid, id uuid, attempts smallint, status text, due_at timestamptz, started_at timestamptz,
       ended_at timestamptz, duration_ms int, status_code smallint, error text, response_body text`

// If another process has claimed the row after the lease ended, the late result changes nothing.
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

/**
 * Makes the function that records a result. If another process has claimed the delivery, records nothing. If the database is
 * unreachable, rejects.
 */
export function createAttemptRecorder(deps: Deps): (attempt: WebhookAttempt) => Promise<void> {
  return gather<WebhookAttempt, void>(
    async (attempts) => {
      const rows = inLockOrder(attempts.map(recordInputOf), (row) => row.id)
      await oneStatement(deps.db).query(RECORD, [JSON.stringify(rows), deps.process_id])
      return attempts.map(() => undefined)
    },
    { max_items: SET_MAX, max_running: 2, measure: batchSizes(deps.metrics, 'webhook_results') },
  )
}

function recordInputOf({ delivery, started_at, ended_at, status_code, error, response_body }: WebhookAttempt) {
  const { merchant_id, id, attempts } = delivery
  const deleted = error === 'endpoint_deleted'
  const pause = error === null || deleted ? undefined : PAUSES_MS[attempts]
  const ended = error === null ? 'delivered' : deleted ? 'cancelled' : 'failed'
  const status = pause === undefined ? ended : 'pending'
  return {
    merchant_id,
    id,
    attempts,
    status,
    due_at: pause === undefined ? null : new Date(ended_at.getTime() + pause),
    started_at,
    ended_at,
    duration_ms: Math.max(0, ended_at.getTime() - started_at.getTime()),
    status_code,
    error,
    // The server removes personal data from the answer, because members who read deliveries may have no right to this data.
    response_body: response_body === null ? null : redactFields(redactText(response_body)),
  }
}
