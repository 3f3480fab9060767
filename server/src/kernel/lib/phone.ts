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
