// Turns: work that only some may do at once; the others wait, in the order in which they came.

/** Makes turns for `at_once`. What it answers runs work when its turn has come. Bound elsewhere how many may wait. */
export function createTurns(at_once: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= at_once) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The next in the queue goes on in this place.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
