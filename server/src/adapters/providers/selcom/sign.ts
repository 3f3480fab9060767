// Signatures of Selcom's gateway: a MAC over the time and named fields, in headers. Requests and callbacks carry the same.

import { createHmac } from 'node:crypto'
import { sameSecret } from '../../../kernel/lib/index.ts'

/** What signs requests and checks callbacks. The secret is used as the text it is, also when it looks like hex. */
export type Credentials = { api_key: string; api_secret: string }

/** Fields in the order in which they are signed and sent. Numbers are whole. */
export type SignedFields = readonly (readonly [name: string, value: string | number])[]

const DIGEST_METHOD = 'HS256'
/** The gateway's home: times are told with its offset. */
const OFFSET_MS = 3 * 3_600_000
const OFFSET = '+03:00'
/** Local time, with or without fractions of a second, and its offset in either form. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/

/** The value of the Authorization header. */
export function authorizationOf(api_key: string): string {
  return `SELCOM ${Buffer.from(api_key, 'utf8').toString('base64')}`
}

/** A time as the gateway writes it: local, with its offset, to the second. */
export function timestampOf(time: Date): string {
  return new Date(time.getTime() + OFFSET_MS).toISOString().slice(0, 19) + OFFSET
}

/** The time that a timestamp tells in milliseconds, or null when it is none. */
export function timeOf(timestamp: string): number | null {
  const [, local, offset] = TIMESTAMP.exec(timestamp) ?? []
  if (local === undefined || offset === undefined) return null
  const time = Date.parse(local + (offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset))
  return Number.isNaN(time) ? null : time
}

/** What is signed: values as they are, not encoded for a URL. */
export function signingString(timestamp: string, fields: SignedFields): string {
  return fields.reduce((text, [name, value]) => `${text}&${name}=${value}`, `timestamp=${timestamp}`)
}

/** The signature of a text. */
export function digestOf(api_secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(api_secret, 'utf8')).update(text, 'utf8').digest('base64')
}

/** The headers of a request that carries exactly these fields. */
export function signedHeaders(credentials: Credentials, fields: SignedFields, now: Date): Record<string, string> {
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
 * The names that a message's headers say are signed, when its key is ours and its signature covers the values that
 * `textUnder` finds in it. Null: it is not signed by whoever holds our secret, or not near `now`.
 */
export function verifiedFields(
  credentials: Credentials,
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
  // The signed text separates nothing safely: a name given twice, or one that holds a separator, could be read in two ways.
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
