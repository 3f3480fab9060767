// Reading what a merchant has.

import { type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { CURRENCY } from '../../kernel/lib/index.ts'

const BALANCE = sql(
  'ledger_balance',
  `select code, balance_minor from ledger_accounts
   where merchant_id = $1 and environment = $2 and currency = $3 and code in ('available', 'reserved', 'held')`,
)

/** The balance of one book in cents, read now: never from a cache. */
export async function balanceOf(
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

/** One book: of a merchant, in one environment. */
export type BookKey = { merchant_id: string; environment: string }

// All accounts of the books, in the order in which postings lock theirs.
const LOCK = sql(
  'ledger_lock_books',
  `select a.merchant_id, a.environment, a.code, a.balance_minor
   from (select distinct merchant_id, environment from unnest($1::uuid[], $2::text[]) as b(merchant_id, environment)) b
   join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = $3
   order by a.merchant_id, a.environment, a.code for update of a`,
)

/**
 * Locks whole books until the transaction ends, and answers what is available in each, in cents, by `bookName`. What is
 * decided from it holds when it is posted: nobody else moves money in these books meanwhile.
 */
export async function lockBooks(tx: Tx, books: readonly BookKey[]): Promise<Map<string, bigint>> {
  const rows = await tx.query<BookKey & { code: string; balance_minor: bigint }>(LOCK, [
    books.map(({ merchant_id }) => merchant_id),
    books.map(({ environment }) => environment),
    CURRENCY,
  ])
  const available = rows.filter(({ code }) => code === 'available')
  return new Map(available.map((row) => [bookName(row), row.balance_minor]))
}

/** A book as a text, to look it up by. */
export function bookName({ merchant_id, environment }: BookKey): string {
  return `${merchant_id} ${environment}`
}
