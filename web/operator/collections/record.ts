// A held collection, and what its decision would move.

import type { Calls } from '../../ui/api-types.ts'

/** A collection that is or was held. */
export type CollectionRow = Calls['GET /v1/operator/collections']['data']['items'][number]

/** Money in another currency whose worth in shillings no operator has stated. Null: there is none. */
export function unvaluedOf({ amount_received, foreign_amount, foreign_currency }: CollectionRow) {
  if (amount_received !== null || foreign_amount === null || foreign_currency === null) return null
  return { amount: foreign_amount, currency: foreign_currency }
}

const cents = (amount: number) => Math.round(amount * 100)

/** What was received, and what of it the merchant gets: our fee is only taken where something is left. */
export function amountsOf({ amount, amount_received, fee }: CollectionRow): {
  received: number
  fee: number
  credited: number
} {
  const received = amount_received ?? amount
  const taken = cents(fee) < cents(received) ? fee : 0
  return { received, fee: taken, credited: (cents(received) - cents(taken)) / 100 }
}

/**
 * Why it is held: another amount came than was asked for, or the provider keeps it back. Else what was
 * said when it came here.
 */
export function whyOf({
  amount,
  amount_received,
  history,
  foreign_currency,
}: CollectionRow): { kind: 'amount' | 'currency' | 'review' } | { text: string } | null {
  const said = history.findLast(({ to_status }) => to_status === 'pending_clearance')?.reason ?? null
  if (foreign_currency !== null) return { kind: 'currency' }
  if (amount_received !== null && amount_received !== amount) return { kind: 'amount' }
  if (said?.startsWith('held ')) return { kind: 'review' }
  return said === null ? null : { text: said }
}
