// Defines the warnings about a withdrawal that waits for an approval. The case, the list and the dry run show the same warnings.

import type { ExceededLimits, Withdrawal } from '../../money/withdrawals/index.ts'
import type { DecisionWarning, OperatorWithdrawal } from './withdrawals-schema.ts'

/** The facts that decide the warnings, with amounts in cents. */
export type WarningFacts = Pick<Withdrawal, 'environment' | 'amount_minor' | 'total_reserved_minor'> &
  Pick<OperatorWithdrawal, 'merchant_status' | 'merchant_verified'> & {
    available_minor: bigint
    /** Null means that the merchant has no paid withdrawal. */
    largest_paid_minor: bigint | null
    new_destination: boolean
    /** True means that another merchant has paid the destination. */
    paid_by_others: boolean
    /** True means that one of up to three withdrawals before this one was rejected or failed. */
    recent_failure: boolean
    /** True means a burst of income before or after the request that the older balance does not replace. */
    income_burst: boolean
  }

/** From this share of the available balance on, in percent, a withdrawal has a warning. */
const LARGE_PERCENT = 80n
/** From this multiple of the largest earlier payout on, a withdrawal has a warning. */
const LARGE_TIMES = 5n

/** Returns the warnings about a withdrawal, the most severe first. `exceeded` has the limits that an approval would exceed. */
export function warningsOf(facts: WarningFacts, exceeded: ExceededLimits): DecisionWarning[] {
  const { environment, amount_minor, total_reserved_minor, available_minor, largest_paid_minor } = facts
  const is_live = environment === 'live'
  const checks: readonly (readonly [boolean, DecisionWarning])[] = [
    [is_live && facts.merchant_status !== 'ACTIVE', 'merchant_not_active'],
    [is_live && !facts.merchant_verified, 'merchant_not_verified'],
    [total_reserved_minor > available_minor, 'balance_too_low'],
    [exceeded.daily !== null, 'daily_limit'],
    [exceeded.destination !== null, 'destination_limit'],
    [facts.income_burst, 'income_burst'],
    [total_reserved_minor * 100n >= available_minor * LARGE_PERCENT, 'large_share'],
    [largest_paid_minor !== null && amount_minor >= largest_paid_minor * LARGE_TIMES, 'large_multiple'],
    [facts.paid_by_others, 'shared_destination'],
    [facts.new_destination, 'new_destination'],
    [facts.recent_failure, 'recent_failure'],
  ]
  return checks.filter(([applies]) => applies).map(([, warning]) => warning)
}
