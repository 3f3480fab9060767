// The payment link of an invoice: one at a time. A link that was cancelled is replaced.

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

/** The live link of a locked invoice that can be paid, made when there is none. */
export async function ensureLink(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  invoice: Invoice,
  live: LiveProviders,
): Promise<{ link: Link; made: boolean }> {
  const { merchant_id, id, payment_link_id, link_status } = invoice
  assertInvariant(link_status !== 'PAID', `the invoice ${id} that is given a link is not paid`)
  if (payment_link_id !== null && link_status === 'ACTIVE') {
    const link = await findLink(tx, merchant_id, payment_link_id)
    assertInvariant(link !== null, `the link of the invoice ${id} exists`)
    return { link, made: false }
  }
  const link = await createLink(deps, tx, caller, pageOfInvoice(invoice, invoice.number), live, id)
  await tx.query(SET_LINK, [merchant_id, id, link.id, deps.clock.now()])
  return { link: { ...link, merchant_name: invoice.merchant_name }, made: true }
}

/** The payment link of an invoice, made when there is none. Refuses a paid or cancelled invoice with invalid_state. */
export async function linkInvoice(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  id: string,
  live: LiveProviders,
): Promise<{ link: Link; made: boolean }> {
  const invoice = (await lockInvoice(tx, caller.merchant.id, id)) ?? refuse('not_found')
  checkState(invoice, 'given a payment link', deps.clock.now())
  return ensureLink(deps, tx, caller, invoice, live)
}
