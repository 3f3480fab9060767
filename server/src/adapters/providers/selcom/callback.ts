// Verifies the gateway's callbacks, which the gateway signs like requests. The signature does not cover amount, channel and
// phone. So the platform only reads which order a callback names, and queries that order.

import type { Clock } from '../../../kernel/lib/index.ts'
import type { CallbackVerdict } from '../port.ts'
import { isFields } from './envelope.ts'
import { type SelcomCredentials, verifiedFields } from './sign.ts'

const BODY_MAX_BYTES = 16 * 1024
const UNVERIFIED: CallbackVerdict = { verified: false }

/** The credentials, time window and clock by which the adapter verifies callbacks. */
export type SelcomCallbackOptions = {
  credentials: SelcomCredentials
  /**
   * The greatest difference between the time of a callback and the clock of the platform. The window may be long, because a
   * replayed callback only causes a query.
   */
  window_ms: number
  clock: Clock
}

/**
 * Verifies the key, the time and the signature of a callback. Requires that the signed fields have an order, a status and a
 * result code.
 */
export function verifyCallback(
  { credentials, window_ms, clock }: SelcomCallbackOptions,
  headers: Record<string, string | undefined>,
  body: Buffer,
): CallbackVerdict {
  if (body.length > BODY_MAX_BYTES) return UNVERIFIED
  const values = readValues(body.toString('utf8'))
  if (values === null) return UNVERIFIED
  const names = verifiedFields(credentials, headers, (name) => values.get(name), { now: clock.now(), window_ms })
  if (names === null) return UNVERIFIED
  const has_code = names.includes('resultcode') || names.includes('resulcode')
  const reference = names.includes('order_id') ? values.get('order_id') : undefined
  if (!has_code || !names.includes('payment_status') || !reference) return UNVERIFIED
  return { verified: true, reference }
}

/**
 * Reads the texts, numbers, booleans and nulls of a JSON object as the gateway wrote them, because the signature covers their
 * text. If the text is no JSON object, returns null.
 */
function readValues(text: string): Map<string, string> | null {
  const values = new Map<string, string>()
  try {
    // The third argument has the written form of a number. The types of TypeScript do not declare that argument yet.
    const asWritten = (_key: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value
    const content: unknown = JSON.parse(text, asWritten as (key: string, value: unknown) => unknown)
    if (!isFields(content)) return null
    for (const [name, value] of Object.entries(content)) {
      if (typeof value === 'string') values.set(name, value)
      else if (typeof value === 'boolean' || value === null) values.set(name, String(value))
    }
    return values
  } catch {
    return null
  }
}
