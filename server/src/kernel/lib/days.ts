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

/** Returns SQL that turns the number of a day (days since 1970-01-01) into its date. */
export function dateSql(number: string): string {
  return `(date '1970-01-01' + (${number})::int)`
}

/** Returns SQL that turns a date into the number of its day (days since 1970-01-01). */
export function dayNumberSql(date: string): string {
  return `(${date} - date '1970-01-01')`
}

/** Returns SQL for the date in Tanzania on which an id was made. */
export function dateOfIdSql(id: string): string {
  const ms = `('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint`
  return dateSql(`(${ms} + 10800000) / 86400000`)
}

/** Returns SQL for an id that sorts before all ids of the day with this date. */
export function firstIdSql(date: string): string {
  const ms = `greatest(0, ${dayNumberSql(date)}::bigint * 86400000 - 10800000)`
  return `(lpad(to_hex(${ms}), 12, '0') || repeat('0', 20))::uuid`
}
