// Defines the schemas of texts in requests.

// The file imports only the types of TypeBox, because the code of TypeBox would take 12 MB in the thread of the request log.
import type { Static, TSchema, TString, TUnsafe } from 'typebox'

// The class Cc contains control characters, including NUL. The class Cs contains lone surrogates, which UTF-8 cannot encode.
const LINE_PATTERN = '^[^\\p{Cc}\\p{Cs}]*$'
const FREE_TEXT_PATTERN = '^(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n])*$'

/** Makes the schema of one line of text: no control characters, valid Unicode, at most `max` characters. */
export function line(max: number, description?: string) {
  return textSchema(max, LINE_PATTERN, description)
}

/** Makes the schema of free text: like `line`, but tabs and newlines are valid. */
export function freeText(max: number, description?: string) {
  return textSchema(max, FREE_TEXT_PATTERN, description)
}

function textSchema(maxLength: number, pattern: string, description?: string) {
  return { type: 'string', maxLength, pattern, ...(description ? { description } : {}) } as unknown as TString
}

/** A pattern that requires a visible character. */
const HAS_VISIBLE = '(?=[\\s\\p{Cf}]*[^\\s\\p{C}])'

/** Makes the schema of one line of text with at least one visible character. */
export function visibleLine(max: number, description?: string) {
  return { ...line(max, description), minLength: 1, pattern: LINE_PATTERN.replace('^', `^${HAS_VISIBLE}`) }
}

/** Makes the schema of free text with at least one visible character. */
export function visibleText(max: number, description?: string) {
  return { ...freeText(max, description), minLength: 1, pattern: FREE_TEXT_PATTERN.replace('^', `^${HAS_VISIBLE}`) }
}

/** The schema of an amount in a request. `parseAmount` parses the amount. */
export const AmountField = {
  type: ['string', 'number'],
  description: 'Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals.',
  examples: ['25000.00'],
} as unknown as TUnsafe<string | number>

/** Makes the schema of a closed list of strings, as `{type: string, enum: [...]}`. */
export function oneOf<const T extends readonly string[]>(values: T, description?: string) {
  return { type: 'string', enum: [...values], ...(description ? { description } : {}) } as unknown as TUnsafe<T[number]>
}

/**
 * Makes the schema of a field of a simple type that may be null, as `{type: [T, "null"]}`. The serializer writes such a
 * field several times faster than a union, because the serializer tries the branches of a union in turn.
 */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: readonly unknown[] }
  return {
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  } as unknown as TUnsafe<Static<T> | null>
}
