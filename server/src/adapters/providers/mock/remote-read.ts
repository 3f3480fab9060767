// Reads the answers of the mock provider process. These functions map every answer to an outcome and never throw.

import {
  type Answer,
  FAILURE_REASONS,
  type FailureReason,
  PAYOUT_FAILURES,
  type PayoutAnswer,
  type PayoutFailure,
  type QrAnswer,
} from '../port.ts'
import { WORDS } from './engine.ts'
import { NOT_FOUND, PAYOUT_WORDS, REFUSED, UNCLEAR } from './payout-engine.ts'
import type { PostedRequest } from './post.ts'

const AMOUNT = /^\d{1,17}$/

/** An answer of the mock provider process that does not decide the outcome. */
export type MockUnknownAnswer = Extract<Answer, { kind: 'unknown' }>
/** The members of a JSON object, whose values no function has checked yet. */
export type MockFields = Record<string, unknown>
type MockContent = { problem: null; content: MockFields } | { problem: MockUnknownAnswer; content: null }

/** Reads the JSON content of an answer. If the answer has no usable content, returns the unknown outcome instead. */
export function contentOf(posted: PostedRequest): MockContent {
  if ('failed' in posted) return problem(posted.failed)
  if (posted.status >= 500) return problem('unreachable')
  if (posted.status === 401 || posted.status === 403) return problem('refused_us')
  if (posted.status !== 200) return problem('unreadable')
  const content = fieldsOf(posted.text)
  return content ? { problem: null, content } : problem('unreadable')
}

/** Returns the items of a status answer under `name`, by reference. */
export function listedBy(content: MockFields, name: string): Map<unknown, MockFields> {
  const listed: unknown = content[name]
  const found = new Map<unknown, MockFields>()
  for (const item of Array.isArray(listed) ? listed : []) if (isFields(item)) found.set(item.reference, item)
  return found
}

function problem(why: MockUnknownAnswer['why']): MockContent {
  return { problem: unknown(why), content: null }
}

/**
 * Maps the answer to a payment request to `accepted` or `declined`, and an unlisted status to `unknown`. A paid payment is
 * `accepted` too, because only a query finds the paid amount.
 */
export function answerToRequest(content: MockFields): QrAnswer {
  const { status, payment_token, qr_payload } = content
  const status_fields = { provider_status: textOf(status), provider_id: textOf(content.provider_id) }
  switch (status) {
    case WORDS.declined:
      return { kind: 'declined', reason: reasonOf(content.reason), ...status_fields }
    case WORDS.accepted:
    case WORDS.succeeded:
    case WORDS.held:
    case WORDS.reversed:
      return {
        kind: 'accepted',
        ...status_fields,
        ...(typeof payment_token === 'string' ? { payment_token } : {}),
        ...(typeof qr_payload === 'string' ? { qr_payload } : {}),
      }
  }
  return unseen(status)
}

/** Maps the status of one payment to an outcome. If the provider did not list the payment, the outcome is unknown. */
export function answerToStatus(payment: MockFields | undefined): Answer {
  if (payment === undefined) return unknown('unreadable')
  const { status } = payment
  const status_fields = replyFieldsOf(payment)
  switch (status) {
    case WORDS.not_found:
      return { kind: 'not_found', provider_status: status }
    case WORDS.accepted:
      return { kind: 'accepted', ...status_fields }
    case WORDS.declined:
      return { kind: 'declined', reason: reasonOf(payment.reason), ...status_fields }
    case WORDS.succeeded:
    case WORDS.held:
    case WORDS.reversed: {
      const amount = amountOf(payment)
      if (amount === null) return unknown('unreadable', status)
      const kind = status === WORDS.succeeded ? 'succeeded' : status === WORDS.held ? 'held' : 'reversed'
      return { kind, ...amount, ...status_fields }
    }
  }
  return unseen(status)
}

/**
 * Maps the answer to a payout request. A refusal needs the status of the provider, because a bare 403 may come from a proxy.
 */
export function answerToPayout(posted: PostedRequest): PayoutAnswer {
  if ('failed' in posted && posted.unsent) return { kind: 'not_sent', provider_status: null }
  if (isRefusal(posted)) return REFUSED
  const { problem, content } = contentOf(posted)
  if (problem) return problem
  const { status } = content
  switch (status) {
    case PAYOUT_WORDS.declined:
      return { kind: 'declined', reason: payoutReasonOf(content.reason), ...replyFieldsOf(content) }
    case PAYOUT_WORDS.unclear:
      return UNCLEAR
    case PAYOUT_WORDS.accepted:
    case PAYOUT_WORDS.succeeded:
    case PAYOUT_WORDS.reversed:
      return { kind: 'accepted', ...replyFieldsOf(content) }
  }
  return unseen(status)
}

/** Maps the status of one payout to an outcome. If the provider did not list the payout, the outcome is unknown. */
export function answerToPayoutStatus(payout: MockFields | undefined): PayoutAnswer {
  if (payout === undefined) return unknown('unreadable')
  const { status } = payout
  const status_fields = replyFieldsOf(payout)
  switch (status) {
    case PAYOUT_WORDS.not_found:
      return NOT_FOUND
    case PAYOUT_WORDS.unclear:
      return UNCLEAR
    case PAYOUT_WORDS.accepted:
      return { kind: 'accepted', ...status_fields }
    case PAYOUT_WORDS.declined:
      return { kind: 'declined', reason: payoutReasonOf(payout.reason), ...status_fields }
    case PAYOUT_WORDS.succeeded:
    case PAYOUT_WORDS.reversed: {
      const amount = amountOf(payout)
      if (amount === null) return unknown('unreadable', status)
      if (status === PAYOUT_WORDS.succeeded) return { kind: 'succeeded', ...amount, ...status_fields }
      return { kind: 'reversed', ...amount, charge_returned: payout.charge_returned === true, ...status_fields }
    }
  }
  return unseen(status)
}

function isRefusal(posted: PostedRequest): boolean {
  if ('failed' in posted || posted.status !== 403) return false
  return fieldsOf(posted.text)?.status === PAYOUT_WORDS.refused
}

function replyFieldsOf(content: MockFields) {
  const { status, provider_id, ask_again_ms } = content
  return {
    provider_status: textOf(status),
    provider_id: textOf(provider_id),
    ...(typeof ask_again_ms === 'number' && ask_again_ms > 0 ? { ask_again_ms } : {}),
  }
}

function amountOf({ amount_minor, currency }: MockFields): { amount_minor: bigint; currency: string } | null {
  if (typeof amount_minor !== 'string' || !AMOUNT.test(amount_minor) || typeof currency !== 'string') return null
  return { amount_minor: BigInt(amount_minor), currency }
}

function payoutReasonOf(reason: unknown): PayoutFailure {
  const is_known = typeof reason === 'string' && Object.hasOwn(PAYOUT_FAILURES, reason)
  return is_known ? (reason as PayoutFailure) : 'unknown_provider_error'
}

function reasonOf(reason: unknown): FailureReason {
  const is_known = typeof reason === 'string' && Object.hasOwn(FAILURE_REASONS, reason)
  return is_known ? (reason as FailureReason) : 'unknown_provider_error'
}

function unseen(status: unknown): MockUnknownAnswer {
  return typeof status === 'string' ? unknown('unseen_status', status) : unknown('unreadable')
}

/** Returns an unknown answer. Null in `provider_status` means that the provider gave no status. */
export function unknown(why: MockUnknownAnswer['why'], provider_status: string | null = null): MockUnknownAnswer {
  return { kind: 'unknown', why, provider_status }
}

/** Parses a JSON object. If the text is no JSON object, returns null. */
function fieldsOf(text: string): MockFields | null {
  try {
    const content: unknown = JSON.parse(text)
    return isFields(content) ? content : null
  } catch {
    return null
  }
}

function isFields(value: unknown): value is MockFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
