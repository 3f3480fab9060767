// Adds the endpoints that read invoices: the list, one invoice, and the CSV file.

import Type from 'typebox'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  beginExport,
  type Caller,
  CSV_WORDS,
  caller,
  MERCHANT_ROLES,
  page,
  pageOf,
  payUrlOf,
  success,
} from '../../kernel/http/index.ts'
import { isId, type Metadata, refuse } from '../../kernel/lib/index.ts'
import { exportInvoices } from './export.ts'
import { presentInvoice } from './present.ts'
import { Csv, ExportQuery, InvoiceRecord, InvoicesQuery, OwnerQuery } from './schema.ts'
import { countInvoices, findInvoice, type Invoice, type InvoiceFilter, readInvoices, searchInvoices } from './store.ts'

const READ = { scopes: ['invoices:read'], roles: MERCHANT_ROLES } as const satisfies Access
const tags = ['Invoices']

/** Finds an invoice of the merchant by id, in the environment of the request. Refuses an unknown id with not_found. */
export async function findOwnInvoice(deps: Deps, { merchant, environment }: Caller, text: string): Promise<Invoice> {
  const id = text.toLowerCase()
  const invoice = isId(id) ? await findInvoice(deps.db, merchant.id, id) : null
  if (invoice?.environment === environment) return invoice
  return refuse('not_found', {
    message: 'There is no such invoice in this environment. Check the id and the environment.',
  })
}

/**
 * Reads a page of the list of invoices. If the request has `metadata`, the page has only invoices with all of these pairs.
 */
async function readInvoicePage(
  deps: Deps,
  filter: InvoiceFilter,
  metadata: Metadata | undefined,
  page_size: number,
  offset: number,
): Promise<{ rows: Invoice[]; total: number }> {
  if (metadata !== undefined) return searchInvoices(deps, filter, metadata, page_size, offset)
  const [rows, total] = await Promise.all([readInvoices(deps, filter, page_size, offset), countInvoices(deps, filter)])
  return { rows, total }
}

/** Adds the endpoints that list, export and show invoices. */
export function invoiceReadRoutes(deps: Deps, app: App): void {
  const payUrl = () => payUrlOf(deps.config, app)
  const show = (invoice: Invoice) => presentInvoice(invoice, payUrl(), deps.clock.now())

  app.get(
    '/v1/invoices',
    {
      schema: {
        tags,
        operationId: 'listInvoices',
        summary: 'List invoices, newest first',
        description: '`total_items` counts up to 10,000.',
        querystring: InvoicesQuery,
        response: { 200: success(page(InvoiceRecord)) },
      },
      config: { access: READ },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const { status, metadata, page: number = 1, page_size = 20 } = request.query
      const filter = { merchant_id: merchant.id, environment, status }
      const offset = (number - 1) * page_size
      const { rows, total } = await readInvoicePage(forReads(deps), filter, metadata, page_size, offset)
      return { success: true as const, data: pageOf(rows.map(show), total, request.query) }
    },
  )

  app.get(
    '/v1/invoices/export.csv',
    {
      // Without this option, a HEAD request would read the whole file from the database.
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: 'exportInvoices',
        summary: 'Export invoices as CSV, newest first',
        description: CSV_WORDS,
        querystring: ExportQuery,
        response: { 200: { content: { 'text/csv': { schema: Csv } } } },
      },
      config: { access: READ },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const filter = { merchant_id: merchant.id, environment, status: request.query.status }
      beginExport(request, reply)
      const file = await exportInvoices(forReads(deps), payUrl(), filter)
      const name = `invoices-${merchant.code}-${environment}.csv`
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(file)
    },
  )

  app.get(
    '/v1/invoices/:invoice_id',
    {
      schema: {
        tags,
        operationId: 'getInvoice',
        summary: 'Show an invoice',
        params: Type.Object({ invoice_id: Type.String() }),
        querystring: OwnerQuery,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: READ },
    },
    async (request) => ({
      success: true as const,
      data: show(await findOwnInvoice(deps, caller(request), request.params.invoice_id)),
    }),
  )
}
