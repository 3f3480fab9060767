// A merchant's transactions: in pages, one by its reference, and all of a time as CSV.

import type { FastifyRequest } from 'fastify'
import type { Deps } from '../db/index.ts'
import { caller, pageOf, type Routes } from '../http/index.ts'
import { base32ToId, idsBetween, refuse } from '../lib/index.ts'
import { CSV_TYPE, csvAnswer, fileName, READ, tags } from './common.ts'
import { exportTransactions } from './export.ts'
import { factsOf } from './kinds.ts'
import { presentTransaction } from './present.ts'
import {
  ExportQuery,
  MerchantParams,
  ReferenceParams,
  TransactionAnswer,
  TransactionsAnswer,
  TransactionsQuery,
} from './schema.ts'
import { countAll, countSelected, createFind, readTransactions, type Selection } from './store.ts'

const REFERENCE = /^TXN-([0-9A-Z]{26})$/

/** Adds the routes. */
export function transactionListRoutes(deps: Deps): Routes {
  const find = createFind(deps)
  return (app) => {
    app.get(
      '/v1/merchants/:merchant_id/transactions',
      {
        schema: {
          tags,
          summary: 'List transactions, newest first',
          description: '`total_items` of a filtered list counts up to 10,000.',
          params: MerchantParams,
          querystring: TransactionsQuery,
          response: { 200: TransactionsAnswer },
        },
        config: { access: READ },
      },
      async (request) => ({ success: true as const, data: await list(deps, request) }),
    )
    app.get(
      '/v1/transactions/:reference',
      {
        schema: {
          tags,
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
        if (row === null) refuse('not_found', { message: 'There is no such transaction in this environment.' })
        return { success: true as const, data: presentTransaction(row) }
      },
    )
    app.get(
      '/v1/merchants/:merchant_id/transactions/export',
      {
        // What only a HEAD asks for would be read from the database all the same.
        exposeHeadRoute: false,
        schema: {
          tags,
          summary: 'Export transactions as CSV, newest first',
          description:
            'As many as there are, sent while they are read. A text that a spreadsheet would take for a formula begins with an apostrophe.',
          params: MerchantParams,
          querystring: ExportQuery,
          response: { 200: csvAnswer },
        },
        config: { access: READ },
      },
      async (request, reply) => {
        const file = await exportTransactions(deps, selectionOf(request, request.query))
        return reply
          .type(CSV_TYPE)
          .header('content-disposition', fileName('transactions', caller(request)))
          .send(file)
      },
    )
  }
}

type Wanted = { type?: TransactionsQuery['type']; from?: string; to?: string }

function selectionOf(request: FastifyRequest, { type, from, to }: Wanted): Selection {
  const { merchant, environment } = caller(request)
  const range = idsBetween(from === undefined ? null : new Date(from), to === undefined ? null : new Date(to))
  return { merchant_id: merchant.id, environment, facts: factsOf(type ?? null), ...range }
}

async function list(deps: Deps, request: FastifyRequest<{ Querystring: TransactionsQuery }>) {
  const { page = 1, page_size = 20, type, from, to } = request.query
  const selection = selectionOf(request, request.query)
  const filtered = type !== undefined || from !== undefined || to !== undefined
  const [rows, total] = await Promise.all([
    readTransactions(deps.db, selection, page_size, (page - 1) * page_size),
    filtered ? countSelected(deps.db, selection) : countAll(deps, selection),
  ])
  return pageOf(rows.map(presentTransaction), total, { page, page_size })
}
