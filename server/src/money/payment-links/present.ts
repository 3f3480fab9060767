// From a page to what its merchant and its payers see.

import { FAILURE_REASONS, type Method } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import type { PagePayment } from '../collections/index.ts'
import type { LinkRecord, PUBLIC_METHODS } from './schema.ts'
import { statusAt } from './state.ts'
import type { Link } from './store.ts'

/** The public address of a page. `pay_url`: where the pages are served, without a slash at its end. */
export function publicUrl(pay_url: string, slug: string): string {
  return `${pay_url}/pay/${slug}`
}

/** A payment link as its merchant sees it. */
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
    status: statusAt(link, deps.clock.now()),
    public_slug: link.slug,
    public_url: publicUrl(pay_url, link.slug),
    invoice_id: link.invoice_id,
    paid_collection_id: link.paid_collection_id,
    paid_at: link.paid_at?.toISOString() ?? null,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  }
}

/**
 * A page as anybody with its address sees it: without ids. Whom a payment link is for, its merchant chose to say; of an invoice
 * or an order nobody did.
 */
export function presentPublic(deps: Deps, link: Link) {
  const told = link.invoice_id === null && link.collection_id === null
  return {
    merchant_name: link.merchant_name,
    amount: formatAmount(link.amount_minor),
    currency: link.currency,
    description: link.description,
    customer_name: told ? link.customer_name : null,
    customer_phone: told ? link.customer_phone : null,
    expires_at: link.expires_at?.toISOString() ?? null,
    status: statusAt(link, deps.clock.now()),
  }
}

/** How the public calls name a method. */
export const PUBLIC_NAMES: Record<Method, (typeof PUBLIC_METHODS)[number]> = {
  wallet_push: 'WALLET_PUSH',
  provider_pesa: 'PROVIDER_PESA',
  qr: 'TANQR',
}

/** Where a payment stands, as its payer may know it. */
export function presentPayment(payment: PagePayment) {
  const { collection_id, status, method, failure_reason_code } = payment
  return {
    collection_id,
    status,
    method: method === null ? null : PUBLIC_NAMES[method],
    failure_reason_code,
    failure_reason_message: failure_reason_code === null ? null : FAILURE_REASONS[failure_reason_code],
  }
}
