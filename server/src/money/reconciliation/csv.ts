// Parses CSV (RFC 4180) from a stream. If the CSV is invalid, the parser refuses it with the line number. A maximum length of a
// record limits the memory.

/** One record with the number of its first line. */
export type CsvRecord = { line: number; fields: string[] }

/** The separator of the fields in a file. */
export type Delimiter = ',' | ';'

/** The error of a file whose CSV is invalid at this line. */
export class CsvProblem extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.name = 'CsvProblem'
    this.line = line
  }
}

/** The maximum number of characters in a record. */
const RECORD_MAX = 16 * 1024

// A field may have tabs, and a quoted field may have line ends. The parser refuses other ASCII control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/**
 * Parses the records of a UTF-8 file in batches, with or without a byte order mark. The first record determines the delimiter. The
 * parser skips empty lines. If the file is invalid, the parser throws a CsvProblem.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ delimiter: Delimiter; records: CsvRecord[] }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let delimiter: Delimiter | null = null
  let text = ''
  let line = 1
  const takeRecords = (last: boolean): CsvRecord[] => {
    const records: CsvRecord[] = []
    let start = 0
    while (start < text.length) {
      const end = endOfRecord(text, start, last, line)
      if (end === null) break
      const record = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end)
      if (record !== '') {
        delimiter ??= findDelimiter(record)
        records.push({ line, fields: splitRecord(record, delimiter, line) })
      }
      line += countLines(record) + 1
      start = end + 1
    }
    text = text.slice(start)
    if (text.length > RECORD_MAX) throw new CsvProblem(line, `is longer than ${RECORD_MAX} characters`)
    return records
  }
  for await (const chunk of chunks) {
    text += decodeChunk(decoder, chunk, line + countLines(text))
    const records = takeRecords(false)
    if (records.length > 0) yield { delimiter: delimiter ?? ',', records }
  }
  text += decodeChunk(decoder, null, line + countLines(text))
  const records = takeRecords(true)
  if (records.length > 0) yield { delimiter: delimiter ?? ',', records }
}

function decodeChunk(
  decoder: { decode(chunk?: Uint8Array, options?: { stream: boolean }): string },
  chunk: Uint8Array | null,
  line: number,
): string {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    const decoded = new TextDecoder('utf-8').decode(chunk ?? new Uint8Array())
    const before = decoded.slice(0, Math.max(0, decoded.indexOf('\ufffd')))
    throw new CsvProblem(line + countLines(before), 'is not UTF-8')
  }
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/**
 * Returns the position of the line end that ends the record at `start`. Null means that the text does not contain this line end
 * yet.
 */
function endOfRecord(text: string, start: number, last: boolean, line: number): number | null {
  const newline = text.indexOf('\n', start)
  const quote = text.slice(start, newline === -1 ? undefined : newline).indexOf('"')
  let end: number
  if (quote === -1) end = newline
  else {
    // A line end outside quotes ends the record. A doubled quote closes the quotes and opens them again.
    let is_quoted = false
    end = -1
    for (let at = start + quote; at < text.length && at - start <= RECORD_MAX; at++) {
      const char = text.charCodeAt(at)
      if (char === QUOTE) is_quoted = !is_quoted
      else if (char === NEWLINE && !is_quoted) {
        end = at
        break
      }
    }
    if (end === -1 && last && is_quoted) throw new CsvProblem(line, 'has a quote that is not closed')
  }
  const length = (end === -1 ? text.length : end) - start
  if (length > RECORD_MAX) throw new CsvProblem(line, `is longer than ${RECORD_MAX} characters`)
  return end === -1 ? (last ? text.length : null) : end
}

const QUOTE = 34
const NEWLINE = 10

/** Returns the delimiter that the header uses. */
function findDelimiter(header: string): Delimiter {
  const unquoted = header.replace(/"(?:[^"]|"")*"/g, '')
  return unquoted.split(';').length > unquoted.split(',').length ? ';' : ','
}

function splitRecord(record: string, delimiter: Delimiter, line: number): string[] {
  if (CONTROL.test(record)) throw new CsvProblem(line, 'has a control character such as NUL')
  if (!record.includes('"')) {
    if (record.includes('\r')) throw new CsvProblem(line, 'has a carriage return without a line feed')
    return record.split(delimiter)
  }
  const fields: string[] = []
  let at = 0
  for (;;) {
    const field = record[at] === '"' ? readQuotedField(record, at, line) : readPlainField(record, at, delimiter, line)
    fields.push(field.text)
    if (field.end === record.length) return fields
    if (record[field.end] !== delimiter) throw new CsvProblem(line, 'has text after a closing quote')
    at = field.end + 1
  }
}

function readPlainField(record: string, at: number, delimiter: Delimiter, line: number): { text: string; end: number } {
  const found = record.indexOf(delimiter, at)
  const end = found === -1 ? record.length : found
  const text = record.slice(at, end)
  if (text.includes('"')) throw new CsvProblem(line, 'has a quote in the middle of a field')
  return { text, end }
}

function readQuotedField(record: string, at: number, line: number): { text: string; end: number } {
  let from = at + 1
  let text = ''
  for (;;) {
    const quote = record.indexOf('"', from)
    if (quote === -1) throw new CsvProblem(line, 'has a quote that is not closed')
    text += record.slice(from, quote)
    if (record[quote + 1] !== '"') return { text, end: quote + 1 }
    text += '"'
    from = quote + 2
  }
}
