// Which column of a file holds what: by our names, by names that providers use, or as whoever brings the file says.

import { FIELDS, type LineTexts } from './line.ts'

type Field = (typeof FIELDS)[number]

/** Names that each column may have in a header, in lower case. */
const NAMES: Record<Field, readonly string[]> = {
  reference: ['reference', 'our_reference', 'order_id', 'transid', 'external_reference', 'third_party_reference'],
  provider_id: ['provider_id', 'transaction_id', 'receipt', 'receipt_number', 'receipt no.', 'provider_reference'],
  kind: ['kind', 'type', 'transaction_type'],
  amount: ['amount', 'transaction_amount'],
  currency: ['currency'],
  at: ['at', 'time', 'timestamp', 'date', 'completion_time', 'completion time', 'transaction_date'],
}

const MUST = ['amount', 'at'] as const satisfies readonly Field[]
const COLUMNS_MAX = 200

/** Other names of columns, by ours. */
export type ColumnNames = ReadonlyMap<Field, string>

/**
 * Reads `reference=Order No,at=Completed,kind=`; an empty text names none, and an empty name means that no column holds it,
 * whatever is called so. Answers what is wrong as a text.
 */
export function readColumnNames(text: string): ColumnNames | string {
  const names = new Map<Field, string>()
  if (text === '') return names
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    const field = FIELDS.find((known) => known === pair.slice(0, at).trim())
    const name = pair.slice(at + 1).trim()
    if (at === -1 || field === undefined || (name === '' && MUST.some((must) => must === field))) {
      return `must be pairs such as reference=Order No, of ${FIELDS.join(', ')}`
    }
    names.set(field, name)
  }
  return names
}

/** Takes the texts of a line out of the fields of a record. Null: the record has another number of fields than the header. */
export type Pick = (fields: readonly string[]) => LineTexts | null

/** Reads a header. Answers what is wrong with it as a text. */
export function readHeader(header: readonly string[], names: ColumnNames): Pick | string {
  const found = header.map((name) => name.trim().toLowerCase())
  if (found.length > COLUMNS_MAX) return `has more than ${COLUMNS_MAX} columns`
  const places = {} as Record<Field, number>
  for (const field of FIELDS) {
    const named = names.get(field)
    if (named === '') {
      places[field] = -1
      continue
    }
    const wanted = named === undefined ? NAMES[field] : [named.toLowerCase()]
    const matching = found.flatMap((name, place) => (wanted.includes(name) ? [place] : []))
    // Of our own names the first one that is there counts: a file may have a type and a kind of its own.
    const first = wanted.map((name) => found.indexOf(name)).find((place) => place !== -1)
    if (named !== undefined && first === undefined) return `has no column "${named}"`
    if (matching.length > 1 && found.filter((name) => name === found[first as number]).length > 1) {
      return `has the column "${found[first as number]}" more than once`
    }
    places[field] = first ?? -1
  }
  const missing = MUST.filter((field) => places[field] === -1)
  if (places.reference === -1 && places.provider_id === -1) return 'has neither a column reference nor provider_id'
  if (missing.length > 0) return `has no column ${missing.join(' and none ')}`
  const width = header.length
  const text = (fields: readonly string[], place: number) => (place === -1 ? '' : (fields[place] as string).trim())
  return (fields) => {
    if (fields.length !== width) return null
    return {
      reference: text(fields, places.reference),
      provider_id: text(fields, places.provider_id),
      kind: text(fields, places.kind),
      amount: text(fields, places.amount),
      currency: text(fields, places.currency),
      at: text(fields, places.at),
    }
  }
}
