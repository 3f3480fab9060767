// Calculates the times of reminders to customers.

/** The difference in hours between the time in Tanzania and UTC, the same all year. */
const EAT_HOURS = 3
/** The hour of the day in Tanzania at which the worker sends reminders. */
const REMIND_HOUR = 9

/** Returns the beginning of a day in Tanzania: the day that is `later` days after `day` (YYYY-MM-DD). */
export function dayStart(day: string, later = 0): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return new Date(Date.UTC(year, month - 1, date + later, -EAT_HOURS))
}

/**
 * Returns the time of the next reminder: nine o'clock in Tanzania on the first reminder day after `today`. Null means that no
 * reminder day is left. `days` are numbers of days after the due date, in ascending order.
 */
export function nextReminder(days: readonly number[], due_date: string, today: string): Date | null {
  const tomorrow = dayStart(today, 1)
  const day = days.map((offset) => dayStart(due_date, offset)).find((start) => start >= tomorrow)
  return day === undefined ? null : new Date(day.getTime() + REMIND_HOUR * 3_600_000)
}
