// What an operator should know at the start of a process: where live money goes, what does not fit together, and what waits
// for a provider that is not there any more.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { type Config, isOwnNetwork } from '../../kernel/lib/index.ts'
import { callbackUrl } from './configured.ts'
import type { Provider } from './port.ts'
import type { Routing } from './routing.ts'

/** Where live money goes. */
export type LiveMoney = {
  provider: string
  routes: readonly string[]
  /** Where each live provider that calls back finds us; null: it is not told, and payments are only asked about. */
  callbacks: Readonly<Record<string, string | null>>
  /** Ways in which live money can go out, each with the provider it is routed to by default. */
  payouts: readonly string[]
}

const MOCK = 'mock'

/** Tells where live money goes. */
export function liveMoney(config: Config, routing: Routing): LiveMoney {
  const real = routing.live.filter(({ name }) => name !== MOCK)
  return {
    provider: config.provider,
    routes: [...routing.routes].map(([route, name]) => `${route}=${name}`),
    callbacks: Object.fromEntries(real.map(({ name }) => [name, callbackUrl(config, name)])),
    payouts: payoutsOf(routing),
  }
}

/** The methods that some live provider pays out by. */
function payoutsOf({ live }: Routing): string[] {
  return [...new Set(live.flatMap(({ capabilities }) => capabilities.payout_methods))]
}

/** The same as lines for a person who starts the server. */
export function liveLines({ provider, routes, callbacks, payouts }: LiveMoney): string[] {
  const note = provider === MOCK ? ' (moves no money)' : ''
  return [
    `${provider}${note}${routes.length === 0 ? '' : `, but ${routes.join(', ')}`}`,
    `payouts: ${payouts.length === 0 ? 'off' : payouts.join(', ')}`,
    ...Object.entries(callbacks).map(([name, address]) => `callbacks of ${name}: ${address ?? 'none, it is asked'}`),
  ]
}

/** What does not fit together, though every setting makes sense by itself. */
export function liveWarnings(config: Config, routing: Routing): string[] {
  const prompts = routing.find('live', { method: 'wallet_push' })
  const warnings = routing.live.flatMap((provider) => [
    ...callbackWarnings(config, provider),
    ...promptWarnings(routing, provider),
  ])
  if (prompts?.name === 'vodacom' && config.vodacom_failed_states.size === 0) {
    warnings.push(
      `VODACOM_FAILED_STATES is empty: a payment that failed stays processing until COLLECTION_DEADLINE_H, unless its prompt was answered. Set it, and VODACOM_PENDING_STATES and VODACOM_FAILED_PAYOUT_STATES, to the words that your application's queries say`,
    )
  }
  return warnings
}

/** Only a gateway in our own network, such as a twin, reaches an address of it. */
function callbackWarnings(config: Config, { name }: Provider): string[] {
  if (name === MOCK) return []
  const address = callbackUrl(config, name)
  if (address === null) {
    return [
      `${name} is not told where to call back: set BASE_URL, or PORT to another than 0. Payments are only asked about`,
    ]
  }
  const gateway = { selcom: config.selcom_url, vodacom: config.vodacom_url }[name]
  const unreachable =
    gateway !== undefined && isOwnNetwork(new URL(address).hostname) && !isOwnNetwork(new URL(gateway).hostname)
  return unreachable ? [`${name} cannot reach ${address}: set BASE_URL to the public address of this server`] : []
}

function promptWarnings(routing: Routing, provider: Provider): string[] {
  const { prompts } = provider.capabilities
  if (prompts === undefined || routing.find('live', { method: 'wallet_push' }) !== provider) return []
  return [
    `wallet_push goes over ${provider.name}, which prompts ${prompts.join(', ')} numbers only: payers of other networks cannot pay by push`,
  ]
}

/** Rows that are counted at most. */
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

/** What waits for providers that are not configured, counted up to 10,000 each: nobody asks about it until they are. */
export function waitingUnconfigured(
  reader: Reader,
  configured: readonly string[],
): Promise<{ provider: string; kind: 'payments' | 'payouts'; waiting: number }[]> {
  return reader.query(WAITING, [configured, COUNT_MAX])
}
