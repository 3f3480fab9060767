// Parses and validates one line of a statement.

import type { MoveKind, ProviderMove } from '../../adapters/providers/extras.ts'
import { readStatementForm } from '../../adapters/providers/statement-forms.ts'
import { CURRENCY, parseAmount } from '../../kernel/lib/index.ts'
import { flowOf, parseOwnReference } from './subject.ts'

/** All kinds of statement lines. A charge is what the provider charges for a payment or payout. */
export const LINE_KINDS = ['payment', 'payout', 'reversal', 'charge'] as const satisfies readonly MoveKind[]
/** The kind of one statement line. The amount has no sign, so the kind gives the direction. */
export type LineKind = (typeof LINE_KINDS)[number]

/** A movement in a provider's statement, with its line number. The amount is in cents and above zero. */
export type ImportedLine = ProviderMove & { line: number }

/** The texts of a statement line. An empty text means that the line has no such field. */
export type LineTexts = {
  reference: string
  provider_id: string
  kind: string
  amount: string
  currency: string
  at: string
}

/** The names of all fields of a statement line, as columns of a file may have them. */
export const LINE_FIELDS = [
  'reference',
  'provider_id',
  'kind',
  'amount',
  'currency',
  'at',
] as const satisfies readonly (keyof LineTexts)[]

const TEXT_MAX = 128

/**
 * The provider and the period of a statement, and the format of its amounts. If `decimal_comma` is true, amounts may have the form
 * 25000,50.
 */
export type LineFormat = { provider: string; period: { from: Date; to: Date }; decimal_comma: boolean }

/** Parses a statement line. If the line is invalid, returns the problem as a string. */
export function parseLine(line: number, texts: LineTexts, format: LineFormat): ImportedLine | string {
  const { provider, period, decimal_comma } = format
  const at = parseTimeOrDay(texts.at)
  const reference = at === null ? texts.reference || null : toOwnReference(provider, texts.reference || null, at)
  const provider_id = texts.provider_id || null
  if (reference === null && provider_id === null) return 'has neither reference nor provider_id'
  if (texts.reference.length > TEXT_MAX || texts.provider_id.length > TEXT_MAX) {
    return `has a reference or provider_id of more than ${TEXT_MAX} characters`
  }
  const kind = parseKind(texts.kind, reference)
  if (kind === null) {
    if (texts.kind === '') return 'has no kind, and its reference is not one of ours'
    return `kind must be one of ${LINE_KINDS.join(', ')}`
  }
  const amount_minor = parseLineAmount(texts.amount, kind, decimal_comma)
  if (typeof amount_minor === 'string') return amount_minor
  const currency = texts.currency === '' ? CURRENCY : texts.currency.toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) return 'currency must be a code of three letters'
  if (at === null) return 'at must be a time such as 2026-01-05T12:00:00Z or 2026-01-05 15:00:00'
  if (at < period.from || at >= period.to) return 'at is outside the period of the statement'
  return { line, reference, provider_id, kind, amount_minor, currency, at }
}

/** Makes a statement line from a movement of a provider's list. Null means that the movement is invalid. */
export function lineOfMove(provider: string, line: number, move: ProviderMove): ImportedLine | null {
  const { reference, provider_id, kind, amount_minor, currency, at } = move
  const texts = [reference, provider_id].filter((text) => text !== null)
  const is_valid =
    texts.length > 0 &&
    texts.every((text) => text.length >= 1 && text.length <= TEXT_MAX && !CONTROL.test(text)) &&
    LINE_KINDS.includes(kind) &&
    amount_minor > 0n &&
    amount_minor <= AMOUNT_MAX &&
    /^[A-Z]{3}$/.test(currency) &&
    !Number.isNaN(at.getTime())
  if (!is_valid) return null
  return { line, reference: toOwnReference(provider, reference, at), provider_id, kind, amount_minor, currency, at }
}

const CONTROL = /[\p{Cc}\p{Cs}]/u
const AMOUNT_MAX = 2n ** 53n

/** Converts a reference from the form of the provider to our form. Returns null and any other reference unchanged. */
function toOwnReference(provider: string, reference: string | null, at: Date): string | null {
  if (reference === null || parseOwnReference(reference) !== null) return reference
  return readStatementForm(provider, reference, at) ?? reference
}

function parseKind(text: string, reference: string | null): LineKind | null {
  if (text === '') return reference === null ? null : flowOf(reference)
  const name = text.toLowerCase()
  return LINE_KINDS.find((kind) => kind === name) ?? null
}

/**
 * Parses an amount. The amount of any line but a payment may have a minus sign, because the kind of the line determines the
 * direction.
 */
function parseLineAmount(text: string, kind: LineKind, decimal_comma: boolean): bigint | string {
  let digits = kind !== 'payment' && text.startsWith('-') ? text.slice(1) : text
  if (decimal_comma && /^\d+,\d{1,2}$/.test(digits)) digits = digits.replace(',', '.')
  // Zeros after the cents do not change the amount.
  if (digits.length > 3 && /^\d+\.\d{2}0+$/.test(digits)) digits = digits.slice(0, digits.indexOf('.') + 3)
  const minor = parseAmount(digits)
  if (typeof minor === 'bigint') return minor
  return minor === 'not_positive'
    ? 'amount must be greater than zero'
    : 'amount must be a decimal such as 25000 or 25000.50, without separators'
}

const TIME_OR_DAY =
  /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/
const TANZANIA_MS = 3 * 3_600_000

/**
 * Parses a time or a day from 2000 on, in a form of ISO 8601. Without an offset, the text is a time in Tanzania. A day means
 * its beginning. Null means that the text is not a valid time.
 */
export function parseTimeOrDay(text: string): Date | null {
  const match = TIME_OR_DAY.exec(text)
  if (match === null) return null
  const part = (i: number) => Number(match[i] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const local = Date.UTC(year, month - 1, day, hour, minute, second)
  const date = new Date(local)
  // Without this check, Date.UTC would accept 30 February as a day of March.
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
