// The events of webhooks: one type for each event, told apart by the field `event`.

import { VERSION } from './version.ts'

/** The fields of every event. */
type EventFields = {
  /** The short public name of your merchant. */
  merchant_code: string
  /** Your own id of the payment or payout. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** Shillings, as a decimal text such as "25000.00". */
  amount: string
  currency: string
  /** The time of the fact. */
  timestamp: string
  /** Your own pairs of texts of the payment or payout. Servers before version 0.3 send none. */
  metadata?: Record<string, string>
  /** Present in the sandbox only. No real money moved: never ship an order for such an event. */
  sandbox?: true
  /** Present in test deliveries only. Nothing happened: never ship an order for such an event. */
  test?: true
}

/** The fields of an event about a payment. */
type CollectionFields = EventFields & {
  collection_id: string
  method: 'wallet_push' | 'provider_pesa' | 'qr' | (string & {}) | null
  customer_phone?: string | null
  /** The amount that the provider took, if it is not the requested amount. */
  amount_received?: string
  /** The amount in another currency, if the payer paid in one. */
  foreign_amount?: string
  foreign_currency?: string
}

/** The fields of an event about a payout. */
type DisbursementFields = EventFields & {
  disbursement_id: string
  method: 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA' | (string & {})
}

/** Why something failed. New codes may follow: treat an unknown code as a failure. */
type FailureFields = { failure_reason_code?: string; failure_reason_message?: string }

/** The payer paid. Deliver the goods, unless the event has `test` or `sandbox`. */
export type CollectionSuccess = CollectionFields & {
  event: 'collection.success'
  status: 'successful'
  completed_at: string
}
/** The payer did not pay. A late success may still follow. */
export type CollectionFailed = CollectionFields &
  FailureFields & { event: 'collection.failed'; status: 'failed'; failed_at: string }
/** The money arrived, and the platform holds it for review. Wait. */
export type CollectionPendingReview = CollectionFields & {
  event: 'collection.pending_review'
  status: 'pending_clearance'
  held_at: string
}
/** The money went back to the payer. */
export type CollectionReversed = CollectionFields & {
  event: 'collection.reversed'
  status: 'reversed'
  reversed_at: string
}
/** The payout arrived. */
export type DisbursementSuccess = DisbursementFields & {
  event: 'disbursement.success'
  status: 'SUCCESS'
  completed_at: string
}
/** The payout failed, and its amount is available again. */
export type DisbursementFailed = DisbursementFields &
  FailureFields & { event: 'disbursement.failed'; status: 'FAILED'; failed_at: string }
/** A payout came back after its success. */
export type DisbursementReversed = DisbursementFields & {
  event: 'disbursement.reversed'
  status: 'REVERSED'
  reversed_at: string
}

/**
 * The event of a webhook: `switch (event.event)` tells the kinds apart. A newer server can send other events, which reach the
 * `default` of the switch: log `unknownEventNotice(event)`, and answer 200.
 */
export type WebhookEvent =
  | CollectionSuccess
  | CollectionFailed
  | CollectionPendingReview
  | CollectionReversed
  | DisbursementSuccess
  | DisbursementFailed
  | DisbursementReversed

const KNOWN: Record<WebhookEvent['event'], true> = {
  'collection.success': true,
  'collection.failed': true,
  'collection.pending_review': true,
  'collection.reversed': true,
  'disbursement.success': true,
  'disbursement.failed': true,
  'disbursement.reversed': true,
}

/** Returns a sentence about an event that this version of the SDK does not know. Null means that it knows the event. */
export function unknownEventNotice(event: { event: string }): string | null {
  if (Object.hasOwn(KNOWN, event.event)) return null
  return `The event ${event.event} is newer than this SDK (${VERSION}): answer 200, and update the SDK if you need the event.`
}

/**
 * Returns true if the event means that a payer paid real money: a `collection.success` that is neither a test nor of the
 * sandbox. Only then deliver the goods.
 */
export function isPaid(event: WebhookEvent): event is CollectionSuccess {
  return event.event === 'collection.success' && event.test !== true && event.sandbox !== true
}
