// The mock provider inside this process: the sandbox, and the default provider of a fresh installation.

import type { Clock } from '../../../kernel/lib/index.ts'
import {
  type Answer,
  type CallbackSink,
  METHODS,
  PAYOUT_METHODS,
  type PaymentRequest,
  type PayoutAnswer,
  type PayoutRequest,
  type Provider,
} from '../port.ts'
import { type Callback, scheduleCallbacks, verifyCallback } from './callback.ts'
import { answerAt, type Profile, paymentTokenOf, type Timeline, timelineOf } from './engine.ts'
import { payoutAnswerAt, payoutTimelineOf } from './payout-engine.ts'
import { qrPayload } from './qr.ts'

export type { Profile } from './engine.ts'
export { MAGIC_NUMBERS, type MagicNumber, PAYOUT_MAGIC_NUMBERS, type PayoutMagicNumber } from './magic.ts'
export { createRemoteMockProvider, type RemoteMockProvider } from './remote.ts'

/** Payments that are remembered as taken, and payouts. Beyond it, only a very late repeat is called back again. */
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
  const payments = new Map<string, Date>()
  const payouts = new Map<string, Date>()

  const deliver = async (callback: Callback) => {
    try {
      await sink(name, callback.headers, callback.body)
    } catch {
      // A receiver's failure is the receiver's: a callback is only a hint.
    }
  }

  /** Takes what was asked for, once for each reference. The first answer is the one to every repeat. */
  const take = <Said extends Answer | PayoutAnswer>(
    taken: Map<string, Date>,
    reference: string,
    timeline: Timeline<Said>,
  ): Said => {
    if (!taken.has(reference)) {
      remember(taken, reference, clock.now())
      scheduleCallbacks(clock, secret, reference, timeline, (callback) => void deliver(callback))
    }
    return timeline[0].answer
  }
  const takePayment = (request: PaymentRequest): Answer =>
    take(payments, request.reference, timelineOf(request, profile))
  // Time zero is when the request was taken here; after a restart, when the caller noted that it was sent.
  const takenAt = (taken: Map<string, Date>, { reference, sent_at }: PaymentRequest | PayoutRequest) =>
    taken.get(reference) ?? sent_at

  return {
    name,
    capabilities: {
      methods: METHODS,
      whole_shillings: false,
      payout_methods: PAYOUT_METHODS,
      circuit_breaker: false,
      rehearses: true,
    },
    push: async (request) => takePayment(request),
    qr: async (request) => {
      const answer = takePayment(request)
      if (answer.kind !== 'accepted') return answer
      const payment_token = paymentTokenOf(request.reference, profile)
      return { ...answer, payment_token, qr_payload: qrPayload(payment_token, request.amount_minor) }
    },
    status: async (requests) => {
      const now = clock.now()
      return requests.map((request) => {
        const sent_at = takenAt(payments, request)
        return answerAt({ ...request, sent_at }, profile, now)
      })
    },
    payout: async (request) => take(payouts, request.reference, payoutTimelineOf(request, profile)),
    payoutStatus: async (requests) => {
      const now = clock.now()
      // A payout of a process that died before it noted the answer is not found: this provider died with that process.
      return requests.map((request) => payoutAnswerAt(request, takenAt(payouts, request), profile, now))
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
