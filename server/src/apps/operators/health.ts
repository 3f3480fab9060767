// Counts recent outcomes by provider, method and network. The counts come from the database, so every process gives the same
// counts. Circuits of other processes may be some seconds old.

import Type, { type Static } from 'typebox'
import { combineCalls, readCalls, type SharedCircuit } from '../../adapters/providers/shared-calls.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, type Environment, type Routes, success } from '../../kernel/http/index.ts'
import { enumOf, firstIdAt, NETWORK_OF_PREFIX, nullable, oneOf, timeOfId } from '../../kernel/lib/index.ts'
import { CIRCUIT_STATE, type ProvidersOptions } from './providers.ts'

const HOUR_MS = 3_600_000
/**
 * How much older than its attempt a record can be, in milliseconds. A page may wait for its payer, and a withdrawal for its
 * approval.
 */
const EARLIER_MS = { collection: 24 * HOUR_MS, withdrawal: 14 * 24 * HOUR_MS } as const
/** The approximate number of newest payments, and of newest payouts, that health examines. */
export const LOOKED_AT_MAX = 10_000
/** The highest number of newest attempts that health counts for each provider and method. */
export const COUNTED_MAX = 2_500

type HealthFlow = keyof typeof EARLIER_MS

type HealthRow = {
  provider: string
  method: string
  network: string | null
  counted: number
  successful: number
  failed: number
  undecided: number
  median_confirm_ms: number | null
  p95_confirm_ms: number | null
  last_success_at: Date | null
  last_request_at: Date
  counted_from: Date
  cut: boolean
}

/** The tables of payments or payouts, and the SQL conditions for an attempt (t) with its record (r). */
type FlowTables = {
  records: string
  attempts: string
  key: string
  taken: string
  lost: string
  confirmed_at: string
  network: string
}

const KINDS: Record<HealthFlow, FlowTables> = {
  collection: {
    records: 'collections',
    attempts: 'collection_attempts',
    key: 'collection_id',
    // The provider took the money of payments that are under review, that an operator declined after the review, or that the
    // provider reversed. So these payments count as taken.
    taken: `t.extra_collection_id is not null or (t.number = coalesce(r.settled_attempt, r.attempts)
       and (r.status in ('successful', 'pending_clearance', 'reversed') or r.failure_reason_code = 'review_declined'))`,
    lost: "t.state = 'final'",
    confirmed_at: "case when r.status = 'successful' then r.updated_at end",
    network: "case when t.method <> 'qr' then $6::jsonb ->> substring(t.phone from 4 for 2) end",
  },
  withdrawal: {
    records: 'withdrawals',
    attempts: 'payouts',
    key: 'withdrawal_id',
    taken: "r.status in ('SUCCESS', 'REVERSED')",
    lost: "r.status = 'FAILED' and t.state = 'final'",
    confirmed_at: 'r.completed_at',
    network: 't.destination_code',
  },
}

// The statement finds the id of the n-th newest record of all merchants. A sample of each merchant gives a first bound. A
// larger sample of busy merchants gives a closer bound. The cost grows with the merchants and n, not with the records.
function boundStatement(flow: HealthFlow) {
  const of = (merchant: string) =>
    `select merchant_id, id from ${KINDS[flow].records} where merchant_id = ${merchant} and environment = $1`
  return sql(
    '',
    `with share as materialized (select 2 * $3::int / greatest(count(*), 1)::int + 1 as rows from merchants
     ), sample as materialized (
       select w.* from merchants m cross join lateral (
         ${of('m.id')} and id >= $2 order by id desc limit (select rows from share)) w
     ), bound as materialized (
       select coalesce((select id from sample order by id desc limit 1 offset $3 - 1), $2) as id
     ), near as materialized (
       select merchant_id, id, count(*) over (partition by merchant_id) >= (select rows from share) as busy
       from sample where id >= (select id from bound)
     ), busy as materialized (
       select distinct merchant_id from near where busy
     ), closer as (
       select w.id from busy b cross join lateral (
         ${of('b.merchant_id')} and id >= (select id from bound) order by id desc
         limit (select 2 * $3::int / greatest(count(*), 1)::int + 1 from busy)) w
       union all
       select id from near where not busy
     )
     select id from closer order by id desc limit 1 offset $3 - 1`,
  )
}

function healthStatement(flow: HealthFlow) {
  const { records, attempts, key, taken, lost, confirmed_at, network } = KINDS[flow]
  return sql(
    '',
    `with tried as (
       select a.*, row_number() over (partition by a.provider, a.method order by a.created_at desc) as place_in,
         count(*) over (partition by a.provider, a.method) as in_all
       from merchants m cross join lateral (
         select * from ${attempts} where merchant_id = m.id and ${key} >= $3 and environment = $1 and created_at >= $2
         order by merchant_id desc, ${key} desc limit $4) a
     ), judged as (
       select t.*, ${network} as network, coalesce(${taken}, false) as taken, ${lost} as lost,
         ${confirmed_at} as confirmed_at
       from tried t cross join lateral (
         select * from ${records} r where r.merchant_id = t.merchant_id and r.id = t.${key} offset 0) r
       where t.place_in <= $5
     )
     select provider, method, network, count(*)::int as counted,
       count(*) filter (where taken)::int as successful,
       count(*) filter (where lost and not taken)::int as failed,
       count(*) filter (where not taken and not lost)::int as undecided,
       percentile_cont(0.5) within group (order by extract(epoch from confirmed_at - created_at)::float8 * 1000)
         filter (where taken and confirmed_at is not null) as median_confirm_ms,
       percentile_cont(0.95) within group (order by extract(epoch from confirmed_at - created_at)::float8 * 1000)
         filter (where taken and confirmed_at is not null) as p95_confirm_ms,
       max(confirmed_at) filter (where taken) as last_success_at, max(created_at) as last_request_at,
       min(min(created_at)) over (partition by provider, method) as counted_from,
       max(in_all) > $5 as cut
     from judged group by provider, method, network order by provider, method, network`,
  )
}

const BOUNDS = { collection: boundStatement('collection'), withdrawal: boundStatement('withdrawal') }
const STATEMENTS = { collection: healthStatement('collection'), withdrawal: healthStatement('withdrawal') }

async function readHealth(reader: Reader, flow: HealthFlow, environment: Environment, from: Date) {
  const earliest = firstIdAt(new Date(from.getTime() - EARLIER_MS[flow]))
  const [bound] = await reader.query<{ id: string }>(BOUNDS[flow], [environment, earliest, LOOKED_AT_MAX])
  const values = [environment, from, bound?.id ?? earliest, LOOKED_AT_MAX, COUNTED_MAX]
  const named = flow === 'collection' ? [JSON.stringify(NETWORK_OF_PREFIX)] : []
  const rows = await reader.query<HealthRow>(STATEMENTS[flow], [...values, ...named])
  const ended = bound === undefined ? from : timeOfId(bound.id)
  return rows.map((row) => {
    const bounded = row.cut || ended > from
    return presentHealth(flow, row, bounded, row.cut ? row.counted_from : bounded ? ended : from)
  })
}

function presentHealth(flow: HealthFlow, row: HealthRow, bounded: boolean, since: Date): CountedItem {
  const { provider, method, network, counted, successful, failed, undecided } = row
  const decided = successful + failed
  const whole = (ms: number | null) => (ms === null ? null : Math.max(0, Math.round(ms)))
  return {
    provider,
    flow,
    method,
    network,
    counted,
    successful,
    failed,
    undecided,
    success_rate: decided === 0 ? null : rate(successful, decided),
    median_confirm_ms: whole(row.median_confirm_ms),
    p95_confirm_ms: whole(row.p95_confirm_ms),
    last_success_at: row.last_success_at?.toISOString() ?? null,
    last_request_at: row.last_request_at.toISOString(),
    since: since.toISOString(),
    bounded,
  }
}

/**
 * Returns the worst circuit of a provider and method over all processes. If the provider is not configured or has no circuit
 * breaker, returns null. A circuit without calls is closed.
 */
function circuitOf(
  { providers }: ConfiguredNames,
  circuits: readonly SharedCircuit[],
  { provider, method }: CountedItem,
): HealthItem['circuit'] {
  const guarded = providers.get(provider)?.capabilities.circuit_breaker
  if (!providers.has(provider) || guarded === false) return null
  const found = circuits.find((one) => one.provider === provider && one.method === method)
  return { state: found?.state ?? 'closed', retry_at: found?.retry_at?.toISOString() ?? null }
}

/** Returns part / whole in percent, rounded to one decimal. */
function rate(part: number, whole: number): string {
  const tenths = Math.round((part * 1000) / whole)
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}

const HealthItem = Type.Object(
  {
    provider: Type.String(),
    flow: oneOf(['collection', 'withdrawal'], 'Money that comes in, or money that goes out.'),
    method: Type.String(),
    network: nullable(
      Type.String({
        description:
          'For a payment, the server guesses the network from the phone. Null means a QR. For a payout, the network is its destination.',
      }),
    ),
    counted: Type.Integer({ description: 'The number of attempts: successful, failed and undecided together.' }),
    successful: Type.Integer({
      description:
        'The number of attempts in which the provider took or paid out the money, even if the server held the money or the provider returned the money later.',
    }),
    failed: Type.Integer({ description: 'The number of attempts that the provider declined.' }),
    undecided: Type.Integer({
      description: 'The number of attempts without a final answer of the provider, or without an answer in time.',
    }),
    success_rate: nullable(
      Type.String({
        description:
          'The share of successful attempts among decided attempts, in percent. Null means that the provider decided no attempt.',
        examples: ['92.3'],
      }),
    ),
    median_confirm_ms: nullable(Type.Integer({ description: 'The median time from an attempt to its success.' })),
    p95_confirm_ms: nullable(Type.Integer({ description: 'The 95th percentile of that time.' })),
    last_success_at: nullable(Type.String({ format: 'date-time' })),
    last_request_at: Type.String({ format: 'date-time', description: 'When the newest counted attempt began.' }),
    since: Type.String({ format: 'date-time', description: 'The start of the counted period.' }),
    bounded: Type.Boolean({
      description: 'True means that these hours had more attempts than health counts: see `since`.',
    }),
    circuit: Type.Union(
      [
        Type.Object({
          state: CIRCUIT_STATE,
          retry_at: nullable(
            Type.String({ format: 'date-time', description: 'When an open circuit allows the next call.' }),
          ),
        }),
        Type.Null(),
      ],
      {
        description:
          'The worst circuit of this provider and method in a running process. Rows that differ only in their network share one circuit. Null means that the platform simulates the provider, or has no configuration of the provider.',
      },
    ),
  },
  { title: 'ProviderHealth' },
)
type HealthItem = Static<typeof HealthItem>
/** One row of the response before the server adds the circuit. */
type CountedItem = Omit<HealthItem, 'circuit'>

type ConfiguredNames = Pick<ProvidersOptions, 'providers'>

const Query = Type.Object({
  hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168, default: 24 })),
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS, 'live when left out.')),
})

/** Adds the route that shows recent outcomes by provider, method and network. */
export function providerHealthRoutes(deps: Deps, options: Pick<ProvidersOptions, 'providers' | 'breaker'>): Routes {
  return (app) => {
    app.get(
      '/v1/operator/providers/health',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'getProviderHealth',
          summary: 'Show the outcomes of recent payments and payouts by provider, method and network',
          description: `Every process answers the same, because the figures come from the database. \`circuit\` covers all processes. The server examines about ${LOOKED_AT_MAX} of the newest payments and as many payouts, and counts the newest ${COUNTED_MAX} of each provider and method. \`bounded\` and \`since\` show that limit.`,
          querystring: Query,
          response: { 200: success(Type.Object({ items: Type.Array(HealthItem) })) },
        },
      },
      async (request) => {
        const { hours = 24, environment = 'live' } = request.query
        const from = new Date(deps.clock.now().getTime() - hours * HOUR_MS)
        const [payments, payouts, calls] = await Promise.all([
          readHealth(deps.db, 'collection', environment, from),
          readHealth(deps.db, 'withdrawal', environment, from),
          readCalls(deps, deps.db, options.breaker),
        ])
        const circuits = combineCalls(calls)
        const items = [...payments, ...payouts].map((item) => ({
          ...item,
          circuit: circuitOf(options, circuits, item),
        }))
        return { success: true as const, data: { items } }
      },
    )
  }
}
