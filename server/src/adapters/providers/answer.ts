// What a provider may say: every answer passes here before anything is decided or stored. What comes from outside can be
// of any length, hold what no text of the database can, or name a time that never comes: none of it may keep a payment open.

import { redactFields } from '../../kernel/lib/index.ts'
import {
  type Answer,
  BLOCK_CAUSES,
  FAILURE_REASONS,
  PAYOUT_FAILURES,
  type PayoutAnswer,
  type PushAnswer,
  type QrAnswer,
  type UnknownWhy,
} from './port.ts'

/** Most characters (code points) of the provider's own word and id, and of its name of a currency. */
const WORD_MAX = 64
const CURRENCY_MAX = 8
const NAME_MAX = 200
/** Most characters of the texts of a QR code. The standard for QR payments ends at 512. */
const TOKEN_MAX = 64
const PAYLOAD_MAX = 1024
/** Most characters of what a provider tells operators. */
const TOLD_MAX = 300
/** Within these a provider may say when to ask again: neither in a hot loop nor after the deadline. */
const ASK_AGAIN_MS_MIN = 250
/** The longest pause that a provider may announce. */
export const ASK_AGAIN_MS_MAX = 3_600_000
const AMOUNT_MINOR_MAX = 2n ** 53n

/** Control characters, NUL among them, and lone surrogates. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u
const EACH_UNWRITABLE = new RegExp(UNWRITABLE, 'gu')

/** A name of an account as it may be shown and stored. Null: there is none. */
export function readName(said: unknown): string | null {
  const name = textOf(said, NAME_MAX)?.trim() ?? ''
  return name === '' ? null : name
}

/** An answer that says nothing. */
export const UNREADABLE: Answer & PayoutAnswer = { kind: 'unknown', why: 'unreadable', provider_status: null }

/** An answer as it may be used: its texts can be stored, its times are near, its amount is one that a payment can have. */
export function readAnswer(said: Answer): Answer {
  if (typeof said !== 'object' || said === null) return UNREADABLE
  const heard = heardOf(said)
  switch (said.kind) {
    case 'accepted':
    case 'not_found':
      return { kind: said.kind, ...heard }
    case 'unknown':
      return { kind: said.kind, why: whyOf(said.why), ...heard }
    case 'declined': {
      const reason = Object.hasOwn(FAILURE_REASONS, said.reason) ? said.reason : 'unknown_provider_error'
      return { kind: said.kind, reason, ...heard, ...(said.answered === true ? { answered: true } : {}) }
    }
    case 'succeeded':
    case 'held':
    case 'reversed': {
      const currency = textOf(said.currency, CURRENCY_MAX)
      // It must neither pay, nor stop the set that it is in.
      if (!isAmount(said.amount_minor) || currency === null) return UNREADABLE
      return { kind: said.kind, amount_minor: said.amount_minor, currency, ...heard }
    }
    default:
      return UNREADABLE
  }
}

/** As `readAnswer`, for a push. */
export function readPushAnswer(said: PushAnswer): PushAnswer {
  if (typeof said !== 'object' || said === null || said.kind !== 'not_sent') return readAnswer(said as Answer)
  return { kind: said.kind, provider_status: null, ...busyOf(said.busy), ...pauseOf(said.ask_again_ms) }
}

/** As `readAnswer`. A code is shown exactly as the provider made it, or not at all. */
export function readQrAnswer(said: QrAnswer): QrAnswer {
  const answer = readAnswer(said)
  if (answer.kind !== 'accepted') return answer
  const { payment_token, qr_payload } = said
  if (!isCode(payment_token, TOKEN_MAX) || !isCode(qr_payload, PAYLOAD_MAX)) return answer
  return { ...answer, payment_token, qr_payload }
}

/** As `readAnswer`, for a payout. Of one whose amount is no amount nothing is known. */
export function readPayoutAnswer(said: PayoutAnswer): PayoutAnswer {
  if (typeof said !== 'object' || said === null) return UNREADABLE
  // An adapter takes its own secrets out; what a gateway repeats of a request is taken out here, by name.
  const told = textOf(typeof said.told === 'string' ? redactFields(said.told) : said.told, TOLD_MAX)
  const heard = { ...heardOf(said), ...(told === null ? {} : { told }) }
  switch (said.kind) {
    case 'blocked': {
      const { because } = said
      return { kind: said.kind, ...(because && Object.hasOwn(BLOCK_CAUSES, because) ? { because } : {}), ...heard }
    }
    case 'not_sent':
      return { kind: said.kind, ...heard, ...busyOf(said.busy) }
    case 'accepted':
    case 'not_found':
      return { kind: said.kind, ...heard }
    case 'unknown':
      return { kind: said.kind, why: whyOf(said.why), ...heard }
    case 'declined': {
      const reason = Object.hasOwn(PAYOUT_FAILURES, said.reason) ? said.reason : 'unknown_provider_error'
      return { kind: said.kind, reason, ...heard }
    }
    case 'succeeded':
    case 'reversed': {
      const { amount_minor } = said
      const currency = textOf(said.currency, CURRENCY_MAX)
      if (!isAmount(amount_minor) || currency === null) return UNREADABLE
      if (said.kind === 'succeeded') return { kind: said.kind, amount_minor, currency, ...heard }
      return { kind: said.kind, amount_minor, currency, charge_returned: said.charge_returned === true, ...heard }
    }
    default:
      return UNREADABLE
  }
}

function heardOf(said: Answer | PayoutAnswer) {
  return {
    provider_status: wordOf(said.provider_status),
    provider_id: wordOf(said.provider_id),
    ...pauseOf(said.ask_again_ms),
  }
}

/** The provider's own word, without what it repeats of a PIN or the like: it is stored, and shown to merchants. */
function wordOf(value: unknown): string | null {
  return textOf(typeof value === 'string' ? redactFields(value) : value, WORD_MAX)
}

/** The text, cut to `max` characters, with a replacement character for each that cannot be stored. */
function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null
  if (value.length <= max && !UNWRITABLE.test(value)) return value
  const characters = [...value.slice(0, 2 * max)].slice(0, max)
  return characters.join('').replace(EACH_UNWRITABLE, '\u{fffd}')
}

function busyOf(busy: unknown): { busy?: true } {
  return busy === true ? { busy } : {}
}

/** What an adapter may say; `not_asked` is ours. */
const WHYS: readonly UnknownWhy[] = [
  'timeout',
  'unreachable',
  'unreadable',
  'unseen_status',
  'ambiguous',
  'refused_us',
  'busy',
]

/** It ends up in the history: nothing but a word of ours. */
function whyOf(why: unknown): UnknownWhy {
  return WHYS.find((known) => known === why) ?? 'unreadable'
}

function pauseOf(ms: unknown): { ask_again_ms?: number } {
  if (typeof ms !== 'number' || Number.isNaN(ms) || ms <= 0) return {}
  return { ask_again_ms: Math.min(Math.max(Math.ceil(ms), ASK_AGAIN_MS_MIN), ASK_AGAIN_MS_MAX) }
}

function isAmount(value: unknown): value is bigint {
  return typeof value === 'bigint' && value > 0n && value <= AMOUNT_MINOR_MAX
}

function isCode(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= max && !UNWRITABLE.test(value)
}
