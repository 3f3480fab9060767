// What the gateway's word means for a payment or a payout. Pure, so that every case can be tested as a table.
//
// A request is answered at once with a receipt, when the application is synchronous, or without one, when it is not: then it
// was taken, and nothing more. A query tells the state of a transaction; that the query itself worked means nothing.

import { busyOf } from '../exchange.ts'
import type { Answer, FailureReason, PayoutAnswer, PushAnswer } from '../port.ts'
import type { Envelope, Verdict } from './envelope.ts'

/** How the words of a query for the state of a transaction are read. Only the first is documented, so the others are told. */
export type StateWords = {
  paid: readonly string[]
  pending: readonly string[]
  /** Of a payment. A late success still wins over it. */
  failed: Readonly<Record<string, FailureReason>>
  /** Of a payout: whoever names a word here gives its money back to the merchant when it is said. */
  payout_failed: readonly string[]
}

/** How answers to questions are read. */
export type Reading = {
  states: StateWords
  /** Codes by which a query says for certain that there is no such payment, and will be none. */
  not_found_codes: readonly string[]
}

/** A payment or a payout, as far as an answer is about it. Amount in cents. */
export type Asked = { reference: string; amount_minor: bigint; currency: string }

type Unknown = Extract<Answer, { kind: 'unknown' }>
type Said = { provider_status: string | null; provider_id?: string | null }

/** What the answer to a request for a payment says. Null: nobody was asked to pay, for certain. */
export function paymentSent(verdict: Verdict, request: Asked): PushAnswer | null {
  const { envelope } = verdict
  if (isOthers(envelope, request)) return unknown('unreadable')
  switch (verdict.is) {
    case 'done':
      return taken(verdict.envelope, request)
    case 'failed': {
      const reason = verdict.meaning.payment
      const answered = reason === 'provider_unavailable' ? ({ answered: true } as const) : {}
      return { kind: 'declined', reason, ...answered, ...saidBy(envelope) }
    }
    case 'no_session':
    case 'refused':
      return verdict.certain ? null : unknown('refused_us')
    case 'not_sent':
      return verdict.busy ? { kind: 'not_sent', busy: true, provider_status: null } : null
    case 'unclear':
      return { kind: 'unknown', why: verdict.why, ...saidBy(envelope) }
  }
}

/** What the answer to a request for a payout says. */
export function payoutSent(verdict: Verdict, request: Asked): PayoutAnswer {
  const { envelope } = verdict
  if (isOthers(envelope, request)) return unknown('unreadable')
  const said = saidBy(envelope)
  switch (verdict.is) {
    case 'done':
      return taken(verdict.envelope, request)
    case 'failed': {
      const { payout } = verdict.meaning
      if (payout === null) return { kind: 'unknown', why: 'unseen_status', ...said }
      if (typeof payout === 'object') return { kind: 'blocked', ...payout, ...said }
      return { kind: 'declined', reason: payout, ...said }
    }
    case 'no_session':
      if (verdict.certain) return { kind: 'blocked', because: 'access', ...said }
      return { kind: 'unknown', why: 'refused_us', ...said }
    case 'refused':
      return verdict.certain ? { kind: 'blocked', ...said } : { kind: 'unknown', why: 'refused_us', ...said }
    case 'not_sent':
      return { kind: 'not_sent', ...busyOf(verdict.busy), provider_status: null }
    case 'unclear':
      return { kind: 'unknown', why: verdict.why, ...said }
  }
}

/** What a query says of a payment. */
export function paymentStatus(verdict: Verdict, request: Asked, reading: Reading): Answer {
  if (isOthers(verdict.envelope, request)) return unknown('unreadable')
  if (verdict.is === 'done') {
    const state = stateOf(verdict.envelope, request, reading.states)
    if (state.kind === 'reversed' || state.kind === 'succeeded' || state.kind === 'accepted') return state
    const { failed } = reading.states
    const name = Object.keys(failed).find((known) => isFailure(verdict.envelope, known))
    const reason = name === undefined ? undefined : failed[name]
    return reason === undefined ? state : { ...heardIn(state), kind: 'declined', reason }
  }
  const code = verdict.envelope?.code ?? null
  const is_answer = verdict.is === 'failed' || (verdict.is === 'unclear' && verdict.why === 'unseen_status')
  if (is_answer && code !== null && reading.not_found_codes.includes(code)) {
    return { kind: 'not_found', provider_status: code }
  }
  return nothingSaid(verdict)
}

/** What a query says of a payout. "There is no such payout" is never certain enough to send its money again. */
export function payoutStatus(verdict: Verdict, request: Asked, reading: Reading): PayoutAnswer {
  if (isOthers(verdict.envelope, request)) return unknown('unreadable')
  if (verdict.is !== 'done') return nothingSaid(verdict)
  const state = stateOf(verdict.envelope, request, reading.states)
  if (state.kind === 'reversed') return { ...state, charge_returned: false }
  if (state.kind !== 'unknown') return state
  const is_failed = reading.states.payout_failed.some((known) => isFailure(verdict.envelope, known))
  return is_failed ? { ...heardIn(state), kind: 'declined', reason: 'provider_declined' } : state
}

/** The name on an account, from a look-up. */
export function nameOf(verdict: Verdict): string | null {
  if (verdict.is !== 'done') return null
  const name = verdict.envelope.names
    .join(' ')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return name === '' ? null : [...name].slice(0, NAME_MAX).join('')
}

const NAME_MAX = 100

/** With a receipt it is done, for exactly what was asked: no answer repeats the amount. Without one it was only taken. */
function taken(envelope: Envelope, { amount_minor, currency }: Asked) {
  const { transaction_id } = envelope
  if (transaction_id === null) return { kind: 'accepted', ...saidBy(envelope) } as const
  return { kind: 'succeeded', amount_minor, currency, ...saidBy(envelope) } as const
}

/** The state that a query tells. Reversed only what was paid: any other mixture is not understood. */
function stateOf(envelope: Envelope, { amount_minor, currency }: Asked, states: StateWords) {
  const word = wordIn(envelope)
  const id = envelope.original_id ?? envelope.transaction_id
  const said = { provider_status: word, ...(id === null ? {} : { provider_id: id }) }
  const is = (words: readonly string[]) => words.some((known) => isSame(known, word))
  if (word === null) return { kind: 'unknown', why: 'unreadable', ...said } as const
  if (is(states.paid) && envelope.reversed === 'no')
    return { kind: 'succeeded', amount_minor, currency, ...said } as const
  if (is(states.paid) && envelope.reversed === 'yes') {
    return { kind: 'reversed', amount_minor, currency, ...said, provider_status: `${word}, reversed` } as const
  }
  if (is(states.pending) && envelope.reversed === 'no') return { kind: 'accepted', ...said } as const
  return { kind: 'unknown', why: 'unseen_status', ...said } as const
}

function wordIn({ state }: Envelope): string | null {
  const word = state?.trim() ?? ''
  return word === '' ? null : word
}

function isSame(known: string, word: string | null): boolean {
  return word !== null && known.toLowerCase() === word.toLowerCase()
}

/** What failed cannot have been taken back as well: such a mixture is not understood. */
function isFailure(envelope: Envelope, known: string): boolean {
  return envelope.reversed === 'no' && isSame(known, wordIn(envelope))
}

function heardIn({ provider_status, provider_id }: Said): Said {
  return provider_id === undefined ? { provider_status } : { provider_status, provider_id }
}

/** A question that was refused, or not answered, says nothing about what it was asked about. */
function nothingSaid(verdict: Verdict): Unknown {
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

function saidBy(envelope: Envelope | null): Said {
  const provider_id = envelope?.transaction_id ?? envelope?.conversation_id ?? null
  return { provider_status: envelope?.code ?? null, ...(provider_id === null ? {} : { provider_id }) }
}

/**
 * True when the answer speaks of another request of ours: two connections were mixed up somewhere on the way. An id in any
 * other form is the gateway's own, and says nothing. A question has an id of its own, of another length.
 */
function isOthers(envelope: Envelope | null, { reference }: { reference: string }): boolean {
  const echo = envelope?.echo ?? null
  return echo !== null && echo !== reference && echo.length === reference.length && /^[0-9A-Z]+$/.test(echo)
}

function unknown(why: Unknown['why']): Unknown {
  return { kind: 'unknown', why, provider_status: null }
}
