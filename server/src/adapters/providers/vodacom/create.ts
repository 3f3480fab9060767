// Builds the Vodacom adapter from the settings.

import type { ProviderParts } from '../definition.ts'
import type { FailureReason } from '../port.ts'
import { createVodacomProvider, type VodacomProvider } from './adapter.ts'
import type { VodacomSettings } from './settings.ts'

/**
 * Builds the adapter, which sends nothing before its first call. If a setting is invalid, throws a ConfigError that names
 * the setting.
 */
export function create({ settings, clock, random, log }: ProviderParts<VodacomSettings>): VodacomProvider {
  // The settings accept any text as a reason. The adapter refuses a text that is no failure reason.
  const reasons = (words: ReadonlyMap<string, string>) => Object.fromEntries(words) as Record<string, FailureReason>
  return createVodacomProvider({
    name: 'vodacom',
    url: settings.url,
    origin: settings.origin,
    api_key: settings.api_key,
    public_key: settings.public_key,
    service_provider_code: settings.service_provider_code,
    clock,
    random,
    log,
    country: settings.country,
    payment_text: settings.payment_text,
    payout_text: settings.payout_text,
    callback_secret: settings.callback_secret === '' ? null : settings.callback_secret,
    session_life_ms: settings.session_life_s * 1000,
    session_settle_ms: settings.session_settle_s * 1000,
    late_ms: settings.late_s * 1000,
    paid_states: settings.paid_states,
    pending_states: settings.pending_states,
    failed_states: reasons(settings.failed_states),
    failed_payout_states: settings.failed_payout_states,
    payment_failures: reasons(settings.payment_failures),
    not_found_codes: settings.not_found_codes,
    session_texts: settings.session_texts,
    refusal_texts: settings.refusal_texts,
    act_connections: settings.act_connections,
    ask_connections: settings.ask_connections,
  })
}
