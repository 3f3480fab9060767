// Settings of the providers of live payments. One of a provider that is not used may be left out; those that it cannot work
// without are refused by name as soon as anything is to go over it.

import { findDestination } from './destinations.ts'
import { canonicalPhone } from './phone.ts'
import {
  codes,
  email,
  flag,
  gateway,
  number,
  oneOf,
  optional,
  pairs,
  setting,
  text,
  texts,
  word,
  words,
} from './setting.ts'

/** Every provider of live payments that can be configured, by name. */
export const PROVIDERS = ['mock', 'selcom', 'vodacom'] as const
/** What can be routed, beside destinations: the methods of payments and payouts (providers/port.ts). */
const ROUTED = ['wallet_push', 'provider_pesa', 'qr', 'MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const

const seconds = number(1, 86_400)
const phone = optional((value) => {
  const canonical = canonicalPhone(value)
  if (canonical === null) throw new Error('must be a Tanzanian mobile number')
  return canonical
})
const connections = number(1, 2_000)

/**
 * From a method, or a payout method and a destination (MOBILE_MONEY/MPESA), to a provider's name. Routes are no secret: what
 * is wrong is quoted.
 */
const routes = (value: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [route, name] of pairs(value)) {
    if (!(PROVIDERS as readonly string[]).includes(name)) {
      throw new Error(`"${route}=${name}": there is no provider ${name}; known are ${PROVIDERS.join(', ')}`)
    }
    const own = routeOf(route)
    if (found.has(own)) throw new Error(`"${route}": ${own} is routed twice`)
    found.set(own, name)
  }
  return found
}

/** The route by its own names: a destination may be given by any of its own. */
function routeOf(route: string): string {
  const [method = '', code, ...more] = route.split('/')
  if (!(ROUTED as readonly string[]).includes(method)) {
    throw new Error(`"${route}": there is no method ${method}; known are ${ROUTED.join(', ')}`)
  }
  if (code === undefined) return method
  const destination = more.length > 0 ? null : findDestination(code)
  if (destination?.method !== method) {
    throw new Error(`"${route}" must name a destination of GET /v1/destinations, as METHOD/CODE`)
  }
  return `${method}/${destination.code}`
}

/** The rows of the providers in the table of settings. */
export const providerSettings = {
  provider: setting(
    'PROVIDER',
    'mock',
    oneOf(...PROVIDERS),
    'Provider of live payments: mock, selcom or vodacom. The mock one moves no money, and is refused in production.',
  ),
  allow_mock_in_production: setting(
    'ALLOW_MOCK_IN_PRODUCTION',
    'false',
    flag,
    'Live payments may go over the mock provider in production: for a public demonstration, where nobody is paid.',
  ),
  provider_routes: setting(
    'PROVIDER_ROUTES',
    '',
    routes,
    'What goes over another provider than PROVIDER: MOBILE_MONEY/MPESA=vodacom,BANK_ACCOUNT=selcom,qr=selcom.',
  ),
  selcom_url: setting(
    'SELCOM_URL',
    '',
    gateway(/\/v\d+$/, 'the version, as in https://.../v1'),
    "Selcom's gateway with its version: https://.../v1. Empty: not used.",
  ),
  selcom_api_key: setting('SELCOM_API_KEY', '', optional(word), 'Its API key.'),
  selcom_api_secret: setting('SELCOM_API_SECRET', '', optional(word), 'Its API secret.'),
  selcom_vendor: setting('SELCOM_VENDOR', '', optional(word), 'The till that takes the money.'),
  selcom_float_vendor: setting(
    'SELCOM_FLOAT_VENDOR',
    '',
    optional(word),
    'The prepaid account that payouts are paid from. Empty: nothing is paid out over Selcom.',
  ),
  selcom_pin: setting('SELCOM_PIN', '', optional(word), 'The PIN of SELCOM_FLOAT_VENDOR.'),
  selcom_buyer_name: setting('SELCOM_BUYER_NAME', 'Customer', text, 'Whom orders at Selcom name as buyer.'),
  selcom_buyer_email: setting('SELCOM_BUYER_EMAIL', '', optional(email), 'The e-mail address of that buyer.'),
  selcom_buyer_phone: setting('SELCOM_BUYER_PHONE', '', phone, "The buyer's phone when the payer's is not known."),
  selcom_sender_account: setting('SELCOM_SENDER_ACCOUNT', '', optional(word), 'Who sends bank payouts: the account.'),
  selcom_sender_name: setting('SELCOM_SENDER_NAME', '', text, 'Who sends bank payouts: the name.'),
  selcom_sender_phone: setting('SELCOM_SENDER_PHONE', '', phone, 'Who sends bank payouts: the phone.'),
  selcom_sender_purpose: setting('SELCOM_SENDER_PURPOSE', 'BUSINESS', text, 'What bank payouts are for.'),
  selcom_push_expiry_min: setting(
    'SELCOM_PUSH_EXPIRY_MIN',
    '',
    (value) => (value === '' ? null : number(1, 10_080)(value)),
    "Minutes after which an unpaid prompt's order ends. Empty: shortly before COLLECTION_DEADLINE_H, as the orders of codes do.",
  ),
  selcom_order_unknown_codes: setting(
    'SELCOM_ORDER_UNKNOWN_CODES',
    '',
    codes(/^[0-9A-Za-z]{1,8}$/, '651'),
    'Result codes of the order query, separated by commas, that mean "there is no such order". Ask Selcom. Empty: none.',
  ),
  selcom_failed_payout_codes: setting(
    'SELCOM_FAILED_PAYOUT_CODES',
    '',
    words,
    'Result codes beyond the documented ones by which a payout failed for certain, and no money left. Ask Selcom. Empty: none.',
  ),
  selcom_refusal_texts: setting(
    'SELCOM_REFUSAL_TEXTS',
    '',
    texts,
    'More texts, separated by |, by which the gateway says that our address or access is refused.',
  ),
  selcom_pesa_code: setting(
    'SELCOM_PESA_CODE',
    'false',
    flag,
    "Payouts to the provider's own wallet carry its product code.",
  ),
  selcom_payout_ask_again_s: setting(
    'SELCOM_PAYOUT_ASK_AGAIN_S',
    '180',
    seconds,
    'Seconds before a payout in progress is asked about.',
  ),
  selcom_callback_window_s: setting(
    'SELCOM_CALLBACK_WINDOW_S',
    '900',
    seconds,
    "Seconds by which a callback's time may be off.",
  ),
  selcom_connections: setting(
    'SELCOM_CONNECTIONS',
    '128',
    connections,
    'Most connections for prompts, and payments that one process sends at once; as many each for codes, payouts, questions.',
  ),
  vodacom_url: setting(
    'VODACOM_URL',
    '',
    gateway(/\/vodacom[A-Z]{3}$/, 'environment and market, as in https://.../openapi/ipg/v2/vodacomTZN'),
    "Vodacom's M-Pesa OpenAPI with environment and market: https://.../openapi/ipg/v2/vodacomTZN. Empty: not used.",
  ),
  vodacom_api_key: setting('VODACOM_API_KEY', '', optional(word), "The application's API key."),
  vodacom_public_key: setting(
    'VODACOM_PUBLIC_KEY',
    '',
    text,
    "The market's public key as the portal shows it: base64, or PEM. Sandbox and production have different ones.",
  ),
  vodacom_service_provider_code: setting('VODACOM_SERVICE_PROVIDER_CODE', '', optional(word), 'Your short code.'),
  vodacom_origin: setting('VODACOM_ORIGIN', '*', word, "One of the application's trusted sources."),
  vodacom_country: setting('VODACOM_COUNTRY', 'TZN', word, "The market's country."),
  vodacom_callback_secret: setting(
    'VODACOM_CALLBACK_SECRET',
    '',
    optional(word),
    'In the address you register for callbacks: BASE_URL/callbacks/vodacom?secret=... At least 16 of A-Za-z0-9_-. Empty: no callback is let in.',
  ),
  vodacom_payment_text: setting('VODACOM_PAYMENT_TEXT', 'Payment', text, 'What payers read about a payment.'),
  vodacom_payout_text: setting('VODACOM_PAYOUT_TEXT', 'Payout', text, 'What receivers read about a payout.'),
  vodacom_session_life_s: setting(
    'VODACOM_SESSION_LIFE_S',
    '600',
    seconds,
    "Seconds for which a session is used: no longer than the application's session lifetime in the portal.",
  ),
  vodacom_session_settle_s: setting(
    'VODACOM_SESSION_SETTLE_S',
    '30',
    seconds,
    'Seconds for which a new session may be refused.',
  ),
  vodacom_late_s: setting(
    'VODACOM_LATE_S',
    '75',
    seconds,
    'Seconds for which the answer to a prompt is waited for, while the payer decides.',
  ),
  vodacom_paid_states: setting(
    'VODACOM_PAID_STATES',
    'Completed',
    words,
    'Words of a query, separated by commas, that mean: paid.',
  ),
  vodacom_pending_states: setting('VODACOM_PENDING_STATES', '', words, 'Words of a query that mean: under way.'),
  vodacom_failed_states: setting(
    'VODACOM_FAILED_STATES',
    '',
    pairs,
    'Words of a query that mean: this payment failed, each with its reason, such as Cancelled=user_cancelled. Empty: such a payment stays processing until COLLECTION_DEADLINE_H.',
  ),
  vodacom_failed_payout_states: setting(
    'VODACOM_FAILED_PAYOUT_STATES',
    '',
    words,
    'Words of a query that mean: this payout failed, and no money left. Empty: such a payout is left to operators.',
  ),
  vodacom_payment_failures: setting(
    'VODACOM_PAYMENT_FAILURES',
    '',
    pairs,
    'Codes beyond the documented ones by which a payment failed for certain, each with its reason.',
  ),
  vodacom_not_found_codes: setting(
    'VODACOM_NOT_FOUND_CODES',
    '',
    codes(/^INS-\d{1,5}$/, 'INS-23'),
    'Codes by which a query says for certain that there is no such payment, and will be none. Empty: none.',
  ),
  vodacom_session_texts: setting(
    'VODACOM_SESSION_TEXTS',
    '',
    texts,
    'More texts, separated by |, by which the gateway refuses a session.',
  ),
  vodacom_refusal_texts: setting(
    'VODACOM_REFUSAL_TEXTS',
    '',
    texts,
    'More texts, separated by |, by which the gateway says that our address or access is refused.',
  ),
  vodacom_act_connections: setting(
    'VODACOM_ACT_CONNECTIONS',
    '128',
    connections,
    'Most connections for prompts, and as many for payouts. Half of them may wait for late answers: the others are what one process sends at once.',
  ),
  vodacom_ask_connections: setting('VODACOM_ASK_CONNECTIONS', '32', connections, 'Most connections for questions.'),
} as const

/** Secrets of providers, which may also come from a file. */
export const PROVIDER_SECRETS = [
  'SELCOM_API_KEY',
  'SELCOM_API_SECRET',
  'SELCOM_PIN',
  'VODACOM_API_KEY',
  'VODACOM_PUBLIC_KEY',
  'VODACOM_CALLBACK_SECRET',
] as const

type Settings = typeof providerSettings
/** The checked settings of the providers. */
export type ProviderConfig = { [K in keyof Settings]: ReturnType<Settings[K]['parse']> }

type Name = keyof Settings
/** What there is to know of a real provider before it is built. One that is added has a row here. */
type Facts = {
  /** The address of its gateway: set, the provider is there. https:// in production. */
  url: 'selcom_url' | 'vodacom_url'
  /** What it cannot work without. */
  needed: readonly Name[]
}
const REAL: Record<Exclude<(typeof PROVIDERS)[number], 'mock'>, Facts> = {
  selcom: {
    url: 'selcom_url',
    needed: [
      'selcom_url',
      'selcom_api_key',
      'selcom_api_secret',
      'selcom_vendor',
      'selcom_buyer_email',
      'selcom_buyer_phone',
    ],
  },
  vodacom: {
    url: 'vodacom_url',
    needed: ['vodacom_url', 'vodacom_api_key', 'vodacom_public_key', 'vodacom_service_provider_code'],
  },
}
/** What payouts over Selcom need: all of it, or none. */
const SELCOM_PAYOUTS = [
  'selcom_float_vendor',
  'selcom_pin',
  'selcom_sender_account',
  'selcom_sender_name',
  'selcom_sender_phone',
] as const

/** What is wrong with the providers that are used, each with the variable's name. */
export function providerProblems(config: ProviderConfig): string[] {
  const routed = [...config.provider_routes.values()]
  const missing = (names: readonly Name[], why: string) =>
    names.filter((name) => config[name] === '').map((name) => `${providerSettings[name].env} must be set: ${why}`)
  const problems = Object.entries(REAL).flatMap(([name, { url, needed }]) => {
    if (config.provider === name) return missing(needed, `PROVIDER is ${name}`)
    if (routed.includes(name)) return missing(needed, `PROVIDER_ROUTES names ${name}`)
    return config[url] === '' ? [] : missing(needed, `${providerSettings[url].env} is set`)
  })
  const used = new Set([config.provider, ...routed])
  // Some live payments would move money, and others would only look as if they did.
  if (used.has('mock') && used.size > 1)
    problems.push(`PROVIDER_ROUTES must not mix mock with a real provider: PROVIDER is ${config.provider}`)
  if (config.selcom_float_vendor !== '') problems.push(...missing(SELCOM_PAYOUTS, 'SELCOM_FLOAT_VENDOR is set'))
  else if (config.selcom_pin !== '') problems.push(...missing(['selcom_float_vendor'], 'SELCOM_PIN is set'))
  return problems
}

/** What of it must not be in production. */
export function insecureProviders(config: ProviderConfig): string[] {
  const problems = Object.values(REAL)
    .filter(({ url }) => config[url].startsWith('http:'))
    .map(({ url }) => `${providerSettings[url].env} must begin with https:// in production`)
  // It is the default: a setting that was forgotten would credit merchants with money that nobody paid.
  if (config.provider === 'mock' && !config.allow_mock_in_production)
    problems.push('PROVIDER must name a real provider in production: mock moves no money (ALLOW_MOCK_IN_PRODUCTION)')
  return problems
}
