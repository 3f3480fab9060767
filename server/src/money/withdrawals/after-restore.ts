/**
 * After a restore of the database to an earlier time, marks live payouts that look unsent as doubtful. The server may have sent
 * such a payout after that time. The withdrawal becomes NEEDS_RECONCILIATION, and the worker queries the provider. If the
 * provider has no such payout, an operator decides.
 */
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { applyPayoutOutcomes } from './settle.ts'
import type { WithdrawalId } from './store.ts'

// The update takes the lease, because only the holder of the lease may report that an outcome is not known.
const TAKE_UNSENT = sql(
  'payouts_take_unsent',
  `update payouts set lease_owner = $1, updated_at = $2
   where due_at is not null and environment = 'live' and sent_at is null and state in ('to_send', 'sending')
   returning merchant_id, withdrawal_id as id`,
)

const BATCH = 250

/**
 * Moves the withdrawal of each live payout without a recorded acceptance to NEEDS_RECONCILIATION. Returns the number of these
 * payouts. `restored_to` is the time as people read it. No other process of the installation may run during this call.
 */
export async function doubtUnsentPayouts(deps: Deps, tx: Tx, restored_to: string): Promise<number> {
  const unsent = await tx.query<WithdrawalId>(TAKE_UNSENT, [deps.process_id, deps.clock.now()])
  const answer: PayoutAnswer = {
    kind: 'unknown',
    why: 'ambiguous',
    provider_status: null,
    provider_message: `The database was restored to ${restored_to}. The provider may have paid after that time.`,
  }
  for (let start = 0; start < unsent.length; start += BATCH) {
    const outcomes = unsent.slice(start, start + BATCH).map((key) => ({ ...key, answer, holds_lease: true }))
    await applyPayoutOutcomes(deps, tx, outcomes, () => false)
  }
  return unsent.length
}
