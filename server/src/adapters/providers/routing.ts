// Chooses the provider of a payment or payout. For a payment, the server stores the choice on the attempt and never changes
// it. For a payout, the server chooses again at the approval.

import type { Environment } from '../../kernel/http/index.ts'
import { ConfigError, DESTINATIONS, refuse } from '../../kernel/lib/index.ts'
import { METHODS, type Method, PAYOUT_METHODS, type PayoutMethod, type Provider } from './port.ts'

/** The payment or payout for which the platform chooses a provider: a method, and for a payout the destination. */
export type RouteQuery = { method: Method } | { method: PayoutMethod; destination_code: string }

/** The functions and lists by which the platform chooses the provider of a payment or payout. */
export type Routing = {
  /**
   * Returns the provider of a payment or payout. If the chosen provider cannot serve the query, returns null: the server tries
   * no other provider.
   */
  find(environment: Environment, query: RouteQuery): Provider | null
  /** Returns the provider, as `find` does. If `find` returns null, refuses with provider_unavailable. */
  providerFor(environment: Environment, query: RouteQuery): Provider
  /** The routes that PROVIDER_ROUTES lists, each with the name of its provider. */
  routes: ReadonlyMap<string, string>
  /** The providers of live payments and payouts: the default provider and the providers of the routes, each once. */
  live: readonly Provider[]
  /**
   * The routes that their provider cannot serve although another live provider could. Each route has the form of
   * PROVIDER_ROUTES (qr, MOBILE_MONEY/AIRTEL). `could` has the names of the providers that could serve the route.
   */
  unreachable_routes: readonly { route: string; could: readonly string[] }[]
}

/**
 * The providers and settings for the choice. The keys of `routes` are methods, or payout methods with a destination
 * (MOBILE_MONEY/MPESA). The values are names of providers.
 */
export type RoutingOptions = {
  providers: ReadonlyMap<string, Provider>
  default_name: string
  routes: ReadonlyMap<string, string>
  sandbox: Provider
}

/**
 * Makes the functions that choose providers. If the default or a route is invalid, throws a ConfigError that names the setting.
 */
export function createRouting({ providers, default_name, routes, sandbox }: RoutingOptions): Routing {
  const named = (name: string, what: string): Provider => {
    const found = providers.get(name)
    if (found === undefined)
      throw new ConfigError(`${what} ${name} has no adapter; set the name of a provider that exists`)
    return found
  }
  const fallback = named(default_name, 'PROVIDER')
  const table = new Map<string, Provider>()
  for (const [route, name] of routes) {
    const provider = named(name, `PROVIDER_ROUTES ${route}:`)
    const [method = '', destination_code = null] = route.split('/')
    const query = { method, destination_code }
    if (!isMethod(method))
      throw new ConfigError(`PROVIDER_ROUTES: ${method} is no method; use one of ${ALL_METHODS.join(', ')}`)
    if (!serves(provider, query))
      throw new ConfigError(`PROVIDER_ROUTES ${route}: ${name} cannot serve this route; set another provider`)
    table.set(route, provider)
  }
  const destinationOf = (query: RouteQuery) => ('destination_code' in query ? query.destination_code : null)
  const find: Routing['find'] = (environment, query) => {
    const { method } = query
    const destination_code = destinationOf(query)
    const exact = destination_code === null ? undefined : table.get(`${method}/${destination_code}`)
    const chosen = environment === 'sandbox' ? sandbox : (exact ?? table.get(method) ?? fallback)
    return serves(chosen, { method, destination_code }) ? chosen : null
  }
  const live = [...new Set([fallback, ...table.values()])]
  return {
    find,
    live,
    routes,
    unreachable_routes: unreachableRoutes(find, live),
    providerFor(environment, query) {
      const found = find(environment, query)
      if (found !== null) return found
      const destination_code = destinationOf(query)
      const what = destination_code === null ? query.method : `${query.method} to ${destination_code}`
      return refuse('provider_unavailable', {
        message: `The server has no provider for ${what}. Use another method or destination.`,
      })
    },
  }
}

function unreachableRoutes(find: Routing['find'], live: readonly Provider[]): Routing['unreachable_routes'] {
  const all: RouteQuery[] = [
    ...METHODS.map((method) => ({ method })),
    ...DESTINATIONS.map(({ method, code }) => ({ method, destination_code: code })),
  ]
  return all
    .filter((query) => find('live', query) === null)
    .map((query) => {
      const destination_code = 'destination_code' in query ? query.destination_code : null
      const { method } = query
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

function serves(provider: Provider, query: { method: string; destination_code: string | null }): boolean {
  const { methods, payout_methods, destinations } = provider.capabilities
  if ((methods as readonly string[]).includes(query.method)) return true
  if (!(payout_methods as readonly string[]).includes(query.method)) return false
  return query.destination_code === null || destinations === undefined || destinations.includes(query.destination_code)
}
