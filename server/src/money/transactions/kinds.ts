// What each fact of the ledger is to a merchant: a type of transaction, or nothing that they see.

import type { Fact } from '../../books/ledger/index.ts'
import { assertInvariant } from '../../kernel/lib/index.ts'

/** Types of transactions. */
export const TYPES = ['COLLECTION', 'COLLECTION_REVERSAL', 'WITHDRAWAL', 'WITHDRAWAL_REVERSAL', 'ADJUSTMENT'] as const
/** A type of transaction. */
export type TransactionType = (typeof TYPES)[number]

/** credit: the merchant has more afterwards. debit: less. */
export const DIRECTIONS = ['credit', 'debit'] as const
/** Whether the merchant has more or less afterwards. */
export type Direction = (typeof DIRECTIONS)[number]

/** What a transaction is. */
export type Kind = { type: TransactionType; direction: Direction }

const COLLECTION = { type: 'COLLECTION', direction: 'credit' } as const
const COLLECTION_REVERSAL = { type: 'COLLECTION_REVERSAL', direction: 'debit' } as const
const WITHDRAWAL = { type: 'WITHDRAWAL', direction: 'debit' } as const
const WITHDRAWAL_REVERSAL = { type: 'WITHDRAWAL_REVERSAL', direction: 'credit' } as const
const CREDITED = { type: 'ADJUSTMENT', direction: 'credit' } as const
const DEBITED = { type: 'ADJUSTMENT', direction: 'debit' } as const

/** Every kind there is, in the order in which a statement shows them. */
export const KINDS: readonly Kind[] = [
  COLLECTION,
  COLLECTION_REVERSAL,
  WITHDRAWAL,
  WITHDRAWAL_REVERSAL,
  CREDITED,
  DEBITED,
]

/** Null: it touches only what is held, reserved or ours, and nothing that the merchant may withdraw. */
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
} as const satisfies Record<Fact, Kind | null>

/** What a posting is to the merchant. Only for postings that touch what is available. */
export function kindOf(posting: Fact): Kind {
  const kind = KIND_OF[posting]
  assertInvariant(kind !== null, `${posting} is no transaction`)
  return kind
}

/** The facts that make transactions of a type, or of any. */
export function factsOf(type: TransactionType | null): Fact[] {
  const all = Object.entries(KIND_OF) as [Fact, Kind | null][]
  return all.filter(([, kind]) => kind !== null && (type === null || kind.type === type)).map(([fact]) => fact)
}
