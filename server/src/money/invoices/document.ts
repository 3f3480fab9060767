// Builds the PDF of an invoice, for the page of its payment link and for its e-mails.

import { contactLines, logoBase64 } from '../../access/merchants/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { drawDocument, type InvoiceDocument } from '../../kernel/documents/index.ts'
import { findPagePayments } from '../collections/index.ts'
import { publicUrl } from '../payment-links/index.ts'
import { itemsOf } from './items.ts'
import { displayNumber, statusAt } from './state.ts'
import { findInvoice, type Invoice } from './store.ts'

/**
 * Returns the content of the PDF. `pay_url` is the base address of the payment pages. If `test` is true, the PDF states that the
 * invoice is not for real money.
 */
export async function invoiceDocument(
  deps: Deps,
  invoice: Invoice,
  pay_url: string,
  test: boolean,
): Promise<InvoiceDocument> {
  const { merchant_id, slug, paid_at, paid_collection_id: collection_id, reversed_at, updated_at } = invoice
  const keys = collection_id === null ? [] : [{ merchant_id, collection_id }]
  const [payment] = keys.length === 0 ? [] : await findPagePayments(deps.db, keys)
  const can_be_paid = invoice.link_status === 'ACTIVE' && slug !== null && !invoice.under_review
  return {
    language: invoice.language,
    brand_name: deps.config.brand_name,
    merchant_name: invoice.merchant_name,
    logo: await logoBase64(deps.db, invoice),
    accent_color: invoice.accent_color,
    contact: contactLines(invoice),
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
    pay_url: can_be_paid ? publicUrl(pay_url, slug) : null,
    paid: paid_at === null ? null : { at: paid_at, reference: payment?.provider_id ?? collection_id, reversed_at },
    test,
    drawn_at: new Date(Math.max(...[updated_at, paid_at, reversed_at].map((at) => at?.getTime() ?? 0))),
  }
}

/** An attachment of an e-mail about an invoice. */
type InvoiceFile = { filename: string; content: Buffer; content_type: string; is_logo?: boolean }

/** The attachments of an e-mail, and the merchant's colour. Null means that the merchant has chosen no colour. */
type InvoiceMailParts = { attachments: InvoiceFile[]; accent_color: string | null }

/**
 * Makes the function that returns the attachments of a message and the colour of its button when the worker sends the message.
 * If the message is about an invoice, the attachments are the PDF of the current invoice and the logo of its merchant, if any.
 * Any other message has neither.
 */
export function createInvoiceFiles(
  deps: Deps,
  options: { payUrl(): string; rehearses: boolean },
): (message: { merchant_id: string; invoice_id: string | null }) => Promise<InvoiceMailParts> {
  return async ({ merchant_id, invoice_id }) => {
    const invoice = invoice_id === null ? null : await findInvoice(deps.db, merchant_id, invoice_id)
    if (invoice === null) return { attachments: [], accent_color: null }
    const test = options.rehearses || invoice.environment === 'sandbox'
    const input = await invoiceDocument(deps, invoice, options.payUrl(), test)
    const content = await drawDocument(invoice, { kind: 'invoice', input })
    const pdf = { filename: `${displayNumber(invoice.number)}.pdf`, content, content_type: 'application/pdf' }
    const { accent_color } = input
    if (input.logo === null) return { attachments: [pdf], accent_color }
    const logo = { filename: 'logo.png', content: Buffer.from(input.logo, 'base64'), content_type: 'image/png' }
    return { attachments: [{ ...logo, is_logo: true }, pdf], accent_color }
  }
}
