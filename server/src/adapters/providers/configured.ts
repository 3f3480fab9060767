// Builds the configured providers: the mock providers always, a real one if its URL is set. So payments of a provider without
// routes can still be finished.

import type { Deps } from '../../kernel/db/index.ts'
import type { Config } from '../../kernel/lib/index.ts'
import type { ProviderExtras, ProviderLists } from './extras.ts'
import { createMockProvider, createRemoteMockProvider, type RemoteMockProvider } from './mock/index.ts'
import type { CallbackSink, FailureReason, Provider } from './port.ts'
import { createSelcomProvider, type SelcomProvider } from './selcom/index.ts'
import { createVodacomProvider, type VodacomProvider } from './vodacom/index.ts'

/** The name of the provider of the sandbox, which never moves money. */
export const SANDBOX = 'sandbox'

/** The providers of this process. */
export type ConfiguredProviders = {
  /** All of them, by name. */
  all: ReadonlyMap<string, Provider & ProviderExtras & ProviderLists>
  /** Opens slow sessions before the first payment needs them. Never throws. */
  warm(): Promise<void>
  /** Closes the connections of all providers. */
  close(): Promise<void>
}

/**
 * Builds the providers. `sink` takes the callbacks of the mock providers in this process. `others` are added, or replace
 * providers of the same name. Throws a ConfigError that names an invalid setting.
 */
export function createProviders(
  deps: Pick<Deps, 'config' | 'clock' | 'random' | 'log'>,
  sink: CallbackSink,
  others: readonly (Provider & ProviderExtras & ProviderLists)[] = [],
): ConfiguredProviders {
  const { config, clock } = deps
  const mock = { clock, secret: config.mock_secret, sink }
  const { mock_seed: seed, mock_delay_ms: delay_ms } = config
  const sandbox = createMockProvider({
    ...mock,
    name: SANDBOX,
    profile: { success_default: 'always', seed, delay_ms },
  })
  const remote: RemoteMockProvider | null =
    config.mock_url === ''
      ? null
      : createRemoteMockProvider({ name: 'mock', url: config.mock_url, secret: config.mock_secret })
  const mock_live =
    remote ??
    createMockProvider({
      ...mock,
      name: 'mock',
      profile: { success_default: config.mock_success_rate, seed, delay_ms },
    })
  const selcom = config.selcom_url === '' ? null : selcomOf(deps)
  const vodacom = config.vodacom_url === '' ? null : vodacomOf(deps)
  const built: (Provider & ProviderExtras & ProviderLists)[] = [sandbox, mock_live, selcom, vodacom].filter(
    (provider) => provider !== null,
  )
  return {
    all: new Map([...built, ...others].map((provider) => [provider.name, provider])),
    async warm() {
      await vodacom?.warm().catch((error) => deps.log.warn({ err: error, provider: 'vodacom' }, 'no session yet'))
    },
    async close() {
      await Promise.all([remote?.close(), selcom?.close(), vodacom?.close()])
    },
  }
}

type ProviderDeps = Pick<Deps, 'config' | 'clock' | 'random' | 'log'>

function selcomOf({ config, clock, random, log }: ProviderDeps): SelcomProvider {
  return createSelcomProvider({
    name: 'selcom',
    url: config.selcom_url,
    api_key: config.selcom_api_key,
    api_secret: config.selcom_api_secret,
    vendor: config.selcom_vendor,
    float: config.selcom_float_vendor === '' ? null : { vendor: config.selcom_float_vendor, pin: config.selcom_pin },
    callback_url: callbackUrl(config, 'selcom'),
    buyer: { name: config.selcom_buyer_name, email: config.selcom_buyer_email, phone: config.selcom_buyer_phone },
    sender: {
      account: config.selcom_sender_account,
      name: config.selcom_sender_name,
      phone: config.selcom_sender_phone,
      purpose: config.selcom_sender_purpose,
    },
    clock,
    random,
    log,
    push_expiry_min: config.selcom_push_expiry_min,
    order_unknown_codes: config.selcom_order_unknown_codes,
    failed_payout_codes: config.selcom_failed_payout_codes,
    refusal_texts: config.selcom_refusal_texts,
    selcom_pesa_code: config.selcom_pesa_code,
    payout_ask_again_ms: config.selcom_payout_ask_again_s * 1000,
    callback_window_ms: config.selcom_callback_window_s * 1000,
    connections: config.selcom_connections,
  })
}

/**
 * The URL for a provider's callbacks. Without BASE_URL it is on this machine, for a local twin. Null means that the port is
 * not known yet: then the provider sends no callbacks and the platform only queries.
 */
export function callbackUrl(config: Config, name: string): string | null {
  if (config.base_url !== '') return `${config.base_url}/callbacks/${name}`
  return config.port === 0 ? null : `http://127.0.0.1:${config.port}/callbacks/${name}`
}

function vodacomOf({ config, clock, random, log }: ProviderDeps): VodacomProvider {
  // The adapter refuses a value that is no reason.
  const reasons = (words: ReadonlyMap<string, string>) => Object.fromEntries(words) as Record<string, FailureReason>
  return createVodacomProvider({
    name: 'vodacom',
    url: config.vodacom_url,
    origin: config.vodacom_origin,
    api_key: config.vodacom_api_key,
    public_key: config.vodacom_public_key,
    service_provider_code: config.vodacom_service_provider_code,
    clock,
    random,
    log,
    country: config.vodacom_country,
    payment_text: config.vodacom_payment_text,
    payout_text: config.vodacom_payout_text,
    callback_secret: config.vodacom_callback_secret === '' ? null : config.vodacom_callback_secret,
    session_life_ms: config.vodacom_session_life_s * 1000,
    session_settle_ms: config.vodacom_session_settle_s * 1000,
    late_ms: config.vodacom_late_s * 1000,
    paid_states: config.vodacom_paid_states,
    pending_states: config.vodacom_pending_states,
    failed_states: reasons(config.vodacom_failed_states),
    failed_payout_states: config.vodacom_failed_payout_states,
    payment_failures: reasons(config.vodacom_payment_failures),
    not_found_codes: config.vodacom_not_found_codes,
    session_texts: config.vodacom_session_texts,
    refusal_texts: config.vodacom_refusal_texts,
    act_connections: config.vodacom_act_connections,
    ask_connections: config.vodacom_ask_connections,
  })
}
