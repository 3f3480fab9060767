// Cleans every answer of a provider before the platform decides or stores anything. An answer can have texts of any length,
// characters that the database cannot store, or a time far in the future. None of these may keep a payment open.

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

/**
 * The greatest lengths, in code points: of the provider's status and id, of the currency code, and of the name on an account.
 */
const STATUS_MAX = 64
const CURRENCY_MAX = 8
const NAME_MAX = 200
/**
 * The greatest lengths, in UTF-16 units, of the token and of the text of a QR code. The standard for QR payments allows 512
 * characters.
 */
const TOKEN_MAX = 64
const PAYLOAD_MAX = 1024
/** The greatest length, in code points, of a provider's message for operators. */
const MESSAGE_MAX = 300
/**
 * The shortest pause before the next query, in milliseconds. If a provider announces a shorter pause above zero, this pause
 * applies, because a worker must not query without a pause.
 */
const ASK_AGAIN_MS_MIN = 250
/**
 * The longest pause before the next query, in milliseconds. If a provider announces a longer pause, this pause applies.
 */
export const ASK_AGAIN_MS_MAX = 3_600_000
const AMOUNT_MINOR_MAX = 2n ** 53n

/** Control characters, including NUL, and lone surrogates. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u
const EACH_UNWRITABLE = new RegExp(UNWRITABLE, 'gu')

/** Cleans the name of an account and cuts the name to NAME_MAX code points. If the value has no name, returns null. */
export function readName(value: unknown): string | null {
  const name = storableText(value, NAME_MAX)?.trim() ?? ''
  return name === '' ? null : name
}

/** The answer that the platform uses in place of an unreadable answer. */
export const UNREADABLE: Answer & PayoutAnswer = { kind: 'unknown', why: 'unreadable', provider_status: null }

/**
 * Cleans an answer about a payment: cuts its texts and bounds its pause. If the kind, the amount or the currency is unreadable,
 * returns UNREADABLE.
 */
export function readAnswer(answer: Answer): Answer {
  if (typeof answer !== 'object' || answer === null) return UNREADABLE
  const common = commonFields(answer)
  switch (answer.kind) {
    case 'accepted':
    case 'not_found':
      return { kind: answer.kind, ...common }
    case 'unknown':
      return { kind: answer.kind, why: knownReason(answer.why), ...common }
    case 'declined': {
      const reason = Object.hasOwn(FAILURE_REASONS, answer.reason) ? answer.reason : 'unknown_provider_error'
      return { kind: answer.kind, reason, ...common, ...(answer.answered === true ? { answered: true } : {}) }
    }
    case 'succeeded':
    case 'held':
    case 'reversed': {
      const currency = storableText(answer.currency, CURRENCY_MAX)
      // An impossible amount must neither settle the payment nor make its whole batch fail.
      if (!isAmount(answer.amount_minor) || currency === null) return UNREADABLE
      return { kind: answer.kind, amount_minor: answer.amount_minor, currency, ...common }
    }
    default:
      return UNREADABLE
  }
}

/** Cleans the answer to a push as `readAnswer` does, and accepts `not_sent` too. */
export function readPushAnswer(answer: PushAnswer): PushAnswer {
  if (typeof answer !== 'object' || answer === null || answer.kind !== 'not_sent') return readAnswer(answer as Answer)
  return { kind: answer.kind, provider_status: null, ...busyMark(answer.busy), ...askAgainOf(answer.ask_again_ms) }
}

/**
 * Cleans the answer to a QR request. If the kind is not `accepted`, or the server cannot store the token or the code unchanged,
 * removes both.
 */
export function readQrAnswer(answer: QrAnswer): QrAnswer {
  const cleaned = readAnswer(answer)
  if (cleaned.kind !== 'accepted') return cleaned
  const { payment_token, qr_payload } = answer
  if (!isCode(payment_token, TOKEN_MAX) || !isCode(qr_payload, PAYLOAD_MAX)) return cleaned
  return { ...cleaned, payment_token, qr_payload }
}

/** Cleans an answer about a payout. If the kind, the amount or the currency is unreadable, returns UNREADABLE. */
export function readPayoutAnswer(answer: PayoutAnswer): PayoutAnswer {
  if (typeof answer !== 'object' || answer === null) return UNREADABLE
  // The adapter has already removed the platform's secrets. This function removes fields with secret names, because a
  // gateway may repeat the fields of a request.
  const { provider_message: raw } = answer
  const provider_message = storableText(typeof raw === 'string' ? redactFields(raw) : raw, MESSAGE_MAX)
  const common = { ...commonFields(answer), ...(provider_message === null ? {} : { provider_message }) }
  switch (answer.kind) {
    case 'blocked': {
      const { because } = answer
      return { kind: answer.kind, ...(because && Object.hasOwn(BLOCK_CAUSES, because) ? { because } : {}), ...common }
    }
    case 'not_sent':
      return { kind: answer.kind, ...common, ...busyMark(answer.busy) }
    case 'accepted':
    case 'not_found':
      return { kind: answer.kind, ...common }
    case 'unknown':
      return { kind: answer.kind, why: knownReason(answer.why), ...common }
    case 'declined': {
      const reason = Object.hasOwn(PAYOUT_FAILURES, answer.reason) ? answer.reason : 'unknown_provider_error'
      return { kind: answer.kind, reason, ...common }
    }
    case 'succeeded':
    case 'reversed': {
      const { amount_minor } = answer
      const currency = storableText(answer.currency, CURRENCY_MAX)
      if (!isAmount(amount_minor) || currency === null) return UNREADABLE
      if (answer.kind === 'succeeded') return { kind: answer.kind, amount_minor, currency, ...common }
      return { kind: answer.kind, amount_minor, currency, charge_returned: answer.charge_returned === true, ...common }
    }
    default:
      return UNREADABLE
  }
}

function commonFields(answer: Answer | PayoutAnswer) {
  return {
    provider_status: statusText(answer.provider_status),
    provider_id: statusText(answer.provider_id),
    ...askAgainOf(answer.ask_again_ms),
  }
}

/**
 * Removes secrets that the provider repeats, such as a PIN, from its status or id, and cuts the text. If the value is no text,
 * returns null. The server stores the text, and merchants can read the status.
 */
function statusText(value: unknown): string | null {
  return storableText(typeof value === 'string' ? redactFields(value) : value, STATUS_MAX)
}

/**
 * Cuts a text to `max` code points and replaces control characters and lone surrogates. If the value is no text, returns null.
 */
function storableText(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null
  if (value.length <= max && !UNWRITABLE.test(value)) return value
  const characters = [...value.slice(0, 2 * max)].slice(0, max)
  return characters.join('').replace(EACH_UNWRITABLE, '\u{fffd}')
}

function busyMark(busy: unknown): { busy?: true } {
  return busy === true ? { busy } : {}
}

/** The reasons that an adapter may give. Only the platform gives `not_asked`. */
const UNKNOWN_REASONS: readonly UnknownWhy[] = [
  'timeout',
  'unreachable',
  'unreadable',
  'unseen_status',
  'ambiguous',
  'refused_us',
  'busy',
]

/**
 * Returns a listed reason unchanged, and `unreadable` for any other value. The history then contains only listed reasons.
 */
function knownReason(why: unknown): UnknownWhy {
  return UNKNOWN_REASONS.find((reason) => reason === why) ?? 'unreadable'
}

function askAgainOf(ms: unknown): { ask_again_ms?: number } {
  if (typeof ms !== 'number' || Number.isNaN(ms) || ms <= 0) return {}
  return { ask_again_ms: Math.min(Math.max(Math.ceil(ms), ASK_AGAIN_MS_MIN), ASK_AGAIN_MS_MAX) }
}

function isAmount(value: unknown): value is bigint {
  return typeof value === 'bigint' && value > 0n && value <= AMOUNT_MINOR_MAX
}

function isCode(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= max && !UNWRITABLE.test(value)
}
