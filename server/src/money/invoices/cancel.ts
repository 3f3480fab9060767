// Cancels an invoice and its payment link in one transaction, so that no payer pays a cancelled invoice.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { cancelActive } from '../payment-links/index.ts'
import { checkState, displayNumber, statusAt } from './state.ts'
import { findInvoice, type Invoice, lockInvoice } from './store.ts'

const CANCEL = sql(
  'invoices_cancel',
  `update invoices set status = 'CANCELLED', cancelled_at = $3, due_at = null, lease_owner = null, updated_at = $3
   where merchant_id = $1 and id = $2 and status <> 'CANCELLED'`,
)

/**
 * Cancels an invoice and its payment link; a repeated call changes nothing. If the invoice is paid, refuses with invalid_state.
 * If a payment settles at the same time, the server either marks the invoice as paid or holds the money for a review.
 */
export async function cancelInvoice(
  deps: Deps,
  tx: Tx,
  key: { merchant_id: string; id: string },
  act: Act,
): Promise<Invoice> {
  const { merchant_id, id } = key
  const invoice = (await lockInvoice(tx, merchant_id, id)) ?? refuse('not_found')
  const now = deps.clock.now()
  checkState(invoice, 'cancelled', now)
  if (invoice.status === 'CANCELLED') return invoice
  const { payment_link_id } = invoice
  const link_cancelled = payment_link_id !== null && (await cancelActive(tx, merchant_id, payment_link_id, now))
  await tx.query(CANCEL, [merchant_id, id, now])
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'invoice.cancel',
    target_type: 'invoice',
    target_id: id,
    before: { status: statusAt(invoice, now) },
    after: { status: 'CANCELLED', number: displayNumber(invoice.number), payment_link_cancelled: link_cancelled },
  })
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}
