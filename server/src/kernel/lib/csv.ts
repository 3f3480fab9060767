// CSV (RFC 4180) that a spreadsheet may open without running what somebody wrote into it.

/** A cell: text that anybody may have written, or an amount or number of ours, which stays as it is. */
export type CsvCell = string | { plain: string }

/** A spreadsheet takes a cell that begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

/** One line of cells, with its line end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** An amount or number of ours. */
export function plainCell(value: string | number | boolean): CsvCell {
  return { plain: String(value) }
}

function cellText(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell.plain
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
