// Describes each event that merchants receive: one page per event.

import type { EventName } from '../../adapters/webhooks/index.ts'

/** `when` completes "The server sends this event when". `to_do` tells the receiver the next step. */
export type EventText = { when: string; to_do: string; fields: readonly string[] }

/** The fields that every event has, with their meanings. */
export const COMMON_FIELDS: Readonly<Record<string, string>> = {
  event: 'the name of the event',
  merchant_code: 'the code of your business',
  reference: 'your own reference, as the request had it',
  merchant_reference: 'the same as `reference`',
  amount: 'the requested amount',
  currency: '`TZS`',
  status: 'the status of the record at this moment',
  method: 'the way of the payment or payout',
  timestamp: 'the time of the fact; later facts have later times',
  sandbox: '`true`, only in events of the sandbox: deliver nothing',
  test: '`true`, only in test deliveries: deliver nothing',
}

/** The fields that only some events have, with their meanings. */
export const OWN_FIELDS: Readonly<Record<string, string>> = {
  collection_id: 'the payment: read it with `GET /v1/collections/{collection_id}`',
  disbursement_id: 'the payout: read it with `GET /v1/disbursements/{disbursement_id}`',
  completed_at: 'the time of the success',
  failed_at: 'the time of the failure',
  held_at: 'the time from which the money waits for a review',
  reversed_at: 'the time at which the money went back',
  failure_reason_code: 'the reason, for programs; treat an unknown code as a failure',
  failure_reason_message: 'the reason, as a sentence for people',
  amount_received: 'the amount that the provider took, only if it differs from `amount`',
}

/** The page of each event. */
export const EVENT_TEXTS: Readonly<Record<EventName, EventText>> = {
  'collection.success': {
    when: 'a payer has paid, and the money is in your balance',
    to_do:
      'Deliver the goods, once per `collection_id`, unless the event has `sandbox` or `test`. No other event, status or answer means that the payer paid.',
    fields: ['collection_id', 'completed_at', 'amount_received'],
  },
  'collection.failed': {
    when: 'a payer did not pay',
    to_do:
      'Keep the order open, show `failure_reason_message` and offer another attempt with a new `Idempotency-Key`. A late success may still follow as `collection.success`.',
    fields: ['collection_id', 'failure_reason_code', 'failure_reason_message', 'failed_at'],
  },
  'collection.reversed': {
    when: 'the money of a successful payment went back to the payer',
    to_do: 'Stop the delivery, or ask the payer for the goods or the money. Your balance no longer has the amount.',
    fields: ['collection_id', 'reversed_at'],
  },
  'collection.pending_review': {
    when: 'the money arrived, and the platform holds it for a review, for example because the amount differs',
    to_do:
      'Deliver nothing yet, and ask the payer for no second payment. `collection.success` or `collection.failed` follows the decision of an operator.',
    fields: ['collection_id', 'held_at', 'amount_received'],
  },
  'disbursement.success': {
    when: 'a payout arrived at its recipient',
    to_do: 'Mark the payout as done. Only this event, or the status `SUCCESS`, means that the recipient has the money.',
    fields: ['disbursement_id', 'completed_at'],
  },
  'disbursement.failed': {
    when: 'a payout failed; amount and charges are in your balance again',
    to_do:
      'Read `failure_reason_code`, correct the destination if it is wrong, and submit another payout with a new `Idempotency-Key`.',
    fields: ['disbursement_id', 'failure_reason_code', 'failure_reason_message', 'failed_at'],
  },
  'disbursement.reversed': {
    when: 'a payout that had arrived came back. The server sends this event only if your `events` name it',
    to_do: 'Treat the payout as not paid, and find out why the recipient did not keep the money before you pay again.',
    fields: ['disbursement_id', 'reversed_at'],
  },
}
