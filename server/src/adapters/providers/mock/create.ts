// Builds the mock provider and the provider of the sandbox from the settings.

import type { BuiltProvider, ProviderParts } from '../definition.ts'
import { createMockProvider, type MockProvider } from './adapter.ts'
import { createRemoteMockProvider } from './remote.ts'
import type { MockSettings } from './settings.ts'

/** Builds the provider in this process, or the adapter for the process at MOCK_URL. */
export function create({ settings, clock, sink }: ProviderParts<MockSettings>): BuiltProvider {
  const { url, secret, seed, delay_ms, success_rate } = settings
  return url === ''
    ? createMockProvider({
        name: 'mock',
        profile: { success_default: success_rate, seed, delay_ms },
        clock,
        secret,
        sink,
      })
    : createRemoteMockProvider({ name: 'mock', url, secret })
}

/**
 * Builds the provider of the sandbox. If neither `simulate_status` nor a magic number chooses another outcome, its payments
 * succeed.
 */
export function createSandbox(name: string, { settings, clock, sink }: ProviderParts<MockSettings>): MockProvider {
  const { secret, seed, delay_ms } = settings
  return createMockProvider({ name, profile: { success_default: 'always', seed, delay_ms }, clock, secret, sink })
}
