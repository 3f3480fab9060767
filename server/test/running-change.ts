// Runs work while another transaction has made a change that it has not committed.

import { inTransaction, sql, type Tx } from '../src/kernel/db/index.ts'
import type { World } from './harness.ts'

const PID = sql('', 'select pg_backend_pid() as pid')
const WAITS_FOR = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'

/**
 * Starts `work` after the statements of `change` and before their commit. When a transaction waits for a lock of `change`, or
 * `work` has ended, runs `last` and commits. Returns the result of `work`.
 */
export async function workBeforeCommit<Result>(
  world: Pick<World, 'deps' | 'rows'>,
  change: (tx: Tx) => Promise<unknown>,
  work: () => Promise<Result>,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Result> {
  const made = Promise.withResolvers<number>()
  const may_commit = Promise.withResolvers<void>()
  const changing = inTransaction(world.deps.db, async (tx) => {
    const [connection] = await tx.query<{ pid: number }>(PID)
    await change(tx)
    made.resolve(connection?.pid ?? 0)
    await may_commit.promise
    await last(tx)
  })
  const pid = await Promise.race([made.promise, changing.then(() => made.promise)])
  let has_ended = false
  const end = () => {
    has_ended = true
  }
  const working = work()
  working.then(end, end)
  while (!has_ended && (await world.rows(WAITS_FOR, [pid])).length === 0);
  may_commit.resolve()
  await changing
  return working
}
