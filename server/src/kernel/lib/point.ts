// Crash points: named places where a test kills the process to prove that no payment is lost.

/** Money flows call this at a named place. It does nothing in production; a test makes it kill the process. */
export type Point = (name: string) => void

/** The hook of production: it does nothing. */
export const noPoint: Point = () => {}

/**
 * The hook of the crash tests: kills the process when it passes the named place for the `nth` time.
 */
export function crashAt(name: string, nth = 1): Point {
  let passed = 0
  return (place) => {
    if (place === name && ++passed === nth) process.kill(process.pid, 'SIGKILL')
  }
}
