// Finds the known name that is nearest to a mistyped name.

/** The number of characters above which a name does not count as a typing error. */
const LENGTH_MAX = 64

/**
 * Returns the known name with the fewest edits from a mistyped name. Null means that no known name is near, or that the name is
 * too long.
 */
export function nearest(name: string, known: Iterable<string>): string | null {
  if (name.length > LENGTH_MAX) return null
  const given = normalise(name)
  let best: string | null = null
  let least = Math.max(1, Math.floor(given.length / 3)) + 1
  for (const candidate of known) {
    const edits = editDistance(given, normalise(candidate))
    if (edits >= least) continue
    least = edits
    best = candidate
  }
  return best
}

/**
 * Removes differences of case, hyphens and underscores, which are the most common mistakes: `pageSize`, `page-size`.
 */
function normalise(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/**
 * Returns the smallest number of edits between two texts. An edit inserts, removes or replaces a character, or swaps two
 * adjacent characters.
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let edits = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, (before[j - 2] as number) + 1)
      row.push(edits)
    }
    before = above
    above = row
  }
  return above[b.length] as number
}
