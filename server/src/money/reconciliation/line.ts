// One line of a statement: what it may say, and reading it from texts.

import type { MoveKind, ProviderMove } from '../../adapters/providers/extras.ts'
import { readStatementForm } from '../../adapters/providers/statement-forms.ts'
import { CURRENCY, parseAmount } from '../../kernel/lib/index.ts'
import { flowOf, namedBy } from './subject.ts'

/** What a line can be about. */
export const LINE_KINDS = ['payment', 'payout', 'reversal', 'charge'] as const satisfies readonly MoveKind[]
/** What one line is about. */
export type LineKind = (typeof LINE_KINDS)[number]

/** One movement as a provider states it, with its place in the statement. Amount in cents, always above zero. */
export type Line = ProviderMove & { line: number }

/** What a line is made of, as texts. An empty text: nothing. */
export type LineTexts = {
  reference: string
  provider_id: string
  kind: string
  amount: string
  currency: string
  at: string
}

/** The columns of a statement. */
export const FIELDS = [
  'reference',
  'provider_id',
  'kind',
  'amount',
  'currency',
  'at',
] as const satisfies readonly (keyof LineTexts)[]

const TEXT_MAX = 128

/** How the texts of a statement are to be read. `decimal_comma`: amounts may be written 25000,50. */
export type LineReading = { provider: string; period: { from: Date; to: Date }; decimal_comma: boolean }

/** The line, or what is wrong with it. */
export function readLine(line: number, texts: LineTexts, reading: LineReading): Line | string {
  const { provider, period, decimal_comma } = reading
  const at = readMoment(texts.at)
  const reference = at === null ? texts.reference || null : ownReference(provider, texts.reference || null, at)
  const provider_id = texts.provider_id || null
  if (reference === null && provider_id === null) return 'has neither reference nor provider_id'
  if (texts.reference.length > TEXT_MAX || texts.provider_id.length > TEXT_MAX) {
    return `has a reference or provider_id of more than ${TEXT_MAX} characters`
  }
  const kind = readKind(texts.kind, reference)
  if (kind === null) {
    if (texts.kind === '') return 'has no kind, and no reference of ours that would tell it'
    return `kind must be one of ${LINE_KINDS.join(', ')}`
  }
  const amount_minor = readAmount(texts.amount, kind, decimal_comma)
  if (typeof amount_minor === 'string') return amount_minor
  const currency = texts.currency === '' ? CURRENCY : texts.currency.toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) return 'currency must be a code of three letters'
  if (at === null) return 'at must be a time such as 2026-01-05T12:00:00Z or 2026-01-05 15:00:00'
  if (at < period.from || at >= period.to) return 'at lies outside the period of the statement'
  return { line, reference, provider_id, kind, amount_minor, currency, at }
}

/** A move that an adapter listed, checked as a line is. Null: it cannot be used. */
export function lineOfMove(provider: string, line: number, move: ProviderMove): Line | null {
  const { reference, provider_id, kind, amount_minor, currency, at } = move
  const texts = [reference, provider_id].filter((text) => text !== null)
  const sound =
    texts.length > 0 &&
    texts.every((text) => text.length >= 1 && text.length <= TEXT_MAX && !CONTROL.test(text)) &&
    LINE_KINDS.includes(kind) &&
    amount_minor > 0n &&
    amount_minor <= AMOUNT_MAX &&
    /^[A-Z]{3}$/.test(currency) &&
    !Number.isNaN(at.getTime())
  if (!sound) return null
  return { line, reference: ownReference(provider, reference, at), provider_id, kind, amount_minor, currency, at }
}

const CONTROL = /[\p{Cc}\p{Cs}]/u
const AMOUNT_MAX = 2n ** 53n

/** A provider may write our references in a form of its own. */
function ownReference(provider: string, stated: string | null, at: Date): string | null {
  if (stated === null || namedBy(stated) !== null) return stated
  return readStatementForm(provider, stated, at) ?? stated
}

function readKind(text: string, reference: string | null): LineKind | null {
  if (text === '') return reference === null ? null : flowOf(reference)
  const word = text.toLowerCase()
  return LINE_KINDS.find((kind) => kind === word) ?? null
}

/** Money that leaves is often written with a minus: the kind says so already. */
function readAmount(text: string, kind: LineKind, decimal_comma: boolean): bigint | string {
  let digits = kind !== 'payment' && text.startsWith('-') ? text.slice(1) : text
  if (decimal_comma && /^\d+,\d{1,2}$/.test(digits)) digits = digits.replace(',', '.')
  // Zeros behind the cents mean nothing.
  if (digits.length > 3 && /^\d+\.\d{2}0+$/.test(digits)) digits = digits.slice(0, digits.indexOf('.') + 3)
  const minor = parseAmount(digits)
  if (typeof minor === 'bigint') return minor
  return minor === 'not_positive'
    ? 'amount must be greater than zero'
    : 'amount must be a decimal such as 25000 or 25000.50, without separators'
}

const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/
const TANZANIA_MS = 3 * 3_600_000

/**
 * Reads a time in ISO 8601, or one without an offset, which is of Africa/Dar_es_Salaam. A date alone is its first moment.
 * Null: there is no such time.
 */
export function readMoment(text: string): Date | null {
  const match = MOMENT.exec(text)
  if (match === null) return null
  const part = (i: number) => Number(match[i] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const local = Date.UTC(year, month - 1, day, hour, minute, second)
  const date = new Date(local)
  // 30 February would be some day of March.
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60 &&
    year > 1999
  if (!exists) return null
  const ms = match[7] === undefined ? 0 : Number(match[7].padEnd(3, '0').slice(0, 3))
  if (match[8] !== undefined) return new Date(local + ms)
  if (match[9] === undefined) return new Date(local + ms - TANZANIA_MS)
  if (part(10) > 23 || part(11) > 59) return null
  const offset_ms = (part(10) * 60 + part(11)) * 60_000
  return new Date(local + ms - (match[9] === '-' ? -offset_ms : offset_ms))
}
