// Calculates the fee of a payment by the merchant's current price list. The payment keeps this fee.

import { chargesOf, chooseRule, type Rule, rulesForAll } from '../../access/merchants/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { formatAmount, Refusal } from '../../kernel/lib/index.ts'
import type { NewCollection } from './check.ts'

/** The facts about a payment that determine its fee. `step_minor` is the smallest unit that the provider moves, in cents. */
export type PaymentToPrice = {
  collection: Pick<NewCollection, 'merchant_id' | 'method' | 'amount_minor'>
  step_minor: bigint
}

/**
 * Returns the fees of a batch of payments in cents, in the order of `items`. If no rule of the price list applies, the fee is
 * 0. If a fee is not less than its payment, the result is a refusal, which names the smallest valid amount if there is one.
 * Every batch reads the price lists again.
 */
export async function feesOf(deps: Deps, items: readonly PaymentToPrice[]): Promise<(bigint | Refusal)[]> {
  const merchants = new Set(items.map(({ collection }) => collection.merchant_id))
  const lists = await rulesForAll(deps.db, 'collection', [...merchants])
  return items.map(({ collection, step_minor }) => {
    const { merchant_id, method, amount_minor } = collection
    const rule = chooseRule(lists.get(merchant_id) ?? [], { flow: 'collection', method, destination_code: null })
    if (rule === null) return 0n
    const fee_minor = chargesOf(rule, amount_minor).total_charges_minor
    return fee_minor < amount_minor ? fee_minor : refuseTooSmall(deps, rule, step_minor)
  })
}

function refuseTooSmall(deps: Deps, rule: Rule, step_minor: bigint): Refusal {
  const { collection_min, collection_max } = deps.config
  const smallest_minor = smallestAbove(rule, { from: collection_min, to: collection_max, step: step_minor })
  if (smallest_minor === null) {
    const message = 'The fee of this payment method is never less than the amount. Ask the platform about your fees.'
    return new Refusal('amount_not_supported', { message })
  }
  const limits = { minimum: formatAmount(smallest_minor), maximum: formatAmount(collection_max) }
  const message = `The fee is not less than the amount. Request at least ${limits.minimum} shillings.`
  return new Refusal('amount_not_supported', { message, details: limits })
}

/**
 * Returns the smallest multiple of `step` within the limits that is more than its fee. Null means that no such amount exists. A
 * larger amount never leaves less after the fee, because no percentage is above 100. A binary search thus finds the amount.
 */
function smallestAbove(rule: Rule, limits: { from: bigint; to: bigint; step: bigint }): bigint | null {
  const { from, to, step } = limits
  const leavesSomething = (steps: bigint) => chargesOf(rule, steps * step).total_charges_minor < steps * step
  let low = (from + step - 1n) / step
  let high = to / step
  if (low > high || !leavesSomething(high)) return null
  while (low < high) {
    const middle = (low + high) / 2n
    if (leavesSomething(middle)) high = middle
    else low = middle + 1n
  }
  return high * step
}
