// Operators look at the providers: which are there, what goes over them, how their calls went in this process, and what
// waits for them.

import Type from 'typebox'
import type { Breaker, CircuitHealth } from '../../adapters/providers/breaker.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Routing } from '../../adapters/providers/routing.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, PageQuery, page, type Routes, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { listWaiting, WAITING_KINDS, WAITING_MAX, WAITING_MAX_OF_ONE } from './waiting.ts'

/** What the routes need of the providers. */
export type ProvidersOptions = { providers: ReadonlyMap<string, Provider>; routing: Routing; breaker: Breaker }

const Timestamp = Type.String({ format: 'date-time' })
const Names = Type.Array(Type.String())

/** The state of a circuit, as a field. */
export const CIRCUIT_STATE = oneOf(
  ['closed', 'open', 'half_open'],
  'closed: calls are made. open: none is, until retry_at. half_open: one call tries whether it works again.',
)

const Circuit = Type.Object({
  method: Type.String({ description: 'A method; status, payout_status and name: questions.' }),
  state: CIRCUIT_STATE,
  calls: Type.Integer({ description: 'The newest calls that are judged.' }),
  faults: Type.Integer({ description: 'How many of these failed because of the provider.' }),
  median_ms: nullable(Type.Number()),
  since: Timestamp,
  retry_at: nullable(Timestamp),
})

const Answer = success(
  Type.Object({
    process_id: Type.String({
      description:
        'The process that answered: each has circuits of its own, and shows no other. What a worker met is in its log.',
    }),
    process: oneOf(['all', 'api', 'worker'], 'What that process does: an api sends no payments by itself.'),
    default_provider: Type.String({ description: 'What no route names goes over it.' }),
    routes: Type.Array(Type.Object({ route: Type.String(), provider: Type.String() })),
    providers: Type.Array(
      Type.Object({
        name: Type.String(),
        live: Type.Boolean({ description: 'Whether new live payments or payouts may go over it.' }),
        methods: Names,
        payout_methods: Names,
        destinations: nullable(Type.Array(Type.String(), { description: 'Null: every one.' })),
        whole_shillings: Type.Boolean(),
        circuit_breaker: Type.Boolean({
          description: 'false: there are no circuits in front of it, because the process plays it itself.',
        }),
        circuits: Type.Array(Circuit, { description: 'One for each method that was called since the process began.' }),
      }),
    ),
  }),
)

const Waiting = Type.Object({
  kind: oneOf(WAITING_KINDS, 'Money that comes in, or money that goes out.'),
  id: Type.String({ description: 'The collection, or the withdrawal.' }),
  merchant_id: Type.String(),
  merchant_name: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  provider: Type.String(),
  provider_reference: Type.String({ description: 'What the provider knows it by.' }),
  statement_reference: nullable(
    Type.String({ description: 'How its statements write that reference. Null: as it is.' }),
  ),
  method: Type.String(),
  state: Type.String({
    description:
      'to_send: not sent yet. sending: no answer is known. unclear: the answer did not tell whether it was taken. asked: it is asked about.',
  }),
  waiting_s: Type.Integer({ description: 'For how many seconds.' }),
  asks: Type.Integer({ description: 'Steps that were taken with it so far.' }),
  provider_status: nullable(Type.String({ description: "The provider's own word of its last answer." })),
  due_at: Type.String({ format: 'date-time', description: 'When the next step is due.' }),
  created_at: Timestamp,
})

const WaitingQuery = Type.Object({
  ...PageQuery,
  kind: Type.Optional(oneOf(WAITING_KINDS, 'Money that comes in, or money that goes out. Both when left out.')),
  provider: Type.Optional(line(64, 'The name of a provider.')),
  merchant_id: Type.Optional(Type.String({ format: 'uuid' })),
})

/** Adds the routes. */
export function operatorProviderRoutes(deps: Deps, options: ProvidersOptions): Routes {
  const tags = ['Operator']
  return (app) => {
    app.get(
      '/v1/operator/providers',
      {
        config: { access: 'operator' },
        schema: {
          tags,
          summary: 'Show the providers, their routes, and how their calls went in this process',
          response: { 200: Answer },
        },
      },
      async () => ({ success: true as const, data: present(deps, options) }),
    )
    app.get(
      '/v1/operator/waiting',
      {
        config: { access: 'operator' },
        schema: {
          tags,
          summary: 'List what waits for a provider, the longest waiting first',
          description: `Of each merchant, the ${WAITING_MAX} of a kind that are due first are looked at and counted; of one that is named, ${WAITING_MAX_OF_ONE}.`,
          querystring: WaitingQuery,
          response: { 200: success(page(Waiting)) },
        },
      },
      async (request) => ({ success: true as const, data: await listWaiting(deps, request.query) }),
    )
  }
}

function present(deps: Deps, { providers, routing, breaker }: ProvidersOptions) {
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
