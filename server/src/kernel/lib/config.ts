// Configuration: every environment variable, its default and its check. A bad value is refused by name.

import { readFileSync } from 'node:fs'
import { consoleProblems, consoleSettings, insecureConsoles } from './console-settings.ts'
import { insecureMessages, MESSAGE_SECRETS, messageProblems, messageSettings } from './message-settings.ts'
import { insecureProviders, PROVIDER_SECRETS, providerProblems, providerSettings } from './provider-settings.ts'
import { proxyList } from './proxies.ts'
import { amount, flag, number, oneOf, setting, text, url, word, words } from './setting.ts'

/** A configuration that must not be started with. The message names each variable and says what is wrong. */
export class ConfigError extends Error {}

const host = (value: string): string => {
  if (/\s/.test(value)) throw new Error('must be an address or a host name, without spaces')
  return value
}
const brand = (value: string): string => {
  if (!/^[a-z][a-z0-9]{1,19}$/.test(value) || ['sk', 'pk'].includes(value)) {
    throw new Error('must be 2 to 20 lower-case letters and digits, beginning with a letter, and not sk or pk')
  }
  return value
}
const secretKey = (value: string): string => {
  if (value !== '' && Buffer.from(value, 'base64').length !== 32) throw new Error('must be 32 bytes in base64')
  return value
}
/** Kept as it is written: the issuer's name in tokens must equal it to the letter, a final slash included. */
const issuer = (value: string): string => {
  if (value === '') return ''
  const parsed = /^[\x21-\x7e]{1,255}$/.test(value) ? URL.parse(value) : null
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new Error('must be a URL that starts with https:// (or http:// outside production)')
  }
  if (/[?#]/.test(value) || parsed.username !== '' || parsed.password !== '') {
    throw new Error('must have no user, query or fragment')
  }
  return value
}
/** Signatures that only the issuer can make. The HS family is left out: whoever can check those can forge them. */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const signatures = (value: string): string[] => {
  const named = words(value)
  if (named.length === 0 || named.some((name) => !SIGNATURES.includes(name))) {
    throw new Error(`must name at least one of ${SIGNATURES.join(', ')}, separated by commas, and nothing else`)
  }
  return named
}
const reminderDays = (value: string): number[] => {
  const days = words(value)
  const sound = days.length <= 10 && days.every((day) => /^-?\d{1,3}$/.test(day))
  if (!sound) throw new Error('must hold at most ten whole numbers from -999 to 999, separated by commas')
  return [...new Set(days.map(Number))].sort((a, b) => a - b)
}
/** Every setting of the server. `.env.example` is generated from this table. */
export const settings = {
  node_env: setting(
    'NODE_ENV',
    'development',
    oneOf('development', 'production', 'test'),
    'production makes no demo data and refuses insecure settings.',
  ),
  process: setting(
    'PROCESS',
    'all',
    oneOf('all', 'api', 'worker'),
    'What this process does: all, api (HTTP, and the webhooks of what it settles) or worker (background work only).',
  ),
  host: setting('HOST', '', host, 'Address to listen on. Empty: 127.0.0.1, or 0.0.0.0 in production.'),
  port: setting('PORT', '8080', number(0, 65535), 'Port to listen on. 0: any free one.'),
  data_dir: setting('DATA_DIR', '.data', text, 'Where the embedded database and generated secrets live.'),
  embedded_dir: setting(
    'MALIPO_EMBEDDED_DIR',
    '/var/lib/malipo',
    text,
    'Where the embedded database goes when it is started by root and its user cannot reach DATA_DIR.',
  ),
  disk_free_min_mb: setting(
    'DISK_FREE_MIN_MB',
    '64',
    number(0, 1_000_000),
    'Free space, in MB, below which /readyz says 503: of DATA_DIR and of the embedded database. 0: not checked.',
  ),
  stop_delay_s: setting(
    'STOP_DELAY_S',
    '',
    (value) => (value === '' ? null : number(0, 60)(value)),
    'Seconds after a stop signal in which /readyz says 503 and all else is served, so that a load balancer turns away first. Empty: 0, or 5 in production.',
  ),
  database_url: setting(
    'DATABASE_URL',
    '',
    url('postgres:', 'postgresql:'),
    'PostgreSQL 15 or newer. Empty: an embedded PostgreSQL in DATA_DIR. Do not use a superuser.',
  ),
  database_connections: setting('DATABASE_CONNECTIONS', '12', number(2, 200), 'Most connections this process opens.'),
  full_page_writes_not_needed: setting(
    'FULL_PAGE_WRITES_NOT_NEEDED',
    'false',
    flag,
    'true: production starts on a database with full_page_writes off. Only for storage that never leaves a page half written, such as ZFS.',
  ),
  base_url: setting(
    'BASE_URL',
    '',
    url('http:', 'https:'),
    'Public address of the API, where providers call back. Empty: http://127.0.0.1:PORT.',
  ),
  pay_url: setting('PAY_URL', '', url('http:', 'https:'), 'Public address of the payment pages. Empty: BASE_URL.'),
  brand: setting('BRAND', 'service', brand, 'Brand segment of header names (X-<Brand>-*) and key prefixes.'),
  brand_name: setting('BRAND_NAME', 'Malipo', text, 'Name shown on pages and in messages.'),
  api_key_style: setting(
    'API_KEY_STYLE',
    'brand',
    oneOf('brand', 'sk'),
    'Prefix of new keys: brand (<brand>_live_, <brand>_sandbox_) or sk (sk_live_, sk_test_).',
  ),
  secret_key: setting(
    'SECRET_KEY',
    '',
    secretKey,
    '32 bytes in base64 that encrypt secrets at rest; the same for ever. Empty: made once in DATA_DIR (not in production).',
  ),
  ...providerSettings,
  mock_url: setting(
    'MOCK_URL',
    '',
    url('http:'),
    'A mock provider process (npm run mock-provider) to use for live payments. Empty: inside this process.',
  ),
  mock_secret: setting('MOCK_SECRET', 'mock-provider-secret', text, "Secret that signs the mock provider's callbacks."),
  mock_success_rate: setting(
    'MOCK_SUCCESS_RATE',
    '0.9',
    number(0, 1, 'any'),
    'Share of live mock payments that succeed when the phone has no magic ending.',
  ),
  mock_seed: setting('MOCK_SEED', 'malipo', text, "Seed of the mock provider's chances."),
  mock_delay_ms: setting('MOCK_DELAY_MS', '1500', number(0, 600_000), 'Pause before a mock payment has its outcome.'),
  collection_min: setting('COLLECTION_MIN_AMOUNT', '1.00', amount, 'Smallest amount of a collection in shillings.'),
  collection_max: setting(
    'COLLECTION_MAX_AMOUNT',
    '1000000000.00',
    amount,
    'Largest amount of a collection in shillings.',
  ),
  collection_deadline_h: setting(
    'COLLECTION_DEADLINE_H',
    '72',
    number(0.0001, 8760, 'any'),
    'Hours after which a payment without an answer fails with timeout.',
  ),
  withdrawal_min: setting('WITHDRAWAL_MIN_AMOUNT', '1.00', amount, 'Smallest amount of a withdrawal in shillings.'),
  withdrawal_max: setting(
    'WITHDRAWAL_MAX_AMOUNT',
    '1000000000.00',
    amount,
    'Largest amount of a withdrawal in shillings.',
  ),
  payout_deadline_h: setting(
    'PAYOUT_DEADLINE_H',
    '24',
    number(0.0001, 8760, 'any'),
    'Hours after which a payout without a final answer is left to operators: NEEDS_RECONCILIATION.',
  ),
  push_lifetime_s: setting(
    'PUSH_LIFETIME_S',
    '180',
    number(1, 3600),
    'Seconds for which a payment prompt on a phone counts as alive: until then nobody else can pay the same page.',
  ),
  prompts_per_phone: setting(
    'PROMPTS_PER_PHONE',
    '5',
    number(0, 10_000),
    'Prompts that pages may send to one phone in ten minutes without its owner approving one. 0: no limit.',
  ),
  tries_per_link: setting(
    'TRIES_PER_LINK',
    '20',
    number(0, 10_000),
    'Tries to pay one page in ten minutes. 0: no limit.',
  ),
  tries_per_address: setting(
    'TRIES_PER_ADDRESS',
    '300',
    number(0, 1_000_000),
    'Tries to pay any page from one address in ten minutes. Many phones share an address of their network. 0: no limit.',
  ),
  wallet_name: setting(
    'WALLET_NAME',
    'Provider Pesa',
    text,
    'What payers call the wallet that PROVIDER_PESA pays from, such as Selcom Pesa.',
  ),
  prompt_name: setting(
    'PROMPT_NAME',
    '',
    text,
    'The name that the PIN prompt shows, where it is the same for all merchants. Empty: the name of the merchant.',
  ),
  invoice_reminder_days: setting(
    'INVOICE_REMINDER_DAYS',
    '-3,1,7',
    reminderDays,
    'On which days customers are reminded of an unpaid invoice, at 09:00 in Tanzania: -3 is three days before it is due, 1 the day after. Empty: never.',
  ),
  idempotency_replay_days: setting(
    'IDEMPOTENCY_REPLAY_DAYS',
    '30',
    number(1, 3650),
    'Days for which a repeated Idempotency-Key gets the stored answer.',
  ),
  request_log_days: setting(
    'REQUEST_LOG_DAYS',
    '30',
    number(0, 366),
    'Days for which the requests of API keys are kept for their merchants, with redacted bodies. 0: none is kept.',
  ),
  rate_limit_key: setting(
    'RATE_LIMIT_PER_KEY',
    '6000',
    number(0, 10_000_000),
    'Requests a minute per API key. 0: no limit.',
  ),
  rate_limit_address: setting(
    'RATE_LIMIT_PER_ADDRESS',
    '600',
    number(0, 10_000_000),
    'Requests a minute per address without a valid key, and as many to public pages. 0: no limit.',
  ),
  rate_limit_payers: setting(
    'RATE_LIMIT_PAYERS',
    '6000',
    number(0, 10_000_000),
    'Requests a minute per address to payment pages and /public. Many phones share an address of their network. 0: no limit.',
  ),
  rate_limit_pdfs: setting(
    'RATE_LIMIT_PDFS',
    '120',
    number(0, 10_000_000),
    'PDFs of receipts and invoices a minute per address, for payers. 0: no limit.',
  ),
  rate_limit_callbacks: setting(
    'RATE_LIMIT_CALLBACKS',
    '60000',
    number(0, 10_000_000),
    'Callbacks a minute per address, until a true one has come from there. 0: no limit.',
  ),
  webhook_allow_private: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    '',
    (value) => (value === '' ? null : flag(value)),
    'Deliver webhooks to private addresses. Empty: only with the embedded database.',
  ),
  webhook_timeout_ms: setting('WEBHOOK_TIMEOUT_MS', '8000', number(100, 8000), 'Time for one webhook delivery.'),
  ...messageSettings,
  oidc_issuer: setting(
    'OIDC_ISSUER',
    '',
    issuer,
    'OpenID Connect issuer whose access tokens are sessions, exactly as its tokens name it. Empty: the built-in provider.',
  ),
  oidc_audience: setting(
    'OIDC_AUDIENCE',
    'malipo-api',
    word,
    'Audience that tokens of OIDC_ISSUER must name: this API as the issuer knows it.',
  ),
  oidc_algorithms: setting(
    'OIDC_ALGORITHMS',
    'RS256,PS256,ES256,EdDSA',
    signatures,
    'Signature algorithms that tokens of OIDC_ISSUER may use.',
  ),
  oidc_token_type: setting(
    'OIDC_TOKEN_TYPE',
    'at+jwt',
    oneOf('at+jwt', 'bearer'),
    'How OIDC_ISSUER marks access tokens: at+jwt (RFC 9068), or bearer (typ Bearer in the payload, as Keycloak does).',
  ),
  oidc_operator_acr: setting(
    'OIDC_OPERATOR_ACR',
    '',
    words,
    'Values of the acr claim of OIDC_ISSUER, separated by commas, that mean a second factor: operators need one in production. Empty: the amr claim tells.',
  ),
  ...consoleSettings,
  trust_proxy: setting(
    'TRUST_PROXY',
    '',
    proxyList,
    'Addresses or CIDRs of your reverse proxies, or loopback, linklocal, uniquelocal, separated by commas. Empty: X-Forwarded-For is ignored.',
  ),
  log_level: setting(
    'LOG_LEVEL',
    'info',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'Least level that is logged.',
  ),
} as const

/** The checked configuration. Amounts in cents. */
export type Config = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['parse']> }

/** Secrets may also come from a file: NAME_FILE holds its path. */
export const FROM_FILE: readonly string[] = [
  'DATABASE_URL',
  'SECRET_KEY',
  'MOCK_SECRET',
  ...PROVIDER_SECRETS,
  ...MESSAGE_SECRETS,
]

/**
 * Reads the configuration from environment variables. `calls_providers`: false for work that calls none, such as the admin
 * command, which then does without what they need.
 * Throws ConfigError with one line for each variable that is wrong, or insecure in production.
 */
export function readConfig(
  env: Record<string, string | undefined>,
  { calls_providers = true }: { calls_providers?: boolean } = {},
): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(settings)) {
    try {
      const given = env[entry.env]
      // An empty line of .env beside NAME_FILE says nothing against the file.
      values[name] = entry.parse((given || fromFile(entry.env, env)) ?? given ?? entry.default)
    } catch (error) {
      problems.push(`${entry.env} ${(error as Error).message}`)
    }
  }
  const config = values as Config
  if (config.collection_min > config.collection_max)
    problems.push('COLLECTION_MIN_AMOUNT must not be above COLLECTION_MAX_AMOUNT')
  if (problems.length === 0) problems.push(...messageProblems(config), ...consoleProblems(config))
  if (problems.length === 0 && calls_providers) problems.push(...providerProblems(config))
  if (problems.length === 0 && config.node_env === 'production') {
    problems.push(...insecure(config))
    if (calls_providers) problems.push(...insecureProviders(config))
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

/** What the file of NAME_FILE holds; undefined when none is named. Throws an Error that says what is wrong with it. */
function fromFile(name: string, env: Record<string, string | undefined>): string | undefined {
  const path = env[`${name}_FILE`]
  if (!path) return undefined
  if (!FROM_FILE.includes(name)) {
    // Other programs may have such a variable; of a provider's settings it was meant for us.
    if (!Object.values(providerSettings).some(({ env: own }) => own === name)) return undefined
    throw new Error(`cannot come from a file (${name}_FILE); these can: ${FROM_FILE.join(', ')}`)
  }
  let held: string
  try {
    held = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read from ${path} (${name}_FILE): ${(error as { code?: string }).code}`)
  }
  if (held === '') throw new Error(`cannot be read from ${path} (${name}_FILE): the file is empty`)
  return held
}

/** What must not be in production, each with the variable's name. */
function insecure(config: Config): string[] {
  const problems: string[] = []
  if (config.webhook_allow_private) problems.push('WEBHOOK_ALLOW_PRIVATE must not be true in production')
  if (config.database_url === '')
    problems.push('DATABASE_URL must name your PostgreSQL in production; the embedded one is for trying things out')
  if (config.secret_key === '') problems.push('SECRET_KEY must be set in production: openssl rand -base64 32')
  // The sandbox runs on the mock provider, whichever provider is live.
  if (['', settings.mock_secret.default].includes(config.mock_secret))
    problems.push('MOCK_SECRET must be set in production, and not to the default: openssl rand -base64 32')
  if (!config.base_url.startsWith('https://')) problems.push('BASE_URL must begin with https:// in production')
  if (config.pay_url !== '' && !config.pay_url.startsWith('https://'))
    problems.push('PAY_URL must begin with https:// in production')
  if (config.oidc_issuer !== '' && !config.oidc_issuer.toLowerCase().startsWith('https://'))
    problems.push('OIDC_ISSUER must begin with https:// in production')
  problems.push(...insecureConsoles(config, config.oidc_issuer !== ''))
  problems.push(...insecureMessages(config))
  return problems
}
