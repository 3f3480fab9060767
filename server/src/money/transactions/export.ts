// All transactions of a time as CSV, in batches: the memory it takes does not depend on how many there are.

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
 * The selected transactions as CSV, newest first. A batch is read when the one before has been taken, and no more are once
 * the stream is destroyed. The first is read before there is a stream: what cannot begin is refused like any request.
 */
export async function exportTransactions(deps: Deps, selection: Selection): Promise<Readable> {
  const first = await readTransactions(deps.db, selection, BATCH)
  return Readable.from(batches(deps, selection, first))
}

async function* batches(deps: Deps, selection: Selection, first: Transaction[]): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for (let rows = first; ; ) {
    if (rows.length > 0) yield rows.map((row) => csvLine(cellsOf(presentTransaction(row)))).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    rows = await readTransactions(deps.db, { ...selection, until: last.sequence }, BATCH)
  }
}

function cellsOf(record: TransactionView): CsvCell[] {
  return COLUMNS.map((column) => {
    const value = record[column] ?? ''
    return typeof value === 'number' || AMOUNTS.includes(column) ? plainCell(value) : value
  })
}
