// A held collection, and what its decision would move.

import type { Calls } from '../../ui/api-types.ts'

/** A collection that is or was held. */
export type Held = Calls['GET /v1/operator/collections']['data']['items'][number]

const cents = (amount: number) => Math.round(amount * 100)

/** What was received, and what of it the merchant gets: our fee is only taken where something is left. */
export function amountsOf({ amount, amount_received, fee }: Held): { received: number; fee: number; credited: number } {
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
}: Held): { kind: 'amount' | 'review' } | { text: string } | null {
  const said = history.findLast(({ to_status }) => to_status === 'pending_clearance')?.reason ?? null
  if (amount_received !== null && amount_received !== amount) return { kind: 'amount' }
  if (said?.startsWith('held ')) return { kind: 'review' }
  return said === null ? null : { text: said }
}
