// Crash points: named places where a test stops the process, to prove that nothing is lost there.

/** Called at a named place of a money flow. Does nothing in production; a test makes it end the process. */
export type Point = (name: string) => void

/** The production hook. */
export const noPoint: Point = () => {}

/**
 * The hook of the crash tests: ends the process at once, as a power cut would, when the named place is passed for
 * the `nth` time.
 */
export function crashAt(name: string, nth = 1): Point {
  let passed = 0
  return (place) => {
    if (place === name && ++passed === nth) process.kill(process.pid, 'SIGKILL')
  }
}
