// Counts days in Tanzania as numbers. Each day has 24 hours, because Tanzania has no daylight saving time.

const EAT_MS = 3 * 3_600_000

/** The length of a day in milliseconds. */
export const DAY_MS = 24 * 3_600_000

/** Returns the day of a moment in Tanzania, as the number of days since 1 January 1970. */
export function dayNumber(time: Date): number {
  return Math.floor((time.getTime() + EAT_MS) / DAY_MS)
}

/** Returns the first moment of a day in Tanzania. `day` is a number as `dayNumber` returns it. */
export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS - EAT_MS)
}
