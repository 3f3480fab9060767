// Lists the providers. A new provider needs one folder, and one import and one entry in this file.

import type { ProviderDefinition } from './definition.ts'
import * as mock from './mock/index.ts'
import * as selcom from './selcom/index.ts'
import * as vodacom from './vodacom/index.ts'

/** All providers. The first provider in this list is the default of PROVIDER. */
export const PROVIDERS: readonly ProviderDefinition[] = [mock, selcom, vodacom]

/** The names of all providers, including providers without configuration. */
export const PROVIDER_NAMES: readonly string[] = PROVIDERS.map(({ name }) => name)

/**
 * Returns the definition of a provider. Undefined means that the registry has no such provider: the sandbox, a removed
 * provider, or a provider of a test.
 */
export function findProvider(name: string): ProviderDefinition | undefined {
  return PROVIDERS.find((definition) => definition.name === name)
}

/** Returns true if the registry has a provider of this name that moves no money. For the sandbox, returns false. */
export function isSimulated(name: string): boolean {
  return findProvider(name)?.simulated === true
}
