// Keeps the book of the mock provider process: all accepted payments, in memory. payout-book.ts has the payouts.

import type { Clock } from '../../../kernel/lib/index.ts'
import { type Answer, METHODS, type PaymentRequest } from '../port.ts'
import { answerAt, type MockProfile, paymentTokenOf, type TimelineStep, timelineOf, WORDS } from './engine.ts'
import { qrPayload } from './qr.ts'

/**
 * The greatest number of payments, which take about a gigabyte. A full book refuses further payments, because a book drops
 * no entry.
 */
const PAYMENTS_MAX = 3_000_000
const REFERENCE_MAX_CHARS = 128
/** The form of an amount in cents as text: no leading zero, and at most 17 digits. */
export const AMOUNT = /^[1-9]\d{0,16}$/

type MockPayment = PaymentRequest & { sent_at: Date; prompts: number }
type MockStatus = (typeof WORDS)[keyof typeof WORDS]

/** One payment in the book. `amount_minor` is in cents, as text. */
export type BookEntry = { reference: string; status: string | null; amount_minor: string; prompts: number }

/**
 * The sums of the book. `prompts` counts the prompts to payers, with one for each QR code, and `completed_minor` is in cents.
 */
export type BookTotals = {
  payments: number
  prompts: number
  completed_minor: string
  by_status: Record<string, number>
}

/** The mock provider's answer to POST /payments. */
export type MockPaymentReply = {
  status: string | null
  provider_id: string | null
  reason?: string
  payment_token?: string
  qr_payload?: string
}

/** Makes an empty book. For each accepted payment, the book calls `onTaken` once with the payment's timeline. */
export function createMockBook(
  clock: Clock,
  profile: MockProfile,
  onTaken: (reference: string, timeline: TimelineStep[]) => void,
) {
  const payments = new Map<string, MockPayment>()
  let prompts = 0

  return {
    /**
     * Accepts a payment once for each reference. If a request repeats a reference, the book keeps the fields of the first
     * request.
     */
    take(content: unknown): MockPaymentReply | 'malformed' | 'full' {
      const request = parsePayment(content, clock)
      if (request === null) return 'malformed'
      const payment = payments.get(request.reference) ?? request
      const timeline = timelineOf(payment, profile)
      if (payment === request) {
        if (payments.size >= PAYMENTS_MAX) return 'full'
        payments.set(request.reference, request)
        payment.prompts++
        prompts++
        onTaken(payment.reference, timeline)
      }
      return takenOf(payment, timeline[0].answer, profile)
    },

    /** Returns the statuses of payments in the order of the references. */
    statuses(content: unknown): Record<string, unknown>[] | 'malformed' {
      const references = referencesOf(content)
      if (references === null) return 'malformed'
      const now = clock.now()
      return references.map((reference) => {
        const payment = payments.get(reference)
        return payment ? statusOf(payment, answerAt(payment, profile, now)) : { reference, status: WORDS.not_found }
      })
    },

    totals(): BookTotals {
      const now = clock.now()
      const by_status: Record<Exclude<MockStatus, 'NOT_FOUND'>, number> = {
        PENDING: 0,
        COMPLETED: 0,
        FAILED: 0,
        HELD: 0,
        REVERSED: 0,
      }
      let completed_minor = 0n
      for (const payment of payments.values()) {
        const answer = answerAt(payment, profile, now)
        if (answer.kind === 'unknown' || answer.kind === 'not_found') continue
        by_status[WORDS[answer.kind]]++
        if (answer.kind === 'succeeded') completed_minor += answer.amount_minor
      }
      return { payments: payments.size, prompts, completed_minor: String(completed_minor), by_status }
    },

    entries(): BookEntry[] {
      const now = clock.now()
      return [...payments.values()].map((payment) => {
        const answer = answerAt(payment, profile, now)
        const amount_minor = String('amount_minor' in answer ? answer.amount_minor : payment.amount_minor)
        return { reference: payment.reference, status: answer.provider_status, amount_minor, prompts: payment.prompts }
      })
    },
  }
}

function takenOf(payment: MockPayment, answer: Answer, profile: MockProfile): MockPaymentReply {
  const { provider_status: status, provider_id = null } = answer
  if (answer.kind === 'declined') return { status, provider_id, reason: answer.reason }
  if (payment.method !== 'qr') return { status, provider_id }
  const payment_token = paymentTokenOf(payment.reference, profile)
  return { status, provider_id, payment_token, qr_payload: qrPayload(payment_token, payment.amount_minor) }
}

function statusOf(payment: MockPayment, answer: Answer): Record<string, unknown> {
  return {
    reference: payment.reference,
    status: answer.provider_status,
    provider_id: answer.provider_id,
    amount_minor: String('amount_minor' in answer ? answer.amount_minor : payment.amount_minor),
    currency: payment.currency,
    // JSON omits undefined members.
    reason: answer.kind === 'declined' ? answer.reason : undefined,
    ask_again_ms: answer.ask_again_ms,
  }
}

function parsePayment(content: unknown, clock: Clock): MockPayment | null {
  if (typeof content !== 'object' || content === null) return null
  const { reference, method, phone, amount_minor, currency, on_page } = content as Record<string, unknown>
  if (!isReference(reference) || typeof currency !== 'string') return null
  if (typeof amount_minor !== 'string' || !AMOUNT.test(amount_minor)) return null
  const known_method = METHODS.find((known) => known === method)
  if (!known_method || (phone !== null && typeof phone !== 'string')) return null
  return {
    reference,
    method: known_method,
    phone,
    amount_minor: BigInt(amount_minor),
    currency,
    simulate_status: null,
    on_page: on_page === true,
    sent_at: clock.now(),
    prompts: 0,
  }
}

/** Returns the references that a status request names. If the request is malformed, returns null. */
export function referencesOf(content: unknown): string[] | null {
  if (typeof content !== 'object' || content === null || !('references' in content)) return null
  const { references } = content
  return Array.isArray(references) && references.every(isReference) ? references : null
}

/** Returns true if a value can be a reference. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= REFERENCE_MAX_CHARS
}
