// Sums the withdrawals of a merchant: closed days from their stored sums, other days from their withdrawals. The task of
// days-task.ts stores the sums. Withdrawals that change later need no mark, because an index finds their changes.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { dateOfIdSql, dateSql, dayNumber, firstIdSql } from '../../kernel/lib/index.ts'
import type { WithdrawalStatus } from './state.ts'

const HOUR_MS = 3_600_000
/** The hours after its creation from which a change of a withdrawal is in the index of late changes. */
const LATE_HOURS = 24
/**
 * The time after which a change has surely committed. It is longer than any transaction and any difference between two clocks.
 */
const MARGIN_MS = 2 * HOUR_MS
/** The shortest time from the end of a day to its sum. Every change that the sum may miss is then in the index. */
const CLOSED_AFTER_MS = LATE_HOURS * HOUR_MS + MARGIN_MS

/** The condition of the index of late changes. The table withdrawals has the alias w. */
export const CHANGED_LATE = `w.updated_at - w.created_at > interval '${LATE_HOURS} hours'`

/** Returns the first day that is too young for a stored sum. */
export function firstOpenWithdrawalDay(now: Date): number {
  return dayNumber(new Date(now.getTime() - CLOSED_AFTER_MS))
}

/** Returns the time before which every change has committed, so that a sum that begins now includes the change. */
export function committedBefore(now: Date): Date {
  return new Date(now.getTime() - MARGIN_MS)
}

// One snapshot has sums, late changes and withdrawals. The query counts the withdrawals of open days and of days with a change
// that their sums may miss. `late` has no condition on ids, so PostgreSQL uses the index of late changes. PostgreSQL plans this
// unnamed prepared statement for the present size of the table.
const SUMS = sql(
  '',
  `with book as materialized (
     select until_day, changes_from from withdrawal_days_until where merchant_id = $1 and environment = $2
   ), late as materialized (
     select w.id from withdrawals w
     where w.merchant_id = $1 and w.environment = $2 and ${CHANGED_LATE} and w.updated_at >= (select changes_from from book)
   ), changed as materialized (
     select distinct day from (select ${dateOfIdSql('id')} as day from late) l
     where day >= ${dateSql('$3')} and day < least((select until_day from book), ${dateSql('$4')})
   ), counted as (
     select ${firstIdSql('day')} as from_id, ${firstIdSql('day + 1')} as until_id from changed
     union all
     select ${firstIdSql(`greatest((select until_day from book), ${dateSql('$3')})`)}, ${firstIdSql(dateSql('$4'))}
   )
   select s.status, sum(s.items)::bigint as count, sum(s.amount_minor)::bigint as amount_minor from (
     select d.status, d.items, d.amount_minor from withdrawal_days d
     where d.merchant_id = $1 and d.environment = $2 and d.day >= ${dateSql('$3')} and d.day < ${dateSql('$4')}
       and d.day < (select until_day from book) and not exists (select 1 from changed where changed.day = d.day)
     union all
     select w.* from counted r cross join lateral (
       select w.status, count(*) as items, sum(w.amount_minor)::bigint as amount_minor from withdrawals w
       where w.merchant_id = $1 and w.environment = $2 and w.id >= r.from_id and w.id < r.until_id
       group by w.status) w) s
   group by s.status`,
)

/**
 * Returns the number and the amount in cents of the withdrawals that a merchant submitted from `first_day` (inclusive) to
 * `end_day` (exclusive), by status. The days are numbers as `dayNumber` returns them.
 */
export function sumWithdrawals(
  reader: Reader,
  { merchant_id, environment }: { merchant_id: string; environment: Environment },
  { first_day, end_day }: { first_day: number; end_day: number },
): Promise<{ status: WithdrawalStatus; count: bigint; amount_minor: bigint }[]> {
  return reader.query(SUMS, [merchant_id, environment, first_day, end_day])
}
