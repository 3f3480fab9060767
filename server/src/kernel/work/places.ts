// Places: how much of each lane a process works on at once, so that a slow lane takes nothing of another's.
//
// A lane may have few places, as a provider of few connections has. Nothing is claimed then that would have to wait for a place
// here: a lease is a sign that something may have been sent, so what waits should wait in the database, without one.

/** The places of a process, by lane. */
export type Places = {
  /** Takes a place, whether one is free or not: of what is in hand already. Give it back once. */
  take(lane: string): void
  give(lane: string): void
  /** Keeps a place, or null when none is free. Call what it answers once, to give it back. */
  reserve(lane: string): (() => void) | null
  /** True while a place is free. */
  room(lane: string): boolean
  /** How many rows may be claimed at once, and the lanes that have no places for any. */
  claimable(): { max: number; closed: string[] }
}

/** Places of a lane of which nothing is said. A claim may go over them by its size. */
const PLACES = 1_000
/** Nothing is claimed of a lane while less than this share of its few places is free: claims of one row each would cost more. */
const FREE_SHARE = 0.25

/** Makes places. `given`: how many lanes have, where that is known. `claim_max`: rows of one claim at most. */
export function createPlaces(
  given: Iterable<readonly [lane: string, places: number | undefined]>,
  claim_max: number,
  places = PLACES,
): Places {
  const few = new Map<string, number>()
  for (const [lane, count] of given) if (count !== undefined) few.set(lane, count)
  const taken = new Map<string, number>()
  const change = (lane: string, by: number) => void taken.set(lane, (taken.get(lane) ?? 0) + by)
  const freeOf = (lane: string) => (few.get(lane) ?? places) - (taken.get(lane) ?? 0)
  return {
    take: (lane) => change(lane, 1),
    give: (lane) => change(lane, -1),
    room: (lane) => freeOf(lane) > 0,
    reserve(lane) {
      if (freeOf(lane) <= 0) return null
      change(lane, 1)
      return () => change(lane, -1)
    },
    claimable() {
      const closed: string[] = []
      let max = claim_max
      for (const lane of new Set([...taken.keys(), ...few.keys()])) {
        const limit = few.get(lane)
        const free = freeOf(lane)
        if (free < Math.max(1, (limit ?? 0) * FREE_SHARE)) closed.push(lane)
        else if (limit !== undefined) max = Math.min(max, free)
      }
      return { max, closed }
    },
  }
}
