// The types of the calls that an API key can make. Generated from openapi.json by `npm run generate`; do not edit.

/** The error codes of the API. */
export type ErrorCode =
  | 'validation_failed'
  | 'invalid_json'
  | 'malformed_request'
  | 'idempotency_key_required'
  | 'authentication_required'
  | 'invalid_api_key'
  | 'api_key_revoked'
  | 'public_key_not_accepted'
  | 'invalid_session'
  | 'insufficient_scope'
  | 'insufficient_role'
  | 'merchant_mismatch'
  | 'production_access_restricted'
  | 'step_up_required'
  | 'conflict_of_interest'
  | 'second_factor_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'payment_link_not_active'
  | 'payment_link_already_paid'
  | 'payment_in_progress'
  | 'invalid_state'
  | 'key_limit_reached'
  | 'webhook_endpoint_limit_reached'
  | 'second_operator_required'
  | 'insufficient_balance'
  | 'confirmation_required'
  | 'payout_limit_reached'
  | 'withdrawal_restricted'
  | 'payouts_paused'
  | 'idempotency_in_progress'
  | 'request_timeout'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'simulate_status_not_allowed'
  | 'amount_not_supported'
  | 'unsupported_currency'
  | 'unknown_destination'
  | 'headers_too_large'
  | 'rate_limited'
  | 'internal_error'
  | 'provider_unavailable'
  | 'service_unavailable'

/** The names of the events that this version knows. */
export const EVENT_NAMES: readonly string[] = [
  'collection.success',
  'collection.failed',
  'collection.reversed',
  'collection.pending_review',
  'disbursement.success',
  'disbursement.failed',
  'disbursement.reversed',
  'disbursement.approved',
  'disbursement.info_requested',
  'payment_link.paid',
  'invoice.paid',
  'invoice.overdue',
  'balance.low',
]

/**
 * The event of a webhook: `switch (event.event)` separates the kinds. A newer server can send other events, which
 * reach the `default` of the switch: log `unknownEventNotice(event)`, and answer 200.
 */
export type WebhookEvent = 
  | CollectionSuccessEvent
  | CollectionFailedEvent
  | CollectionReversedEvent
  | CollectionPendingReviewEvent
  | DisbursementSuccessEvent
  | DisbursementFailedEvent
  | DisbursementReversedEvent
  | DisbursementApprovedEvent
  | DisbursementInfoRequestedEvent
  | PaymentLinkPaidEvent
  | InvoicePaidEvent
  | InvoiceOverdueEvent
  | BalanceLowEvent

/** The schema `Balance` of the API. */
export type Balance = {
  /** The amount that you can withdraw. Negative only after the reversal of a payment. */
  available: Money
  /** The amount that the platform set aside for payouts. */
  reserved: Money
  /** The received amount that is under review. */
  held: Money
  currency: string
}

/** The schema `BalanceLowEvent` of the API. */
export type BalanceLowEvent = {
  event: 'balance.low'
  /** The code of the merchant. */
  merchant_code: string
  /** Always null. */
  reference: string | null
  /** Always null. */
  merchant_reference: string | null
  /** The available balance. */
  amount: Money
  currency: string
  /** The mark that you set in the dashboard. */
  balance_below: Money
  status: 'LOW'
  /** The time at which the server found the balance below the mark. */
  low_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `Collection` of the API. */
export type Collection = {
  collection_id: string
  reference: string | null
  merchant_reference: string | null
  status: CollectionStatus
  /** The requested amount, in shillings. */
  amount: number
  /**
   * The received amount, as the provider reports the amount. Null means that the provider has reported no amount,
   * or that no operator has stated the worth of money in another currency.
   */
  amount_received: number | null
  /** The received amount in another currency. Null means that there is none. */
  foreign_amount: number | null
  /** The currency of foreign_amount. */
  foreign_currency: string | null
  currency: string
  method: CollectionMethod | null
  /** The name of the customer, without direction marks. */
  customer_name: string | null
  /**
   * The phone that your request named or that the payer typed, 255XXXXXXXXX. Null means that neither did: the
   * server never shows a phone that only the provider reported. After the erasure of old payers, the last six
   * digits are xxxxxx.
   */
  customer_phone: string | null
  /** Our fee, fixed with the method. Null means that the payer has not chosen a method. */
  fee: number | null
  /**
   * What the payment adds to your balance: the received amount without our fee. Null means that the payment is not
   * successful.
   */
  net_amount: number | null
  environment: 'live' | 'sandbox' | (string & {})
  /** The status as the provider names it. Null means that the provider has not answered. */
  provider_payment_status: string | null
  /** The address of the hosted page. Null means that the payment has no hosted page. */
  payment_url: string | null
  /** The reason of a failed payment. New releases can add reasons. */
  failure_reason_code: CollectionFailureCode | null
  /**
   * A sentence about the failure that you may show to a user, in the language of Accept-Language: sw, or en
   * (default).
   */
  failure_reason_message: string | null
  /** The same sentence in Swahili. */
  failure_reason_message_sw: string | null
  metadata: Metadata
  created_at: string
  updated_at: string
}

/** The schema `CollectionFailedEvent` of the API. */
export type CollectionFailedEvent = {
  event: 'collection.failed'
  /** The id of the payment. */
  collection_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The phone of the payer: see the record of the payment. Absent in test deliveries. */
  customer_phone?: string | null
  /** The received amount. Present only if it differs from the requested amount. */
  amount_received?: Money
  /** The received amount in another currency. */
  foreign_amount?: Money
  /** The currency of `foreign_amount`. */
  foreign_currency?: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id?: string
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id?: string
  status: 'failed'
  /** Null means that no payer has chosen a method. */
  method: CollectionMethod | null
  failure_reason_code: CollectionFailureCode
  /** A sentence about the failure that you may show to a user, in English. */
  failure_reason_message: string
  /** The same sentence in Swahili. */
  failure_reason_message_sw: string
  /** The time at which the payment failed. */
  failed_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The values of `CollectionFailureCode` in the API. */
export type CollectionFailureCode = 'user_cancelled' | 'provider_declined' | 'reversed' | 'expired' | 'provider_unavailable' | 'unknown_provider_error' | 'insufficient_balance' | 'wrong_pin' | 'review_declined' | 'timeout' | (string & {})

/** The schema `CollectionList` of the API. */
export type CollectionList = {
  items: Array<Collection>
  pagination: Pagination
}

/** The values of `CollectionMethod` in the API. */
export type CollectionMethod = 'wallet_push' | 'provider_pesa' | 'qr' | (string & {})

/** The schema `CollectionPendingReviewEvent` of the API. */
export type CollectionPendingReviewEvent = {
  event: 'collection.pending_review'
  /** The id of the payment. */
  collection_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The phone of the payer: see the record of the payment. Absent in test deliveries. */
  customer_phone?: string | null
  /** The received amount. Present only if it differs from the requested amount. */
  amount_received?: Money
  /** The received amount in another currency. */
  foreign_amount?: Money
  /** The currency of `foreign_amount`. */
  foreign_currency?: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id?: string
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id?: string
  status: 'pending_clearance'
  /** Null means that no payer has chosen a method. */
  method: CollectionMethod | null
  /** The time at which the review began. */
  held_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `CollectionReversedEvent` of the API. */
export type CollectionReversedEvent = {
  event: 'collection.reversed'
  /** The id of the payment. */
  collection_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The phone of the payer: see the record of the payment. Absent in test deliveries. */
  customer_phone?: string | null
  /** The received amount. Present only if it differs from the requested amount. */
  amount_received?: Money
  /** The received amount in another currency. */
  foreign_amount?: Money
  /** The currency of `foreign_amount`. */
  foreign_currency?: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id?: string
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id?: string
  status: 'reversed'
  /** Null means that no payer has chosen a method. */
  method: CollectionMethod | null
  /** The time at which the provider reversed the payment. */
  reversed_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The values of `CollectionStatus` in the API. */
export type CollectionStatus = 'created' | 'processing' | 'successful' | 'failed' | 'pending_clearance' | 'reversed' | (string & {})

/** The schema `CollectionSuccessEvent` of the API. */
export type CollectionSuccessEvent = {
  event: 'collection.success'
  /** The id of the payment. */
  collection_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The phone of the payer: see the record of the payment. Absent in test deliveries. */
  customer_phone?: string | null
  /** The received amount. Present only if it differs from the requested amount. */
  amount_received?: Money
  /** The received amount in another currency. */
  foreign_amount?: Money
  /** The currency of `foreign_amount`. */
  foreign_currency?: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id?: string
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id?: string
  status: 'successful'
  /** Null means that no payer has chosen a method. */
  method: CollectionMethod | null
  /** The time at which the server credited the payment. */
  completed_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `CurrentApiKey` of the API. */
export type CurrentApiKey = {
  /** The merchant of the key. */
  merchant_id: string
  merchant_name: string
  /** The short public name of the merchant, as in webhooks. */
  merchant_code: string
  /** The environment of the key. */
  environment: Environment
  /** The scopes of the key. */
  scopes: Array<string>
  key_id: string
  key_name: string
}

/** The schema `CurrentUser` of the API. */
export type CurrentUser = {
  id: string
  email: string
  email_verified: boolean
  name: string
  language: 'sw' | 'en' | (string & {})
  /**
   * The user is an operator of the platform with the role `SUPER_ADMIN`, and signed in with a second factor where
   * one is required. `console` names the console of this session.
   */
  super_admin: boolean
  /**
   * The role of an operator of the platform. Null means that the user is no operator, or signed in without the
   * second factor that operators need.
   */
  operator_role: OperatorRole | null
  /**
   * The duties that the operator role allows: reading, or one of the kinds of decisions. Empty without an operator
   * role.
   */
  operator_duties: Array<'read' | 'money' | 'merchants' | 'pause' | 'platform' | (string & {})>
  /**
   * The console of this session; the other console refuses the session. Null means both consoles: a token of the
   * admin command, or of an issuer without named clients.
   */
  console: 'dashboard' | 'operator' | null | (string & {})
  /**
   * The time at which the user last gave credentials in this session. After STEP_UP_S, requests that move money or
   * give access require a confirmation. Null means unknown.
   */
  auth_time: string | null
  /** True if the user signed in with a second factor. */
  second_factor: boolean
  memberships: Array<{
    merchant_id: string
    merchant_code: string
    name: string
    role: MerchantRole
    status: MerchantStatus
    verified: boolean
    priced: boolean
    /** The merchant refuses members who signed in without a second factor. */
    second_factor_required: boolean
  }>
}

/** The values of `Direction` in the API. */
export type Direction = 'credit' | 'debit' | (string & {})

/** The schema `DisbursementApprovedEvent` of the API. */
export type DisbursementApprovedEvent = {
  event: 'disbursement.approved'
  /** The id of the payout. */
  disbursement_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  status: 'PROCESSING'
  method: PayoutMethod
  /** The time of the approval. */
  approved_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `DisbursementFailedEvent` of the API. */
export type DisbursementFailedEvent = {
  event: 'disbursement.failed'
  /** The id of the payout. */
  disbursement_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  status: 'FAILED'
  method: PayoutMethod
  failure_reason_code: PayoutFailureCode
  /** A sentence about the failure that you may show to a user, in English. */
  failure_reason_message: string
  /** The same sentence in Swahili. */
  failure_reason_message_sw: string
  /** The time at which the payout failed. */
  failed_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `DisbursementInfoRequestedEvent` of the API. */
export type DisbursementInfoRequestedEvent = {
  event: 'disbursement.info_requested'
  /** The id of the payout. */
  disbursement_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The question of the operator. */
  message: string | null
  status: 'INFO_REQUESTED'
  method: PayoutMethod
  /** The time of the question. */
  info_requested_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `DisbursementReversedEvent` of the API. */
export type DisbursementReversedEvent = {
  event: 'disbursement.reversed'
  /** The id of the payout. */
  disbursement_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  status: 'REVERSED'
  method: PayoutMethod
  /** The time at which the payout came back. */
  reversed_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `DisbursementSuccessEvent` of the API. */
export type DisbursementSuccessEvent = {
  event: 'disbursement.success'
  /** The id of the payout. */
  disbursement_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  status: 'SUCCESS'
  method: PayoutMethod
  /** The time at which the payout arrived. */
  completed_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The values of `Environment` in the API. */
export type Environment = 'live' | 'sandbox' | (string & {})

/** The values of `EventName` in the API. */
export type EventName = 'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | (string & {})

/** The schema `Invoice` of the API. */
export type Invoice = {
  id: string
  merchant_id: string
  environment: Environment
  /** Counts from INV-000001 for each merchant and environment, without a gap. */
  number: string
  /** OVERDUE: sent, and not paid by its due date. PAID: its payment link was paid. */
  status: InvoiceStatus
  customer_name: string
  customer_phone: string | null
  customer_email: string | null
  due_date: string
  language: Language
  currency: string
  items: Array<{
    description: string
    quantity: string
    unit_price: string
    /** Quantity times unit price, rounded half up to the cent. */
    amount: Money
  }>
  /** The sum of the items. */
  total: Money
  note: string | null
  /** The paid payment link. If no link was paid, the newest. */
  payment_link_id: string | null
  payment_link_status: PaymentLinkStatus | null
  /** The address of the page where the customer pays. */
  payment_url: string | null
  /** The address of the page where the customer reads the invoice. */
  invoice_url: string | null
  sent_at: string | null
  /** The number of sent reminders. */
  reminders: number
  paid_at: string | null
  /** The payment that paid the invoice. */
  paid_collection_id: string | null
  /** The time at which that payment was reversed. The invoice stays PAID. */
  payment_reversed_at: string | null
  cancelled_at: string | null
  metadata: Metadata
  created_at: string
  updated_at: string
}

/** The schema `InvoiceList` of the API. */
export type InvoiceList = {
  items: Array<Invoice>
  pagination: Pagination
}

/** The schema `InvoiceOverdueEvent` of the API. */
export type InvoiceOverdueEvent = {
  event: 'invoice.overdue'
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id?: string
  /** The last day on which the customer would have paid in time. */
  due_date: string
  status: 'OVERDUE'
  /** The time at which the server found the invoice overdue. */
  overdue_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The schema `InvoicePaidEvent` of the API. */
export type InvoicePaidEvent = {
  event: 'invoice.paid'
  /** The id of the payment. */
  collection_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The phone of the payer: see the record of the payment. Absent in test deliveries. */
  customer_phone?: string | null
  /** The received amount. Present only if it differs from the requested amount. */
  amount_received?: Money
  /** The received amount in another currency. */
  foreign_amount?: Money
  /** The currency of `foreign_amount`. */
  foreign_currency?: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id: string
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id: string
  status: 'PAID'
  /** Null means that no payer has chosen a method. */
  method: CollectionMethod | null
  /** The time of the payment. */
  paid_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The values of `InvoiceStatus` in the API. */
export type InvoiceStatus = 'DRAFT' | 'SENT' | 'PAID' | 'OVERDUE' | 'CANCELLED' | (string & {})

/** The values of `Language` in the API. */
export type Language = 'sw' | 'en' | (string & {})

/** The values of `MerchantRole` in the API. */
export type MerchantRole = 'MERCHANT_ADMIN' | 'DEVELOPER' | 'FINANCE' | 'VIEWER' | (string & {})

/** The values of `MerchantStatus` in the API. */
export type MerchantStatus = 'PENDING' | 'ACTIVE' | 'SUSPENDED' | (string & {})

/** Your own pairs of texts. Empty if you sent none. */
export type Metadata = Record<string, string>

/** The schema `Money` of the API. */
export type Money = string

/** The values of `OperatorRole` in the API. */
export type OperatorRole = 'SUPPORT' | 'FINANCE_OPERATOR' | 'COMPLIANCE' | 'SUPER_ADMIN' | (string & {})

/** The schema `Pagination` of the API. */
export type Pagination = {
  /** The number of this page, from 1. */
  page: number
  /** The greatest number of items on a page. */
  page_size: number
  /** The number of items on all pages. The server stops counting at 10,000. */
  total_items: number
  total_pages: number
}

/** The schema `PaymentLink` of the API. */
export type PaymentLink = {
  id: string
  merchant_id: string
  environment: Environment
  /** The amount to pay. */
  amount: Money
  currency: string
  customer_name: string | null
  customer_phone: string | null
  description: string | null
  reference: string | null
  expires_at: string | null
  status: PaymentLinkStatus
  public_slug: string
  public_url: string
  /** The invoice that the link pays. */
  invoice_id: string | null
  /** The payment that paid the link. */
  paid_collection_id: string | null
  paid_at: string | null
  metadata: Metadata
  created_at: string
  updated_at: string
}

/** The schema `PaymentLinkList` of the API. */
export type PaymentLinkList = {
  items: Array<PaymentLink>
  pagination: Pagination
}

/** The schema `PaymentLinkPaidEvent` of the API. */
export type PaymentLinkPaidEvent = {
  event: 'payment_link.paid'
  /** The id of the payment. */
  collection_id: string
  /** The code of the merchant. */
  merchant_code: string
  /** Your own reference. Null means that you sent none. */
  reference: string | null
  /** The same as `reference`. */
  merchant_reference: string | null
  /** The requested amount. */
  amount: Money
  currency: string
  /** The phone of the payer: see the record of the payment. Absent in test deliveries. */
  customer_phone?: string | null
  /** The received amount. Present only if it differs from the requested amount. */
  amount_received?: Money
  /** The received amount in another currency. */
  foreign_amount?: Money
  /** The currency of `foreign_amount`. */
  foreign_currency?: string
  /** The payment link. Absent if the payer paid on no payment link. */
  payment_link_id: string
  /** The invoice. Absent if the payment pays no invoice. */
  invoice_id?: string
  status: 'PAID'
  /** Null means that no payer has chosen a method. */
  method: CollectionMethod | null
  /** The time of the payment. */
  paid_at: string
  metadata: Metadata
  /** The time of the event. */
  timestamp: string
  /** true for an event of the sandbox, otherwise absent. */
  sandbox?: boolean
  /** true for a test delivery, otherwise absent. */
  test?: boolean
}

/** The values of `PaymentLinkStatus` in the API. */
export type PaymentLinkStatus = 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED' | (string & {})

/** The values of `PayoutFailureCode` in the API. */
export type PayoutFailureCode = 'provider_declined' | 'unknown_recipient' | 'limit_exceeded' | 'unknown_provider_error' | 'operator_resolved' | (string & {})

/** The schema `PayoutLimits` of the API. */
export type PayoutLimits = {
  /** Largest sum of payouts that operators may approve on a day. Null means that there is no limit. */
  daily_limit: string | null
  /** The payouts that operators approved today, without fees. */
  approved_today: string
  /**
   * Largest sum of payouts that operators may approve to one phone or account on a day. Null means that there is no
   * limit.
   */
  daily_limit_per_destination: string | null
}

/** The values of `PayoutMethod` in the API. */
export type PayoutMethod = 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA' | (string & {})

/** The schema `PushAccepted` of the API. */
export type PushAccepted = {
  collection_id: string
  reference: string | null
  status: 'processing'
  message: string
}

/** The schema `QrAccepted` of the API. */
export type QrAccepted = {
  collection_id: string
  reference: string | null
  status: 'processing'
  /** The token, exactly as the provider made it. */
  payment_token: string
  /** The payload, exactly as the provider made it. Draw it as a QR code without re-encoding. */
  qr_payload: string
  /** Always null. Assume that the code does not expire. */
  expires_at: null
}

/** The schema `RequestSummary` of the API. */
export type RequestSummary = {
  id: string
  /** When the request arrived. For not_kept, when the first of these requests arrived. */
  at: string
  /** X-Request-Id of the response. Null means that the kind is not_kept. */
  request_id: string | null
  method: string | null
  /** Without the query. */
  path: string | null
  status: number | null
  /** Until the response was ready. */
  duration_ms: number | null
  error_code: string | null
  key_id: string | null
  key_name: string | null
  /** 0, or the number of requests that the log did not keep. */
  not_kept: number
}

/** The schema `RequestSummaryList` of the API. */
export type RequestSummaryList = {
  items: Array<RequestSummary>
  pagination: Pagination
}

/** The schema `Statement` of the API. */
export type Statement = {
  merchant_id: string
  environment: Environment
  period: string
  /** The start of the period. */
  from: string
  /** The end of the period, which is the start of the next period. */
  to: string
  /** False while the period may still get transactions. */
  final: boolean
  currency: string
  /** The available balance at the start, which is the closing balance of the previous period. */
  opening_balance: Money
  /** The opening balance plus the net of all lines. */
  closing_balance: Money
  /** One line for each type and direction, also without transactions. */
  lines: Array<StatementLine>
}

/** The schema `StatementLine` of the API. */
export type StatementLine = {
  type: TransactionType
  direction: Direction
  count: number
  /** The sum of the amounts. */
  amount: Money
  /** The sum of the fees. */
  fee: Money
  /** The change of the available balance: negative if it decreased. */
  net: Money
}

/** The schema `Timeline` of the API. */
export type Timeline = {
  /** Oldest first. */
  items: Array<TimelineRequest | TimelineAttempt | TimelineStatus | TimelineTransfer | TimelineWebhook>
  /** False means that a kind has too many entries, and the timeline shows only the newest. */
  complete: boolean
}

/** The schema `TimelineAttempt` of the API. */
export type TimelineAttempt = {
  at: string
  /** A step of an attempt at a provider. */
  kind: 'attempt'
  /** Counts from 1. On a page, a payer may make several attempts. */
  number: number
  /**
   * created: the server stored the attempt. sent: the provider took the request. answered: the provider reported an
   * outcome.
   */
  what: 'created' | 'sent' | 'answered' | (string & {})
  provider: string
  method: string
  /** Our reference at the provider. */
  provider_reference: string
  /**
   * The provider's newest status, only on the newest step of the attempt. Null on earlier steps, and for
   * withdrawals.
   */
  provider_status: string | null
}

/** The schema `TimelineRequest` of the API. */
export type TimelineRequest = {
  at: string
  /** A request of your server that created or named the record. */
  kind: 'request'
  /** The id of the entry in the request log. */
  id: string
  request_id: string
  method: string
  path: string
  status: number
  duration_ms: number
}

/** The schema `TimelineStatus` of the API. */
export type TimelineStatus = {
  at: string
  /** The merchant or the payer created the record, or its status changed. */
  kind: 'status'
  /** Null means that this move created the record. */
  from: string | null
  to: string
  /** The actor that changed the status. platform: an operator. deadline: no answer came in time. */
  actor: 'merchant' | 'payer' | 'platform' | 'provider' | 'deadline' | (string & {})
  /** The reason of the provider, the message of the platform, or your answer. */
  reason: string | null
}

/** The schema `TimelineTransfer` of the API. */
export type TimelineTransfer = {
  at: string
  /** A transfer in your book. */
  kind: 'transfer'
  /** The posting of the transfer, such as collection_settled. */
  posting: string
  /** The debited account. */
  debit: string
  /** The credited account. */
  credit: string
  amount: string
  /** The transaction (TXN-) of the posting. Null means that your available balance did not change. */
  reference: string | null
}

/** The schema `TimelineWebhook` of the API. */
export type TimelineWebhook = {
  at: string
  /** An attempt to deliver an event to you. */
  kind: 'webhook'
  delivery_id: string
  event: string
  /** The number of the attempt. 0 means that the event waits in the queue and the server has made no attempt. */
  number: number
  /** Null means that no answer came. */
  status_code: number | null
  /** Null means that the server made no attempt. */
  duration_ms: number | null
  /** A short code. Null means that the receiver answered with 2xx, or that the server made no attempt. */
  error: string | null
  delivered: boolean
  /** When the next attempt is due; only on the newest attempt. Null means that no attempt follows. */
  next_attempt_at: string | null
}

/** The schema `Transaction` of the API. */
export type Transaction = {
  /** TXN- and 26 characters. */
  reference: string
  /**
   * The number in your book of this environment: the first transaction has 1, and there are no gaps. Lists, exports
   * and statements use this order.
   */
  sequence: number
  /**
   * COLLECTION: the platform credited a payment. COLLECTION_REVERSAL: the provider reversed a payment. WITHDRAWAL:
   * the platform debited the amount and fees of a payout. WITHDRAWAL_REVERSAL: the platform credited the amount and
   * the returned fees of a failed or reversed payout. ADJUSTMENT: the platform corrected the balance.
   */
  type: TransactionType
  /** credit: increases the available balance. debit: decreases it. */
  direction: Direction
  /** The amount without the fee. */
  amount: Money
  /** The fee. For a reversal, the returned fee. */
  fee: Money
  /**
   * The change of your available balance: amount less fee for payments and their reversals, amount plus fee for
   * withdrawals and their reversals.
   */
  net_amount: Money
  currency: string
  status: TransactionStatus
  /**
   * The available balance after this transaction: the balance after the previous `sequence`, plus or minus
   * `net_amount`.
   */
  balance_after: Money
  /** The payment of the transaction. */
  collection_id: string | null
  /** The withdrawal of the transaction. */
  withdrawal_id: string | null
  /** Your own reference of that payment or withdrawal. */
  merchant_reference: string | null
  environment: Environment
  /** The time of booking, never earlier than the time of the previous `sequence`. */
  created_at: string
}

/** The schema `TransactionList` of the API. */
export type TransactionList = {
  items: Array<Transaction>
  pagination: Pagination
}

/**
 * For a COLLECTION: successful, or reversed after a reversal. For a WITHDRAWAL: the status of the withdrawal. For
 * all others: successful.
 */
export type TransactionStatus = 'successful' | 'reversed' | 'PENDING_ADMIN_APPROVAL' | 'INFO_REQUESTED' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'NEEDS_RECONCILIATION' | 'BLOCKED_IP_WHITELIST' | 'NEEDS_ADMIN_ATTENTION' | 'REVERSED' | (string & {})

/** The values of `TransactionType` in the API. */
export type TransactionType = 'COLLECTION' | 'COLLECTION_REVERSAL' | 'WITHDRAWAL' | 'WITHDRAWAL_REVERSAL' | 'ADJUSTMENT' | (string & {})

/** The schema `WebhookConfig` of the API. */
export type WebhookConfig = {
  webhook_url: string
  events: Array<EventName>
  /** The last four characters of the signing secret. */
  secret_last4: string
  /** The signing secret. Only in the answer to the request that made the secret. */
  secret?: string
}

/** The schema `WebhookDelivery` of the API. */
export type WebhookDelivery = {
  /** The id of the delivery. All attempts and replays have the same id, so that receivers can detect duplicates. */
  id: string
  event: EventName
  environment: Environment
  /** The endpoint: `default`, which is that of webhook-config, or an id of webhook-endpoints. */
  endpoint_id: string
  status: WebhookDeliveryStatus
  /** The body that the receiver gets. */
  payload: Record<string, unknown>
  attempts: Array<{
    number: number
    /** The start of the attempt. */
    at: string
    /** Null means that the receiver did not answer. */
    status_code: number | null
    duration_ms: number
    /** A short reason. Null means that the receiver answered with 2xx. */
    error: string | null
    /** The beginning of the answer: 16 KiB; in lists 500 characters. */
    response_body: string | null
  }>
  /** The time of the first accepted attempt. */
  delivered_at: string | null
  /** The time when the next attempt is due. Null means that the delivery is not pending. */
  next_attempt_at: string | null
  /** The time of the event. */
  created_at: string
}

/** The schema `WebhookDeliveryList` of the API. */
export type WebhookDeliveryList = {
  items: Array<WebhookDelivery>
  pagination: Pagination
}

/** The values of `WebhookDeliveryStatus` in the API. */
export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled' | (string & {})

/** The schema `WebhookEndpoint` of the API. */
export type WebhookEndpoint = {
  webhook_url: string
  events: Array<EventName>
  /** The last four characters of the signing secret. */
  secret_last4: string
  /** The signing secret. Only in the answer to the request that made the secret. */
  secret?: string
  /** The endpoint: `default`, which is that of webhook-config, or an id of webhook-endpoints. */
  id: string
  environment: Environment
  /** Your text about the endpoint. Null means that there is none. */
  description: string | null
  /** The time at which you added the endpoint. */
  created_at: string
}

/** The schema `WebhookReplay` of the API. */
export type WebhookReplay = {
  /** The number of deliveries that the server sends now. */
  queued: number
  /** True if more deliveries may match than one call queues. */
  more: boolean
  /** If `more` is true, the `since` of the next call. Otherwise null. */
  next_since: string | null
}

/** The schema `Withdrawal` of the API. */
export type Withdrawal = {
  id: string
  merchant_id: string
  environment: Environment
  method: PayoutMethod
  /** The amount without fees. */
  amount: Money
  currency: string
  destination_name: string | null
  /** 255XXXXXXXXX, or the account number as you sent it. */
  destination_identifier: string
  destination_code: string
  bank_name: string | null
  reference: string | null
  merchant_reference: string | null
  status: WithdrawalStatus
  /** True until an operator approves or rejects the withdrawal, or the merchant cancels it. */
  requires_approval: boolean
  /** The text of the operator: the reason of a rejection or of a recall, a question, or the reason of a resolution. */
  status_reason: string | null
  /** The reason of a FAILED withdrawal. New releases can add reasons. */
  failure_reason_code: PayoutFailureCode | null
  /**
   * A sentence about the failure that you may show to a user, in the language of Accept-Language: sw, or en
   * (default).
   */
  failure_reason_message: string | null
  /** The same sentence in Swahili. */
  failure_reason_message_sw: string | null
  /** The charge of the provider. */
  processor_charge: Money
  /** Our fee: percentage_fee and flat_fee together. */
  infinity_fee: Money
  /** The percentage of the amount. */
  percentage_fee: Money
  /** The fixed part of the fee. */
  flat_fee: Money
  /** Our fee, plus the processor charge if it is passed through. */
  total_charges: Money
  /** The amount plus total_charges: the sum that leaves your balance. */
  total_reserved_amount: Money
  /** The amount that the recipient gets. */
  recipient_net_amount: Money
  /** The pricing rule that applies. Null means no fee. */
  pricing_rule_id: string | null
  pricing_rule_label: string | null
  /** True if the processor charge is part of total_charges. */
  processor_fee_pass_through: boolean
  /** Null means that no operator has approved the withdrawal. */
  provider_reference: string | null
  /** The reference of its transaction. Null means that no operator has approved the withdrawal. */
  transaction_reference: string | null
  metadata: Metadata
  initiated_at: string
  /** Null means that the status is not SUCCESS. */
  completed_at: string | null
  created_at: string
  updated_at: string
}

/** The schema `WithdrawalList` of the API. */
export type WithdrawalList = {
  items: Array<Withdrawal>
  pagination: Pagination
}

/** The schema `WithdrawalMove` of the API. */
export type WithdrawalMove = {
  from_status: WithdrawalStatus
  to_status: WithdrawalStatus
  /** The party that made the move. For a simulation it is the merchant. */
  by: 'merchant' | 'operator' | 'provider' | (string & {})
  /** The text of the operator, or your answer. */
  message: string | null
  at: string
}

/** The values of `WithdrawalStatus` in the API. */
export type WithdrawalStatus = 'PENDING_ADMIN_APPROVAL' | 'INFO_REQUESTED' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'NEEDS_RECONCILIATION' | 'BLOCKED_IP_WHITELIST' | 'NEEDS_ADMIN_ATTENTION' | 'REVERSED' | (string & {})

/** The schema `WithdrawalWithHistory` of the API. */
export type WithdrawalWithHistory = {
  id: string
  merchant_id: string
  environment: Environment
  method: PayoutMethod
  /** The amount without fees. */
  amount: Money
  currency: string
  destination_name: string | null
  /** 255XXXXXXXXX, or the account number as you sent it. */
  destination_identifier: string
  destination_code: string
  bank_name: string | null
  reference: string | null
  merchant_reference: string | null
  status: WithdrawalStatus
  /** True until an operator approves or rejects the withdrawal, or the merchant cancels it. */
  requires_approval: boolean
  /** The text of the operator: the reason of a rejection or of a recall, a question, or the reason of a resolution. */
  status_reason: string | null
  /** The reason of a FAILED withdrawal. New releases can add reasons. */
  failure_reason_code: PayoutFailureCode | null
  /**
   * A sentence about the failure that you may show to a user, in the language of Accept-Language: sw, or en
   * (default).
   */
  failure_reason_message: string | null
  /** The same sentence in Swahili. */
  failure_reason_message_sw: string | null
  /** The charge of the provider. */
  processor_charge: Money
  /** Our fee: percentage_fee and flat_fee together. */
  infinity_fee: Money
  /** The percentage of the amount. */
  percentage_fee: Money
  /** The fixed part of the fee. */
  flat_fee: Money
  /** Our fee, plus the processor charge if it is passed through. */
  total_charges: Money
  /** The amount plus total_charges: the sum that leaves your balance. */
  total_reserved_amount: Money
  /** The amount that the recipient gets. */
  recipient_net_amount: Money
  /** The pricing rule that applies. Null means no fee. */
  pricing_rule_id: string | null
  pricing_rule_label: string | null
  /** True if the processor charge is part of total_charges. */
  processor_fee_pass_through: boolean
  /** Null means that no operator has approved the withdrawal. */
  provider_reference: string | null
  /** The reference of its transaction. Null means that no operator has approved the withdrawal. */
  transaction_reference: string | null
  metadata: Metadata
  initiated_at: string
  /** Null means that the status is not SUCCESS. */
  completed_at: string | null
  created_at: string
  updated_at: string
  /** The moves of the withdrawal, oldest first. */
  history: Array<WithdrawalMove>
}

/** The input of POST /v1/collections/wallet-push. */
export type CreateWalletPushInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  customer_name?: string | undefined
  customer_email?: string | undefined
  /** Your order or invoice id; repeated on every answer and webhook. */
  reference?: string | undefined
  description?: string | undefined
  /** The server ignores this field. Configure the webhook of your account instead. */
  webhook_url?: string | undefined
  simulate_status?: 'successful' | 'failed' | 'pending_clearance' | 'reversed' | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
  /** Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX. */
  phone: string
}

/** The answer to POST /v1/collections/wallet-push. */
export type CreateWalletPushAnswer = PushAccepted

/** The input of POST /v1/collections/provider-pesa. */
export type CreateProviderPesaPushInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  customer_name?: string | undefined
  customer_email?: string | undefined
  /** Your order or invoice id; repeated on every answer and webhook. */
  reference?: string | undefined
  description?: string | undefined
  /** The server ignores this field. Configure the webhook of your account instead. */
  webhook_url?: string | undefined
  simulate_status?: 'successful' | 'failed' | 'pending_clearance' | 'reversed' | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
  /** Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX. */
  phone: string
}

/** The answer to POST /v1/collections/provider-pesa. */
export type CreateProviderPesaPushAnswer = PushAccepted

/** The input of POST /v1/collections/qr. */
export type CreateQrCollectionInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  customer_name?: string | undefined
  customer_email?: string | undefined
  /** Your order or invoice id; repeated on every answer and webhook. */
  reference?: string | undefined
  description?: string | undefined
  /** The server ignores this field. Configure the webhook of your account instead. */
  webhook_url?: string | undefined
  simulate_status?: 'successful' | 'failed' | 'pending_clearance' | 'reversed' | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
  /** Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX. */
  customer_phone?: string | undefined
}

/** The answer to POST /v1/collections/qr. */
export type CreateQrCollectionAnswer = QrAccepted

/** The filters of GET /v1/collections. */
export type ListCollectionsFilters = {
  page?: number | undefined
  page_size?: number | undefined
  status?: 'created' | 'processing' | 'successful' | 'failed' | 'pending_clearance' | 'reversed' | undefined
  method?: 'wallet_push' | 'provider_pesa' | 'qr' | undefined
  /** Your own reference or its beginning, in any case. */
  reference?: string | undefined
  /** A phone number, or its last 4 to 9 digits. */
  phone?: string | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
  /** Only records with exactly this pair: `metadata[order]=1001`. At most 5 pairs. */
  metadata?: Record<string, string> | undefined
}

/** The answer to GET /v1/collections. */
export type ListCollectionsAnswer = CollectionList

/** The input of POST /v1/collections. */
export type CreateCollectionInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  customer_name?: string | null | undefined
  /** The phone of the customer. The page offers this phone to the payer, masked. */
  customer_phone?: string | null | undefined
  /** The purpose of the payment. The payer reads it. */
  description?: string | null | undefined
  customer_email?: string | null | undefined
  /** The merchant's own order number; every answer contains it. */
  reference?: string | null | undefined
  /** An address that begins with https://. Sandbox payments may use http://. */
  redirect_url?: string | null | undefined
  /** An address that begins with https://. Sandbox payments may use http://. */
  cancel_url?: string | null | undefined
  /** The server accepts this field and does not use it. Configure the webhook of your account instead. */
  webhook_url?: unknown | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to POST /v1/collections. */
export type CreateCollectionAnswer = {
  collection_id: string
  reference: string | null
  status: 'created'
  payment_url: string
}

/** The filters of GET /v1/collections/export.csv. */
export type ExportCollectionsFilters = {
  status?: 'created' | 'processing' | 'successful' | 'failed' | 'pending_clearance' | 'reversed' | undefined
  method?: 'wallet_push' | 'provider_pesa' | 'qr' | undefined
  /** Your own reference or its beginning, in any case. */
  reference?: string | undefined
  /** A phone number, or its last 4 to 9 digits. */
  phone?: string | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
  /** Only these payments: up to 100 ids, separated by commas. */
  ids?: string | undefined
}

/** The answer to GET /v1/collections/{collection_id}. */
export type GetCollectionAnswer = Collection

/** The answer to POST /v1/collections/{collection_id}/refresh-status. */
export type RefreshCollectionAnswer = Collection

/** The input of POST /v1/payment-links. */
export type CreatePaymentLinkInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  customer_name?: string | null | undefined
  /** The phone of the customer. The page offers this phone to the payer, masked. */
  customer_phone?: string | null | undefined
  /** The purpose of the payment. The payer reads it. */
  description?: string | null | undefined
  /** The merchant's own order number; every answer contains it. */
  reference?: string | null | undefined
  /** The time after which payers cannot pay. Null means never. */
  expires_at?: string | null | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to POST /v1/payment-links. */
export type CreatePaymentLinkAnswer = PaymentLink

/** The filters of GET /v1/payment-links. */
export type ListPaymentLinksFilters = {
  page?: number | undefined
  page_size?: number | undefined
  status?: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED' | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
  /** Only records with exactly this pair: `metadata[order]=1001`. At most 5 pairs. */
  metadata?: Record<string, string> | undefined
}

/** The answer to GET /v1/payment-links. */
export type ListPaymentLinksAnswer = PaymentLinkList

/** The filters of GET /v1/payment-links/export.csv. */
export type ExportPaymentLinksFilters = {
  status?: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED' | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
}

/** The answer to GET /v1/payment-links/{link_id}. */
export type GetPaymentLinkAnswer = PaymentLink

/** The filters of GET /v1/payment-links/{link_id}/poster.pdf. */
export type GetPaymentLinkPosterFilters = {
  /** The language of the poster: sw (default) or en. */
  language?: 'sw' | 'en' | undefined
}

/** The filters of GET /v1/payment-links/{link_id}/collections. */
export type ListPaymentLinkCollectionsFilters = {
  page?: number | undefined
  page_size?: number | undefined
}

/** The answer to GET /v1/payment-links/{link_id}/collections. */
export type ListPaymentLinkCollectionsAnswer = CollectionList

/** The answer to POST /v1/payment-links/{link_id}/cancel. */
export type CancelPaymentLinkAnswer = PaymentLink

/** The filters of GET /v1/invoices. */
export type ListInvoicesFilters = {
  page?: number | undefined
  page_size?: number | undefined
  status?: 'DRAFT' | 'SENT' | 'PAID' | 'OVERDUE' | 'CANCELLED' | undefined
  /** Only records with exactly this pair: `metadata[order]=1001`. At most 5 pairs. */
  metadata?: Record<string, string> | undefined
}

/** The answer to GET /v1/invoices. */
export type ListInvoicesAnswer = InvoiceList

/** The input of POST /v1/invoices. */
export type CreateInvoiceInput = {
  customer_name: string
  /** The phone that receives the SMS. */
  customer_phone?: string | null | undefined
  /** The address that receives the e-mail. */
  customer_email?: string | null | undefined
  /** The last day on which the customer pays in time, in Tanzania: YYYY-MM-DD, today or later. */
  due_date: string
  items: Array<{
    description: string
    /** A decimal greater than zero, at most three decimals. */
    quantity: string
    /** Shillings as a decimal string, at most two decimals. */
    unit_price: string
  }>
  /** The customer reads this text. */
  note?: string | null | undefined
  /** The language of the messages and pages for the customer: sw (default) or en. */
  language?: 'sw' | 'en' | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to POST /v1/invoices. */
export type CreateInvoiceAnswer = Invoice

/** The filters of GET /v1/invoices/export.csv. */
export type ExportInvoicesFilters = {
  status?: 'DRAFT' | 'SENT' | 'PAID' | 'OVERDUE' | 'CANCELLED' | undefined
}

/** The answer to GET /v1/invoices/{invoice_id}. */
export type GetInvoiceAnswer = Invoice

/** The input of PATCH /v1/invoices/{invoice_id}. */
export type UpdateInvoiceInput = {
  customer_name?: string | undefined
  /** The phone that receives the SMS. */
  customer_phone?: string | null | undefined
  /** The address that receives the e-mail. */
  customer_email?: string | null | undefined
  /** The last day on which the customer pays in time, in Tanzania: YYYY-MM-DD, today or later. */
  due_date?: string | undefined
  items?: Array<{
    description: string
    /** A decimal greater than zero, at most three decimals. */
    quantity: string
    /** Shillings as a decimal string, at most two decimals. */
    unit_price: string
  }> | undefined
  /** The customer reads this text. */
  note?: string | null | undefined
  /** The language of the messages and pages for the customer: sw (default) or en. */
  language?: 'sw' | 'en' | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to PATCH /v1/invoices/{invoice_id}. */
export type UpdateInvoiceAnswer = Invoice

/** The answer to POST /v1/invoices/{invoice_id}/send. */
export type SendInvoiceAnswer = Invoice

/** The answer to POST /v1/invoices/{invoice_id}/cancel. */
export type CancelInvoiceAnswer = Invoice

/** The answer to POST /v1/invoices/{invoice_id}/payment-link. */
export type CreateInvoicePaymentLinkAnswer = PaymentLink

/** The filters of GET /v1/destinations. */
export type ListDestinationsFilters = {
  method?: 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA' | undefined
}

/** The answer to GET /v1/destinations. */
export type ListDestinationsAnswer = {
  items: Array<{
    code: string
    name: string
    method: PayoutMethod
    /** Other names that the server accepts for the code. */
    aliases: Array<string>
  }>
}

/** The input of POST /v1/disbursements/provider-pesa. */
export type CreateProviderPesaDisbursementInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  /** The name of the recipient. */
  destination_name?: string | undefined
  /**
   * Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX. Or the account number of the
   * wallet, 6 to 20 digits.
   */
  destination_identifier: string
  /** PROVIDER_PESA, the default. */
  destination_code?: string | undefined
  /** Your own id of the withdrawal; every answer and webhook contains it. */
  reference?: string | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to POST /v1/disbursements/provider-pesa. */
export type CreateProviderPesaDisbursementAnswer = Withdrawal

/** The input of POST /v1/disbursements/mobile-money. */
export type CreateMobileMoneyDisbursementInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  /** The name of the recipient. */
  destination_name?: string | undefined
  /** Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX. */
  destination_identifier: string
  /** The code of the network or bank, or an alias: see GET /v1/destinations. */
  destination_code: string
  /** Your own id of the withdrawal; every answer and webhook contains it. */
  reference?: string | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to POST /v1/disbursements/mobile-money. */
export type CreateMobileMoneyDisbursementAnswer = Withdrawal

/** The input of POST /v1/disbursements/bank-account. */
export type CreateBankAccountDisbursementInput = {
  /** Shillings as a decimal string ("25000.00") or a plain number (25000), at most two decimals. */
  amount: string | number
  /** TZS, the default. */
  currency?: string | undefined
  /** The name of the recipient. */
  destination_name?: string | undefined
  /** Account number: letters, digits, - and /. The server stores it as you send it. */
  destination_identifier: string
  /** The code of the network or bank, or an alias: see GET /v1/destinations. */
  destination_code: string
  /** The name of the bank. */
  bank_name: string
  /** Your own id of the withdrawal; every answer and webhook contains it. */
  reference?: string | undefined
  /** Your own pairs of texts. Payers never see them. */
  metadata?: Record<string, string> | undefined
}

/** The answer to POST /v1/disbursements/bank-account. */
export type CreateBankAccountDisbursementAnswer = Withdrawal

/** The filters of GET /v1/disbursements. */
export type ListDisbursementsFilters = {
  page?: number | undefined
  page_size?: number | undefined
  status?: 'PENDING_ADMIN_APPROVAL' | 'INFO_REQUESTED' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'NEEDS_RECONCILIATION' | 'BLOCKED_IP_WHITELIST' | 'NEEDS_ADMIN_ATTENTION' | 'REVERSED' | undefined
  method?: 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA' | undefined
  /** Your own reference, or its beginning. The server ignores the case of letters. */
  reference?: string | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
  /** Only records with exactly this pair: `metadata[order]=1001`. At most 5 pairs. */
  metadata?: Record<string, string> | undefined
}

/** The answer to GET /v1/disbursements. */
export type ListDisbursementsAnswer = WithdrawalList

/** The answer to GET /v1/disbursements/{disbursement_id}. */
export type GetDisbursementAnswer = WithdrawalWithHistory

/** The answer to GET /v1/merchant/payout-limits. */
export type GetPayoutLimitsAnswer = PayoutLimits

/** The input of POST /v1/disbursements/{disbursement_id}/cancel. */
export type CancelDisbursementInput = Record<string, unknown> | null

/** The answer to POST /v1/disbursements/{disbursement_id}/cancel. */
export type CancelDisbursementAnswer = Withdrawal

/** The input of POST /v1/sandbox/disbursements/{disbursement_id}/simulate. */
export type SimulateDisbursementInput = {
  outcome: 'SUCCESS' | 'FAILED' | 'REJECTED' | 'INFO_REQUESTED' | 'NEEDS_RECONCILIATION' | 'BLOCKED_IP_WHITELIST' | 'REVERSED'
}

/** The answer to POST /v1/sandbox/disbursements/{disbursement_id}/simulate. */
export type SimulateDisbursementAnswer = Withdrawal

/** The answer to GET /v1/merchant/webhook-config. */
export type GetWebhookConfigAnswer = WebhookConfig

/** The input of PATCH /v1/merchant/webhook-config. */
export type UpdateWebhookConfigInput = {
  /** The URL that receives the events. Required the first time. */
  webhook_url?: string | undefined
  /**
   * The events to receive. Default of the first save: collection.success, collection.failed, collection.reversed,
   * collection.pending_review, disbursement.success, disbursement.failed.
   */
  events?: Array<'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful'> | undefined
  /** true makes a new signing secret. The previous secret signs too for 24 hours. */
  rotate_secret?: boolean | undefined
}

/** The answer to PATCH /v1/merchant/webhook-config. */
export type UpdateWebhookConfigAnswer = WebhookConfig

/** The answer to POST /v1/merchant/webhook-config/test. */
export type TestWebhookAnswer = WebhookDelivery

/** The answer to GET /v1/merchant/webhook-endpoints. */
export type ListWebhookEndpointsAnswer = {
  items: Array<WebhookEndpoint>
  limit: number
}

/** The input of POST /v1/merchant/webhook-endpoints. */
export type CreateWebhookEndpointInput = {
  /** The URL that receives the events. */
  webhook_url: string
  /**
   * The events to receive. Default without this field: collection.success, collection.failed, collection.reversed,
   * collection.pending_review, disbursement.success, disbursement.failed.
   */
  events?: Array<'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful'> | undefined
  /** Your text about the endpoint, such as the name of the system behind it. */
  description?: string | undefined
}

/** The answer to POST /v1/merchant/webhook-endpoints. */
export type CreateWebhookEndpointAnswer = WebhookEndpoint

/** The answer to GET /v1/merchant/webhook-endpoints/{id}. */
export type GetWebhookEndpointAnswer = WebhookEndpoint

/** The input of PATCH /v1/merchant/webhook-endpoints/{id}. */
export type UpdateWebhookEndpointInput = {
  /** The new URL. Pending deliveries go to the new URL too. */
  webhook_url?: string | undefined
  /** The events to receive. */
  events?: Array<'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful'> | undefined
  /** Your text about the endpoint, such as the name of the system behind it. */
  description?: string | null | undefined
  /** true makes a new signing secret. The previous secret signs too for 24 hours. */
  rotate_secret?: boolean | undefined
}

/** The answer to PATCH /v1/merchant/webhook-endpoints/{id}. */
export type UpdateWebhookEndpointAnswer = WebhookEndpoint

/** The answer to DELETE /v1/merchant/webhook-endpoints/{id}. */
export type DeleteWebhookEndpointAnswer = {
  id: string
  deleted: true
}

/** The answer to POST /v1/merchant/webhook-endpoints/{id}/test. */
export type TestWebhookEndpointAnswer = WebhookDelivery

/** The filters of GET /v1/merchant/webhook-deliveries. */
export type ListWebhookDeliveriesFilters = {
  page?: number | undefined
  page_size?: number | undefined
  status?: 'pending' | 'delivered' | 'failed' | 'cancelled' | undefined
  event?: 'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful' | undefined
  /** Only deliveries to this endpoint: `default`, or an id of webhook-endpoints. */
  endpoint_id?: string | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
}

/** The answer to GET /v1/merchant/webhook-deliveries. */
export type ListWebhookDeliveriesAnswer = WebhookDeliveryList

/** The answer to GET /v1/merchant/webhook-deliveries/{id}. */
export type GetWebhookDeliveryAnswer = WebhookDelivery

/** The input of POST /v1/merchant/webhook-deliveries/replay. */
export type ReplayWebhookDeliveriesInput = {
  /** Deliveries of events since this time. */
  since: string
  /** Deliveries of events before this time. Default: now. */
  until?: string | undefined
  /** Only deliveries of this event. */
  event?: 'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful' | undefined
  /** Only deliveries to this endpoint: `default`, or an id of webhook-endpoints. */
  endpoint_id?: string | undefined
  /** Default: failed, also with a waiting retry. */
  status?: 'failed' | 'delivered' | 'all' | undefined
}

/** The answer to POST /v1/merchant/webhook-deliveries/replay. */
export type ReplayWebhookDeliveriesAnswer = WebhookReplay

/** The answer to POST /v1/merchant/webhook-deliveries/{id}/replay. */
export type ReplayWebhookDeliveryAnswer = WebhookDelivery

/** The filters of GET /v1/events. */
export type ListEventsFilters = {
  page?: number | undefined
  page_size?: number | undefined
  /** Only this event. */
  event?: 'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful' | undefined
  /** Only events with an id after this id, which are newer. */
  after?: string | undefined
  /** Created at or after. */
  from?: string | undefined
  /** Created before. */
  to?: string | undefined
}

/** The answer to GET /v1/events. */
export type ListEventsAnswer = {
  items: Array<{
    /** The id of the event, which is the id of its first delivery. */
    id: string
    event: string
    environment: 'live' | 'sandbox' | (string & {})
    /** The time of the event. */
    created_at: string
    /** The body that endpoints receive. */
    data: Record<string, unknown>
  }>
  pagination: Pagination
}

/** The filters of GET /v1/events/stream. */
export type StreamEventsFilters = {
  /** Only this event. */
  event?: 'collection.success' | 'collection.failed' | 'collection.reversed' | 'collection.pending_review' | 'disbursement.success' | 'disbursement.failed' | 'disbursement.reversed' | 'disbursement.approved' | 'disbursement.info_requested' | 'payment_link.paid' | 'invoice.paid' | 'invoice.overdue' | 'balance.low' | 'collection.successful' | undefined
  /** The id of the last event that you have, if you cannot send the header Last-Event-ID. */
  after?: string | undefined
}

/** The filters of GET /v1/requests. */
export type ListRequestsFilters = {
  page?: number | undefined
  page_size?: number | undefined
  /** 2xx, 3xx, 4xx, 5xx, or one status such as 409. */
  status?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The answer to GET /v1/requests. */
export type ListRequestsAnswer = RequestSummaryList

/** The answer to GET /v1/balance. */
export type GetBalanceAnswer = Balance

/** The filters of GET /v1/merchants/{merchant_id}/transactions. */
export type ListTransactionsFilters = {
  page?: number | undefined
  page_size?: number | undefined
  type?: 'COLLECTION' | 'COLLECTION_REVERSAL' | 'WITHDRAWAL' | 'WITHDRAWAL_REVERSAL' | 'ADJUSTMENT' | undefined
  /** Transactions created at or after this time. */
  from?: string | undefined
  /** Transactions created before this time. */
  to?: string | undefined
}

/** The answer to GET /v1/merchants/{merchant_id}/transactions. */
export type ListTransactionsAnswer = TransactionList

/** The answer to GET /v1/transactions/{reference}. */
export type GetTransactionAnswer = Transaction

/** The filters of GET /v1/merchants/{merchant_id}/transactions/export. */
export type ExportTransactionsFilters = {
  type?: 'COLLECTION' | 'COLLECTION_REVERSAL' | 'WITHDRAWAL' | 'WITHDRAWAL_REVERSAL' | 'ADJUSTMENT' | undefined
  /** Transactions created at or after this time. */
  from?: string | undefined
  /** Transactions created before this time. */
  to?: string | undefined
}

/** The filters of GET /v1/merchants/{merchant_id}/statements/{period}. */
export type GetStatementFilters = {
  /** The format of the response: json (default) or csv. */
  format?: 'json' | 'csv' | undefined
}

/** The answer to GET /v1/merchants/{merchant_id}/statements/{period}. */
export type GetStatementAnswer = Statement

/** The answer to GET /v1/me. */
export type GetMeAnswer = CurrentUser | CurrentApiKey

/** The answer to GET /v1/collections/{collection_id}/timeline. */
export type GetCollectionTimelineAnswer = Timeline
