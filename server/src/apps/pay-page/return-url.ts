// Makes the address of the merchant to which the page sends a payer back.

/**
 * The query that the server adds to the return address, without null values. The query proves nothing; only webhooks and the
 * API prove a payment.
 */
export type ReturnParameters = { reference: string | null; collection_id: string | null; status: string }

const MAX_LENGTH = 2048

// A browser drops tabs and line breaks inside a scheme. So a harmless text can become a javascript address.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const CONTROL = /[\u0000-\u0020\u007f-\u009f]/

/**
 * Appends `reference`, `collection_id` and `status` to the query of the merchant's address. If the address is null, longer than
 * 2048 characters, not http or https, or has credentials, spaces or control characters, returns null.
 */
export function returnUrl(address: string | null, outcome: ReturnParameters): string | null {
  if (address === null || address.length > MAX_LENGTH || CONTROL.test(address)) return null
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null
  const added = new URLSearchParams(
    Object.entries(outcome).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  // The merchant may have signed the query, so the server does not change the existing part.
  url.search = `${url.search === '' ? '?' : `${url.search}&`}${added}`
  return url.href
}
