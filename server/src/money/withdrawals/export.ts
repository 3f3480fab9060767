// Exports withdrawals as CSV, with the filters of the list.

import Type from 'typebox'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import { type Access, type App, batchesBefore, CSV_WORDS, caller, csvAnswer, sendCsv } from '../../kernel/http/index.ts'
import { type CsvColumns, recordCells } from '../../kernel/lib/index.ts'
import { readWithdrawals } from './list.ts'
import { presentWithdrawal } from './present.ts'
import { ListFilter, type WithdrawalRecord } from './schema.ts'

const COLUMNS = [
  'id',
  'created_at_eat',
  'completed_at_eat',
  'status',
  'method',
  'amount',
  'total_charges',
  'total_reserved_amount',
  'currency',
  'destination_code',
  'destination_identifier',
  'destination_name',
  'bank_name',
  'reference',
  'status_reason',
  'failure_reason_code',
  'provider_reference',
  'transaction_reference',
  'created_at',
  'completed_at',
  'environment',
] as const satisfies CsvColumns<WithdrawalRecord>

const AMOUNTS: readonly string[] = ['amount', 'total_charges', 'total_reserved_amount']

/** Adds the route of the CSV export of withdrawals. */
export function withdrawalExportRoute(deps: Deps, app: App, access: Access): void {
  app.get(
    '/v1/merchant/withdrawals/export.csv',
    {
      // If Fastify exposed a HEAD route, a HEAD request would read all rows from the database and discard them.
      exposeHeadRoute: false,
      config: { access },
      schema: {
        tags: ['Withdrawals'],
        operationId: 'exportWithdrawals',
        summary: 'Export withdrawals as CSV, newest first',
        description: CSV_WORDS,
        querystring: Type.Object(ListFilter),
        response: csvAnswer,
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const filter = { ...request.query, merchant_id: merchant.id, environment }
      return sendCsv(request, reply, 'withdrawals', {
        columns: COLUMNS,
        batches: batchesBefore((before_id, limit) => readWithdrawals(forReads(deps).db, filter, limit, 0, before_id)),
        cells: (row) => recordCells(presentWithdrawal(row), COLUMNS, AMOUNTS),
      })
    },
  )
}
