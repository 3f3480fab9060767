// Makes, schedules and verifies the callbacks of the mock provider. The provider signs each callback, and the platform verifies
// the signature.

import { createHmac } from 'node:crypto'
import { type Clock, sameSecret } from '../../../kernel/lib/index.ts'
import type { Answer, CallbackVerdict, PayoutAnswer } from '../port.ts'
import type { TimelineStep } from './engine.ts'

/** The header with the hex HMAC-SHA256 of the raw body. */
const SIGNATURE_HEADER = 'x-mock-signature'
const SIGNATURE_CHARS = 64
const BODY_MAX_BYTES = 4096

/** A callback to send. A repeated callback has the same bytes. */
export type Callback = { headers: Record<string, string>; body: Buffer }

type AnyTimelineStep = TimelineStep<Answer | PayoutAnswer>

/**
 * Schedules `send` for every callback in the timeline of a payment or payout that the provider accepts now. The provider sends
 * repeated callbacks at the same time and does not wait for the first answer, as real networks do.
 */
export function scheduleCallbacks(
  clock: Clock,
  secret: string,
  reference: string,
  timeline: readonly AnyTimelineStep[],
  send: (callback: Callback) => void,
): void {
  const taken_ms = clock.now().getTime()
  for (const [index, step] of timeline.entries()) {
    if (step.callbacks === 0) continue
    onceItIs(clock, taken_ms + step.at_ms, () => {
      const callback = makeCallback(secret, reference, step, index, clock.now())
      for (let sent = 0; sent < step.callbacks; sent++) send(callback)
    })
  }
}

/** The greatest number of milliseconds by which a timer fires early. */
const EARLY_MS_MAX = 1_000

/**
 * Calls `run` at `time_ms`. If the timer fires a little early, waits for the rest, because a query that follows a callback must
 * find the outcome. If much more time is left, the clock stepped back, so calls `run` immediately.
 */
function onceItIs(clock: Clock, time_ms: number, run: () => void): void {
  clock.after(Math.max(0, time_ms - clock.now().getTime()), () => {
    const left_ms = time_ms - clock.now().getTime()
    if (left_ms > 0 && left_ms < EARLY_MS_MAX) onceItIs(clock, time_ms, run)
    else run()
  })
}

function makeCallback(
  secret: string,
  reference: string,
  step: AnyTimelineStep,
  index: number,
  sent_at: Date,
): Callback {
  const { provider_status: status, provider_id } = step.answer
  const body = Buffer.from(JSON.stringify({ reference, status, event_id: `${provider_id}-${index}`, sent_at }))
  return { headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signatureOf(secret, body) }, body }
}

/** Verifies a callback on its raw bytes and never throws. For an invalid callback, returns `verified: false`. */
export function verifyCallback(
  secret: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
): CallbackVerdict {
  const signature = headers[SIGNATURE_HEADER]
  if (signature === undefined || signature.length !== SIGNATURE_CHARS || body.length > BODY_MAX_BYTES)
    return { verified: false }
  if (!sameSecret(signature, signatureOf(secret, body))) return { verified: false }
  try {
    const content: unknown = JSON.parse(body.toString('utf8'))
    if (typeof content === 'object' && content !== null && 'reference' in content) {
      if (typeof content.reference === 'string') return { verified: true, reference: content.reference }
    }
  } catch {
    // If a signed callback is unreadable, the callback names no payment or payout.
  }
  return { verified: false }
}

function signatureOf(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}
