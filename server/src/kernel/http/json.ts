// Reading request bodies: strict JSON, without losing how an amount was written.

import { refuse } from '../lib/index.ts'

/** How the amount of a parsed body was written, when that was as a number. Keyed by the body. */
const writtenAmounts = new WeakMap<object, string>()

/** The amount of a parsed body exactly as the caller wrote it: a number's digits, or the text itself. */
export function writtenAmount(body: { amount: string | number }): string {
  return typeof body.amount === 'string' ? body.amount : (writtenAmounts.get(body) ?? String(body.amount))
}

const POISON = /"(?:__proto__|constructor)"\s*:|\\u00/i
const DEPTH_MAX = 32

/**
 * Parses a body. A number loses its last digits and its notation when it becomes a float, so the body's own `amount`
 * is kept as it was written: see `writtenAmount`. Refuses what is not one JSON object, or tries to reach prototypes.
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
  if (isDeep(text)) refuse('invalid_json', { message: `The body must not be nested deeper than ${DEPTH_MAX} levels.` })
  if (POISON.test(text) && reachesPrototype(body))
    refuse('invalid_json', { message: 'The body names a forbidden property.' })
  const record = body as Record<string, unknown>
  if (typeof record.amount === 'number') writtenAmounts.set(record, amountSource(text))
  return record
}

/** True when valid JSON nests too deep: whatever walks over the body recursively must not run out of stack. */
function isDeep(text: string): boolean {
  // Nearly every body is flat: one brace at its start, and no list.
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

/** The closing quote of the string that begins at `begin`: the brackets within it do not count. */
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
 * The digits of the top-level amount, without the zeros at their end that mean nothing: the number 1.000 needs no third
 * decimal. JSON visits inner values first, so the last one seen at the top wins.
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
