// Converts a stored transaction to its record in the API.

import { formatAmount, idToBase32 } from '../../kernel/lib/index.ts'
import { transactionKind } from './kinds.ts'
import type { TransactionStatus, TransactionView } from './schema.ts'
import type { Transaction } from './store.ts'

/** Returns the reference of a transaction: the id in a form that a person can read aloud. */
export function transactionReference(transfer_id: string): string {
  return `TXN-${idToBase32(transfer_id)}`
}

/**
 * Returns the record of a transaction in the API. `amount`, `fee` and `net_amount` have no sign; `direction` shows the sign.
 * `balance_after` may be negative.
 */
export function presentTransaction(row: Transaction): TransactionView {
  const { type, direction } = transactionKind(row.posting)
  const net = absolute(row.net_minor)
  return {
    reference: transactionReference(row.id),
    sequence: Number(row.sequence),
    type,
    direction,
    amount: formatAmount(row.amount_minor),
    fee: formatAmount(impliedFee(row)),
    net_amount: formatAmount(net),
    currency: row.currency,
    status: transactionStatus(row),
    balance_after: formatAmount(row.balance_minor),
    collection_id: row.source_type === 'collection' ? row.source_id : null,
    withdrawal_id: row.source_type === 'withdrawal' ? row.source_id : null,
    merchant_reference: row.merchant_reference,
    environment: row.environment,
    created_at: row.created_at.toISOString(),
  }
}

/**
 * Returns the fee, which is the difference between amount and net amount. For a payment or its reversal, the net amount is the
 * amount less the fee. For a withdrawal or its reversal, the net amount is the amount plus the fee.
 */
export function impliedFee({ amount_minor, net_minor }: { amount_minor: bigint; net_minor: bigint }): bigint {
  return absolute(absolute(net_minor) - amount_minor)
}

function absolute(minor: bigint): bigint {
  return minor < 0n ? -minor : minor
}

/**
 * A withdrawal has its own status. A payment that the provider reversed is `reversed`. Any other transaction is `successful`.
 */
function transactionStatus(row: Transaction): TransactionStatus {
  const { type } = transactionKind(row.posting)
  if (type === 'WITHDRAWAL') return row.withdrawal_status as TransactionStatus
  return type === 'COLLECTION' && row.collection_status === 'reversed' ? 'reversed' : 'successful'
}
