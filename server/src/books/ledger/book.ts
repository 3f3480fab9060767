// Opens, reads and locks a book: the six accounts of a merchant in one environment.

import { type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { CURRENCY } from '../../kernel/lib/index.ts'

/**
 * The accounts of a book. The merchant may withdraw `available`. `reserved` is the money for payouts. `held` is the money under
 * review. `provider_float` is the debt of the provider, as a negative balance. `fee_income` has the fees of the platform.
 * `processor_cost` has the provider charges that the platform bears.
 */
export const BOOK_CODES = ['available', 'reserved', 'held', 'provider_float', 'fee_income', 'processor_cost'] as const

/** One of BOOK_CODES. A book has one account for each code. */
export type AccountCode = (typeof BOOK_CODES)[number]

const OPEN_BOOKS = sql(
  'ledger_open_book',
  `insert into ledger_accounts (merchant_id, environment, currency, code, balance_minor, version)
   select $1, environment, $2, code, 0, 0
   from unnest($3::text[]) environment, unnest($4::text[]) code`,
)

/** Opens the live book and the sandbox book of a new merchant with zero balances. */
export async function openBooks(tx: Tx, merchant_id: string): Promise<void> {
  await tx.query(OPEN_BOOKS, [merchant_id, CURRENCY, ['live', 'sandbox'], [...BOOK_CODES]])
}

const BALANCE = sql(
  'ledger_balance',
  `select code, balance_minor from ledger_accounts
   where merchant_id = $1 and environment = $2 and currency = $3 and code in ('available', 'reserved', 'held')`,
)

/** Reads the balances available, reserved and held of one book in cents from the database, without a cache. */
export async function readBalance(
  reader: Reader,
  merchant_id: string,
  environment: string,
): Promise<{ available: bigint; reserved: bigint; held: bigint }> {
  const rows = await reader.query<{ code: 'available' | 'reserved' | 'held'; balance_minor: bigint }>(BALANCE, [
    merchant_id,
    environment,
    CURRENCY,
  ])
  const balance = { available: 0n, reserved: 0n, held: 0n }
  for (const row of rows) balance[row.code] = row.balance_minor
  return balance
}

/** The key of a book: its merchant and its environment. */
export type BookKey = { merchant_id: string; environment: string }

// The statement locks accounts in the same order as the statement that writes postings, so that the two statements never
// deadlock.
const LOCK_BOOKS = sql(
  'ledger_lock_books',
  `select a.merchant_id, a.environment, a.code, a.balance_minor
   from (select distinct merchant_id, environment from unnest($1::uuid[], $2::text[]) as b(merchant_id, environment)) b
   join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = $3
   order by a.merchant_id, a.environment, a.code for update of a`,
)

/**
 * Locks whole books until the transaction ends. Returns the available amount of each book in cents, by `bookName`. During the
 * lock, no other transaction can change these books, so decisions from these amounts stay valid.
 */
export async function lockBooks(tx: Tx, books: readonly BookKey[]): Promise<Map<string, bigint>> {
  const rows = await tx.query<BookKey & { code: string; balance_minor: bigint }>(LOCK_BOOKS, [
    books.map(({ merchant_id }) => merchant_id),
    books.map(({ environment }) => environment),
    CURRENCY,
  ])
  const available = rows.filter(({ code }) => code === 'available')
  return new Map(available.map((row) => [bookName(row), row.balance_minor]))
}

/** Returns the name of a book, which is its key in a Map. */
export function bookName({ merchant_id, environment }: BookKey): string {
  return `${merchant_id} ${environment}`
}
