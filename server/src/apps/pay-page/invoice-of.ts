// Makes the screen of an invoice from the facts that any reader with the link may see.

import type { Deps } from '../../kernel/db/index.ts'
import { dayOf } from '../../kernel/lib/index.ts'
import { displayNumber, type Invoice, itemsOf, publicStatusAt } from '../../money/invoices/index.ts'
import { type Link, linkStatusAt } from '../../money/payment-links/index.ts'
import type { InvoiceScreen, MerchantFrame } from './view.ts'

/** Returns the screen of an invoice. `link` is the payment link that the page shows: the paid link or the newest link. */
export function invoiceScreenOf(deps: Deps, invoice: Invoice, link: Link, merchantFrame: MerchantFrame): InvoiceScreen {
  const now = deps.clock.now()
  const path = `${merchantFrame.pay_path}/invoice`
  const { paid_collection_id, slug, under_review } = invoice
  return {
    ...merchantFrame,
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
    pay_link: linkStatusAt(link, now) === 'ACTIVE' && !under_review ? merchantFrame.pay_path : null,
    pdf_path: `${path}.pdf`,
    // A receipt has the address of the link that the payer paid.
    receipt_path: paid_collection_id === null ? null : `/pay/${slug}/c/${paid_collection_id}/receipt`,
  }
}
