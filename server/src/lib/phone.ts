// Tanzanian mobile numbers, in the forms that people write them; mobile ranges begin with 6 or 7 after 255.

const FORMS = /^(?:\+?255|0)?([67]\d{8})$/

/**
 * The canonical 255XXXXXXXXX of a number written 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX,
 * spaces and hyphens tolerated. Null when it is not a Tanzanian mobile number.
 */
export function canonicalPhone(text: string): string | null {
  if (text.length > 32) return null
  const match = FORMS.exec(text.replace(/[ -]/g, ''))
  return match ? `255${match[1]}` : null
}

/** What to tell a caller whose phone number cannot be read. */
export const PHONE_HELP = 'must be a Tanzanian mobile number such as 0754123456 or 255754123456'

// What each network was given to number its customers with. Numbers are portable: this is a guess, for display and sums.
const PREFIXES = {
  MPESA: ['74', '75', '76', '79'],
  AIRTEL: ['68', '69', '78'],
  MIXX: ['65', '67', '71'],
  HALOPESA: ['61', '62'],
  TTCL: ['73'],
  EZYPESA: ['77'],
} as const

/** The guess of the network of a canonical number in a column, as SQL: a code of DESTINATIONS, or an empty text. */
export function networkSql(column: string): string {
  const whens = Object.entries(PREFIXES).map(([code, prefixes]) => {
    const list = prefixes.map((prefix) => `'${prefix}'`).join(', ')
    return `when substr(${column}, 4, 2) in (${list}) then '${code}'`
  })
  return `case ${whens.join(' ')} else '' end`
}
