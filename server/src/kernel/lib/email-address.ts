// Checks e-mail addresses. The API, the pages of the sign-in and the admin command all use this check.

/** The greatest number of characters of an e-mail address. */
export const EMAIL_MAX = 254

// The class excludes characters that people cannot see, and characters that have a meaning in SMTP or in lists of addresses.
const ONE = String.raw`[^\s@<>()\[\]\\,;:"\p{C}\p{Default_Ignorable_Code_Point}]`
const EMAIL_ADDRESS = new RegExp(`^${ONE}{1,64}@(?!\\.)${ONE}+(?<!\\.)$`, 'u')

/**
 * Returns true for one whole e-mail address: visible characters, at most 64 before the @, and a domain. The domain may be a host
 * of the own network, without a dot.
 */
export function isEmailAddress(text: string): boolean {
  return [...text].length <= EMAIL_MAX && EMAIL_ADDRESS.test(text)
}

/** Returns true for an e-mail address whose domain ends like a public one: a dot, then at least two characters. */
export function isPublicEmailAddress(text: string): boolean {
  return isEmailAddress(text) && /\.[^.@]{2,63}$/u.test(text)
}
