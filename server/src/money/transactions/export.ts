// Exports the transactions of a period as CSV, in batches, so that the memory does not grow with their number.

import { Readable } from 'node:stream'
import type { Deps } from '../../kernel/db/index.ts'
import { type CsvCell, csvLine, plainCell } from '../../kernel/lib/index.ts'
import { presentTransaction } from './present.ts'
import type { TransactionView } from './schema.ts'
import { readTransactions, type Selection, type Transaction } from './store.ts'

const BATCH = 500

const COLUMNS = [
  'reference',
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
] as const satisfies readonly (keyof TransactionView)[]

const AMOUNTS: readonly string[] = ['amount', 'fee', 'net_amount', 'balance_after']

/**
 * The selected transactions as CSV, newest first. A batch is read after the client took the one before, and none after the stream
 * is destroyed. The first batch is read before the stream starts, so that an error is refused like that of any request.
 */
export async function exportTransactions(deps: Deps, selection: Selection): Promise<Readable> {
  const first = await readTransactions(deps.db, selection, BATCH)
  return Readable.from(csvBatches(deps, selection, first))
}

async function* csvBatches(deps: Deps, selection: Selection, first: Transaction[]): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for (let rows = first; ; ) {
    if (rows.length > 0) yield rows.map((row) => csvLine(transactionCells(presentTransaction(row)))).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    rows = await readTransactions(deps.db, { ...selection, until: last.sequence }, BATCH)
  }
}

function transactionCells(record: TransactionView): CsvCell[] {
  return COLUMNS.map((column) => {
    const value = record[column] ?? ''
    return typeof value === 'number' || AMOUNTS.includes(column) ? plainCell(value) : value
  })
}
