// Frees rows that are due later than a lease or a pause allows, because a clock was ahead. The clock of this process may be
// wrong, so the check first waits until a row stayed unchanged for its lease or its longest pause.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import {
  nextPosition,
  positionOf,
  type QueueColumns,
  type QueuePosition,
  queueColumns,
  type WaitingTable,
} from './waiting-table.ts'

/** The tolerated difference between the clocks of two machines, in milliseconds. */
const TOLERANCE_MS = 5_000
/** The pause between two passes over the table, and after a failed step, in milliseconds. */
const EVERY_MS = 60_000
const QUEUES_MAX = 500
/** The greatest number of rows that one step reads. */
const ROWS_MAX = 1_000
/** The greatest number of rows in `seen`. Further rows wait until the check has removed rows from `seen`. */
const SEEN_MAX = 2_000

/**
 * A waiting row that a step of the check reads, with the columns of its queue. `late` is true if the pause of the row starts
 * more than the tolerance in the future.
 */
type CheckedRow = { merchant_id: string; id: string; due_at: Date; lease_owner: string | null; late: boolean }

/**
 * The state of a row when the check first read the row. `ripe` is true if the row was unchanged for long enough, so the check
 * may free the row.
 */
type SeenRow = { due_at: number; lease_owner: string | null; ripe: boolean }

/**
 * One pass over the table. If `reads_all` is true, the pass reads every waiting row, otherwise only rows that are due too late.
 * `stepped_back` means that the clock of this process has stepped back. `queue` and `due_at` are the position of the next step.
 */
type CheckRound = {
  reads_all: boolean
  stepped_back: boolean
  queue: QueuePosition
  due_at: Date
  /** The keys of the rows that are due too late. */
  far_rows: Set<string>
}

/** The state of the clock check of one table. */
type ClockCheck = {
  deps: Deps
  table: WaitingTable
  columns: QueueColumns
  statements: Record<'far' | 'walk' | 'free', Statement>
  seen: Map<string, SeenRow>
  /** The latest time that the clock of this process showed since it last stepped back, in milliseconds since 1970. */
  latest: number
  /** The current pass. Null means that no pass runs. */
  round: CheckRound | null
}

/**
 * Makes the check that a claimer runs before each claim. The check frees rows that are due later than the longest pause allows.
 * If the clock has stepped back, the check ends pauses that start in the future. A failed check does not stop the claim.
 */
export function createClockCheck(deps: Deps, table: WaitingTable): (now: Date, lease_ms: number) => Promise<void> {
  const columns = queueColumns(table)
  const check: ClockCheck = {
    deps,
    table,
    columns,
    statements: clockStatements(table),
    seen: new Map(),
    latest: Number.NEGATIVE_INFINITY,
    // If the table has no longest pause, the due time of a row without a lease is never too late. So the first pass reads all
    // rows, and further passes run only while a lease ends too late.
    round: newRound(columns, table.longest_pause_ms === null, false),
  }
  return async (now, lease_ms) => {
    const time = now.getTime()
    const has_stepped_back = time < check.latest - TOLERANCE_MS
    if (has_stepped_back) check.round = newRound(columns, true, true)
    check.latest = has_stepped_back ? time : Math.max(check.latest, time)
    const { round } = check
    if (round === null) return
    try {
      await checkNextRows(check, round, now, lease_ms)
    } catch (error) {
      deps.log.warn(
        { component: 'work', err: error, table: table.name },
        'the check for rows that are due too far ahead failed; the check continues in a minute',
      )
      check.round = null
      deps.clock.after(EVERY_MS, () => {
        check.round ??= round
      })
    }
  }
}

function newRound({ start }: QueueColumns, reads_all: boolean, stepped_back: boolean): CheckRound {
  return { reads_all, stepped_back, queue: start, due_at: new Date(0), far_rows: new Set() }
}

const rowKey = (row: CheckedRow) => `${row.merchant_id} ${row.id}`

/** Runs one step of a pass: reads a limited number of rows, and frees the rows that the check may free. */
async function checkNextRows(check: ClockCheck, round: CheckRound, now: Date, lease_ms: number): Promise<void> {
  const pause_ms = check.table.longest_pause_ms
  const ahead = (ms: number) => new Date(now.getTime() + ms + TOLERANCE_MS)
  const furthest = pause_ms === null ? null : ahead(Math.max(pause_ms, lease_ms))
  const rows = await readRows(check, round, ahead(0), furthest)
  const found = rows.filter((row) => row.id !== null)
  const far = found.filter((row) =>
    row.lease_owner === null ? furthest !== null && row.due_at > furthest : row.due_at > ahead(lease_ms),
  )
  for (const row of far) round.far_rows.add(rowKey(row))
  const freed_now = round.stepped_back
    ? found.filter((row) => row.lease_owner === null && pause_ms !== null && (row.late || far.includes(row)))
    : []
  const freed_later = far.filter((row) => !freed_now.includes(row) && wasSeenLongEnough(check, row, lease_ms))
  await freeRows(check, [...freed_now, ...freed_later], now)
  if (advance(check, round, rows)) return
  endRound(check, round)
}

function readRows({ deps, statements }: ClockCheck, round: CheckRound, late_after: Date, furthest: Date | null) {
  const db = oneStatement(deps.db)
  return round.reads_all
    ? db.query<CheckedRow>(statements.walk, [round.due_at, ROWS_MAX, late_after, ...round.queue])
    : db.query<CheckedRow>(statements.far, [furthest, QUEUES_MAX, ROWS_MAX, ...round.queue])
}

/** Moves the position of a pass past these rows. If the pass has read all rows, returns false. */
function advance({ columns }: ClockCheck, round: CheckRound, rows: readonly CheckedRow[]): boolean {
  const queueOf = (row: CheckedRow) => positionOf(columns, row).join(' ')
  const last = rows.at(-1)
  const queues = new Set(rows.map(queueOf)).size
  const is_full = rows.length === ROWS_MAX || (!round.reads_all && queues === QUEUES_MAX)
  if (!last || !is_full) return false
  const position = positionOf(columns, last)
  if (!round.reads_all) {
    round.queue = nextPosition(columns, position)
    return round.queue !== columns.start
  }
  const is_stuck = queueOf(last) === round.queue.join(' ') && last.due_at.getTime() === round.due_at.getTime()
  round.queue = position
  round.due_at = new Date(last.due_at.getTime() + (is_stuck ? 1 : 0))
  return true
}

/**
 * Removes the rows that are no longer due too late from `seen`. If the table needs another pass, schedules the pass.
 */
function endRound(check: ClockCheck, { far_rows }: CheckRound): void {
  const { deps, seen } = check
  const has_far_end = check.table.longest_pause_ms !== null
  for (const key of seen.keys()) if (!far_rows.has(key)) seen.delete(key)
  check.round = null
  if (!has_far_end && seen.size === 0) return
  deps.clock.after(EVERY_MS, () => {
    check.round ??= newRound(check.columns, !has_far_end, false)
  })
}

/**
 * When the check first reads a row, stores its state. Later, returns true if the row was unchanged for the longest duration of
 * its lease or pause.
 */
function wasSeenLongEnough({ deps, table, seen }: ClockCheck, row: CheckedRow, lease_ms: number): boolean {
  const key = rowKey(row)
  const known = seen.get(key)
  if (known?.due_at === row.due_at.getTime() && known.lease_owner === row.lease_owner) return known.ripe
  if (!known && seen.size >= SEEN_MAX) return false
  const seen_row: SeenRow = { due_at: row.due_at.getTime(), lease_owner: row.lease_owner, ripe: false }
  seen.set(key, seen_row)
  const ms = row.lease_owner === null ? Math.max(table.longest_pause_ms ?? 0, lease_ms) : lease_ms
  deps.clock.after(ms + TOLERANCE_MS, () => {
    seen_row.ripe = true
  })
  return false
}

/**
 * Makes rows due now. If another process has changed a row since the check read the row, the statement does not change the row.
 */
async function freeRows(check: ClockCheck, rows: readonly CheckedRow[], now: Date): Promise<void> {
  if (rows.length === 0) return
  const { deps, table, statements, seen } = check
  const changed = [rows.map((row) => row.id), rows.map((row) => row.due_at), rows.map((row) => row.lease_owner)]
  const positions = rows.map((row) => positionOf(check.columns, row))
  const queues = check.columns.names.map((_, i) => positions.map((position) => position[i]))
  const freed = await oneStatement(deps.db).query(statements.free, [now, ...changed, ...queues])
  for (const row of rows) seen.delete(rowKey(row))
  if (freed.length > 0)
    deps.log.warn(
      { component: 'work', table: table.name, rows: freed.length },
      'the process freed rows that were due further ahead than its clock allows: check the clocks of all machines',
    )
}

function clockStatements(table: WaitingTable): Record<'far' | 'walk' | 'free', Statement> {
  const { name, key, written } = table
  const { names, types } = queueColumns(table)
  const list = (alias: string) => names.map((column) => `${alias}.${column}`).join(', ')
  const same = (a: string, b: string) => names.map((column) => `${a}.${column} = ${b}.${column}`).join(' and ')
  const position = types.map((type, i) => `$${i + 4}::${type}`).join(', ')
  const id = `concat_ws(' ', ${key.map((column) => `c.${column}`).join(', ')})`
  const keys = key.map((column) => `c.${column}`).join(', ')
  return {
    // For each queue, the statement reads the rows that are due last. If a queue has no such rows, the statement returns an
    // empty row, so that the last row is the position of the step.
    far: sql(
      `clock_far_${name}`,
      `with recursive waiting as (
         (select ${list('t')}, 1 as number from ${name} t where t.due_at is not null and (${list('t')}) >= (${position})
          order by ${list('t')}, t.due_at limit 1)
         union all
         select following.*, w.number + 1
         from waiting w cross join lateral (
           select ${list('t')} from ${name} t where t.due_at is not null and (${list('t')}) > (${list('w')})
           order by ${list('t')}, t.due_at limit 1) following
         where w.number < $2
       ), found as materialized (
         select ${list('w')}, ahead.id, ahead.due_at, ahead.lease_owner, false as late
         from waiting w left join lateral (
           select ${id} as id, c.due_at, c.lease_owner from ${name} c
           where ${same('c', 'w')} and c.due_at > $1
           order by c.due_at desc limit $3
         ) ahead on true
         limit $3
       )
       select * from found order by ${names.join(', ')}`,
    ),
    walk: sql(
      `clock_check_${name}`,
      `select ${list('c')}, ${id} as id, c.due_at, c.lease_owner, c.${written} > $3 as late from ${name} c
       where c.due_at is not null and (${list('c')}, c.due_at) >= (${position}, $1)
       order by ${list('c')}, c.due_at limit $2`,
    ),
    // The last conditions are a compare-and-set. If another process has claimed the row since the check read the row, the
    // statement does not change the row.
    free: sql(
      `clock_free_${name}`,
      `update ${name} t set due_at = $1
       from (
         select c.merchant_id, ${keys}, c.due_at, c.lease_owner
         from unnest($2::text[], $3::timestamptz[], $4::uuid[], ${types.map((type, i) => `$${i + 5}::${type}[]`).join(', ')})
           as f(id, due_at, lease_owner, ${names.join(', ')})
         join ${name} c on ${same('c', 'f')} and c.due_at = f.due_at and ${id} = f.id
           and c.lease_owner is not distinct from f.lease_owner
         order by c.merchant_id, ${keys} offset 0
       ) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.due_at = d.due_at and t.lease_owner is not distinct from d.lease_owner
       returning 1`,
    ),
  }
}
