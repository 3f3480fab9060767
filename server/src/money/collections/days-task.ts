// Sums the payments of closed days, of some books in each transaction. If a payment of a summed day changes, the task sums the day
// again.

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
import { firstOpenDay, METHOD, NETWORK, SUMS } from './days.ts'
import { STATUSES } from './state.ts'

const EVERY_MS = 60_000
/** The maximum number of books whose days one transaction closes. */
const BOOKS_MAX = 20
/** The maximum number of marks that one transaction reads. */
const MARKS_MAX = 500
/** The maximum number of days that one transaction sums again. */
const DAYS_MAX = 20
/**
 * The maximum number of payments of one query, and of the days of a book that one transaction closes. If one day has more
 * payments, one transaction closes the whole day.
 */
const PAYMENTS_MAX = 50_000
/** The maximum number of payments in a sum that also stores the ids of its payments. */
const IDS_MAX = 20

const FIRST_DAY = 1

type SummedBook = { merchant_id: string; environment: string }

const DUE = sql(
  'collection_days_due',
  `select m.id as merchant_id, e.environment
   from merchants m cross join (values ('live'), ('sandbox')) e(environment)
   left join collection_days_until u on u.merchant_id = m.id and u.environment = e.environment
   where u.until_day is null or u.until_day < ${dateSql('$1')}
   order by m.id, e.environment limit ${BOOKS_MAX}`,
)

const ENSURE = sql(
  'collection_days_ensure',
  `insert into collection_days_until (merchant_id, environment, until_day)
   select merchant_id, environment, ${dateSql(String(FIRST_DAY))}
   from json_to_recordset($1::json) as x(merchant_id uuid, environment text)
   order by merchant_id, environment on conflict do nothing`,
)

// The query skips the books that another process has locked. `first_id` is the oldest payment without a sum. `last_id` is the first
// payment beyond the limit of one transaction.
const SPANS = sql(
  'collection_days_spans',
  `select u.merchant_id, u.environment, f.id as first_id, l.id as last_id
   from (
     select u.* from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text')} i
     join collection_days_until u on u.merchant_id = i.merchant_id and u.environment = i.environment
     where u.until_day < ${dateSql('$2')} order by u.merchant_id, u.environment for update of u skip locked
   ) u
   left join lateral (
     select id from collections c where c.merchant_id = u.merchant_id and c.environment = u.environment
       and c.id > ${firstIdSql('u.until_day')} order by id limit 1) f on true
   left join lateral (
     select id from collections c where c.merchant_id = u.merchant_id and c.environment = u.environment
       and c.id > ${firstIdSql('u.until_day')} order by id limit 1 offset ${PAYMENTS_MAX}) l on true`,
)

/** The payments of one book with ids between `after_id` and `until_id`, without these two ids. */
type Span = SummedBook & { after_id: string; until_id: string }

type DaySum = SummedBook & {
  day: number
  status: string
  method: string
  network: string
  items: bigint
  amount_minor: bigint
  amount_received_minor: bigint
  fee_minor: bigint
  ids: string[] | null
}

// PostgreSQL plans this unnamed prepared statement for the present size of the table. A stored plan of a smaller table would read
// the whole table.
const SUM = sql(
  '',
  `select i.n, s.* from json_to_recordset($1::json) as i(n int, merchant_id uuid, environment text, after_id uuid, until_id uuid)
   cross join lateral (
     with part as materialized (
       select c.id, c.status, c.method, c.customer_phone, c.amount_minor, c.amount_received_minor, c.fee_minor
       from collections c
       where c.merchant_id = i.merchant_id and c.environment = i.environment and c.id > i.after_id and c.id < i.until_id
       order by c.id limit $2
     )
     select ${dayNumberSql(dateOfIdSql('c.id'))} as day, c.status, ${METHOD} as method, ${NETWORK} as network, ${SUMS},
       case when count(*) <= ${IDS_MAX} then array_agg(c.id) end as ids,
       (select id from part order by id desc limit 1) as last_id
     from part c group by 1, 2, 3, 4
   ) s`,
)

/**
 * Sums the payments of spans. If more payments match than the limit of one query, the next query continues after the last
 * payment.
 */
async function sumSpans(tx: Tx, spans: readonly Span[]): Promise<DaySum[]> {
  const sums = new Map<string, DaySum>()
  for (let left: readonly Span[] = spans; left.length > 0; ) {
    // The limit applies to all spans together, so more books do not raise the limit.
    const most = Math.max(1, Math.ceil(PAYMENTS_MAX / left.length))
    const rows = await tx.query<DaySum & { n: number; last_id: string }>(SUM, [
      JSON.stringify(left.map((span, n) => ({ ...span, n }))),
      most,
    ])
    const read = new Map<number, { items: bigint; last_id: string }>()
    for (const { n, last_id, ...row } of rows) {
      const { merchant_id, environment } = left[n] as Span
      add(sums, { ...row, merchant_id, environment })
      read.set(n, { items: (read.get(n)?.items ?? 0n) + row.items, last_id })
    }
    left = left.flatMap((span, n) => {
      const done = read.get(n)
      return done?.items === BigInt(most) ? [{ ...span, after_id: done.last_id }] : []
    })
  }
  return [...sums.values()]
}

function add(sums: Map<string, DaySum>, more: DaySum): void {
  const { merchant_id, environment, day, status, method, network } = more
  const name = [merchant_id, environment, day, status, method, network].join(' ')
  const known = sums.get(name)
  if (known === undefined) {
    sums.set(name, more)
    return
  }
  const items = known.items + more.items
  sums.set(name, {
    ...known,
    items,
    amount_minor: known.amount_minor + more.amount_minor,
    amount_received_minor: known.amount_received_minor + more.amount_received_minor,
    fee_minor: known.fee_minor + more.fee_minor,
    ids: known.ids && more.ids && items <= IDS_MAX ? [...known.ids, ...more.ids] : null,
  })
}

const WRITE = sql(
  'collection_days_write',
  `insert into collection_days (merchant_id, environment, status, day, method, network, items, amount_minor,
     amount_received_minor, fee_minor, ids)
   select merchant_id, environment, status, ${dateSql('day')}, method, network, items, amount_minor, amount_received_minor,
     fee_minor, ids
   from json_to_recordset($1::json) as x(merchant_id uuid, environment text, status text, day int, method text, network text,
     items bigint, amount_minor bigint, amount_received_minor bigint, fee_minor bigint, ids uuid[])`,
)

async function writeSums(tx: Tx, sums: readonly DaySum[]): Promise<void> {
  const rows = sums.map((sum) => ({
    ...sum,
    items: sum.items.toString(),
    amount_minor: sum.amount_minor.toString(),
    amount_received_minor: sum.amount_received_minor.toString(),
    fee_minor: sum.fee_minor.toString(),
  }))
  if (rows.length > 0) await tx.query(WRITE, [JSON.stringify(rows)])
}

const ADVANCE = sql(
  'collection_days_advance',
  `update collection_days_until u set until_day = ${dateSql('i.until_day')}
   from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text, until_day int')} i
   where u.merchant_id = i.merchant_id and u.environment = i.environment`,
)

/** Sums closed days of at most BOOKS_MAX books, and returns the number of books that it locked. */
async function closeDays(deps: Deps): Promise<number> {
  const open = firstOpenDay(deps)
  const books = await deps.db.query<SummedBook>(DUE, [open])
  if (books.length === 0) return 0
  return inTransaction(deps.db, async (tx) => {
    await tx.query(ENSURE, [JSON.stringify(books)])
    const rows = await tx.query<SummedBook & { first_id: string | null; last_id: string | null }>(SPANS, [
      JSON.stringify(books),
      open,
    ])
    const closing = rows.map(({ merchant_id, environment, first_id, last_id }) => {
      const first = first_id === null ? open : Math.min(open, dayNumber(timeOfId(first_id)))
      const last = last_id === null ? open : Math.max(first + 1, dayNumber(timeOfId(last_id)))
      return { merchant_id, environment, first, until_day: Math.min(open, last) }
    })
    await writeSums(
      tx,
      await sumSpans(
        tx,
        closing.flatMap(({ first, until_day, ...book }) =>
          first < until_day ? [{ ...book, ...idsOf(first, until_day) }] : [],
        ),
      ),
    )
    await tx.query(ADVANCE, [JSON.stringify(closing)])
    return rows.length
  })
}

function idsOf(first_day: number, until_day: number): { after_id: string; until_id: string } {
  return { after_id: firstIdAt(startOfDay(first_day)), until_id: firstIdAt(startOfDay(until_day)) }
}

const MARKED = sql(
  'collection_days_marked',
  `select distinct merchant_id, environment from (
     select s.merchant_id, s.environment from collection_days_stale s
     join collection_days_until u on u.merchant_id = s.merchant_id and u.environment = s.environment and s.day < u.until_day
     limit ${MARKS_MAX}) s`,
)

const LOCK = sql(
  'collection_days_lock',
  `select u.merchant_id, u.environment, ${dayNumberSql('u.until_day')} as until_day
   from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text')} i
   join collection_days_until u on u.merchant_id = i.merchant_id and u.environment = i.environment
   order by u.merchant_id, u.environment for update of u skip locked`,
)

// The process reads the marks after it has locked the book and before it reads the payments. The process deletes only the marks
// that it has read.
const MARKS = sql(
  'collection_days_marks',
  `select s.merchant_id, s.id, s.environment, ${dayNumberSql('s.day')} as day
   from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, environment text, until_day int')} i
   join collection_days_stale s on s.merchant_id = i.merchant_id and s.environment = i.environment
     and s.day < ${dateSql('i.until_day')}
   order by s.merchant_id, s.id limit ${MARKS_MAX}`,
)

const CLEAR = sql(
  'collection_days_clear',
  `with marks as (
     delete from collection_days_stale s using ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
     where s.merchant_id = i.merchant_id and s.id = i.id
   )
   delete from collection_days d
   using ${inputRows('$2', 'merchant_id', 'merchant_id uuid, environment text, day int')} i
   where d.merchant_id = i.merchant_id and d.environment = i.environment and d.status = any($3)
     and d.day = ${dateSql('i.day')}`,
)

/**
 * Sums again the days that have a changed payment, and returns the number of these days. The transaction locks the book, then
 * reads the marks, then the payments. If a change commits after this read, the sums miss the change, but its mark stays.
 */
async function mendDays(deps: Deps): Promise<number> {
  const books = await deps.db.query<SummedBook>(MARKED)
  if (books.length === 0) return 0
  return inTransaction(deps.db, async (tx) => {
    const locked = await tx.query<SummedBook & { until_day: number }>(LOCK, [JSON.stringify(books)])
    const all = await tx.query<SummedBook & { id: string; day: number }>(MARKS, [JSON.stringify(locked)])
    const by_day = Map.groupBy(all, ({ merchant_id, environment, day }) => `${merchant_id} ${environment} ${day}`)
    const marks = [...by_day.values()].slice(0, DAYS_MAX)
    if (marks.length === 0) return 0
    const days = marks.map(([mark]) => mark as SummedBook & { day: number })
    const spans = days.map(({ merchant_id, environment, day }) => ({
      merchant_id,
      environment,
      ...idsOf(day, day + 1),
    }))
    const sums = await sumSpans(tx, spans)
    await tx.query(CLEAR, [JSON.stringify(marks.flat()), JSON.stringify(days), STATUSES])
    await writeSums(tx, sums)
    return days.length
  })
}

/** Returns the task that sums closed days. If a payment of a summed day changes, the task sums the day again. */
export function daysTask(deps: Deps): Task {
  return {
    name: 'collection_days',
    every_ms: EVERY_MS,
    runOnce: async () => (await closeDays(deps)) + (await mendDays(deps)),
    async idle() {},
  }
}
