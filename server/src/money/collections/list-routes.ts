// Serves the list of collections and its CSV export, with the same filters.

import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  COUNT_MAX,
  CSV_BATCH,
  CSV_WORDS,
  caller,
  csvAnswer,
  PageQuery,
  page,
  pageOf,
  payUrlOf,
  sendCsv,
  success,
} from '../../kernel/http/index.ts'
import {
  type CsvCell,
  formatAmount,
  inCallersLanguage,
  isId,
  line,
  type Metadata,
  MetadataFilter,
  NETWORK_OF_PREFIX,
  recordCells,
  refuseField,
} from '../../kernel/lib/index.ts'
import { checkPhoneFilter } from './check.ts'
import { BEGUN_MAX, batchesOf, batchOfIds, type CollectionFilters, listCollections, NEWEST_MAX } from './list.ts'
import { netMinor, presentCollection } from './present.ts'
import { CollectionStatus, ListFilters } from './schema.ts'
import type { Collection } from './store.ts'

/** The text of the API documentation about the limits of a search by the beginning of a reference. */
const SEARCH_BOUNDS = [
  '`reference` finds the payments whose reference begins with the text, in any case.',
  `If at most ${BEGUN_MAX} references of the environment begin with the text, the server searches all of them.`,
  `If more references match, the server searches the last ${BEGUN_MAX} of them in alphabetical order, and the newest`,
  `${NEWEST_MAX} payments between \`from\` and \`to\`. It counts in \`total_items\` and lists the newest ${COUNT_MAX} of these`,
  'matches. To find other payments, send a longer text or another period.',
].join(' ')

/** The description of the column of the network in the API documentation. */
const NETWORK_WORDS =
  'The column `network` has the network that issued the phone of the payer. It is empty for `qr`, and for an unknown network.'

const COLUMNS = [
  'collection_id',
  'reference',
  'created_at_eat',
  'status',
  'amount',
  'amount_received',
  'currency',
  'method',
  'failure_reason_code',
  'provider_payment_status',
  'payment_url',
  'created_at',
  'updated_at',
  'environment',
  'customer_phone',
  'network',
  'customer_name',
  'fee',
  'net_amount',
] as const

const AMOUNTS: readonly string[] = ['amount', 'amount_received', 'fee', 'net_amount']

function collectionCells(row: Collection, pay_url: string): CsvCell[] {
  const amount = (minor: bigint | null) => (minor === null ? null : formatAmount(minor))
  const record = {
    ...presentCollection(row, pay_url),
    amount: amount(row.amount_minor),
    amount_received: amount(row.amount_received_minor),
    fee: row.method === null ? null : amount(row.fee_minor),
    net_amount: amount(netMinor(row)),
    // The phone of a payment by QR code may not be the phone that paid.
    network: row.method === 'qr' ? null : (NETWORK_OF_PREFIX[row.customer_phone?.slice(3, 5) ?? ''] ?? null),
  }
  return recordCells(record, COLUMNS, AMOUNTS)
}

const Filter = Type.Object(ListFilters)

/** The maximum number of chosen payments in a file: the same as in a page of the list. */
const CHOSEN_MAX = 100
const IdsField = line(CHOSEN_MAX * 37, `Only these payments: up to ${CHOSEN_MAX} ids, separated by commas.`)

/**
 * Returns the rows of a file in batches. If `chosen` has ids, the file has only these payments. If an id is invalid or the list
 * has too many ids, refuses with 400.
 */
function exported(deps: Deps, filters: CollectionFilters, chosen: string | undefined): AsyncGenerator<Collection[]> {
  if (chosen === undefined) return batchesOf(deps, filters, CSV_BATCH)
  const ids = chosen.toLowerCase().split(',')
  if (ids.length > CHOSEN_MAX || !ids.every(isId)) {
    refuseField('ids', `must be up to ${CHOSEN_MAX} ids, separated by commas`)
  }
  return batchOfIds(deps, filters, ids)
}

function filtersOf(request: FastifyRequest, query: Static<typeof Filter> & { metadata?: Metadata }): CollectionFilters {
  const { merchant, environment } = caller(request)
  return {
    merchant_id: merchant.id,
    environment,
    status: query.status ?? null,
    method: query.method ?? null,
    reference: query.reference ?? null,
    metadata: query.metadata ?? null,
    phone: checkPhoneFilter(query.phone),
    from: query.from === undefined ? null : new Date(query.from),
    to: query.to === undefined ? null : new Date(query.to),
  }
}

/** Adds the routes of the list and of its CSV export. */
export function collectionListRoutes(deps: Deps, app: App, access: Access): void {
  const tags = ['Collections']
  app.get(
    '/v1/collections',
    {
      schema: {
        tags,
        operationId: 'listCollections',
        summary: 'List collections, newest first',
        description: SEARCH_BOUNDS,
        querystring: Type.Object({ ...PageQuery, ...ListFilters, metadata: Type.Optional(MetadataFilter) }),
        response: { 200: success(page(CollectionStatus)) },
      },
      config: { access },
    },
    async (request) => {
      const { page: number = 1, page_size = 20 } = request.query
      const { rows, total } = await listCollections(
        forReads(deps),
        filtersOf(request, request.query),
        number,
        page_size,
      )
      const items = rows.map((row) =>
        inCallersLanguage(request.headers['accept-language'], presentCollection(row, payUrlOf(deps.config, app))),
      )
      return { success: true as const, data: pageOf(items, total, request.query) }
    },
  )
  app.get(
    '/v1/collections/export.csv',
    {
      // Without this option, a HEAD request would read all rows from the database.
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: 'exportCollections',
        summary: 'Export collections as CSV, newest first',
        description: `${CSV_WORDS} ${NETWORK_WORDS}`,
        querystring: Type.Object({ ...ListFilters, ids: Type.Optional(IdsField) }),
        response: csvAnswer,
      },
      config: { access },
    },
    async (request, reply) =>
      sendCsv(request, reply, 'collections', {
        columns: COLUMNS,
        batches: exported(forReads(deps), filtersOf(request, request.query), request.query.ids),
        cells: (row) => collectionCells(row, payUrlOf(deps.config, app)),
      }),
  )
}
