// Defines crash points: named places where a test kills the process to prove that the system loses no payment.

/**
 * A hook that money flows call at a named place. The hook does nothing in production, and kills the process in a crash
 * test.
 */
export type Point = (name: string) => void

/** The hook of production, which does nothing. */
export const noPoint: Point = () => {}

/**
 * Makes the hook of the crash tests, which kills the process when the process passes the named place for the `nth`
 * time.
 */
export function crashAt(name: string, nth = 1): Point {
  let passed = 0
  return (place) => {
    if (place === name && ++passed === nth) process.kill(process.pid, 'SIGKILL')
  }
}
