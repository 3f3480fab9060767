// Reading CSV (RFC 4180) as it streams by, whoever wrote it. What it cannot mean is refused with its line; memory is bounded
// by the longest record, and that by RECORD_MAX.

/** One record with the number of the line on which it begins. */
export type CsvRecord = { line: number; fields: string[] }

/** What separates the fields of a file. */
export type Delimiter = ',' | ';'

/** A file that cannot be read as CSV from this line on. */
export class CsvProblem extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.name = 'CsvProblem'
    this.line = line
  }
}

/** Longest record in characters. */
const RECORD_MAX = 16 * 1024

// Tab may stand in a field, and line ends in a quoted one. Nothing else that cannot be seen.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/**
 * The records of a file in UTF-8, with or without a byte order mark, in sets. The first record decides whether commas or
 * semicolons separate. Empty lines are left out. Throws a CsvProblem.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ delimiter: Delimiter; records: CsvRecord[] }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let delimiter: Delimiter | null = null
  let text = ''
  let line = 1
  const take = (last: boolean): CsvRecord[] => {
    const records: CsvRecord[] = []
    let start = 0
    while (start < text.length) {
      const end = endOfRecord(text, start, last, line)
      if (end === null) break
      const record = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end)
      if (record !== '') {
        delimiter ??= delimiterOf(record)
        records.push({ line, fields: split(record, delimiter, line) })
      }
      line += countLines(record) + 1
      start = end + 1
    }
    text = text.slice(start)
    if (text.length > RECORD_MAX) throw new CsvProblem(line, `is longer than ${RECORD_MAX} characters`)
    return records
  }
  for await (const chunk of chunks) {
    text += decode(decoder, chunk, line + countLines(text))
    const records = take(false)
    if (records.length > 0) yield { delimiter: delimiter ?? ',', records }
  }
  text += decode(decoder, null, line + countLines(text))
  const records = take(true)
  if (records.length > 0) yield { delimiter: delimiter ?? ',', records }
}

function decode(
  decoder: { decode(chunk?: Uint8Array, options?: { stream: boolean }): string },
  chunk: Uint8Array | null,
  line: number,
): string {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    const seen = new TextDecoder('utf-8').decode(chunk ?? new Uint8Array())
    const before = seen.slice(0, Math.max(0, seen.indexOf('\ufffd')))
    throw new CsvProblem(line + countLines(before), 'is not UTF-8')
  }
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Where the record that begins at `start` ends: the place of its line end, or null when that has not come yet. */
function endOfRecord(text: string, start: number, last: boolean, line: number): number | null {
  const newline = text.indexOf('\n', start)
  const quote = text.slice(start, newline === -1 ? undefined : newline).indexOf('"')
  let end: number
  if (quote === -1) end = newline
  else {
    // Outside of quotes a line end ends the record; a doubled quote leaves and enters again.
    let quoted = false
    end = -1
    for (let at = start + quote; at < text.length && at - start <= RECORD_MAX; at++) {
      const char = text.charCodeAt(at)
      if (char === QUOTE) quoted = !quoted
      else if (char === NEWLINE && !quoted) {
        end = at
        break
      }
    }
    if (end === -1 && last && quoted) throw new CsvProblem(line, 'has a quote that is never closed')
  }
  const length = (end === -1 ? text.length : end) - start
  if (length > RECORD_MAX) throw new CsvProblem(line, `is longer than ${RECORD_MAX} characters`)
  return end === -1 ? (last ? text.length : null) : end
}

const QUOTE = 34
const NEWLINE = 10

/** By what the header separates its names. */
function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '')
  return bare.split(';').length > bare.split(',').length ? ';' : ','
}

function split(record: string, delimiter: Delimiter, line: number): string[] {
  if (CONTROL.test(record)) throw new CsvProblem(line, 'holds a character that cannot be seen, such as NUL')
  if (!record.includes('"')) {
    if (record.includes('\r')) throw new CsvProblem(line, 'holds a line end that is none')
    return record.split(delimiter)
  }
  const fields: string[] = []
  let at = 0
  for (;;) {
    const field = record[at] === '"' ? quoted(record, at, line) : bare(record, at, delimiter, line)
    fields.push(field.text)
    if (field.end === record.length) return fields
    if (record[field.end] !== delimiter) throw new CsvProblem(line, 'has something behind a closing quote')
    at = field.end + 1
  }
}

function bare(record: string, at: number, delimiter: Delimiter, line: number): { text: string; end: number } {
  const found = record.indexOf(delimiter, at)
  const end = found === -1 ? record.length : found
  const text = record.slice(at, end)
  if (text.includes('"')) throw new CsvProblem(line, 'has a quote in the middle of a field')
  return { text, end }
}

function quoted(record: string, at: number, line: number): { text: string; end: number } {
  let from = at + 1
  let text = ''
  for (;;) {
    const quote = record.indexOf('"', from)
    if (quote === -1) throw new CsvProblem(line, 'has a quote that is never closed')
    text += record.slice(from, quote)
    if (record[quote + 1] !== '"') return { text, end: quote + 1 }
    text += '"'
    from = quote + 2
  }
}
