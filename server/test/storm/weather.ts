// What goes wrong in a storm, and how often: everything that the provider's twin knows to do wrong, at once.

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

/** The share of calls, of callbacks, and of payers and receivers with whom something is wrong. */
export const FAULT_SHARE = 0.2

/** Payers who behave as most do, and what a network says of a payer who has no money. Nothing is wrong with them. */
const GOOD_PAYERS: readonly PayerFateName[] = ['pays', 'pays_slowly', 'cancels', 'wrong_pin', 'low_balance', 'declined']
const GOOD_PAYEES: readonly PayeeFateName[] = ['pays', 'pending_pays', 'pending_fails', 'declined', 'over_limit']
/** Of those who behave well, one in so many does something else than to pay at once, for each way of it. */
const OTHERWISE_SHARE = 0.03

/**
 * The provider's last word denies one that it gave as final before. Nobody can be told by the answers alone: what is left of
 * these after the callbacks and the questions is found by the provider's statement, and nothing else may be.
 */
export const PAYERS_THAT_LIE: readonly PayerFateName[] = ['fails_then_pays', 'returned', 'fail_pays']
/** The same of payouts. */
export const PAYEES_THAT_LIE: readonly PayeeFateName[] = ['returned', 'success_unpaid', 'fail_paid']

/** Chances of a storm: each kind of fault equally often. */
export function stormRates(seed: number): Rates {
  const wire = evenly(Object.keys(WIRE_FAULTS), FAULT_SHARE)
  // A prompt takes both: together they fail as often as everything else.
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
 * How the twin behaves beside that. Whatever is asked for twice it does twice, so that its book shows who asked: a prompt, or
 * a payout. It says for certain that there is no such order, and never that there is no such payout.
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
