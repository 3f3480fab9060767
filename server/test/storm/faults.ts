// Defines the faults of a storm and their probabilities. The provider's twin has all these faults at the same time.

import {
  CALLBACK_KINDS,
  PAYEE_FATES,
  PAYER_FATES,
  type PayeeFateName,
  type PayerFateName,
  WIRE_FAULTS,
} from '../../twins/selcom/fates.ts'
import type { Rates } from '../../twins/selcom/faults.ts'
import type { Settings } from '../../twins/selcom/index.ts'

/** The share of calls, callbacks, payers and receivers with a fault, from 0 to 1. */
export const FAULT_SHARE = 0.2

/**
 * The ordinary behaviours of payers, which are no faults. The payer pays, cancels, types a wrong PIN or has too little money,
 * or the network refuses the payment.
 */
const GOOD_PAYERS: readonly PayerFateName[] = ['pays', 'pays_slowly', 'cancels', 'wrong_pin', 'low_balance', 'declined']
const GOOD_PAYEES: readonly PayeeFateName[] = ['pays', 'pending_pays', 'pending_fails', 'declined', 'over_limit']
/** The shares of the behaviours of payers without a fault, except immediate payment. */
const OTHERWISE_SHARE = 0.03

/**
 * Behaviours in which the provider's last status contradicts an earlier final status. After callbacks and queries, only these
 * records may differ, and the provider's statement finds them.
 */
export const PAYERS_THAT_LIE: readonly PayerFateName[] = ['fails_then_pays', 'returned', 'fail_pays']
/** The fates of payouts in which the provider's last status contradicts an earlier final status. */
export const PAYEES_THAT_LIE: readonly PayeeFateName[] = ['returned', 'success_unpaid', 'fail_paid']

/** Returns the probabilities of a storm. Each kind of fault is equally likely. */
export function stormRates(seed: number): Rates {
  const wire = evenly(Object.keys(WIRE_FAULTS), FAULT_SHARE)
  // A payment request makes two calls, `create` and `push`. Each of the two has half of the share, so payments have faults as
  // often as payouts.
  const half = evenly(Object.keys(WIRE_FAULTS), FAULT_SHARE / 2)
  const payer = fates(Object.keys(PAYER_FATES), GOOD_PAYERS)
  const payee = fates(Object.keys(PAYEE_FATES), GOOD_PAYEES)
  const callback = evenly(
    Object.keys(CALLBACK_KINDS).filter((kind) => kind !== 'plain'),
    FAULT_SHARE,
  )
  return {
    seed: String(seed),
    rates: { create: half, push: half, status: wire, payout: wire, query: wire, callback, payer, payee },
  }
}

/**
 * The other settings of the twin. The twin executes a repeated request again, so that its book shows the second execution. The
 * twin correctly reports that an order does not exist, but never reports that a payout does not exist.
 */
export const STORM_SETTINGS: Partial<Settings> = {
  texts: 'mixed',
  duplicate_transid: 'execute',
  unknown_order: 'fail',
  pay_after_ms: 400,
  settle_after_ms: 400,
  callback_on: 'all',
  callback_late_ms: 3_000,
  callback_timeout_ms: 5_000,
  callback_retries: 1,
  callback_retry_pause_ms: 500,
}

function fates(all: readonly string[], good: readonly string[]): Record<string, number> {
  const [first = '', ...others] = good
  const bad = all.filter((name) => !good.includes(name))
  const shares = { ...evenly(bad, FAULT_SHARE), ...evenly(others, others.length * OTHERWISE_SHARE) }
  const rest = 1 - Object.values(shares).reduce((sum, share) => sum + share, 0)
  return { ...shares, [first]: rest }
}

function evenly(names: readonly string[], share: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, share / names.length]))
}
