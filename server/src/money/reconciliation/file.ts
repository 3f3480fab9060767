// A statement as a file: its lines in sets, and the check of the whole file before anything is stored.

import { refuse } from '../../kernel/lib/index.ts'
import { type ColumnNames, type Pick, readHeader } from './columns.ts'
import { CsvProblem, type CsvRecord, readCsv } from './csv.ts'
import { type Line, type LineReading, readLine } from './line.ts'

/** A file that can be read from its beginning as often as it is opened. */
export type StatementFile = {
  name: string | null
  sha256: Buffer
  open(): AsyncIterable<Uint8Array>
}

/** How a file is to be read. */
export type Reading = { provider: string; columns: ColumnNames; period: { from: Date; to: Date } }

/** What is wrong with a line. */
type Problem = { line: number; problem: string }

/** Problems that are told; one more is not looked for. */
const PROBLEMS_MAX = 20

/** Reads the whole file. Refuses with 400 naming the first lines that are wrong and why. Answers how many lines it has. */
export async function checkFile(file: StatementFile, reading: Reading): Promise<number> {
  const problems: Problem[] = []
  let lines = 0
  try {
    for await (const set of readSets(file, reading)) {
      for (const read of set) {
        if ('problem' in read) problems.push(read)
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

function refuseLines(lines: Problem[]): never {
  const [first] = lines
  const message = `The statement was not taken: line ${first?.line} ${first?.problem}. See details.lines.`
  refuse('validation_failed', { message, details: { lines } })
}

/** The lines of a file that was checked, in sets of at most `size`. */
export async function* linesOf(file: StatementFile, reading: Reading, size: number): AsyncGenerator<Line[]> {
  let waiting: Line[] = []
  for await (const set of readSets(file, reading)) {
    for (const read of set) {
      if ('problem' in read) refuseLines([read])
      waiting.push(read)
      if (waiting.length < size) continue
      yield waiting
      waiting = []
    }
  }
  if (waiting.length > 0) yield waiting
}

async function* readSets(file: StatementFile, { columns, ...reading }: Reading): AsyncGenerator<(Line | Problem)[]> {
  let pick: Pick | null = null
  for await (const { delimiter, records } of readCsv(file.open())) {
    const rest = pick === null ? records.slice(1) : records
    pick ??= header(records[0] as CsvRecord, columns)
    const how = { ...reading, decimal_comma: delimiter === ';' }
    yield rest.map((record) => lineOf(record, pick as Pick, how))
  }
  if (pick === null) throw new CsvProblem(1, 'is missing: the file has no header')
}

function header({ line, fields }: CsvRecord, columns: ColumnNames): Pick {
  const pick = readHeader(fields, columns)
  if (typeof pick === 'string') throw new CsvProblem(line, pick)
  return pick
}

function lineOf(record: CsvRecord, pick: Pick, how: LineReading): Line | Problem {
  const { line, fields } = record
  const texts = pick(fields)
  if (texts === null) return { line, problem: `has ${fields.length} fields, and the header another number` }
  const read = readLine(line, texts, how)
  return typeof read === 'string' ? { line, problem: read } : read
}
