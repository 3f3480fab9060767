// Deletes requests that are older than REQUEST_LOG_DAYS.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { firstIdAt } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

const DAY_MS = 86_400_000
/** The highest number of rows that one SQL statement deletes. */
const BATCH_MAX = 5_000

// For each merchant, the query reads the oldest rows first by the primary key.
const SWEEP_REQUESTS = sql(
  'requests_sweep',
  `delete from requests r using (
     select old.merchant_id, old.environment, old.id from merchants m
     cross join unnest('{live,sandbox}'::text[]) as e(environment)
     cross join lateral (
       select o.merchant_id, o.environment, o.id from requests o
       where o.merchant_id = m.id and o.environment = e.environment and o.id < $1 order by o.id limit $2) old
     limit $2) gone
   where r.merchant_id = gone.merchant_id and r.environment = gone.environment and r.id = gone.id
   returning 1 as gone`,
)

const SWEEP_PACKS = sql(
  'request_packs_sweep',
  `delete from request_packs p using (
     select old.merchant_id, old.id from merchants m
     cross join lateral (
       select o.merchant_id, o.id from request_packs o where o.merchant_id = m.id and o.id < $1 order by o.id limit $2) old
     limit $2) gone
   where p.merchant_id = gone.merchant_id and p.id = gone.id
   returning 1 as gone`,
)

/** Makes the task that deletes requests and packs after REQUEST_LOG_DAYS. */
export function requestSweep(deps: Deps): Task {
  const sweep = (statement: typeof SWEEP_PACKS) => async (now: Date) => {
    const before = new Date(now.getTime() - deps.config.request_log_days * DAY_MS)
    return (await oneStatement(deps.db).query(statement, [firstIdAt(before), BATCH_MAX])).length
  }
  return sweepTask(deps, 'request_log_sweep', [sweep(SWEEP_REQUESTS), sweep(SWEEP_PACKS)])
}
