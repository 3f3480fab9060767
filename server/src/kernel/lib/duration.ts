// Describes a duration in words, for messages of commands and pages.

const UNITS: readonly [string, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** Returns a duration of `ms` milliseconds, rounded to a whole number of its largest unit, such as "3 minutes". */
export function sayDuration(ms: number): string {
  const [name, size] = UNITS.find(([, unit]) => ms >= unit) ?? ['second', 1_000]
  const count = Math.round(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
