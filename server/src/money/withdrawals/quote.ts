// What a withdrawal costs: the one place where a price list becomes charges, for a question as for a submission.

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

/** Charges in cents, and the line of the price list that they follow. Null: nothing is charged. */
export type Price = Charges & {
  total_reserved_minor: bigint
  pricing_rule_id: string | null
  pricing_rule_label: string | null
}

/** What is priced. */
type Priced = Pick<NewWithdrawal, 'method' | 'destination_code' | 'amount_minor'> & { environment: Environment }

/**
 * The price by these lines. Where none applies, the sandbox is free, and live money is refused with
 * withdrawal_restricted: nothing leaves at a price that nobody agreed to.
 */
export function priceOf(
  rules: readonly RuleInForce[],
  { environment, method, destination_code, amount_minor }: Priced,
): Price {
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

const NO_PRICE = 'No price is agreed for withdrawals of this method to this destination. Ask the platform for one.'

/** What it would cost now. Reserves nothing and promises nothing: a submission is priced anew. */
export async function quoteWithdrawal(reader: Reader, input: NewWithdrawal): Promise<Price> {
  return priceOf(await rulesInForce(reader, input.merchant_id), input)
}
