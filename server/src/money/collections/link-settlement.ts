// Defines the functions with which a settlement changes the payment link of its payment; the room payment-links implements
// them. A transaction locks collections first, then payment links, both in the order of merchant and id.

import type { Tx } from '../../kernel/db/index.ts'

/** The stored status of a payment link. The server never stores EXPIRED. */
export type LinkStatus = 'ACTIVE' | 'PAID' | 'CANCELLED'

/** A payment link or hosted page that the transaction has locked. */
export type LockedLink = {
  merchant_id: string
  id: string
  status: LinkStatus
  paid_collection_id: string | null
  /** The collection of a hosted page. Null means that the page is a payment link. */
  collection_id: string | null
  invoice_id: string | null
  /** The phone that the merchant named for the link. Null means that the merchant named no phone. */
  customer_phone: string | null
}

/** A payment link that a payment has just paid. `collection_id` is that payment. */
export type PaidLink = { merchant_id: string; id: string; collection_id: string }

/** A payment with the id of its payment link. Null means that the payment has no link. */
export type LinkedPayment = { merchant_id: string; payment_link_id: string | null }

/** The functions of the room payment-links that query the database in the transaction of a settlement. */
export type LinkSettlement = {
  /**
   * Locks the links of these payments and returns the links by id. The caller has locked the collections. Without a link, no
   * query runs.
   */
  lock(tx: Tx, payments: readonly LinkedPayment[]): Promise<Map<string, LockedLink>>
  /**
   * Locks the link of a payment with the other links of the same invoice, and returns the link. The caller has locked the
   * collection. Undefined means that the payment has no link.
   */
  lockWithInvoice(tx: Tx, payment: LinkedPayment): Promise<LockedLink | undefined>
  /**
   * If the invoice of a cancelled link is neither paid nor cancelled, and still has the amount of the link, makes the link
   * ACTIVE. Cancels the other ACTIVE links of the invoice. The caller has locked the links with `lockWithInvoice`. Returns the
   * changed links.
   */
  reopen(tx: Tx, payment: LinkedPayment, now: Date): Promise<{ id: string; status: LinkStatus }[]>
  /** Marks links as paid, each by the first payment that paid it. Without a link, no query runs. */
  markPaid(tx: Tx, paid: readonly PaidLink[], now: Date): Promise<void>
}

/** Returns true if the link takes no more money, because another payment paid the link or the link is cancelled. */
export function isSuperseded(link: LockedLink | undefined, collection_id: string): boolean {
  if (link === undefined) return false
  return link.status === 'CANCELLED' || (link.status === 'PAID' && link.paid_collection_id !== collection_id)
}
