// Defines the endpoints with which operators read about providers: routes, results of the calls of this process, and waiting
// payments and payouts.

import Type from 'typebox'
import type { Breaker, CircuitHealth } from '../../adapters/providers/breaker.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Routing } from '../../adapters/providers/routing.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, PageQuery, page, type Routes, success } from '../../kernel/http/index.ts'
import { enumOf, line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { listWaiting, WAITING_KINDS, WAITING_MAX, WAITING_MAX_OF_ONE } from './waiting.ts'

/** The dependencies of the provider routes. */
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
    state: CIRCUIT_STATE,
    calls: Type.Integer({ description: 'The number of recent calls that the circuit counts.' }),
    faults: Type.Integer({ description: 'The number of these calls that the provider failed.' }),
    median_ms: nullable(Type.Number()),
    since: Timestamp,
    retry_at: nullable(Timestamp),
  },
  { title: 'ProviderCircuit' },
)

const Answer = success(
  Type.Object({
    process_id: Type.String({
      description:
        'The process that answered. Each process has its own circuits. The log of a worker shows the results of its calls.',
    }),
    process: oneOf(['all', 'api', 'worker'], 'The role of that process. An api process runs no worker.'),
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
          description: 'One circuit for each method that this process has called since its start.',
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

/** Adds the routes for providers. */
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
          summary: 'Show the providers, their routes, and the results of their calls in this process',
          response: { 200: Answer },
        },
      },
      async () => ({ success: true as const, data: presentProviders(deps, options) }),
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

function presentProviders(deps: Deps, { providers, routing, breaker }: ProvidersOptions) {
  const health = breaker.health()
  return {
    process_id: deps.process_id,
    process: deps.config.process,
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
        circuits: health.filter((circuit) => circuit.provider === provider.name).map(presentCircuit),
      }
    }),
  }
}

function presentCircuit({ provider: _, since, retry_at, ...circuit }: CircuitHealth) {
  return { ...circuit, since: since.toISOString(), retry_at: retry_at?.toISOString() ?? null }
}
