// The way back to the merchant.

/** What the merchant reads from the address that a payer comes back on. It proves nothing: webhooks and the API do. */
export type Outcome = { reference: string | null; collection_id: string | null; status: string }

const MAX_LENGTH = 2048

// A browser drops tabs and line breaks inside a scheme, and what looks like another scheme becomes javascript.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0020\u007f-\u009f]/

/**
 * The merchant's address with `reference`, `collection_id` and `status` behind what it had in its query. Null unless it is
 * a plain http or https address: no script, no data, no name and password, no control characters, at most 2048 characters.
 */
export function returnUrl(address: string | null, outcome: Outcome): string | null {
  if (address === null || address.length > MAX_LENGTH || CONTROL.test(address)) return null
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null
  const added = new URLSearchParams(
    Object.entries(outcome).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  // What the merchant wrote stays as it was written, because it may be signed.
  url.search = `${url.search === '' ? '?' : `${url.search}&`}${added}`
  return url.href
}
