// Locks the merchant of a request, and checks the caller again after the wait.

import { sql } from '../../kernel/db/index.ts'
import { caller, checkCallerAgain, type LockMerchantOfCaller, type ReadCallerAgain } from '../../kernel/http/index.ts'

// A removal of a member, a change of a role, and a reset that removes a stranger take this lock too.
const LOCK = sql('merchant_of_caller_lock', 'select 1 from merchants where id = $1 for no key update')

/**
 * Makes the function that a request calls first in its transaction, before it changes keys, members, webhooks or settings. The
 * second statement reads what other transactions committed during the wait for the lock.
 */
export function createLockMerchantOfCaller(readCallerAgain: ReadCallerAgain): LockMerchantOfCaller {
  return async (tx, request) => {
    await tx.query(LOCK, [caller(request).merchant.id])
    checkCallerAgain(request, await readCallerAgain(tx, request))
  }
}
