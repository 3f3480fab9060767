// Defines the settings of the mock provider, which the sandbox provider uses too.

import { number, type SettingValues, setting, text, url } from '../../../kernel/lib/setting.ts'

/** The settings of the mock provider, each with its variable, default value and check. */
export const settings = {
  url: setting(
    'MOCK_URL',
    '',
    url('http:'),
    'Address of a mock provider process (npm run mock-provider) for live payments. Empty: the mock runs in this process.',
  ),
  secret: setting('MOCK_SECRET', 'mock-provider-secret', text, "Secret that signs the mock provider's callbacks.", {
    secret: true,
    replaced_in_production: true,
  }),
  success_rate: setting(
    'MOCK_SUCCESS_RATE',
    '0.9',
    number(0, 1, 'any'),
    'Share of live mock payments that succeed when the phone has no magic ending.',
  ),
  seed: setting('MOCK_SEED', 'malipo', text, 'Seed of the random outcomes of the mock provider.'),
  delay_ms: setting('MOCK_DELAY_MS', '1500', number(0, 600_000), 'Milliseconds until a mock payment has its outcome.'),
} as const

/** The values of the mock provider's settings after validation. */
export type MockSettings = SettingValues<typeof settings>

/** Returns no problems, because no two valid settings contradict each other. */
export function problems(): string[] {
  return []
}
