// Reads phone numbers that people type or paste. The file imports nothing, so that tests of the server can use it.

/**
 * Returns a typed or pasted number without invisible marks, dots and brackets. Spaces and dashes of any kind become plain
 * spaces and hyphens.
 */
export function plainNumber(text: string): string {
  const plain = text.replace(/\p{Cf}/gu, '').replace(/\p{Pd}/gu, '-')
  return plain
    .replace(/[\s.()]+/g, ' ')
    .trim()
    .replace(/^\+ /, '+')
}

/**
 * Converts a Tanzanian mobile number as people write it into its canonical form. Null means that the text is no such number.
 * The pages of payers read a number in the same way.
 */
export function readPhone(text: string): string | null {
  const [, digits] = /^(?:(?:\+|00)?2550?|0)?([67]\d{8})$/.exec(plainNumber(text).replace(/[ -]/g, '')) ?? []
  return digits === undefined ? null : `255${digits}`
}

/** Returns true if the text is a Tanzanian mobile number as people write it, or its last 4 to 9 digits. */
export function isPhoneFilter(text: string): boolean {
  return readPhone(text) !== null || /^\d{4,9}$/.test(plainNumber(text).replace(/[ -]/g, ''))
}
