// What this process knows by reference: what it did, so that doing it again does nothing, and what it heard late.

/** Values by reference. It forgets the oldest when it is full, and everything when the process ends. */
export type Memory<Value> = {
  get(reference: string): Value | undefined
  set(reference: string, value: Value): void
  forget(reference: string): void
}

const REMEMBERED_MAX = 10_000

/** Makes a memory. */
export function createMemory<Value>(max = REMEMBERED_MAX): Memory<Value> {
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
 * Does the work once for each reference and answers what came of it: whoever repeats one gets the first answer, unless
 * `keep` says that nothing was done.
 */
export function createOnce<Value>(keep: (value: Value) => boolean) {
  const known = createMemory<Promise<Value>>()
  return (reference: string, work: () => Promise<Value>): Promise<Value> => {
    const earlier = known.get(reference)
    if (earlier !== undefined) return earlier
    const result = work().then((value) => {
      if (!keep(value) && known.get(reference) === result) known.forget(reference)
      return value
    })
    known.set(reference, result)
    return result
  }
}
