// Schemas of the texts that callers send, and what a text may hold.

// The library of schemas is imported for its types alone: with it, the thread that writes the log of requests held 12 MB more.
import type { Static, TSchema, TString, TUnsafe } from 'typebox'

// Cc: control characters, NUL among them. Cs: lone surrogates, which UTF-8 cannot carry.
const LINE = '^[^\\p{Cc}\\p{Cs}]*$'
const FREE = '^(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n])*$'

/** One line of text: no control characters, valid Unicode, at most `max` characters. */
export function line(max: number, description?: string) {
  return text(max, LINE, description)
}

/** Free text: as `line`, but tab and newline are allowed. */
export function freeText(max: number, description?: string) {
  return text(max, FREE, description)
}

function text(maxLength: number, pattern: string, description?: string) {
  return { type: 'string', maxLength, pattern, ...(description ? { description } : {}) } as unknown as TString
}

/** Looks ahead for a character that can be seen. */
const SEEN = '(?=[\\s\\p{Cf}]*[^\\s\\p{C}])'

/** One line of text with at least one character that can be seen. */
export function visibleLine(max: number, description?: string) {
  return { ...line(max, description), minLength: 1, pattern: LINE.replace('^', `^${SEEN}`) }
}

/** Free text with at least one character that can be seen. */
export function visibleText(max: number, description?: string) {
  return { ...freeText(max, description), minLength: 1, pattern: FREE.replace('^', `^${SEEN}`) }
}

/** An amount as callers send it; `parseAmount` reads it. */
export const AmountField = {
  type: ['string', 'number'],
  description: 'Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals.',
  examples: ['25000.00'],
} as unknown as TUnsafe<string | number>

/** A closed set of strings, as `{type: string, enum: [...]}`. */
export function oneOf<const T extends readonly string[]>(values: T, description?: string) {
  return { type: 'string', enum: [...values], ...(description ? { description } : {}) } as unknown as TUnsafe<T[number]>
}

/**
 * A field of a simple type that may be null, as `{type: [T, "null"]}`: answers are written several times faster than
 * with a union, whose branches the serializer must try one after the other.
 */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: readonly unknown[] }
  return {
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  } as unknown as TUnsafe<Static<T> | null>
}
