// On which days customers are reminded.

/** Tanzania is three hours ahead of UTC, all year. */
const EAT_HOURS = 3
/** When people read messages. */
const REMIND_HOUR = 9

/** The moment at which a day begins in Tanzania, or one so many days later. `day`: YYYY-MM-DD. */
export function dayStart(day: string, later = 0): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return new Date(Date.UTC(year, month - 1, date + later, -EAT_HOURS))
}

/**
 * When a customer is next reminded of an invoice: at nine in Tanzania on the first of its reminder days after `today`, so
 * that nobody hears of one invoice twice on one day. `days`: relative to the due date, in order. Null: no day is left.
 */
export function nextReminder(days: readonly number[], due_date: string, today: string): Date | null {
  const tomorrow = dayStart(today, 1)
  const day = days.map((offset) => dayStart(due_date, offset)).find((start) => start >= tomorrow)
  return day === undefined ? null : new Date(day.getTime() + REMIND_HOUR * 3_600_000)
}
