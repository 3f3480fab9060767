// Defines the settings that choose the providers of live payments. Each provider defines the table of its own settings
// (adapters/providers), and this file depends on no provider. An unused provider needs no settings.

import { findDestination } from './destinations.ts'
import { flag, missingSettings, oneWord, pairs, type SettingTable, type SettingValues, setting } from './setting.ts'

/** The properties of a provider that the configuration reads. */
export type ConfigurableProvider = {
  /** The name of the provider in PROVIDER and PROVIDER_ROUTES. */
  name: string
  /**
   * True if the provider moves no money. Without ALLOW_MOCK_IN_PRODUCTION, production refuses such a provider. The
   * configuration must not contain such a provider together with a real provider.
   */
  simulated?: true
  settings: SettingTable
  /** Lists the problems of valid settings that contradict each other, each with the name of its variable. */
  problems(settings: SettingValues): string[]
}
/** The providers that a server can use, in the order of their names in texts. */
export type ConfigurableProviders = readonly ConfigurableProvider[]

/** The methods of payments and payouts that a route may name (providers/port.ts). */
const ROUTED_METHODS = ['wallet_push', 'provider_pesa', 'qr', 'MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const

/** Returns the table of the settings that choose providers. The first provider is the default. */
export function routingSettings(providers: ConfigurableProviders) {
  const names = providers.map(({ name }) => name)
  return {
    provider: setting(
      'PROVIDER',
      names[0] ?? '',
      oneWord(...names),
      `Provider of live payments: ${orList(names)}. Production refuses the mock provider, which moves no money.`,
    ),
    allow_mock_in_production: setting(
      'ALLOW_MOCK_IN_PRODUCTION',
      'false',
      flag,
      'Live payments may go over the mock provider in production: for a public demonstration that moves no money.',
    ),
    provider_routes: setting(
      'PROVIDER_ROUTES',
      '',
      (value) => parseRoutes(value, names),
      'Methods and destinations with another provider than PROVIDER: MOBILE_MONEY/MPESA=vodacom,BANK_ACCOUNT=selcom,qr=selcom.',
    ),
  } as const
}

/** Writes names as a list for a sentence: a, b or c. */
export function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Maps a method, or a payout method with a destination (MOBILE_MONEY/MPESA), to the name of a provider. */
function parseRoutes(value: string, names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [route, name] of pairs(value)) {
    if (!names.includes(name)) {
      throw new Error(`"${route}=${name}": there is no provider ${name}; use one of ${names.join(', ')}`)
    }
    const canonical = canonicalRoute(route)
    if (found.has(canonical))
      throw new Error(`"${route}": the value names the route ${canonical} twice; remove one of the two entries`)
    found.set(canonical, name)
  }
  return found
}

/** Returns the route with the code of its destination. The operator may have written an alias of the destination. */
function canonicalRoute(route: string): string {
  const [method = '', code, ...more] = route.split('/')
  if (!(ROUTED_METHODS as readonly string[]).includes(method)) {
    throw new Error(`"${route}": there is no method ${method}; use one of ${ROUTED_METHODS.join(', ')}`)
  }
  if (code === undefined) return method
  const destination = more.length > 0 ? null : findDestination(code)
  if (destination?.method !== method) {
    throw new Error(`"${route}" must name a destination of GET /v1/destinations, as METHOD/CODE`)
  }
  return `${method}/${destination.code}`
}

/** The values of the settings of the providers after their check. */
export type ProviderConfig = SettingValues<ReturnType<typeof routingSettings>> & {
  /** The values of the settings table of each provider, by the name of the provider. */
  provider_settings: ReadonlyMap<string, SettingValues>
}

/** Returns the settings of a provider. If the configuration has no settings of the provider, throws. */
export function settingsOf({ provider_settings }: ProviderConfig, { name }: ConfigurableProvider): SettingValues {
  const found = provider_settings.get(name)
  if (found === undefined) throw new Error(`the configuration has no settings of ${name}`)
  return found
}

/**
 * Returns the address of the provider's gateway. An empty text means that the operator set no address. Null means that the
 * provider has no such setting.
 */
export function gatewayAddress(provider: ConfigurableProvider, settings: SettingValues): string | null {
  const name = Object.keys(provider.settings).find((key) => provider.settings[key]?.gateway)
  return name === undefined ? null : (settings[name] as string)
}

/**
 * Lists the missing settings of the providers that the configuration uses, the contradictions of any provider's settings, and a
 * mix of simulated and real providers. Each problem names a variable.
 */
export function providerProblems(config: ProviderConfig, providers: ConfigurableProviders): string[] {
  const problems = providers.flatMap((provider) => {
    const why = whyUsed(config, provider)
    const required = Object.keys(provider.settings).filter((name) => provider.settings[name]?.required)
    return why === null ? [] : missingSettings(provider.settings, settingsOf(config, provider), required, why)
  })
  const used = new Set([config.provider, ...config.provider_routes.values()])
  // With both kinds of provider, some live payments would move money and other live payments would only simulate money.
  const simulated = providers.find(({ name, simulated }) => simulated && used.has(name))
  if (simulated !== undefined && used.size > 1) {
    problems.push(`PROVIDER_ROUTES must not mix ${simulated.name} with a real provider: PROVIDER is ${config.provider}`)
  }
  return [...problems, ...providers.flatMap((provider) => provider.problems(settingsOf(config, provider)))]
}

/**
 * Returns the reason why the provider needs its required settings. Null means that the configuration does not use the
 * provider.
 */
function whyUsed(config: ProviderConfig, provider: ConfigurableProvider): string | null {
  const { name, settings } = provider
  if (config.provider === name) return `PROVIDER is ${name}`
  if ([...config.provider_routes.values()].includes(name)) return `PROVIDER_ROUTES names ${name}`
  if (!gatewayAddress(provider, settingsOf(config, provider))) return null
  return `${Object.values(settings).find(({ gateway }) => gateway)?.env} is set`
}

/** Lists the settings of providers that production refuses, with the names of their variables. */
export function insecureProviders(config: ProviderConfig, providers: ConfigurableProviders): string[] {
  const problems = providers.flatMap((provider) =>
    gatewayAddress(provider, settingsOf(config, provider))?.startsWith('http:')
      ? Object.values(provider.settings)
          .filter(({ gateway }) => gateway)
          .map(({ env }) => `${env} must begin with https:// in production`)
      : [],
  )
  const chosen = providers.find(({ name }) => name === config.provider)
  // The mock provider is the default. Without this check, a forgotten setting would credit merchants with money that no
  // payer paid.
  if (chosen?.simulated && !config.allow_mock_in_production) {
    problems.push(
      `PROVIDER must name a real provider in production: ${chosen.name} moves no money. For a demonstration, set ALLOW_MOCK_IN_PRODUCTION=true`,
    )
  }
  return problems
}

/** Lists the settings that are empty or still have their public default, although production requires another value. */
export function defaultsInProduction(config: ProviderConfig, providers: ConfigurableProviders): string[] {
  return providers.flatMap((provider) => {
    const values = settingsOf(config, provider)
    return Object.entries(provider.settings)
      .filter(([name, entry]) => entry.replaced_in_production && ['', entry.default].includes(values[name] as string))
      .map(([, { env }]) => `${env} must be set in production, other than the default: openssl rand -base64 32`)
  })
}
