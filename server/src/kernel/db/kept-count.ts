// Returns the total of a merchant's list without counting all rows. Below a stored bound, no row appears or disappears, so the
// database stores the number of these rows.

import { firstIdAt, ZERO_ID } from '../lib/index.ts'
import type { Deps } from './deps.ts'
import { oneStatement, type Statement, sql } from './pool.ts'

/**
 * The number of rows after the stored bound, and older than SETTLED_MS, above which the server renews the stored number.
 */
const TAIL_MAX = 1_000

/**
 * A row gets its id shortly before its transaction commits. After this time in milliseconds, the transaction has committed or
 * timed out. So no new row can appear below the stored bound.
 */
const SETTLED_MS = 10 * 60_000

const KEPT = sql(
  'list_counts_find',
  'select before_id, items from list_counts where merchant_id = $1 and environment = $2 and list = $3',
)
const KEEP = sql(
  'list_counts_keep',
  `insert into list_counts as k (merchant_id, environment, list, before_id, items) values ($1, $2, $3, $5, $6)
   on conflict (merchant_id, environment, list) do update
     set before_id = excluded.before_id, items = excluded.items where k.before_id = $4`,
)

/** A list whose rows have ids in the order of time, and never disappear. */
export type KeptList = {
  name: 'collections'
  /**
   * Counts the rows of merchant $1 in environment $2 with ids from $3 on. `all_of_it` counts all these rows, and `settled`
   * counts the rows with ids before $4.
   */
  tail: Statement
}

/**
 * Returns the number of rows of a merchant's list in one environment: the stored number of old rows, and a count of the newer
 * rows.
 */
export async function countList(deps: Deps, list: KeptList, merchant_id: string, environment: string): Promise<number> {
  const key = [merchant_id, environment, list.name]
  const [kept] = await deps.db.query<{ before_id: string; items: bigint }>(KEPT, key)
  const from = kept?.before_id ?? ZERO_ID
  const settled_before = firstIdAt(new Date(deps.clock.now().getTime() - SETTLED_MS))
  const [tail] = await deps.db.query<{ all_of_it: bigint; settled: bigint }>(list.tail, [
    merchant_id,
    environment,
    from,
    settled_before,
  ])
  const before = kept?.items ?? 0n
  if (tail && tail.settled > TAIL_MAX) {
    // Two requests may renew the number at the same time. The condition on the old bound accepts only one of the updates, and
    // both numbers are right.
    await oneStatement(deps.db).query(KEEP, [...key, from, settled_before, before + tail.settled])
  }
  return Number(before + (tail?.all_of_it ?? 0n))
}
