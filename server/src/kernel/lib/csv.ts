// Writes CSV (RFC 4180) that is safe in a spreadsheet: no cell runs as a formula.

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

function cellText(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell.plain
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
