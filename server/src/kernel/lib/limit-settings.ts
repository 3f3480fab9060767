// Defines the settings that limit payouts and prompts, and the confirmation of new destinations.

import { amount, number, oneWord, setting } from './setting.ts'

const optionalAmount = (value: string): bigint | null => (value === '' ? null : amount(value))

const optionalCount = (value: string): number | null => (value === '' ? null : number(0, 1_000_000)(value))

/** The settings of payouts and prompts. Amounts are in cents, and a null amount means that there is no limit. */
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
  prompts_per_phone_hour: setting(
    'PROMPTS_PER_PHONE_HOUR',
    '',
    optionalCount,
    'Live prompts to one phone in an hour that its owner does not approve, over all merchants, keys and pages. 0: no limit. Empty: 10, or no limit with the mock provider.',
  ),
  prompts_per_phone_day: setting(
    'PROMPTS_PER_PHONE_DAY',
    '',
    optionalCount,
    'The same in 24 hours. 0: no limit. Empty: 30, or no limit with the mock provider.',
  ),
  new_destination: setting(
    'NEW_DESTINATION',
    'warn',
    oneWord('warn', 'confirm'),
    "The first payout of a merchant to a destination. warn: operators read a warning. confirm: the server also refuses an approval without confirm_new_destination.",
  ),
} as const

const PROMPTS_HOUR = 10
const PROMPTS_DAY = 30

/** Replaces the empty settings of prompts. If live payments are simulated, there is no limit by default. */
export function setPromptLimits(
  config: { prompts_per_phone_hour: number | null; prompts_per_phone_day: number | null },
  is_simulated: boolean,
): void {
  config.prompts_per_phone_hour ??= is_simulated ? 0 : PROMPTS_HOUR
  config.prompts_per_phone_day ??= is_simulated ? 0 : PROMPTS_DAY
}
