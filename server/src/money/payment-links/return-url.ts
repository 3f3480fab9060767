// Where a payer goes back to: an address that a merchant gave, and that is shown to strangers as a link.

/** The longest address that is taken. */
export const RETURN_URL_MAX = 2_000

/** What to tell a merchant whose address is refused. */
export const RETURN_URL_HELP =
  'must be an address that begins with https:// or http://, without a user name or password'

/** True for a whole http(s) address without credentials: never a script, a file or data. */
export function isReturnUrl(text: string): boolean {
  // The parser would drop tabs and line ends and forgive backslashes: what is stored must be what was checked.
  if (text.length > RETURN_URL_MAX || /[\s\p{Cc}\p{Cf}\\<>"]/u.test(text)) return false
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hostname !== ''
}
