// The book of a merchant: six accounts per environment, made when the merchant is made.

import { sql, type Tx } from '../../kernel/db/index.ts'
import { CURRENCY } from '../../kernel/lib/index.ts'

/**
 * available: the merchant may withdraw it. reserved: set aside for a payout. held: under review.
 * provider_float: where the money lies (negative: it is owed to the others). fee_income, processor_cost: our fee and
 * what the provider charges us.
 */
export const BOOK_CODES = ['available', 'reserved', 'held', 'provider_float', 'fee_income', 'processor_cost'] as const

/** An account of a book. */
export type AccountCode = (typeof BOOK_CODES)[number]

const OPEN = sql(
  'ledger_open_book',
  `insert into ledger_accounts (merchant_id, environment, currency, code, balance_minor, version)
   select $1, environment, $2, code, 0, 0
   from unnest($3::text[]) environment, unnest($4::text[]) code`,
)

/** Opens both books of a new merchant, live and sandbox, with nothing in them. */
export async function accountsFor(tx: Tx, merchant_id: string): Promise<void> {
  await tx.query(OPEN, [merchant_id, CURRENCY, ['live', 'sandbox'], [...BOOK_CODES]])
}
