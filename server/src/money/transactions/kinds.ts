// Maps each fact of the ledger to the type of transaction that the merchant reads. Some facts make no transaction.

import type { Fact } from '../../books/ledger/index.ts'
import { assertInvariant } from '../../kernel/lib/index.ts'

/** All types of transactions, as the API shows them. */
export const TYPES = ['COLLECTION', 'COLLECTION_REVERSAL', 'WITHDRAWAL', 'WITHDRAWAL_REVERSAL', 'ADJUSTMENT'] as const
/** One of TYPES. A reversal type undoes a collection or a withdrawal. */
export type TransactionType = (typeof TYPES)[number]

/** The directions of a transaction. A credit increases the available balance, and a debit decreases it. */
export const DIRECTIONS = ['credit', 'debit'] as const
/** The effect on the merchant's available balance: `credit` increases it, and `debit` decreases it. */
export type TransactionDirection = (typeof DIRECTIONS)[number]

/** A type with its direction. Only an ADJUSTMENT can have either direction. */
export type TransactionKind = { type: TransactionType; direction: TransactionDirection }

const COLLECTION = { type: 'COLLECTION', direction: 'credit' } as const
const COLLECTION_REVERSAL = { type: 'COLLECTION_REVERSAL', direction: 'debit' } as const
const WITHDRAWAL = { type: 'WITHDRAWAL', direction: 'debit' } as const
const WITHDRAWAL_REVERSAL = { type: 'WITHDRAWAL_REVERSAL', direction: 'credit' } as const
const CREDITED = { type: 'ADJUSTMENT', direction: 'credit' } as const
const DEBITED = { type: 'ADJUSTMENT', direction: 'debit' } as const

/** All kinds, in the order of a statement. */
export const KINDS: readonly TransactionKind[] = [
  COLLECTION,
  COLLECTION_REVERSAL,
  WITHDRAWAL,
  WITHDRAWAL_REVERSAL,
  CREDITED,
  DEBITED,
]

/**
 * The kind of transaction that each fact makes. Null means that the fact does not change the available balance and makes no
 * transaction.
 */
const KIND_OF = {
  collection_settled: COLLECTION,
  collection_held: null,
  collection_cleared: COLLECTION,
  collection_declined: null,
  collection_reversed: COLLECTION_REVERSAL,
  collection_held_reversed: null,
  withdrawal_reserved: WITHDRAWAL,
  withdrawal_paid: null,
  withdrawal_released: WITHDRAWAL_REVERSAL,
  withdrawal_paid_late: WITHDRAWAL,
  withdrawal_reversed: WITHDRAWAL_REVERSAL,
  adjustment_credited_float: CREDITED,
  adjustment_credited_fee: CREDITED,
  adjustment_credited_cost: CREDITED,
  adjustment_debited_float: DEBITED,
  adjustment_debited_fee: DEBITED,
  adjustment_debited_cost: DEBITED,
} as const satisfies Record<Fact, TransactionKind | null>

/**
 * Returns the kind of a posting that changes the available balance. If a posting does not change this balance, the function throws.
 */
export function transactionKind(posting: Fact): TransactionKind {
  const kind = KIND_OF[posting]
  assertInvariant(kind !== null, `${posting} is not a transaction`)
  return kind
}

/** Returns the facts that make transactions of a type. Null in `type` means every type. */
export function factsOfType(type: TransactionType | null): Fact[] {
  const all = Object.entries(KIND_OF) as [Fact, TransactionKind | null][]
  return all.filter(([, kind]) => kind !== null && (type === null || kind.type === type)).map(([fact]) => fact)
}
