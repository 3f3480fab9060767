// Counts the rest of a timeout by the machine's clock, also if the platform runs by another clock.

/** Returns the rest of a timeout in milliseconds, never below zero. */
export type Countdown = () => number

/** Begins a timeout of `ms` milliseconds now. */
export function countdown(ms: number): Countdown {
  const end = performance.now() + ms
  return () => Math.max(end - performance.now(), 0)
}
