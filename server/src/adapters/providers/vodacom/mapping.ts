// Maps the gateway's answers to outcomes of payments and payouts. A synchronous application gets an answer with a receipt.
// An asynchronous application gets an answer without a receipt, which only means accepted; a query finds the state of the
// transaction.

import { busyOf } from '../exchange.ts'
import type { Answer, FailureReason, PayoutAnswer, PushAnswer } from '../port.ts'
import type { VodacomEnvelope, VodacomVerdict } from './envelope.ts'

/**
 * The meanings of a transaction's states in the answer to a query. The manual documents only the state of a paid transaction,
 * so the operator configures the other states.
 */
export type StateWords = {
  paid: readonly string[]
  pending: readonly string[]
  /** The states of a failed payment. If a success follows, the payment still counts as paid. */
  failed: Readonly<Record<string, FailureReason>>
  /** The states of a failed payout. A failed payout returns the money to the merchant. */
  payout_failed: readonly string[]
}

/** The settings for mapping the answers to queries. */
export type VodacomReading = {
  states: StateWords
  /** The codes by which a query certainly reports that the payment does not and will not exist. */
  not_found_codes: readonly string[]
}

/** The payment or payout that an answer is about. The amount is in cents. */
export type RequestedTransfer = { reference: string; amount_minor: bigint; currency: string }

type VodacomUnknownAnswer = Extract<Answer, { kind: 'unknown' }>
type VodacomStatusFields = { provider_status: string | null; provider_id?: string | null }

/**
 * Maps the answer to a payment request. If the gateway certainly refused access or the client could not connect, returns null:
 * the payer got no prompt.
 */
export function paymentSent(verdict: VodacomVerdict, request: RequestedTransfer): PushAnswer | null {
  const { envelope } = verdict
  if (isOfOtherRequest(envelope, request)) return unknown('unreadable')
  switch (verdict.is) {
    case 'done':
      return taken(verdict.envelope, request)
    case 'failed': {
      const reason = verdict.meaning.payment
      const answered = reason === 'provider_unavailable' ? ({ answered: true } as const) : {}
      return { kind: 'declined', reason, ...answered, ...statusFieldsOf(envelope) }
    }
    case 'no_session':
    case 'refused':
      return verdict.certain ? null : unknown('refused_us')
    case 'not_sent':
      return verdict.busy ? { kind: 'not_sent', busy: true, provider_status: null } : null
    case 'unclear':
      return { kind: 'unknown', why: verdict.why, ...statusFieldsOf(envelope) }
  }
}

/** Maps the answer to a payout request to an outcome. */
export function payoutSent(verdict: VodacomVerdict, request: RequestedTransfer): PayoutAnswer {
  const { envelope } = verdict
  if (isOfOtherRequest(envelope, request)) return unknown('unreadable')
  const status_fields = statusFieldsOf(envelope)
  switch (verdict.is) {
    case 'done':
      return taken(verdict.envelope, request)
    case 'failed': {
      const { payout } = verdict.meaning
      if (payout === null) return { kind: 'unknown', why: 'unseen_status', ...status_fields }
      if (typeof payout === 'object') return { kind: 'blocked', ...payout, ...status_fields }
      return { kind: 'declined', reason: payout, ...status_fields }
    }
    case 'no_session':
      if (verdict.certain) return { kind: 'blocked', because: 'access', ...status_fields }
      return { kind: 'unknown', why: 'refused_us', ...status_fields }
    case 'refused':
      return verdict.certain
        ? { kind: 'blocked', ...status_fields }
        : { kind: 'unknown', why: 'refused_us', ...status_fields }
    case 'not_sent':
      return { kind: 'not_sent', ...busyOf(verdict.busy), provider_status: null }
    case 'unclear':
      return { kind: 'unknown', why: verdict.why, ...status_fields }
  }
}

/** Maps the answer to a query of a payment to an outcome. */
export function paymentStatus(verdict: VodacomVerdict, request: RequestedTransfer, reading: VodacomReading): Answer {
  if (isOfOtherRequest(verdict.envelope, request)) return unknown('unreadable')
  if (verdict.is === 'done') {
    const state = stateOf(verdict.envelope, request, reading.states)
    if (state.kind === 'reversed' || state.kind === 'succeeded' || state.kind === 'accepted') return state
    const { failed } = reading.states
    const name = Object.keys(failed).find((known) => isFailure(verdict.envelope, known))
    const reason = name === undefined ? undefined : failed[name]
    return reason === undefined ? state : { ...statusFieldsIn(state), kind: 'declined', reason }
  }
  const code = verdict.envelope?.code ?? null
  const is_answer = verdict.is === 'failed' || (verdict.is === 'unclear' && verdict.why === 'unseen_status')
  if (is_answer && code !== null && reading.not_found_codes.includes(code)) {
    return { kind: 'not_found', provider_status: code }
  }
  return unknownFrom(verdict)
}

/**
 * Maps the answer to a query of a payout. No answer proves that a payout does not exist, so the outcome is never
 * `not_found`.
 */
export function payoutStatus(
  verdict: VodacomVerdict,
  request: RequestedTransfer,
  reading: VodacomReading,
): PayoutAnswer {
  if (isOfOtherRequest(verdict.envelope, request)) return unknown('unreadable')
  if (verdict.is !== 'done') return unknownFrom(verdict)
  const state = stateOf(verdict.envelope, request, reading.states)
  if (state.kind === 'reversed') return { ...state, charge_returned: false }
  if (state.kind !== 'unknown') return state
  const is_failed = reading.states.payout_failed.some((known) => isFailure(verdict.envelope, known))
  return is_failed ? { ...statusFieldsIn(state), kind: 'declined', reason: 'provider_declined' } : state
}

/** Reads the name on an account from the answer to a look-up. If the answer has no name, returns null. */
export function nameOf(verdict: VodacomVerdict): string | null {
  if (verdict.is !== 'done') return null
  const name = verdict.envelope.names
    .join(' ')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return name === '' ? null : [...name].slice(0, NAME_MAX).join('')
}

const NAME_MAX = 100

/**
 * Maps an accepted request. With a receipt, the outcome is paid with the requested amount, because no answer repeats the
 * amount. Without a receipt, the outcome is accepted.
 */
function taken(envelope: VodacomEnvelope, { amount_minor, currency }: RequestedTransfer) {
  const { transaction_id } = envelope
  if (transaction_id === null) return { kind: 'accepted', ...statusFieldsOf(envelope) } as const
  return { kind: 'succeeded', amount_minor, currency, ...statusFieldsOf(envelope) } as const
}

/**
 * Maps the state in the answer to a query. Only a paid transaction can be reversed, so a reversal with any other state is
 * unknown.
 */
function stateOf(envelope: VodacomEnvelope, { amount_minor, currency }: RequestedTransfer, states: StateWords) {
  const state_text = stateTextIn(envelope)
  const id = envelope.original_id ?? envelope.transaction_id
  const status_fields = { provider_status: state_text, ...(id === null ? {} : { provider_id: id }) }
  const is = (words: readonly string[]) => words.some((known) => isSame(known, state_text))
  if (state_text === null) return { kind: 'unknown', why: 'unreadable', ...status_fields } as const
  if (is(states.paid) && envelope.reversed === 'no')
    return { kind: 'succeeded', amount_minor, currency, ...status_fields } as const
  if (is(states.paid) && envelope.reversed === 'yes') {
    return {
      kind: 'reversed',
      amount_minor,
      currency,
      ...status_fields,
      provider_status: `${state_text}, reversed`,
    } as const
  }
  if (is(states.pending) && envelope.reversed === 'no') return { kind: 'accepted', ...status_fields } as const
  return { kind: 'unknown', why: 'unseen_status', ...status_fields } as const
}

function stateTextIn({ state }: VodacomEnvelope): string | null {
  const state_text = state?.trim() ?? ''
  return state_text === '' ? null : state_text
}

function isSame(known: string, state_text: string | null): boolean {
  return state_text !== null && known.toLowerCase() === state_text.toLowerCase()
}

/**
 * Returns true if the answer has this failed state and no reversal. A failed transaction cannot be reversed, so with a
 * reversal the outcome stays unknown.
 */
function isFailure(envelope: VodacomEnvelope, known: string): boolean {
  return envelope.reversed === 'no' && isSame(known, stateTextIn(envelope))
}

function statusFieldsIn({ provider_status, provider_id }: VodacomStatusFields): VodacomStatusFields {
  return provider_id === undefined ? { provider_status } : { provider_status, provider_id }
}

/**
 * Maps the answer to a query without a state. If the gateway refused the query, reported a failure or did not answer, the
 * outcome stays unknown.
 */
function unknownFrom(verdict: VodacomVerdict): VodacomUnknownAnswer {
  switch (verdict.is) {
    case 'not_sent':
      return unknown(verdict.busy ? 'busy' : 'unreachable')
    case 'no_session':
    case 'refused':
      return unknown('refused_us')
    case 'unclear':
      return { ...unknown(verdict.why), provider_status: verdict.envelope?.code ?? null }
    default:
      return { ...unknown('unseen_status'), provider_status: verdict.envelope?.code ?? null }
  }
}

function statusFieldsOf(envelope: VodacomEnvelope | null): VodacomStatusFields {
  const provider_id = envelope?.transaction_id ?? envelope?.conversation_id ?? null
  return { provider_status: envelope?.code ?? null, ...(provider_id === null ? {} : { provider_id }) }
}

/**
 * Returns true if the answer has the id of another request, because the gateway mixed up two connections. An id of another
 * form comes from the gateway, and the id of a query has another length, so this function ignores such ids.
 */
function isOfOtherRequest(envelope: VodacomEnvelope | null, { reference }: { reference: string }): boolean {
  const echo = envelope?.echo ?? null
  return echo !== null && echo !== reference && echo.length === reference.length && /^[0-9A-Z]+$/.test(echo)
}

function unknown(why: VodacomUnknownAnswer['why']): VodacomUnknownAnswer {
  return { kind: 'unknown', why, provider_status: null }
}
