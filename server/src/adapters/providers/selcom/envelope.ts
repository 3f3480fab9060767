// Reads the envelope of the gateway's answers and classifies an HTTP exchange. The functions only compute and cause no side
// effect.

import { busyOf, type ExchangeResult, type LostWhy } from '../exchange.ts'
import { follows } from '../follows.ts'
import type { BlockCause } from '../port.ts'

/** The members of a JSON object, whose values no function has checked yet. */
export type SelcomFields = Record<string, unknown>

/** The fields of a well-formed answer of the gateway. Null means that the field is missing or no text. */
export type SelcomEnvelope = {
  resultcode: string
  result: string
  message: string
  reference: string | null
  /** The transaction id that the gateway repeats. In payout queries, the gateway names this field messageId. */
  transid: string | null
  data: readonly SelcomFields[]
}

/**
 * The class of an exchange. `rejected`: the gateway did not execute a wrong request. `refused`: the gateway refuses access;
 * without `certain`, a proxy may have refused instead. `not_sent`: the client wrote no byte. `unclear`: the gateway may have
 * executed the request.
 */
export type SelcomVerdict =
  | { is: 'done' | 'pending' | 'failed' | 'rejected'; status: number; envelope: SelcomEnvelope }
  | { is: 'refused'; certain: boolean; because: BlockCause | null; status: number; envelope: SelcomEnvelope | null }
  | { is: 'not_sent'; busy?: true; envelope: null }
  | { is: 'unclear'; why: LostWhy | 'unseen_status'; status: number | null; envelope: SelcomEnvelope | null }

const TEXT_MAX = 300
const CODE = /^[0-9A-Za-z]{1,8}$/
const DONE = '000'
/** The codes that mean "in progress": two codes of every product, and three codes of transfers from abroad. */
const PENDING: readonly string[] = ['111', '927', '001', '002', '003']
/** The result code by which the gateway reports an ambiguous result. */
export const AMBIGUOUS = '999'
/**
 * The message about a silent upstream, which can come with any failure code. The gateway writes the message with this
 * misspelling.
 */
const UPSTREAM = /\bno\s+res?ponse\s+from\s+upstream/i
/** The messages by which the gateway refuses the platform's address or the use of a product. */
const REFUSALS: readonly (readonly [matches: (text: string) => boolean, because: BlockCause])[] = [
  [(text) => /\b4032\b/.test(text), 'address'],
  [(text) => follows(text, /\bip\b/i, /\bwhite-?\s?list/i), 'address'],
  [(text) => /\b4035\b/.test(text), 'access'],
  [(text) => /\bendpoint not enabled\b/i.test(text), 'access'],
]

/** Reads an envelope. If the text is no envelope, returns null. */
export function readSelcomEnvelope(text: string): SelcomEnvelope | null {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return null
  }
  if (!isFields(content)) return null
  const { resultcode, result } = content
  if (typeof resultcode !== 'string' || !CODE.test(resultcode) || typeof result !== 'string') return null
  const { data } = content
  return {
    resultcode,
    result: result.slice(0, TEXT_MAX),
    message: (textOf(content.message) ?? '').slice(0, TEXT_MAX),
    reference: textOf(content.reference),
    transid: textOf(content.transid) ?? textOf(content.messageId),
    data: (Array.isArray(data) ? data : [data]).filter(isFields),
  }
}

/**
 * Classifies an envelope by its code. If the code is ambiguous, the message of a failure reports a silent upstream, or the
 * result text contradicts the code, the class is `unclear`.
 */
export function resultClassOf({
  resultcode,
  result,
  message,
}: SelcomEnvelope): 'done' | 'pending' | 'failed' | 'unclear' {
  const text = result.toUpperCase().replace(/[^A-Z]/g, '')
  if (resultcode === DONE) return text === 'SUCCESS' ? 'done' : 'unclear'
  if (PENDING.includes(resultcode)) return text === 'PENDING' || text === 'INPROGRESS' ? 'pending' : 'unclear'
  if (resultcode === AMBIGUOUS || UPSTREAM.test(message)) return 'unclear'
  return text === 'FAIL' || text === 'FAILED' ? 'failed' : 'unclear'
}

/** Classifies an exchange. `refusal_texts` are additional texts by which the gateway refuses access. */
export function classifySelcomExchange(sent: ExchangeResult, refusal_texts: readonly string[] = []): SelcomVerdict {
  if (sent.kind === 'not_sent') return { ...busyOf(sent.busy), is: 'not_sent', envelope: null }
  if (sent.kind === 'lost') return { is: 'unclear', why: sent.why, status: null, envelope: null }
  const { status } = sent
  const envelope = readSelcomEnvelope(sent.text)
  const result_class = envelope === null ? null : resultClassOf(envelope)
  const unclear = (why: LostWhy | 'unseen_status'): SelcomVerdict => ({ is: 'unclear', why, status, envelope })

  const refused = (certain: boolean, because: BlockCause | null): SelcomVerdict => {
    return { is: 'refused', certain, because, status, envelope }
  }
  // Without an envelope, a 401 may come from a proxy. With an envelope that reports success, the answer contradicts itself.
  if (status === 401 && (result_class === null || result_class === 'failed'))
    return refused(result_class !== null, 'access')
  if (status === 401) return unclear('unseen_status')
  const refusal = result_class === 'failed' && envelope !== null ? refusalIn(envelope.message, refusal_texts) : null
  if (status === 403) return refused(refusal !== null, refusal?.because ?? null)
  if (status === 408) return unclear('timeout')
  if (status === 429 || status >= 500) return unclear('unreachable')
  if (envelope === null || result_class === null) return unclear('unreadable')
  if (status === 400 || status === 412) {
    if (refusal !== null) return refused(true, refusal.because)
    return result_class === 'failed' ? { is: 'rejected', status, envelope } : unclear('unseen_status')
  }
  if (status < 200 || status > 299) return unclear('unreadable')
  if (refusal !== null) return refused(true, refusal.because)
  return result_class === 'unclear' ? unclear('unseen_status') : { is: result_class, status, envelope }
}

/** Returns true for a JSON object, and false for a list, null or any other value. */
export function isFields(value: unknown): value is SelcomFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** If the value is a text, returns the text. Otherwise returns null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Returns the cause of the refusal that a message reports. If the message reports no refusal, returns null. */
function refusalIn(message: string, refusal_texts: readonly string[]): { because: BlockCause | null } | null {
  const documented = REFUSALS.find(([matches]) => matches(message))
  if (documented !== undefined) return { because: documented[1] }
  const lower = message.toLowerCase()
  return refusal_texts.some((text) => lower.includes(text.toLowerCase())) ? { because: null } : null
}
