// Computes the charges of a withdrawal from the merchant's price list, for quotes and for submissions.

import {
  type Charges,
  chargesOf,
  chooseRule,
  NO_CHARGES,
  type RuleInForce,
  rulesInForce,
} from '../../access/merchants/index.ts'
import type { Reader } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import type { NewWithdrawal } from './check.ts'

/**
 * The charges in cents and the pricing rule that determines them. Null in `pricing_rule_id` means that no rule applies, so the
 * charges are zero.
 */
export type WithdrawalPrice = Charges & {
  total_reserved_minor: bigint
  pricing_rule_id: string | null
  pricing_rule_label: string | null
}

/** The fields that determine the price of a withdrawal. */
type PricedWithdrawal = Pick<NewWithdrawal, 'method' | 'destination_code' | 'amount_minor'> & {
  environment: Environment
}

/**
 * Returns the price by the given pricing rules. If no rule applies, the price in the sandbox is zero, and the server refuses
 * live money with withdrawal_restricted. So a merchant pays only prices that the merchant has agreed to.
 */
export function withdrawalPrice(
  rules: readonly RuleInForce[],
  { environment, method, destination_code, amount_minor }: PricedWithdrawal,
): WithdrawalPrice {
  const rule = chooseRule(rules, { flow: 'withdrawal', method, destination_code })
  if (rule === null && environment === 'live') refuse('withdrawal_restricted', { message: NO_PRICE })
  const charges = rule === null ? NO_CHARGES : chargesOf(rule, amount_minor)
  return {
    ...charges,
    total_reserved_minor: amount_minor + charges.total_charges_minor,
    pricing_rule_id: rule?.id ?? null,
    pricing_rule_label: rule?.label ?? null,
  }
}

const NO_PRICE = 'No fee is set for withdrawals of this method to this destination. Ask the platform to set the fee.'

/** Returns the current price. A later submission computes the price again, so this price is not binding. */
export async function quoteWithdrawal(reader: Reader, input: NewWithdrawal): Promise<WithdrawalPrice> {
  return withdrawalPrice(await rulesInForce(reader, input.merchant_id), input)
}
