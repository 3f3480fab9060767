// Computes the gateway's HS256 signatures, and checks HS256 and RS256 signatures. The signed text has the timestamp and the
// signed fields in their order.

import { createHmac, verify } from 'node:crypto'
import { sameSecret } from '../../src/kernel/lib/index.ts'

/** The account of a caller. `rsa_public_key` is a PEM text. Null means that the twin refuses RS256 signatures. */
export type Account = {
  api_key: string
  api_secret: string
  rsa_public_key: string | null
  /** The vendor id of the till that takes payments. */
  vendor: string
  /** The vendor id of the float that pays payouts. */
  float_vendor: string
  /** The PIN of the float, which the balance call and payouts require. */
  pin: string
}

/** Returns the text to sign. This function escapes no value, because the gateway escapes none. */
export function signedText(timestamp: string, names: readonly string[], values: Record<string, string>): string {
  return [`timestamp=${timestamp}`, ...names.map((name) => `${name}=${values[name] ?? ''}`)].join('&')
}

/** Returns the HS256 digest of a text. The secret is always a text, even if the secret has only hexadecimal digits. */
export function digestOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64')
}

/** Returns true if `digest` is the account's signature of the text by the given method. */
export function isSigned(account: Account, method: string, digest: string, text: string): boolean {
  if (method === 'HS256') return sameSecret(digest, digestOf(account.api_secret, text))
  const { rsa_public_key } = account
  if (method !== 'RS256' || rsa_public_key === null) return false
  return verify('sha256', Buffer.from(text), rsa_public_key, Buffer.from(digest, 'base64'))
}

/** Returns the Authorization header of a request: the word SELCOM and the API key in base64. */
export function authorizationOf(api_key: string): string {
  return `SELCOM ${Buffer.from(api_key).toString('base64')}`
}

const EAT_OFFSET_MS = 3 * 3_600_000
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([+-]\d\d):?(\d\d)$/

/** Formats a time as the gateway does: East African time, to the second. */
export function timestampOf(time: Date): string {
  return `${new Date(time.getTime() + EAT_OFFSET_MS).toISOString().slice(0, 19)}+03:00`
}

/** Reads a Timestamp header. If the text is no time in whole seconds with an offset, returns null. */
export function readTimestamp(text: string): Date | null {
  const parts = TIMESTAMP.exec(text)
  if (parts === null) return null
  const time = new Date(`${parts[1]}${parts[2]}:${parts[3]}`)
  return Number.isNaN(time.getTime()) ? null : time
}

/** Returns the headers of a message that the gateway signs. `names` lists the signed fields in their order. */
export function signedHeaders(
  key: { api_key: string; api_secret: string },
  time: Date,
  names: readonly string[],
  values: Record<string, string>,
): Record<string, string> {
  const timestamp = timestampOf(time)
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: authorizationOf(key.api_key),
    'digest-method': 'HS256',
    digest: digestOf(key.api_secret, signedText(timestamp, names, values)),
    timestamp,
    'signed-fields': names.join(','),
  }
}
