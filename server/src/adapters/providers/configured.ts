// Builds the configured providers. The sandbox and the mock provider always exist. If the settings have the URL of a gateway,
// its provider exists too, even without a route, so that the server can finish its payments.

import type { Deps } from '../../kernel/db/index.ts'
import { type Config, gatewayAddress, settingsOf } from '../../kernel/lib/index.ts'
import type { BuiltProvider, FullProvider, ProviderDefinition, ProviderParts } from './definition.ts'
import type { CallbackSink } from './port.ts'
import { PROVIDERS } from './registry.ts'

/** The name of the sandbox provider, which never moves money. */
export const SANDBOX = 'sandbox'

/** The providers that this process built from its settings, and the functions that start and end them. */
export type ConfiguredProviders = {
  /** All providers, by name. */
  all: ReadonlyMap<string, FullProvider>
  /** Opens the sessions that take long to open, before the first payment needs them. Never throws. */
  warm(): Promise<void>
  /** Closes the connections of all providers. */
  close(): Promise<void>
}

/**
 * Builds the providers. `sink` takes the callbacks of the mock providers in this process. `others` adds providers, or
 * replaces providers with the same name. If a setting is invalid, throws a ConfigError that names the setting.
 */
export function createProviders(
  deps: Pick<Deps, 'config' | 'clock' | 'random' | 'log'>,
  sink: CallbackSink,
  others: readonly FullProvider[] = [],
): ConfiguredProviders {
  const { config, clock, random, log } = deps
  const partsOf = (definition: ProviderDefinition): ProviderParts<Readonly<Record<string, unknown>>> => ({
    settings: settingsOf(config, definition),
    callback_url: callbackUrl(config, definition.name),
    sink,
    clock,
    random,
    log,
  })
  const sandboxes = PROVIDERS.flatMap((definition) => definition.createSandbox?.(SANDBOX, partsOf(definition)) ?? [])
  const built: BuiltProvider[] = PROVIDERS.filter((definition) => isConfigured(config, definition)).map((definition) =>
    definition.create(partsOf(definition)),
  )
  return {
    all: new Map([...sandboxes, ...built, ...others].map((provider) => [provider.name, provider])),
    async warm() {
      const warmOne = async (provider: BuiltProvider) => {
        try {
          await provider.warm?.()
        } catch (error) {
          log.warn(
            { component: 'providers', err: error, provider: provider.name },
            'the provider opened no session at the start; its first request opens a session',
          )
        }
      }
      await Promise.all(built.map(warmOne))
    },
    async close() {
      await Promise.all(built.map((provider) => provider.close?.()))
    },
  }
}

/** Returns true if the provider has no gateway setting or the settings have the URL of its gateway. */
function isConfigured(config: Config, definition: ProviderDefinition): boolean {
  return gatewayAddress(definition, settingsOf(config, definition)) !== ''
}

/**
 * Returns the URL for a provider's callbacks. Without BASE_URL, the URL is on this machine, for a local twin. If PORT is 0 too,
 * the port is not known yet, so the function returns null and the platform only queries.
 */
export function callbackUrl(config: Config, name: string): string | null {
  if (config.base_url !== '') return `${config.base_url}/callbacks/${name}`
  return config.port === 0 ? null : `http://127.0.0.1:${config.port}/callbacks/${name}`
}
