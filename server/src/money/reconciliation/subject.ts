// Finds the subject of a statement line: our payment or payout, or else the reference or id of the provider.

import { parseReference } from '../collections/index.ts'
import { parsePayoutReference } from '../withdrawals/index.ts'

/** The direction of the money: a payment brings money in, and a payout sends money out. */
export type MoneyFlow = 'payment' | 'payout'

/** The parts of one of our references. The routing code identifies the merchant, and `number` is the attempt of a payment. */
export type OwnReference = { flow: MoneyFlow; routing_code: number; id: string; number: number | null }

/** Parses one of our references. Null means that the text does not have the form of our references. */
export function parseOwnReference(reference: string | null): OwnReference | null {
  if (reference === null) return null
  const payment = parseReference(reference)
  if (payment !== null) {
    const { routing_code, collection_id: id, number } = payment
    return { flow: 'payment', routing_code, id, number }
  }
  const payout = parsePayoutReference(reference)
  return payout && { flow: 'payout', routing_code: payout.routing_code, id: payout.id, number: null }
}

/** Returns the direction of the money of one of our references. Null means that the text is not one of our references. */
export function flowOf(reference: string): MoneyFlow | null {
  return parseOwnReference(reference)?.flow ?? null
}

/**
 * Returns the subject of a line without one of our references: the provider's id, or else the reference in the line.
 */
export function foreignSubject(line: { reference: string | null; provider_id: string | null }): string {
  return line.provider_id === null ? `ref:${line.reference}` : `id:${line.provider_id}`
}
