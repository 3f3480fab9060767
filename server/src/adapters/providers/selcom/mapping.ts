// Maps the gateway's answers to outcomes of payments. A payment has two requests: the order, which prompts no payer, and the
// prompt. A failure code without a documented meaning fails the payment, as the manual says, because a later success still
// credits the payment.

import { parseAmount } from '../../../kernel/lib/index.ts'
import type { Answer, FailureReason, PaymentRequest, PayoutAnswer, QrAnswer } from '../port.ts'
import { AMBIGUOUS, resultClassOf, type SelcomEnvelope, type SelcomVerdict, textOf } from './envelope.ts'

/**
 * The result of a request for an order. `refused`: the gateway refused this order, which may exist already. `kept_out`: the
 * gateway refused access, or cannot take the payment. `not_sent`: the client wrote no byte. `unclear`: the order may exist now.
 */
export type OrderMade =
  | { kind: 'made'; payment_token: string | null; qr_payload: string | null; status_fields: SelcomStatusFields }
  | { kind: 'refused' | 'kept_out' | 'not_sent' | 'unclear'; answer: Answer }

type SelcomStatusFields = { provider_status: string | null; provider_id?: string | null }

/** The settings and the time for mapping the status of an order. */
export type SelcomOrderReading = {
  now: Date
  /** The minutes until the order of a prompt ends. Null means that the settings configure no such end. */
  expiry_min: number | null
  /** The result codes by which the order query reports an unknown order. */
  unknown_codes: readonly string[]
}

/** The codes that mean that the payer's network is down behind the gateway. */
export const UNAVAILABLE: readonly string[] = ['151', '218', '889', '900']
/** The codes that name wrong parameters or an unknown vendor, which an operator must fix. */
const OUR_FAULT: readonly string[] = ['400', '412', '651']
/** The possible messages about a repeated reference. The manual documents no such message. */
export const REPEATED = /duplicat|\balready\b|\bexists\b|\bnot unique\b/i

/** Returns the code and the result of an envelope as one text. If the envelope is missing, returns null. */
export function codeAndResultOf(envelope: SelcomEnvelope | null): string | null {
  return envelope === null ? null : `${envelope.resultcode} ${envelope.result}`
}

/** Maps the answer to a request for an order to the result of that request. */
export function orderMade(verdict: SelcomVerdict): OrderMade {
  const { envelope } = verdict
  const provider_status = codeAndResultOf(envelope)
  switch (verdict.is) {
    case 'done': {
      const [row] = verdict.envelope.data
      const status_fields = { provider_status: verdict.envelope.result, provider_id: verdict.envelope.reference }
      return { kind: 'made', payment_token: textOf(row?.payment_token), qr_payload: textOf(row?.qr), status_fields }
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

/** Returns the QR answer of a made order, with the texts exactly as the gateway sent them. */
export function qrAnswerOf(made: Extract<OrderMade, { kind: 'made' }>): QrAnswer {
  const { payment_token, qr_payload, status_fields } = made
  if (payment_token === null || qr_payload === null) return { kind: 'unknown', why: 'unreadable', ...status_fields }
  return { kind: 'accepted', payment_token, qr_payload, ...status_fields }
}

/** Maps the answer to a prompt. If the client wrote no byte or the gateway certainly refused access, returns null. */
export function promptAnswer(verdict: SelcomVerdict): Answer | null {
  switch (verdict.is) {
    case 'done':
    case 'pending': {
      // `done` only means that the gateway sent the prompt. The status of the order shows the payer's decision.
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

/** Maps a failure that the gateway names. If the failure may mean a repeated reference, the payment stays unknown. */
function refusalOf(envelope: SelcomEnvelope): Answer {
  const provider_status = codeAndResultOf(envelope)
  if (REPEATED.test(envelope.message)) return { kind: 'unknown', why: 'unseen_status', provider_status }
  const reason = failureOf(envelope.resultcode)
  // The payer's network is down behind the gateway, but the gateway itself answered.
  return { kind: 'declined', reason, provider_status, ...(reason === 'provider_unavailable' ? { answered: true } : {}) }
}

function failureOf(code: string): FailureReason {
  if (UNAVAILABLE.includes(code)) return 'provider_unavailable'
  return OUR_FAULT.includes(code) ? 'unknown_provider_error' : 'provider_declined'
}

/**
 * Maps the status of an order. A failed query leaves the payment unknown. While the order is unconfirmed, a configured code
 * means that the order does not exist.
 */
export function orderStatus(verdict: SelcomVerdict, request: PaymentRequest, reading: SelcomOrderReading): Answer {
  if (verdict.is === 'done') return statusOf(verdict.envelope, request, reading)
  const denied = request.sent_at === null && reading.unknown_codes.includes(denialOf(verdict) ?? '')
  return denied ? { kind: 'not_found', provider_status: null } : unknown(whyOf(verdict))
}

/**
 * Returns the failure code or ambiguous code of an answer that comes from the gateway itself. If the answer has no such code, or
 * may come from a proxy, returns null.
 */
function denialOf(verdict: SelcomVerdict): string | null {
  const { envelope } = verdict
  if (envelope === null || verdict.is === 'refused') return null
  if (verdict.is === 'unclear' && verdict.why !== 'unseen_status' && verdict.status !== 404) return null
  const is_denial = resultClassOf(envelope) === 'failed' || envelope.resultcode === AMBIGUOUS
  return is_denial ? envelope.resultcode : null
}

function statusOf({ data }: SelcomEnvelope, request: PaymentRequest, reading: SelcomOrderReading): Answer {
  const rows = data.filter((row) => row.order_id === request.reference)
  const [row] = rows
  if (row === undefined || rows.length > 1) return unknown('unreadable')
  const provider_status = textOf(row.payment_status)
  if (provider_status === null) return unknown('unreadable')
  const status_fields = { provider_status, provider_id: textOf(row.reference) ?? textOf(row.transid) }
  switch (provider_status.toUpperCase().replace(/[^A-Z]/g, '')) {
    case 'COMPLETED':
    case 'COMPLETE': {
      const amount_minor = amountOf(row.amount)
      if (amount_minor === null) return { ...unknown('unreadable'), provider_status }
      // If the answer has no currency, the currency of the request applies, because an order keeps that currency.
      return { kind: 'succeeded', amount_minor, currency: textOf(row.currency) ?? request.currency, ...status_fields }
    }
    case 'PENDING':
    case 'INPROGRESS':
      return { kind: 'accepted', ...status_fields }
    case 'USERCANCELLED':
    case 'USERCANCELED':
      return { kind: 'declined', reason: 'user_cancelled', ...status_fields }
    case 'CANCELLED':
    case 'CANCELED':
    case 'CANCEL':
      return { kind: 'declined', reason: hasExpired(request, reading) ? 'expired' : 'user_cancelled', ...status_fields }
    case 'REJECTED':
      return { kind: 'declined', reason: 'provider_declined', ...status_fields }
  }
  return { kind: 'unknown', why: 'unseen_status', ...status_fields }
}

function hasExpired(request: PaymentRequest, { now, expiry_min }: SelcomOrderReading): boolean {
  const end = endOf(request, { begin: request.sent_at, expiry_min })
  return end !== null && now >= end
}

/**
 * Returns the time at which an order ends by itself: the earlier of `expiry_min` after `begin` (not for a QR code), and shortly
 * before the deadline. So the last query before the deadline finds the ended order. Null means that the order has no end.
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
/** The milliseconds between the end of an order and the deadline of its payment. */
const LAST_MS = 5 * MINUTE_MS

/** Converts shillings, as text or number, to cents. If the value is no amount, returns null. */
export function amountOf(value: unknown): bigint | null {
  const amount = parseAmount(typeof value === 'number' ? String(value) : (textOf(value) ?? ''))
  return typeof amount === 'bigint' ? amount : null
}

/**
 * Returns the reason of an unknown outcome. For an answer with an unexplained failure code, the reason is `unseen_status`.
 */
export function whyOf(verdict: SelcomVerdict) {
  if (verdict.is === 'not_sent') return verdict.busy ? 'busy' : 'unreachable'
  if (verdict.is === 'refused') return 'refused_us'
  return verdict.is === 'unclear' ? verdict.why : 'unseen_status'
}

/** Returns an unknown answer without a provider status. */
export function unknown(why: (Answer & { kind: 'unknown' })['why']): Answer & PayoutAnswer & { kind: 'unknown' } {
  return { kind: 'unknown', why, provider_status: null }
}
