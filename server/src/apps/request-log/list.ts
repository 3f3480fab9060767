// Reads the request log of a merchant: lists, single requests, and the requests about a record.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, pageOf } from '../../kernel/http/index.ts'
import { firstIdAt, isId, refuse, timeOfId, withRoutingCode, ZERO_ID } from '../../kernel/lib/index.ts'
import { type RequestDetails, unpack } from './pack.ts'
import type { LoggedRequest, RequestRecord, RequestSummary, RequestsQuery } from './schema.ts'

type RequestLogRow = {
  environment: Environment
  id: string
  key_id: string | null
  key_name: string | null
  method: string
  path: string
  status: number
  duration_ms: number
  address: string
  request_id: string | null
  reference: string | null
  resource_id: string | null
  error_code: string | null
  lost: number | null
  lost_until: Date | null
}

const COLUMNS = `r.environment, r.id, r.key_id, k.name as key_name, r.method, r.path, r.status, r.duration_ms, r.address,
     r.request_id, r.reference, r.resource_id, r.error_code, r.lost, r.lost_until`
const WITH_KEY = 'left join api_keys k on k.merchant_id = $1 and k.id = r.key_id'

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** The highest number of requests that a filter examines, so that the cost does not grow with the log. */
const SCAN_MAX = 50_000

// The query reads rows in the order of the primary key until the page is full. Counts of lost requests match every filter. The
// query has no name, so PostgreSQL plans it for the current filters.
const scan = (where: string) =>
  `(select * from requests where merchant_id = $1 and environment = $2 and id >= $3 and id < $4 ${where} order by id desc limit ${SCAN_MAX}) r`
const MATCHES = `(r.lost is not null or (
     r.status between $5 and $6 and ($7::text is null or r.method = $7) and ($8::text is null or position($8 in r.path) > 0)
     and ($9::uuid is null or r.key_id = $9)))`
// A partial index contains the failed requests. PostgreSQL uses this index only if the query repeats its condition.
const SCANS = { any: scan(''), trouble: scan('and status not between 200 and 399') }

// Each subquery uses an index. No index contains requests that only read a resource, so a search for an id examines the newest
// of them.
const BY_TEXT = `(select environment, id from requests where merchant_id = $1 and request_id = $10 limit ${COUNT_MAX})
       union (select environment, id from requests where merchant_id = $1 and reference = $10 order by id desc limit ${COUNT_MAX})`
const BY_ID = `${BY_TEXT}
       union select environment, id from requests where merchant_id = $1 and environment = $2 and id = $11
       union (select environment, id from requests where merchant_id = $1 and resource_id = $12 and method <> 'GET'
         order by id desc limit ${COUNT_MAX})
       union select environment, id from ${scan('')} where r.method = 'GET' and r.resource_id = $12`
const joinFound = (keys: string) => `(select r.* from (${keys}) f
     join requests r on r.merchant_id = $1 and r.environment = f.environment and r.id = f.id
     where f.environment = $2 and r.id >= $3 and r.id < $4) r`

const requestListStatement = (source: string, values: number) =>
  sql(
    '',
    `select ${COLUMNS} from (select * from ${source} where ${MATCHES} order by r.id desc limit $${values + 1} offset $${values + 2}) r
     ${WITH_KEY} order by r.id desc`,
  )
const countStatement = (source: string, values: number) =>
  sql('', `select count(*)::int as total from (select 1 from ${source} where ${MATCHES} limit $${values + 1}) counted`)
const scanEndStatement = (source: string) => sql('', `select id from ${source} offset ${SCAN_MAX - 1} limit 1`)
const statementsOf = (source: string, scan_source: string | null, values = 9) => ({
  list: requestListStatement(source, values),
  count: countStatement(source, values),
  end: scan_source && scanEndStatement(scan_source),
})

const STATEMENTS = {
  any: statementsOf(SCANS.any, SCANS.any),
  trouble: statementsOf(SCANS.trouble, SCANS.trouble),
  by_text: statementsOf(joinFound(BY_TEXT), null, 10),
  by_id: statementsOf(joinFound(BY_ID), SCANS.any, 12),
}

/**
 * Returns a page of a merchant's requests, newest first. `total_items` counts at most 10,000 requests. A filter examines at
 * most 50,000 requests of the period. If older requests could still match, `looked_back_to` is the oldest examined time.
 */
export async function listRequests(
  reader: Reader,
  merchant: { id: string; routing_code: number },
  environment: Environment,
  query: RequestsQuery,
) {
  const { page = 1, page_size = 20, method = null, path = null, key_id = null, q } = query
  const [least, most] = statusesOf(query.status)
  const period = [merchant.id, environment, idAtTime(query.from, ZERO_ID), idAtTime(query.to, LAST_ID)]
  const values_of_filters = [...period, least, most, method, path, key_id?.toLowerCase() ?? null]
  const text = q?.trim()
  const id = text !== undefined && isId(text.toLowerCase()) ? text.toLowerCase() : null
  const search = text === undefined ? (least >= 400 ? 'trouble' : 'any') : id === null ? 'by_text' : 'by_id'
  const { list, count, end } = STATEMENTS[search]
  if (text !== undefined) values_of_filters.push(text)
  // The id of an entry contains the routing code of the merchant. A request id that the server made contains no routing code.
  if (id !== null) values_of_filters.push(withRoutingCode(id, merchant.routing_code), id)
  const [rows, counted] = await Promise.all([
    reader.query<RequestLogRow>(list, [...values_of_filters, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(count, [...values_of_filters, COUNT_MAX]),
  ])
  const total = counted[0]?.total ?? 0
  // If the count and the page are both full, older requests would change neither.
  const is_full = total === COUNT_MAX && rows.length === page_size
  const [last] = !end || is_full ? [] : await reader.query<{ id: string }>(end, period)
  return {
    ...pageOf(rows.map(presentRequest), total, query),
    // Other requests may have the same millisecond. The next list repeats some of them, but omits none.
    looked_back_to: last ? new Date(timeOfId(last.id).getTime() + 1).toISOString() : null,
  }
}

function statusesOf(status: string | undefined): [number, number] {
  if (status === undefined) return [0, 999]
  const least = Number(status.replace('xx', '00'))
  return [least, status.endsWith('xx') ? least + 99 : least]
}

function idAtTime(time: string | undefined, otherwise: string): string {
  return time === undefined ? otherwise : firstIdAt(new Date(time))
}

const FIND = sql(
  'requests_find',
  `select ${COLUMNS}, r.pack_place, p.packed
   from requests r ${WITH_KEY} left join request_packs p on p.merchant_id = $1 and p.id = r.pack_id
   where r.merchant_id = $1 and r.environment = $2 and r.id = $3`,
)

const NO_DETAILS: RequestDetails = {
  query: null,
  user_agent: null,
  idempotency_key: null,
  request_body: null,
  request_body_cut: false,
  response_body: null,
  response_body_cut: false,
  bodies_dropped: true,
  ignored_fields: null,
}

/**
 * Reads a request with its bodies. If this merchant and environment have no request with the id, refuses with not_found.
 */
export async function getRequest(
  reader: Reader,
  merchant_id: string,
  environment: Environment,
  id: string,
): Promise<RequestRecord> {
  const rows = isId(id)
    ? await reader.query<RequestLogRow & { packed: Buffer | null; pack_place: number | null }>(FIND, [
        merchant_id,
        environment,
        id,
      ])
    : []
  const [row] = rows
  if (!row) refuse('not_found')
  const { packed, pack_place } = row
  const details = packed === null || pack_place === null ? null : await unpack(packed, pack_place)
  return { ...presentRequest(row), environment: row.environment, ...(details ?? NO_DETAILS) }
}

function presentRequest(row: RequestLogRow): LoggedRequest {
  const { id, lost, lost_until, key_id, key_name, reference, resource_id, error_code } = row
  const at = timeOfId(id).toISOString()
  const names = { reference, resource_id, error_code, key_id, key_name }
  if (lost !== null) {
    const no_request = { request_id: null, method: null, path: null, status: null, duration_ms: null, address: null }
    return { id, kind: 'not_kept', at, until: lost_until?.toISOString() ?? null, count: lost, ...no_request, ...names }
  }
  const { method, path, status, duration_ms, address } = row
  const details = { method, path, status, duration_ms, address, request_id: requestIdOf(row) }
  return { id, kind: 'request', at, until: null, count: 1, ...details, ...names }
}

/** Returns the fields of an entry that an API key may read: no body, no address, and no reference or id of a record. */
export function withoutDetails(entry: LoggedRequest): RequestSummary {
  const { id, at, request_id, method, path, status, duration_ms, error_code, key_id, key_name, kind, count } = entry
  const not_kept = kind === 'not_kept' ? count : 0
  return { id, at, request_id, method, path, status, duration_ms, error_code, key_id, key_name, not_kept }
}

function requestIdOf({ id, request_id }: Pick<RequestLogRow, 'id' | 'request_id'>): string {
  return request_id ?? withRoutingCode(id, 0)
}

/** A request, other than a read, that created or named a record. The timeline of the record shows the request. */
export type ResourceRequest = {
  id: string
  request_id: string
  at: string
  method: string
  path: string
  status: number
  duration_ms: number
}

/** One more than a timeline shows, so that the timeline can say whether more requests exist. */
const OF_RESOURCE_MAX = 201
const OF_RESOURCE = sql(
  'requests_of_resource',
  `select id, request_id, method, path, status, duration_ms from requests
   where merchant_id = $1 and resource_id = $2 and method <> 'GET' and method <> 'HEAD' order by id desc limit $3`,
)

/**
 * Returns the newest 201 requests, without reads, that created or named a resource of a merchant, oldest first. If no API key
 * sent such a request, or the log has already deleted the requests, the list is empty.
 */
export async function findRequestsOf(
  reader: Reader,
  merchant_id: string,
  resource_id: string,
): Promise<ResourceRequest[]> {
  const rows = await reader.query<Omit<RequestLogRow, 'lost'>>(OF_RESOURCE, [merchant_id, resource_id, OF_RESOURCE_MAX])
  return rows.reverse().map(({ id, method, path, status, duration_ms, request_id }) => {
    const at = timeOfId(id).toISOString()
    return { id, request_id: requestIdOf({ id, request_id }), at, method, path, status, duration_ms }
  })
}
