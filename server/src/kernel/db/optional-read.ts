// Runs a read that may fail without the transaction, because the transaction does not need the result.

import { type Reader, sql, type Tx } from './pool.ts'

const SAVE = sql('optional_read_save', 'savepoint optional_read')
const UNDO = sql('optional_read_undo', 'rollback to savepoint optional_read')
const RELEASE = sql('optional_read_release', 'release savepoint optional_read')

/**
 * Runs `read` within a savepoint. If `read` fails, the transaction returns to the savepoint and continues, and the function
 * returns the error. If the connection is lost, throws, because the transaction cannot continue. `read` must write nothing and
 * lock nothing.
 */
export async function readOptionally<Result>(
  tx: Tx,
  read: (reader: Reader) => Promise<Result>,
): Promise<{ result: Result } | { error: unknown }> {
  let is_over = false
  // A branch of `read` may continue after another branch has failed. Its failure after the savepoint would end the transaction.
  const reader: Reader = {
    query: (statement, values) =>
      is_over
        ? Promise.reject(new Error('the optional read is over: no branch may send another statement'))
        : tx.query(statement, values),
  }
  try {
    await tx.query(SAVE)
    const result = await read(reader)
    is_over = true
    await tx.query(RELEASE)
    return { result }
  } catch (error) {
    is_over = true
    await tx.query(UNDO)
    return { error }
  }
}
