// The gateway's callbacks: signed like our requests. Amount, channel and phone are not among what it signs, and that it signs
// at all was never seen for certain: a callback names an order, and the order is asked about.

import type { Clock } from '../../../kernel/lib/index.ts'
import type { CallbackVerdict } from '../port.ts'
import { isFields } from './envelope.ts'
import { type Credentials, verifiedFields } from './sign.ts'

const BODY_MAX_BYTES = 16 * 1024
const UNVERIFIED: CallbackVerdict = { verified: false }

/** Settings of callbacks. */
export type CallbackOptions = {
  credentials: Credentials
  /** How far a callback's time may be from ours. A replay is only asked about again, so this may be generous. */
  window_ms: number
  clock: Clock
}

/** Checks a callback: our key, a signature over the values that arrived, and among them what makes it about an order. */
export function verifyCallback(
  { credentials, window_ms, clock }: CallbackOptions,
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

/** The values of a flat JSON object as the text that they are written with: what a signature over text is made of. */
function readValues(text: string): Map<string, string> | null {
  const values = new Map<string, string>()
  try {
    // The written form of a number: the third argument is not in the library's types yet.
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
