// Defines the clock, from which the server takes the time of day, so that a test can control time.

/**
 * The clock of the application. SQL statements get its time as a parameter. Only measurements of the clock of the database and
 * the list of migrations read the time of the database.
 */
export type Clock = {
  now(): Date
  /** Calls `run` after `ms` milliseconds of this clock. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A clock for tests and simulations. Only `advance` and `step` change its time. */
export type SettableClock = Clock & {
  /** Moves time forward and runs the timers that become due, in order. */
  advance(ms: number): void
  /** Changes the time of day and runs no timer, as an administrator or NTP does. Timers keep their remaining time. */
  step(ms: number): void
}

/** Makes a settable clock that starts at `start`. */
export function settableClock(start: Date): SettableClock {
  let now = start.getTime()
  let next_id = 0
  const timers = new Map<number, { at: number; run: () => void }>()
  return {
    now: () => new Date(now),
    after(ms, run) {
      const id = next_id++
      timers.set(id, { at: now + ms, run })
      return () => timers.delete(id)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        let first: [number, { at: number; run: () => void }] | null = null
        for (const entry of timers) {
          if (entry[1].at <= end && (first === null || entry[1].at < first[1].at)) first = entry
        }
        if (first === null) break
        timers.delete(first[0])
        now = Math.max(now, first[1].at)
        first[1].run()
      }
      now = end
    },
    step(ms) {
      now += ms
      for (const timer of timers.values()) timer.at += ms
    },
  }
}
