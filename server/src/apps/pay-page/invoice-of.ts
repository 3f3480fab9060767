// From an invoice to what a stranger with its link may read of it.

import type { Deps } from '../../kernel/db/index.ts'
import { dayOf } from '../../kernel/lib/index.ts'
import { displayNumber, type Invoice, itemsOf, publicStatusAt } from '../../money/invoices/index.ts'
import { type Link, linkStatusAt } from '../../money/payment-links/index.ts'
import type { InvoiceScreen, Shop } from './view.ts'

/** The screen of an invoice. `link`: the payment link on whose page it is read: the newest, or the one that was paid. */
export function invoiceView(deps: Deps, invoice: Invoice, link: Link, shop: Shop): InvoiceScreen {
  const now = deps.clock.now()
  const path = `${shop.pay_path}/invoice`
  const { paid_collection_id, slug, under_review } = invoice
  return {
    ...shop,
    screen: 'invoice',
    amount_minor: invoice.total_minor,
    number: displayNumber(invoice.number),
    status: publicStatusAt(invoice, now),
    returned: invoice.reversed_at !== null,
    customer_name: invoice.customer_name,
    items: itemsOf(invoice),
    issued_on: dayOf(invoice.created_at),
    due_on: invoice.due_date,
    note: invoice.note,
    pay_link: linkStatusAt(link, now) === 'ACTIVE' && !under_review ? shop.pay_path : null,
    pdf_path: `${path}.pdf`,
    // It stands under the link that was paid.
    receipt_path: paid_collection_id === null ? null : `/pay/${slug}/c/${paid_collection_id}/receipt`,
  }
}
