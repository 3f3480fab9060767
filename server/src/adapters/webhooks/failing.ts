// Finds failing webhook endpoints. If a delivery failed at least twice and no delivery to the same endpoint has succeeded since
// then, the endpoint fails. For the members of a merchant, also finds endpoints with one failed attempt or missed deliveries.

import Type, { type Static } from 'typebox'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { type App, caller, type Environment, MERCHANT_ROLES, success } from '../../kernel/http/index.ts'
import { line } from '../../kernel/lib/index.ts'
import { DUE_SOON_MS, REPLAYS_MAX } from './deliveries.ts'
import { DEFAULT_ENDPOINT_ID } from './enqueue.ts'
import { ATTEMPTS_MAX } from './record.ts'
import { endpointName, FAILING_FIELDS, FAILING_SCANNED_MAX } from './schema.ts'

/**
 * The age in milliseconds after which a failed attempt no longer counts. So an endpoint without new events disappears from the
 * list.
 */
const FAILING_WINDOW_MS = 7 * 24 * 3_600_000
/** From this number of failed attempts of a pending delivery on, its endpoint is failing. */
const MISSES_MIN = 2

/**
 * The state of an endpoint with missed deliveries, the most urgent first. `retrying`: no delivery has failed twice yet.
 * `waiting`: the endpoint accepts deliveries again, and older ones wait for a retry or for a replay.
 */
const ENDPOINT_STATES = ['failing', 'retrying', 'waiting'] as const
/** The greatest number of endpoints in the list. */
const ENDPOINTS_MAX = 1_000

/**
 * An endpoint with missed deliveries. `failed` counts the missed deliveries of its state, and `given_up` those without a further
 * attempt. Null as `webhook_url` means that the default endpoint is not configured. FAILING_FIELDS describes the other fields.
 */
export type FailingEndpoint = {
  state: (typeof ENDPOINT_STATES)[number]
  merchant_id: string
  name: string
  webhook_url: string | null
  environment: Environment
  endpoint_id: string
  failed: number
  given_up: number
  oldest_at: Date
  last_failed_at: Date
  last_status_code: number | null
  last_error: string | null
  next_attempt_at: Date | null
  /** True if a member or an API key changed the endpoint after the last failed attempt. */
  changed: boolean
}

/**
 * Returns SQL for the ids of the merchants that have a delivery with `condition`. The query takes one index step for each
 * merchant.
 */
const merchantsWith = (name: string, condition: string) => `${name} as (
     (select merchant_id from webhook_deliveries where ${condition} order by merchant_id limit 1)
     union all
     select following.merchant_id from ${name} f cross join lateral (
       select merchant_id from webhook_deliveries where ${condition} and merchant_id > f.merchant_id
       order by merchant_id limit 1) following
   )`
const ALL_MERCHANTS = `${merchantsWith('given_up', "status = 'failed'")}, ${merchantsWith('waiting', 'due_at is not null')},
   whose as (
     select w.merchant_id from (select merchant_id from given_up union select merchant_id from waiting) w
     join merchants m on m.id = w.merchant_id where m.archived_at is null
   )`

const COLUMNS =
  'merchant_id, id, environment, endpoint_id, status, attempts, due_at, lease_owner, created_at, updated_at'

// The condition of a missed delivery that a replay sends: the server gave it up, or it waits for its retry.
const REPLAYABLE = `(status = 'failed' and attempts < ${REPLAYS_MAX} or lease_owner is null and due_at > $7)`

// The pauses grow with each attempt, so the deliveries with most failed attempts are due last, and the query reads them first.
// After a replay, only the result of the last attempt counts. A delivery that the endpoint accepted once is no missed delivery,
// also if a later repetition failed. As text, the states are in the order of their urgency.
const failingOf = (name: string, whose: string) =>
  sql(
    name,
    `with recursive ${whose}, receivers as (
       select w.merchant_id, e.environment, e.id as endpoint_id from whose w cross join lateral (
         select environment, id from webhook_configs where merchant_id = w.merchant_id
         union values ('live', '${DEFAULT_ENDPOINT_ID}'::uuid), ('sandbox', '${DEFAULT_ENDPOINT_ID}'::uuid)) e
     ), missed as (
       select d.*, coalesce(a.ended_at, d.updated_at) as missed_at
       from (
         select f.* from whose w cross join lateral (
           select ${COLUMNS} from webhook_deliveries
           where merchant_id = w.merchant_id and status = 'failed' and updated_at >= $1 order by updated_at desc limit $3) f
         union all
         select p.* from receivers r cross join lateral (
           select ${COLUMNS} from webhook_deliveries
           where merchant_id = r.merchant_id and environment = r.environment and endpoint_id = r.endpoint_id
             and due_at is not null order by due_at desc limit $3) p
         where p.attempts >= $4 and p.updated_at >= $1
       ) d
       left join lateral (
         select at + make_interval(secs => duration_ms / 1000.0) as ended_at, error from webhook_attempts
         where merchant_id = d.merchant_id and delivery_id = d.id and d.status = 'pending' and d.attempts >= $5
         order by number desc limit 1) a on true
       where (d.status = 'failed' or d.attempts < $5 or a.error is not null)
         and (d.attempts < $5 or not exists (
           select 1 from webhook_attempts where merchant_id = d.merchant_id and delivery_id = d.id and error is null))
     ), succeeded as (
       select m.merchant_id, n.environment, n.endpoint_id, max(coalesce(a.ended_at, n.updated_at)) as at
       from (select distinct merchant_id from missed) m cross join lateral (
         select id, environment, endpoint_id, status, attempts, updated_at from webhook_deliveries
         where merchant_id = m.merchant_id order by id desc limit $3) n
       left join lateral (
         select max(at + make_interval(secs => duration_ms / 1000.0)) as ended_at from webhook_attempts
         where merchant_id = m.merchant_id and delivery_id = n.id and error is null
           and n.status <> 'delivered' and n.attempts >= $5) a on true
       where n.status = 'delivered' or a.ended_at is not null group by 1, 2, 3
     ), stated as (
       select m.*, case when s.at >= m.missed_at then 'waiting'
         when m.status = 'failed' or m.attempts >= ${MISSES_MIN} then 'failing' else 'retrying' end as state
       from missed m
       left join succeeded s
         on s.merchant_id = m.merchant_id and s.environment = m.environment and s.endpoint_id = m.endpoint_id
       join receivers r on r.merchant_id = m.merchant_id and r.environment = m.environment and r.endpoint_id = m.endpoint_id
       where m.missed_at >= $1
     ), endpoints as (
       select merchant_id, environment, endpoint_id, state, count(*)::int as failed,
         (count(*) filter (where status = 'failed'))::int as given_up, min(created_at) as oldest_at,
         max(missed_at) as last_failed_at, min(due_at) as next_attempt_at,
         (array_agg(id order by missed_at desc, id desc))[1] as last_id
       from stated where state = any($6::text[]) and (state <> 'waiting' or ${REPLAYABLE})
       group by 1, 2, 3, 4
     ), failing as (
       select * from (
         select distinct on (merchant_id, environment, endpoint_id) * from endpoints
         order by merchant_id, environment, endpoint_id, state) e
       order by last_failed_at desc, 1, 2, 3 limit $2
     )
     select f.state, f.merchant_id, n.name, c.webhook_url, f.environment, f.endpoint_id, f.failed, f.given_up, f.oldest_at,
       f.last_failed_at, f.next_attempt_at, a.status_code as last_status_code, a.error as last_error,
       coalesce(c.updated_at > f.last_failed_at, false) as changed
     from failing f
     join merchants n on n.id = f.merchant_id
     left join webhook_configs c
       on c.merchant_id = f.merchant_id and c.environment = f.environment and c.id = f.endpoint_id
     left join lateral (
       select status_code, error from webhook_attempts
       where merchant_id = f.merchant_id and delivery_id = f.last_id order by number desc limit 1) a on true
     order by f.last_failed_at desc, f.merchant_id, f.environment, f.endpoint_id`,
  )

const FAILING_OF_ALL = failingOf('webhooks_failing', ALL_MERCHANTS)
const FAILING_OF_ONE = failingOf('webhooks_failing_of', 'whose as (select $8::uuid as merchant_id)')
const FAILING_OF_SET = failingOf('webhooks_failing_of_set', 'whose as (select unnest($8::uuid[]) as merchant_id)')

/** Reads the failing endpoints of one merchant, the latest failure first. Null as `merchant_id` means all merchants. */
export function failingEndpoints(
  deps: Pick<Deps, 'clock'>,
  reader: Reader,
  merchant_id: string | null = null,
): Promise<FailingEndpoint[]> {
  const values = failingQueryValues(deps, MISSES_MIN, ['failing'])
  return merchant_id === null
    ? reader.query<FailingEndpoint>(FAILING_OF_ALL, values)
    : reader.query<FailingEndpoint>(FAILING_OF_ONE, [...values, merchant_id])
}

/** Reads the endpoints of a merchant with missed deliveries, the latest failure first, each with its most urgent state. */
export function troubledEndpoints(
  deps: Pick<Deps, 'clock'>,
  reader: Reader,
  merchant_id: string,
): Promise<FailingEndpoint[]> {
  return reader.query<FailingEndpoint>(FAILING_OF_ONE, [...failingQueryValues(deps, 1, ENDPOINT_STATES), merchant_id])
}

/** Reads the endpoints of several merchants with missed deliveries in one statement, as `troubledEndpoints` reads those of one. */
export function troubledEndpointsOfSet(
  deps: Pick<Deps, 'clock'>,
  reader: Reader,
  merchant_ids: readonly string[],
): Promise<FailingEndpoint[]> {
  return reader.query<FailingEndpoint>(FAILING_OF_SET, [...failingQueryValues(deps, 1, ENDPOINT_STATES), merchant_ids])
}

function failingQueryValues(
  { clock }: Pick<Deps, 'clock'>,
  misses: number,
  states: readonly FailingEndpoint['state'][],
) {
  const now = clock.now().getTime()
  const [since, soon] = [new Date(now - FAILING_WINDOW_MS), new Date(now + DUE_SOON_MS)]
  return [since, ENDPOINTS_MAX, FAILING_SCANNED_MAX, misses, ATTEMPTS_MAX - 1, states, soon]
}

/**
 * Returns the URL of an endpoint without its query, because the query may contain a token of the merchant. Null means that the
 * endpoint is not configured.
 */
export function failingAddress({ webhook_url }: Pick<FailingEndpoint, 'webhook_url'>): string | null {
  if (webhook_url === null) return null
  const { origin, pathname } = new URL(webhook_url)
  return `${origin}${pathname}`
}

const Failing = Type.Object(FAILING_FIELDS)

/** Converts a failing endpoint to the form of the API. */
export function presentFailing(row: FailingEndpoint): Static<typeof Failing> {
  const { environment, failed, given_up, oldest_at, last_failed_at, last_status_code, last_error } = row
  return {
    environment,
    endpoint_id: endpointName(row.endpoint_id),
    failed,
    given_up,
    oldest_at: oldest_at.toISOString(),
    last_failed_at: last_failed_at.toISOString(),
    last_status_code,
    last_error,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  }
}

/** Adds the route that lists the failing endpoints of a merchant for its members. */
export function webhookStatusRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/webhook-status',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Webhooks'],
        operationId: 'getWebhookStatus',
        summary: 'Show which webhook endpoints fail, live and in the sandbox',
        description:
          'If a delivery to an endpoint failed twice and no delivery to the endpoint succeeded since then, the endpoint fails. The server counts only attempts of the last 7 days.',
        querystring: Type.Object({ merchant_id: Type.Optional(line(64)) }),
        response: { 200: success(Type.Object({ failing: Type.Array(Failing) })) },
      },
    },
    async (request) => {
      const rows = await failingEndpoints(deps, deps.db, caller(request).merchant.id)
      return { success: true as const, data: { failing: rows.map(presentFailing) } }
    },
  )
}
