// What this process did under a reference, so that doing it again under the same one does nothing.

/** Results by reference. It forgets the oldest when it is full, and everything when the process ends. */
export type Memory<Value> = {
  /**
   * Does the work and answers what came of it; while it runs, and after it when `keep` says so, whoever asks for the same
   * reference gets that answer instead.
   */
  once(reference: string, work: () => Promise<Value>, keep: (value: Value) => boolean): Promise<Value>
}

const REMEMBERED_MAX = 10_000

/** Makes a memory. */
export function createMemory<Value>(max = REMEMBERED_MAX): Memory<Value> {
  const known = new Map<string, Promise<Value>>()
  return {
    once(reference, work, keep) {
      const earlier = known.get(reference)
      if (earlier !== undefined) return earlier
      const forget = () => {
        if (known.get(reference) === result) known.delete(reference)
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
      if (known.size > max) {
        for (const oldest of known.keys()) {
          known.delete(oldest)
          break
        }
      }
      return result
    },
  }
}
