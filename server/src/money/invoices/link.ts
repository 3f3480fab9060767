// Creates the payment link of an invoice. An invoice has at most one active link; a new link replaces a cancelled link.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Caller } from '../../kernel/http/index.ts'
import { assertInvariant, refuse } from '../../kernel/lib/index.ts'
import { createLink, findLink, type Link, type LiveProviders } from '../payment-links/index.ts'
import { pageOfInvoice } from './create.ts'
import { checkState } from './state.ts'
import { type Invoice, lockInvoice } from './store.ts'

const SET_LINK = sql(
  'invoices_set_link',
  'update invoices set payment_link_id = $3, updated_at = $4 where merchant_id = $1 and id = $2',
)

/** Returns the active payment link of a locked, unpaid invoice. If the invoice has no active link, this function creates a link. */
export async function ensureLink(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  invoice: Invoice,
  live: LiveProviders,
): Promise<{ link: Link; is_new: boolean }> {
  const { merchant_id, id, payment_link_id, link_status } = invoice
  assertInvariant(link_status !== 'PAID', `invoice ${id} is not paid when it gets a link`)
  if (payment_link_id !== null && link_status === 'ACTIVE') {
    const link = await findLink(tx, merchant_id, payment_link_id)
    assertInvariant(link !== null, `the payment link of invoice ${id} exists`)
    return { link, is_new: false }
  }
  const link = await createLink(deps, tx, caller, pageOfInvoice(invoice, invoice.number), live, id)
  await tx.query(SET_LINK, [merchant_id, id, link.id, deps.clock.now()])
  return { link: { ...link, merchant_name: invoice.merchant_name }, is_new: true }
}

/**
 * Returns the active payment link of an invoice. If the invoice has no active link, this function creates a link. Refuses a paid or
 * cancelled invoice with invalid_state.
 */
export async function linkInvoice(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  id: string,
  live: LiveProviders,
): Promise<{ link: Link; is_new: boolean }> {
  const invoice = (await lockInvoice(tx, caller.merchant.id, id)) ?? refuse('not_found')
  checkState(invoice, 'given a payment link', deps.clock.now())
  return ensureLink(deps, tx, caller, invoice, live)
}
