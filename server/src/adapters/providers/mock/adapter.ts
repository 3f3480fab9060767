// Implements the mock provider in this process: the provider of the sandbox and the default provider of a new installation.

import type { Clock } from '../../../kernel/lib/index.ts'
import type { ProviderExtras } from '../extras.ts'
import type { Answer, CallbackSink, PaymentRequest, PayoutAnswer, PayoutRequest, Provider } from '../port.ts'
import { type Callback, scheduleCallbacks, verifyCallback } from './callback.ts'
import { capabilities } from './capabilities.ts'
import { answerAt, type MockProfile, type MockTimeline, paymentTokenOf, timelineOf } from './engine.ts'
import { magicNameOf } from './magic.ts'
import { payoutAnswerAt, payoutTimelineOf } from './payout-engine.ts'
import { qrPayload } from './qr.ts'

/**
 * The greatest number of payments, and of payouts, that each mock provider stores. If a request repeats a dropped reference,
 * the provider sends the callbacks of that reference again.
 */
const REMEMBERED_MAX = 50_000

/** The settings and functions that a mock provider in this process needs. */
export type MockProviderOptions = {
  name: string
  profile: MockProfile
  clock: Clock
  /** The secret that signs the callbacks. */
  secret: string
  /** The function that receives the callbacks of the provider. */
  sink: CallbackSink
}

/** The mock provider in this process. The provider has names only for destinations with a magic ending. */
export type MockProvider = Provider & Required<Pick<ProviderExtras, 'lookupName'>>

/**
 * Makes a mock provider without network and book. The request, the profile and the time of the acceptance decide each outcome.
 * If the process ends, its scheduled callbacks get lost, but queries still find the outcome of a request whose acceptance the
 * platform stored.
 */
export function createMockProvider(options: MockProviderOptions): MockProvider {
  const { name, profile, clock, secret, sink } = options
  const payments = new Map<string, Date>()
  const payouts = new Map<string, Date>()

  const deliver = async (callback: Callback) => {
    try {
      await sink(name, callback.headers, callback.body)
    } catch {
      // The mock provider ignores a failed callback, because the platform also queries the outcome.
    }
  }

  /** Accepts a request once for each reference. A repeated request gets the first answer. */
  const take = <StepAnswer extends Answer | PayoutAnswer>(
    taken: Map<string, Date>,
    reference: string,
    timeline: MockTimeline<StepAnswer>,
  ): StepAnswer => {
    if (!taken.has(reference)) {
      remember(taken, reference, clock.now())
      scheduleCallbacks(clock, secret, reference, timeline, (callback) => void deliver(callback))
    }
    return timeline[0].answer
  }
  const takePayment = (request: PaymentRequest): Answer =>
    take(payments, request.reference, timelineOf(request, profile))
  // If this process accepted the request, the timeline begins at the acceptance. After a restart, the timeline begins at
  // `sent_at`, the time that the platform stored.
  const takenAt = (taken: Map<string, Date>, { reference, sent_at }: PaymentRequest | PayoutRequest) =>
    taken.get(reference) ?? sent_at

  return {
    name,
    capabilities: capabilities({ url: '' }),
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
      // If the process ended before the platform stored the answer, this provider has also lost the request, so the answer is
      // `not_found`.
      return requests.map((request) => payoutAnswerAt(request, takenAt(payouts, request), profile, now))
    },
    verifyCallback: (headers, body) => verifyCallback(secret, headers, body),
    lookupName: async ({ destination_identifier }) => {
      const name = magicNameOf(destination_identifier)
      return name === null ? null : { name }
    },
  }
}

/** Adds an entry. If the memory then has too many entries, drops the oldest entry. */
function remember(taken: Map<string, Date>, reference: string, at: Date): void {
  taken.set(reference, at)
  if (taken.size <= REMEMBERED_MAX) return
  for (const oldest of taken.keys()) {
    taken.delete(oldest)
    break
  }
}
