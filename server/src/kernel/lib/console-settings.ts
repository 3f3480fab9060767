// Defines the settings of the consoles: addresses, client ids, and the rules for the sign-in and the actions of operators. No
// operator can change these settings in a console: see decision 12.

import { parseAllowedAddresses } from './network.ts'
import { amount, flag, number, optional, redirectUris, setting, url, word } from './setting.ts'

/** One day in seconds: the longest time for which a sign-in may count as recent, and the longest session of an operator. */
const DAY_S = 86_400

/** Accepts an amount, "off" or an empty text. Null means that the setting has no value. */
const limit = (value: string): bigint | 'off' | null =>
  value === '' ? null : value === 'off' ? 'off' : amountOrOff(value)

function amountOrOff(value: string): bigint {
  try {
    return amount(value)
  } catch {
    throw new Error('must be an amount such as 1000000 or 1000000.00, or off')
  }
}

/** Accepts an empty text, or the origin of a website: protocol, host and port without a path. */
function origin(value: string): string {
  const address = url('http:', 'https:')(value)
  if (address === '') return ''
  const parsed = new URL(address)
  if (parsed.href !== `${parsed.origin}/`)
    throw new Error(`must be an origin without a path, user or query, such as ${parsed.origin}`)
  return parsed.origin
}

/** The settings of the consoles, for the table of all settings. */
export const consoleSettings = {
  dashboard_redirect_uris: setting(
    'DASHBOARD_REDIRECT_URIS',
    '',
    redirectUris,
    'Addresses to which the built-in identity provider returns members after sign-in, separated by commas. Empty: BASE_URL/dashboard/callback.',
  ),
  operator_redirect_uris: setting(
    'OPERATOR_REDIRECT_URIS',
    '',
    redirectUris,
    'Addresses to which the built-in identity provider returns operators after sign-in, separated by commas. Empty: OPERATOR_URL/operator/callback, or BASE_URL/operator/callback.',
  ),
  operator_url: setting(
    'OPERATOR_URL',
    '',
    origin,
    'Origin of the operator console, on another host than BASE_URL. The console and /v1/operator then exist only on this host, which serves nothing else. Empty: BASE_URL.',
  ),
  hsts_subdomains: setting(
    'HSTS_SUBDOMAINS',
    'false',
    flag,
    'true: browsers use only TLS for all subdomains of the hosts of BASE_URL, PAY_URL and OPERATOR_URL too. Set true only if every system on these subdomains has TLS.',
  ),
  operator_allowed_ips: setting(
    'OPERATOR_ALLOWED_IPS',
    '',
    parseAllowedAddresses,
    'Addresses or CIDRs from which operators work, separated by commas. For other addresses the operator console and /v1/operator do not exist. Behind a reverse proxy, set TRUST_PROXY too. Empty: every address.',
  ),
  dashboard_client_id: setting(
    'DASHBOARD_CLIENT_ID',
    '',
    optional(word),
    'Client id of the merchant dashboard at OIDC_ISSUER. Its tokens open no operator route. Set OPERATOR_CLIENT_ID too; production needs both.',
  ),
  operator_client_id: setting(
    'OPERATOR_CLIENT_ID',
    '',
    optional(word),
    'Client id of the operator console at OIDC_ISSUER. Its tokens open no merchant route. The issuer must ask for credentials at every sign-in.',
  ),
  step_up_s: setting(
    'STEP_UP_S',
    '600',
    number(0, DAY_S),
    'Seconds for which a sign-in or a confirmation counts as recent. Later, a session must confirm its code or password before it moves money or gives access. 0: always recent.',
  ),
  operator_idle_s: setting(
    'OPERATOR_IDLE_S',
    '900',
    number(60, DAY_S),
    'Seconds without activity after which a session of the operator console ends.',
  ),
  operator_session_s: setting(
    'OPERATOR_SESSION_S',
    '43200',
    number(300, DAY_S),
    'Seconds after the sign-in at which a session of the operator console ends, even if the operator uses the session.',
  ),
  four_eyes_amount: setting(
    'FOUR_EYES_AMOUNT',
    '',
    limit,
    'Amount in shillings from which on an action needs two operators. The amount applies to the sums of a day in Tanzania. The sums are the payouts of a merchant, the payouts to a destination, and the corrections of a merchant. off: one operator is enough, and each start logs a warning. Production needs an amount or off.',
  ),
} as const

type ConsoleConfig = { [K in keyof typeof consoleSettings]: ReturnType<(typeof consoleSettings)[K]['parse']> }

/**
 * Returns the first contradiction between the settings, with the names of their variables. An empty list means that there is
 * none.
 */
export function consoleProblems({
  dashboard_client_id,
  operator_client_id,
  operator_url,
  ...addresses
}: ConsoleConfig & { base_url: string; pay_url: string; port: number }): string[] {
  const shared = operator_url === '' ? undefined : sharedAddress(operator_url, addresses)
  if (shared !== undefined)
    return [
      `OPERATOR_URL must have another host or port than ${shared}, because its host serves only the operator console (the value is "${operator_url}")`,
    ]
  if ((dashboard_client_id === '') !== (operator_client_id === '')) {
    return [
      `${dashboard_client_id === '' ? 'DASHBOARD' : 'OPERATOR'}_CLIENT_ID must be set too: set both client ids, or remove both`,
    ]
  }
  if (dashboard_client_id !== '' && dashboard_client_id === operator_client_id) {
    return ['OPERATOR_CLIENT_ID must differ from DASHBOARD_CLIENT_ID: name another client of the issuer']
  }
  return []
}

/** Returns the name of the setting whose address has the host of OPERATOR_URL. Undefined means that none has. */
function sharedAddress(
  operator_url: string,
  { base_url, pay_url, port }: { base_url: string; pay_url: string; port: number },
): string | undefined {
  const { host } = new URL(operator_url)
  const others = { BASE_URL: base_url || `http://127.0.0.1:${port}`, PAY_URL: pay_url }
  return Object.entries(others).find(([, address]) => address !== '' && new URL(address).host === host)?.[0]
}

/**
 * Lists the settings that production refuses, with the names of their variables. `foreign` is true if users sign in at
 * OIDC_ISSUER. `serves` is false for the admin command, which serves no requests of operators.
 */
export function insecureConsoles(
  config: ConsoleConfig,
  { foreign, serves }: { foreign: boolean; serves: boolean },
): string[] {
  const problems: string[] = []
  if (serves && config.four_eyes_amount === null)
    problems.push(
      'FOUR_EYES_AMOUNT must be set in production. Set an amount in shillings from which on two operators must act, or off if one operator may move any amount',
    )
  const plain = (uris: readonly string[]) => uris.some((uri) => !uri.startsWith('https://'))
  if (plain(config.dashboard_redirect_uris))
    problems.push('DASHBOARD_REDIRECT_URIS must begin with https:// in production')
  if (plain(config.operator_redirect_uris))
    problems.push('OPERATOR_REDIRECT_URIS must begin with https:// in production')
  if (config.operator_url.startsWith('http://')) problems.push('OPERATOR_URL must begin with https:// in production')
  if (foreign && config.operator_client_id === '')
    problems.push(
      'OPERATOR_CLIENT_ID and DASHBOARD_CLIENT_ID must name the clients of OIDC_ISSUER in production, because the server accepts each token for one console only',
    )
  return problems
}
