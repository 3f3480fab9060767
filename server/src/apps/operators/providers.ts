// Defines the endpoints with which operators read the providers, their routes, the circuits of all processes, and the waiting
// payments and payouts.

import Type from 'typebox'
import type { Breaker } from '../../adapters/providers/breaker.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Routing } from '../../adapters/providers/routing.ts'
import {
  combineCalls,
  type ProcessCalls,
  readCalls,
  type SharedCircuit,
} from '../../adapters/providers/shared-calls.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, PageQuery, page, type Routes, success } from '../../kernel/http/index.ts'
import { enumOf, line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { listWaiting, WAITING_KINDS, WAITING_MAX, WAITING_MAX_OF_ONE } from './waiting.ts'

/** The dependencies of the provider routes: the providers by name, the routing, and the circuit breaker. */
export type ProvidersOptions = { providers: ReadonlyMap<string, Provider>; routing: Routing; breaker: Breaker }

const Timestamp = Type.String({ format: 'date-time' })
const Names = Type.Array(Type.String())

/** The state of a circuit, as a field of the response. */
export const CIRCUIT_STATE = oneOf(
  ['closed', 'open', 'half_open'],
  'closed: the process makes calls. open: the process makes no call until retry_at. half_open: one call tests the provider.',
)

const Circuit = Type.Object(
  {
    method: Type.String({ description: 'A method, or the query status, payout_status or name.' }),
    state: nullable(CIRCUIT_STATE),
    processes: Type.Integer({ description: 'The running processes that have called this method.' }),
    open_in: Type.Integer({ description: 'The processes among them whose circuit is open.' }),
    calls: Type.Integer({ description: 'The calls of these processes since their start.' }),
    faults: Type.Integer({ description: 'The number of these calls that the provider failed.' }),
    recent_calls: Type.Integer({
      description: 'The newest calls that decide the circuits: at most 20 of each process.',
    }),
    recent_faults: Type.Integer({ description: 'The number of these newest calls that the provider failed.' }),
    median_ms: nullable(
      Type.Number({ description: 'The median duration of the newest calls of the slowest process.' }),
    ),
    last_call_at: Timestamp,
    last_fault_at: nullable(Timestamp),
    since: nullable(Timestamp),
    retry_at: nullable(
      Type.String({ format: 'date-time', description: 'When the first open circuit permits the next call.' }),
    ),
  },
  { title: 'ProviderCircuit' },
)

const CallingProcess = Type.Object(
  {
    process_id: Type.String(),
    process: oneOf(['all', 'api', 'worker'], 'The role of the process. An api process runs no worker.'),
    calls: Type.Integer({ description: 'Its calls of providers since its start.' }),
    written_at: Type.String({ format: 'date-time', description: 'When the process last reported its calls.' }),
  },
  { title: 'CallingProcess' },
)

const Answer = success(
  Type.Object({
    process_id: Type.String({ description: 'The process that answered.' }),
    process: oneOf(['all', 'api', 'worker'], 'The role of that process. An api process runs no worker.'),
    processes: Type.Array(CallingProcess, {
      description:
        'The running processes that have called a provider. The figures of other processes are some seconds old.',
    }),
    default_provider: Type.String({ description: 'The provider of each payment without a route.' }),
    routes: Type.Array(Type.Object({ route: Type.String(), provider: Type.String() })),
    providers: Type.Array(
      Type.Object({
        name: Type.String(),
        live: Type.Boolean({ description: 'True means that new live payments or payouts may use this provider.' }),
        methods: Names,
        payout_methods: Names,
        destinations: nullable(Type.Array(Type.String(), { description: 'Null means every destination.' })),
        whole_shillings: Type.Boolean(),
        circuit_breaker: Type.Boolean({
          description: 'False means that the provider has no circuits, because the process simulates the provider.',
        }),
        circuits: Type.Array(Circuit, {
          description: 'The calls and circuits of each method that a running process has called since its start.',
        }),
      }),
    ),
  }),
)

const WaitingItem = Type.Object(
  {
    kind: oneOf(WAITING_KINDS, 'Money that comes in, or money that goes out.'),
    id: Type.String({ description: 'The id of the collection or of the withdrawal.' }),
    merchant_id: Type.String(),
    merchant_name: Type.String(),
    environment: enumOf('Environment', ENVIRONMENTS),
    provider: Type.String(),
    provider_reference: Type.String({ description: 'Our reference at the provider.' }),
    statement_reference: nullable(
      Type.String({
        description: 'The form of that reference in statements of the provider. Null means the same form.',
      }),
    ),
    method: Type.String(),
    state: Type.String({
      description:
        'to_send: the server has not sent the request yet. sending: the provider has not answered yet. unclear: the answer does not show whether the provider accepted the request. asked: the server queries its status.',
    }),
    waiting_s: Type.Integer({ description: 'The waiting time in seconds.' }),
    asks: Type.Integer({ description: 'The number of steps so far.' }),
    provider_status: nullable(Type.String({ description: 'The status in the last answer of the provider.' })),
    due_at: Type.String({ format: 'date-time', description: 'When the next step is due.' }),
    created_at: Timestamp,
  },
  { title: 'WaitingPayment' },
)

const WaitingQuery = Type.Object({
  ...PageQuery,
  kind: Type.Optional(oneOf(WAITING_KINDS, 'Money that comes in, or money that goes out. Both when left out.')),
  provider: Type.Optional(line(64, 'The name of a provider.')),
  merchant_id: Type.Optional(Type.String({ format: 'uuid' })),
})

/** Adds the routes that show the providers, and that list payments and payouts that wait for a provider. */
export function operatorProviderRoutes(deps: Deps, options: ProvidersOptions): Routes {
  const tags = ['Operator']
  return (app) => {
    app.get(
      '/v1/operator/providers',
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'listProviders',
          summary: 'Show the providers, their routes, and the calls and circuits of all processes',
          response: { 200: Answer },
        },
      },
      async () => {
        const calls = await readCalls(deps, deps.db, options.breaker)
        return { success: true as const, data: presentProviders(deps, options, calls) }
      },
    )
    app.get(
      '/v1/operator/waiting',
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'listWaitingPayments',
          summary: 'List payments and payouts that wait for a provider, the longest waiting first',
          description: `The list shows and counts up to ${WAITING_MAX} of each kind per merchant, the earliest due first. With \`merchant_id\` the limit is ${WAITING_MAX_OF_ONE}.`,
          querystring: WaitingQuery,
          response: { 200: success(page(WaitingItem)) },
        },
      },
      async (request) => ({ success: true as const, data: await listWaiting(deps, request.query) }),
    )
  }
}

function presentProviders(deps: Deps, { providers, routing }: ProvidersOptions, calls: readonly ProcessCalls[]) {
  const combined = combineCalls(calls)
  return {
    process_id: deps.process_id,
    process: deps.config.process,
    processes: presentProcesses(calls),
    default_provider: deps.config.provider,
    routes: [...routing.routes].map(([route, provider]) => ({ route, provider })),
    providers: [...providers.values()].map((provider) => {
      const { methods, payout_methods, destinations, whole_shillings } = provider.capabilities
      return {
        name: provider.name,
        live: routing.live.includes(provider),
        methods: [...methods],
        payout_methods: [...payout_methods],
        destinations: destinations === undefined ? null : [...destinations],
        whole_shillings,
        circuit_breaker: provider.capabilities.circuit_breaker !== false,
        circuits: combined.filter((circuit) => circuit.provider === provider.name).map(presentCircuit),
      }
    }),
  }
}

function presentProcesses(calls: readonly ProcessCalls[]) {
  return [...Map.groupBy(calls, ({ process_id }) => process_id)].map(([process_id, rows]) => ({
    process_id,
    process: rows[0]?.process as 'all' | 'api' | 'worker',
    calls: rows.reduce((sum, row) => sum + row.calls, 0),
    written_at: new Date(Math.max(...rows.map(({ written_at }) => written_at.getTime()))).toISOString(),
  }))
}

function presentCircuit({ provider: _, last_call_at, last_fault_at, since, retry_at, ...circuit }: SharedCircuit) {
  return {
    ...circuit,
    last_call_at: last_call_at.toISOString(),
    last_fault_at: last_fault_at?.toISOString() ?? null,
    since: since?.toISOString() ?? null,
    retry_at: retry_at?.toISOString() ?? null,
  }
}
