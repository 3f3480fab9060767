// Reading the log of requests, newest first.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, pageOf } from '../../kernel/http/index.ts'
import { firstIdAt, isId, refuse, timeOfId, withRoutingCode, ZERO_ID } from '../../kernel/lib/index.ts'
import { type Details, unpack } from './pack.ts'
import type { LoggedRequest, RequestRecord, RequestsQuery } from './schema.ts'

type Row = {
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
/** How many requests a filter looks through: its cost does not grow with the log. */
const LOOK_MAX = 50_000

// The newest of the period come in the order of the primary key, and a page that is filled reads no further. What was not kept
// might have matched: it is told whatever is asked for. Without a name they are planned for the filters at hand.
const looked = (where: string) =>
  `(select * from requests where merchant_id = $1 and environment = $2 and id >= $3 and id < $4 ${where} order by id desc limit ${LOOK_MAX}) r`
const MATCHES = `(r.lost is not null or (
     r.status between $5 and $6 and ($7::text is null or r.method = $7) and ($8::text is null or position($8 in r.path) > 0)
     and ($9::uuid is null or r.key_id = $9)))`
// A trouble is rare and has an index of its own, which is used where the condition is said in its words.
const SOURCES = { any: looked(''), trouble: looked('and status not between 200 and 399') }

// Each of these ways is a look-up in an index. Those that only read a resource are many and have none: for an id they are looked
// for among the newest.
const BY_TEXT = `(select environment, id from requests where merchant_id = $1 and request_id = $10 limit ${COUNT_MAX})
       union (select environment, id from requests where merchant_id = $1 and reference = $10 order by id desc limit ${COUNT_MAX})`
const BY_ID = `${BY_TEXT}
       union select environment, id from requests where merchant_id = $1 and environment = $2 and id = $11
       union (select environment, id from requests where merchant_id = $1 and resource_id = $12 and method <> 'GET'
         order by id desc limit ${COUNT_MAX})
       union select environment, id from ${looked('')} where r.method = 'GET' and r.resource_id = $12`
const found = (ways: string) => `(select r.* from (${ways}) f
     join requests r on r.merchant_id = $1 and r.environment = f.environment and r.id = f.id
     where f.environment = $2 and r.id >= $3 and r.id < $4) r`

const listOf = (source: string, values: number) =>
  sql(
    '',
    `select ${COLUMNS} from (select * from ${source} where ${MATCHES} order by r.id desc limit $${values + 1} offset $${values + 2}) r
     ${WITH_KEY} order by r.id desc`,
  )
const countOf = (source: string, values: number) =>
  sql('', `select count(*)::int as total from (select 1 from ${source} where ${MATCHES} limit $${values + 1}) counted`)
const endOf = (source: string) => sql('', `select id from ${source} offset ${LOOK_MAX - 1} limit 1`)
const queries = (source: string, looked_through: string | null, values = 9) => ({
  list: listOf(source, values),
  count: countOf(source, values),
  end: looked_through && endOf(looked_through),
})

const QUERIES = {
  any: queries(SOURCES.any, SOURCES.any),
  trouble: queries(SOURCES.trouble, SOURCES.trouble),
  by_text: queries(found(BY_TEXT), null, 10),
  by_id: queries(found(BY_ID), SOURCES.any, 12),
}

/**
 * A page of a merchant's requests, newest first. `total_items` counts up to 10,000. A filter looks through 50,000 requests of the
 * period, and `looked_back_to` says so when there were more.
 */
export async function listRequests(
  reader: Reader,
  merchant: { id: string; routing_code: number },
  environment: Environment,
  query: RequestsQuery,
) {
  const { page = 1, page_size = 20, method = null, path = null, key_id = null, q } = query
  const [least, most] = statusesOf(query.status)
  const period = [merchant.id, environment, bound(query.from, ZERO_ID), bound(query.to, LAST_ID)]
  const matching = [...period, least, most, method, path, key_id?.toLowerCase() ?? null]
  const text = q?.trim()
  const id = text !== undefined && isId(text.toLowerCase()) ? text.toLowerCase() : null
  const way = text === undefined ? (least >= 400 ? 'trouble' : 'any') : id === null ? 'by_text' : 'by_id'
  const { list, count, end } = QUERIES[way]
  if (text !== undefined) matching.push(text)
  // A request id that was made here has no routing code; that of the entry has the merchant's.
  if (id !== null) matching.push(withRoutingCode(id, merchant.routing_code), id)
  const [rows, counted] = await Promise.all([
    reader.query<Row>(list, [...matching, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(count, [...matching, COUNT_MAX]),
  ])
  const total = counted[0]?.total ?? 0
  // Where neither the count nor the page was full, all that may be looked through was looked through.
  const full = total === COUNT_MAX && rows.length === page_size
  const [last] = !end || full ? [] : await reader.query<{ id: string }>(end, period)
  return {
    ...pageOf(rows.map(present), total, query),
    // Others of the same millisecond may lie behind it: whoever goes on meets some twice, and misses none.
    looked_back_to: last ? new Date(timeOfId(last.id).getTime() + 1).toISOString() : null,
  }
}

function statusesOf(status: string | undefined): [number, number] {
  if (status === undefined) return [0, 999]
  const least = Number(status.replace('xx', '00'))
  return [least, status.endsWith('xx') ? least + 99 : least]
}

function bound(time: string | undefined, otherwise: string): string {
  return time === undefined ? otherwise : firstIdAt(new Date(time))
}

const FIND = sql(
  'requests_find',
  `select ${COLUMNS}, r.pack_place, p.packed
   from requests r ${WITH_KEY} left join request_packs p on p.merchant_id = $1 and p.id = r.pack_id
   where r.merchant_id = $1 and r.environment = $2 and r.id = $3`,
)

const NO_DETAILS: Details = {
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

/** One request with its bodies. Refuses with not_found, also for another merchant's or that of the other environment. */
export async function getRequest(
  reader: Reader,
  merchant_id: string,
  environment: Environment,
  id: string,
): Promise<RequestRecord> {
  const found = isId(id)
    ? await reader.query<Row & { packed: Buffer | null; pack_place: number | null }>(FIND, [
        merchant_id,
        environment,
        id,
      ])
    : []
  const [row] = found
  if (!row) refuse('not_found')
  const { packed, pack_place } = row
  const details = packed === null || pack_place === null ? null : await unpack(packed, pack_place)
  return { ...present(row), environment: row.environment, ...(details ?? NO_DETAILS) }
}

function present(row: Row): LoggedRequest {
  const { id, lost, lost_until, key_id, key_name, reference, resource_id, error_code } = row
  const at = timeOfId(id).toISOString()
  const named = { reference, resource_id, error_code, key_id, key_name }
  if (lost !== null) {
    const nothing = { request_id: null, method: null, path: null, status: null, duration_ms: null, address: null }
    return { id, kind: 'not_kept', at, until: lost_until?.toISOString() ?? null, count: lost, ...nothing, ...named }
  }
  const { method, path, status, duration_ms, address } = row
  const told = { method, path, status, duration_ms, address, request_id: requestIdOf(row) }
  return { id, kind: 'request', at, until: null, count: 1, ...told, ...named }
}

function requestIdOf({ id, request_id }: Pick<Row, 'id' | 'request_id'>): string {
  return request_id ?? withRoutingCode(id, 0)
}

/** A request as the story of a payment tells it. */
export type RequestOf = {
  id: string
  request_id: string
  at: string
  method: string
  path: string
  status: number
  duration_ms: number
}

/** One more than a timeline shows, so that it can say that there were more. */
const OF_RESOURCE_MAX = 201
const OF_RESOURCE = sql(
  'requests_of_resource',
  `select id, request_id, method, path, status, duration_ms from requests
   where merchant_id = $1 and resource_id = $2 and method <> 'GET' and method <> 'HEAD' order by id desc limit $3`,
)

/**
 * The requests that made a resource of a merchant or changed it, the newest 201 of them, oldest first;
 * those that only read it are left out. None: it was not made with an API key, or longer ago than the log is kept.
 */
export async function findRequestsOf(reader: Reader, merchant_id: string, resource_id: string): Promise<RequestOf[]> {
  const rows = await reader.query<Omit<Row, 'lost'>>(OF_RESOURCE, [merchant_id, resource_id, OF_RESOURCE_MAX])
  return rows.reverse().map(({ id, method, path, status, duration_ms, request_id }) => {
    const at = timeOfId(id).toISOString()
    return { id, request_id: requestIdOf({ id, request_id }), at, method, path, status, duration_ms }
  })
}
