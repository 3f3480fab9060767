// Waits between two attempts of the tool.

/** Waits for `ms` milliseconds. If `signal` aborts, the wait ends early. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    if (signal?.aborted) done()
    else signal?.addEventListener('abort', done)
  })
}
