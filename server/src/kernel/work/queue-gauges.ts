// Measures the queues of waiting rows: their depth, and for how long the oldest due row has waited.

import { type DatabaseGauges, type Reader, SAME_IN_EACH_PROCESS, type Statement, sql } from '../db/index.ts'
import type { Metrics } from '../lib/index.ts'

/** A table of waiting rows with the columns of its index before due_at, after merchant_id, as in `WaitingTable.queue`. */
export type MeasuredQueue = { queue: string; table: string; columns?: readonly string[] }

/** The state of a queue. `oldest_due_s` is 0 if no row is due. `is_cut` is true if the queue has more rows than the count. */
export type QueueState = { queue: string; due: number; scheduled: number; oldest_due_s: number; is_cut: boolean }

/** The greatest number of rows that a reading counts, and of merchants whose oldest row it reads. */
const ROWS_MAX = 10_000
const QUEUES_MAX = 2_000

/** Reads the state of one queue, with index-only scans of at most 10,000 rows. */
export type QueueReader = (reader: Reader, now: Date) => Promise<QueueState>

/** Makes the reader of a queue. */
export function queueReader({ queue, table, columns = [] }: MeasuredQueue): QueueReader {
  const statement = queueStatement(table, ['merchant_id', ...columns])
  return async (reader, now) => {
    const [row] = await reader.query<{ waiting: number; due: number; oldest: Date | null }>(statement, [now])
    const { waiting = 0, due = 0, oldest = null } = row ?? {}
    const late_s = oldest === null ? 0 : (now.getTime() - oldest.getTime()) / 1_000
    return { queue, due, scheduled: waiting - due, oldest_due_s: Math.max(0, late_s), is_cut: waiting === ROWS_MAX }
  }
}

// The statement steps from queue to queue over the index for the oldest row, so the cost does not grow with the rows.
function queueStatement(table: string, columns: readonly string[]): Statement {
  const list = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ')
  return sql(
    `queue_state_${table}`,
    `with recursive queues as (
       (select ${list('t')}, t.due_at, 1 as number from ${table} t where t.due_at is not null
        order by ${list('t')}, t.due_at limit 1)
       union all
       select following.*, q.number + 1 from queues q cross join lateral (
         select ${list('t')}, t.due_at from ${table} t where t.due_at is not null and (${list('t')}) > (${list('q')})
         order by ${list('t')}, t.due_at limit 1) following
       where q.number < ${QUEUES_MAX}
     ), counted as (
       select due_at from ${table} where due_at is not null limit ${ROWS_MAX}
     )
     select count(*)::int as waiting, count(*) filter (where due_at <= $1)::int as due, (select min(due_at) from queues) as oldest
     from counted`,
  )
}

/** Returns the gauges of one queue. */
export function queueGauges(metrics: Metrics, measured: MeasuredQueue): DatabaseGauges {
  const rows = metrics.gauge({
    name: 'malipo_queue_rows',
    help: `Rows that wait for the worker, at most 10,000 counted in each queue. due: the time of the next step has come. ${SAME_IN_EACH_PROCESS}`,
    labels: ['queue', 'state'],
    series_max: 17,
  })
  const oldest = metrics.gauge({
    name: 'malipo_queue_oldest_due_seconds',
    help: `For how long the oldest due row of a queue has waited, in seconds. 0: no row is due. ${SAME_IN_EACH_PROCESS}`,
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
      }
    },
    // A later group of the same metric sets its values again.
    reset() {
      rows.reset()
      oldest.reset()
    },
  }
}
