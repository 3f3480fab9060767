// Chooses the price rule that applies to a payment.

/**
 * The payments to which a price rule applies. Null in `method` means every method, and null in `destination_code` means every
 * destination.
 */
export type RuleScope = { flow: Flow; method: string | null; destination_code: string | null }

/** All flows with prices: payouts and payments. */
export const FLOWS = ['withdrawal', 'collection'] as const
/** One flow with prices. */
export type Flow = (typeof FLOWS)[number]

/** The payment methods of each flow. */
export const FLOW_METHODS: Record<Flow, readonly string[]> = {
  withdrawal: ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'],
  collection: ['wallet_push', 'provider_pesa', 'qr'],
}

/**
 * Returns the most specific rule that applies to a payment. Null means that no rule applies. A rule for a destination is more
 * specific than a rule for a method. No two rules of a price list have the same scope, so that only one rule is the most specific.
 */
export function chooseRule<Rule extends RuleScope>(
  rules: readonly Rule[],
  payment: { flow: Flow; method: string; destination_code: string | null },
): Rule | null {
  let best: Rule | null = null
  for (const rule of rules) {
    if (rule.flow !== payment.flow) continue
    if (rule.method !== null && rule.method !== payment.method) continue
    if (rule.destination_code !== null && rule.destination_code !== payment.destination_code) continue
    if (best === null || specificityOf(rule) > specificityOf(best)) best = rule
  }
  return best
}

function specificityOf(rule: RuleScope): number {
  return (rule.destination_code === null ? 0 : 2) + (rule.method === null ? 0 : 1)
}
