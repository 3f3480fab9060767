// Defines the settings of Selcom's gateway.

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

/** The settings of Selcom, each with its variable, default value and check. */
export const settings = {
  url: setting(
    'SELCOM_URL',
    '',
    gateway(/\/v\d+$/, 'the version, as in https://.../v1'),
    "Selcom's gateway with its version: https://.../v1. Empty: not used.",
    { gateway: true, required: true },
  ),
  api_key: setting('SELCOM_API_KEY', '', optional(word), 'The API key that Selcom gave you.', {
    required: true,
    secret: true,
  }),
  api_secret: setting('SELCOM_API_SECRET', '', optional(word), 'The API secret that Selcom gave you.', {
    required: true,
    secret: true,
  }),
  vendor: setting('SELCOM_VENDOR', '', optional(word), 'The till that takes the money.', { required: true }),
  float_vendor: setting(
    'SELCOM_FLOAT_VENDOR',
    '',
    optional(word),
    'The prepaid account that pays payouts. Empty: the server pays out nothing over Selcom.',
  ),
  pin: setting('SELCOM_PIN', '', optional(word), 'The PIN of SELCOM_FLOAT_VENDOR.', { secret: true }),
  buyer_name: setting('SELCOM_BUYER_NAME', 'Customer', text, 'The name of the buyer in orders at Selcom.'),
  buyer_email: setting(
    'SELCOM_BUYER_EMAIL',
    '',
    optional(email),
    'The e-mail address of the buyer in orders at Selcom.',
    {
      required: true,
    },
  ),
  buyer_phone: setting(
    'SELCOM_BUYER_PHONE',
    '',
    mobileNumber,
    "If the payer's phone is not known, the buyer's phone in orders at Selcom.",
    {
      required: true,
    },
  ),
  sender_account: setting('SELCOM_SENDER_ACCOUNT', '', optional(word), 'The account of the sender of bank payouts.'),
  sender_name: setting('SELCOM_SENDER_NAME', '', text, 'The name of the sender of bank payouts.'),
  sender_phone: setting('SELCOM_SENDER_PHONE', '', mobileNumber, 'The phone of the sender of bank payouts.'),
  sender_purpose: setting('SELCOM_SENDER_PURPOSE', 'BUSINESS', text, 'The purpose that bank payouts state.'),
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
    'Undocumented result codes of a certainly failed payout, which moved no money. Ask Selcom. Empty: none.',
  ),
  refusal_texts: setting(
    'SELCOM_REFUSAL_TEXTS',
    '',
    texts,
    "Additional texts, separated by |, by which the gateway refuses the server's address or access.",
  ),
  pesa_code: setting(
    'SELCOM_PESA_CODE',
    'false',
    flag,
    "true: payouts to the provider's own wallet contain its product code.",
  ),
  payout_ask_again_s: setting(
    'SELCOM_PAYOUT_ASK_AGAIN_S',
    '180',
    seconds,
    'Seconds before the server queries a payout in progress.',
  ),
  callback_window_s: setting(
    'SELCOM_CALLBACK_WINDOW_S',
    '900',
    seconds,
    "Greatest difference in seconds between a callback's time and the server's.",
  ),
  connections: setting(
    'SELCOM_CONNECTIONS',
    '128',
    connections,
    'Maximum of connections for prompts, and of payments that one process sends at the same time. Codes, payouts and queries have as many each.',
  ),
} as const

/** The values of Selcom's settings after validation. */
export type SelcomSettings = SettingValues<typeof settings>

/** The settings that payouts require together. */
const PAYOUT_SETTINGS = ['float_vendor', 'pin', 'sender_account', 'sender_name', 'sender_phone'] as const

/**
 * If SELCOM_FLOAT_VENDOR has a value, lists the empty settings of payouts. If only SELCOM_PIN has a value, lists
 * SELCOM_FLOAT_VENDOR.
 */
export function problems(values: SelcomSettings): string[] {
  if (values.float_vendor !== '')
    return missingSettings(settings, values, PAYOUT_SETTINGS, 'SELCOM_FLOAT_VENDOR is set')
  return values.pin === '' ? [] : missingSettings(settings, values, ['float_vendor'], 'SELCOM_PIN is set')
}
