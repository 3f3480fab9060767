// What a payment costs its merchant by the price list in force: the fee that is frozen with it.

import { chargesOf, chooseRule, type Rule, rulesForAll } from '../../access/merchants/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { formatAmount, Refusal } from '../../kernel/lib/index.ts'
import type { NewCollection } from './check.ts'

/** A payment that may be made, as far as its price needs it. `step_minor`: what the provider can move, in cents. */
export type Priced = {
  collection: Pick<NewCollection, 'merchant_id' | 'method' | 'amount_minor'>
  step_minor: bigint
}

/**
 * The fees of a set of payments in cents, each in its place: nothing where no line of its merchant's list counts. A payment
 * that its fee would swallow has a refusal in its place, which names the smallest amount that works. The lists are
 * read anew for every set: a new one counts from the next request on.
 */
export async function feesOf(deps: Deps, items: readonly Priced[]): Promise<(bigint | Refusal)[]> {
  const merchants = new Set(items.map(({ collection }) => collection.merchant_id))
  const lists = await rulesForAll(deps.db, 'collection', [...merchants])
  return items.map(({ collection, step_minor }) => {
    const { merchant_id, method, amount_minor } = collection
    const rule = chooseRule(lists.get(merchant_id) ?? [], { flow: 'collection', method, destination_code: null })
    if (rule === null) return 0n
    const fee_minor = chargesOf(rule, amount_minor).total_charges_minor
    return fee_minor < amount_minor ? fee_minor : swallowed(deps, rule, step_minor)
  })
}

function swallowed(deps: Deps, rule: Rule, step_minor: bigint): Refusal {
  const { collection_min, collection_max } = deps.config
  const smallest_minor = smallestAbove(rule, { from: collection_min, to: collection_max, step: step_minor })
  if (smallest_minor === null) {
    const message = 'The fee of this way to pay takes every amount whole. Ask the platform about your prices.'
    return new Refusal('amount_not_supported', { message })
  }
  const limits = { minimum: formatAmount(smallest_minor), maximum: formatAmount(collection_max) }
  const message = `The fee takes the whole amount. The smallest that leaves something is ${limits.minimum} shillings.`
  return new Refusal('amount_not_supported', { message, details: limits })
}

/**
 * The smallest amount within the limits, a multiple of `step`, that is more than its fee; null when there is none. What a
 * fee leaves never shrinks as the amount grows, because no percentage is above 100: so it is found by halving.
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
