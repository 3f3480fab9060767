// An invoice as a PDF: for the page of its link, and beside the e-mail that brings it.

import type { Deps } from '../../kernel/db/index.ts'
import { drawDocument, type InvoiceDocument } from '../../kernel/documents/index.ts'
import { findPagePayments } from '../collections/index.ts'
import { publicUrl } from '../payment-links/index.ts'
import { itemsOf } from './items.ts'
import { displayNumber, statusAt } from './state.ts'
import { findInvoice, type Invoice } from './store.ts'

/** What the PDF of an invoice shows. `pay_url`: where the pages are served. `test`: no real money is meant. */
export async function invoiceDocument(
  deps: Deps,
  invoice: Invoice,
  pay_url: string,
  test: boolean,
): Promise<InvoiceDocument> {
  const { merchant_id, slug, paid_at, paid_collection_id: collection_id, reversed_at, updated_at } = invoice
  const keys = collection_id === null ? [] : [{ merchant_id, collection_id }]
  const [payment] = keys.length === 0 ? [] : await findPagePayments(deps.db, keys)
  const open = invoice.link_status === 'ACTIVE' && slug !== null && !invoice.under_review
  return {
    language: invoice.language,
    brand_name: deps.config.brand_name,
    merchant_name: invoice.merchant_name,
    number: displayNumber(invoice.number),
    status: statusAt(invoice, deps.clock.now()),
    issued: invoice.created_at,
    due_date: invoice.due_date,
    customer_name: invoice.customer_name,
    customer_phone: invoice.customer_phone,
    customer_email: invoice.customer_email,
    items: itemsOf(invoice),
    total_minor: invoice.total_minor,
    currency: invoice.currency,
    note: invoice.note,
    pay_url: open ? publicUrl(pay_url, slug) : null,
    paid: paid_at === null ? null : { at: paid_at, reference: payment?.provider_id ?? collection_id, reversed_at },
    test,
    drawn_at: new Date(Math.max(...[updated_at, paid_at, reversed_at].map((at) => at?.getTime() ?? 0))),
  }
}

/** A file beside an e-mail. */
export type InvoiceFile = { filename: string; content: Buffer; content_type: string }

/**
 * Makes the function that gives the files that go with an e-mail, when it is sent: the invoice as it is then. A message
 * about no invoice has none.
 */
export function createInvoiceFiles(
  deps: Deps,
  options: { payUrl(): string; rehearses: boolean },
): (message: { merchant_id: string; invoice_id: string | null }) => Promise<InvoiceFile[]> {
  return async ({ merchant_id, invoice_id }) => {
    const invoice = invoice_id === null ? null : await findInvoice(deps.db, merchant_id, invoice_id)
    if (invoice === null) return []
    const test = options.rehearses || invoice.environment === 'sandbox'
    const input = await invoiceDocument(deps, invoice, options.payUrl(), test)
    const content = await drawDocument(invoice, { kind: 'invoice', input })
    return [{ filename: `${displayNumber(invoice.number)}.pdf`, content, content_type: 'application/pdf' }]
  }
}
