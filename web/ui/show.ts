// Formats values for the user, in both languages. The formats do not depend on the locale of the browser.

import type { Language } from './language.ts'

/**
 * Formats a decimal amount: "25000.00" becomes "TZS 25,000", and "-500.00" becomes "− TZS 500". The text contains only no-break
 * spaces.
 */
export function showAmount(amount: string | number, currency = 'TZS'): string {
  const [, sign = '', whole = '0', cents = '00'] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount)) ?? []
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign === '' ? '' : '−\u00a0'}${currency}\u00a0${grouped}${/^0*$/.test(cents) ? '' : `.${cents.padEnd(2, '0')}`}`
}

/** Formats a count with thousands separators. */
export function showCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Adds amounts with two decimals, without rounding errors. */
export function addAmounts(amounts: readonly string[]): string {
  const cents = amounts.reduce((sum, one) => sum + BigInt(one.replace('.', '')), 0n)
  const sign = cents < 0n ? '-' : ''
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * Formats a canonical phone number as people dial it: 255754123456 becomes "0754 123 456". If the text is no such number,
 * returns the text unchanged.
 */
export function showPhone(phone: string): string {
  return /^255\d{9}$/.test(phone) ? `0${phone.slice(3, 6)} ${phone.slice(6, 9)} ${phone.slice(9)}` : phone
}

/** The offset of Tanzania from UTC in milliseconds: three hours, all year. */
const EAT_MS = 3 * 3_600_000
const MONTHS: Record<Language, readonly string[]> = {
  sw: ['Jan', 'Feb', 'Mac', 'Apr', 'Mei', 'Jun', 'Jul', 'Ago', 'Sep', 'Okt', 'Nov', 'Des'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
}

/** Formats a time in the time zone of Tanzania, such as "30 Nov 2026, 18:00". `seconds` adds seconds. */
export function showTime(time: string, language: Language, seconds = false): string {
  const local = new Date(Date.parse(time) + EAT_MS).toISOString()
  return `${showDate(local, language)}, ${local.slice(11, seconds ? 19 : 16)}`
}

/** Formats a date YYYY-MM-DD, such as "30 Nov 2026". */
export function showDate(date: string, language: Language): string {
  const [year = '', month = '', day = ''] = date.slice(0, 10).split('-')
  return `${Number(day)} ${MONTHS[language][Number(month) - 1]} ${year}`
}

/** Returns the Tanzanian calendar day of a time, as YYYY-MM-DD. */
export function dayOf(time: Date): string {
  return new Date(time.getTime() + EAT_MS).toISOString().slice(0, 10)
}

/** Returns the time at which a Tanzanian day begins, in the format of the API. */
export function startOfDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - EAT_MS).toISOString()
}

/** Returns the time at which a Tanzanian day ends, in the format of the API. */
export function endOfDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - EAT_MS + 86_400_000).toISOString()
}

/** Formats a duration, such as "340 ms" or "1.2 s". */
export function showDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

const UNITS = [
  { ms: 86_400_000, sw: ['siku', 'siku'], en: ['day', 'days'] },
  { ms: 3_600_000, sw: ['saa', 'saa'], en: ['hour', 'hours'] },
  { ms: 60_000, sw: ['dakika', 'dakika'], en: ['minute', 'minutes'] },
] as const

/**
 * Formats the age of a time in the largest unit, such as "3 hours" or "dakika 5". For an age below a minute, returns "under a
 * minute" or "chini ya dakika".
 */
export function showAge(time: string, language: Language, now = Date.now()): string {
  const ms = Math.max(0, now - Date.parse(time))
  const unit = UNITS.find((one) => ms >= one.ms)
  if (unit === undefined) return language === 'sw' ? 'chini ya dakika' : 'under a minute'
  const count = Math.floor(ms / unit.ms)
  const [one, many] = unit[language]
  return language === 'sw' ? `${one} ${count}` : `${count} ${count === 1 ? one : many}`
}
