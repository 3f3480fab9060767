// Cancels an invoice and its payment link in one transaction, so that no payer pays a cancelled invoice.

import { type Act, recordAudits } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { cancelActive } from '../payment-links/index.ts'
import { checkState, displayNumber, statusAt } from './state.ts'
import { findInvoice, type Invoice, lockInvoice, lockUnpaidInvoices } from './store.ts'

const CANCEL = sql(
  'invoices_cancel',
  `update invoices set status = 'CANCELLED', cancelled_at = $3, due_at = null, lease_owner = null, updated_at = $3
   where merchant_id = $1 and id = any($2::uuid[]) and status <> 'CANCELLED'`,
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
  await writeCancellations(deps, tx, act, merchant_id, [invoice])
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}

/** Cancels all unpaid invoices of a merchant and their payment links, with one statement for each kind of record. */
export async function cancelUnpaidInvoices(deps: Deps, tx: Tx, act: Act, merchant_id: string): Promise<void> {
  await writeCancellations(deps, tx, act, merchant_id, await lockUnpaidInvoices(tx, merchant_id))
}

/** Writes the cancellation of locked open invoices of one merchant. */
async function writeCancellations(
  deps: Deps,
  tx: Tx,
  act: Act,
  merchant_id: string,
  invoices: readonly Invoice[],
): Promise<void> {
  const now = deps.clock.now()
  const link_ids = invoices.flatMap(({ payment_link_id }) => payment_link_id ?? [])
  const cancelled = await cancelActive(tx, merchant_id, link_ids, now)
  await tx.query(CANCEL, [merchant_id, invoices.map(({ id }) => id), now])
  const entries = invoices.map((invoice) => {
    const { id: target_id, payment_link_id } = invoice
    const payment_link_cancelled = payment_link_id !== null && cancelled.has(payment_link_id)
    const after = { status: 'CANCELLED', number: displayNumber(invoice.number), payment_link_cancelled }
    const before = { status: statusAt(invoice, now) }
    return { ...act, merchant_id, action: 'invoice.cancel', target_type: 'invoice', target_id, before, after } as const
  })
  await recordAudits(deps, tx, entries)
}
