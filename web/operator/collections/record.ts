// Reads a collection of the operators' console: its received amounts, its fee, and the reason for a hold.

import type { Calls } from '../../ui/api-types.ts'

/** A collection, as the API lists collections for operators. */
export type CollectionRow = Calls['GET /v1/operator/collections']['data']['items'][number]

/**
 * If no operator has stated the value of received money in another currency, returns this money. Null means that the collection
 * has no such money.
 */
export function unvaluedAmount({ amount_received, foreign_amount, foreign_currency }: CollectionRow) {
  if (amount_received !== null || foreign_amount === null || foreign_currency === null) return null
  return { amount: foreign_amount, currency: foreign_currency }
}

const toCents = (amount: number) => Math.round(amount * 100)

/**
 * Returns the received amount, our fee, and the amount that the merchant gets. If the collection has no received amount, uses
 * the requested amount. If the fee is not below the received amount, the fee is zero.
 */
export function receivedAmounts({ amount, amount_received, fee }: CollectionRow): {
  received: number
  fee: number
  credited: number
} {
  const received = amount_received ?? amount
  const taken = toCents(fee) < toCents(received) ? fee : 0
  return { received, fee: taken, credited: (toCents(received) - toCents(taken)) / 100 }
}

/**
 * Returns why the collection is held: another amount, another currency, or a review by the provider. For any other reason,
 * returns the recorded text. Null means that the history has no reason.
 */
export function holdReason({
  amount,
  amount_received,
  history,
  foreign_currency,
}: CollectionRow): { kind: 'amount' | 'currency' | 'review' } | { text: string } | null {
  const recorded = history.findLast(({ to_status }) => to_status === 'pending_clearance')?.reason ?? null
  if (foreign_currency !== null) return { kind: 'currency' }
  if (amount_received !== null && amount_received !== amount) return { kind: 'amount' }
  if (recorded?.startsWith('held ')) return { kind: 'review' }
  return recorded === null ? null : { text: recorded }
}
