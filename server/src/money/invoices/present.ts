// Converts an invoice to its record in responses and in CSV files.

import { formatAmount } from '../../kernel/lib/index.ts'
import { publicUrl } from '../payment-links/index.ts'
import { itemsOf } from './items.ts'
import type { InvoiceRecord } from './schema.ts'
import { displayNumber, statusAt } from './state.ts'
import type { Invoice } from './store.ts'

/** Returns the record of an invoice with its status at `now`. `pay_url` is the base address of the payment pages. */
export function presentInvoice(invoice: Invoice, pay_url: string, now: Date): InvoiceRecord {
  const url = invoice.slug === null ? null : publicUrl(pay_url, invoice.slug)
  return {
    id: invoice.id,
    merchant_id: invoice.merchant_id,
    environment: invoice.environment,
    number: displayNumber(invoice.number),
    status: statusAt(invoice, now),
    customer_name: invoice.customer_name,
    customer_phone: invoice.customer_phone,
    customer_email: invoice.customer_email,
    due_date: invoice.due_date,
    language: invoice.language,
    currency: invoice.currency,
    items: itemsOf(invoice).map(({ description, quantity, unit_price_minor, amount_minor }) => ({
      description,
      quantity,
      unit_price: formatAmount(unit_price_minor),
      amount: formatAmount(amount_minor),
    })),
    total: formatAmount(invoice.total_minor),
    note: invoice.note,
    payment_link_id: invoice.payment_link_id,
    payment_link_status: invoice.link_status,
    payment_url: url,
    invoice_url: url === null ? null : `${url}/invoice`,
    sent_at: invoice.sent_at?.toISOString() ?? null,
    reminders: invoice.reminders,
    paid_at: invoice.paid_at?.toISOString() ?? null,
    paid_collection_id: invoice.paid_collection_id,
    payment_reversed_at: invoice.reversed_at?.toISOString() ?? null,
    cancelled_at: invoice.cancelled_at?.toISOString() ?? null,
    metadata: invoice.metadata ?? {},
    created_at: invoice.created_at.toISOString(),
    updated_at: invoice.updated_at.toISOString(),
  }
}
