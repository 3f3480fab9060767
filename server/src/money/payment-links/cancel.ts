// Cancels payment links for merchants.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { cancelActive, type Link, lockLink } from './store.ts'

/**
 * Cancels a payment link in the given transaction. A repeated call changes nothing. Refuses a paid or unknown link with
 * payment_link_already_paid.
 */
export async function cancelLink(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, id }: { merchant_id: string; id: string },
): Promise<Link> {
  const link = await lockLink(tx, merchant_id, id)
  if (link === null || link.status === 'PAID') return refuse('payment_link_already_paid')
  const now = deps.clock.now()
  if ((await cancelActive(tx, link.merchant_id, [link.id], now)).size === 1) {
    await recordAudit(deps, tx, {
      ...act,
      merchant_id: link.merchant_id,
      action: 'payment_link.cancel',
      target_type: 'payment_link',
      target_id: link.id,
      before: { status: 'ACTIVE' },
      after: { status: 'CANCELLED' },
    })
  }
  return { ...link, status: 'CANCELLED', updated_at: link.status === 'ACTIVE' ? now : link.updated_at }
}
