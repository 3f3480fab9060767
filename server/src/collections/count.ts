// How many collections a merchant has, without counting them all: what is old enough never changes, so its number is kept.

import { type Deps, oneStatement, sql } from '../db/index.ts'
import type { Environment } from '../http/index.ts'
import { firstIdAt, ZERO_ID } from '../lib/index.ts'

/** When so many came since the kept number, the number is renewed. */
const TAIL_MAX = 10_000

/**
 * A collection gets its id a little before its statement commits. Whatever is older than this is committed, or was
 * refused by the statement timeout, so no collection appears below the kept bound any more.
 */
const SETTLED_MS = 10 * 60_000

const KEPT = sql(
  'collection_counts_find',
  'select before_id, collections from collection_counts where merchant_id = $1 and environment = $2',
)
const TAIL = sql(
  '',
  `select count(*) as all_of_it, count(*) filter (where id < $4) as settled
   from collections where merchant_id = $1 and environment = $2 and id >= $3`,
)
const KEEP = sql(
  'collection_counts_keep',
  `insert into collection_counts as k (merchant_id, environment, before_id, collections) values ($1, $2, $4, $5)
   on conflict (merchant_id, environment) do update
     set before_id = excluded.before_id, collections = excluded.collections where k.before_id = $3`,
)

/** The number of collections of a merchant in one environment. */
export async function countAll(deps: Deps, merchant_id: string, environment: Environment): Promise<number> {
  const [kept] = await deps.db.query<{ before_id: string; collections: bigint }>(KEPT, [merchant_id, environment])
  const from = kept?.before_id ?? ZERO_ID
  const settled_before = firstIdAt(new Date(deps.clock.now().getTime() - SETTLED_MS))
  const [tail] = await deps.db.query<{ all_of_it: bigint; settled: bigint }>(TAIL, [
    merchant_id,
    environment,
    from,
    settled_before,
  ])
  const before = kept?.collections ?? 0n
  if (tail && tail.settled > TAIL_MAX) {
    // Two requests may renew it at once: the bound that it started from decides, and either number is right.
    await oneStatement(deps.db).query(KEEP, [merchant_id, environment, from, settled_before, before + tail.settled])
  }
  return Number(before + (tail?.all_of_it ?? 0n))
}
