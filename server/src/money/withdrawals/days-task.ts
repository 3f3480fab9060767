// Stores the sums of the withdrawals of closed days, of some merchants in each transaction. If a withdrawal of a summed day
// changes, the task sums the day again.

import { type Deps, inputRows, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import {
  dateOfIdSql,
  dateSql,
  dayNumber,
  dayNumberSql,
  firstIdAt,
  firstIdSql,
  startOfDay,
  timeOfId,
} from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { CHANGED_LATE, committedBefore, firstOpenWithdrawalDay } from './days.ts'

const EVERY_MS = 60_000
/** The maximum number of books whose days one transaction sums. */
const BOOKS_MAX = 20
/**
 * The maximum number of withdrawals of the days of a book that one transaction closes. If one day has more withdrawals, one
 * transaction closes the whole day.
 */
const WITHDRAWALS_MAX = 5_000
/** The maximum number of changed days that one statement sums again. */
const DAYS_MAX = 20

const FIRST_DAY = 1

type WithdrawalBook = { merchant_id: string; environment: string }

const CHANGED_SINCE = `${CHANGED_LATE} and w.updated_at >= u.changes_from and w.updated_at < $2`

const DUE = sql(
  'withdrawal_days_due',
  `select m.id as merchant_id, e.environment
   from merchants m cross join (values ('live'), ('sandbox')) e(environment)
   left join withdrawal_days_until u on u.merchant_id = m.id and u.environment = e.environment
   where u.until_day is null or u.until_day < ${dateSql('$1')} or exists (
     select 1 from withdrawals w where w.merchant_id = u.merchant_id and w.environment = u.environment and ${CHANGED_SINCE})
   order by m.id, e.environment limit ${BOOKS_MAX}`,
)

const ENSURE = sql(
  'withdrawal_days_ensure',
  `insert into withdrawal_days_until (merchant_id, environment, until_day, changes_from)
   select merchant_id, environment, ${dateSql(String(FIRST_DAY))}, $2
   from json_to_recordset($1::json) as x(merchant_id uuid, environment text)
   order by merchant_id, environment on conflict do nothing`,
)

// The query skips the books that another process has locked. `first_id` is the oldest withdrawal without a sum. `last_id` is the
// first withdrawal beyond the limit of one transaction.
const SPANS = sql(
  'withdrawal_days_spans',
  `select u.merchant_id, u.environment, ${dayNumberSql('u.until_day')} as until_day, f.id as first_id, l.id as last_id
   from (
     select u.* from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text')} i
     join withdrawal_days_until u on u.merchant_id = i.merchant_id and u.environment = i.environment
     order by u.merchant_id, u.environment for update of u skip locked
   ) u
   left join lateral (
     select id from withdrawals w where w.merchant_id = u.merchant_id and w.environment = u.environment
       and w.id > ${firstIdSql('u.until_day')} order by id limit 1) f on true
   left join lateral (
     select id from withdrawals w where w.merchant_id = u.merchant_id and w.environment = u.environment
       and w.id > ${firstIdSql('u.until_day')} order by id limit 1 offset ${WITHDRAWALS_MAX}) l on true`,
)

const CHANGED = sql(
  'withdrawal_days_changed',
  `select distinct u.merchant_id, u.environment, ${dayNumberSql(dateOfIdSql('w.id'))} as day
   from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text')} i
   join withdrawal_days_until u on u.merchant_id = i.merchant_id and u.environment = i.environment
   join withdrawals w on w.merchant_id = u.merchant_id and w.environment = u.environment
   where ${CHANGED_SINCE} and w.id < ${firstIdSql('u.until_day')}`,
)

const CLEAR = sql(
  'withdrawal_days_clear',
  `delete from withdrawal_days d
   using ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text, day int')} i
   where d.merchant_id = i.merchant_id and d.environment = i.environment and d.day = ${dateSql('i.day')}`,
)

// PostgreSQL plans this unnamed prepared statement for the present size of the table.
const WRITE = sql(
  '',
  `insert into withdrawal_days (merchant_id, environment, day, status, items, amount_minor)
   select i.merchant_id, i.environment, s.day, s.status, s.items, s.amount_minor
   from json_to_recordset($1::json) as i(merchant_id uuid, environment text, from_id uuid, until_id uuid)
   cross join lateral (
     select ${dateOfIdSql('w.id')} as day, w.status, count(*) as items, sum(w.amount_minor)::bigint as amount_minor
     from withdrawals w
     where w.merchant_id = i.merchant_id and w.environment = i.environment and w.id >= i.from_id and w.id < i.until_id
     group by 1, 2) s`,
)

/** The days of one book from `first` (inclusive) to `end` (exclusive), as numbers of `dayNumber`. */
type DaySpan = WithdrawalBook & { first: number; end: number }

async function writeWithdrawalDays(tx: Tx, spans: readonly DaySpan[]): Promise<void> {
  const rows = spans.map(({ merchant_id, environment, first, end }) => ({
    merchant_id,
    environment,
    from_id: firstIdAt(startOfDay(first)),
    until_id: firstIdAt(startOfDay(end)),
  }))
  if (rows.length > 0) await tx.query(WRITE, [JSON.stringify(rows)])
}

const ADVANCE = sql(
  'withdrawal_days_advance',
  `update withdrawal_days_until u set until_day = ${dateSql('i.until_day')}, changes_from = $2
   from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text, until_day int')} i
   where u.merchant_id = i.merchant_id and u.environment = i.environment`,
)

/**
 * Sums closed days and changed days of at most BOOKS_MAX books, and returns the number of books that it locked. The transaction
 * locks the books before it reads withdrawals.
 */
async function sumDays(deps: Deps): Promise<number> {
  const now = deps.clock.now()
  const [open, changes_until] = [firstOpenWithdrawalDay(now), committedBefore(now)]
  const books = await deps.db.query<WithdrawalBook>(DUE, [open, changes_until])
  if (books.length === 0) return 0
  return inTransaction(deps.db, async (tx) => {
    await tx.query(ENSURE, [JSON.stringify(books), changes_until])
    type Due = WithdrawalBook & { until_day: number; first_id: string | null; last_id: string | null }
    const rows = await tx.query<Due>(SPANS, [JSON.stringify(books)])
    const changed = await tx.query<WithdrawalBook & { day: number }>(CHANGED, [JSON.stringify(rows), changes_until])
    if (changed.length > 0) await tx.query(CLEAR, [JSON.stringify(changed)])
    for (let i = 0; i < changed.length; i += DAYS_MAX) {
      const days = changed.slice(i, i + DAYS_MAX)
      await writeWithdrawalDays(
        tx,
        days.map(({ merchant_id, environment, day }) => ({ merchant_id, environment, first: day, end: day + 1 })),
      )
    }
    const closing = rows.map(({ merchant_id, environment, until_day, first_id, last_id }) => {
      const last_open = Math.max(until_day, open)
      const first = first_id === null ? last_open : Math.min(last_open, dayNumber(timeOfId(first_id)))
      const last = last_id === null ? last_open : Math.max(first + 1, dayNumber(timeOfId(last_id)))
      return { merchant_id, environment, first, end: Math.min(last_open, last) }
    })
    await writeWithdrawalDays(
      tx,
      closing.filter(({ first, end }) => first < end),
    )
    const until = closing.map(({ end, ...book }) => ({ ...book, until_day: end }))
    await tx.query(ADVANCE, [JSON.stringify(until), changes_until])
    return rows.length
  })
}

/** Returns the task that sums the withdrawals of closed days, and of closed days with a late change. */
export function withdrawalDaysTask(deps: Deps): Task {
  return { name: 'withdrawal_days', every_ms: EVERY_MS, runOnce: () => sumDays(deps), async idle() {} }
}
