// Parses days and months of Tanzania, where every day has 24 hours.

const OFFSET_MS = 3 * 3_600_000
const FORM = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/

/** A day or a month, from its start (inclusive) to the start of the next period (exclusive). */
export type StatementPeriod = { name: string; from: Date; to: Date }

/** Parses a day such as 2026-01-05 or a month such as 2026-01. Null means that the text names no existing day or month. */
export function readPeriod(name: string): StatementPeriod | null {
  const match = FORM.exec(name)
  if (!match) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), match[3] === undefined ? null : Number(match[3])]
  const first = midnight(year, month, day ?? 1)
  if (!dateInTanzania(first).startsWith(name)) return null
  return { name, from: first, to: day === null ? midnight(year, month + 1, 1) : midnight(year, month, day + 1) }
}

/** Returns the start of a day in Tanzania. If `day` or `month` is too large, the function continues in the next month or year. */
function midnight(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return new Date(date.getTime() - OFFSET_MS)
}

function dateInTanzania(moment: Date): string {
  return new Date(moment.getTime() + OFFSET_MS).toISOString().slice(0, 10)
}
