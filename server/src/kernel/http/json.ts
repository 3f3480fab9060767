// Parses request bodies: strict JSON that preserves the written form of an amount.

import { refuse } from '../lib/index.ts'

/** The digits of each amount that a client sent as a number, by parsed body. */
const writtenAmounts = new WeakMap<object, string>()

/**
 * Returns the amount of a parsed body as the client wrote it. A number loses the zeros at its end after the second decimal.
 */
export function writtenAmount(body: { amount: string | number }): string {
  return typeof body.amount === 'string' ? body.amount : (writtenAmounts.get(body) ?? String(body.amount))
}

const FORBIDDEN_NAME = /"(?:__proto__|constructor)"\s*:|\\u00/i
const DEPTH_MAX = 32

/**
 * Parses a body. A float loses digits and notation, so the function stores the written top-level `amount`: see `writtenAmount`.
 * Refuses any text that is not one JSON object, too many levels, and field names that could change prototypes.
 */
export function parseBody(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    refuse('invalid_json')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    refuse('invalid_json', { message: 'The body must be one JSON object.' })
  }
  if (isDeep(text))
    refuse('invalid_json', { message: `The body may have at most ${DEPTH_MAX} levels. Remove the deeper levels.` })
  if (FORBIDDEN_NAME.test(text) && reachesPrototype(body))
    refuse('invalid_json', {
      message: 'The body must not contain the field names __proto__ and constructor. Remove these fields.',
    })
  const record = body as Record<string, unknown>
  if (typeof record.amount === 'number') writtenAmounts.set(record, amountSource(text))
  return record
}

/** Returns true if valid JSON has too many levels for recursive functions. */
function isDeep(text: string): boolean {
  // Nearly every body is flat, with one brace at its start and no list. For a flat body, this test is enough.
  if (text.lastIndexOf('{') <= 0 && !text.includes('[')) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    if (depth > DEPTH_MAX) return true
  }
  return false
}

/**
 * Returns the position of the closing quote of the string that begins at `begin`. Brackets inside the string do not count.
 */
function endOfString(text: string, begin: number): number {
  let at = begin + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function reachesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__' || name === 'constructor' || reachesPrototype(inner)) return true
  }
  return false
}

/**
 * Returns the digits of the top-level amount, without zeros at the end after the second decimal: 1.000 becomes 1.00. JSON.parse
 * visits inner values first, so the last amount of the root is the top-level amount.
 */
function amountSource(text: string): string {
  const sources = new Map<unknown, string>()
  const root = JSON.parse(text, function (this: unknown, key, value, context?: { source?: string }) {
    if (key === 'amount' && typeof value === 'number') sources.set(this, context?.source ?? String(value))
    return value
  })
  return withoutTrailingZeros(sources.get(root) ?? '')
}

function withoutTrailingZeros(digits: string): string {
  if (!/^\d+\.\d+$/.test(digits)) return digits
  const two_decimals = digits.indexOf('.') + 3
  let end = digits.length
  while (end > two_decimals && digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}
