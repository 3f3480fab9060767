// Which line of a price list counts.

/** What a line of a price list applies to. Null: to every method, or every destination. */
export type RuleScope = { flow: Flow; method: string | null; destination_code: string | null }

/** What is charged for: money that comes in, or money that is sent out. */
export const FLOWS = ['withdrawal', 'collection'] as const
/** What a price is for. */
export type Flow = (typeof FLOWS)[number]

/** The methods of each flow. */
export const FLOW_METHODS: Record<Flow, readonly string[]> = {
  withdrawal: ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'],
  collection: ['wallet_push', 'provider_pesa', 'qr'],
}

/**
 * The line that counts for one payment: of those that apply the most specific, where a destination says more than a
 * method, and both together most. Null when none applies. No two lines of a list say the same, so there is only one.
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
    if (best === null || weight(rule) > weight(best)) best = rule
  }
  return best
}

function weight(rule: RuleScope): number {
  return (rule.destination_code === null ? 0 : 2) + (rule.method === null ? 0 : 1)
}
