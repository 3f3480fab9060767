// Defines the clock of a real process, which follows the clock of the database. Processes on several machines share due times,
// leases and deadlines, so the wrong clock of one machine must not set them.

import type { Clock, Log } from '../lib/index.ts'
import { type Db, sql } from './pool.ts'

const CLOCK_OF_DATABASE = sql('clock_of_database', 'select clock_timestamp() as now')

/**
 * If the clocks differ by more milliseconds, the process uses the clock of the database. The clocks of two synchronised
 * machines differ less.
 */
const WRONG_MS = 1_000
/** If the clocks differ by fewer milliseconds, the process uses the clock of its machine again. */
const RIGHT_MS = 500
/**
 * If the round trip takes more milliseconds, the process ignores the measurement, because its error could be as large as the
 * difference.
 */
const ROUND_TRIP_MS_MAX = 1_000
const MEASURE_EVERY_MS = 10_000
const RETRY_MS = 1_000
/** The largest number of measurements at the start of a process. On a busy machine the first may be too slow. */
const FIRST_ATTEMPTS = 5

/** The clock of a process, and its difference from the clock of the machine. */
export type DatabaseClock = Clock & {
  /**
   * The number of milliseconds by which the clock of the machine is ahead of the clock of the database. Negative means behind.
   */
  ahead_ms(): number
  /**
   * Compares the clocks immediately, then every ten seconds until `close`. Also compares them one second after a failure, and
   * after a step of the machine's clock.
   */
  start(): Promise<void>
  close(): void
}

/** The time of the database, and the values of `elapsed` before and after the statement that read the time. */
type ClockReading = { now: Date; from: number; to: number }

/** The sources of the clock. `elapsed` returns milliseconds that never step. */
export type ClockSources = { machine: Clock; elapsed: () => number; read: () => Promise<ClockReading> }

/**
 * Makes a clock that never steps between measurements, so that a step of the machine's clock changes no stored time. A
 * measurement sets the clock to that of the machine. If the machine's clock is wrong, the measurement sets it to that of the
 * database.
 */
export function createDatabaseClock(log: Log, { machine, elapsed, read }: ClockSources): DatabaseClock {
  let anchor = { time: machine.now().getTime(), elapsed: elapsed() }
  let ahead_ms = 0
  let is_corrected = false
  let runs = false
  let measuring: Promise<void> | null = null
  let stopTimer = () => {}

  /** Compares the clocks once. False means that the round trip was too long. */
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
      .catch(() => false) // If the database does not answer, the clock continues without a step.
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
  // The reading begins when a connection is free, so the wait for a connection does not count.
  const read = () =>
    db.session(async (session) => {
      const from = elapsed()
      const [row] = await session.query<{ now: Date }>(CLOCK_OF_DATABASE)
      return { now: row?.now ?? new Date(Number.NaN), from, to: elapsed() }
    })
  return createDatabaseClock(log, { machine, elapsed, read })
}
