// How long a call may still take: by the machine's own time, whichever clock the platform lives by.

/** Milliseconds that are left of a span. Never below zero. */
export type Countdown = () => number

/** Begins a span of `ms` milliseconds now. */
export function countdown(ms: number): Countdown {
  const end = performance.now() + ms
  return () => Math.max(end - performance.now(), 0)
}
