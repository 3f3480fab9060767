// Defines the settings that limit payouts, and the confirmation of new destinations.

import { amount, oneWord, setting } from './setting.ts'

const optionalAmount = (value: string): bigint | null => (value === '' ? null : amount(value))

/** The settings of payouts. Amounts are in cents, and null means that there is no limit. */
export const limitSettings = {
  payout_daily_limit: setting(
    'PAYOUT_DAILY_LIMIT',
    '',
    optionalAmount,
    'Largest sum of payouts that operators may approve for one merchant on a day in Tanzania, in shillings. An operator can set another limit for a merchant. Empty: no limit.',
  ),
  payout_daily_limit_per_destination: setting(
    'PAYOUT_DAILY_LIMIT_PER_DESTINATION',
    '',
    optionalAmount,
    'The same for the payouts of one merchant to one phone or account. Empty: no limit.',
  ),
  new_destination: setting(
    'NEW_DESTINATION',
    'warn',
    oneWord('warn', 'confirm'),
    "The first payout of a merchant to a destination. warn: operators read a warning. confirm: the server also refuses an approval without confirm_new_destination.",
  ),
} as const
