// What a line is about: the payment or payout behind our reference, or else what the provider calls it.

import { parseReference } from '../collections/index.ts'
import { parsePayoutReference } from '../withdrawals/index.ts'

/** Money that comes in, or goes out. */
export type Flow = 'payment' | 'payout'

/** Something of ours that a reference names. The routing code leads to its merchant. `number`: the attempt of a payment. */
export type Named = { flow: Flow; routing_code: number; id: string; number: number | null }

/** What is ours behind a reference, as far as its form tells; null when it is none of ours. */
export function namedBy(reference: string | null): Named | null {
  if (reference === null) return null
  const payment = parseReference(reference)
  if (payment !== null) {
    const { routing_code, collection_id: id, number } = payment
    return { flow: 'payment', routing_code, id, number }
  }
  const payout = parsePayoutReference(reference)
  return payout && { flow: 'payout', routing_code: payout.routing_code, id: payout.id, number: null }
}

/** Which way money goes under a reference of ours; null for any other. */
export function flowOf(reference: string): Flow | null {
  return namedBy(reference)?.flow ?? null
}

/**
 * The subject of a line that bears no reference of ours. A reference of ours is itself the subject: of a payment, each
 * attempt is one, because each may take money.
 */
export function foreignSubject(line: { reference: string | null; provider_id: string | null }): string {
  return line.provider_id === null ? `ref:${line.reference}` : `id:${line.provider_id}`
}
