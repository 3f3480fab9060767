// Defines the schemas of texts, amounts and lists of values in requests and answers.

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

/**
 * Patterns that clients in other languages use in place of the patterns above. They accept every text that the server accepts,
 * and a few more.
 */
export const PORTABLE_PATTERNS: ReadonlyMap<string, string> = new Map([
  [LINE_PATTERN, '^[^\\x00-\\x1f\\x7f-\\x9f]*$'],
  [FREE_TEXT_PATTERN, '^[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$'],
  [visibleLine(1).pattern, '^ *[^\\x00-\\x20\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$'],
  [visibleText(1).pattern, '^[\\t\\n ]*[^\\x00-\\x20\\x7f-\\x9f][^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$'],
])

/** Makes the schema of an amount in an answer: a decimal string with two decimals. */
export function moneyText(description: string, example?: string) {
  return {
    title: 'Money',
    type: 'string',
    pattern: '^-?[0-9]+\\.[0-9]{2}$',
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  } as unknown as TString
}

/** The schema of an amount in a request. `parseAmount` parses the amount. */
export const AmountField = {
  title: 'RequestedAmount',
  type: ['string', 'number'],
  description: 'Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals.',
  examples: ['25000.00'],
} as unknown as TUnsafe<string | number>

/** Makes the schema of a closed list of strings, as `{type: string, enum: [...]}`. */
export function oneOf<const T extends readonly string[]>(values: T, description?: string) {
  return { type: 'string', enum: [...values], ...(description ? { description } : {}) } as unknown as TUnsafe<T[number]>
}

/** Makes the schema of a closed list of strings that has a name in the OpenAPI document. */
export function enumOf<const T extends readonly string[]>(title: string, values: T, description?: string) {
  return { title, ...oneOf(values, description) } as TUnsafe<T[number]>
}

/**
 * Makes the schema of one line of text whose values only the OpenAPI document lists. The code that uses the schema checks the
 * value, so that the error can name the value.
 */
export function listedLine(title: string, max: number, values: readonly string[]) {
  return { title, ...line(max), [LISTED]: values } as unknown as TString
}

/** Makes the schema of a text in an answer whose values only the OpenAPI document lists. */
export function listedText(title: string, values: readonly string[]) {
  return { title, type: 'string', [LISTED]: values } as unknown as TString
}

/** The annotation with the values of `listedLine` and `listedText`. */
export const LISTED = 'x-values'

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
