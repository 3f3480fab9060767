// Counts the statements of a pool and their times by name, and the connections of the pool.

import type { CountSeries, Metrics } from '../lib/index.ts'

/** The largest number of series by statement name. The last series counts all further names together as `other`. */
const NAMES_MAX = 160
const BUCKETS_S = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

/** The current number of open and idle connections of a pool, and of calls that wait for a connection. */
export type PoolState = { open: number; idle: number; waiting: number }

/** Returns the function that records one statement. `seconds` includes the wait for earlier statements of the connection. */
export function statementTimes(
  metrics: Metrics,
  pool: () => PoolState,
): (name: string, seconds: number, ok: boolean) => void {
  const counts = metrics.counter({
    name: 'malipo_db_statements_total',
    help: 'Statements of this process, by statement name.',
    labels: ['statement'],
    series_max: NAMES_MAX,
  })
  const times = metrics.counter({
    name: 'malipo_db_statement_seconds_total',
    help: 'Time of the statements of this process in seconds, by statement name.',
    labels: ['statement'],
    series_max: NAMES_MAX,
  })
  const errors = metrics.counter({
    name: 'malipo_db_statement_errors_total',
    help: 'Failed statements of this process.',
  })()
  const all = metrics.histogram({
    name: 'malipo_db_statement_duration_seconds',
    help: 'Times of all statements of this process in seconds.',
    buckets: BUCKETS_S,
  })()
  const connections = metrics.gauge({
    name: 'malipo_db_pool_connections',
    help: 'Database connections of this process, by state.',
    labels: ['state'],
    series_max: 3,
  })
  const waiting = metrics.gauge({
    name: 'malipo_db_pool_waiting',
    help: 'Calls of this process that wait for a database connection.',
  })
  metrics.beforeScrape(() => {
    const { open, idle, waiting: calls } = pool()
    connections('idle').set(idle)
    connections('busy').set(open - idle)
    waiting().set(calls)
  })
  const series = new Map<string, { count: CountSeries; time: CountSeries }>()
  return (name, seconds, ok) => {
    let found = series.get(name)
    if (found === undefined) {
      // Statements without a name have differing texts, so they share one series.
      const label = name === '' ? 'unnamed' : name
      found = { count: counts(label), time: times(label) }
      series.set(name, found)
    }
    found.count.inc()
    found.time.inc(seconds)
    all.observe(seconds)
    if (!ok) errors.inc()
  }
}
