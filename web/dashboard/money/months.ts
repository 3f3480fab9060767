// Lists and formats the months of statements.

import type { Language } from '../../ui/language.ts'
import { texts } from '../../ui/language.ts'

const names = texts({
  sw: {
    months: 'Januari Februari Machi Aprili Mei Juni Julai Agosti Septemba Oktoba Novemba Desemba'.split(' '),
  },
  en: {
    months: 'January February March April May June July August September October November December'.split(' '),
  },
})

/** Returns the month of a day (YYYY-MM-DD) and the earlier months, newest first, as YYYY-MM. */
export function monthsBack(day: string, count: number): string[] {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return Array.from({ length: count }, (_, i) => new Date(Date.UTC(year, month - 1 - i, 1)).toISOString().slice(0, 7))
}

/** Formats a month YYYY-MM, such as "Novemba 2026". */
export function showMonth(month: string, language: Language): string {
  return `${names[language].months[Number(month.slice(5, 7)) - 1] ?? ''} ${month.slice(0, 4)}`
}
