// Finds when a corrected version of a vulnerable package appeared, so that `npm run supply` can measure the repair times.

/**
 * The days after the first corrected version within which this repository must install that version. A severe vulnerability
 * fails the check without such a delay.
 */
export const REPAIR_DAYS = 90

const DAY_MS = 86_400_000

/** The versions of a package with the times of their publication, as `npm view NAME time --json` prints them. */
export type VersionTimes = Record<string, string>

/** The first corrected version of a package, and when it appeared. */
type CorrectedVersion = { version: string; at: Date }

/**
 * Returns the corrected version that appeared first: a version without a suffix that is newer than the installed one and
 * outside of the vulnerable range. Null means that no such version exists.
 */
export function findCorrectedVersion(installed: string, range: string, times: VersionTimes): CorrectedVersion | null {
  const found = Object.entries(times)
    .filter(([version]) => /^\d+\.\d+\.\d+$/.test(version))
    .filter(([version]) => compareVersions(version, installed) > 0 && !isInRange(version, range))
    .map(([version, time]) => ({ version, at: new Date(time) }))
    .sort((one, other) => one.at.getTime() - other.at.getTime())
  return found[0] ?? null
}

/** Returns true if the corrected version appeared more than `REPAIR_DAYS` ago. */
export function isOverdue({ at }: CorrectedVersion, now: Date): boolean {
  return now.getTime() - at.getTime() > REPAIR_DAYS * DAY_MS
}

/** Returns true if a version is in a range of npm, such as ">=1.0.0 <1.0.4 || 2.0.0". */
function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) =>
    part
      .trim()
      .replace(/([<>=]+)\s+/g, '$1')
      .split(/\s+/)
      .every((comparator) => holds(version, comparator)),
  )
}

function holds(version: string, comparator: string): boolean {
  const [, operator = '', limit = ''] = /^([<>]?=?)(\d+(?:\.\d+){0,2})/.exec(comparator) ?? []
  // A comparator that this function cannot read, such as "*", counts as met, so that no version counts as corrected too early.
  if (limit === '') return true
  const order = compareVersions(version, limit)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  if (operator === '>') return order > 0
  return operator === '>=' ? order >= 0 : order === 0
}

function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split(/[-+]/, 1)[0]?.split('.').map(Number) ?? [])
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
