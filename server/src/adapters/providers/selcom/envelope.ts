// The envelope that every answer of the gateway comes in, and what an HTTP exchange as a whole comes to. Pure.

import { busyOf, type LostWhy, type Sent } from '../exchange.ts'
import { follows } from '../follows.ts'
import type { BlockCause } from '../port.ts'

/** Anything that JSON calls an object. */
export type Fields = Record<string, unknown>

/** A well-formed envelope. */
export type Envelope = {
  resultcode: string
  result: string
  message: string
  reference: string | null
  /** The echo of our transaction id; payout queries give it another name. */
  transid: string | null
  data: readonly Fields[]
}

/**
 * What an exchange comes to.
 * `done`, `pending`, `failed`: the gateway says so, and code and word agree. `rejected`: it found the request itself wrong and
 * executed nothing. `refused`: it does not let us in, `because` of what; `certain` when it is the gateway that says so, and
 * nobody in between.
 * `not_sent`: no byte was written. `unclear`: everything else; it may have been executed.
 */
export type Verdict =
  | { is: 'done' | 'pending' | 'failed' | 'rejected'; status: number; envelope: Envelope }
  | { is: 'refused'; certain: boolean; because: BlockCause | null; status: number; envelope: Envelope | null }
  | { is: 'not_sent'; busy?: true; envelope: null }
  | { is: 'unclear'; why: LostWhy | 'unseen_status'; status: number | null; envelope: Envelope | null }

const TEXT_MAX = 300
const CODE = /^[0-9A-Za-z]{1,8}$/
const DONE = '000'
/** In progress: two codes of every product, three of money transfers from abroad. */
const PENDING: readonly string[] = ['111', '927', '001', '002', '003']
/** It does not know, or what lies behind it does not. */
export const AMBIGUOUS = '999'
/** How it says that what lies behind it did not answer, as a failure too. The spelling is the gateway's. */
const UPSTREAM = /\bno\s+res?ponse\s+from\s+upstream/i
/** How it says that our address is not allowed, or our use of one of its products. */
const REFUSALS: readonly (readonly [says: (text: string) => boolean, because: BlockCause])[] = [
  [(text) => /\b4032\b/.test(text), 'address'],
  [(text) => follows(text, /\bip\b/i, /\bwhite-?\s?list/i), 'address'],
  [(text) => /\b4035\b/.test(text), 'access'],
  [(text) => /\bendpoint not enabled\b/i.test(text), 'access'],
]

/** Reads an envelope. Null: it is none, whatever else it is. */
export function readEnvelope(text: string): Envelope | null {
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

/** What an envelope says. The code decides; a word that does not fit it makes the whole unclear. */
export function standingOf({ resultcode, result, message }: Envelope): 'done' | 'pending' | 'failed' | 'unclear' {
  const word = result.toUpperCase().replace(/[^A-Z]/g, '')
  if (resultcode === DONE) return word === 'SUCCESS' ? 'done' : 'unclear'
  if (PENDING.includes(resultcode)) return word === 'PENDING' || word === 'INPROGRESS' ? 'pending' : 'unclear'
  if (resultcode === AMBIGUOUS || UPSTREAM.test(message)) return 'unclear'
  return word === 'FAIL' || word === 'FAILED' ? 'failed' : 'unclear'
}

/** What an exchange comes to. `refusal_texts`: more texts that mean that we are not let in. */
export function weigh(sent: Sent, refusal_texts: readonly string[] = []): Verdict {
  if (sent.kind === 'not_sent') return { ...busyOf(sent.busy), is: 'not_sent', envelope: null }
  if (sent.kind === 'lost') return { is: 'unclear', why: sent.why, status: null, envelope: null }
  const { status } = sent
  const envelope = readEnvelope(sent.text)
  const standing = envelope === null ? null : standingOf(envelope)
  const unclear = (why: LostWhy | 'unseen_status'): Verdict => ({ is: 'unclear', why, status, envelope })

  const refused = (certain: boolean, because: BlockCause | null): Verdict => {
    return { is: 'refused', certain, because, status, envelope }
  }
  // Without a failure of its own it may come from somebody on the way; with a success it contradicts itself.
  if (status === 401 && (standing === null || standing === 'failed')) return refused(standing !== null, 'access')
  if (status === 401) return unclear('unseen_status')
  const told = standing === 'failed' && envelope !== null ? refusalIn(envelope.message, refusal_texts) : null
  if (status === 403) return refused(told !== null, told?.because ?? null)
  if (status === 408) return unclear('timeout')
  if (status === 429 || status >= 500) return unclear('unreachable')
  if (envelope === null || standing === null) return unclear('unreadable')
  if (status === 400 || status === 412) {
    if (told !== null) return refused(true, told.because)
    return standing === 'failed' ? { is: 'rejected', status, envelope } : unclear('unseen_status')
  }
  if (status < 200 || status > 299) return unclear('unreadable')
  if (told !== null) return refused(true, told.because)
  return standing === 'unclear' ? unclear('unseen_status') : { is: standing, status, envelope }
}

/** True for an object of JSON. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** By what a message says that we are not let in. Null: it does not say so. */
function refusalIn(message: string, refusal_texts: readonly string[]): { because: BlockCause | null } | null {
  const known = REFUSALS.find(([says]) => says(message))
  if (known !== undefined) return { because: known[1] }
  const lower = message.toLowerCase()
  return refusal_texts.some((text) => lower.includes(text.toLowerCase())) ? { because: null } : null
}
