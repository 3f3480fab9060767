// What the withdrawals of a time sum up to.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { firstIdAt } from '../../kernel/lib/index.ts'
import type { Status } from './state.ts'

// Without a name it is planned for the range at hand.
const SUMS = sql(
  '',
  `select w.status, count(*) as count, sum(w.amount_minor)::bigint as amount_minor from withdrawals w
   where w.merchant_id = $1 and w.environment = $2 and w.id >= $3 and w.id < $4 group by w.status`,
)

/** The withdrawals that a merchant submitted in a time, by where they stand: how many, and their amounts in cents. */
export function sumWithdrawals(
  reader: Reader,
  { merchant_id, environment }: { merchant_id: string; environment: Environment },
  { from, to }: { from: Date; to: Date },
): Promise<{ status: Status; count: bigint; amount_minor: bigint }[]> {
  return reader.query(SUMS, [merchant_id, environment, firstIdAt(from), firstIdAt(to)])
}
