// Lists as files: sent while they are read, so that the memory it takes does not depend on how many rows there are.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type CsvCell, csvLine } from '../lib/index.ts'
import { caller } from './access.ts'

/** Rows of one batch: so many are in memory at once. */
export const CSV_BATCH = 500

/** A file in the form of RFC 4180: a text, or a stream of it. */
const Csv = Type.Unsafe<string | Readable>({ type: 'string', description: 'RFC 4180, with a header row.' })

/** The answer of a route that sends a file. */
export const csvAnswer = { 200: { content: { 'text/csv': { schema: Csv } } } }

/** What the documentation says of each file. */
export const CSV_WORDS =
  'As many as there are, sent while they are read. A text that a spreadsheet would take for a formula begins with an apostrophe.'

/**
 * Sends a file: the names of its columns, then a line for each row. A batch is read when the one before has been taken, and
 * the first before anything is sent: what cannot begin is refused like any request.
 */
export async function sendCsv<Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  what: string,
  file: { columns: readonly string[]; batches: AsyncGenerator<Row[]>; cells: (row: Row) => CsvCell[] },
) {
  const { merchant, environment } = caller(request)
  const first = await file.batches.next()
  const stream = Readable.from(linesOf(file, first))
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${what}-${merchant.code}-${environment}.csv"`)
    .send(stream)
}

async function* linesOf<Row>(
  {
    columns,
    batches,
    cells,
  }: { columns: readonly string[]; batches: AsyncGenerator<Row[]>; cells: (row: Row) => CsvCell[] },
  first: IteratorResult<Row[]>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  for (let next = first; next.done !== true; next = await batches.next()) {
    yield next.value.map((row) => csvLine(cells(row))).join('')
  }
}

/** Rows in batches, newest first, by a function that reads those before an id. */
export async function* batchesBefore<Row extends { id: string }>(
  read: (before_id: string | null, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let before_id: string | null = null; ; ) {
    const rows: Row[] = await read(before_id, CSV_BATCH)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < CSV_BATCH) return
    before_id = last.id
  }
}
