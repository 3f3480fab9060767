// The mock provider inside this process: the sandbox, and the default provider of a fresh installation.

import type { Clock } from '../../lib/index.ts'
import { type Answer, type CallbackSink, METHODS, type PaymentRequest, type Provider } from '../port.ts'
import { type Callback, scheduleCallbacks, verifyCallback } from './callback.ts'
import { answerAt, type Profile, paymentTokenOf, timelineOf } from './engine.ts'
import { qrPayload } from './qr.ts'

export type { Profile } from './engine.ts'
export { MAGIC_NUMBERS, type MagicNumber } from './magic.ts'
export { createRemoteMockProvider, type RemoteMockProvider } from './remote.ts'

/** Payments that are remembered as taken. Beyond it, only a very late repeat is called back again. */
const REMEMBERED_MAX = 50_000

/** Options of `createMockProvider`. */
export type MockProviderOptions = {
  name: string
  profile: Profile
  clock: Clock
  /** Signs the callbacks. */
  secret: string
  /** Takes the callbacks. */
  sink: CallbackSink
}

/**
 * Makes a mock provider that needs no network and keeps no book: outcomes follow from the request and the time at
 * which it was taken. Only callbacks that are still due are lost when the process ends; asking finds those outcomes.
 */
export function createMockProvider(options: MockProviderOptions): Provider {
  const { name, profile, clock, secret, sink } = options
  const taken = new Map<string, Date>()

  const deliver = async (callback: Callback) => {
    try {
      await sink(name, callback.headers, callback.body)
    } catch {
      // A receiver's failure is the receiver's: a callback is only a hint.
    }
  }

  const take = (request: PaymentRequest): Answer => {
    const timeline = timelineOf(request, profile)
    if (!taken.has(request.reference)) {
      remember(taken, request.reference, clock.now())
      scheduleCallbacks(clock, secret, request.reference, timeline, (callback) => void deliver(callback))
    }
    return timeline[0].answer
  }

  return {
    name,
    capabilities: { methods: METHODS, whole_shillings: false },
    push: async (request) => take(request),
    qr: async (request) => {
      const answer = take(request)
      if (answer.kind !== 'accepted') return answer
      const payment_token = paymentTokenOf(request.reference, profile)
      return { ...answer, payment_token, qr_payload: qrPayload(payment_token, request.amount_minor) }
    },
    status: async (requests) => {
      const now = clock.now()
      // Time zero is when the request was taken here; after a restart, when the caller noted that it was sent.
      const at = (request: PaymentRequest) => ({ ...request, sent_at: taken.get(request.reference) ?? request.sent_at })
      return requests.map((request) => answerAt(at(request), profile, now))
    },
    verifyCallback: (headers, body) => verifyCallback(secret, headers, body),
  }
}

/** Adds to a memory that forgets its oldest entry when it is full. */
function remember(taken: Map<string, Date>, reference: string, at: Date): void {
  taken.set(reference, at)
  if (taken.size <= REMEMBERED_MAX) return
  for (const oldest of taken.keys()) {
    taken.delete(oldest)
    break
  }
}
