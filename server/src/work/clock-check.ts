// Rows that lie further ahead than their rule allows, because the clock that wrote them was ahead or has stepped back.
//
// A lease ends one lease after now at the latest: the call of its owner has ended by then. A row without a lease falls due.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import { ZERO_ID } from '../lib/index.ts'
import { behind, type WaitingTable } from './claim.ts'

/** Clocks of two machines may differ by this much without any consequence. */
const TOLERANCE_MS = 5_000
/** How often rows are looked for that lie further ahead than the longest pause. */
const EVERY_MS = 60_000
const MERCHANTS_MAX = 500
const ROWS_MAX = 1_000

/**
 * Makes the check of a table, which its claimer runs before each claim. At the start of the process, and when its clock has
 * stepped back, it looks at each waiting row once. Else it only reads the far end of the index, once a minute.
 */
export function createClockCheck(deps: Deps, table: WaitingTable): (now: Date, lease_ms: number) => Promise<void> {
  const statement = fallDue(table)
  let latest = Number.POSITIVE_INFINITY
  let checked = Number.NEGATIVE_INFINITY

  const fall = async (from: number, now: Date, lease_ms: number): Promise<void> => {
    const time = now.getTime()
    const at = (ms: number) => new Date(time + ms)
    const furthest = table.longest_pause_ms === null ? null : at(table.longest_pause_ms + TOLERANCE_MS)
    const limits = [now, at(lease_ms), at(lease_ms + TOLERANCE_MS), at(TOLERANCE_MS), furthest]
    for (let cursor = ZERO_ID; ; ) {
      const values = [cursor, at(from), ...limits, MERCHANTS_MAX, ROWS_MAX]
      const [seen] = await oneStatement(deps.db).query<Seen>(statement, values)
      if (seen && seen.moved > 0)
        deps.log.warn({ table: table.name, rows: seen.moved }, 'rows lay further ahead than this clock allows')
      if (seen?.found === ROWS_MAX) continue
      if (!seen?.last || seen.merchants < MERCHANTS_MAX) return
      cursor = behind(seen.last)
      if (cursor === ZERO_ID) return
    }
  }
  return async (now, lease_ms) => {
    const time = now.getTime()
    const stepped_back = time < latest - TOLERANCE_MS
    if (!stepped_back && time - checked < EVERY_MS) {
      latest = Math.max(latest, time)
      return
    }
    if (stepped_back) await fall(TOLERANCE_MS, now, lease_ms)
    else if (table.longest_pause_ms !== null)
      await fall(Math.max(table.longest_pause_ms, lease_ms) + TOLERANCE_MS, now, lease_ms)
    latest = time
    checked = time
  }
}

type Seen = { last: string | null; merchants: number; found: number; moved: number }

/**
 * Steps from merchant to merchant over the index, reads the rows of each that are due after $2, and pulls those back that
 * lie too far ahead. The last conditions are the compare-and-set: a row that was claimed meanwhile is left alone.
 */
function fallDue({ name, key, written }: WaitingTable): Statement {
  const keys = key.map((column) => `c.${column}`).join(', ')
  return sql(
    `clock_check_${name}`,
    `with recursive waiting as (
       (select t.merchant_id, 1 as number from ${name} t where t.due_at is not null and t.merchant_id >= $1
        order by t.merchant_id, t.due_at limit 1)
       union all
       select following.merchant_id, w.number + 1
       from waiting w cross join lateral (
         select t.merchant_id from ${name} t where t.due_at is not null and t.merchant_id > w.merchant_id
         order by t.merchant_id, t.due_at limit 1) following
       where w.number < $8
     ), found as materialized (
       select ahead.* from waiting w cross join lateral (
         select c.merchant_id, ${keys}, c.due_at, c.lease_owner from ${name} c
         where c.merchant_id = w.merchant_id and c.due_at > $2
           and ((c.lease_owner is not null and c.due_at > $5)
             or (c.lease_owner is null and $7::timestamptz is not null and (c.${written} > $6 or c.due_at > $7)))
         order by c.due_at desc limit $9
       ) ahead
       limit $9
     ), moved as (
       update ${name} t set due_at = case when t.lease_owner is null then $3::timestamptz else $4::timestamptz end
       from (select * from found order by merchant_id, ${key.join(', ')} offset 0) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.due_at = d.due_at and t.lease_owner is not distinct from d.lease_owner
       returning 1
     )
     select (select merchant_id from waiting order by number desc limit 1) as last,
       (select count(*) from waiting)::int as merchants, (select count(*) from found)::int as found,
       (select count(*) from moved)::int as moved`,
  )
}
