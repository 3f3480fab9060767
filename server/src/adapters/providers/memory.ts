// Keeps results by reference in memory, so that a repeated call sends no second request. The memory only saves requests: an
// adapter without this memory is correct too.

/** The values by reference. If the memory is full, a new value replaces the oldest value. */
export type ReferenceMemory<Value> = {
  get(reference: string): Value | undefined
  set(reference: string, value: Value): void
  forget(reference: string): void
}

const REMEMBERED_MAX = 10_000

/** Makes a memory of at most `max` values. */
export function createReferenceMemory<Value>(max = REMEMBERED_MAX): ReferenceMemory<Value> {
  const known = new Map<string, Value>()
  return {
    get: (reference) => known.get(reference),
    set(reference, value) {
      known.set(reference, value)
      if (known.size <= max) return
      for (const oldest of known.keys()) {
        known.delete(oldest)
        break
      }
    },
    forget: (reference) => void known.delete(reference),
  }
}

/**
 * Makes a function that does the work once for each reference. A repeated call gets the running result. If `keep` returns true
 * for the finished result, a repeated call gets this result too. After an error, the next call does the work again.
 */
export function createOnce<Value>(keep: (value: Value) => boolean, max = REMEMBERED_MAX) {
  const results = createReferenceMemory<Promise<Value>>(max)
  return (reference: string, work: () => Promise<Value>): Promise<Value> => {
    const earlier = results.get(reference)
    if (earlier !== undefined) return earlier
    const forget = () => {
      if (results.get(reference) === result) results.forget(reference)
    }
    const result = work().then(
      (value) => {
        if (!keep(value)) forget()
        return value
      },
      (error: unknown) => {
        forget()
        throw error
      },
    )
    results.set(reference, result)
    return result
  }
}
