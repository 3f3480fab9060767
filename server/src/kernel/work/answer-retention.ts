// Erases the stored answers of old Idempotency-Keys. The keys stay, so that a repeated request never makes a second payment.

import { type Deps, oneStatement, sql } from '../db/index.ts'
import { firstIdAt, timeOfId, ZERO_ID } from '../lib/index.ts'
import { sweepTask } from './sweep.ts'
import type { Task } from './worker.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const ROWS_MAX = 1_000
const KIND = 'idempotency_keys'

// No key is older than both the first migration and the first merchant.
const START = sql(
  'answers_start',
  `select (select last_id from retention_marks where merchant_id = $1 and kind = $2) as last_id,
     least((select min(applied_at) from schema_migrations), (select min(created_at) from merchants)) as first_at`,
)

// Rows of similar age are close together in the table, so idempotency_keys_time_idx finds them at low cost. If two workers
// process the same batch, both lock its rows in the same order.
const ERASE = sql(
  'answers_erase',
  `with page as materialized (
     select k.merchant_id, k.environment, k.scope, k.key from idempotency_keys k
     where k.created_at >= $1 and k.created_at < $2 and k.response_body <> '' limit $3 for update
   ), erased as (
     update idempotency_keys k set response_body = '' from page p
     where k.merchant_id = p.merchant_id and k.environment = p.environment and k.scope = p.scope and k.key = p.key
   ), moved as (
     insert into retention_marks (merchant_id, kind, last_id)
     select $4, $5, $6::uuid where (select count(*) from page) < $3
     on conflict (merchant_id, kind) do update set last_id = greatest(retention_marks.last_id, excluded.last_id)
   )
   select count(*)::int as erased from page`,
)

/**
 * Makes the task that erases answers older than RETENTION_IDEMPOTENCY_DAYS and IDEMPOTENCY_REPLAY_DAYS. If a batch is full, the
 * next run reads one minute of keys. Otherwise the same statement also stores the progress, and the interval doubles.
 */
export function answerRetention(deps: Deps, rows_max = ROWS_MAX): Task {
  let width_ms = MINUTE_MS
  return sweepTask(deps, 'idempotency_retention', [
    async (now) => {
      const { retention_idempotency_days: days, idempotency_replay_days } = deps.config
      if (days === 0) return 0
      const db = oneStatement(deps.db)
      const end = now.getTime() - Math.max(days, idempotency_replay_days) * DAY_MS
      const [start] = await db.query<{ last_id: string | null; first_at: Date }>(START, [ZERO_ID, KIND])
      if (start === undefined) return 0
      const from = start.last_id === null ? start.first_at : timeOfId(start.last_id)
      if (from.getTime() >= end) return 0
      const until = new Date(Math.min(from.getTime() + width_ms, end))
      const values = [from, until, rows_max, ZERO_ID, KIND, firstIdAt(until)]
      const [page] = await db.query<{ erased: number }>(ERASE, values)
      const erased = page?.erased ?? 0
      width_ms = erased < rows_max ? width_ms * 2 : MINUTE_MS
      // While older keys remain, the result is at least 1, so that the worker runs the task again immediately.
      return until.getTime() < end ? Math.max(erased, 1) : erased
    },
  ])
}
