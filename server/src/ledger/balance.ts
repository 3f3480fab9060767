// Reading what a merchant has.

import { type Reader, sql } from '../db/index.ts'
import { CURRENCY } from '../lib/index.ts'

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
