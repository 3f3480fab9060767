// Exports the invoices of a merchant as CSV. The server reads the invoices in batches, so that memory does not grow with their
// number.

import { Readable } from 'node:stream'
import type { Deps } from '../../kernel/db/index.ts'
import { readBatch } from '../../kernel/http/index.ts'
import { type CsvColumns, csvLine, recordCells } from '../../kernel/lib/index.ts'
import { presentInvoice } from './present.ts'
import type { InvoiceRecord } from './schema.ts'
import { type Invoice, type InvoiceFilter, readInvoices } from './store.ts'

const BATCH = 500

const COLUMNS = [
  'number',
  'created_at_eat',
  'status',
  'customer_name',
  'customer_phone',
  'customer_email',
  'due_date',
  'currency',
  'total',
  'created_at',
  'sent_at',
  'paid_at',
  'paid_collection_id',
  'cancelled_at',
  'payment_url',
  'id',
  'environment',
  'payment_reversed_at',
] as const satisfies CsvColumns<InvoiceRecord>

/**
 * Returns the selected invoices as CSV, newest first. The stream reads at most two batches ahead of the client. The server
 * reads the first batch before it starts the response, so that a failure becomes an ordinary error response.
 */
export async function exportInvoices(deps: Deps, pay_url: string, filter: InvoiceFilter): Promise<Readable> {
  const first = await readBatch(() => readInvoices(deps, filter, BATCH))
  return Readable.from(batches(deps, pay_url, filter, first))
}

async function* batches(deps: Deps, pay_url: string, filter: InvoiceFilter, first: Invoice[]): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for (let rows = first; ; ) {
    const now = deps.clock.now()
    if (rows.length > 0)
      yield rows.map((row) => csvLine(recordCells(presentInvoice(row, pay_url, now), COLUMNS, ['total']))).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    rows = await readBatch(() => readInvoices(deps, filter, BATCH, 0, last.id))
  }
}
