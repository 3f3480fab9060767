// Serves the list of payment links and its CSV export, with the same filters.

import Type from 'typebox'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  batchesBefore,
  CSV_WORDS,
  caller,
  csvAnswer,
  page,
  payUrlOf,
  sendCsv,
  success,
} from '../../kernel/http/index.ts'
import { type CsvColumns, recordCells } from '../../kernel/lib/index.ts'
import { listLinks, readLinks } from './list.ts'
import { presentLink } from './present.ts'
import { LinkRecord, LinksFilter, LinksQuery } from './schema.ts'

const COLUMNS = [
  'id',
  'created_at_eat',
  'status',
  'amount',
  'currency',
  'reference',
  'description',
  'customer_name',
  'customer_phone',
  'public_url',
  'expires_at',
  'invoice_id',
  'paid_collection_id',
  'paid_at',
  'created_at',
  'updated_at',
  'environment',
] as const satisfies CsvColumns<LinkRecord>

/** Adds the routes of the list of payment links and of its CSV export. */
export function linkListRoutes(deps: Deps, app: App, access: Access): void {
  const tags = ['Payment links']
  app.get(
    '/v1/payment-links',
    {
      schema: {
        tags,
        operationId: 'listPaymentLinks',
        summary: 'List payment links, newest first',
        description: '`total_items` counts up to 10,000.',
        querystring: LinksQuery,
        response: { 200: success(page(LinkRecord)) },
      },
      config: { access },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const filter = { ...request.query, merchant_id: merchant.id, environment }
      return { success: true as const, data: await listLinks(forReads(deps), payUrlOf(deps.config, app), filter) }
    },
  )
  app.get(
    '/v1/payment-links/export.csv',
    {
      // Without this option, a HEAD request would read all rows from the database and discard them.
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: 'exportPaymentLinks',
        summary: 'Export payment links as CSV, newest first',
        description: CSV_WORDS,
        querystring: Type.Object(LinksFilter),
        response: csvAnswer,
      },
      config: { access },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const filter = { ...request.query, merchant_id: merchant.id, environment }
      return sendCsv(request, reply, 'payment-links', {
        columns: COLUMNS,
        batches: batchesBefore((before_id, limit) => readLinks(forReads(deps), filter, limit, 0, before_id)),
        cells: (row) => recordCells(presentLink(deps, payUrlOf(deps.config, app), row), COLUMNS, ['amount']),
      })
    },
  )
}
