// Chooses the price rule that applies to a payment or payout.

/**
 * The payments or payouts to which a price rule applies. Null as `method` means every method, and null as `destination_code` means every
 * destination.
 */
export type RuleScope = { flow: Flow; method: string | null; destination_code: string | null }

/** The flows with prices: `withdrawal` for payouts, and `collection` for payments. */
export const FLOWS = ['withdrawal', 'collection'] as const
/** The name of a flow: `withdrawal` (payouts) or `collection` (payments). */
export type Flow = (typeof FLOWS)[number]

/** The methods of each flow to which a rule can apply. */
export const FLOW_METHODS: Record<Flow, readonly string[]> = {
  withdrawal: ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'],
  collection: ['wallet_push', 'provider_pesa', 'qr'],
}

/**
 * Returns the most specific rule for a payment or payout. Null means that no rule applies. A rule with a destination is more specific
 * than a rule with a method. All rules of a list have different scopes, so only one rule is the most specific.
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
