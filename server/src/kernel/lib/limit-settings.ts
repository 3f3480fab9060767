// Defines the settings that limit payouts, prompts and messages, and the confirmation of new destinations.

import { amount, number, oneWord, setting } from './setting.ts'

const amountOrNone = (value: string): bigint | null => (value === '' ? null : amount(value))

const countOrDefault = (value: string): number | null => (value === '' ? null : number(0, 1_000_000)(value))

/**
 * The settings that limit payouts, prompts and messages. Amounts are in cents, and a null amount means that there is no limit.
 * `setCountLimits` replaces a null count.
 */
export const limitSettings = {
  payout_daily_limit: setting(
    'PAYOUT_DAILY_LIMIT',
    '',
    amountOrNone,
    'Largest sum of payouts that operators may approve for one merchant on a day in Tanzania, in shillings. An operator can set another limit for a merchant. Empty: no limit.',
  ),
  payout_daily_limit_per_destination: setting(
    'PAYOUT_DAILY_LIMIT_PER_DESTINATION',
    '',
    amountOrNone,
    'Largest sum of payouts that operators may approve for one merchant to one phone or account on a day in Tanzania, in shillings. Empty: no limit.',
  ),
  prompts_per_phone_hour: setting(
    'PROMPTS_PER_PHONE_HOUR',
    '',
    countOrDefault,
    'Live prompts to one phone in an hour that its owner does not approve, over all merchants, keys and pages. 0: no limit. Empty: 10, or no limit with the mock provider.',
  ),
  prompts_per_phone_day: setting(
    'PROMPTS_PER_PHONE_DAY',
    '',
    countOrDefault,
    'Live prompts to one phone in 24 hours that its owner does not approve, over all merchants, keys and pages. 0: no limit. Empty: 30, or no limit with the mock provider.',
  ),
  messages_per_recipient_day: setting(
    'MESSAGES_PER_RECIPIENT_DAY',
    '',
    countOrDefault,
    'SMS, or e-mails, of all merchants to one phone or address in 24 hours. E-mails for sign-in and security do not count. 0: no limit. Empty: 10, or no limit with the mock provider.',
  ),
  new_destination: setting(
    'NEW_DESTINATION',
    'warn',
    oneWord('warn', 'confirm'),
    'The first payout of a merchant to a destination. warn: operators read a warning. confirm: the server also refuses an approval without confirm_new_destination.',
  ),
} as const

const PROMPTS_HOUR = 10
const PROMPTS_DAY = 30
const MESSAGES_DAY = 10

type CountLimits = Record<
  'prompts_per_phone_hour' | 'prompts_per_phone_day' | 'messages_per_recipient_day',
  number | null
>

/**
 * Replaces the empty limits of prompts and messages by their defaults. If the server simulates live payments, the default is 0,
 * which means no limit.
 */
export function setCountLimits(config: CountLimits, is_simulated: boolean): void {
  config.prompts_per_phone_hour ??= is_simulated ? 0 : PROMPTS_HOUR
  config.prompts_per_phone_day ??= is_simulated ? 0 : PROMPTS_DAY
  config.messages_per_recipient_day ??= is_simulated ? 0 : MESSAGES_DAY
}
