// Which provider serves a payment: chosen when it is accepted, written on its attempt, and never changed afterwards.

import type { Environment } from '../../kernel/http/index.ts'
import { ConfigError, DESTINATIONS, refuse } from '../../kernel/lib/index.ts'
import { METHODS, type Method, PAYOUT_METHODS, type PayoutMethod, type Provider } from './port.ts'

/** What is to be served: money that comes in by a method, or money that goes out to a destination. */
export type Wanted = { method: Method } | { method: PayoutMethod; destination_code: string }

/** Chooses providers. */
export type Routing = {
  /** The provider that serves it. Null: none of the configured ones can. */
  find(environment: Environment, wanted: Wanted): Provider | null
  /** As `find`. Refuses with provider_unavailable what none can do. */
  providerFor(environment: Environment, wanted: Wanted): Provider
  /** The route of each exception of PROVIDER_ROUTES, and the name it goes to. */
  routes: ReadonlyMap<string, string>
  /** Those that serve live payments, each once. */
  live: readonly Provider[]
  /**
   * What no live payment or payout reaches although one of those providers could: its route names another. As it would be
   * written in PROVIDER_ROUTES (qr, MOBILE_MONEY/AIRTEL), each with who could.
   */
  stranded: readonly { route: string; could: readonly string[] }[]
}

/**
 * Options of `createRouting`. `routes`: from a method, or a payout method and a destination (MOBILE_MONEY/MPESA), to a
 * provider's name.
 */
export type RoutingOptions = {
  providers: ReadonlyMap<string, Provider>
  default_name: string
  routes: ReadonlyMap<string, string>
  sandbox: Provider
}

/** Makes the routing. Throws a ConfigError that names the route which cannot be. */
export function createRouting({ providers, default_name, routes, sandbox }: RoutingOptions): Routing {
  const named = (name: string, what: string): Provider => {
    const found = providers.get(name)
    if (found === undefined) throw new ConfigError(`${what} ${name} has no adapter`)
    return found
  }
  const fallback = named(default_name, 'PROVIDER')
  const table = new Map<string, Provider>()
  for (const [route, name] of routes) {
    const provider = named(name, `PROVIDER_ROUTES ${route}:`)
    const [method = '', destination_code = null] = route.split('/')
    const wanted = { method, destination_code }
    if (!isMethod(method)) throw new ConfigError(`PROVIDER_ROUTES: ${method} is no method`)
    if (!serves(provider, wanted)) throw new ConfigError(`PROVIDER_ROUTES ${route}: ${name} cannot do that`)
    table.set(route, provider)
  }
  const destinationOf = (wanted: Wanted) => ('destination_code' in wanted ? wanted.destination_code : null)
  const find: Routing['find'] = (environment, wanted) => {
    const { method } = wanted
    const destination_code = destinationOf(wanted)
    const exact = destination_code === null ? undefined : table.get(`${method}/${destination_code}`)
    const chosen = environment === 'sandbox' ? sandbox : (exact ?? table.get(method) ?? fallback)
    return serves(chosen, { method, destination_code }) ? chosen : null
  }
  const live = [...new Set([fallback, ...table.values()])]
  return {
    find,
    live,
    routes,
    stranded: strandedBy(find, live),
    providerFor(environment, wanted) {
      const found = find(environment, wanted)
      if (found !== null) return found
      const destination_code = destinationOf(wanted)
      const what = destination_code === null ? wanted.method : `${wanted.method} to ${destination_code}`
      return refuse('provider_unavailable', { message: `No provider is configured for ${what}.` })
    },
  }
}

function strandedBy(find: Routing['find'], live: readonly Provider[]): Routing['stranded'] {
  const all: Wanted[] = [
    ...METHODS.map((method) => ({ method })),
    ...DESTINATIONS.map(({ method, code }) => ({ method, destination_code: code })),
  ]
  return all
    .filter((wanted) => find('live', wanted) === null)
    .map((wanted) => {
      const destination_code = 'destination_code' in wanted ? wanted.destination_code : null
      const { method } = wanted
      return {
        route: destination_code === null ? method : `${method}/${destination_code}`,
        could: live.filter((one) => serves(one, { method, destination_code })).map(({ name }) => name),
      }
    })
    .filter(({ could }) => could.length > 0)
}

const ALL_METHODS: readonly string[] = [...METHODS, ...PAYOUT_METHODS]

function isMethod(method: string): boolean {
  return ALL_METHODS.includes(method)
}

function serves(provider: Provider, wanted: { method: string; destination_code: string | null }): boolean {
  const { methods, payout_methods, destinations } = provider.capabilities
  if ((methods as readonly string[]).includes(wanted.method)) return true
  if (!(payout_methods as readonly string[]).includes(wanted.method)) return false
  return (
    wanted.destination_code === null || destinations === undefined || destinations.includes(wanted.destination_code)
  )
}
