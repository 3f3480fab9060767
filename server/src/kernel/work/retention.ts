// Erases personal data of payers from old rows, in batches. Amounts and statuses stay.

import { type Deps, oneStatement, sql } from '../db/index.ts'
import { firstIdAt, ZERO_ID } from '../lib/index.ts'
import { sweepTask } from './sweep.ts'
import type { Task } from './worker.ts'

const DAY_MS = 86_400_000
const ROWS_MAX = 1_000

/** The data that the retention task erases from the old rows of a table. The SQL parts are constants of the code. */
export type RetentionRule = {
  table: string
  /** The column with the id that begins with the time of the row: the second column of the primary key. */
  id: string
  /**
   * The assignments of the UPDATE. A second run must not change erased rows, because two workers may process the same batch.
   */
  changes: string
}

/**
 * Makes the task that erases the personal data of payers from rows older than RETENTION_PAYERS_DAYS. One statement erases a
 * batch and stores the last row. If the process dies, the database has done both or neither.
 */
export function retentionTask(deps: Deps, { table, id, changes }: RetentionRule, rows_max = ROWS_MAX): Task {
  const statement = sql(
    `retention_${table}`,
    `with page as materialized (
       select o.merchant_id, o.id from merchants m
       left join retention_marks r on r.merchant_id = m.id and r.kind = $1
       cross join lateral (
         select x.merchant_id, x.${id} as id from ${table} x
         where x.merchant_id = m.id and x.${id} > coalesce(r.last_id, $4::uuid) and x.${id} < $2
         order by x.${id} limit $3) o
       limit $3
     ), erased as (
       update ${table} t set ${changes} from page p where t.merchant_id = p.merchant_id and t.${id} = p.id
     ), moved as (
       insert into retention_marks (merchant_id, kind, last_id)
       select merchant_id, $1, (array_agg(id order by id desc))[1] from page group by merchant_id order by merchant_id
       on conflict (merchant_id, kind) do update set last_id = greatest(retention_marks.last_id, excluded.last_id)
     )
     select 1 as done from page`,
  )
  return sweepTask(deps, `retention_${table}`, [
    async (now) => {
      const { retention_payers_days } = deps.config
      if (retention_payers_days === 0) return 0
      const before = firstIdAt(new Date(now.getTime() - retention_payers_days * DAY_MS))
      return (await oneStatement(deps.db).query(statement, [table, before, rows_max, ZERO_ID])).length
    },
  ])
}
