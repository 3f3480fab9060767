// Keeps the payouts of the mock provider process, each with its number of requests and of executions.

import type { Clock } from '../../../kernel/lib/index.ts'
import { PAYOUT_METHODS, type PayoutAnswer } from '../port.ts'
import { AMOUNT, isReference, referencesOf } from './book.ts'
import type { MockProfile, MockTimeline } from './engine.ts'
import { PAYOUT_WORDS, type PayoutEngineRequest, payoutAnswerAt, payoutTimelineOf } from './payout-engine.ts'

/** The greatest number of payouts. A full book refuses further payouts, because a book drops no entry. */
const PAYOUTS_MAX = 1_000_000

type MockPayout = PayoutEngineRequest & { taken_at: Date; requests: number; executions: number }

/** One payout in the book, with its number of requests and of executions. */
export type PayoutEntry = {
  reference: string
  status: string | null
  destination_identifier: string
  amount_minor: string
  requests: number
  executions: number
}

/** The sums over the payouts. `refused` counts the requests that the provider refused and did not store. */
export type PayoutTotals = {
  taken: number
  requests: number
  refused: number
  executions: number
  /** The sum of all paid amounts except those of reversed payouts, in cents. */
  paid_minor: string
  by_status: Record<string, number>
}

/** The mock provider's answer to POST /payouts. */
export type MockPayoutReply = ReturnType<typeof payoutReplyOf>

/** Makes an empty book. For each accepted payout, the book calls `onTaken` once with the payout's timeline. */
export function createPayoutBook(
  clock: Clock,
  profile: MockProfile,
  onTaken: (reference: string, timeline: MockTimeline<PayoutAnswer>) => void,
) {
  const payouts = new Map<string, MockPayout>()
  const counts = { requests: 0, refused: 0, executions: 0 }
  const answerOf = (payout: MockPayout, now: Date) => payoutAnswerAt(payout, payout.taken_at, profile, now)

  return {
    /**
     * Accepts and executes a payout once for each reference. If a request repeats a reference, the book keeps the fields of
     * the first request.
     */
    take(content: unknown): MockPayoutReply | 'malformed' | 'full' | 'refused' {
      const request = parsePayout(content)
      if (request === null) return 'malformed'
      const known = payouts.get(request.reference)
      const timeline = payoutTimelineOf(known ?? request, profile)
      const { answer } = timeline[0]
      counts.requests++
      if (answer.kind === 'blocked') {
        counts.refused++
        return 'refused'
      }
      if (known) known.requests++
      else {
        if (payouts.size >= PAYOUTS_MAX) return 'full'
        payouts.set(request.reference, { ...request, taken_at: clock.now(), requests: 1, executions: 1 })
        counts.executions++
        onTaken(request.reference, timeline)
      }
      return payoutReplyOf(answer)
    },

    /** Returns the statuses of payouts in the order of the references. */
    statuses(content: unknown): Record<string, unknown>[] | 'malformed' {
      const references = referencesOf(content)
      if (references === null) return 'malformed'
      const now = clock.now()
      return references.map((reference) => {
        const payout = payouts.get(reference)
        if (payout === undefined) return { reference, status: PAYOUT_WORDS.not_found }
        const { amount_minor, currency } = payout
        return { reference, amount_minor: String(amount_minor), currency, ...payoutReplyOf(answerOf(payout, now)) }
      })
    },

    totals(): PayoutTotals {
      const now = clock.now()
      const by_status: Record<string, number> = {}
      let paid_minor = 0n
      for (const payout of payouts.values()) {
        const answer = answerOf(payout, now)
        const status = answer.provider_status ?? ''
        by_status[status] = (by_status[status] ?? 0) + 1
        if (answer.kind === 'succeeded') paid_minor += answer.amount_minor
      }
      return { taken: payouts.size, ...counts, paid_minor: String(paid_minor), by_status }
    },

    entries(): PayoutEntry[] {
      const now = clock.now()
      return [...payouts.values()].map((payout) => {
        const { reference, destination_identifier, requests, executions } = payout
        const status = answerOf(payout, now).provider_status
        const amount_minor = String(payout.amount_minor)
        return { reference, status, destination_identifier, amount_minor, requests, executions }
      })
    },
  }
}

/** Returns the members of an answer for JSON, which omits undefined members. */
function payoutReplyOf(answer: PayoutAnswer) {
  const { provider_status: status, provider_id, ask_again_ms } = answer
  const reason = answer.kind === 'declined' ? answer.reason : undefined
  const charge_returned = answer.kind === 'reversed' ? answer.charge_returned : undefined
  return { status, provider_id, reason, charge_returned, ask_again_ms }
}

function parsePayout(content: unknown): PayoutEngineRequest | null {
  if (typeof content !== 'object' || content === null) return null
  const { reference, method, destination_code, destination_identifier, amount_minor, currency } = content as Record<
    string,
    unknown
  >
  if (!isReference(reference) || typeof currency !== 'string' || !isText(destination_code)) return null
  if (!isText(destination_identifier) || typeof amount_minor !== 'string' || !AMOUNT.test(amount_minor)) return null
  if (!PAYOUT_METHODS.some((known) => known === method)) return null
  return { reference, destination_identifier, amount_minor: BigInt(amount_minor), currency }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
