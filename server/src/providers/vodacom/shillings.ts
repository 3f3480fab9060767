// Amounts on the wire: whole shillings, as text.

import { CURRENCY } from '../../lib/index.ts'

/** An amount as the gateway takes it, or null when it cannot. */
export function shillingsOf(amount_minor: bigint, currency: string): string | null {
  const is_whole = amount_minor > 0n && amount_minor % 100n === 0n
  return is_whole && currency === CURRENCY ? String(amount_minor / 100n) : null
}
