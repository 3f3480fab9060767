// Converts cents to shillings for providers that move whole shillings only.

import { CURRENCY } from '../../kernel/lib/index.ts'

/** Converts cents to whole shillings. If the amount has cents, another currency or too many digits, returns null. */
export function shillingsOf(amount_minor: bigint, currency: string): number | null {
  const shillings = Number(amount_minor / 100n)
  const is_whole = amount_minor > 0n && amount_minor % 100n === 0n && Number.isSafeInteger(shillings)
  return is_whole && currency === CURRENCY ? shillings : null
}
