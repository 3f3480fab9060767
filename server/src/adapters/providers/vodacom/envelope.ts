// Reads the gateway's answers and classifies an HTTP exchange. The functions only compute and cause no side effect.

import { busyOf, type ExchangeResult, type LostWhy } from '../exchange.ts'
import { follows } from '../follows.ts'
import type { FailureReason } from '../port.ts'
import { meaningOf, type VodacomCodeMeaning } from './codes.ts'

/**
 * The fields that the adapter uses from an answer, with unchanged texts. Null means that the field is missing or has another
 * form.
 */
export type VodacomEnvelope = {
  code: string | null
  description: string
  transaction_id: string | null
  conversation_id: string | null
  /** The conversation id of the platform, which the gateway repeats. */
  echo: string | null
  /** The state of the transaction in the answer to a query. */
  state: string | null
  /** The id of the transaction in the answer to a query. */
  original_id: string | null
  /** The mark by which the answer to a query reports that the gateway reversed the transaction. */
  reversed: 'yes' | 'no' | 'unreadable'
  session: string | null
  names: readonly string[]
}

/** The meaning of a code that names a failure. */
export type VodacomFailure = Extract<VodacomCodeMeaning, { is: 'failed' }>

/**
 * The class of an exchange. `failed`: the gateway named a failure and did not execute the request. `certain`: the gateway
 * itself refused and executed nothing. `not_sent`: the client wrote no byte. `unclear`: the gateway may have executed the
 * request.
 */
export type VodacomVerdict =
  | { is: 'done'; envelope: VodacomEnvelope }
  | { is: 'failed'; meaning: VodacomFailure; envelope: VodacomEnvelope }
  | { is: 'no_session' | 'refused'; certain: boolean; envelope: VodacomEnvelope | null }
  | { is: 'not_sent'; busy?: true; envelope: null }
  | { is: 'unclear'; why: LostWhy | 'unseen_status'; envelope: VodacomEnvelope | null }

const CODE = /^INS-\d{1,5}$/
/** The form of the gateway's ids. If an answer has no id, the field may contain N/A. */
const ID = /^[0-9A-Za-z_.-]{5,64}$/
const YES = ['true', 'yes', '1']
const NO = ['false', 'no', '0', 'n/a', '']
/** Returns true if a text without a documented code refuses the session or the bearer. */
const deniesSession = (text: string): boolean =>
  /\bbearer\b/i.test(text) ||
  follows(text, /\bsession\b/i, /\b(?:invalid|expired|not found)\b/i) ||
  follows(text, /\b(?:invalid|expired)\b/i, /\bsession\b/i)

/** Reads an answer. If the text is no answer of the gateway, returns null. */
export function readVodacomEnvelope(text: string): VodacomEnvelope | null {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return null
  const fields = content as Record<string, unknown>
  if (!Object.keys(fields).some((name) => name.startsWith('output_'))) return null
  const code = textOf(fields.output_ResponseCode)
  if (code !== null && !CODE.test(code)) return null
  return {
    code,
    description: textOf(fields.output_ResponseDesc) ?? textOf(fields.output_error) ?? '',
    transaction_id: idOf(fields.output_TransactionID),
    conversation_id: idOf(fields.output_ConversationID),
    echo: textOf(fields.output_ThirdPartyConversationID) ?? textOf(fields.output_ThirdPartyReference),
    state: textOf(fields.output_ResponseTransactionStatus),
    original_id: idOf(fields.output_OriginalTransactionID),
    reversed: reversedOf(fields.output_Reversed),
    session: textOf(fields.output_SessionID),
    names: [fields.output_CustomerFirstName, fields.output_CustomerLastName]
      .map(textOf)
      .filter((name) => name !== null),
  }
}

/** The texts and codes that the operator configures in addition to the manual. */
export type VodacomWording = {
  /** The texts by which the gateway refuses a session. */
  session_texts: readonly string[]
  /** The texts by which the gateway refuses the platform's address or access. */
  refusal_texts: readonly string[]
  /** The undocumented codes that mean a certainly failed payment. */
  payment_failures: Readonly<Record<string, FailureReason>>
}

/**
 * Classifies an exchange. Code and HTTP status must agree: a failure code with HTTP 200, or a success code with HTTP 400, is
 * unclear.
 */
export function classifyVodacomExchange(sent: ExchangeResult, wording: VodacomWording): VodacomVerdict {
  if (sent.kind === 'not_sent') return { ...busyOf(sent.busy), is: 'not_sent', envelope: null }
  if (sent.kind === 'lost') return { is: 'unclear', why: sent.why, envelope: null }
  const { status } = sent
  const envelope = readVodacomEnvelope(sent.text)
  const unclear = (why: LostWhy | 'unseen_status'): VodacomVerdict => ({ is: 'unclear', why, envelope })
  if (status === 408) return unclear('timeout')
  if (status === 429 || status >= 500) return unclear('unreachable')
  if (envelope === null) {
    if (status === 401 || status === 403) return { is: 'refused', certain: false, envelope }
    return unclear('unreadable')
  }
  const meaning = envelope.code === null ? null : meaningOf(envelope.code)
  if (status >= 200 && status <= 299) {
    return meaning?.is === 'done' ? { is: 'done', envelope } : unclear(envelope.code ? 'unseen_status' : 'unreadable')
  }
  if (status < 400) return unclear('unreadable')
  if (meaning === null) return unnamed(status, envelope, wording)
  switch (meaning.is) {
    case 'done':
      return unclear('unseen_status')
    case 'session':
      return { is: 'no_session', certain: true, envelope }
    case 'doubt':
      return unclear(meaning.why)
    case 'failed':
      return { is: 'failed', meaning, envelope }
  }
}

/** Classifies a refusal that has no documented code. */
function unnamed(status: number, envelope: VodacomEnvelope, wording: VodacomWording): VodacomVerdict {
  const { session_texts, refusal_texts, payment_failures } = wording
  const { code, description } = envelope
  const lower = description.toLowerCase()
  const matches = (texts: readonly string[]) => texts.some((text) => lower.includes(text.toLowerCase()))
  if (matches(refusal_texts)) return { is: 'refused', certain: true, envelope }
  if (matches(session_texts)) return { is: 'no_session', certain: true, envelope }
  if (code !== null) {
    const payment = Object.hasOwn(payment_failures, code) ? payment_failures[code] : undefined
    if (payment === undefined) return { is: 'unclear', why: 'unseen_status', envelope }
    return { is: 'failed', meaning: { is: 'failed', payment, payout: null }, envelope }
  }
  if (status === 401 || deniesSession(description)) return { is: 'no_session', certain: true, envelope }
  if (status === 403) return { is: 'refused', certain: false, envelope }
  return { is: 'unclear', why: 'unreadable', envelope }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null
}

function reversedOf(value: unknown): VodacomEnvelope['reversed'] {
  if (value === undefined || value === null) return 'no'
  if (typeof value === 'object') return 'unreadable'
  const text = String(value).toLowerCase()
  if (NO.includes(text)) return 'no'
  return YES.includes(text) ? 'yes' : 'unreadable'
}
