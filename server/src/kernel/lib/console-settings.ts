// Settings of the two consoles, that of merchants and that of operators: where people come back to after they signed in, and
// what is asked of operators before money moves. None of them can be changed by an operator: see decision 12.

import { amount, number, optional, redirectUris, setting, word } from './setting.ts'

/** A day: whoever signed in longer ago than that would not be asked at all. */
const STEP_UP_S_MAX = 86_400

const limit = (value: string): bigint | null => (value === '' ? null : amount(value))

/** The settings of the consoles. */
export const consoleSettings = {
  dashboard_redirect_uris: setting(
    'DASHBOARD_REDIRECT_URIS',
    '',
    redirectUris,
    'Where the built-in identity provider sends people back to after they signed in, separated by commas. Empty: BASE_URL/dashboard/callback.',
  ),
  operator_redirect_uris: setting(
    'OPERATOR_REDIRECT_URIS',
    '',
    redirectUris,
    "The same for those who sign in to the operators' console instead. Empty: BASE_URL/operator/callback.",
  ),
  dashboard_client_id: setting(
    'DASHBOARD_CLIENT_ID',
    '',
    optional(word),
    "The client of OIDC_ISSUER that is the merchants' dashboard: its tokens open nothing of operators. Goes with OPERATOR_CLIENT_ID; production needs both.",
  ),
  operator_client_id: setting(
    'OPERATOR_CLIENT_ID',
    '',
    optional(word),
    "The client of OIDC_ISSUER that is the operators' console: its tokens open nothing of merchants. It must ask for credentials at every sign-in.",
  ),
  step_up_s: setting(
    'STEP_UP_S',
    '600',
    number(0, STEP_UP_S_MAX),
    'Seconds since the sign-in of an operator, after which money moves only once they have signed in again. 0: never asked.',
  ),
  four_eyes_amount: setting(
    'FOUR_EYES_AMOUNT',
    '',
    limit,
    'Withdrawals that take this much or more from a balance, charges included, need two operators. In shillings. Empty: one is enough for all.',
  ),
} as const

type ConsoleConfig = { [K in keyof typeof consoleSettings]: ReturnType<(typeof consoleSettings)[K]['parse']> }

/** What does not fit together, each with the variable's name. */
export function consoleProblems({ dashboard_client_id, operator_client_id }: ConsoleConfig): string[] {
  if ((dashboard_client_id === '') !== (operator_client_id === '')) {
    return [`${dashboard_client_id === '' ? 'DASHBOARD' : 'OPERATOR'}_CLIENT_ID must be set: the other one is`]
  }
  if (dashboard_client_id !== '' && dashboard_client_id === operator_client_id) {
    return ['OPERATOR_CLIENT_ID must not be the client of the dashboard']
  }
  return []
}

/** What must not be in production, each with the variable's name. `foreign`: people sign in at OIDC_ISSUER. */
export function insecureConsoles(config: ConsoleConfig, foreign: boolean): string[] {
  const problems: string[] = []
  const plain = (uris: readonly string[]) => uris.some((uri) => !uri.startsWith('https://'))
  if (plain(config.dashboard_redirect_uris))
    problems.push('DASHBOARD_REDIRECT_URIS must begin with https:// in production')
  if (plain(config.operator_redirect_uris))
    problems.push('OPERATOR_REDIRECT_URIS must begin with https:// in production')
  if (foreign && config.operator_client_id === '')
    problems.push(
      'OPERATOR_CLIENT_ID and DASHBOARD_CLIENT_ID must name the clients of OIDC_ISSUER in production: a token belongs to one console',
    )
  return problems
}
