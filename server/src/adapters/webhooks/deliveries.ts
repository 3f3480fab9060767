// Reads the deliveries of a merchant with their attempts, replays one delivery, and ends the pause before a retry.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, idsOfTime } from '../../kernel/http/index.ts'
import { isId, refuse, refuseField } from '../../kernel/lib/index.ts'
import { DEFAULT_ENDPOINT_ID } from './enqueue.ts'
import { EVENT_ALIASES } from './events.ts'
import { ATTEMPTS_MAX } from './record.ts'
import { DEFAULT_ENDPOINT, type DeliveriesFilter, type DeliveryView, endpointName } from './schema.ts'

type ListedDeliveryRow = {
  id: string
  event: string
  environment: Environment
  endpoint_id: string
  status: DeliveryView['status']
  body: string
  due_at: Date | null
  created_at: Date
}

type WebhookAttemptRow = {
  delivery_id: string
  number: number
  at: Date
  status_code: number | null
  duration_ms: number
  error: string | null
  response_body: string | null
  /** The start of the first accepted attempt of the delivery, which may be older than the attempts that the query reads. */
  delivered_at: Date | null
}

const COLUMNS = 'id, event, environment, endpoint_id, status, body, due_at, created_at'

const FIND = sql(
  'webhook_delivery_find',
  `select ${COLUMNS} from webhook_deliveries where merchant_id = $1 and id = $2 and environment = $3`,
)

// For pending deliveries, PostgreSQL uses the index on due_at. Failed deliveries, rare events and endpoints other than the
// default have separate indexes.
const CONDITIONS = `merchant_id = $1 and environment = $2 and ($3::text is null or status = $3)
     and ($3::text is distinct from 'pending' or due_at is not null) and ($4::text is null or event = $4)
     and ($5::uuid is null or endpoint_id = $5) and id >= $6 and id < $7`

// Ids begin with their time, so the primary key sorts by time and a page reads few rows. The list queries have no name, so that
// PostgreSQL plans each query for its actual filters.
const LIST = sql(
  '',
  `select ${COLUMNS} from (
     select id as listed_id from webhook_deliveries where ${CONDITIONS} order by id desc limit $8 offset $9) p
   join webhook_deliveries on merchant_id = $1 and id = p.listed_id order by id desc`,
)

// The query reads rows in the order of the list, so the count can stop at its limit.
const COUNT = sql(
  '',
  `select count(*)::int as total from (
     select 1 from webhook_deliveries where ${CONDITIONS} order by id desc limit $8) counted`,
)

const ATTEMPTS = sql(
  'webhook_attempts_of',
  `select a.*, accepted.at as delivered_at from unnest($2::uuid[]) as d(id)
   left join lateral (
     select at from webhook_attempts where merchant_id = $1 and delivery_id = d.id and error is null
     order by number limit 1
   ) accepted on true
   cross join lateral (
     select delivery_id, number, at, status_code, duration_ms, error, left(response_body, $3) as response_body
     from webhook_attempts where merchant_id = $1 and delivery_id = d.id order by number desc limit $4
   ) a
   order by a.delivery_id, a.number`,
)

/**
 * The greatest number of characters of each answer, and of attempts of each delivery. The limits keep a page of a list small.
 */
const IN_LIST = { body_chars: 500, attempts: 5 }
const IN_RECORD = { body_chars: 16_384, attempts: 100 }
/** The greatest number of attempts of one delivery, including replays. */
export const REPLAYS_MAX = 100

/**
 * The SQL condition that the endpoint of a delivery exists. The condition is true for a default endpoint, because the merchant
 * may configure it again.
 */
export const ENDPOINT_EXISTS = `(endpoint_id = '${DEFAULT_ENDPOINT_ID}' or endpoint_id in (
       select c.id from webhook_configs c where c.merchant_id = $1 and c.environment = $2))`

/**
 * Returns the stored endpoint id for a filter. Null means that the filter contains no endpoint. If the id has a wrong format,
 * refuses with 400.
 */
export function endpointFilterOf({ endpoint_id }: { endpoint_id?: string }): string | null {
  if (endpoint_id === undefined) return null
  if (endpoint_id === DEFAULT_ENDPOINT) return DEFAULT_ENDPOINT_ID
  return isId(endpoint_id) ? endpoint_id : refuseField('endpoint_id', 'must be "default" or the id of an endpoint')
}

/** A retry that is due within this time counts as due, because the clocks of two processes differ. */
export const DUE_SOON_MS = 1_000

// For an ended delivery, the statement leaves one attempt, whose result is final. The process that sends a delivery is its
// lease_owner until the process records the result, so no retry without an owner is in flight. For a pending delivery,
// updated_at stays, because the search for failing endpoints reads the last failure there.
// The row locks keep the state that decides, so a refusal names the state that the update found.
const REPLAY = sql(
  'webhook_delivery_replay',
  `with chosen as (
     select id, status, attempts, lease_owner, due_at, ${ENDPOINT_EXISTS} as endpoint_exists from webhook_deliveries
     where merchant_id = $1 and environment = $2 and id = any($3::uuid[]) order by id for update
   ), queued as (
     update webhook_deliveries d
     set status = 'pending', attempts = case when c.status = 'pending' then d.attempts else greatest(d.attempts, $4) end,
       due_at = $5, lease_owner = null, updated_at = case when c.status = 'pending' then d.updated_at else $5 end
     from chosen c
     where d.merchant_id = $1 and d.id = c.id and c.endpoint_exists
       and (c.status in ('delivered', 'failed') and c.attempts < $6
         or c.status = 'pending' and c.attempts > 0 and c.lease_owner is null and c.due_at > $7)
     returning d.id
   )
   select c.id, case when q.id is not null then null
       when c.status = 'cancelled' or not c.endpoint_exists then 'endpoint_deleted'
       when c.status = 'pending' then 'waits' else 'attempt_limit' end as refusal
   from chosen c left join queued q on q.id = c.id order by c.id`,
)

/**
 * Reads one delivery with its last 100 attempts. If the merchant has no such delivery in this environment, refuses with
 * not_found.
 */
export async function getDelivery(
  reader: Reader,
  merchant_id: string,
  environment: Environment,
  id: string,
): Promise<DeliveryView> {
  const [row] = isId(id) ? await reader.query<ListedDeliveryRow>(FIND, [merchant_id, id, environment]) : []
  if (!row) refuse('not_found')
  const [delivery] = await withAttempts(reader, merchant_id, [row], IN_RECORD)
  return delivery as DeliveryView
}

/**
 * Reads a page of a merchant's deliveries, newest first, each with its last attempts and the beginning of each answer.
 * `total_items` counts up to 10,000.
 */
export async function listDeliveries(
  reader: Reader,
  merchant_id: string,
  environment: Environment,
  filter: DeliveriesFilter,
) {
  const page = filter.page ?? 1
  const page_size = filter.page_size ?? 20
  const event = filter.event === undefined ? null : (EVENT_ALIASES.get(filter.event) ?? filter.event)
  const { from_id, until_id } = idsOfTime(filter)
  const endpoint_id = endpointFilterOf(filter)
  const matching = [merchant_id, environment, filter.status ?? null, event, endpoint_id, from_id, until_id]
  const [rows, counted] = await Promise.all([
    reader.query<ListedDeliveryRow>(LIST, [...matching, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [...matching, COUNT_MAX]),
  ])
  const total_items = counted[0]?.total ?? 0
  return {
    items: await withAttempts(reader, merchant_id, rows, IN_LIST),
    pagination: { page, page_size, total_items, total_pages: Math.ceil(total_items / page_size) },
  }
}

/** Why the server does not send a delivery again. `waits`: it is due, in flight or without an attempt. */
export type ReplayRefusal = 'waits' | 'attempt_limit' | 'endpoint_deleted'

/** A delivery that the caller chose. Null as `refusal` means that the server queued one more attempt. */
type ChosenDelivery = { id: string; refusal: ReplayRefusal | null }

/**
 * Queues one more attempt of each delivery that the merchant has in this environment. Skips deliveries that are due, in flight or
 * without an attempt, have 100 attempts or a deleted endpoint. Returns the reason for each of them.
 */
export async function queueReplays(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environment: Environment,
  ids: readonly string[],
): Promise<ChosenDelivery[]> {
  if (ids.length === 0) return []
  const now = deps.clock.now()
  const soon = new Date(now.getTime() + DUE_SOON_MS)
  const values = [merchant_id, environment, ids, ATTEMPTS_MAX - 1, now, REPLAYS_MAX, soon]
  return tx.query<ChosenDelivery>(REPLAY, values)
}

/** Returns the ids of the deliveries that the server queued. */
export const queuedOf = (chosen: readonly ChosenDelivery[]) =>
  chosen.filter(({ refusal }) => refusal === null).map(({ id }) => id)

/**
 * Queues one more attempt with the same id and bytes. If the delivery waits for a retry, makes this retry due now. Refuses an
 * unknown delivery with not_found. If the delivery is due, in flight or without an attempt, refuses with invalid_state. Refuses
 * a delivery with 100 attempts or a deleted endpoint with invalid_state too.
 */
export async function replayDelivery(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environment: Environment,
  id: string,
): Promise<DeliveryView> {
  if (!isId(id)) refuse('not_found')
  const [chosen] = await queueReplays(deps, tx, merchant_id, environment, [id])
  if (chosen !== undefined && chosen.refusal !== null) {
    refuse('invalid_state', { message: REFUSAL_MESSAGES[chosen.refusal] })
  }
  return getDelivery(tx, merchant_id, environment, id)
}

const REFUSAL_MESSAGES: Readonly<Record<ReplayRefusal, string>> = {
  waits: 'This delivery is still pending: the server retries it. See next_attempt_at.',
  attempt_limit: `The server attempted this delivery ${REPLAYS_MAX} times and does not send it again.`,
  endpoint_deleted: 'The merchant deleted the webhook endpoint of this delivery. The server does not send it again.',
}

async function withAttempts(
  reader: Reader,
  merchant_id: string,
  rows: readonly ListedDeliveryRow[],
  limits: { body_chars: number; attempts: number },
): Promise<DeliveryView[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const found = await reader.query<WebhookAttemptRow>(ATTEMPTS, [merchant_id, ids, limits.body_chars, limits.attempts])
  const attempts = Map.groupBy(found, (attempt) => attempt.delivery_id)
  return rows.map((row) => presentDelivery(row, attempts.get(row.id) ?? []))
}

function presentDelivery(row: ListedDeliveryRow, attempts: readonly WebhookAttemptRow[]): DeliveryView {
  return {
    id: row.id,
    event: row.event,
    environment: row.environment,
    endpoint_id: endpointName(row.endpoint_id),
    status: row.status,
    payload: JSON.parse(row.body) as Record<string, unknown>,
    attempts: attempts.map(({ number, at, status_code, duration_ms, error, response_body }) => ({
      number,
      at: at.toISOString(),
      status_code,
      duration_ms,
      error,
      response_body,
    })),
    delivered_at: attempts[0]?.delivered_at?.toISOString() ?? null,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
