// Maps the gateway's answers to outcomes of payouts, names and balances. A failed payout returns its money to the merchant.
// So only an explained code about this payout fails a payout, although the manual says "all other codes: failed".

import { busyOf } from '../exchange.ts'
import { follows } from '../follows.ts'
import type { PayoutAnswer, PayoutFailure, PayoutRequest } from '../port.ts'
import { isFields, type SelcomEnvelope, type SelcomVerdict, textOf } from './envelope.ts'
import { amountOf, codeAndResultOf, REPEATED, UNAVAILABLE, unknown, whyOf } from './mapping.ts'

/** The settings for mapping answers about payouts. */
export type SelcomPayoutReading = {
  /** The pause that the gateway requires before a query. */
  ask_again_ms: number
  /** The configured codes that mean a certainly failed payout. */
  failed_codes: readonly string[]
}

/** The codes that name an unpayable number, account, name, customer or institution. */
const NO_RECIPIENT: readonly string[] = ['010', '012', '029', '103', '201', '202', '203', '404', '415', '612']
/** The codes that name an amount above or below a limit, or an invalid amount. */
const OUT_OF_LIMITS: readonly string[] = ['013', '015', '703']
/** The code for a failure without a named cause. A failed query may have this code too. */
const FAILED = '400'
/** The code that means an empty payout account of the platform. */
const FLOAT_EMPTY = '990'
/**
 * The codes that name an unknown payout account or PIN of the platform. An operator must fix the settings, and the payout
 * did not fail.
 */
const WRONG_CREDENTIALS: readonly string[] = ['611', '651']
/** The codes that, in a query, may mean an unknown account or an unknown payout. */
const ABOUT_THE_QUESTION: readonly string[] = ['404']
/** The texts that do not state whether the payout has ended. */
const DOUBT =
  /time[sd]?[\s-]*out|try(?:ing)?\s+again|\bretry|(?:system|internal|server) (?:error|fail)|too many requests|in progress|being processed|pending|ambig/i
/** The texts about the query itself: an unknown transaction or a malformed query. */
const ABOUT_THE_QUESTION_TEXT =
  /not found|no such|no records?\b|unknown|missing|invalid (?:order|trans|reference|param|time|sign|digest|request|auth)|timestamp|signature|digest|authori[sz]|authentic/i
const doesNotExist = (text: string): boolean =>
  follows(text, /(?:transaction|transid|reference|record|order|request|messageid)\b/i, /\b(?:not|n't) exist/i)
/** The texts that report the failure of the payout and nothing else. */
const HAS_FAILED =
  /^\W*(?:the\s+)?(?:transaction|payment|payout|transfer|cash-?\s?in)\s+(?:has\s+|was\s+)?(?:been\s+)?(?:failed|declined|rejected|unsuccessful|not\s+successful)\W*$/i

/** Maps the answer to a payout request to an outcome. */
export function payoutSent(verdict: SelcomVerdict, request: PayoutRequest, reading: SelcomPayoutReading): PayoutAnswer {
  const { ask_again_ms } = reading
  const { envelope } = verdict
  const status_fields = { provider_status: codeAndResultOf(envelope), provider_id: envelope?.reference ?? null }
  if (isOfOtherRequest(envelope, request)) return unknown('unreadable')
  switch (verdict.is) {
    case 'done':
      return { kind: 'succeeded', ...paidAsAsked(request), ...status_fields }
    case 'pending':
      return { kind: 'accepted', ask_again_ms, ...status_fields }
    case 'failed':
    case 'rejected':
      return { ...refusal(verdict.envelope, verdict.is, reading), ...status_fields }
    case 'refused': {
      if (!verdict.certain) return { kind: 'unknown', why: 'refused_us', ...status_fields }
      return { kind: 'blocked', ...(verdict.because && { because: verdict.because }), ...status_fields }
    }
    case 'not_sent':
      return { kind: 'not_sent', ...busyOf(verdict.busy), provider_status: null }
    case 'unclear': {
      const answer = { kind: 'unknown', why: verdict.why, ...status_fields } as const
      // Only an answer of the gateway starts the required pause. After a lost answer, a query may succeed immediately.
      return verdict.why === 'unseen_status' ? { ...answer, ask_again_ms } : answer
    }
  }
}

/** Maps a failure code to `declined`, `blocked` or an unknown outcome. */
function refusal(
  { resultcode, message }: SelcomEnvelope,
  verdict_class: 'failed' | 'rejected',
  { ask_again_ms, failed_codes }: SelcomPayoutReading,
): PayoutAnswer {
  const doubtful = { ...unknown('unseen_status'), ask_again_ms }
  if (REPEATED.test(message) || DOUBT.test(message)) return doubtful
  // The gateway executed nothing. After an operator fixed the settings, the same request can succeed.
  if (resultcode === FLOAT_EMPTY) return { kind: 'blocked', because: 'float', provider_status: null }
  if (WRONG_CREDENTIALS.includes(resultcode)) return { kind: 'blocked', because: 'access', provider_status: null }
  const reason = reasonOf(resultcode, failed_codes)
  if (verdict_class === 'rejected') {
    const named = reason === null || reason === 'provider_declined' ? 'unknown_provider_error' : reason
    return { kind: 'declined', reason: named, provider_status: null }
  }
  return reason === null ? doubtful : { kind: 'declined', reason, provider_status: null }
}

/**
 * Maps the answer to a payout query. The gateway has no certain answer that a payout does not exist, so the outcome is never
 * `not_found`.
 */
export function payoutStatus(
  verdict: SelcomVerdict,
  request: PayoutRequest,
  reading: SelcomPayoutReading,
): PayoutAnswer {
  const { envelope } = verdict
  if (isOfOtherRequest(envelope, request)) return unknown('unreadable')
  if (verdict.is === 'done' || verdict.is === 'pending') return payoutSent(verdict, request, reading)
  if (verdict.is === 'failed' && isAbout(verdict.envelope, request)) {
    const reason = failureIn(verdict.envelope, reading)
    const status_fields = { provider_status: codeAndResultOf(envelope), provider_id: verdict.envelope.reference }
    if (reason !== null) return { kind: 'declined', reason, ...status_fields }
  }
  const why = verdict.is === 'failed' ? 'unseen_status' : whyOf(verdict)
  return why === 'unseen_status' ? { ...unknown(why), ask_again_ms: reading.ask_again_ms } : unknown(why)
}

/** Returns true if the answer is about this payout: the gateway accepted the payout before, or the answer repeats its id. */
function isAbout({ transid }: SelcomEnvelope, { reference, sent_at }: PayoutRequest): boolean {
  return sent_at !== null || transid === reference
}

/**
 * Returns the reason of a failed payout from the answer to a query. If the answer reports no certain failure, returns null.
 */
function failureIn(
  { resultcode, message }: SelcomEnvelope,
  { failed_codes }: SelcomPayoutReading,
): PayoutFailure | null {
  if (doesNotExist(message) || [ABOUT_THE_QUESTION_TEXT, REPEATED, DOUBT].some((text) => text.test(message)))
    return null
  if (failed_codes.includes(resultcode)) return reasonOf(resultcode, failed_codes)
  if (ABOUT_THE_QUESTION.includes(resultcode) || UNAVAILABLE.includes(resultcode)) return null
  if (resultcode === FAILED && !HAS_FAILED.test(message)) return null
  return reasonOf(resultcode, failed_codes)
}

/** Returns the reason of a failed payout from an explained code. For any other code, returns null. */
function reasonOf(code: string, failed_codes: readonly string[]): PayoutFailure | null {
  if (NO_RECIPIENT.includes(code)) return 'unknown_recipient'
  if (OUT_OF_LIMITS.includes(code)) return 'limit_exceeded'
  return code === FAILED || UNAVAILABLE.includes(code) || failed_codes.includes(code) ? 'provider_declined' : null
}

/** Returns the requested amount as the paid amount, because the gateway repeats no amount. */
function paidAsAsked({ amount_minor, currency }: PayoutRequest) {
  return { amount_minor, currency }
}

/**
 * Returns true if the answer has the id of another payout, because the gateway may mix up two connections. An id of another
 * form comes from the gateway, so this function ignores that id.
 */
function isOfOtherRequest(envelope: SelcomEnvelope | null, { reference }: PayoutRequest): boolean {
  const echo = envelope?.transid ?? null
  return echo !== null && echo !== reference && echo.length === reference.length && /^[0-9A-Z]+$/.test(echo)
}

/** Reads the name on an account from the answer to a look-up. If the answer has no name, returns null. */
export function nameOf(verdict: SelcomVerdict): string | null {
  if (verdict.is !== 'done') return null
  const [row] = verdict.envelope.data
  const name = (textOf(row?.name) ?? '')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return name === '' ? null : [...name].slice(0, NAME_MAX).join('')
}

const NAME_MAX = 100

/** Reads the balance of the payout account in cents. If the answer has no balance, returns null. */
export function balanceOf(verdict: SelcomVerdict): bigint | null {
  if (verdict.is !== 'done') return null
  const [row] = verdict.envelope.data
  const balance: unknown = isFields(row) ? row.balance : null
  if (typeof balance === 'string' && /^0+(?:\.0+)?$/.test(balance)) return 0n
  return amountOf(balance)
}
