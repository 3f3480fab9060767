// Signs requests and verifies callbacks of Selcom's gateway. A signature is a MAC over the time and the named fields.

import { createHmac } from 'node:crypto'
import { sameSecret } from '../../../kernel/lib/index.ts'

/**
 * The credentials for signing requests and checking callbacks. The gateway uses the secret as text, even if the secret looks
 * like hex.
 */
export type SelcomCredentials = { api_key: string; api_secret: string }

/** The fields in the order in which the client signs and sends them. Numbers are integers. */
export type SignedFields = readonly (readonly [name: string, value: string | number])[]

const DIGEST_METHOD = 'HS256'
/** The offset of the gateway's time zone from UTC, in milliseconds and as text. */
const OFFSET_MS = 3 * 3_600_000
const OFFSET = '+03:00'
/** The form of a timestamp: local time, with or without fractions of a second, then the offset with or without a colon. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/

/** Returns the value of the Authorization header, which has the API key in base64. */
export function authorizationOf(api_key: string): string {
  return `SELCOM ${Buffer.from(api_key, 'utf8').toString('base64')}`
}

/** Writes a time as the gateway does: local time to the second, with its offset. */
export function timestampOf(time: Date): string {
  return new Date(time.getTime() + OFFSET_MS).toISOString().slice(0, 19) + OFFSET
}

/** Reads a timestamp as milliseconds. If the text is no timestamp, returns null. */
export function timeOf(timestamp: string): number | null {
  const [, local, offset] = TIMESTAMP.exec(timestamp) ?? []
  if (local === undefined || offset === undefined) return null
  const time = Date.parse(local + (offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset))
  return Number.isNaN(time) ? null : time
}

/** Returns the text to sign. The text contains the values without URL encoding. */
export function signingString(timestamp: string, fields: SignedFields): string {
  return fields.reduce((text, [name, value]) => `${text}&${name}=${value}`, `timestamp=${timestamp}`)
}

/** Returns the HMAC-SHA256 signature of a text in base64. */
export function digestOf(api_secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(api_secret, 'utf8')).update(text, 'utf8').digest('base64')
}

/** Returns the headers of a request with exactly these fields. `now` is the signed time. */
export function signedHeaders(credentials: SelcomCredentials, fields: SignedFields, now: Date): Record<string, string> {
  const timestamp = timestampOf(now)
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: authorizationOf(credentials.api_key),
    'digest-method': DIGEST_METHOD,
    digest: digestOf(credentials.api_secret, signingString(timestamp, fields)),
    timestamp,
    'signed-fields': fields.map(([name]) => name).join(','),
  }
}

/**
 * Verifies the signature of a message and returns the names of the signed fields. `textUnder` reads the value of a field. If
 * the key or the signature is wrong, or the time is not near `now`, returns null. If a header or signed field is missing, or a
 * name is unsafe or repeated, also returns null.
 */
export function verifiedFields(
  credentials: SelcomCredentials,
  headers: Record<string, string | undefined>,
  textUnder: (name: string) => string | undefined,
  { now, window_ms }: { now: Date; window_ms: number },
): readonly string[] | null {
  const { authorization, digest, timestamp, 'digest-method': method, 'signed-fields': listed } = headers
  if (authorization === undefined || !sameSecret(authorization, authorizationOf(credentials.api_key))) return null
  if (method !== DIGEST_METHOD || digest === undefined || timestamp === undefined || listed === undefined) return null
  const time = timeOf(timestamp)
  if (time === null || Math.abs(now.getTime() - time) > window_ms) return null
  const names = listed.split(',').map((name) => name.trim())
  // The signed text has no safe separators. A repeated name, or a name that contains a separator, would be ambiguous.
  if (new Set(names).size !== names.length || !names.every(isName)) return null
  const fields: [string, string][] = []
  for (const name of names) {
    const value = textUnder(name)
    if (value === undefined) return null
    fields.push([name, value])
  }
  const expected = digestOf(credentials.api_secret, signingString(timestamp, fields))
  return sameSecret(digest, expected) ? names : null
}

function isName(name: string): boolean {
  return /^[A-Za-z0-9_.]{1,64}$/.test(name)
}
