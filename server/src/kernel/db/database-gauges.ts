// Reads the gauges of the database for /metrics, if the last good reading is at least ten seconds old. If the database does not
// answer, a scrape waits at most 1.5 seconds.

import type { Deps } from './deps.ts'
import type { DbSession } from './pool.ts'

/**
 * Reads one group of gauges with bounded, index-only statements. Returns the function that sets the gauges, so that a failed
 * reading sets none.
 */
export type GaugeReader = (reader: DbSession, now: Date) => Promise<() => void>

/** A group of gauges: its reader, and the function that removes its values. */
export type DatabaseGauges = { read: GaugeReader; reset(): void }

/** The last sentence of the help text of a database gauge whose value is the same in each process. */
export const SAME_IN_EACH_PROCESS = 'From the database: each process shows the same value, so use max.'

const FRESH_MS = 10_000
/** The longest time in milliseconds for which a scrape waits for the database. */
const WAIT_MS = 1_500

/** Adds the gauges to the metrics of the process. While the database does not answer, their values are missing. */
export function exposeDatabaseGauges(deps: Deps, groups: readonly DatabaseGauges[]): void {
  const { clock, db, metrics } = deps
  const up = metrics.gauge({
    name: 'malipo_database_up',
    help: '1 if the database answered this process for these metrics within seconds, else 0.',
  })()
  let read_at = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null
  const read = async () => {
    try {
      const changes = await db.session(async (session) => {
        const made: (() => void)[] = []
        for (const group of groups) made.push(await group.read(session, clock.now()))
        return made
      })
      for (const { reset } of groups) reset()
      for (const change of changes) change()
      up.set(1)
      read_at = performance.now()
    } catch {
      forget()
    } finally {
      running = null
    }
  }
  const forget = () => {
    for (const { reset } of groups) reset()
    up.set(0)
    read_at = Number.NEGATIVE_INFINITY
  }
  metrics.beforeScrape(async () => {
    if (performance.now() - read_at < FRESH_MS) return
    running ??= read()
    const late = Promise.withResolvers<'late'>()
    const timer = clock.after(WAIT_MS, () => late.resolve('late'))
    if ((await Promise.race([running, late.promise])) === 'late') forget()
    timer()
  })
}
