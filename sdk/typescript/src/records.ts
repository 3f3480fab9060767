// The names of the records that the API returns.

import type * as Api from './api-types.ts'

type ItemOf<Answer extends { items: unknown[] }> = Answer['items'][number]

/** A payment that you requested from a payer. Only the status `successful` means paid. */
export type Collection = Api.GetCollectionAnswer
/** A payment in a list. */
export type CollectionItem = ItemOf<Api.ListCollectionsAnswer>
/** A payment of a payment link. */
export type PaymentLinkCollection = ItemOf<Api.ListPaymentLinkCollectionsAnswer>
/** A page that takes one payment. */
export type PaymentLink = Api.GetPaymentLinkAnswer
/** A payment link in a list. */
export type PaymentLinkItem = ItemOf<Api.ListPaymentLinksAnswer>
/** An invoice with its items. */
export type Invoice = Api.GetInvoiceAnswer
/** An invoice in a list. */
export type InvoiceItem = ItemOf<Api.ListInvoicesAnswer>
/** A payout. An operator must approve it. Only the status `SUCCESS` means paid out. */
export type Disbursement = Api.GetDisbursementAnswer
/** A payout in a list. */
export type DisbursementItem = ItemOf<Api.ListDisbursementsAnswer>
/** A network or bank that can receive payouts. */
export type Destination = ItemOf<Api.ListDestinationsAnswer>
/** A change of the available balance. */
export type Transaction = Api.GetTransactionAnswer
/** A change of the available balance in a list. */
export type TransactionItem = ItemOf<Api.ListTransactionsAnswer>
/** The balance of your merchant, in decimal texts. */
export type Balance = Api.GetBalanceAnswer
/** The statement of a month or a day. */
export type Statement = Api.GetStatementAnswer
/** A webhook endpoint, without its secret. */
export type WebhookEndpoint = Api.GetWebhookEndpointAnswer
/** A delivery of an event, with its attempts. */
export type WebhookDelivery = Api.GetWebhookDeliveryAnswer
/** A delivery in a list. */
export type WebhookDeliveryItem = ItemOf<Api.ListWebhookDeliveriesAnswer>
/** The API key of the client, and its merchant. */
export type Identity = Extract<Api.GetMeAnswer, { key_id: string }>
