// Checks the fields of a form before the page calls the API, with messages in both languages. The API checks every field again.

import { type Language, texts } from './language.ts'
import { isPhoneFilter, readPhone } from './phone-number.ts'

const words = texts({
  sw: {
    needed: 'Jaza sehemu hii.',
    amount: 'Andika kiasi kama 25000 au 25000.50.',
    zero: 'Andika kiasi kinachozidi sifuri.',
    large: 'Kiasi ni kikubwa mno: andika tarakimu zisizozidi 12 kabla ya nukta.',
    phone: 'Andika namba ya simu kama 0754 123 456.',
    phone_filter: 'Andika namba ya simu kama 0754 123 456, au tarakimu zake 4 hadi 9 za mwisho.',
    email: 'Andika anwani kama jina@mfano.co.tz.',
    url: 'Andika anwani kamili inayoanza na https://',
    date: 'Andika tarehe kama 2026-12-31.',
    long: (max: number, length: number) => `Andika herufi zisizozidi ${max}. Umeandika ${length}.`,
    hidden: 'Kuna herufi zisizoonekana. Zifute, kisha andika upya.',
  },
  en: {
    needed: 'Fill in this field.',
    amount: 'Enter an amount such as 25000 or 25000.50.',
    zero: 'Enter an amount greater than zero.',
    large: 'The amount is too large: enter at most 12 digits before the point.',
    phone: 'Enter a phone number such as 0754 123 456.',
    phone_filter: 'Enter a phone number such as 0754 123 456, or its last 4 to 9 digits.',
    email: 'Enter an address such as name@example.co.tz.',
    url: 'Enter a whole address that begins with https://',
    date: 'Enter a date such as 2026-12-31.',
    long: (max: number, length: number) => `Enter at most ${max} characters. You entered ${length}.`,
    hidden: 'The text has invisible characters. Delete the characters, or enter the text again.',
  },
})

/** Reads an amount of any size with two decimals, such as "25000.50". Null means that the text is no amount. */
function readDecimal(text: string): string | null {
  const plain = text
    .trim()
    .replace(/^(tzs|tsh|sh)\.?/i, '')
    .replace(/\/[=-]$/, '')
    .replace(/\s*(tzs|tsh|sh)\.?$/i, '')
    .replace(/\s/g, '')
  // A comma only separates thousands. "25000,50" is no amount here, because this text could mean 25,000.50 or 2,500,050.
  const [, whole, cents = ''] = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/.exec(plain) ?? []
  if (whole === undefined) return null
  const digits = whole.replaceAll(',', '').replace(/^0+(?=\d)/, '')
  return `${digits}.${cents.padEnd(2, '0')}`
}

/** The length of the longest amount that a form accepts: 12 digits, the point and 2 decimals. */
const AMOUNT_LENGTH_MAX = 15

/**
 * Converts an amount in shillings as people write it ("25,000/=", "Tsh 25000", "25000.50") into the format of the API. Null
 * means that the text is no amount above zero, or has more than 12 digits before the point.
 */
export function readAmount(text: string): string | null {
  const amount = readDecimal(text)
  return amount === null || amount === '0.00' || amount.length > AMOUNT_LENGTH_MAX ? null : amount
}

/**
 * Invisible characters: control characters, and format characters such as marks that change the direction of a text.
 */
const HIDDEN = /[\p{Cc}\p{Cf}]/u
/** The characters that the API refuses in e-mail addresses because people cannot see them. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/u
/**
 * The form of an e-mail address. The API also accepts a domain without a dot, but a person types one only by mistake, as in
 * asha@gmail.
 */
const EMAIL = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]{2,63}$/

/**
 * Returns the checks with messages in one language. Each check returns an error message. Null means that the value is valid.
 */
export function checks(language: Language) {
  const t = words[language]
  const optional = (check: (value: string) => string | null) => (value: string) =>
    value.trim() === '' ? null : check(value)
  // The check refuses a long text. If the field cut off its end instead, the server would store another text than the user
  // pasted.
  const short = (max: number) => (value: string) => {
    const { length } = [...value.trim()]
    return length > max ? t.long(max, length) : null
  }
  const needed = (value: string) => (value.trim() === '' ? t.needed : null)
  const text = (max: number) => (value: string) => needed(value) ?? short(max)(value)
  const line = (max: number) => (value: string) =>
    needed(value) ?? short(max)(value) ?? (HIDDEN.test(value) ? t.hidden : null)
  const amount = (value: string) => {
    const read = readDecimal(value)
    const wrong = read === null ? t.amount : read === '0.00' ? t.zero : t.large
    return needed(value) ?? (readAmount(value) === null ? wrong : null)
  }
  const phone = (value: string) => needed(value) ?? (readPhone(value) === null ? t.phone : null)
  const phoneFilter = (value: string) => (isPhoneFilter(value) ? null : t.phone_filter)
  const email = (value: string) =>
    needed(value) ??
    short(254)(value) ??
    (UNSEEN.test(value.trim()) ? t.hidden : EMAIL.test(value.trim()) ? null : t.email)
  const url = (value: string) =>
    needed(value) ??
    short(2_048)(value) ??
    (/^https?:\/\/./.test(value.trim()) && URL.canParse(value.trim()) ? null : t.url)
  const date = (value: string) => needed(value) ?? (/^\d{4}-\d{2}-\d{2}$/.test(value) ? null : t.date)
  return { needed, short, text, line, amount, phone, phoneFilter, email, url, date, optional }
}
