// What the gateway's word means for a payment. Pure, so that every case can be tested as a table.
//
// A payment is made of two requests: an order, which asks nobody for anything, and the prompt. Its outcome is the order's
// status. "All other codes: failed" is what the manual says, and a payment may fail by it: one that is paid all the same is
// still credited. For payouts see mapping-payouts.ts.

import { parseAmount } from '../../../kernel/lib/index.ts'
import type { Answer, FailureReason, PaymentRequest, PayoutAnswer, QrAnswer } from '../port.ts'
import { AMBIGUOUS, type Envelope, standingOf, textOf, type Verdict } from './envelope.ts'

/**
 * What became of a request for an order. `refused`: by a word about this order, which may mean that it was there before.
 * `kept_out`: we were not let in. `not_sent`: no byte was written. `unclear`: it may be there now.
 */
export type OrderMade =
  | { kind: 'made'; payment_token: string | null; qr_payload: string | null; said: Said }
  | { kind: 'refused' | 'kept_out' | 'not_sent' | 'unclear'; answer: Answer }

type Said = { provider_status: string | null; provider_id?: string | null }

/** Settings of how an order's status is read. */
export type OrderReading = {
  now: Date
  /** Minutes after which our prompts' orders end by themselves; null: none of ours. */
  expiry_min: number | null
  /** Result codes of this query that mean that there is no such order. */
  unknown_codes: readonly string[]
}

/** What lies behind it is down. */
export const UNAVAILABLE: readonly string[] = ['151', '218', '889', '900']
/** Wrong parameters, or a vendor that it does not know: ours to mend. */
const OUR_FAULT: readonly string[] = ['400', '412', '651']
/** How a repeated reference may be refused: nowhere documented. */
export const REPEATED = /duplicat|\balready\b|\bexists\b|\bnot unique\b/i

/** The gateway's word for a person to read: its code and its result. */
export function wordOf(envelope: Envelope | null): string | null {
  return envelope === null ? null : `${envelope.resultcode} ${envelope.result}`
}

/** What became of a request for an order. */
export function orderMade(verdict: Verdict): OrderMade {
  const { envelope } = verdict
  const provider_status = wordOf(envelope)
  switch (verdict.is) {
    case 'done': {
      const [row] = verdict.envelope.data
      const said = { provider_status: verdict.envelope.result, provider_id: verdict.envelope.reference }
      return { kind: 'made', payment_token: textOf(row?.payment_token), qr_payload: textOf(row?.qr), said }
    }
    case 'failed':
    case 'rejected':
      return { kind: 'refused', answer: refusalOf(verdict.envelope) }
    case 'refused':
      return { kind: 'kept_out', answer: { kind: 'declined', reason: 'provider_unavailable', provider_status } }
    case 'not_sent':
      return { kind: 'not_sent', answer: unknown(whyOf(verdict)) }
    case 'pending':
      return { kind: 'unclear', answer: { kind: 'unknown', why: 'unseen_status', provider_status } }
    case 'unclear':
      return { kind: 'unclear', answer: { kind: 'unknown', why: verdict.why, provider_status: null } }
  }
}

/** What a made order is to whoever wants its code: the texts exactly as they came. */
export function codeOf(made: Extract<OrderMade, { kind: 'made' }>): QrAnswer {
  const { payment_token, qr_payload, said } = made
  if (payment_token === null || qr_payload === null) return { kind: 'unknown', why: 'unreadable', ...said }
  return { kind: 'accepted', payment_token, qr_payload, ...said }
}

/** What the answer to a prompt says of the payment. Null: nobody was prompted, for certain. */
export function promptAnswer(verdict: Verdict): Answer | null {
  switch (verdict.is) {
    case 'done':
    case 'pending': {
      // Done only means that the prompt is out: what the payer did is the order's status.
      const { result, reference } = verdict.envelope
      return { kind: 'accepted', provider_status: result, provider_id: reference }
    }
    case 'failed':
    case 'rejected':
      return refusalOf(verdict.envelope)
    case 'refused':
      return verdict.certain ? null : { kind: 'unknown', why: 'refused_us', provider_status: null }
    case 'not_sent':
      return null
    case 'unclear':
      return { kind: 'unknown', why: verdict.why, provider_status: null }
  }
}

/** A failure that it names. One that may mean that the reference was there before says nothing about the payment. */
function refusalOf(envelope: Envelope): Answer {
  const provider_status = wordOf(envelope)
  if (REPEATED.test(envelope.message)) return { kind: 'unknown', why: 'unseen_status', provider_status }
  const reason = failureOf(envelope.resultcode)
  // What is unavailable then is the network behind it: itself it answered.
  return { kind: 'declined', reason, provider_status, ...(reason === 'provider_unavailable' ? { answered: true } : {}) }
}

function failureOf(code: string): FailureReason {
  if (UNAVAILABLE.includes(code)) return 'provider_unavailable'
  return OUR_FAULT.includes(code) ? 'unknown_provider_error' : 'provider_declined'
}

/**
 * What an order's status says of the payment. That the question was answered means nothing by itself, and a question that
 * failed says nothing: only a code that somebody vouched for means that there is no such order, and only while nobody knows
 * of the order.
 */
export function orderStatus(verdict: Verdict, request: PaymentRequest, reading: OrderReading): Answer {
  if (verdict.is === 'done') return statusOf(verdict.envelope, request, reading)
  const denied = request.sent_at === null && reading.unknown_codes.includes(denialOf(verdict) ?? '')
  return denied ? { kind: 'not_found', provider_status: null } : unknown(whyOf(verdict))
}

/** The code by which the gateway itself, and nobody on the way to it, did not find an order. */
function denialOf(verdict: Verdict): string | null {
  const { envelope } = verdict
  if (envelope === null || verdict.is === 'refused') return null
  if (verdict.is === 'unclear' && verdict.why !== 'unseen_status' && verdict.status !== 404) return null
  const is_denial = standingOf(envelope) === 'failed' || envelope.resultcode === AMBIGUOUS
  return is_denial ? envelope.resultcode : null
}

function statusOf({ data }: Envelope, request: PaymentRequest, reading: OrderReading): Answer {
  const rows = data.filter((row) => row.order_id === request.reference)
  const [row] = rows
  if (row === undefined || rows.length > 1) return unknown('unreadable')
  const provider_status = textOf(row.payment_status)
  if (provider_status === null) return unknown('unreadable')
  const said = { provider_status, provider_id: textOf(row.reference) ?? textOf(row.transid) }
  switch (provider_status.toUpperCase().replace(/[^A-Z]/g, '')) {
    case 'COMPLETED':
    case 'COMPLETE': {
      const amount_minor = amountOf(row.amount)
      if (amount_minor === null) return { ...unknown('unreadable'), provider_status }
      // It names no currency: an order keeps the one that it was made with.
      return { kind: 'succeeded', amount_minor, currency: textOf(row.currency) ?? request.currency, ...said }
    }
    case 'PENDING':
    case 'INPROGRESS':
      return { kind: 'accepted', ...said }
    case 'USERCANCELLED':
    case 'USERCANCELED':
      return { kind: 'declined', reason: 'user_cancelled', ...said }
    case 'CANCELLED':
    case 'CANCELED':
    case 'CANCEL':
      return { kind: 'declined', reason: hasExpired(request, reading) ? 'expired' : 'user_cancelled', ...said }
    case 'REJECTED':
      return { kind: 'declined', reason: 'provider_declined', ...said }
  }
  return { kind: 'unknown', why: 'unseen_status', ...said }
}

function hasExpired(request: PaymentRequest, { now, expiry_min }: OrderReading): boolean {
  const end = endOf(request, { begin: request.sent_at, expiry_min })
  return end !== null && now >= end
}

/**
 * When an order that begins then ends by itself: after our time for prompts, a code has none of its own, but at the latest
 * shortly before the payment's deadline, so that the last question finds how it ended. Null: it has no end of ours.
 */
export function endOf(
  { method, deadline_at }: PaymentRequest,
  { begin, expiry_min }: { begin: Date | null; expiry_min: number | null },
): Date | null {
  const of_prompts = expiry_min === null || method === 'qr' || begin === null
  const ends = [
    of_prompts ? null : begin.getTime() + expiry_min * MINUTE_MS,
    deadline_at === undefined ? null : deadline_at.getTime() - LAST_MS,
  ].filter((end) => end !== null)
  return ends.length === 0 ? null : new Date(Math.min(...ends))
}

const MINUTE_MS = 60_000
/** Between the end of an order and the deadline of its payment. */
const LAST_MS = 5 * MINUTE_MS

/** Whole shillings, as text or as a number, in cents. Null: it is no amount. */
export function amountOf(value: unknown): bigint | null {
  const amount = parseAmount(typeof value === 'number' ? String(value) : (textOf(value) ?? ''))
  return typeof amount === 'bigint' ? amount : null
}

/** Why nothing is known after an answer that says nothing. */
export function whyOf(verdict: Verdict) {
  if (verdict.is === 'not_sent') return verdict.busy ? 'busy' : 'unreachable'
  if (verdict.is === 'refused') return 'refused_us'
  return verdict.is === 'unclear' ? verdict.why : 'unseen_status'
}

/** An answer that says nothing. */
export function unknown(why: (Answer & { kind: 'unknown' })['why']): Answer & PayoutAnswer & { kind: 'unknown' } {
  return { kind: 'unknown', why, provider_status: null }
}
