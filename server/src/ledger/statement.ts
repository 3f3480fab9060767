// What was available at a moment of the past.

import { type Reader, sql } from '../db/index.ts'
import { firstIdAt, timeOf } from '../lib/index.ts'
import type { BookKey } from './balance.ts'
import { EFFECT, FIRST_VERSION, OF_AVAILABLE } from './movements.ts'

/**
 * A posting gets its id before it waits for the account, so the order of ids and the order of versions differ by moments.
 * This is longer than any such moment: the statement that writes a posting ends within 10 s, its transaction is ended by
 * the server when it idles as long, and the rest is far more than the clocks of two machines are apart. After it, what
 * happened before a moment is settled: nothing is added to it any more.
 */
export const ORDER_MS = 5 * 60_000

const NEWEST_BEFORE = sql(
  'ledger_newest_before',
  `select t.id from ledger_transfers t
   where t.merchant_id = $1 and t.environment = $2 and ${OF_AVAILABLE} and t.id < $3 order by t.id desc limit 1`,
)

// `top`: of the postings dated before the moment ($4), the one that was written last. The balance after it holds all that
// are dated before, and those dated from the moment on that overtook it: they are taken off again.
const BALANCE_BEFORE = sql(
  'ledger_balance_before',
  `with top as materialized (
     select e.last_version, e.balance_minor from (
       select t.merchant_id, t.source_id, t.source_type, t.posting from ledger_transfers t
       where t.merchant_id = $1 and t.environment = $2 and ${OF_AVAILABLE} and t.id >= $3 and t.id < $4
       order by ${FIRST_VERSION} desc limit 1
     ) t cross join lateral ${EFFECT} e
   )
   select (top.balance_minor - coalesce((
     select sum(e.net_minor) from ledger_transfers t cross join lateral ${EFFECT} e
     where t.merchant_id = $1 and t.environment = $2 and ${OF_AVAILABLE} and t.id >= $4 and t.id < $5
       and ${FIRST_VERSION} < top.last_version
   ), 0))::bigint as balance_minor from top`,
)

/**
 * What was available in cents before the first posting dated at or after `moment`: the sum of all that are dated before.
 * A posting is dated by its id. Reads only what lies around the moment, however long the history: `order_ms` on each side, which
 * is enough while the clocks of all machines are no further apart.
 */
export async function balanceBefore(reader: Reader, book: BookKey, moment: Date, order_ms = ORDER_MS): Promise<bigint> {
  const { merchant_id, environment } = book
  const bound = firstIdAt(moment)
  const [newest] = await reader.query<{ id: string }>(NEWEST_BEFORE, [merchant_id, environment, bound])
  if (!newest) return 0n
  // Whatever is dated ORDER_MS before the newest was written before it, and so is not the last.
  const from = firstIdAt(new Date(timeOf(newest.id).getTime() - order_ms))
  // Whatever is dated ORDER_MS after the moment was written after all that are dated before.
  const until = firstIdAt(new Date(moment.getTime() + order_ms))
  const [row] = await reader.query<{ balance_minor: bigint }>(BALANCE_BEFORE, [
    merchant_id,
    environment,
    from,
    bound,
    until,
  ])
  return row?.balance_minor ?? 0n
}
