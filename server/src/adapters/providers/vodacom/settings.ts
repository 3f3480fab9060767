// The settings of Vodacom's M-Pesa OpenAPI.

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

/** The table of settings. */
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
    "The market's public key as the portal shows it: base64, or PEM. Sandbox and production have different ones.",
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
    'In the address you register for callbacks: BASE_URL/callbacks/vodacom?secret=... At least 16 of A-Za-z0-9_-. Empty: no callback is let in.',
    { secret: true },
  ),
  payment_text: setting('VODACOM_PAYMENT_TEXT', 'Payment', text, 'What payers read about a payment.'),
  payout_text: setting('VODACOM_PAYOUT_TEXT', 'Payout', text, 'What receivers read about a payout.'),
  session_life_s: setting(
    'VODACOM_SESSION_LIFE_S',
    '600',
    seconds,
    "Seconds for which a session is used: no longer than the application's session lifetime in the portal.",
  ),
  session_settle_s: setting(
    'VODACOM_SESSION_SETTLE_S',
    '30',
    seconds,
    'Seconds for which a new session may be refused.',
  ),
  late_s: setting(
    'VODACOM_LATE_S',
    '75',
    seconds,
    'Seconds for which the answer to a prompt is waited for, while the payer decides.',
  ),
  paid_states: setting(
    'VODACOM_PAID_STATES',
    'Completed',
    words,
    'Words of a query, separated by commas, that mean: paid.',
  ),
  pending_states: setting('VODACOM_PENDING_STATES', '', words, 'Words of a query that mean: under way.'),
  failed_states: setting(
    'VODACOM_FAILED_STATES',
    '',
    pairs,
    'Words of a query that mean: this payment failed, each with its reason, such as Cancelled=user_cancelled. Empty: such a payment stays processing until COLLECTION_DEADLINE_H.',
  ),
  failed_payout_states: setting(
    'VODACOM_FAILED_PAYOUT_STATES',
    '',
    words,
    'Words of a query that mean: this payout failed, and no money left. Empty: such a payout is left to operators.',
  ),
  payment_failures: setting(
    'VODACOM_PAYMENT_FAILURES',
    '',
    pairs,
    'Codes beyond the documented ones by which a payment failed for certain, each with its reason.',
  ),
  not_found_codes: setting(
    'VODACOM_NOT_FOUND_CODES',
    '',
    codes(/^INS-\d{1,5}$/, 'INS-23'),
    'Codes by which a query says for certain that there is no such payment, and will be none. Empty: none.',
  ),
  session_texts: setting(
    'VODACOM_SESSION_TEXTS',
    '',
    texts,
    'More texts, separated by |, by which the gateway refuses a session.',
  ),
  refusal_texts: setting(
    'VODACOM_REFUSAL_TEXTS',
    '',
    texts,
    'More texts, separated by |, by which the gateway says that our address or access is refused.',
  ),
  act_connections: setting(
    'VODACOM_ACT_CONNECTIONS',
    '128',
    connections,
    'Most connections for prompts, and as many for payouts. Half of them may wait for late answers: the others are what one process sends at once.',
  ),
  ask_connections: setting('VODACOM_ASK_CONNECTIONS', '32', connections, 'Most connections for questions.'),
} as const

/** The checked settings. */
export type VodacomSettings = SettingValues<typeof settings>

/** No valid settings contradict each other. `create` checks single values. */
export function problems(): string[] {
  return []
}

/** Warns if no state fails a payment, because prompts without an answer then stay open for days. */
export function warnings({ failed_states }: VodacomSettings, { is_prompting }: { is_prompting: boolean }): string[] {
  if (!is_prompting || failed_states.size > 0) return []
  return [
    `VODACOM_FAILED_STATES is empty: a failed payment stays processing until COLLECTION_DEADLINE_H, unless its prompt was answered. Set VODACOM_FAILED_STATES, VODACOM_PENDING_STATES and VODACOM_FAILED_PAYOUT_STATES to the states that your application's queries return`,
  ]
}
