// Computes the amounts that a decision about a held collection moves.

import type { Calls } from '../../ui/api-types.ts'

/** A collection in a list of operators. */
export type CollectionRow = Calls['GET /v1/operator/collections']['data']['items'][number]

/**
 * Returns received money in another currency whose value in shillings no operator has stated yet. Null means that the
 * collection has no such money.
 */
export function unvaluedAmount({ amount_received, foreign_amount, foreign_currency }: CollectionRow) {
  if (amount_received !== null || foreign_amount === null || foreign_currency === null) return null
  return { amount: foreign_amount, currency: foreign_currency }
}

const toCents = (amount: number) => Math.round(amount * 100)

/**
 * Returns the received amount and the amount that the merchant gets. If the fee uses up the amount, the platform charges no
 * fee.
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
 * Returns the reason of the hold: another amount, another currency, or a review by the provider. For any other reason, returns
 * the recorded text.
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
