// Makes the worker query live payments before it sends them, after a restore of the database to an earlier time. The server may have
// sent the prompt of a payment after that time, and the restored row does not show it.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'

// An attempt with the lease of another process may have been sent, so that the worker queries the provider first (drive.ts).
const MARK = sql(
  'attempts_mark_restored',
  `update collection_attempts set lease_owner = $1, updated_at = $2
   where due_at is not null and environment = 'live' and state = 'to_send' and lease_owner is null
   returning 1 as marked`,
)

/** Marks the live attempts that look unsent, and returns their number. No other process may run. */
export async function queryBeforeSending(deps: Deps, tx: Tx): Promise<number> {
  return (await tx.query(MARK, [deps.process_id, deps.clock.now()])).length
}
