// Formats values for people. Pages, receipts, invoices and messages show the same text, whatever the locale of the machine.

/** The languages of the product. Swahili is the default for payers. */
export const LANGUAGES = ['sw', 'en'] as const
/** Swahili (`sw`) or English (`en`). */
export type Language = (typeof LANGUAGES)[number]

/**
 * Writes cents as shillings: 2500000n becomes "TZS 25,000", and 2500050n becomes "TZS 25,000.50". The space is non-breaking.
 */
export function showAmount(minor: bigint, currency = 'TZS'): string {
  const sign = minor < 0n ? '-' : ''
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0')
  let whole = digits.slice(0, -2)
  for (let at = whole.length - 3; at > 0; at -= 3) whole = `${whole.slice(0, at)},${whole.slice(at)}`
  const cents = digits.slice(-2)
  return `${sign}${currency}\u00a0${whole}${cents === '00' ? '' : `.${cents}`}`
}

/** Writes a canonical phone number in local form: 255754123456 becomes "0754 123 456". */
export function showPhone(phone: string): string {
  return `0${phone.slice(3, 6)} ${phone.slice(6, 9)} ${phone.slice(9)}`
}

/** Masks a canonical phone number: 255754123456 becomes "0754 *** 456". */
export function maskPhone(phone: string): string {
  return `0${phone.slice(3, 6)} *** ${phone.slice(9)}`
}

/** Masks an e-mail address: "saida@example.com" becomes "s***@example.com". */
export function maskEmail(email: string): string {
  return `${[...email][0] ?? ''}***${email.slice(email.lastIndexOf('@'))}`
}

/** The offset of Tanzanian time from UTC: three hours, all year. */
const EAT_MS = 3 * 3_600_000
const MONTHS: Record<Language, readonly string[]> = {
  sw: ['Jan', 'Feb', 'Mac', 'Apr', 'Mei', 'Jun', 'Jul', 'Ago', 'Sep', 'Okt', 'Nov', 'Des'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
}

/** Writes a moment in Tanzanian time: "30 Nov 2026, 18:00 (EAT)". `seconds` adds seconds. */
export function showTime(time: Date, language: Language, seconds = false): string {
  return `${showDate(dayOf(time), language)}, ${showTimeOfDay(time, seconds)}`
}

/** Writes the time of day of a moment in Tanzania: "18:00 (EAT)". `seconds` adds seconds. */
export function showTimeOfDay(time: Date, seconds = false): string {
  return `${eatTime(time).slice(11, seconds ? 19 : 16)} (EAT)`
}

/** Writes a moment in Tanzanian time as spreadsheets read it: "2026-11-30 18:00:07". */
export function eatTime(time: Date): string {
  return new Date(time.getTime() + EAT_MS).toISOString().slice(0, 19).replace('T', ' ')
}

/** Writes a date of the form YYYY-MM-DD as "30 Nov 2026". */
export function showDate(date: string, language: Language): string {
  const [year = '', month = '', day = ''] = date.slice(0, 10).split('-')
  return `${Number(day)} ${MONTHS[language][Number(month) - 1]} ${year}`
}

/** Returns the calendar day of a moment in Tanzania, as YYYY-MM-DD. */
export function dayOf(time: Date): string {
  return new Date(time.getTime() + EAT_MS).toISOString().slice(0, 10)
}

// These characters change the direction of text, so a name with these characters could change the order of the words in a
// sentence.
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Returns the text without the marks that change the direction of text. Letters written from right to left stay. */
export function withoutDirectionMarks(text: string): string {
  return text.replace(DIRECTION_MARKS, '')
}

/** Returns text of a merchant or payer for an SMS or a subject: one line, no direction marks, at most `max` characters. */
export function plainLine(text: string, max = 200): string {
  const line = withoutDirectionMarks(text.toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`
}

/**
 * Returns text of several lines for e-mails and SMS: valid Unicode with newlines and tabs, but without other control
 * characters and direction marks.
 */
export function plainText(text: string): string {
  return withoutDirectionMarks(text.toWellFormed())
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
}
