// Finds withdrawals that would be the first payout of their merchant to a destination.

import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { type WithdrawalId, withdrawalName } from './store.ts'

// For each withdrawal, one index lookup finds another withdrawal that paid the destination.
const FIND = sql(
  'withdrawals_new_destinations',
  `select w.merchant_id, w.id from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id
   left join lateral (
     select true as paid from withdrawals p
     where p.merchant_id = w.merchant_id and p.destination_identifier = w.destination_identifier and p.status = 'SUCCESS'
       and p.environment = w.environment and p.destination_code = w.destination_code and p.id <> w.id limit 1
   ) earlier on true
   where earlier.paid is null`,
)

/**
 * Returns the withdrawals whose merchant has not yet paid the destination of the withdrawal in its environment, by
 * `withdrawalName`. The result omits unknown ids.
 */
export async function findNewDestinations(reader: Reader, ids: readonly WithdrawalId[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const keys = ids.map(({ merchant_id, id }) => ({ merchant_id, id }))
  return new Set((await reader.query<WithdrawalId>(FIND, [JSON.stringify(keys)])).map(withdrawalName))
}
