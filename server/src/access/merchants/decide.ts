// Applies decisions of operators about a merchant: approve, verify, suspend and reactivate. The transaction also writes an
// audit entry.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { refuseConflict } from './conflict.ts'
import { getMerchant } from './list.ts'
import type { MerchantView } from './schema.ts'
import { type MerchantMove, merchantMoves } from './state.ts'

const MOVE = sql(
  'merchant_move',
  `update merchants set status = $3, updated_at = $4, archived_at = case when $3 = 'ACTIVE' then null else archived_at end
   where id = $1 and status = $2 returning id`,
)

/**
 * Changes the status of a merchant from the next request on, in every process. A reactivation ends an archive too. Errors:
 * not_found for an unknown merchant, invalid_state if the status does not allow the move, and conflict_of_interest, except for
 * suspend.
 */
export async function moveMerchant(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; move: MerchantMove; reason: string | null },
): Promise<MerchantView> {
  const { from, to, message } = merchantMoves[input.move]
  const { id } = await getMerchant(tx, input.merchant_id)
  // A suspension gives a merchant no money and no access, so an operator with a conflict of interest may also suspend.
  if (input.move !== 'suspend') await refuseConflict(tx, { merchant_id: id, act })
  const moved = await tx.query(MOVE, [id, from, to, deps.clock.now()])
  if (moved.length === 0) {
    const { status } = await getMerchant(tx, id)
    refuse('invalid_state', { message: `${message} This merchant is ${status}.`, details: { status } })
  }
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: id,
    action: `merchant.${input.move}`,
    target_type: 'merchant',
    target_id: id,
    reason: input.reason,
    before: { status: from },
    after: { status: to },
  })
  return getMerchant(tx, id)
}

const VERIFY = sql(
  'merchant_verify',
  'update merchants set verified = true, updated_at = $2 where id = $1 and not verified returning id',
)

/**
 * Records that an operator has verified the identity of the business. A repeated call changes nothing. Errors: not_found for an
 * unknown merchant, and conflict_of_interest.
 */
export async function verifyMerchant(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; reason: string | null },
): Promise<MerchantView> {
  const { id } = await getMerchant(tx, input.merchant_id)
  await refuseConflict(tx, { merchant_id: id, act })
  const changed = await tx.query(VERIFY, [id, deps.clock.now()])
  if (changed.length > 0) {
    await recordAudit(deps, tx, {
      ...act,
      merchant_id: id,
      action: 'merchant.verify',
      target_type: 'merchant',
      target_id: id,
      reason: input.reason,
      before: { verified: false },
      after: { verified: true },
    })
  }
  return getMerchant(tx, id)
}
