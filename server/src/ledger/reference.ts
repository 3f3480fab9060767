// The public reference of a transaction.

import { idToBase32 } from '../lib/index.ts'

/** TXN- and the transfer's id in base32: leads to the merchant and the row without a search. */
export function transactionReference(transfer_id: string): string {
  return `TXN-${idToBase32(transfer_id)}`
}
