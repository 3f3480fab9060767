// Collects the parts of the report that a process logs at its start: the providers of live money and warnings about the
// settings. The report also counts the payments and payouts that wait for an unconfigured provider.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { type Config, gatewayAddress, isOwnNetwork, settingsOf } from '../../kernel/lib/index.ts'
import { callbackUrl } from './configured.ts'
import type { Provider } from './port.ts'
import { findProvider, isSimulated } from './registry.ts'
import type { Routing } from './routing.ts'

/** The settings of live money, as the start report shows them. `routes` has entries such as "qr=selcom". */
export type LiveMoney = {
  provider: string
  routes: readonly string[]
  /**
   * The callback URL of each live provider that moves money. Null means that the provider has no URL, so the platform gets
   * outcomes from queries only.
   */
  callbacks: Readonly<Record<string, string | null>>
  /** The payout methods of all live providers together. */
  payouts: readonly string[]
}

/** Returns the settings of live money. A simulating provider is missing in `callbacks`. */
export function liveMoney(config: Config, routing: Routing): LiveMoney {
  const real = routing.live.filter(({ name }) => !isSimulated(name))
  return {
    provider: config.provider,
    routes: [...routing.routes].map(([route, name]) => `${route}=${name}`),
    callbacks: Object.fromEntries(real.map(({ name }) => [name, callbackUrl(config, name)])),
    payouts: payoutsOf(routing),
  }
}

/** Lists each payout method of the live providers once. */
function payoutsOf({ live }: Routing): string[] {
  return [...new Set(live.flatMap(({ capabilities }) => capabilities.payout_methods))]
}

/** Returns the lines that the terminal shows about live money. */
export function liveLines({ provider, routes, callbacks, payouts }: LiveMoney): string[] {
  const note = isSimulated(provider) ? ' (moves no money)' : ''
  return [
    `${provider}${note}${routes.length === 0 ? '' : `, but ${routes.join(', ')}`}`,
    `payouts: ${payouts.length === 0 ? 'off' : payouts.join(', ')}`,
    ...Object.entries(callbacks).map(
      ([name, address]) => `callbacks of ${name}: ${address ?? 'none, so the server queries the provider'}`,
    ),
  ]
}

/** Lists the warnings about settings that are valid but can cause problems. */
export function liveWarnings(config: Config, routing: Routing): string[] {
  const prompting = routing.find('live', { method: 'wallet_push' })
  return [
    ...routing.live.flatMap((provider) => [
      ...callbackWarnings(config, provider),
      ...promptWarnings(routing, provider),
    ]),
    ...routing.live.flatMap((provider) => ownWarnings(config, provider, provider === prompting)),
  ]
}

function ownWarnings(config: Config, { name }: Provider, is_prompting: boolean): string[] {
  const definition = findProvider(name)
  return definition?.warnings?.(settingsOf(config, definition), { is_prompting }) ?? []
}

/**
 * If a provider that moves money has no callback URL, or its public gateway cannot reach a private callback URL, returns a
 * warning. A gateway in a private network, such as a twin, causes no warning.
 */
function callbackWarnings(config: Config, { name }: Provider): string[] {
  if (isSimulated(name)) return []
  const address = callbackUrl(config, name)
  if (address === null) {
    return [
      `${name} has no callback address: set BASE_URL, or a PORT other than 0. The server only queries its payments`,
    ]
  }
  const definition = findProvider(name)
  const gateway = definition === undefined ? null : gatewayAddress(definition, settingsOf(config, definition))
  const unreachable =
    gateway !== null &&
    gateway !== '' &&
    isOwnNetwork(new URL(address).hostname) &&
    !isOwnNetwork(new URL(gateway).hostname)
  return unreachable ? [`${name} cannot reach ${address}: set BASE_URL to the public address of this server`] : []
}

function promptWarnings(routing: Routing, provider: Provider): string[] {
  const { prompts } = provider.capabilities
  if (prompts === undefined || routing.find('live', { method: 'wallet_push' }) !== provider) return []
  return [
    `wallet_push goes over ${provider.name}, which prompts only ${prompts.join(', ')} numbers: payers of other networks cannot pay by push. Route wallet_push to another provider`,
  ]
}

/** The greatest number of rows of each kind that the query counts. */
const COUNT_MAX = 10_000
const WAITING = sql(
  'providers_waiting_unconfigured',
  `select provider, kind, count(*)::int as waiting from (
     (select provider, 'payments' as kind from collection_attempts
      where due_at is not null and provider <> all($1::text[]) limit $2)
     union all
     (select provider, 'payouts' as kind from payouts
      where due_at is not null and provider <> all($1::text[]) limit $2)
   ) w group by provider, kind order by provider, kind`,
)

/**
 * Counts the payments and payouts that wait for unconfigured providers, up to 10,000 of each kind. Until an operator
 * configures the provider, no worker queries these payments and payouts.
 */
export function waitingUnconfigured(
  reader: Reader,
  configured: readonly string[],
): Promise<{ provider: string; kind: 'payments' | 'payouts'; waiting: number }[]> {
  return reader.query(WAITING, [configured, COUNT_MAX])
}
