// Counts and sums payments: closed days from their stored sums, other days from their payments. Each query reads sums, marks and
// payments in one snapshot. If a day has no mark, its stored sums include every change that the snapshot shows.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import {
  DAY_MS,
  dateSql,
  dayNumber,
  dayNumberSql,
  firstIdAt,
  firstIdSql,
  idsBetween,
  startOfDay,
} from '../../kernel/lib/index.ts'
import { sumsSql } from './days.ts'
import { STATUSES, type Status } from './state.ts'

/** The payments of a merchant in one environment. */
export type CollectionBook = { merchant_id: string; environment: Environment }

/** A filter of payments. Null means no filter. `from` (inclusive) and `to` (exclusive) limit the time of creation. */
export type TallyFilter = CollectionBook & {
  status: string | null
  method: string | null
  from: Date | null
  to: Date | null
}

/** Payments with ids from `from_id` (inclusive) to `until_id` (exclusive), and the number of matches. */
export type Segment = {
  from_id: string
  until_id: string
  items: number
  /** The day whose stored sums have the ids of all matches. Null means that a query must search the matches. */
  day: number | null
}

const UNTIL = sql(
  'collection_days_until',
  `select ${dayNumberSql('until_day')} as until_day from collection_days_until where merchant_id = $1 and environment = $2`,
)

/** Returns the first day without stored sums. A later call never returns an earlier day. */
export async function firstUnsummedDay(reader: Reader, { merchant_id, environment }: CollectionBook): Promise<number> {
  const [row] = await reader.query<{ until_day: number }>(UNTIL, [merchant_id, environment])
  return row?.until_day ?? 0
}

// MARKED selects the marked days, whose payments may have changed after the task summed the day.
const MARKED = `marked as materialized (
     select distinct day from collection_days_stale
     where merchant_id = $1 and environment = $2 and day >= ${dateSql('$3')} and day < ${dateSql('$4')})`
const SUMMED = `d.merchant_id = $1 and d.environment = $2 and d.day >= ${dateSql('$3')} and d.day < ${dateSql('$4')}
     and not exists (select 1 from marked where marked.day = d.day)`

// PostgreSQL plans these unnamed prepared statements for the given filters.
const COUNT = sql(
  '',
  `with ${MARKED}
   select ${dayNumberSql('d.day')} as day, null::uuid as from_id, null::uuid as until_id, sum(d.items)::bigint as items,
     bool_and(d.ids is not null) as known
   from collection_days d where ${SUMMED} and d.status = any($8) and ($7::text is null or d.method = $7)
   group by d.day
   union all
   select null, r.from_id, r.until_id, (
     select count(*) from collections c
     where c.merchant_id = $1 and c.environment = $2 and c.id >= r.from_id and c.id < r.until_id
       and ($6::text is null or c.status = $6) and ($7::text is null or c.method = $7)), false
   from (
     select from_id, until_id from json_to_recordset($5::json) as x(from_id uuid, until_id uuid)
     union all select ${firstIdSql('day')}, ${firstIdSql('day + 1')} from marked) r`,
)

type CountedSegment = { day: number | null; from_id: string; until_id: string; items: bigint; known: boolean }

/** Returns the segments with matching payments, newest first. Leaves out empty segments. */
export async function segmentsOf(reader: Reader, which: TallyFilter): Promise<Segment[]> {
  const { merchant_id, environment, status, method, from, to } = which
  const unsummed = await firstUnsummedDay(reader, which)
  const first = from === null ? 0 : Math.max(0, dayNumber(new Date(from.getTime() + DAY_MS - 1)))
  const end = Math.max(first, to === null ? unsummed : Math.min(unsummed, dayNumber(to)))
  const bounds = idsBetween(from, to)
  const rest =
    first === end
      ? [bounds]
      : [
          { from_id: bounds.from_id, until_id: firstIdAt(startOfDay(first)) },
          { from_id: firstIdAt(startOfDay(end)), until_id: bounds.until_id },
        ]
  const rows = await reader.query<CountedSegment>(COUNT, [
    merchant_id,
    environment,
    first,
    end,
    JSON.stringify(rest.filter(({ from_id, until_id }) => from_id < until_id)),
    status,
    method,
    status === null ? STATUSES : [status],
  ])
  return rows
    .filter(({ items }) => items > 0n)
    .map(({ day, from_id, until_id, items, known }) =>
      day === null
        ? { from_id, until_id, items: Number(items), day }
        : { ...idsOfDay(day), items: Number(items), day: known ? day : null },
    )
    .sort((a, b) => (a.from_id < b.from_id ? 1 : -1))
}

function idsOfDay(day: number): { from_id: string; until_id: string } {
  return { from_id: firstIdAt(startOfDay(day)), until_id: firstIdAt(startOfDay(day + 1)) }
}

/** A period whose payments the server sums separately. */
export type Slot = { from: Date; to: Date }

/** The sums of the payments in one period with the same status, method and network. The amounts are in cents. */
export type SlotSum = {
  /** The index of the period in the list of periods. */
  slot: number
  status: Status
  /** The method. Empty means that the payer has not chosen a method. */
  method: string
  /** The network, by the first digits of the phone. Empty means that the network is unknown. */
  network: string
  items: bigint
  amount_minor: bigint
  amount_received_minor: bigint
  fee_minor: bigint
}

const SUMS_OF = sql(
  '',
  `with ${MARKED}
   select ${dayNumberSql('d.day')} - $3::int as slot, d.status, d.method, d.network, d.items, d.amount_minor,
     d.amount_received_minor, d.fee_minor
   from collection_days d where ${SUMMED} and d.status = any($6)
   union all
   select r.slot, c.* from (
     select slot, from_id, until_id from json_to_recordset($5::json) as x(slot int, from_id uuid, until_id uuid)
     union all select ${dayNumberSql('day')} - $3::int, ${firstIdSql('day')}, ${firstIdSql('day + 1')} from marked) r
   cross join lateral (
     ${sumsSql('c.merchant_id = $1 and c.environment = $2 and c.id >= r.from_id and c.id < r.until_id')}) c`,
)

/**
 * Returns the sums of consecutive periods, from one snapshot. If `by` is 'day', each period is a whole day, and the query can
 * use stored sums.
 */
export async function readSlotSums(
  reader: Reader,
  whose: CollectionBook,
  slots: readonly Slot[],
  by: 'day' | 'hour',
): Promise<SlotSum[]> {
  const { merchant_id, environment } = whose
  const [begin] = slots
  if (begin === undefined) return []
  const first = dayNumber(begin.from)
  const over = by === 'hour' ? 0 : (await firstUnsummedDay(reader, whose)) - first
  const summed = Math.min(slots.length, Math.max(0, over))
  const counted = slots
    .map(({ from, to }, slot) => ({ slot, from_id: firstIdAt(from), until_id: firstIdAt(to) }))
    .slice(summed)
  const values = [merchant_id, environment, first, first + summed, JSON.stringify(counted), STATUSES]
  return reader.query<SlotSum>(SUMS_OF, values)
}
