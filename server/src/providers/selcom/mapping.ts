// What the gateway's word means for a payment or a payout. Pure, so that every case can be tested as a table.
//
// A payment is made of two requests: an order, which asks nobody for anything, and the prompt. Its outcome is the order's
// status. A payout is one request, and the query of the same product tells its outcome.

import { parseAmount } from '../../lib/index.ts'
import { busyOf } from '../exchange.ts'
import type {
  Answer,
  FailureReason,
  PaymentRequest,
  PayoutAnswer,
  PayoutFailure,
  PayoutRequest,
  QrAnswer,
} from '../port.ts'
import { AMBIGUOUS, type Envelope, isFields, standingOf, textOf, type Verdict } from './envelope.ts'

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
  /** Minutes after which our prompts' orders end by themselves; null: we ask for no end. */
  expiry_min: number | null
  /** Result codes of this query that mean that there is no such order. */
  unknown_codes: readonly string[]
}

const UNAVAILABLE: readonly string[] = ['151', '218', '889', '900']
/** Wrong parameters, or a vendor that it does not know: ours to mend. */
const OUR_FAULT: readonly string[] = ['400', '412', '651']
/** Number, account, name, customer or institution that cannot be paid. */
const NO_RECIPIENT: readonly string[] = ['010', '012', '029', '103', '201', '202', '203', '404', '415', '612']
/** Said of amounts above a limit, and of amounts below one. */
const OUT_OF_LIMITS: readonly string[] = ['013', '015', '703']
/** The account that payouts are paid from is empty: its owner is the platform. */
const FLOAT_EMPTY = '990'
/** Of a question, these speak about the question: that it was refused, malformed, or about nothing that is known. */
const ABOUT_THE_QUESTION: readonly string[] = ['401', '403', '404', '405', '406', '410', '412', '418', '429', '651']
const ABOUT_THE_QUESTION_TEXT = /not found|no such|unknown|invalid (?:order|trans|reference|param)|missing/i
/** How a repeated reference may be refused: nowhere documented. */
const REPEATED = /duplicat|\balready\b|\bexists\b|\bnot unique\b/i

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

function hasExpired({ method, sent_at }: PaymentRequest, { now, expiry_min }: OrderReading): boolean {
  if (method === 'qr' || expiry_min === null || sent_at === null) return false
  return now.getTime() >= sent_at.getTime() + expiry_min * 60_000
}

/** What the answer to a payout request says. `ask_again_ms`: the pause that the gateway asks for before a question. */
export function payoutSent(verdict: Verdict, request: PayoutRequest, ask_again_ms: number): PayoutAnswer {
  const { envelope } = verdict
  const said = { provider_status: wordOf(envelope), provider_id: envelope?.reference ?? null }
  if (isOthers(envelope, request)) return unknown('unreadable')
  switch (verdict.is) {
    case 'done':
      return { kind: 'succeeded', ...paidAsAsked(request), ...said }
    case 'pending':
      return { kind: 'accepted', ask_again_ms, ...said }
    case 'failed':
    case 'rejected': {
      const { resultcode, message } = verdict.envelope
      if (REPEATED.test(message)) return { kind: 'unknown', why: 'unseen_status', ask_again_ms, ...said }
      // Nothing was executed, and the same request goes through once the operator has filled the float.
      if (resultcode === FLOAT_EMPTY) return { kind: 'blocked', ...said }
      return { kind: 'declined', reason: payoutFailureOf(resultcode, verdict.is), ...said }
    }
    case 'refused':
      return verdict.certain ? { kind: 'blocked', ...said } : { kind: 'unknown', why: 'refused_us', ...said }
    case 'not_sent':
      return { kind: 'not_sent', ...busyOf(verdict.busy), provider_status: null }
    case 'unclear': {
      const answer = { kind: 'unknown', why: verdict.why, ...said } as const
      // Only a word of the gateway's own asks for its pause; a lost answer may be there in a moment.
      return verdict.why === 'unseen_status' ? { ...answer, ask_again_ms } : answer
    }
  }
}

/** What a payout query says. It knows no certain "there is no such payout": that one is never answered. */
export function payoutStatus(verdict: Verdict, request: PayoutRequest, ask_again_ms: number): PayoutAnswer {
  const { envelope } = verdict
  if (isOthers(envelope, request)) return unknown('unreadable')
  if (verdict.is === 'done' || verdict.is === 'pending') return payoutSent(verdict, request, ask_again_ms)
  if (verdict.is === 'failed') {
    const { resultcode, message } = verdict.envelope
    const about_question =
      ABOUT_THE_QUESTION.includes(resultcode) || UNAVAILABLE.includes(resultcode) || /^5\d\d$/.test(resultcode)
    if (!about_question && !ABOUT_THE_QUESTION_TEXT.test(message) && !REPEATED.test(message)) {
      const said = { provider_status: wordOf(envelope), provider_id: verdict.envelope.reference }
      return { kind: 'declined', reason: payoutFailureOf(resultcode, 'failed'), ...said }
    }
    return { ...unknown('unseen_status'), ask_again_ms }
  }
  const why = whyOf(verdict)
  return why === 'unseen_status' ? { ...unknown(why), ask_again_ms } : unknown(why)
}

/** The gateway repeats no amount: done is done as asked. */
function paidAsAsked({ amount_minor, currency }: PayoutRequest) {
  return { amount_minor, currency }
}

function payoutFailureOf(code: string, standing: 'failed' | 'rejected'): PayoutFailure {
  if (NO_RECIPIENT.includes(code)) return 'unknown_recipient'
  if (OUT_OF_LIMITS.includes(code)) return 'limit_exceeded'
  return standing === 'rejected' || code === '651' ? 'unknown_provider_error' : 'provider_declined'
}

/**
 * True when the answer speaks of another of our payouts: two connections were mixed up somewhere on the way. An id in any
 * other form is the gateway's own, and says nothing.
 */
function isOthers(envelope: Envelope | null, { reference }: PayoutRequest): boolean {
  const echo = envelope?.transid ?? null
  return echo !== null && echo !== reference && echo.length === reference.length && /^[0-9A-Z]+$/.test(echo)
}

/** Whole shillings, as text or as a number. */
function amountOf(value: unknown): bigint | null {
  const amount = parseAmount(typeof value === 'number' ? String(value) : (textOf(value) ?? ''))
  return typeof amount === 'bigint' ? amount : null
}

/** The name on an account, from a look-up. */
export function nameOf(verdict: Verdict): string | null {
  if (verdict.is !== 'done') return null
  const [row] = verdict.envelope.data
  const name = (textOf(row?.name) ?? '')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return name === '' ? null : [...name].slice(0, NAME_MAX).join('')
}

const NAME_MAX = 100

/** What is left in the float, from a balance request. */
export function balanceOf(verdict: Verdict): bigint | null {
  if (verdict.is !== 'done') return null
  const [row] = verdict.envelope.data
  const balance: unknown = isFields(row) ? row.balance : null
  if (typeof balance === 'string' && /^0+(?:\.0+)?$/.test(balance)) return 0n
  return amountOf(balance)
}

function whyOf(verdict: Verdict) {
  if (verdict.is === 'not_sent') return verdict.busy ? 'busy' : 'unreachable'
  if (verdict.is === 'refused') return 'refused_us'
  return verdict.is === 'unclear' ? verdict.why : 'unseen_status'
}

function unknown(why: (Answer & { kind: 'unknown' })['why']): Answer & PayoutAnswer & { kind: 'unknown' } {
  return { kind: 'unknown', why, provider_status: null }
}
