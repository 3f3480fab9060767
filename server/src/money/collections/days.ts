// The sums of days that are over (table collection_days): when a day is over, and how a later change of one of its payments
// is told. Filling is days-task.ts, reading tally.ts.
//
// Why a sum is never wrong, whatever races:
// - Whoever changes a payment of a day that ended MARK_AFTER_MS ago writes a mark (table collection_days_stale) in the same
//   transaction, whether the day is summed by then or not. Who writes none did so more than MARGIN_MS before any process
//   sums that day: the transaction has ended by then, and the sum holds it. The bound for marks is no setting, so that
//   processes with different deadlines agree on it. No payment gets an id of a day that is over.
// - Whoever sums a day again locks the merchant's row of collection_days_until, reads the marks, then the payments, writes the
//   sums, and deletes only the marks it has read, all in one transaction. A change that the sums do not hold was committed
//   after the payments were read, so its mark was not among those that were read before, and stays.
// - Whoever reads takes sums, marks and the payments of marked days from one snapshot, in one statement. In a snapshot
//   without a mark, the sums hold every change that the snapshot holds.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { dayNumber, networkSql, newId, timeOfId } from '../../kernel/lib/index.ts'

const HOUR_MS = 3_600_000

/** So long after the end of a day, a change of its payments is marked: by then nearly all have their outcome. */
const MARK_AFTER_MS = 72 * HOUR_MS

/** Longer than any transaction lasts, and than clocks are apart. */
const MARGIN_MS = 2 * HOUR_MS

/** The first day that is not over yet: its payments are counted one by one, as are those of later days. */
export function firstOpenDay(deps: Deps): number {
  const wait_ms = Math.max(MARK_AFTER_MS, deps.config.collection_deadline_h * HOUR_MS) + MARGIN_MS
  return dayNumber(new Date(deps.clock.now().getTime() - wait_ms))
}

const MARK = sql(
  'collection_days_mark',
  `insert into collection_days_stale (merchant_id, id, environment, day)
   select merchant_id, id, environment, ${dateOf('day')}
   from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, environment text, day int)`,
)

/** A payment that the transaction at hand changes. */
type Changed = { merchant_id: string; collection_id: string; environment: string; routing_code: number }

/** Marks the days of payments that change long after they were made. None of them: no statement. */
export async function markDays(deps: Deps, tx: Tx, changed: readonly Changed[]): Promise<void> {
  const open = dayNumber(new Date(deps.clock.now().getTime() - MARK_AFTER_MS))
  const rows = changed.flatMap(({ merchant_id, collection_id, environment, routing_code }) => {
    const day = dayNumber(timeOfId(collection_id))
    return day < open ? [{ merchant_id, id: newId(deps, routing_code), environment, day }] : []
  })
  if (rows.length > 0) await tx.query(MARK, [JSON.stringify(rows)])
}

/** The date of a day that is given as a number, as SQL. */
export function dateOf(number: string): string {
  return `(date '1970-01-01' + (${number})::int)`
}

/** The number of a day that is given as a date, as SQL. */
export function numberOf(date: string): string {
  return `(${date} - date '1970-01-01')`
}

/** The day on which an id was made, as SQL. */
export function dateOfId(id: string): string {
  const ms = `('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint`
  return dateOf(`(${ms} + 10800000) / 86400000`)
}

/** What sorts before the ids of a day that is given as a date, as SQL. */
export function firstIdOf(date: string): string {
  const ms = `greatest(0, ${numberOf(date)}::bigint * 86400000 - 10800000)`
  return `(lpad(to_hex(${ms}), 12, '0') || repeat('0', 20))::uuid`
}

/** By what payments are summed, and the sums, as SQL over collections aliased c. */
export const METHOD = "coalesce(c.method, '')"
/** See METHOD. Nobody's phone pays a code. */
export const NETWORK = `case when c.method <> 'qr' then ${networkSql('c.customer_phone')} else '' end`
/** See METHOD. Of a cleared payment that the fee would eat, none is taken. */
export const SUMS = `count(*) as items, sum(c.amount_minor)::bigint as amount_minor,
     coalesce(sum(c.amount_received_minor), 0)::bigint as amount_received_minor,
     sum(case when c.fee_minor < coalesce(c.amount_received_minor, c.amount_minor) then c.fee_minor else 0 end)::bigint as fee_minor`
