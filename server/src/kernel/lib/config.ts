// Reads the configuration from environment variables: their names, defaults and checks. The error for a bad value names the
// variable.

import { isDeepStrictEqual } from 'node:util'
import { auditSettings, insecureAnchors } from './audit-settings.ts'
import { backupProblems, backupSettings } from './backup-settings.ts'
import { consoleProblems, consoleSettings, insecureConsoles } from './console-settings.ts'
import { databaseUrl, readUrlProblems } from './database-url.ts'
import { limitSettings, setCountLimits } from './limit-settings.ts'
import { insecureMessages, messageProblems, messageSettings } from './message-settings.ts'
import { monitoringSettings } from './monitoring-settings.ts'
import { parseProxyList } from './network.ts'
import {
  type ConfigurableProviders,
  defaultsInProduction,
  insecureProviders,
  type ProviderConfig,
  providerProblems,
  routingSettings,
  settingsOf,
} from './provider-settings.ts'
import { retentionSettings } from './retention-settings.ts'
import { readSecretFile } from './secret-file.ts'
import {
  amount,
  flag,
  number,
  oneWord,
  type Setting,
  type SettingTable,
  type SettingValues,
  setting,
  text,
  url,
  word,
  words,
} from './setting.ts'
import { findUnknownNames, type GivenSettings, SETTINGS_FILE_VARIABLE, type UnknownName } from './settings-file.ts'
import { traceSettings } from './trace-settings.ts'
import { parseSecretKeys } from './vault.ts'

/** The error for a configuration with which the server refuses to start. The message names each variable and its problem. */
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
  parseSecretKeys(value) // If a key is invalid, `parseSecretKeys` throws.
  return value
}
/**
 * Returns the URL exactly as the operator wrote the URL, because the issuer in tokens must equal the URL, including a final
 * slash.
 */
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
/**
 * Asymmetric algorithms, with which only the issuer can sign. The list excludes the HS family, because a verifier could
 * forge tokens with a shared key.
 */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const signatures = (value: string): string[] => {
  const named = words(value)
  if (named.length === 0 || named.some((name) => !SIGNATURES.includes(name))) {
    throw new Error(`must name one or more of ${SIGNATURES.join(', ')}, separated by commas`)
  }
  return named
}
const reminderDays = (value: string): number[] => {
  const days = words(value)
  const valid = days.length <= 10 && days.every((day) => /^-?\d{1,3}$/.test(day))
  if (!valid) throw new Error('must hold at most ten whole numbers from -999 to 999, separated by commas')
  return [...new Set(days.map(Number))].sort((a, b) => a - b)
}
/**
 * The settings of the process: its work, address, folders, backups, database, public addresses, names and secret keys.
 */
const processSettings = {
  node_env: setting(
    'NODE_ENV',
    'development',
    oneWord('development', 'production', 'test'),
    'production makes no demo data and refuses insecure settings.',
  ),
  process: setting(
    'PROCESS',
    'all',
    oneWord('all', 'api', 'worker'),
    'The work of this process: all, api (HTTP, and webhooks of the payments that it settles) or worker (background work only).',
  ),
  settings_file: setting(
    SETTINGS_FILE_VARIABLE,
    '',
    text,
    'File with settings in the form of this file. Environment variables override the file. Empty: malipo.env, or else .env, in the working folder.',
  ),
  host: setting('HOST', '', host, 'Address to listen on. Empty: 127.0.0.1, or 0.0.0.0 in production.'),
  port: setting('PORT', '8080', number(0, 65535), 'Port to listen on. 0: any free port.'),
  data_dir: setting('DATA_DIR', '.data', text, 'Folder of the embedded database and of generated secrets.'),
  embedded_dir: setting(
    'MALIPO_EMBEDDED_DIR',
    '/var/lib/malipo',
    text,
    'Folder of the embedded database if root starts the server and the database user cannot reach DATA_DIR.',
  ),
  disk_free_min_mb: setting(
    'DISK_FREE_MIN_MB',
    '64',
    number(0, 1_000_000),
    'Free space in MB of DATA_DIR and of the embedded database, below which /readyz answers 503. 0: no check.',
  ),
  backup_status_file: setting(
    'BACKUP_STATUS_FILE',
    '',
    text,
    'File that your backup job writes at the end of each good backup. "admin doctor" and the console compare its age with 26 hours. Empty: no check.',
  ),
  ...backupSettings,
  stop_delay_s: setting(
    'STOP_DELAY_S',
    '',
    (value) => (value === '' ? null : number(0, 60)(value)),
    'Seconds after a stop signal in which /readyz answers 503 and the server still serves other requests, so that a load balancer stops sending them. Empty: 0, or 5 in production.',
  ),
  database_url: setting(
    'DATABASE_URL',
    '',
    databaseUrl,
    'PostgreSQL 15 or newer. Empty: an embedded PostgreSQL in DATA_DIR. Several hosts: host:port,host:port with target_session_attrs=read-write. Do not use a superuser.',
    { secret: true },
  ),
  database_pooler: setting(
    'DATABASE_POOLER',
    '',
    (value) => (value === '' ? '' : oneWord('transaction')(value)),
    'transaction: DATABASE_URL leads to PgBouncer in transaction mode, so the server uses nothing that is bound to a session. Needs connect_query of deploy/pgbouncer/pgbouncer.ini. Empty: DATABASE_URL leads to PostgreSQL itself.',
  ),
  database_tls_not_needed: setting(
    'DATABASE_TLS_NOT_NEEDED',
    'false',
    flag,
    'true: production accepts a DATABASE_URL of another machine without verified TLS. Set true only if something else encrypts that network, such as a tunnel.',
  ),
  migration_database_url: setting(
    'MIGRATION_DATABASE_URL',
    '',
    databaseUrl,
    'The database of DATABASE_URL with the role that owns its tables. Only migrations use this role. Empty: the role of DATABASE_URL migrates.',
    { secret: true },
  ),
  database_connections: setting(
    'DATABASE_CONNECTIONS',
    '12',
    number(2, 200),
    'Largest number of database connections of this process.',
  ),
  database_read_url: setting(
    'DATABASE_READ_URL',
    '',
    databaseUrl,
    'A streaming replica of DATABASE_URL that answers lists, exports, statements, searches and dashboards while it has all changes. Empty: DATABASE_URL answers them.',
    { secret: true },
  ),
  database_read_lag_max_ms: setting(
    'DATABASE_READ_LAG_MAX_MS',
    '100',
    number(0, 5_000),
    'The longest time in ms for which a read waits until DATABASE_READ_URL has the changes before the read. Then DATABASE_URL answers.',
  ),
  full_page_writes_not_needed: setting(
    'FULL_PAGE_WRITES_NOT_NEEDED',
    'false',
    flag,
    'true: production accepts a database with full_page_writes off. Only for storage that never writes half a page, such as ZFS.',
  ),
  base_url: setting(
    'BASE_URL',
    '',
    url('http:', 'https:'),
    'Public address of the API. Providers send callbacks there. Empty: http://127.0.0.1:PORT.',
  ),
  pay_url: setting('PAY_URL', '', url('http:', 'https:'), 'Public address of the payment pages. Empty: BASE_URL.'),
  brand: setting('BRAND', 'service', brand, 'Brand segment of header names (X-<Brand>-*) and key prefixes.'),
  brand_name: setting('BRAND_NAME', 'Malipo', text, 'Name shown on pages and in messages.'),
  api_key_style: setting(
    'API_KEY_STYLE',
    'brand',
    oneWord('brand', 'sk'),
    'Prefix of new keys: brand (<brand>_live_, <brand>_sandbox_) or sk (sk_live_, sk_test_).',
  ),
  secret_key: setting(
    'SECRET_KEY',
    '',
    secretKey,
    '32 bytes in base64 that encrypt stored secrets. Several keys, separated by commas: the first encrypts, all decrypt. Empty: the server makes one key in DATA_DIR (not in production).',
    { secret: true },
  ),
} as const

/** The settings of payments, payouts and the other parts of the product. */
const productSettings = {
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
    'Hours after which a payment without an outcome fails with timeout.',
  ),
  withdrawal_min: setting('WITHDRAWAL_MIN_AMOUNT', '1.00', amount, 'Smallest amount of a withdrawal in shillings.'),
  withdrawal_max: setting(
    'WITHDRAWAL_MAX_AMOUNT',
    '1000000000.00',
    amount,
    'Largest amount of a withdrawal in shillings.',
  ),
  ...limitSettings,
  payout_deadline_h: setting(
    'PAYOUT_DEADLINE_H',
    '24',
    number(0.0001, 8760, 'any'),
    'Hours after which operators must resolve a payout without a final outcome: NEEDS_RECONCILIATION.',
  ),
  push_lifetime_s: setting(
    'PUSH_LIFETIME_S',
    '180',
    number(1, 3600),
    'Seconds for which a payment prompt on a phone is open. Until then no other payer can pay the same page.',
  ),
  prompts_per_phone: setting(
    'PROMPTS_PER_PHONE',
    '5',
    number(0, 10_000),
    'Prompts that pages may send to one phone in ten minutes until its owner approves one. 0: no limit.',
  ),
  tries_per_link: setting(
    'TRIES_PER_LINK',
    '20',
    number(0, 10_000),
    'Attempts to pay one page in ten minutes. 0: no limit.',
  ),
  tries_per_address: setting(
    'TRIES_PER_ADDRESS',
    '300',
    number(0, 1_000_000),
    'Attempts to pay any page from one IP address in ten minutes. Many phones share an address of their network. 0: no limit.',
  ),
  wallet_name: setting(
    'WALLET_NAME',
    'Provider Pesa',
    text,
    'Name of the wallet of PROVIDER_PESA for payers, such as Selcom Pesa.',
  ),
  prompt_name: setting(
    'PROMPT_NAME',
    '',
    text,
    'Name in the PIN prompt if it is the same for all merchants. Empty: the name of the merchant.',
  ),
  invoice_reminder_days: setting(
    'INVOICE_REMINDER_DAYS',
    '-3,1,7',
    reminderDays,
    'Days on which the server sends reminders of unpaid invoices, at 09:00 in Tanzania. -3 is three days before the due date, 1 the day after. Empty: never.',
  ),
  idempotency_replay_days: setting(
    'IDEMPOTENCY_REPLAY_DAYS',
    '30',
    number(1, 3650),
    'Days for which a repeated Idempotency-Key returns the stored answer.',
  ),
  request_log_days: setting(
    'REQUEST_LOG_DAYS',
    '30',
    number(0, 366),
    'Days for which merchants can read the requests of their API keys, with redacted bodies. 0: the server keeps none.',
  ),
  ...retentionSettings,
  ...auditSettings,
  ...monitoringSettings,
  ...traceSettings,
  keys_per_merchant: setting(
    'KEYS_PER_MERCHANT',
    '20',
    number(0, 100_000),
    'Active API keys of a merchant in each environment. 0: no limit.',
  ),
  rate_limit_key: setting(
    'RATE_LIMIT_PER_KEY',
    '6000',
    number(0, 10_000_000),
    'Requests a minute per API key. 0: no limit.',
  ),
  rate_limit_merchant_live: setting(
    'RATE_LIMIT_PER_MERCHANT_LIVE',
    '30000',
    number(0, 10_000_000),
    'Requests a minute of all live API keys of a merchant together, in each process. 0: no limit.',
  ),
  rate_limit_merchant_sandbox: setting(
    'RATE_LIMIT_PER_MERCHANT_SANDBOX',
    '6000',
    number(0, 10_000_000),
    'Requests a minute of all sandbox API keys of a merchant together, in each process. 0: no limit.',
  ),
  rate_limit_address: setting(
    'RATE_LIMIT_PER_ADDRESS',
    '600',
    number(0, 10_000_000),
    'Requests a minute per IP address without a valid key, and as many to public pages. 0: no limit.',
  ),
  rate_limit_payers: setting(
    'RATE_LIMIT_PAYERS',
    '6000',
    number(0, 10_000_000),
    'Requests a minute per IP address to payment pages and /public. Many phones share an address of their network. 0: no limit.',
  ),
  rate_limit_pdfs: setting(
    'RATE_LIMIT_PDFS',
    '120',
    number(0, 10_000_000),
    'PDFs of receipts and invoices a minute per IP address, for payers. 0: no limit.',
  ),
  rate_limit_callbacks: setting(
    'RATE_LIMIT_CALLBACKS',
    '60000',
    number(0, 10_000_000),
    'Callbacks a minute per IP address, until a genuine callback arrives from that address. 0: no limit.',
  ),
  connections_max: setting(
    'CONNECTIONS_MAX',
    '10000',
    number(0, 1_000_000),
    'Open connections of a process. The server closes new connections above this number. 0: no limit.',
  ),
  connections_per_address: setting(
    'CONNECTIONS_PER_ADDRESS',
    '1000',
    number(0, 1_000_000),
    'Open connections from one IP address to a process. Addresses of TRUST_PROXY have no such limit. 0: no limit.',
  ),
  webhook_allow_private: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    '',
    (value) => (value === '' ? null : flag(value)),
    'true: the server delivers webhooks to private addresses. Empty: only with the embedded database.',
  ),
  webhook_timeout_ms: setting(
    'WEBHOOK_TIMEOUT_MS',
    '8000',
    number(100, 8000),
    'Timeout of one webhook delivery in milliseconds.',
  ),
  ...messageSettings,
  oidc_issuer: setting(
    'OIDC_ISSUER',
    '',
    issuer,
    'OpenID Connect issuer whose access tokens are sessions, exactly as in the iss claim. Empty: the built-in provider.',
  ),
  oidc_audience: setting(
    'OIDC_AUDIENCE',
    'malipo-api',
    word,
    'Audience that tokens of OIDC_ISSUER must name: the identifier of this API at the issuer.',
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
    oneWord('at+jwt', 'bearer'),
    'Type of the access tokens of OIDC_ISSUER: at+jwt (RFC 9068), or bearer (typ Bearer in the payload, as Keycloak does).',
  ),
  oidc_operator_acr: setting(
    'OIDC_OPERATOR_ACR',
    '',
    words,
    'Values of the acr claim of OIDC_ISSUER, separated by commas, that mean a second factor, which operators need. Empty: the server reads the amr claim.',
  ),
  sign_up: setting(
    'SIGN_UP',
    'open',
    oneWord('open', 'invited'),
    'Who can register: open (every person, at /identity/sign-up), or invited (only a person whom a member or an operator has invited). With OIDC_ISSUER, a person always needs an invitation.',
  ),
  ...consoleSettings,
  trust_proxy: setting(
    'TRUST_PROXY',
    '',
    parseProxyList,
    'Addresses or CIDRs of your reverse proxies, or loopback, linklocal, uniquelocal, separated by commas. Empty: the server ignores X-Forwarded-For.',
  ),
  log_level: setting(
    'LOG_LEVEL',
    'info',
    oneWord('debug', 'info', 'warn', 'error', 'silent'),
    'Lowest level of log lines.',
  ),
} as const

/** The settings of the server without the settings of its providers and of their routes. */
export const settings = { ...processSettings, ...productSettings }

/** The checked configuration. Amounts are in cents. */
export type Config = {
  -readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>
} & ProviderConfig

/** Returns the providers with real providers first, as `.env.example` lists them. */
const realFirst = (providers: ConfigurableProviders): ConfigurableProviders => [
  ...providers.filter(({ simulated }) => !simulated),
  ...providers.filter(({ simulated }) => simulated),
]

/** Lists every setting of a server with these providers. `npm run generate` writes `.env.example` from this list. */
export function listSettings(providers: ConfigurableProviders): Setting<unknown>[] {
  const tables: SettingTable[] = [
    processSettings,
    routingSettings(providers),
    ...realFirst(providers).map((provider) => provider.settings),
    productSettings,
  ]
  return tables.flatMap((table) => Object.values(table))
}

/**
 * Lists the variables of the settings whose value may come from a file. The variable NAME_FILE has the path of the file.
 */
export function fileSettings(providers: ConfigurableProviders): string[] {
  const tables: SettingTable[] = [processSettings, ...providers.map((provider) => provider.settings), productSettings]
  return tables.flatMap((table) =>
    Object.values(table)
      .filter(({ secret }) => secret)
      .map(({ env }) => env),
  )
}

/** The settings that a process can change without a restart. */
const RELOADABLE: readonly (keyof typeof settings)[] = [
  'log_level',
  'rate_limit_key',
  'rate_limit_merchant_live',
  'rate_limit_merchant_sandbox',
  'rate_limit_address',
  'rate_limit_payers',
  'rate_limit_pdfs',
  'rate_limit_callbacks',
  'operator_allowed_ips',
]

/** The names of the variables that a reload changed, and of those that changed but need a restart. */
export type Reloaded = { applied: string[]; needs_restart: string[] }

/** Writes the changed settings of `next` that need no restart into `config`, and names all changed settings. */
export function applyReload(config: Config, next: Config, providers: ConfigurableProviders): Reloaded {
  const tables: [SettingTable, SettingValues, SettingValues][] = [
    [{ ...settings, ...routingSettings(providers) }, config, next],
    ...providers.map((provider): [SettingTable, SettingValues, SettingValues] => [
      provider.settings,
      settingsOf(config, provider),
      settingsOf(next, provider),
    ]),
  ]
  const changed = tables.flatMap(([table, before, after]) =>
    Object.entries(table).filter(([key]) => !isDeepStrictEqual(before[key], after[key])),
  )
  const reloadable = new Set(RELOADABLE.map((key) => settings[key].env as string))
  const names = changed.map(([, { env }]) => env)
  Object.assign(config, Object.fromEntries(RELOADABLE.map((key) => [key, next[key]])))
  return {
    applied: names.filter((name) => reloadable.has(name)),
    needs_restart: names.filter((name) => !reloadable.has(name)),
  }
}

/** Lists the given names that are probably wrong names of settings, such as FOUR_EYE_AMOUNT: see `findUnknownNames`. */
export function unknownSettings(given: GivenSettings, providers: ConfigurableProviders): UnknownName[] {
  const names = listSettings(providers).map(({ env }) => env)
  return findUnknownNames(given, new Set([...names, ...fileSettings(providers).map((name) => `${name}_FILE`)]))
}

/**
 * A setting with its value and the source of the value. A mask replaces secrets, and the user and password of a URL.
 */
export type EffectiveSetting = { name: string; value: string; source: string }

const MASKED = '***'

/**
 * Lists every setting with its value and its source: default, environment, the path of a secret's file, or the file of
 * settings.
 */
export function effectiveSettings(given: GivenSettings, providers: ConfigurableProviders): EffectiveSetting[] {
  const place = (name: string) => (given.from_file.has(name) ? (given.path as string) : 'environment')
  return listSettings(providers).map(({ env, default: preset, secret }) => {
    const path = secret ? given.values[`${env}_FILE`] : undefined
    const value = given.values[env]
    if (path && !value) return { name: env, value: MASKED, source: `file ${path} (${place(`${env}_FILE`)})` }
    // If the variable is missing, the server uses the default. If the variable is empty, the server uses the empty text.
    const shown = value ?? preset
    return {
      name: env,
      value: secret && shown !== '' ? MASKED : maskUser(shown),
      source: value === undefined ? 'default' : place(env),
    }
  })
}

/** Masks the user and password of a URL. */
function maskUser(value: string): string {
  return value.replace(/\/\/[^/@\s]*@/g, `//${MASKED}@`)
}

/**
 * Reads the configuration from environment variables. `calls_providers` is false for a program that calls no provider, such as
 * the admin command, and so needs no settings of providers. If variables are wrong, or insecure in production, throws a
 * ConfigError with one line per problem.
 */
export function readConfig(
  env: Record<string, string | undefined>,
  providers: ConfigurableProviders,
  { calls_providers = true }: { calls_providers?: boolean } = {},
): Config {
  const problems: string[] = []
  const config = parseSettings(env, providers, problems)
  if (config.collection_min > config.collection_max)
    problems.push(
      'COLLECTION_MIN_AMOUNT must not be above COLLECTION_MAX_AMOUNT: lower the first amount, or raise the second',
    )
  if (problems.length === 0)
    problems.push(
      ...messageProblems(config),
      ...consoleProblems(config),
      ...backupProblems(config),
      ...readUrlProblems(config),
    )
  if (problems.length === 0 && calls_providers) problems.push(...providerProblems(config, providers))
  if (problems.length === 0 && config.node_env === 'production') {
    problems.push(...insecure(config, providers, calls_providers))
    if (calls_providers) problems.push(...insecureProviders(config, providers))
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  setCountLimits(config, providers.find(({ name }) => name === config.provider)?.simulated ?? false)
  return config
}

/**
 * Parses every setting. If a setting is invalid, adds the problem to `problems` and leaves the setting out of the
 * configuration.
 */
function parseSettings(
  env: Record<string, string | undefined>,
  providers: ConfigurableProviders,
  problems: string[],
): Config {
  const readFile = fileReader(env, providers)
  const parse = <Table extends SettingTable>(table: Table): SettingValues<Table> => {
    const values: Record<string, unknown> = {}
    for (const [name, entry] of Object.entries(table)) {
      let value: string | undefined
      try {
        const given = env[entry.env]
        // If a variable is empty, the file of NAME_FILE still applies.
        value = readFile(entry) ?? given ?? entry.default
        values[name] = entry.parse(value)
      } catch (error) {
        const { message } = error as Error
        problems.push(
          `${entry.env} ${message}${value === undefined || entry.secret ? '' : describeValue(value, message)}`,
        )
      }
    }
    return values as SettingValues<Table>
  }
  return {
    ...parse(processSettings),
    ...parse(routingSettings(providers)),
    provider_settings: new Map(realFirst(providers).map((provider) => [provider.name, parse(provider.settings)])),
    ...parse(productSettings),
  }
}

const VALUE_MAX = 200

/**
 * Describes the value of a refused setting. If `message` contains the value, returns an empty text. Masks the text before the
 * last @, which may contain a password.
 */
function describeValue(value: string, message: string): string {
  const shown = JSON.stringify(value.replace(/^.*@/s, '***@').slice(0, VALUE_MAX))
  return message.includes(shown) ? '' : ` (the value is ${shown})`
}

/**
 * Makes the function that reads the file that NAME_FILE names. If NAME_FILE is missing or may be a variable of another program,
 * the function returns undefined. If the server cannot use the file, the function throws.
 */
function fileReader(env: Record<string, string | undefined>, providers: ConfigurableProviders) {
  const allowed = fileSettings(providers)
  // PORT_FILE and similar variables may be those of another program, so the server ignores them. Variables named after a
  // setting of routes or of a real provider are always those of the server.
  const tables: SettingTable[] = [
    routingSettings(providers),
    ...providers.filter(({ simulated }) => !simulated).map((provider) => provider.settings),
  ]
  const owned = new Set(tables.flatMap((table) => Object.values(table).map((entry) => entry.env)))
  return ({ env: name }: Setting<unknown>): string | undefined => {
    const path = env[`${name}_FILE`]
    if (!path) return undefined
    if (!allowed.includes(name)) {
      if (!owned.has(name)) return undefined
      throw new Error(`cannot come from a file: remove ${name}_FILE. Only these settings can: ${allowed.join(', ')}`)
    }
    if (env[name]) throw new Error(`must not have a value together with ${name}_FILE: remove one of the two variables`)
    return readSecretFile(path, name, env)
  }
}

/**
 * Lists the settings that production refuses, each with the name of its variable. `serves` is false for the admin command, which
 * serves no requests.
 */
function insecure(config: Config, providers: ConfigurableProviders, serves: boolean): string[] {
  const problems: string[] = []
  if (config.webhook_allow_private) problems.push('WEBHOOK_ALLOW_PRIVATE must not be true in production')
  if (config.database_url === '')
    problems.push('DATABASE_URL must name your PostgreSQL in production; the embedded database is for development')
  if (config.secret_key === '') problems.push('SECRET_KEY must be set in production: openssl rand -base64 32')
  problems.push(...defaultsInProduction(config, providers))
  if (!config.base_url.startsWith('https://')) problems.push('BASE_URL must begin with https:// in production')
  if (config.pay_url !== '' && !config.pay_url.startsWith('https://'))
    problems.push('PAY_URL must begin with https:// in production')
  if (config.oidc_issuer !== '' && !config.oidc_issuer.toLowerCase().startsWith('https://'))
    problems.push('OIDC_ISSUER must begin with https:// in production')
  problems.push(...insecureConsoles(config, { foreign: config.oidc_issuer !== '', serves }))
  problems.push(...insecureMessages(config), ...insecureAnchors(config))
  return problems
}
