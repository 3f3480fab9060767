// Time comes in through here only, so that a test can hold it in its hands.

/** The application's clock. SQL never asks the database for the time: it is a parameter. */
export type Clock = {
  now(): Date
  /** Calls back after `ms` of this clock's time; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A clock that stands still until it is moved. For tests and simulations. */
export type SettableClock = Clock & {
  /** Moves time forward and fires what fell due, in order. */
  advance(ms: number): void
  /** Moves the time of day alone, as an administrator or NTP does: timers run on by the time that is left of them. */
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
