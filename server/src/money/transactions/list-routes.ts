// Adds the endpoints that list, find and export transactions.

import type { FastifyRequest } from 'fastify'
import { bookingsBetween } from '../../books/ledger/index.ts'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import { beginExport, CSV_WORDS, caller, pageOf, type Routes } from '../../kernel/http/index.ts'
import { base32ToId, refuse } from '../../kernel/lib/index.ts'
import { attachmentHeader, CSV_TYPE, csvAnswer, READ, tags } from './common.ts'
import { exportTransactions } from './export.ts'
import { factsOfType } from './kinds.ts'
import { presentTransaction } from './present.ts'
import {
  ExportQuery,
  MerchantParams,
  ReferenceParams,
  TransactionAnswer,
  TransactionsAnswer,
  TransactionsQuery,
} from './schema.ts'
import { countSelected, createFindTransaction, readTransactions, type Selection } from './store.ts'

const REFERENCE = /^TXN-([0-9A-Z]{26})$/

/**
 * Adds the endpoints that list and export the transactions of a merchant and that find one transaction by its reference.
 */
export function transactionListRoutes(deps: Deps): Routes {
  const find = createFindTransaction(deps)
  return (app) => {
    app.get(
      '/v1/merchants/:merchant_id/transactions',
      {
        schema: {
          tags,
          operationId: 'listTransactions',
          summary: 'List transactions, newest first',
          description:
            'In the order of the book: `sequence` has no gap. The `balance_after` of a transaction is the `balance_after` of the previous transaction plus or minus its `net_amount`. With a filter by type, `total_items` counts up to 10,000.',
          params: MerchantParams,
          querystring: TransactionsQuery,
          response: { 200: TransactionsAnswer },
        },
        config: { access: READ },
      },
      async (request) => ({ success: true as const, data: await listTransactions(forReads(deps), request) }),
    )
    app.get(
      '/v1/transactions/:reference',
      {
        schema: {
          tags,
          operationId: 'getTransaction',
          summary: 'Show a transaction',
          params: ReferenceParams,
          response: { 200: TransactionAnswer },
        },
        config: { access: READ },
      },
      async (request) => {
        const id = base32ToId(REFERENCE.exec(request.params.reference.toUpperCase())?.[1] ?? '')
        const { merchant, environment } = caller(request)
        const row = id === null ? null : await find({ merchant_id: merchant.id, environment, id })
        if (row === null)
          refuse('not_found', {
            message: 'There is no such transaction in this environment. Check the reference and the environment.',
          })
        return { success: true as const, data: presentTransaction(row) }
      },
    )
    app.get(
      '/v1/merchants/:merchant_id/transactions/export',
      {
        // Without this option, a HEAD request would read all rows from the database.
        exposeHeadRoute: false,
        schema: {
          tags,
          operationId: 'exportTransactions',
          summary: 'Export transactions as CSV, newest first',
          description: CSV_WORDS,
          params: MerchantParams,
          querystring: ExportQuery,
          response: { 200: csvAnswer },
        },
        config: { access: READ },
      },
      async (request, reply) => {
        beginExport(request, reply)
        const reads = forReads(deps)
        const file = await exportTransactions(reads, await selectionOf(reads, request, request.query))
        return reply
          .type(CSV_TYPE)
          .header('content-disposition', attachmentHeader('transactions', caller(request)))
          .send(file)
      },
    )
  }
}

type TransactionFilter = { type?: TransactionsQuery['type']; from?: string; to?: string }

async function selectionOf(
  deps: Deps,
  request: FastifyRequest,
  { type, from, to }: TransactionFilter,
): Promise<Selection> {
  const { merchant, environment } = caller(request)
  const book = { merchant_id: merchant.id, environment }
  const [begin, end] = [from, to].map((time) => (time === undefined ? null : new Date(time))) as [
    Date | null,
    Date | null,
  ]
  return { ...book, facts: factsOfType(type ?? null), ...(await bookingsBetween(deps.db, book, begin, end)) }
}

async function listTransactions(deps: Deps, request: FastifyRequest<{ Querystring: TransactionsQuery }>) {
  const { page = 1, page_size = 20 } = request.query
  const selection = await selectionOf(deps, request, request.query)
  const [rows, total] = await Promise.all([
    readTransactions(deps.db, selection, page_size, (page - 1) * page_size),
    countSelected(deps.db, selection),
  ])
  return pageOf(rows.map(presentTransaction), total, { page, page_size })
}
