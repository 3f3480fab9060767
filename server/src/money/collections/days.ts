// The sums of past days (table collection_days): when a day is closed, and how a later change of one of its payments is marked.
// days-task.ts writes the sums, tally.ts reads them.
//
// Why no race makes a sum wrong:
// - A transaction that changes a payment of a day that ended MARK_AFTER_MS ago also writes a mark (table collection_days_stale),
//   even if the day is not summed yet. A transaction without a mark ended more than MARGIN_MS before any process sums the day,
//   so that the sum includes its change. MARK_AFTER_MS is no setting: processes with different deadlines agree on it.
//   No payment gets an id of a past day.
// - A process that sums a day again uses one transaction: it locks the merchant's row of collection_days_until, reads the marks,
//   then the payments, writes the sums, and deletes only the marks that it read. A change that is missing in the sums was
//   committed after the payments were read, so that its mark was not read either, and stays.
// - A reader takes sums, marks and the payments of marked days from one snapshot, in one statement. If a snapshot has no mark,
//   its sums include every change in the snapshot.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { dayNumber, networkSql, newId, timeOfId } from '../../kernel/lib/index.ts'

const HOUR_MS = 3_600_000

/** A change of a payment is marked if its day ended this long ago. By then nearly all payments have their outcome. */
const MARK_AFTER_MS = 72 * HOUR_MS

/** Longer than any transaction, and than any difference between the clocks of two processes. */
const MARGIN_MS = 2 * HOUR_MS

/** The first day that is not closed yet. Its payments, and those of later days, are counted one by one. */
export function firstOpenDay(deps: Deps): number {
  const wait_ms = Math.max(MARK_AFTER_MS, deps.config.collection_deadline_h * HOUR_MS) + MARGIN_MS
  return dayNumber(new Date(deps.clock.now().getTime() - wait_ms))
}

const MARK = sql(
  'collection_days_mark',
  `insert into collection_days_stale (merchant_id, id, environment, day)
   select merchant_id, id, environment, ${dateSql('day')}
   from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, environment text, day int)`,
)

/** A payment that the transaction changes. */
type ChangedCollection = { merchant_id: string; collection_id: string; environment: string; routing_code: number }

/** Marks the days of payments that change long after they were made. No such payment: no statement. */
export async function markDays(deps: Deps, tx: Tx, changed: readonly ChangedCollection[]): Promise<void> {
  const open = dayNumber(new Date(deps.clock.now().getTime() - MARK_AFTER_MS))
  const rows = changed.flatMap(({ merchant_id, collection_id, environment, routing_code }) => {
    const day = dayNumber(timeOfId(collection_id))
    return day < open ? [{ merchant_id, id: newId(deps, routing_code), environment, day }] : []
  })
  if (rows.length > 0) await tx.query(MARK, [JSON.stringify(rows)])
}

/** The date of a day that is given as a number, as SQL. */
export function dateSql(number: string): string {
  return `(date '1970-01-01' + (${number})::int)`
}

/** The number of a day that is given as a date, as SQL. */
export function dayNumberSql(date: string): string {
  return `(${date} - date '1970-01-01')`
}

/** The day on which an id was made, as SQL. */
export function dateOfIdSql(id: string): string {
  const ms = `('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint`
  return dateSql(`(${ms} + 10800000) / 86400000`)
}

/** An id that sorts before all ids of a day that is given as a date, as SQL. */
export function firstIdSql(date: string): string {
  const ms = `greatest(0, ${dayNumberSql(date)}::bigint * 86400000 - 10800000)`
  return `(lpad(to_hex(${ms}), 12, '0') || repeat('0', 20))::uuid`
}

/** SQL over collections aliased c: sums are grouped by method and network. */
export const METHOD = "coalesce(c.method, '')"
/** See METHOD. A QR code has no network: the payer's phone is unknown. */
export const NETWORK = `case when c.method <> 'qr' then ${networkSql('c.customer_phone')} else '' end`
/** The sums of a group. A cleared payment that is not larger than its fee has no fee. */
export const SUMS = `count(*) as items, sum(c.amount_minor)::bigint as amount_minor,
     coalesce(sum(c.amount_received_minor), 0)::bigint as amount_received_minor,
     sum(case when c.fee_minor < coalesce(c.amount_received_minor, c.amount_minor) then c.fee_minor else 0 end)::bigint as fee_minor`
