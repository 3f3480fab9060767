// Implements the port for Vodacom's M-Pesa OpenAPI: prompts to M-Pesa numbers and payouts to M-Pesa wallets. The gateway
// moves whole shillings only.

import { type Clock, ConfigError, type Log, type Random } from '../../../kernel/lib/index.ts'
import type { ProviderExtras } from '../extras.ts'
import { CALL_MS_MAX, FAILURE_REASONS, type FailureReason, type Provider } from '../port.ts'
import { readPublicKey } from './bearer.ts'
import { callbackReply, verifyCallback } from './callback.ts'
import { capabilities } from './capabilities.ts'
import { createVodacomClient } from './client.ts'
import { CODES, meaningOf } from './codes.ts'
import { createVodacomCollections } from './collections.ts'
import type { VodacomReading } from './mapping.ts'
import { createVodacomPayouts, type VodacomPayouts } from './payouts.ts'
import { createUnseenStateLog } from './unseen.ts'

/** The adapter with its optional functions, and with `close`, which ends its connections. */
export type VodacomProvider = Provider &
  Required<Pick<ProviderExtras, 'lookupName'>> &
  Pick<VodacomPayouts, 'refund'> & {
    /** Opens a session before the first payment, because the gateway may refuse a new session for half a minute. */
    warm(): Promise<void>
    /**
     * Makes the answer that the gateway expects to a callback. If the body is no JSON object or too long, returns null.
     */
    callbackReply(body: Buffer): Record<string, string> | null
    close(): Promise<void>
  }

/**
 * The options of `createVodacomProvider`. The optional fields have defaults. Several of them answer questions that the
 * gateway's manual leaves open.
 */
export type VodacomOptions = {
  name: string
  /** The base URL with environment and market: https://.../openapi/ipg/v2/vodacomTZN. */
  url: string
  /** The origin that the adapter sends: one of the trusted sources that the application has in the portal. */
  origin: string
  api_key: string
  /**
   * The market's public key as the portal shows the key, in base64 or PEM. The sandbox and production have different keys.
   */
  public_key: string
  /** The platform's short code: 4 to 12 letters and digits. */
  service_provider_code: string
  clock: Clock
  random: Random
  log: Log
  /** The country code of the market. The default is TZN. */
  country?: string
  /** The text that the payer's prompt shows. */
  payment_text?: string
  /** The text that the recipient of a payout gets. */
  payout_text?: string
  /** The secret in the callback URL, as ?secret=. Null, the default, means that the adapter refuses every callback. */
  callback_secret?: string | null
  /**
   * The time for which the adapter uses a session. The time must not exceed the application's session lifetime in the
   * portal. The default is 10 minutes.
   */
  session_life_ms?: number
  /** The time for which the gateway may refuse a new session. The default is 30 seconds. */
  session_settle_ms?: number
  /** The time for which the adapter waits for a late answer to a prompt or payout. The default is 75 seconds. */
  late_ms?: number
  /** The states in the answer to a query that mean a paid transaction. The default is Completed. */
  paid_states?: readonly string[]
  /** The states in the answer to a query that mean an open transaction. By default, no state has this meaning. */
  pending_states?: readonly string[]
  /** The states that mean a failed payment, each with its reason. By default, no state has this meaning. */
  failed_states?: Readonly<Record<string, FailureReason>>
  /** The states that mean a failed payout. By default, no state has this meaning. */
  failed_payout_states?: readonly string[]
  /** The undocumented codes that mean a certainly failed payment. By default, no code has this meaning. */
  payment_failures?: Readonly<Record<string, FailureReason>>
  /**
   * The codes by which a query certainly reports that the payment does not and will not exist. By default, no code has this
   * meaning.
   */
  not_found_codes?: readonly string[]
  /** The additional texts by which the gateway refuses a session. The default is an empty list. */
  session_texts?: readonly string[]
  /** The additional texts by which the gateway refuses the platform's address or access. The default is an empty list. */
  refusal_texts?: readonly string[]
  /**
   * The number of connections for prompts, and the same number for payouts. Half of them may wait for late answers. The
   * default is 128.
   */
  act_connections?: number
  /** The number of connections for queries. The default is 32. */
  ask_connections?: number
  /**
   * The timeout of one call of the port, including the time to open a session. The maximum, which is the default, is a
   * little below CALL_MS_MAX.
   */
  timeout_ms?: number
}

/** The part of CALL_MS_MAX that the adapter keeps for its work before and after the requests. */
const AROUND_MS = 250
const TIMEOUT_MS_MAX = CALL_MS_MAX - AROUND_MS
const MINUTE_MS = 60_000

/**
 * Makes the adapter, which sends nothing before its first call. If a setting is invalid, throws a ConfigError that names the
 * setting.
 */
export function createVodacomProvider(options: VodacomOptions): VodacomProvider {
  const { name, service_provider_code, country = 'TZN', callback_secret = null, ask_connections = 32 } = options
  check(options)
  const act_connections = options.act_connections ?? 128
  const client = createVodacomClient({
    ...options,
    country,
    public_key: publicKeyOf(options.public_key),
    session_life_ms: options.session_life_ms ?? 10 * MINUTE_MS,
    session_settle_ms: options.session_settle_ms ?? 30_000,
    late_ms: options.late_ms ?? 75_000,
    act_connections,
    ask_connections,
    timeout_ms: Math.min(options.timeout_ms ?? TIMEOUT_MS_MAX, TIMEOUT_MS_MAX),
    wording: {
      session_texts: options.session_texts ?? [],
      refusal_texts: options.refusal_texts ?? [],
      payment_failures: options.payment_failures ?? {},
    },
  })
  const reading: VodacomReading = {
    states: {
      paid: options.paid_states ?? ['Completed'],
      pending: options.pending_states ?? [],
      failed: options.failed_states ?? {},
      payout_failed: options.failed_payout_states ?? [],
    },
    not_found_codes: options.not_found_codes ?? [],
  }
  const unseen = createUnseenStateLog(name, reading.states, options.log)
  const shared = { country, service_provider_code, reading, unseen }
  return {
    name,
    capabilities: capabilities({ act_connections, ask_connections }),
    ...createVodacomCollections(client, { ...shared, text: options.payment_text ?? 'Payment' }),
    ...createVodacomPayouts(client, { ...shared, text: options.payout_text ?? 'Payout' }),
    verifyCallback: (headers, body) => verifyCallback(callback_secret, headers, body),
    callbackReply,
    warm: () => client.warm(),
    close: () => client.close(),
  }
}

function publicKeyOf(text: string) {
  try {
    return readPublicKey(text)
  } catch {
    // The error of the crypto library would quote the text of the key, so this error replaces that error.
    throw new ConfigError('VODACOM_PUBLIC_KEY must be the RSA public key of the market, in base64 or PEM')
  }
}

const SECRET_CHARS_MIN = 16
const REASONS = Object.keys(FAILURE_REASONS).join(', ')

function check(options: VodacomOptions): void {
  const { api_key, service_provider_code, origin, callback_secret = null } = options
  if (!URL.canParse(options.url))
    throw new ConfigError(
      'VODACOM_URL must be a URL with environment and market, such as https://.../openapi/ipg/v2/vodacomTZN',
    )
  if (api_key === '') throw new ConfigError('VODACOM_API_KEY must not be empty; set the API key of the application')
  if (!/^[\x21-\x7e]+$/.test(origin)) throw new ConfigError('VODACOM_ORIGIN must be visible ASCII, such as *')
  if (!/^[0-9A-Za-z]{4,12}$/.test(service_provider_code)) {
    throw new ConfigError('VODACOM_SERVICE_PROVIDER_CODE must be 4 to 12 letters and digits')
  }
  if (callback_secret !== null && !new RegExp(`^[0-9A-Za-z_-]{${SECRET_CHARS_MIN},}$`).test(callback_secret)) {
    throw new ConfigError(`VODACOM_CALLBACK_SECRET must be at least ${SECRET_CHARS_MIN} characters of A-Za-z0-9_-`)
  }
  for (const text of [options.payment_text, options.payout_text]) {
    if (text !== undefined && !/^[\x20-\x7e]{1,256}$/.test(text)) {
      throw new ConfigError('VODACOM_PAYMENT_TEXT and VODACOM_PAYOUT_TEXT must be 1 to 256 printable ASCII characters')
    }
  }
  for (const [code, reason] of Object.entries(options.payment_failures ?? {})) {
    // A documented code keeps its documented meaning in every installation.
    if (Object.hasOwn(CODES, code))
      throw new ConfigError(
        `VODACOM_PAYMENT_FAILURES: ${code} has a documented meaning, which no setting can change; remove the code`,
      )
    if (!Object.hasOwn(FAILURE_REASONS, reason))
      throw new ConfigError(`VODACOM_PAYMENT_FAILURES: ${reason} is no failure reason; use one of ${REASONS}`)
  }
  // These codes mean success or a missing session. If such a code meant "not found", the platform could prompt a payer
  // twice.
  for (const code of options.not_found_codes ?? []) {
    if (['done', 'session'].includes(meaningOf(code)?.is ?? ''))
      throw new ConfigError(
        `VODACOM_NOT_FOUND_CODES: ${code} does not mean that a payment does not exist; remove the code`,
      )
  }
  for (const reason of Object.values(options.failed_states ?? {})) {
    if (!Object.hasOwn(FAILURE_REASONS, reason))
      throw new ConfigError(`VODACOM_FAILED_STATES: ${reason} is no failure reason; use one of ${REASONS}`)
  }
}
