// Rows that lie further ahead than their rule allows, because the clock that wrote them was ahead or has stepped back.
//
// This process's own clock may be the wrong one. So a row is freed only after it was seen unchanged for as long as its owner
// may hold it, or as its longest pause takes, counted by a timer. Each claim does one step, which reads a bounded number of rows.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import { ZERO_ID } from '../lib/index.ts'
import { behind, type WaitingTable } from './claim.ts'

/** Clocks of two machines may differ by this much without any consequence. */
const TOLERANCE_MS = 5_000
/** The pause between two rounds over the far end of the index, and after a step that failed. */
const EVERY_MS = 60_000
const MERCHANTS_MAX = 500
/** Rows that one step reads. */
const ROWS_MAX = 1_000
/** Rows that are remembered as seen; more have to wait until these are freed. */
const SEEN_MAX = 2_000

/**
 * Makes the check of a table, which its claimer runs before each claim. It looks at what is due later than the longest
 * pause allows: normally no row. When the clock of this process has stepped back, it looks at each waiting row once, and
 * pauses that were written later than now end at once: at worst, the next try comes too early. A check never fails a claim.
 */
export function createClockCheck(deps: Deps, table: WaitingTable): (now: Date, lease_ms: number) => Promise<void> {
  const statements = statementsFor(table)
  const pause_ms = table.longest_pause_ms
  const seen = new Map<string, Sight>()
  let latest = Number.NEGATIVE_INFINITY
  /** A table without a longest pause has no far end: it is walked at the start, and as long as a lease lies too far ahead. */
  let round: Round | null = {
    walk: pause_ms === null,
    free: false,
    merchant_id: ZERO_ID,
    due_at: new Date(0),
    met: new Set(),
  }

  const begin = (walk: boolean, free: boolean): void => {
    round = { walk, free, merchant_id: ZERO_ID, due_at: new Date(0), met: new Set() }
  }
  const later = (walk: boolean): void => {
    round = null
    deps.clock.after(EVERY_MS, () => {
      if (round === null) begin(walk, false)
    })
  }
  /** Remembers a row from its first sight on. True: it was seen unchanged for long enough. */
  const ripe = (row: Row, lease_ms: number): boolean => {
    const id = `${row.merchant_id} ${row.id}`
    const known = seen.get(id)
    if (known?.due_at === row.due_at.getTime() && known.lease_owner === row.lease_owner) return known.ripe
    if (!known && seen.size >= SEEN_MAX) return false
    const sight: Sight = { due_at: row.due_at.getTime(), lease_owner: row.lease_owner, ripe: false }
    seen.set(id, sight)
    const ms = row.lease_owner === null ? Math.max(pause_ms ?? 0, lease_ms) : lease_ms
    deps.clock.after(ms + TOLERANCE_MS, () => {
      sight.ripe = true
    })
    return false
  }
  const free = async (rows: readonly Row[], now: Date): Promise<void> => {
    if (rows.length === 0) return
    const columns = [rows.map((row) => row.merchant_id), rows.map((row) => row.id), rows.map((row) => row.due_at)]
    const freed = await oneStatement(deps.db).query(statements.free, [
      now,
      ...columns,
      rows.map((row) => row.lease_owner),
    ])
    for (const row of rows) seen.delete(`${row.merchant_id} ${row.id}`)
    if (freed.length > 0)
      deps.log.warn({ table: table.name, rows: freed.length }, 'rows lay further ahead than this clock allows')
  }
  const step = async (at: Round, now: Date, lease_ms: number): Promise<void> => {
    const ahead = (ms: number) => new Date(now.getTime() + ms + TOLERANCE_MS)
    const furthest = pause_ms === null ? null : ahead(Math.max(pause_ms, lease_ms))
    const rows = at.walk
      ? await oneStatement(deps.db).query<Row>(statements.walk, [at.merchant_id, at.due_at, ROWS_MAX, ahead(0)])
      : await oneStatement(deps.db).query<Row>(statements.far, [at.merchant_id, furthest, MERCHANTS_MAX, ROWS_MAX])
    const found = rows.filter((row) => row.id !== null)
    const far = found.filter((row) =>
      row.lease_owner === null ? furthest !== null && row.due_at > furthest : row.due_at > ahead(lease_ms),
    )
    for (const row of far) at.met.add(`${row.merchant_id} ${row.id}`)
    const stepped = at.free
      ? found.filter((row) => row.lease_owner === null && pause_ms !== null && (row.late || far.includes(row)))
      : []
    await free([...stepped, ...far.filter((row) => !stepped.includes(row) && ripe(row, lease_ms))], now)

    const last = rows.at(-1)
    const merchants = new Set(rows.map((row) => row.merchant_id)).size
    const full = rows.length === ROWS_MAX || (!at.walk && merchants === MERCHANTS_MAX)
    if (last && full) {
      if (!at.walk) at.merchant_id = behind(last.merchant_id)
      else {
        const stuck = last.merchant_id === at.merchant_id && last.due_at.getTime() === at.due_at.getTime()
        at.merchant_id = last.merchant_id
        at.due_at = new Date(last.due_at.getTime() + (stuck ? 1 : 0))
      }
      if (at.walk || at.merchant_id !== ZERO_ID) return
    }
    for (const id of seen.keys()) if (!at.met.has(id)) seen.delete(id)
    if (pause_ms !== null || seen.size > 0) later(pause_ms === null)
    else round = null
  }
  return async (now, lease_ms) => {
    const time = now.getTime()
    if (time < latest - TOLERANCE_MS) begin(true, true)
    latest = time < latest - TOLERANCE_MS ? time : Math.max(latest, time)
    const at = round
    if (at === null) return
    try {
      await step(at, now, lease_ms)
    } catch (error) {
      deps.log.warn(
        { err: error, table: table.name },
        'the check for rows that lie too far ahead failed; it goes on in a minute',
      )
      round = null
      deps.clock.after(EVERY_MS, () => {
        round ??= at
      })
    }
  }
}

/** A round over the table: `walk` reads each row that waits, else only the far end. `free`: this clock has stepped back. */
type Round = { walk: boolean; free: boolean; merchant_id: string; due_at: Date; met: Set<string> }
/** A row that waits. `late`: its pause was written later than now. */
type Row = { merchant_id: string; id: string; due_at: Date; lease_owner: string | null; late: boolean }
type Sight = { due_at: number; lease_owner: string | null; ripe: boolean }

function statementsFor({ name, key, written }: WaitingTable): Record<'far' | 'walk' | 'free', Statement> {
  const id = `concat_ws(' ', ${key.map((column) => `c.${column}`).join(', ')})`
  const keys = key.map((column) => `c.${column}`).join(', ')
  return {
    // Steps from merchant to merchant over the index and reads the far end of each. A merchant without one has an empty row,
    // so that the last row says how far the step came.
    far: sql(
      `clock_far_${name}`,
      `with recursive waiting as (
         (select t.merchant_id, 1 as number from ${name} t where t.due_at is not null and t.merchant_id >= $1
          order by t.merchant_id, t.due_at limit 1)
         union all
         select following.merchant_id, w.number + 1
         from waiting w cross join lateral (
           select t.merchant_id from ${name} t where t.due_at is not null and t.merchant_id > w.merchant_id
           order by t.merchant_id, t.due_at limit 1) following
         where w.number < $3
       ), found as materialized (
         select w.merchant_id, ahead.id, ahead.due_at, ahead.lease_owner, false as late
         from waiting w left join lateral (
           select ${id} as id, c.due_at, c.lease_owner from ${name} c
           where c.merchant_id = w.merchant_id and c.due_at > $2
           order by c.due_at desc limit $4
         ) ahead on true
         limit $4
       )
       select * from found order by merchant_id`,
    ),
    walk: sql(
      `clock_check_${name}`,
      `select c.merchant_id, ${id} as id, c.due_at, c.lease_owner, c.${written} > $4 as late from ${name} c
       where c.due_at is not null and (c.merchant_id, c.due_at) >= ($1, $2)
       order by c.merchant_id, c.due_at limit $3`,
    ),
    // The last conditions are the compare-and-set: a row that was claimed meanwhile is left alone.
    free: sql(
      `clock_free_${name}`,
      `update ${name} t set due_at = $1
       from (
         select c.merchant_id, ${keys}, c.due_at, c.lease_owner
         from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::uuid[]) as f(merchant_id, id, due_at, lease_owner)
         join ${name} c on c.merchant_id = f.merchant_id and c.due_at = f.due_at and ${id} = f.id
           and c.lease_owner is not distinct from f.lease_owner
         order by c.merchant_id, ${keys} offset 0
       ) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.due_at = d.due_at and t.lease_owner is not distinct from d.lease_owner
       returning 1`,
    ),
  }
}
