// Parses the text of a search into terms that indexes can find.

import {
  base32ToId,
  LAST_ID,
  lastPhoneDigits,
  parseAmount,
  routingCodeOf,
  typedPhone,
  ZERO_ID,
} from '../../kernel/lib/index.ts'
import type { RecordKind } from './statements.ts'

/** All ids from `from` to `until`, both included. */
export type IdRange = { from: string; until: string }

/** The terms of a search. Null means that the text is no such term. */
export type SearchTerms = {
  /**
   * The text without spaces at its ends. The search compares the text with references, codes, slugs, e-mail addresses,
   * accounts, names of merchants and statement lines.
   */
  text: string
  /** The records whose id begins with the text, or whose whole provider reference is the text. */
  ids: IdRange | null
  /** The transactions whose reference is the text or begins with the text. */
  transactions: IdRange | null
  /** The phone number in its canonical form. */
  phone: string | null
  /** The last four to nine digits of a phone number. */
  tail: string | null
  amount_minor: bigint | null
  /** The number of an invoice, without INV- and leading zeros. */
  invoice_number: number | null
  /** The words of the text, in lower case and without accents. */
  words: readonly string[]
  /** The routing code of the merchant. Null means that the text is no whole id or reference of ours. */
  routing_code: number | null
}

const ID_PREFIX = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/
const TRANSACTION = /^TXN-?([0-9A-HJKMNP-TV-Z]{6,26})$/
const PROVIDER_REFERENCE = /^(?:W([0-9A-HJKMNP-TV-Z]{26})|([0-9A-HJKMNP-TV-Z]{26})\d{2})$/
const AMOUNT =
  /^(?:TZS|TSH|SH)?\.? ?(\d{1,3}(?:[, ]\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+|\d+)(\.\d{1,2})?(?: ?(?:TZS|TSH|\/=))?$/
const NUMBER_MAX = 2_147_483_647

/** Parses the text of a search. One text can be several terms, such as a phone number and an amount. */
export function parseSearch(input: string): SearchTerms {
  const text = input.normalize('NFC').trim().replace(/\s+/g, ' ')
  const upper = text.toUpperCase()
  const ids = idRange(text.toLowerCase()) ?? providerRange(upper)
  const transactions = base32Range(TRANSACTION.exec(upper)?.[1])
  const whole = [ids, transactions].find((range) => range !== null && range.from === range.until)
  return {
    text,
    ids,
    transactions,
    phone: typedPhone(text),
    tail: lastPhoneDigits(text),
    amount_minor: amountTerm(upper),
    invoice_number: invoiceNumber(upper),
    words: [...new Set(foldText(text).split(' '))],
    routing_code: whole ? routingCodeOf(whole.from) : null,
  }
}

/** Returns the text in lower case and without accents. */
function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
}

/** Returns patterns for the operator `like` that match texts with each of the words. */
export function patternsFor(words: readonly string[], before_word: string): string[] {
  return words.map((word) => `%${before_word}${word.replace(/[\\%_]/g, '\\$&')}%`)
}

function idRange(text: string): IdRange | null {
  if (!ID_PREFIX.test(text)) return null
  const hex = text.replaceAll('-', '')
  if (hex.length > 32) return null
  return { from: withDashes(hex.padEnd(32, '0')), until: withDashes(hex.padEnd(32, 'f')) }
}

function withDashes(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * Returns the range of the one id in a whole provider reference of ours. A payout has W and an id. An attempt has an id and two
 * digits. Null means that the text is no such reference.
 */
function providerRange(text: string): IdRange | null {
  const [, payout, payment] = PROVIDER_REFERENCE.exec(text) ?? []
  return base32Range(payout ?? payment)
}

function base32Range(text: string | undefined): IdRange | null {
  if (text === undefined) return null
  const from = base32ToId(text.padEnd(26, '0'))
  const until = base32ToId(text.padEnd(26, 'Z'))
  return from === null || until === null ? null : { from, until }
}

/** Parses an amount. A point before three digits separates thousands, as in 625.000, because an amount has at most two decimals. */
function amountTerm(text: string): bigint | null {
  const [, whole = '', cents = ''] = AMOUNT.exec(text) ?? []
  const amount = parseAmount(`${whole.replace(/[,. ]/g, '')}${cents}`)
  return typeof amount === 'bigint' ? amount : null
}

function invoiceNumber(text: string): number | null {
  const digits = /^(?:INV-?)?0*(\d{1,10})$/.exec(text)?.[1]
  const number = Number(digits)
  return digits === undefined || number > NUMBER_MAX ? null : number
}

/** A range without any id, because its end is before its start. */
const NO_IDS: IdRange = { from: LAST_ID, until: ZERO_ID }

/** The highest number of hits of each kind that a response has. */
export const HITS_MAX = 6
/** The highest number of records of each kind that a search finds. The last one only shows that more hits exist. */
export const FOUND_MAX = HITS_MAX + 1

/** Returns the values of the parameters $3 to $11 of a statement for records of a kind. */
export function valuesFor(kind: RecordKind, terms: SearchTerms): unknown[] {
  const { from, until } = (kind === 'transaction' ? (terms.transactions ?? terms.ids) : terms.ids) ?? NO_IDS
  const { phone, tail, amount_minor, text, words, invoice_number } = terms
  const names = /\p{L}/u.test(text) ? patternsFor(words, ' ') : null
  return [from, until, phone, tail, amount_minor, text, names, invoice_number, FOUND_MAX]
}
