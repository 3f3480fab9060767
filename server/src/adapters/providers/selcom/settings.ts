// The settings of Selcom's gateway.

import {
  codes,
  connections,
  email,
  flag,
  gateway,
  missingSettings,
  mobileNumber,
  number,
  optional,
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
    'SELCOM_URL',
    '',
    gateway(/\/v\d+$/, 'the version, as in https://.../v1'),
    "Selcom's gateway with its version: https://.../v1. Empty: not used.",
    { gateway: true, required: true },
  ),
  api_key: setting('SELCOM_API_KEY', '', optional(word), 'Its API key.', { required: true, secret: true }),
  api_secret: setting('SELCOM_API_SECRET', '', optional(word), 'Its API secret.', { required: true, secret: true }),
  vendor: setting('SELCOM_VENDOR', '', optional(word), 'The till that takes the money.', { required: true }),
  float_vendor: setting(
    'SELCOM_FLOAT_VENDOR',
    '',
    optional(word),
    'The prepaid account that payouts are paid from. Empty: nothing is paid out over Selcom.',
  ),
  pin: setting('SELCOM_PIN', '', optional(word), 'The PIN of SELCOM_FLOAT_VENDOR.', { secret: true }),
  buyer_name: setting('SELCOM_BUYER_NAME', 'Customer', text, 'Whom orders at Selcom name as buyer.'),
  buyer_email: setting('SELCOM_BUYER_EMAIL', '', optional(email), 'The e-mail address of that buyer.', {
    required: true,
  }),
  buyer_phone: setting('SELCOM_BUYER_PHONE', '', mobileNumber, "The buyer's phone when the payer's is not known.", {
    required: true,
  }),
  sender_account: setting('SELCOM_SENDER_ACCOUNT', '', optional(word), 'Who sends bank payouts: the account.'),
  sender_name: setting('SELCOM_SENDER_NAME', '', text, 'Who sends bank payouts: the name.'),
  sender_phone: setting('SELCOM_SENDER_PHONE', '', mobileNumber, 'Who sends bank payouts: the phone.'),
  sender_purpose: setting('SELCOM_SENDER_PURPOSE', 'BUSINESS', text, 'What bank payouts are for.'),
  push_expiry_min: setting(
    'SELCOM_PUSH_EXPIRY_MIN',
    '',
    (value) => (value === '' ? null : number(1, 10_080)(value)),
    "Minutes after which an unpaid prompt's order ends. Empty: shortly before COLLECTION_DEADLINE_H, as the orders of codes do.",
  ),
  order_unknown_codes: setting(
    'SELCOM_ORDER_UNKNOWN_CODES',
    '',
    codes(/^[0-9A-Za-z]{1,8}$/, '651'),
    'Result codes of the order query, separated by commas, that mean "there is no such order". Ask Selcom. Empty: none.',
  ),
  failed_payout_codes: setting(
    'SELCOM_FAILED_PAYOUT_CODES',
    '',
    words,
    'Result codes beyond the documented ones by which a payout failed for certain, and no money left. Ask Selcom. Empty: none.',
  ),
  refusal_texts: setting(
    'SELCOM_REFUSAL_TEXTS',
    '',
    texts,
    'More texts, separated by |, by which the gateway says that our address or access is refused.',
  ),
  pesa_code: setting('SELCOM_PESA_CODE', 'false', flag, "Payouts to the provider's own wallet carry its product code."),
  payout_ask_again_s: setting(
    'SELCOM_PAYOUT_ASK_AGAIN_S',
    '180',
    seconds,
    'Seconds before a payout in progress is asked about.',
  ),
  callback_window_s: setting(
    'SELCOM_CALLBACK_WINDOW_S',
    '900',
    seconds,
    "Seconds by which a callback's time may be off.",
  ),
  connections: setting(
    'SELCOM_CONNECTIONS',
    '128',
    connections,
    'Most connections for prompts, and payments that one process sends at once; as many each for codes, payouts, questions.',
  ),
} as const

/** The checked settings. */
export type SelcomSettings = SettingValues<typeof settings>

/** Payouts need all of these settings, or none. */
const PAYOUT_SETTINGS = ['float_vendor', 'pin', 'sender_account', 'sender_name', 'sender_phone'] as const

/** Lists the missing settings of payouts. */
export function problems(values: SelcomSettings): string[] {
  if (values.float_vendor !== '')
    return missingSettings(settings, values, PAYOUT_SETTINGS, 'SELCOM_FLOAT_VENDOR is set')
  return values.pin === '' ? [] : missingSettings(settings, values, ['float_vendor'], 'SELCOM_PIN is set')
}
