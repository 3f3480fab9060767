// What the gateway's word means for a payout, and what else is asked about paying out. Pure, so that every case can be tested
// as a table.
//
// A payout is one request, and the query of the same product tells its outcome. A payout that counts as failed gives its money
// back to the merchant, so only a code that somebody has explained fails one, never a word in a message, and of a question only
// when the answer is about this payout: the manual's "all other codes: failed" is not enough.

import { busyOf } from '../exchange.ts'
import { follows } from '../follows.ts'
import type { PayoutAnswer, PayoutFailure, PayoutRequest } from '../port.ts'
import { type Envelope, isFields, textOf, type Verdict } from './envelope.ts'
import { amountOf, REPEATED, UNAVAILABLE, unknown, whyOf, wordOf } from './mapping.ts'

/** How answers about payouts are read. */
export type PayoutReading = {
  /** The pause that the gateway asks for before a question. */
  ask_again_ms: number
  /** Codes beyond those below by which a payout failed for certain, and no money left. */
  failed_codes: readonly string[]
}

/** Number, account, name, customer or institution that cannot be paid. */
const NO_RECIPIENT: readonly string[] = ['010', '012', '029', '103', '201', '202', '203', '404', '415', '612']
/** Said of amounts above a limit, and of amounts below one. */
const OUT_OF_LIMITS: readonly string[] = ['013', '015', '703']
/** A failure without a cause, under which a question that failed may hide as well. */
const FAILED = '400'
/** The account that payouts are paid from is empty: its owner is the platform. */
const FLOAT_EMPTY = '990'
/** That account, or its PIN, is not what the gateway knows: the platform's to mend, and no fault of the payout. */
const NOT_KNOWN: readonly string[] = ['611', '651']
/** Of a question, an account that is not found and a payout that is not found look alike. */
const ABOUT_THE_QUESTION: readonly string[] = ['404']
/** What nobody would say of a payout that was executed to its end, one way or the other. */
const DOUBT =
  /time[sd]?[\s-]*out|try(?:ing)?\s+again|\bretry|(?:system|internal|server) (?:error|fail)|too many requests|in progress|being processed|pending|ambig/i
/** What is said of a question: about nothing that is known, or not asked as it should be. */
const ABOUT_THE_QUESTION_TEXT =
  /not found|no such|no records?\b|unknown|missing|invalid (?:order|trans|reference|param|time|sign|digest|request|auth)|timestamp|signature|digest|authori[sz]|authentic/i
const doesNotExist = (text: string): boolean =>
  follows(text, /(?:transaction|transid|reference|record|order|request|messageid)\b/i, /\b(?:not|n't) exist/i)
/** The words of a failure that is one: of the payout, and of nothing else. */
const HAS_FAILED =
  /^\W*(?:the\s+)?(?:transaction|payment|payout|transfer|cash-?\s?in)\s+(?:has\s+|was\s+)?(?:been\s+)?(?:failed|declined|rejected|unsuccessful|not\s+successful)\W*$/i

/** What the answer to a payout request says. */
export function payoutSent(verdict: Verdict, request: PayoutRequest, reading: PayoutReading): PayoutAnswer {
  const { ask_again_ms } = reading
  const { envelope } = verdict
  const said = { provider_status: wordOf(envelope), provider_id: envelope?.reference ?? null }
  if (isOthers(envelope, request)) return unknown('unreadable')
  switch (verdict.is) {
    case 'done':
      return { kind: 'succeeded', ...paidAsAsked(request), ...said }
    case 'pending':
      return { kind: 'accepted', ask_again_ms, ...said }
    case 'failed':
    case 'rejected':
      return { ...refusal(verdict.envelope, verdict.is, reading), ...said }
    case 'refused': {
      if (!verdict.certain) return { kind: 'unknown', why: 'refused_us', ...said }
      return { kind: 'blocked', ...(verdict.because && { because: verdict.because }), ...said }
    }
    case 'not_sent':
      return { kind: 'not_sent', ...busyOf(verdict.busy), provider_status: null }
    case 'unclear': {
      const answer = { kind: 'unknown', why: verdict.why, ...said } as const
      // Only a word of the gateway's own asks for its pause; a lost answer may be there in a moment.
      return verdict.why === 'unseen_status' ? { ...answer, ask_again_ms } : answer
    }
  }
}

/** A request that the gateway says it did not execute, because the payout failed or because the request itself is wrong. */
function refusal(
  { resultcode, message }: Envelope,
  standing: 'failed' | 'rejected',
  { ask_again_ms, failed_codes }: PayoutReading,
): PayoutAnswer {
  const doubtful = { ...unknown('unseen_status'), ask_again_ms }
  if (REPEATED.test(message) || DOUBT.test(message)) return doubtful
  // Nothing was executed, and the same request goes through once the operator has mended what is ours.
  if (resultcode === FLOAT_EMPTY) return { kind: 'blocked', because: 'float', provider_status: null }
  if (NOT_KNOWN.includes(resultcode)) return { kind: 'blocked', because: 'access', provider_status: null }
  const reason = reasonOf(resultcode, failed_codes)
  if (standing === 'rejected') {
    const named = reason === null || reason === 'provider_declined' ? 'unknown_provider_error' : reason
    return { kind: 'declined', reason: named, provider_status: null }
  }
  return reason === null ? doubtful : { kind: 'declined', reason, provider_status: null }
}

/** What a payout query says. It knows no certain "there is no such payout": that one is never answered. */
export function payoutStatus(verdict: Verdict, request: PayoutRequest, reading: PayoutReading): PayoutAnswer {
  const { envelope } = verdict
  if (isOthers(envelope, request)) return unknown('unreadable')
  if (verdict.is === 'done' || verdict.is === 'pending') return payoutSent(verdict, request, reading)
  if (verdict.is === 'failed' && isAbout(verdict.envelope, request)) {
    const reason = failureIn(verdict.envelope, reading)
    const said = { provider_status: wordOf(envelope), provider_id: verdict.envelope.reference }
    if (reason !== null) return { kind: 'declined', reason, ...said }
  }
  const why = verdict.is === 'failed' ? 'unseen_status' : whyOf(verdict)
  return why === 'unseen_status' ? { ...unknown(why), ask_again_ms: reading.ask_again_ms } : unknown(why)
}

/** True when the gateway must know the payout: it took it before, or it repeats its id. */
function isAbout({ transid }: Envelope, { reference, sent_at }: PayoutRequest): boolean {
  return sent_at !== null || transid === reference
}

/** Why a payout failed, by the answer to a question. Null: that is not what it says, or not for certain. */
function failureIn({ resultcode, message }: Envelope, { failed_codes }: PayoutReading): PayoutFailure | null {
  if (doesNotExist(message) || [ABOUT_THE_QUESTION_TEXT, REPEATED, DOUBT].some((text) => text.test(message)))
    return null
  if (failed_codes.includes(resultcode)) return reasonOf(resultcode, failed_codes)
  if (ABOUT_THE_QUESTION.includes(resultcode) || UNAVAILABLE.includes(resultcode)) return null
  if (resultcode === FAILED && !HAS_FAILED.test(message)) return null
  return reasonOf(resultcode, failed_codes)
}

/** Why a payout failed, by a code that somebody has explained. Null: nobody has. */
function reasonOf(code: string, failed_codes: readonly string[]): PayoutFailure | null {
  if (NO_RECIPIENT.includes(code)) return 'unknown_recipient'
  if (OUT_OF_LIMITS.includes(code)) return 'limit_exceeded'
  return code === FAILED || UNAVAILABLE.includes(code) || failed_codes.includes(code) ? 'provider_declined' : null
}

/** The gateway repeats no amount: done is done as asked. */
function paidAsAsked({ amount_minor, currency }: PayoutRequest) {
  return { amount_minor, currency }
}

/**
 * True when the answer speaks of another of our payouts: two connections were mixed up somewhere on the way. An id in any
 * other form is the gateway's own, and says nothing.
 */
function isOthers(envelope: Envelope | null, { reference }: PayoutRequest): boolean {
  const echo = envelope?.transid ?? null
  return echo !== null && echo !== reference && echo.length === reference.length && /^[0-9A-Z]+$/.test(echo)
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
