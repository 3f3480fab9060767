// Measures queues of waiting rows: the number of rows, and the time for which the oldest due row has waited.

import { type DatabaseGauges, type Reader, SAME_IN_EACH_PROCESS, type Statement, sql } from '../db/index.ts'
import type { Metrics } from '../lib/index.ts'

/** A table of waiting rows. `columns` are the columns of `WaitingTable.queue`. */
export type MeasuredQueue = { queue: string; table: string; columns?: readonly string[] }

/**
 * The state of a queue. If no row is due, `oldest_due_s` is 0. If a count reached its limit, `is_cut` is true and the figures
 * are lower bounds.
 */
export type QueueState = { queue: string; due: number; scheduled: number; oldest_due_s: number; is_cut: boolean }

/**
 * The greatest number of due rows and of scheduled rows that a reading counts. `queues_max` is the greatest number of merchants
 * or endpoints that a reading visits.
 */
type ReadingLimits = { rows_max: number; queues_max: number }
const LIMITS: ReadingLimits = { rows_max: 10_000, queues_max: 20_000 }

/**
 * Reads the state of one queue with index-only scans of at most 10,000 due rows, 10,000 scheduled rows, and 20,000 merchants or
 * endpoints.
 */
export type QueueReader = (reader: Reader, now: Date) => Promise<QueueState>

type CountedQueue = { due: number; scheduled: number; queues: number; oldest: Date | null }

/** Makes the reader of a queue. Tests pass lower limits. */
export function queueReader({ queue, table, columns = [] }: MeasuredQueue, limits = LIMITS): QueueReader {
  const statement = queueStatement(table, ['merchant_id', ...columns])
  const { rows_max, queues_max } = limits
  return async (reader, now) => {
    const [row] = await reader.query<CountedQueue>(statement, [now, rows_max, queues_max])
    const { due = 0, scheduled = 0, queues = 0, oldest = null } = row ?? {}
    const late_s = oldest === null ? 0 : (now.getTime() - oldest.getTime()) / 1_000
    const is_cut = due === rows_max || scheduled === rows_max || queues === queues_max
    return { queue, due, scheduled, oldest_due_s: Math.max(0, late_s), is_cut }
  }
}

// For each merchant or endpoint, the statement reads the oldest row. It counts the scheduled rows and, if the oldest row is
// due, the due rows, up to a limit. So the cost is limited even if a queue has many rows.
function queueStatement(table: string, columns: readonly string[]): Statement {
  const list = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ')
  const rowsOf = (condition: string) => `select 1 from queues q cross join lateral (
         select 1 from ${table} t where (${list('t')}) = (${list('q')}) and ${condition} limit $2) found limit $2`
  return sql(
    `queue_state_${table}`,
    `with recursive queues as (
       (select ${list('t')}, t.due_at, 1 as number from ${table} t where t.due_at is not null
        order by ${list('t')}, t.due_at limit 1)
       union all
       select following.*, q.number + 1 from queues q cross join lateral (
         select ${list('t')}, t.due_at from ${table} t where t.due_at is not null and (${list('t')}) > (${list('q')})
         order by ${list('t')}, t.due_at limit 1) following
       where q.number < $3
     )
     select (select count(*)::int from queues) as queues, (select min(due_at) from queues) as oldest,
       (select count(*)::int from (${rowsOf('q.due_at <= $1 and t.due_at <= $1')}) due) as due,
       (select count(*)::int from (${rowsOf('t.due_at > $1')}) scheduled) as scheduled`,
  )
}

/** Makes the gauges for rows, oldest due row, and lower bounds of one queue. */
export function queueGauges(metrics: Metrics, measured: MeasuredQueue): DatabaseGauges {
  const rows = metrics.gauge({
    name: 'malipo_queue_rows',
    help: `Rows that wait for the worker, at most 10,000 counted in each queue and state. due: the time of the next step has come. ${SAME_IN_EACH_PROCESS}`,
    labels: ['queue', 'state'],
    series_max: 17,
  })
  const oldest = metrics.gauge({
    name: 'malipo_queue_oldest_due_seconds',
    help: `For how long the oldest due row of a queue has waited, in seconds. 0: no row is due. ${SAME_IN_EACH_PROCESS}`,
    labels: ['queue'],
    series_max: 9,
  })
  const cut = metrics.gauge({
    name: 'malipo_queue_cut',
    help: `1 if the other gauges of the queue are lower bounds. The queue then has more than 10,000 due or scheduled rows, or rows of more than 20,000 merchants or endpoints. ${SAME_IN_EACH_PROCESS}`,
    labels: ['queue'],
    series_max: 9,
  })
  const readState = queueReader(measured)
  return {
    async read(reader, now) {
      const state = await readState(reader, now)
      return () => {
        rows(state.queue, 'due').set(state.due)
        rows(state.queue, 'scheduled').set(state.scheduled)
        oldest(state.queue).set(state.oldest_due_s)
        cut(state.queue).set(state.is_cut ? 1 : 0)
      }
    },
    // Other queues use the same metrics. Their gauges set the values again after the reset.
    reset() {
      rows.reset()
      oldest.reset()
      cut.reset()
    },
  }
}
