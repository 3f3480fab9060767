// Deletes old messages from the outbox.

import { PLATFORM } from '../../books/audit/index.ts'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { firstIdAt } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

const DAY_MS = 86_400_000
/** The greatest number of rows that one statement deletes. */
const BATCH_MAX = 1_000

// The statement reads the oldest rows of each merchant by the primary key.
const SWEEP = sql(
  'outbox_sweep',
  `delete from outbox_messages o using (
     select old.merchant_id, old.id from (select id from merchants union all select $3::uuid) as m
     cross join lateral (
       select x.merchant_id, x.id from outbox_messages x
       where x.merchant_id = m.id and x.id < $1 and x.status <> 'waiting' order by x.id limit $2) old
     limit $2) gone
   where o.merchant_id = gone.merchant_id and o.id = gone.id
   returning 1 as gone`,
)

/**
 * Makes the task that deletes messages older than RETENTION_OUTBOX_DAYS, except those that still wait for a gateway. If the
 * setting is 0, the task deletes nothing.
 */
export function messageRetention(deps: Deps): Task {
  return sweepTask(deps, 'outbox_retention', [
    async (now) => {
      const { retention_outbox_days } = deps.config
      if (retention_outbox_days === 0) return 0
      const before = firstIdAt(new Date(now.getTime() - retention_outbox_days * DAY_MS))
      return (await oneStatement(deps.db).query(SWEEP, [before, BATCH_MAX, PLATFORM])).length
    },
  ])
}
