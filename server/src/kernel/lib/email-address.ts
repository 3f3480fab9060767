// Checks e-mail addresses. The API, the pages of the sign-in and the admin command all use this check.

/** The greatest number of characters of an e-mail address. */
export const EMAIL_MAX = 254

// The class excludes characters that people cannot see, and characters that have a meaning in SMTP or in lists of addresses.
const ONE = String.raw`[^\s@<>()\[\]\\,;:"\p{C}\p{Default_Ignorable_Code_Point}]`
const EMAIL_ADDRESS = new RegExp(`^${ONE}{1,64}@(?=[^@]*\\.[^.]{2,63}$)${ONE}+$`, 'u')

/**
 * Returns true for one whole e-mail address: visible characters, at most 64 before the @, and a domain with a dot. The server
 * can send to each such address.
 */
export function isEmailAddress(text: string): boolean {
  return [...text].length <= EMAIL_MAX && EMAIL_ADDRESS.test(text)
}
