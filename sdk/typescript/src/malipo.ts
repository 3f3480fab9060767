// Defines the client of the API for servers of merchants.

import {
  type CollectionCalls,
  collectionCalls,
  type InvoiceCalls,
  invoiceCalls,
  type PaymentLinkCalls,
  paymentLinkCalls,
} from './money-in.ts'
import {
  type BalanceCalls,
  balanceCalls,
  type DestinationCalls,
  type DisbursementCalls,
  destinationCalls,
  disbursementCalls,
  type TransactionCalls,
  transactionCalls,
} from './money-out.ts'
import { checkedSettings, type MalipoOptions } from './options.ts'
import type { Identity } from './records.ts'
import { createHttp, type ReadOptions } from './request.ts'
import {
  type EventCalls,
  eventCalls,
  type RequestCalls,
  requestCalls,
  type WebhookConfigCalls,
  type WebhookDeliveryCalls,
  type WebhookEndpointCalls,
  webhookConfigCalls,
  webhookDeliveryCalls,
  webhookEndpointCalls,
} from './webhook-calls.ts'

/**
 * A client of the payment API, for servers. If a call fails, it throws a `MalipoError`. For a mistake in the program, it throws
 * a `TypeError` before it sends anything.
 */
export class Malipo {
  /** The environment of the key. In the sandbox, no real money moves. */
  readonly environment: 'live' | 'sandbox'
  readonly collections: CollectionCalls
  readonly paymentLinks: PaymentLinkCalls
  readonly invoices: InvoiceCalls
  readonly disbursements: DisbursementCalls
  readonly destinations: DestinationCalls
  readonly balance: BalanceCalls
  readonly transactions: TransactionCalls
  readonly events: EventCalls
  readonly webhookEndpoints: WebhookEndpointCalls
  readonly webhookConfig: WebhookConfigCalls
  readonly webhookDeliveries: WebhookDeliveryCalls
  readonly requests: RequestCalls
  readonly me: {
    /** Returns the key's merchant, environment and scopes. */
    get(options?: ReadOptions): Promise<Identity>
  }

  constructor(options: MalipoOptions) {
    const settings = checkedSettings(options)
    const http = createHttp(settings)
    this.environment = settings.environment
    this.collections = collectionCalls(http)
    this.paymentLinks = paymentLinkCalls(http)
    this.invoices = invoiceCalls(http)
    this.disbursements = disbursementCalls(http)
    this.destinations = destinationCalls(http)
    this.balance = balanceCalls(http)
    this.transactions = transactionCalls(http)
    this.events = eventCalls(http)
    this.webhookEndpoints = webhookEndpointCalls(http)
    this.webhookConfig = webhookConfigCalls(http)
    this.webhookDeliveries = webhookDeliveryCalls(http)
    this.requests = requestCalls(http)
    this.me = { get: (options) => http.get('/v1/me', {}, options) }
  }
}
