// Defines the clock of a real process, which follows the clock of the database. Processes on several machines share the due times,
// leases and deadlines in the database, so that a wrong clock of one machine must not date them.

import type { Clock, Log } from '../lib/index.ts'
import { type Db, sql } from './pool.ts'

const CLOCK_OF_DATABASE = sql('clock_of_database', 'select clock_timestamp() as now')

/** The difference above which a process leaves the clock of its machine. Two well-kept clocks differ less. */
const WRONG_MS = 1_000
/** The difference below which a process returns to the clock of its machine. */
const RIGHT_MS = 500
/** A measurement with a longer round trip does not count, because its error could be as large. */
const ROUND_TRIP_MS_MAX = 1_000
const MEASURE_EVERY_MS = 10_000
const RETRY_MS = 1_000
/** The attempts at the start of a process. A busy start may need several. */
const FIRST_ATTEMPTS = 5

/** The clock of a process, and its difference from the clock of the machine. */
export type DatabaseClock = Clock & {
  /** How far the clock of the machine is ahead of the clock of the database, in milliseconds. Negative means behind. */
  ahead_ms(): number
  /** Compares the clocks, and then every ten seconds until `close`, and at once after a step of the machine's clock. */
  start(): Promise<void>
  close(): void
}

/** The clock of the database between two times of the process, as `elapsed` of `ClockSources`. */
type ClockReading = { now: Date; from: number; to: number }

/** What the clock reads. `elapsed` returns milliseconds that never step. */
export type ClockSources = { machine: Clock; elapsed: () => number; read: () => Promise<ClockReading> }

/**
 * Makes a clock that goes evenly between measurements, so that a step of the machine's clock dates no row. A measurement sets it to
 * the clock of the machine or, if that clock is wrong by more than a second, to the clock of the database.
 */
export function createDatabaseClock(log: Log, { machine, elapsed, read }: ClockSources): DatabaseClock {
  let anchor = { time: machine.now().getTime(), elapsed: elapsed() }
  let ahead_ms = 0
  let is_corrected = false
  let runs = false
  let measuring: Promise<void> | null = null
  let stopTimer = () => {}

  /** Compares the clocks once. False means that the answer took too long to tell the difference. */
  const measure = async (): Promise<boolean> => {
    const { now, from, to } = await read()
    if (to - from > ROUND_TRIP_MS_MAX) return false
    const current = elapsed()
    const of_machine = machine.now().getTime()
    const of_database = now.getTime() + current - (from + to) / 2
    ahead_ms = Math.round(of_machine - of_database)
    const is_wrong = Math.abs(ahead_ms) > (is_corrected ? RIGHT_MS : WRONG_MS)
    anchor = { time: is_wrong ? of_machine - ahead_ms : of_machine, elapsed: current }
    if (is_wrong !== is_corrected) reportChange(log, is_wrong, ahead_ms)
    is_corrected = is_wrong
    return true
  }
  const measureAgain = () => {
    stopTimer()
    measuring ??= measure()
      .catch(() => false) // Without an answer, the clock goes on evenly.
      .then((done) => {
        measuring = null
        if (runs) stopTimer = machine.after(done ? MEASURE_EVERY_MS : RETRY_MS, measureAgain)
      })
  }
  return {
    now() {
      const time = anchor.time + elapsed() - anchor.elapsed
      const step = machine.now().getTime() - time - (is_corrected ? ahead_ms : 0)
      if (runs && Math.abs(step) > RIGHT_MS && measuring === null) measureAgain()
      return new Date(time)
    },
    after: machine.after,
    ahead_ms: () => ahead_ms,
    async start() {
      for (let attempt = 1; attempt <= FIRST_ATTEMPTS; attempt++) if (await measure()) break
      runs = true
      stopTimer = machine.after(MEASURE_EVERY_MS, measureAgain)
    },
    close() {
      runs = false
      stopTimer()
    },
  }
}

function reportChange(log: Log, is_wrong: boolean, ahead_ms: number): void {
  if (is_wrong)
    log.warn(
      { component: 'db', ahead_ms },
      'the clocks of this machine and of the database differ; the process uses the clock of the database: synchronise both clocks',
    )
  else log.info({ component: 'db', ahead_ms }, 'the clocks of this machine and of the database agree again')
}

/** Makes the clock of a process over its database. `machine` is the clock of the machine. */
export function followDatabase(log: Log, db: Db, machine: Clock): DatabaseClock {
  const elapsed = () => performance.now()
  // The wait for a free connection does not count, because the reading begins after it.
  const read = () =>
    db.session(async (session) => {
      const from = elapsed()
      const [row] = await session.query<{ now: Date }>(CLOCK_OF_DATABASE)
      return { now: row?.now ?? new Date(Number.NaN), from, to: elapsed() }
    })
  return createDatabaseClock(log, { machine, elapsed, read })
}
