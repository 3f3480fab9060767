// From an invoice to what a stranger with its link may read of it.

import type { Deps } from '../db/index.ts'
import { displayNumber, type Invoice, itemsOf, publicStatusAt } from '../invoices/index.ts'
import { dayOf } from '../lib/index.ts'
import { type Link, statusAt } from '../payment-links/index.ts'
import type { InvoiceScreen, Shop } from './view.ts'

/** The screen of an invoice. `link`: its newest payment link, on whose page it is read. */
export function invoiceView(deps: Deps, invoice: Invoice, link: Link, shop: Shop): InvoiceScreen {
  const now = deps.clock.now()
  const path = `${shop.pay_path}/invoice`
  const { paid_collection_id } = invoice
  return {
    ...shop,
    screen: 'invoice',
    amount_minor: invoice.total_minor,
    number: displayNumber(invoice.number),
    status: publicStatusAt(invoice, now),
    customer_name: invoice.customer_name,
    items: itemsOf(invoice),
    issued_on: dayOf(invoice.created_at),
    due_on: invoice.due_date,
    note: invoice.note,
    pay_link: statusAt(link, now) === 'ACTIVE' ? shop.pay_path : null,
    pdf_path: `${path}.pdf`,
    receipt_path: paid_collection_id === null ? null : `${shop.pay_path}/c/${paid_collection_id}/receipt`,
  }
}
