// Counts the parts of an SMS and shortens its text. One part holds 160 characters of the GSM alphabet, or 70 characters if the
// text has any other character. In a longer text, each part holds 153 or 67 characters and costs
// as much as one SMS.

import { plainText } from '../../kernel/lib/index.ts'

const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** The characters of the GSM alphabet that take two places, because an escape character precedes them. */
const EXTENDED = new Set('\f^{}\\[~]|€')

const ALPHABETS = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const

/** The alphabet of a text and its number of parts. */
export type SmsLength = { alphabet: keyof typeof ALPHABETS; parts: number }

/** Returns the alphabet of a text and its number of parts, by the rules of mobile networks. */
export function smsLength(text: string): SmsLength {
  const characters = [...text]
  const alphabet = characters.every((one) => BASIC.has(one) || EXTENDED.has(one)) ? 'GSM-7' : 'UCS-2'
  const sizes = characters.map((one) => (alphabet === 'UCS-2' ? one.length : EXTENDED.has(one) ? 2 : 1))
  const { alone, joined } = ALPHABETS[alphabet]
  if (sizes.reduce((sum, size) => sum + size, 0) <= alone) return { alphabet, parts: 1 }
  let parts = 1
  let used = 0
  for (const size of sizes) {
    // A mobile network does not split a character between two parts.
    if (used + size > joined) {
      parts++
      used = 0
    }
    used += size
  }
  return { alphabet, parts }
}

/** The greatest number of parts in which the server sends an SMS. */
export const SMS_PARTS_MAX = 4

const REPLACEMENTS: Record<string, string> = {
  '\u00a0': ' ',
  '\u202f': ' ',
  '\t': ' ',
  '…': '...',
  '•': '-',
  '–': '-',
  '—': '-',
}

/**
 * Replaces typographic quotes, dashes, dots and spaces with characters of the GSM alphabet. If the text has more than
 * SMS_PARTS_MAX parts, cuts its end. To keep a link at the end, callers use `shortestSms`.
 */
export function smsText(text: string): string {
  const plain = plainText(text)
    .replace(/[\u00a0\u202f\t…•–—]/g, (one) => REPLACEMENTS[one] as string)
    .replace(/[‘’‚‛`´]/g, "'")
    .replace(/[“”„‟«»]/g, '"')
    .trim()
  if (smsLength(plain.slice(0, LONGEST)).parts <= SMS_PARTS_MAX && plain.length <= LONGEST) return plain
  const characters = [...plain.slice(0, LONGEST)]
  let low = 0
  let high = characters.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (smsLength(`${characters.slice(0, middle).join('')}...`).parts <= SMS_PARTS_MAX) low = middle
    else high = middle - 1
  }
  return `${characters.slice(0, low).join('').trimEnd()}...`
}

/** The greatest number of characters that SMS_PARTS_MAX parts can hold. */
const LONGEST = SMS_PARTS_MAX * ALPHABETS['GSM-7'].joined

/**
 * Tries names of at most 60, 40, 30, 20 and 12 characters, and returns the first text that fits into `parts` parts. `write`
 * makes the text with names of at most `name_max` characters. If no text fits, returns the text with names of at most 8
 * characters.
 */
export function shortestSms(write: (name_max: number) => string, parts = 2): string {
  for (const name_max of [60, 40, 30, 20, 12]) {
    const text = smsText(write(name_max))
    if (smsLength(text).parts <= parts) return text
  }
  return smsText(write(8))
}
