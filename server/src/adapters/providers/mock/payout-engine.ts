// Computes the timeline of a payout at the mock provider from the payout's request and the provider's settings alone.

import type { PayoutAnswer, PayoutRequest } from '../port.ts'
import { lifeOf, type MockProfile, type MockTimeline, providerIdOf, truthAt } from './engine.ts'
import { type MockPayoutFate, type MockPayoutResult, PAYOUT_MAGIC_NUMBERS, PAYOUT_PAID } from './magic.ts'

/** The fields of a payout request that decide its timeline. */
export type PayoutEngineRequest = Pick<
  PayoutRequest,
  'reference' | 'destination_identifier' | 'amount_minor' | 'currency'
>

/** The provider's statuses. NOT_FOUND and REFUSED are only answers: no payout has these statuses. */
export const PAYOUT_WORDS = {
  accepted: 'PENDING',
  succeeded: 'COMPLETED',
  declined: 'FAILED',
  reversed: 'REVERSED',
  unclear: 'AMBIGUOUS',
  not_found: 'NOT_FOUND',
  refused: 'REFUSED',
} as const

/** The answer about a payout whose result the provider does not report. */
export const UNCLEAR: PayoutAnswer = { kind: 'unknown', why: 'ambiguous', provider_status: PAYOUT_WORDS.unclear }
/** The answer to a request whose sender's address the provider refuses. */
export const REFUSED: PayoutAnswer = { kind: 'blocked', provider_status: PAYOUT_WORDS.refused }
/** The answer about a payout that the provider never accepted. */
export const NOT_FOUND: PayoutAnswer = { kind: 'not_found', provider_status: PAYOUT_WORDS.not_found }

const FATES = new Map(PAYOUT_MAGIC_NUMBERS.map((row) => [row.ending, row.fate]))

/** Returns the outcome that the ending of the destination chooses. */
export function payoutFateOf(request: PayoutEngineRequest): MockPayoutFate {
  return FATES.get(request.destination_identifier.slice(-3)) ?? PAYOUT_PAID
}

/** Computes the timeline of a payout. The timeline of a refused or unclear payout has one step. */
export function payoutTimelineOf(request: PayoutEngineRequest, profile: MockProfile): MockTimeline<PayoutAnswer> {
  const fate = payoutFateOf(request)
  if (fate.request === 'refused') return [{ at_ms: 0, answer: REFUSED, callbacks: 0 }]
  if (fate.request === 'unclear') return [{ at_ms: 0, answer: UNCLEAR, callbacks: 0 }]
  const provider_id = providerIdOf(request.reference, profile)
  const taken: PayoutAnswer = { kind: 'accepted', provider_status: PAYOUT_WORDS.accepted, provider_id }
  const results = fate.results.map((result) => payoutAnswerOf(result, request, provider_id))
  return lifeOf(taken, results, fate.callbacks, profile)
}

/**
 * Returns the answer at `now` about a payout that the provider accepted at `taken_at`. If `taken_at` is null or the provider
 * refuses the payout, the answer is `not_found`. An unclear payout stays unclear at any time.
 */
export function payoutAnswerAt(
  request: PayoutEngineRequest,
  taken_at: Date | null,
  profile: MockProfile,
  now: Date,
): PayoutAnswer {
  const fate = payoutFateOf(request)
  if (fate.request === 'unclear') return UNCLEAR
  if (fate.request === 'refused' || taken_at === null) return NOT_FOUND
  return truthAt(payoutTimelineOf(request, profile), taken_at, now)
}

function payoutAnswerOf(result: MockPayoutResult, request: PayoutEngineRequest, provider_id: string): PayoutAnswer {
  const { amount_minor, currency } = request
  const status_fields = { provider_status: PAYOUT_WORDS[result.kind], provider_id }
  switch (result.kind) {
    case 'declined':
      return { kind: 'declined', reason: result.reason, ...status_fields }
    case 'succeeded':
      return { kind: 'succeeded', amount_minor, currency, ...status_fields }
    case 'reversed':
      return { kind: 'reversed', amount_minor, currency, charge_returned: result.charge_returned, ...status_fields }
  }
}
