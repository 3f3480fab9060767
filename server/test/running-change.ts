// Runs work while another transaction has made a change that it has not committed.

import { inTransaction, type Tx } from '../src/kernel/db/index.ts'
import type { World } from './harness.ts'

/**
 * Starts `work` after the statements of `change` and before their commit. When a transaction waits for a lock, or `work` has
 * ended, runs `last` and commits. Returns the result of `work`.
 */
export async function workBeforeCommit<Result>(
  world: Pick<World, 'deps' | 'rows'>,
  change: (tx: Tx) => Promise<unknown>,
  work: () => Promise<Result>,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Result> {
  const made = Promise.withResolvers<void>()
  const may_commit = Promise.withResolvers<void>()
  const changing = inTransaction(world.deps.db, async (tx) => {
    await change(tx)
    made.resolve()
    await may_commit.promise
    await last(tx)
  })
  await Promise.race([made.promise, changing])
  let has_ended = false
  const end = () => {
    has_ended = true
  }
  const working = work()
  working.then(end, end)
  while (!has_ended && (await world.rows('select 1 from pg_locks where not granted')).length === 0);
  may_commit.resolve()
  await changing
  return working
}
