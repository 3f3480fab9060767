// Sends lists as CSV files. The server streams a file while it reads the rows, so the file takes little memory, whatever the
// number of rows.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type CsvCell, csvLine } from '../lib/index.ts'
import { caller } from './access.ts'
import { beginExport, readBatch } from './exports.ts'

/** The number of rows that an export reads at once, which limits its memory. */
export const CSV_BATCH = 500

/** The content of a CSV file (RFC 4180): a text or a stream. */
const Csv = Type.Unsafe<string | Readable>({ type: 'string', description: 'RFC 4180, with a header row.' })

/** The answer of a route that sends a CSV file, for the schema of the route. */
export const csvAnswer = { 200: { content: { 'text/csv': { schema: Csv } } } }

/** The description of the file in the API documentation. */
export const CSV_WORDS =
  'The file contains all rows, and the server streams the file. The times in Tanzania are directly after the id or reference at the beginning of each line, in columns that end with `_eat`; other times are in UTC. Text that a spreadsheet would read as a formula begins with an apostrophe.'

/**
 * Sends a file: a header line, then one line per row. The server reads the next batch when the connection takes more bytes. It
 * reads the first batch before the answer, so that an error is a normal refusal. If too many exports run at the same time,
 * refuses with service_unavailable.
 */
export async function sendCsv<Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  what: string,
  file: { columns: readonly string[]; batches: AsyncGenerator<Row[]>; cells: (row: Row) => CsvCell[] },
) {
  const { merchant, environment } = caller(request)
  beginExport(request, reply)
  const first = await readBatch(() => file.batches.next())
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
  for (let next = first; next.done !== true; next = await readBatch(() => batches.next())) {
    yield next.value.map((row) => csvLine(cells(row))).join('')
  }
}

/** Yields rows in batches, newest first. `read` returns the rows before an id, newest first. */
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
