// From a row to what the API shows.

import { formatAmount, idToBase32 } from '../../kernel/lib/index.ts'
import { kindOf } from './kinds.ts'
import type { TransactionStatus, TransactionView } from './schema.ts'
import type { Transaction } from './store.ts'

/** The reference of a transaction: its id in a form that people can read aloud. */
export function referenceOf(transfer_id: string): string {
  return `TXN-${idToBase32(transfer_id)}`
}

/** A transaction as the API shows it. */
export function presentTransaction(row: Transaction): TransactionView {
  const { type, direction } = kindOf(row.posting)
  const net = absolute(row.net_minor)
  return {
    reference: referenceOf(row.id),
    sequence: Number(row.sequence),
    type,
    direction,
    amount: formatAmount(row.amount_minor),
    fee: formatAmount(feeOf(row)),
    net_amount: formatAmount(net),
    currency: row.currency,
    status: statusOf(row),
    balance_after: formatAmount(row.balance_minor),
    collection_id: row.source_type === 'collection' ? row.source_id : null,
    withdrawal_id: row.source_type === 'withdrawal' ? row.source_id : null,
    merchant_reference: row.merchant_reference,
    environment: row.environment,
    created_at: row.created_at.toISOString(),
  }
}

/** What lies between amount and net amount: taken on the way in, added on the way out. */
export function feeOf({ amount_minor, net_minor }: { amount_minor: bigint; net_minor: bigint }): bigint {
  return absolute(absolute(net_minor) - amount_minor)
}

function absolute(minor: bigint): bigint {
  return minor < 0n ? -minor : minor
}

/** What became of the thing behind it, as far as this transaction tells of it. */
function statusOf(row: Transaction): TransactionStatus {
  const { type } = kindOf(row.posting)
  if (type === 'WITHDRAWAL') return row.withdrawal_status as TransactionStatus
  return type === 'COLLECTION' && row.collection_status === 'reversed' ? 'reversed' : 'successful'
}
