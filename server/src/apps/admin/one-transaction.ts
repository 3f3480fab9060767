// Runs a command in one transaction of the database. Other processes see all of its records at once, after the commit.

import { type Db, inTransaction, type Statement, sql, type Tx } from '../../kernel/db/index.ts'

const SAVE = sql('one_transaction_save', 'savepoint one_step')
const UNDO = sql('one_transaction_undo', 'rollback to savepoint one_step')
const RELEASE = sql('one_transaction_release', 'release savepoint one_step')
// The command may wait for its own receiver between two statements. The setting ends with the transaction.
const WAIT = sql('one_transaction_wait', `select set_config('idle_in_transaction_session_timeout', '0', true)`)

/**
 * Runs `work` with a database whose statements and transactions are steps of one transaction, one after another. If a step
 * fails, the database undoes only this step. If `work` fails or the process dies, the database undoes everything. A transaction
 * of `work` must not use the database outside of its `tx`, because that statement would wait for the end of the transaction.
 */
export function inOneTransaction<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  return inTransaction(db, async (outer) => {
    await outer.query(WAIT)
    return work(stepDatabase(db, outer))
  })
}

function stepDatabase(db: Db, outer: Tx): Db {
  let last: Promise<unknown> = Promise.resolve()
  /** Runs `step` within a savepoint after the earlier steps have ended. */
  const inStep = <Result>(step: () => Promise<Result>): Promise<Result> => {
    const run = async () => {
      await outer.query(SAVE)
      try {
        const result = await step()
        await outer.query(RELEASE)
        return result
      } catch (error) {
        await outer.query(UNDO)
        throw error
      }
    }
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }
  const query = <Row>(statement: Statement, values?: readonly unknown[]) =>
    inStep(() => outer.query<Row>(statement, values))
  return {
    ...db,
    query,
    session: (work) => work({ kind: 'db', query, runAfterCommit: db.runAfterCommit }),
    async transaction<Result>(work: (tx: Tx) => Promise<Result>) {
      const after_step: (() => void)[] = []
      const tx: Tx = { ...outer, afterCommit: (then) => void after_step.push(then) }
      const result = await inStep(() => work(tx))
      db.runAfterCommit(after_step)
      return result
    },
  }
}
