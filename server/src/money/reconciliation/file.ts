// Reads the file of a statement. The server checks the whole file before it stores any line, and then reads the lines in batches.

import { refuse } from '../../kernel/lib/index.ts'
import { type ColumnNames, type PickTexts, readHeader } from './columns.ts'
import { CsvProblem, type CsvRecord, readCsv } from './csv.ts'
import { type ImportedLine, type LineFormat, parseLine } from './line.ts'

/** A file that the server can read several times. Each `open` reads the file from the beginning. */
export type StatementFile = {
  name: string | null
  sha256: Buffer
  open(): AsyncIterable<Uint8Array>
}

/** The provider, the columns and the period of a file. */
export type StatementFormat = { provider: string; columns: ColumnNames; period: { from: Date; to: Date } }

/** The problem of an invalid line. */
type LineProblem = { line: number; problem: string }

/** The number of problems after which the check stops. */
const PROBLEMS_MAX = 20

/**
 * Reads the whole file and returns the number of its lines. If the file is invalid, refuses it with one 400 error that names the
 * first invalid lines.
 */
export async function checkFile(file: StatementFile, format: StatementFormat): Promise<number> {
  const problems: LineProblem[] = []
  let lines = 0
  try {
    for await (const batch of readLineBatches(file, format)) {
      for (const line of batch) {
        if ('problem' in line) problems.push(line)
        else lines += 1
        if (problems.length >= PROBLEMS_MAX) break
      }
      if (problems.length >= PROBLEMS_MAX) break
    }
  } catch (error) {
    if (!(error instanceof CsvProblem)) throw error
    problems.push({ line: error.line, problem: error.message })
  }
  if (problems.length > 0) refuseLines(problems)
  return lines
}

function refuseLines(lines: LineProblem[]): never {
  const [first] = lines
  const message = `The server did not import the statement: line ${first?.line} ${first?.problem}. See details.lines.`
  refuse('validation_failed', { message, details: { lines } })
}

/** Returns the lines of a checked file in batches of at most `size`. If a line is invalid, refuses the file. */
export async function* readLines(
  file: StatementFile,
  format: StatementFormat,
  size: number,
): AsyncGenerator<ImportedLine[]> {
  let lines: ImportedLine[] = []
  for await (const batch of readLineBatches(file, format)) {
    for (const line of batch) {
      if ('problem' in line) refuseLines([line])
      lines.push(line)
      if (lines.length < size) continue
      yield lines
      lines = []
    }
  }
  if (lines.length > 0) yield lines
}

async function* readLineBatches(
  file: StatementFile,
  { columns, ...rest_of_format }: StatementFormat,
): AsyncGenerator<(ImportedLine | LineProblem)[]> {
  let pick: PickTexts | null = null
  for await (const { delimiter, records } of readCsv(file.open())) {
    const rest = pick === null ? records.slice(1) : records
    pick ??= readHeaderRecord(records[0] as CsvRecord, columns)
    const line_format = { ...rest_of_format, decimal_comma: delimiter === ';' }
    yield rest.map((record) => parseRecord(record, pick as PickTexts, line_format))
  }
  if (pick === null) throw new CsvProblem(1, 'is missing: the file has no header')
}

function readHeaderRecord({ line, fields }: CsvRecord, columns: ColumnNames): PickTexts {
  const pick = readHeader(fields, columns)
  if (typeof pick === 'string') throw new CsvProblem(line, pick)
  return pick
}

function parseRecord(record: CsvRecord, pick: PickTexts, format: LineFormat): ImportedLine | LineProblem {
  const { line, fields } = record
  const texts = pick(fields)
  if (texts === null)
    return { line, problem: `has ${fields.length} fields, but the header has another number of fields` }
  const parsed = parseLine(line, texts, format)
  return typeof parsed === 'string' ? { line, problem: parsed } : parsed
}
