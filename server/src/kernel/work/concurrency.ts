// Limits concurrency for each lane, so that a slow lane delays no other lane. If a lane has no free capacity, a process claims
// none of its rows. These rows wait without a lease, because a claimed row may already have a request at the provider.

/** The concurrency limits of a process, by lane. */
export type ConcurrencyLimits = {
  /**
   * Counts a row that the process already holds, even if the lane is at its limit. When the work on the row ends, the caller
   * must call `release` once.
   */
  acquire(lane: string): void
  release(lane: string): void
  /**
   * Reserves capacity for one row. Null means that no capacity is free. To release the capacity, the caller calls the returned
   * function once.
   */
  reserve(lane: string): (() => void) | null
  /** True while the lane has free capacity. */
  hasCapacity(lane: string): boolean
  /** Returns the largest size of the next claim in rows, and the lanes without capacity for a claim. */
  claimable(): { max: number; closed: string[] }
}

/**
 * The concurrency limit of a lane that declares none, in rows. A claim may exceed this limit by the size of the claim.
 */
const DEFAULT_LIMIT = 1_000
/**
 * If less than this share of a declared limit is free, claims exclude the lane, because claims of single rows cost more for
 * each row.
 */
const FREE_SHARE = 0.25

/**
 * Makes the limits. `declared` contains the limits of the lanes, and `claim_max` is the greatest number of rows in a claim.
 */
export function createConcurrencyLimits(
  declared: Iterable<readonly [lane: string, limit: number | undefined]>,
  claim_max: number,
  default_limit = DEFAULT_LIMIT,
): ConcurrencyLimits {
  const limits = new Map<string, number>()
  for (const [lane, limit] of declared) if (limit !== undefined) limits.set(lane, limit)
  const in_use = new Map<string, number>()
  const change = (lane: string, by: number) => void in_use.set(lane, (in_use.get(lane) ?? 0) + by)
  const freeOf = (lane: string) => (limits.get(lane) ?? default_limit) - (in_use.get(lane) ?? 0)
  return {
    acquire: (lane) => change(lane, 1),
    release: (lane) => change(lane, -1),
    hasCapacity: (lane) => freeOf(lane) > 0,
    reserve(lane) {
      if (freeOf(lane) <= 0) return null
      change(lane, 1)
      return () => change(lane, -1)
    },
    claimable() {
      const closed: string[] = []
      let max = claim_max
      for (const lane of new Set([...in_use.keys(), ...limits.keys()])) {
        const limit = limits.get(lane)
        const free = freeOf(lane)
        if (free < Math.max(1, (limit ?? 0) * FREE_SHARE)) closed.push(lane)
        else if (limit !== undefined) max = Math.min(max, free)
      }
      return { max, closed }
    },
  }
}
