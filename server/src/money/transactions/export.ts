// Exports the transactions of a period as CSV, in batches, so that the memory of the process does not grow with their number.

import { Readable } from 'node:stream'
import type { Deps } from '../../kernel/db/index.ts'
import { readBatch } from '../../kernel/http/index.ts'
import { type CsvColumns, csvLine, recordCells } from '../../kernel/lib/index.ts'
import { presentTransaction } from './present.ts'
import type { TransactionView } from './schema.ts'
import { readTransactions, type Selection, type Transaction } from './store.ts'

const BATCH = 500

const COLUMNS = [
  'reference',
  'created_at_eat',
  'created_at',
  'type',
  'direction',
  'amount',
  'fee',
  'net_amount',
  'currency',
  'status',
  'balance_after',
  'collection_id',
  'withdrawal_id',
  'merchant_reference',
  'environment',
  'sequence',
] as const satisfies CsvColumns<TransactionView>

const AMOUNTS: readonly string[] = ['amount', 'fee', 'net_amount', 'balance_after']

/**
 * Returns the selected transactions as CSV, newest first. The stream reads at most two batches ahead of the client. If the
 * connection ends, the stream stops. The server reads the first batch before it starts the response, so that a failure becomes
 * an ordinary error response.
 */
export async function exportTransactions(deps: Deps, selection: Selection): Promise<Readable> {
  const first = await readBatch(() => readTransactions(deps.db, selection, BATCH))
  return Readable.from(csvBatches(deps, selection, first))
}

async function* csvBatches(deps: Deps, selection: Selection, first: Transaction[]): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for (let rows = first; ; ) {
    if (rows.length > 0)
      yield rows.map((row) => csvLine(recordCells(presentTransaction(row), COLUMNS, AMOUNTS))).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    const next = { ...selection, until: last.sequence }
    rows = await readBatch(() => readTransactions(deps.db, next, BATCH))
  }
}
