// Defines crash points: named places in the code where a test kills the process to prove that the server loses no payment.

/**
 * A hook that code calls at a named place before or after a step about money. In production the hook does nothing. In a crash
 * test the hook kills the process.
 */
export type Point = (name: string) => void

/** The hook of production, which does nothing. */
export const noPoint: Point = () => {}

/**
 * Makes the hook of the crash tests. The hook kills the process when the process reaches the named place for the `nth` time.
 */
export function crashAt(name: string, nth = 1): Point {
  let passed = 0
  return (place) => {
    if (place === name && ++passed === nth) process.kill(process.pid, 'SIGKILL')
  }
}
