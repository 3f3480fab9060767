// Finds the column of each field in a header: by the names that the operator gives, by our names, or by names that providers use.

import { LINE_FIELDS, type LineTexts } from './line.ts'

type LineField = (typeof LINE_FIELDS)[number]

/** The column names of each field that we and providers use, in lower case. */
const KNOWN_NAMES: Record<LineField, readonly string[]> = {
  reference: ['reference', 'our_reference', 'order_id', 'transid', 'external_reference', 'third_party_reference'],
  provider_id: ['provider_id', 'transaction_id', 'receipt', 'receipt_number', 'receipt no.', 'provider_reference'],
  kind: ['kind', 'type', 'transaction_type'],
  amount: ['amount', 'transaction_amount'],
  currency: ['currency'],
  at: ['at', 'time', 'timestamp', 'date', 'completion_time', 'completion time', 'transaction_date'],
}

const REQUIRED_FIELDS = ['amount', 'at'] as const satisfies readonly LineField[]
const COLUMNS_MAX = 200

/** The column names that the operator gives, by field. */
export type ColumnNames = ReadonlyMap<LineField, string>

/**
 * Parses names such as `reference=Order No,at=Completed,kind=`. If an optional field has an empty name, the server reads no
 * column for the field. If the text is invalid, returns the problem as a string.
 */
export function readColumnNames(text: string): ColumnNames | string {
  const names = new Map<LineField, string>()
  if (text === '') return names
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    const field = LINE_FIELDS.find((candidate) => candidate === pair.slice(0, at).trim())
    const name = pair.slice(at + 1).trim()
    if (at === -1 || field === undefined || (name === '' && REQUIRED_FIELDS.some((required) => required === field))) {
      return `must be pairs such as reference=Order No, of ${LINE_FIELDS.join(', ')}`
    }
    names.set(field, name)
  }
  return names
}

/** Picks the texts of a line from a record. Null means that the record has more or fewer fields than the header. */
export type PickTexts = (fields: readonly string[]) => LineTexts | null

/** Parses a header. If the header is invalid, returns the problem as a string. */
export function readHeader(header: readonly string[], names: ColumnNames): PickTexts | string {
  const headers = header.map((name) => name.trim().toLowerCase())
  if (headers.length > COLUMNS_MAX) return `has more than ${COLUMNS_MAX} columns`
  const positions = {} as Record<LineField, number>
  for (const field of LINE_FIELDS) {
    const given = names.get(field)
    if (given === '') {
      positions[field] = -1
      continue
    }
    const accepted = given === undefined ? KNOWN_NAMES[field] : [given.toLowerCase()]
    const matching = headers.flatMap((name, position) => (accepted.includes(name) ? [position] : []))
    // A file may have both a type column and a kind column, so the function takes the first name of `accepted` that the header
    // has.
    const first = accepted.map((name) => headers.indexOf(name)).find((position) => position !== -1)
    if (given !== undefined && first === undefined) return `has no column "${given}"`
    if (matching.length > 1 && headers.filter((name) => name === headers[first as number]).length > 1) {
      return `has the column "${headers[first as number]}" more than once`
    }
    positions[field] = first ?? -1
  }
  const missing = REQUIRED_FIELDS.filter((field) => positions[field] === -1)
  if (positions.reference === -1 && positions.provider_id === -1)
    return 'has neither a column reference nor provider_id'
  if (missing.length > 0) return `has no column ${missing.join(' and none ')}`
  const width = header.length
  const text = (fields: readonly string[], position: number) =>
    position === -1 ? '' : (fields[position] as string).trim()
  return (fields) => {
    if (fields.length !== width) return null
    return {
      reference: text(fields, positions.reference),
      provider_id: text(fields, positions.provider_id),
      kind: text(fields, positions.kind),
      amount: text(fields, positions.amount),
      currency: text(fields, positions.currency),
      at: text(fields, positions.at),
    }
  }
}
