// What a process knows by reference: what it did, so that doing it again does nothing, and what it heard late. An adapter may
// save a request by it, and is right without it.

/** Values by reference. It forgets the oldest when it is full, and everything when the process ends. */
export type Memory<Value> = {
  get(reference: string): Value | undefined
  set(reference: string, value: Value): void
  forget(reference: string): void
}

const REMEMBERED_MAX = 10_000

/** Makes a memory of at most `max` values. */
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
 * Does the work once for each reference and answers what came of it: while it runs, and after it when `keep` says so, whoever
 * repeats a reference gets that answer instead. Work that throws is not kept: nothing is known of what it did.
 */
export function createOnce<Value>(keep: (value: Value) => boolean, max = REMEMBERED_MAX) {
  const known = createMemory<Promise<Value>>(max)
  return (reference: string, work: () => Promise<Value>): Promise<Value> => {
    const earlier = known.get(reference)
    if (earlier !== undefined) return earlier
    const forget = () => {
      if (known.get(reference) === result) known.forget(reference)
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
    known.set(reference, result)
    return result
  }
}
