// Counts the remaining time of a timeout by the clock of the machine, even if the platform uses a simulated clock.

/** Returns the remaining time of a timeout in milliseconds, never below zero. */
export type Countdown = () => number

/** Starts a timeout of `ms` milliseconds. */
export function countdown(ms: number): Countdown {
  const end = performance.now() + ms
  return () => Math.max(end - performance.now(), 0)
}
