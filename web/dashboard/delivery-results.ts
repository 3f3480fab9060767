// Waits for the results of webhook attempts that the server makes now.

/** The greatest number of attempts of one delivery. The server sends a delivery with this number no more. */
export const ATTEMPTS_MAX = 100

/** The pause between two reads, in milliseconds. */
const LOOK_MS = 1_000
/** If no delivery gets a result for this time in milliseconds, the page stops. The server waits 8 seconds for a receiver. */
const PATIENCE_MS = 30_000

/**
 * Calls `read` once a second until it has counted `all` results, or until no further result comes. A failed read counts as a read
 * without a result, because a later read may succeed.
 */
export async function awaitResults(all: number, read: () => Promise<number>): Promise<void> {
  let [done, deadline] = [0, Date.now() + PATIENCE_MS]
  while (done < all && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const now = await read().catch(() => done)
    if (now === done) continue
    done = now
    deadline = Date.now() + PATIENCE_MS
  }
}

/** Returns the number of the last of these attempts, or 0. */
export const lastNumber = (attempts: readonly { number: number }[]) => attempts.at(-1)?.number ?? 0
