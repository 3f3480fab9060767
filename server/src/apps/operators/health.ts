// How payments and payouts have gone lately, by provider, method and network: read from their rows, so that every process says
// the same. Only the circuit beside each is that of the process that answers. (What it met with its own calls: providers.ts.)

import Type, { type Static } from 'typebox'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, type Environment, type Routes, success } from '../../kernel/http/index.ts'
import { firstIdAt, NETWORK_OF_PREFIX, nullable, oneOf, timeOfId } from '../../kernel/lib/index.ts'
import { CIRCUIT_STATE, type ProvidersOptions } from './providers.ts'

const HOUR_MS = 3_600_000
/** A payment on a page is tried after it was made, and a withdrawal waits for its approval: their ids are older than their tries. */
const EARLIER_MS = { collection: 24 * HOUR_MS, withdrawal: 14 * 24 * HOUR_MS } as const
/** The newest payments, and as many payouts, that are looked at: about so many. */
export const LOOKED_AT_MAX = 10_000
/** The newest of one provider and method that are counted. */
export const COUNTED_MAX = 2_500

type Flow = keyof typeof EARLIER_MS

type Row = {
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
  counted_from: Date
  cut: boolean
}

/** Where the records and tries of a flow are, and when one went well: conditions on a try (t) joined to its record (r). */
type Kind = {
  records: string
  tries: string
  key: string
  taken: string
  lost: string
  confirmed_at: string
  network: string
}

const KINDS: Record<Flow, Kind> = {
  collection: {
    records: 'collections',
    tries: 'collection_attempts',
    key: 'collection_id',
    // Held money was taken, and what an operator declined or the provider took back later had been as well.
    taken: `t.extra_collection_id is not null or (t.number = coalesce(r.settled_attempt, r.attempts)
       and (r.status in ('successful', 'pending_clearance', 'reversed') or r.failure_reason_code = 'review_declined'))`,
    lost: "t.state = 'final'",
    confirmed_at: "case when r.status = 'successful' then r.updated_at end",
    network: "case when t.method <> 'qr' then $6::jsonb ->> substring(t.phone from 4 for 2) end",
  },
  withdrawal: {
    records: 'withdrawals',
    tries: 'payouts',
    key: 'withdrawal_id',
    taken: "r.status in ('SUCCESS', 'REVERSED')",
    lost: "r.status = 'FAILED' and t.state = 'final'",
    confirmed_at: 'r.completed_at',
    network: 't.destination_code',
  },
}

// Of many merchants, the newest n records are found without reading the rest: some rows of each tell how old the n-th may be at
// most; some more of those that may have more than that tell it closer. So what is read grows with the number of merchants and
// with n, and not with the number of records. Ids begin with their time.
function boundStatement(flow: Flow) {
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

function healthStatement(flow: Flow) {
  const { records, tries, key, taken, lost, confirmed_at, network } = KINDS[flow]
  return sql(
    '',
    `with tried as (
       select a.*, row_number() over (partition by a.provider, a.method order by a.created_at desc) as place_in,
         count(*) over (partition by a.provider, a.method) as in_all
       from merchants m cross join lateral (
         select * from ${tries} where merchant_id = m.id and ${key} >= $3 and environment = $1 and created_at >= $2
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
       max(confirmed_at) filter (where taken) as last_success_at,
       min(min(created_at)) over (partition by provider, method) as counted_from,
       max(in_all) > $5 as cut
     from judged group by provider, method, network order by provider, method, network`,
  )
}

const BOUNDS = { collection: boundStatement('collection'), withdrawal: boundStatement('withdrawal') }
const STATEMENTS = { collection: healthStatement('collection'), withdrawal: healthStatement('withdrawal') }

async function healthOf(reader: Reader, flow: Flow, environment: Environment, from: Date) {
  const earliest = firstIdAt(new Date(from.getTime() - EARLIER_MS[flow]))
  const [bound] = await reader.query<{ id: string }>(BOUNDS[flow], [environment, earliest, LOOKED_AT_MAX])
  const values = [environment, from, bound?.id ?? earliest, LOOKED_AT_MAX, COUNTED_MAX]
  const named = flow === 'collection' ? [JSON.stringify(NETWORK_OF_PREFIX)] : []
  const rows = await reader.query<Row>(STATEMENTS[flow], [...values, ...named])
  const ended = bound === undefined ? from : timeOfId(bound.id)
  return rows.map((row) => {
    const bounded = row.cut || ended > from
    return present(flow, row, bounded, row.cut ? row.counted_from : bounded ? ended : from)
  })
}

function present(flow: Flow, row: Row, bounded: boolean, since: Date): Counted {
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
    since: since.toISOString(),
    bounded,
  }
}

/** The circuit that calls of this provider and method go through in this process. One that none went through yet is closed. */
function circuitOf({ providers, breaker }: Circuits, { provider, method }: Counted): HealthItem['circuit'] {
  const guarded = providers.get(provider)?.capabilities.circuit_breaker
  if (!providers.has(provider) || guarded === false) return null
  const circuit = breaker.health().find((one) => one.provider === provider && one.method === method)
  if (circuit === undefined) return { state: 'closed', retry_at: null }
  return { state: circuit.state, retry_at: circuit.retry_at?.toISOString() ?? null }
}

/** A part of a whole in percent, with one decimal. */
function rate(part: number, whole: number): string {
  const tenths = Math.round((part * 1000) / whole)
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}

const HealthItem = Type.Object({
  provider: Type.String(),
  flow: oneOf(['collection', 'withdrawal'], 'Money that comes in, or money that goes out.'),
  method: Type.String(),
  network: nullable(
    Type.String({ description: 'Of a payment guessed from the phone, null for a code; of a payout its destination.' }),
  ),
  counted: Type.Integer({ description: 'Tries: successful, failed and undecided together.' }),
  successful: Type.Integer({
    description: 'The money was taken, or paid out; also when it was held or went back later.',
  }),
  failed: Type.Integer({ description: 'The provider said no.' }),
  undecided: Type.Integer({ description: 'No final answer came yet, or none in time.' }),
  success_rate: nullable(
    Type.String({ description: 'Of what was decided, in percent. Null: nothing was.', examples: ['92.3'] }),
  ),
  median_confirm_ms: nullable(Type.Integer({ description: 'From the try to its success, for half of them.' })),
  p95_confirm_ms: nullable(Type.Integer({ description: 'The same for 95 of 100.' })),
  last_success_at: nullable(Type.String({ format: 'date-time' })),
  since: Type.String({ format: 'date-time', description: 'How far back this was counted.' }),
  bounded: Type.Boolean({ description: 'true: there was more in these hours than was counted, see `since`.' }),
  circuit: Type.Union(
    [
      Type.Object({
        state: CIRCUIT_STATE,
        retry_at: nullable(Type.String({ format: 'date-time', description: 'When an open one is tried again.' })),
      }),
      Type.Null(),
    ],
    {
      description:
        'The circuit that stands in front of it, in the process that answered. Circuits are per provider and method: rows that differ only in their network share one. Null: there is none, because this process plays the provider itself or has it not configured.',
    },
  ),
})
type HealthItem = Static<typeof HealthItem>
/** What is read from the records. */
type Counted = Omit<HealthItem, 'circuit'>

type Circuits = Pick<ProvidersOptions, 'providers' | 'breaker'>

const Query = Type.Object({
  hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168, default: 24 })),
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'live when left out.')),
})

/** Adds the route. */
export function providerHealthRoutes(deps: Deps, circuits: Circuits): Routes {
  return (app) => {
    app.get(
      '/v1/operator/providers/health',
      {
        config: { access: 'operator' },
        schema: {
          tags: ['Operator'],
          summary: 'Show how payments and payouts went in the last hours, by provider, method and network',
          description: `From the records, so the same whichever process answers; only \`circuit\` is of that process. About the newest ${LOOKED_AT_MAX} payments and as many payouts are looked at, and of each provider and method the newest ${COUNTED_MAX} are counted: \`bounded\` and \`since\` say where that ended.`,
          querystring: Query,
          response: { 200: success(Type.Object({ items: Type.Array(HealthItem) })) },
        },
      },
      async (request) => {
        const { hours = 24, environment = 'live' } = request.query
        const from = new Date(deps.clock.now().getTime() - hours * HOUR_MS)
        const [payments, payouts] = await Promise.all([
          healthOf(deps.db, 'collection', environment, from),
          healthOf(deps.db, 'withdrawal', environment, from),
        ])
        const items = [...payments, ...payouts].map((item) => ({ ...item, circuit: circuitOf(circuits, item) }))
        return { success: true as const, data: { items } }
      },
    )
  }
}
