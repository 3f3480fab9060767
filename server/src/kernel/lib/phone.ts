// Parses Tanzanian mobile numbers: their written forms, and the network of a prefix. After 255, a mobile number continues
// with 6 or 7.

const FORMS = /^(?:\+?255|0)?([67]\d{8})$/

/**
 * Returns the canonical form 255XXXXXXXXX of a number in the form 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX. The
 * number may contain spaces and hyphens. Null means that the text is no Tanzanian mobile number.
 */
export function canonicalPhone(text: string): string | null {
  if (text.length > 32) return null
  const match = FORMS.exec(text.replace(/[ -]/g, ''))
  return match ? `255${match[1]}` : null
}

/**
 * Returns the canonical form of a number that a person typed or pasted into a form. The number may also contain invisible
 * marks, any spaces and dashes, dots and brackets, begin with 00255, or have a 0 after 255. The API refuses such a number.
 */
export function typedPhone(text: string): string | null {
  return canonicalPhone(withoutSeparators(text).replace(/^(?:\+|00)?2550?/, '255'))
}

function withoutSeparators(typed: string): string {
  return typed.replace(/[\p{Cf}\p{Pd}\s.()]/gu, '')
}

/** What is wrong with a typed number: a character, the country, the number of digits, or the first digits. */
export type PhoneProblem = 'phone_characters' | 'phone_foreign' | 'phone_short' | 'phone_long' | 'phone_prefix'

/** Returns what is wrong with a number that `typedPhone` does not accept. */
export function typedPhoneProblem(text: string): PhoneProblem {
  const typed = withoutSeparators(text)
  if (!/^\+?\d*$/.test(typed) || typed.startsWith('+0')) return 'phone_characters'
  if (/^(?:\+|00(?![67]))(?!2?$|25?$|255)/.test(typed)) return 'phone_foreign'
  const digits = typed.replace(/^(?:(?:\+|00)?2550?|\+|0)/, '').length
  if (digits < 9) return 'phone_short'
  return digits > 9 ? 'phone_long' : 'phone_prefix'
}

/** The number of digits of a canonical phone number. */
export const PHONE_DIGITS = 12

/**
 * Returns the digits of a text that can be the last 4 to 9 digits of a phone number. The text may contain spaces and hyphens.
 * Null means that the text has other characters, or another number of digits.
 */
export function lastPhoneDigits(text: string): string | null {
  const digits = text.replace(/[ -]/g, '')
  return /^\d{4,9}$/.test(digits) ? digits : null
}

/** The message for a client whose phone number is invalid. */
export const PHONE_HELP = 'must be a Tanzanian mobile number such as 0754123456 or 255754123456'
/** The message for a client whose phone filter is invalid. */
export const PHONE_FILTER_HELP = 'must be a Tanzanian mobile number such as 0754123456, or its last 4 to 9 digits'

/**
 * The network that issued a number, by the two digits after 255, as a code of GET /v1/destinations. A payer can move a number
 * to another network, so use the table only for display and statistics.
 */
export const NETWORK_OF_PREFIX: Readonly<Record<string, string>> = {
  61: 'HALOPESA',
  62: 'HALOPESA',
  63: 'HALOPESA',
  65: 'MIXX',
  66: 'AIRTEL',
  67: 'MIXX',
  68: 'AIRTEL',
  69: 'AIRTEL',
  70: 'MIXX',
  71: 'MIXX',
  72: 'MPESA',
  73: 'TTCL',
  74: 'MPESA',
  75: 'MPESA',
  76: 'MPESA',
  77: 'EZYPESA',
  78: 'AIRTEL',
  79: 'MPESA',
}

/** Returns the form of a canonical phone number after an erasure: 255754123456 becomes 255754xxxxxx. */
export function erasedPhone(phone: string): string {
  return `${phone.slice(0, 6)}xxxxxx`
}

/** Returns true if an erasure has replaced the phone number. */
export function isErasedPhone(phone: string): boolean {
  return phone === erasedPhone(phone)
}

/** Returns SQL for the two digits of a phone column that decide its network. */
export function networkPrefixSql(column: string): string {
  return `substr(${column}, 4, 2)`
}

/**
 * Returns SQL for the estimated network of a prefix from `networkPrefixSql`: a code, or an empty text. Stored totals contain
 * results of this SQL, so add entries to the table and change no entry.
 */
export function networkSql(prefix: string): string {
  const codes = [...new Set(Object.values(NETWORK_OF_PREFIX))]
  const cases = codes.map((code) => {
    const prefixes = Object.keys(NETWORK_OF_PREFIX).filter((known) => NETWORK_OF_PREFIX[known] === code)
    return `when ${prefix} in (${prefixes.map((known) => `'${known}'`).join(', ')}) then '${code}'`
  })
  return `case ${cases.join(' ')} else '' end`
}
