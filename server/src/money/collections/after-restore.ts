// After a restore of the database to an earlier time, makes the worker query the provider before it sends a live payment. The
// server may have sent a prompt after that time, and the restored row does not show the prompt.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'

// If another process holds the lease of an attempt, that process may have sent the attempt. The worker then queries the
// provider before it sends (drive.ts).
const MARK = sql(
  'attempts_mark_restored',
  `update collection_attempts set lease_owner = $1, updated_at = $2
   where due_at is not null and environment = 'live' and state = 'to_send' and lease_owner is null
   returning 1 as marked`,
)

/**
 * Marks the live attempts that look unsent, and returns the number of marked attempts. No other process of the installation may
 * run during this call.
 */
export async function queryBeforeSending(deps: Deps, tx: Tx): Promise<number> {
  return (await tx.query(MARK, [deps.process_id, deps.clock.now()])).length
}
