// Defines the settings of Vodacom's M-Pesa OpenAPI.

import {
  codes,
  connections,
  gateway,
  optional,
  pairs,
  type SettingValues,
  seconds,
  setting,
  text,
  texts,
  word,
  words,
} from '../../../kernel/lib/setting.ts'

/** The settings of Vodacom, each with its variable, default value and check. */
export const settings = {
  url: setting(
    'VODACOM_URL',
    '',
    gateway(/\/vodacom[A-Z]{3}$/, 'environment and market, as in https://.../openapi/ipg/v2/vodacomTZN'),
    "Vodacom's M-Pesa OpenAPI with environment and market: https://.../openapi/ipg/v2/vodacomTZN. Empty: not used.",
    { gateway: true, required: true },
  ),
  api_key: setting('VODACOM_API_KEY', '', optional(word), "The application's API key.", {
    required: true,
    secret: true,
  }),
  public_key: setting(
    'VODACOM_PUBLIC_KEY',
    '',
    text,
    "The market's public key as the portal shows the key: base64, or PEM. Sandbox and production have different keys.",
    { required: true, secret: true },
  ),
  service_provider_code: setting('VODACOM_SERVICE_PROVIDER_CODE', '', optional(word), 'Your short code.', {
    required: true,
  }),
  origin: setting('VODACOM_ORIGIN', '*', word, "One of the application's trusted sources."),
  country: setting('VODACOM_COUNTRY', 'TZN', word, "The market's country."),
  callback_secret: setting(
    'VODACOM_CALLBACK_SECRET',
    '',
    optional(word),
    'Secret in the URL that you register for callbacks: BASE_URL/callbacks/vodacom?secret=... At least 16 of A-Za-z0-9_-. Empty: the server refuses every callback.',
    { secret: true },
  ),
  payment_text: setting('VODACOM_PAYMENT_TEXT', 'Payment', text, 'Text about a payment that the payer sees.'),
  payout_text: setting('VODACOM_PAYOUT_TEXT', 'Payout', text, 'Text about a payout that the recipient sees.'),
  session_life_s: setting(
    'VODACOM_SESSION_LIFE_S',
    '600',
    seconds,
    "Seconds for which the server uses a session. At most the application's session lifetime in the portal.",
  ),
  session_settle_s: setting(
    'VODACOM_SESSION_SETTLE_S',
    '30',
    seconds,
    'Seconds for which the gateway may refuse a new session.',
  ),
  late_s: setting(
    'VODACOM_LATE_S',
    '75',
    seconds,
    'Seconds for which the server waits for the late answer to a prompt while the payer decides.',
  ),
  paid_states: setting(
    'VODACOM_PAID_STATES',
    'Completed',
    words,
    'States of a paid transaction in a query, separated by commas.',
  ),
  pending_states: setting('VODACOM_PENDING_STATES', '', words, 'States of a pending transaction in a query.'),
  failed_states: setting(
    'VODACOM_FAILED_STATES',
    '',
    pairs,
    'States of a failed payment in a query, each with its reason, such as Cancelled=user_cancelled. Empty: a failed payment stays processing until COLLECTION_DEADLINE_H.',
  ),
  failed_payout_states: setting(
    'VODACOM_FAILED_PAYOUT_STATES',
    '',
    words,
    'States of a failed payout in a query, which sent no money. Empty: operators must resolve a failed payout.',
  ),
  payment_failures: setting(
    'VODACOM_PAYMENT_FAILURES',
    '',
    pairs,
    'Undocumented codes of a certainly failed payment, each with its reason.',
  ),
  not_found_codes: setting(
    'VODACOM_NOT_FOUND_CODES',
    '',
    codes(/^INS-\d{1,5}$/, 'INS-23'),
    'Codes of a query that certainly mean that the payment does not and will not exist. Empty: none.',
  ),
  session_texts: setting(
    'VODACOM_SESSION_TEXTS',
    '',
    texts,
    'Additional texts, separated by |, by which the gateway refuses a session.',
  ),
  refusal_texts: setting(
    'VODACOM_REFUSAL_TEXTS',
    '',
    texts,
    "Additional texts, separated by |, by which the gateway refuses the server's address or access.",
  ),
  act_connections: setting(
    'VODACOM_ACT_CONNECTIONS',
    '128',
    connections,
    'Maximum of connections for prompts, and of connections for payouts. Half of them may wait for late answers; one process sends over the other half.',
  ),
  ask_connections: setting('VODACOM_ASK_CONNECTIONS', '32', connections, 'Maximum of connections for queries.'),
} as const

/** The values of Vodacom's settings after validation. */
export type VodacomSettings = SettingValues<typeof settings>

/** Returns no problems, because no two valid settings contradict each other. `create` checks each value. */
export function problems(): string[] {
  return []
}

/**
 * If prompts go over Vodacom and no configured state means a failed payment, returns a warning. Prompts without an answer would
 * stay open until COLLECTION_DEADLINE_H.
 */
export function warnings({ failed_states }: VodacomSettings, { is_prompting }: { is_prompting: boolean }): string[] {
  if (!is_prompting || failed_states.size > 0) return []
  return [
    `VODACOM_FAILED_STATES is empty: a failed payment stays processing until COLLECTION_DEADLINE_H, unless the gateway answers its prompt. Set VODACOM_FAILED_STATES, VODACOM_PENDING_STATES and VODACOM_FAILED_PAYOUT_STATES to the states that your application's queries return`,
  ]
}
