// Writes CSV (RFC 4180) that is safe in a spreadsheet: no cell runs as a formula.

import { eatTime } from './show.ts'

/** A cell: untrusted text, or an amount, number or boolean of the server as plain text. */
export type CsvCell = string | { plain: string }

/** The first characters of a text that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

/**
 * Returns one line of cells, which ends in CRLF. If a spreadsheet could run a text as a formula, the text gets an apostrophe in
 * front.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** Makes a cell for an amount, number or boolean that the server computed. */
export function plainCell(value: string | number | boolean): CsvCell {
  return { plain: String(value) }
}

/** The end of the name of a column that has the time of another column in Tanzanian time. */
type EatColumn<Name extends string> = `${Name}_eat`
const EAT = '_eat'

/** A record of the API: its values by their names. */
type ExportedRecord = Readonly<Record<string, unknown>>

/** The columns of a file: names of fields of the record, and `_eat` columns of these fields. */
export type CsvColumns<Fields extends ExportedRecord> = readonly (
  | (keyof Fields & string)
  | EatColumn<keyof Fields & string>
)[]

/**
 * Returns the cells of a record. A column whose name ends with `_eat` has the time of its field in Tanzanian time. The columns
 * in `plain` are amounts of the server, which may be negative.
 */
export function recordCells<Fields extends ExportedRecord>(
  record: Fields,
  columns: CsvColumns<Fields>,
  plain: readonly string[],
): CsvCell[] {
  return columns.map((column): CsvCell => {
    const field = column.endsWith(EAT) ? column.slice(0, -EAT.length) : column
    const value = record[field] ?? ''
    if (column !== field) return value === '' ? '' : eatTime(new Date(String(value)))
    return typeof value === 'number' || plain.includes(column) ? plainCell(String(value)) : String(value)
  })
}

function cellText(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell.plain
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
