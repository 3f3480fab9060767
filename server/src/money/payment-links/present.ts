// Converts payment pages to their records for merchants and payers.

import { FAILURE_REASONS, FAILURE_REASONS_SW, type Method } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { formatAmount, type Language } from '../../kernel/lib/index.ts'
import type { PagePayment } from '../collections/index.ts'
import type { LinkRecord, PUBLIC_METHODS } from './schema.ts'
import { linkStatusAt } from './state.ts'
import type { Link } from './store.ts'

/** Returns the public URL of a page. `pay_url` is the base URL of the pages, without a final slash. */
export function publicUrl(pay_url: string, slug: string): string {
  return `${pay_url}/pay/${slug}`
}

/** Returns the title of the invoice with this number, such as `Ankara INV-000001`. */
export function invoiceTitle(number: string, language: Language): string {
  return language === 'sw' ? `Ankara ${number}` : `Invoice ${number}`
}

/**
 * Returns the description of a page. The stored description of an invoice's page is in the language of the invoice. So this
 * function makes the title of the invoice again from the number, in `language`. Null means that the page has no description.
 */
export function pageDescription(
  { invoice_id, reference, description }: Pick<Link, 'invoice_id' | 'reference' | 'description'>,
  language: Language,
): string | null {
  return invoice_id === null || reference === null ? description : invoiceTitle(reference, language)
}

/**
 * Returns the record of a payment link for its merchant, with its status now. `pay_url` is the base URL of the pages.
 */
export function presentLink(deps: Deps, pay_url: string, link: Link): LinkRecord {
  return {
    id: link.id,
    merchant_id: link.merchant_id,
    environment: link.environment,
    amount: formatAmount(link.amount_minor),
    currency: link.currency,
    customer_name: link.customer_name,
    customer_phone: link.customer_phone,
    description: link.description,
    reference: link.reference,
    expires_at: link.expires_at?.toISOString() ?? null,
    status: linkStatusAt(link, deps.clock.now()),
    public_slug: link.slug,
    public_url: publicUrl(pay_url, link.slug),
    invoice_id: link.invoice_id,
    paid_collection_id: link.paid_collection_id,
    paid_at: link.paid_at?.toISOString() ?? null,
    metadata: link.metadata ?? {},
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  }
}

/**
 * Returns the public record of a page, without ids. If the page is a payment link for no invoice, the record has the customer's
 * name and phone. The merchant wrote both for the payer. For the page of an invoice and for a hosted page, the record has no
 * customer.
 */
export function presentPublic(deps: Deps, link: Link) {
  const names_customer = link.invoice_id === null && link.collection_id === null
  return {
    merchant_name: link.merchant_name,
    amount: formatAmount(link.amount_minor),
    currency: link.currency,
    description: link.description,
    customer_name: names_customer ? link.customer_name : null,
    customer_phone: names_customer ? link.customer_phone : null,
    expires_at: link.expires_at?.toISOString() ?? null,
    status: linkStatusAt(link, deps.clock.now()),
  }
}

/** The names of payment methods in the API for payers. */
export const PUBLIC_NAMES: Record<Method, (typeof PUBLIC_METHODS)[number]> = {
  wallet_push: 'WALLET_PUSH',
  provider_pesa: 'PROVIDER_PESA',
  qr: 'TANQR',
}

/** Returns the status of a payment for its payer, with the reason of a failure in English and Swahili. */
export function presentPayment(payment: PagePayment) {
  const { collection_id, status, method, failure_reason_code } = payment
  return {
    collection_id,
    status,
    method: method === null ? null : PUBLIC_NAMES[method],
    failure_reason_code,
    failure_reason_message: failure_reason_code === null ? null : FAILURE_REASONS[failure_reason_code],
    failure_reason_message_sw: failure_reason_code === null ? null : FAILURE_REASONS_SW[failure_reason_code],
  }
}
