// The providers. A new provider is one folder and one line here.

import type { ProviderDefinition } from './definition.ts'
import * as mock from './mock/index.ts'
import * as selcom from './selcom/index.ts'
import * as vodacom from './vodacom/index.ts'

/** Every provider. The first is the default of PROVIDER. */
export const PROVIDERS: readonly ProviderDefinition[] = [mock, selcom, vodacom]

/** The names of all providers, also of those that are not configured. */
export const PROVIDER_NAMES: readonly string[] = PROVIDERS.map(({ name }) => name)

/** The definition of a provider. Undefined for the sandbox, and for a provider that only a test has. */
export function findProvider(name: string): ProviderDefinition | undefined {
  return PROVIDERS.find((definition) => definition.name === name)
}

/** True if the provider of this name moves no money. */
export function isSimulated(name: string): boolean {
  return findProvider(name)?.simulated === true
}
