// How long an SMS is. A phone network carries 160 characters of its own alphabet (GSM 03.38), or 70 of any other, in one part;
// a longer text goes as several parts, each of which is paid for. One letter outside the alphabet more than doubles the price.

import { plainText } from '../../kernel/lib/index.ts'

const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** These take two places: an escape comes before them. */
const EXTENDED = new Set('\f^{}\\[~]|€')

const ALPHABETS = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const

/** What a text costs: in which alphabet it goes, and in how many parts. */
export type SmsLength = { alphabet: keyof typeof ALPHABETS; parts: number }

/** The length of a text as networks count it. */
export function smsLength(text: string): SmsLength {
  const characters = [...text]
  const alphabet = characters.every((one) => BASIC.has(one) || EXTENDED.has(one)) ? 'GSM-7' : 'UCS-2'
  const places = characters.map((one) => (alphabet === 'UCS-2' ? one.length : EXTENDED.has(one) ? 2 : 1))
  const { alone, joined } = ALPHABETS[alphabet]
  if (places.reduce((sum, each) => sum + each, 0) <= alone) return { alphabet, parts: 1 }
  let parts = 1
  let used = 0
  for (const each of places) {
    // No character is torn in two by the end of a part.
    if (used + each > joined) {
      parts++
      used = 0
    }
    used += each
  }
  return { alphabet, parts }
}

/** No SMS of ours has more parts. */
export const SMS_PARTS_MAX = 4

const PLAIN: Record<string, string> = {
  '\u00a0': ' ',
  '\u202f': ' ',
  '\t': ' ',
  '…': '...',
  '•': '-',
  '–': '-',
  '—': '-',
}

/**
 * A text as an SMS carries it: typographic quotes, dashes and spaces become those of the network's alphabet, and what is
 * beyond SMS_PARTS_MAX parts is cut off. A writer whose text ends in a link uses `shortestSms`, which cuts no link.
 */
export function smsText(text: string): string {
  const plain = plainText(text)
    .replace(/[\u00a0\u202f\t…•–—]/g, (one) => PLAIN[one] as string)
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

/** No text of SMS_PARTS_MAX parts is longer. */
const LONGEST = SMS_PARTS_MAX * ALPHABETS['GSM-7'].joined

/**
 * The longest version of a text that fits `parts` parts. `write` gets how many characters the names in it may have, and
 * must keep to that; with the fewest (8) its text is taken as it is.
 */
export function shortestSms(write: (name_max: number) => string, parts = 2): string {
  for (const name_max of [60, 40, 30, 20, 12]) {
    const text = smsText(write(name_max))
    if (smsLength(text).parts <= parts) return text
  }
  return smsText(write(8))
}
