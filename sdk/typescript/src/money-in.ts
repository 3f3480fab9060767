// Defines the calls that take money: collections, payment links and invoices.

import type * as Api from './api-types.ts'
import { createList, type List } from './list.ts'
import { type ChangeOptions, type Http, path, type ReadOptions } from './request.ts'

/** Payments that you request from payers. */
export type CollectionCalls = {
  /** Creates a payment with a hosted page. Redirect the payer to `payment_url`. */
  create(input: Api.CreateCollectionInput, options?: ChangeOptions): Promise<Api.CreateCollectionAnswer>
  /**
   * Sends a mobile-money prompt to a phone. The answer says only that the API accepted the request, not that the payer has paid.
   */
  createWalletPush(input: Api.CreateWalletPushInput, options?: ChangeOptions): Promise<Api.CreateWalletPushAnswer>
  /** Sends a prompt to a Provider Pesa wallet. */
  createProviderPesa(
    input: Api.CreateProviderPesaPushInput,
    options?: ChangeOptions,
  ): Promise<Api.CreateProviderPesaPushAnswer>
  /** Creates a payment by QR code. Show `qr_payload` unchanged as a QR code. */
  createQr(input: Api.CreateQrCollectionInput, options?: ChangeOptions): Promise<Api.CreateQrCollectionAnswer>
  /** Returns a payment with its current status. */
  get(collection_id: string, options?: ReadOptions): Promise<Api.Collection>
  /** Lists payments, newest first. */
  list(filters?: Api.ListCollectionsFilters, options?: ReadOptions): List<Api.Collection>
  /** Makes the API query the provider, and returns the payment with its current status. */
  refreshStatus(collection_id: string, options?: ChangeOptions): Promise<Api.Collection>
  /** Returns the steps of a payment, such as requests, attempts, statuses and webhooks. */
  timeline(collection_id: string, options?: ReadOptions): Promise<Api.GetCollectionTimelineAnswer>
  /** Exports payments as CSV. Read the answer with `text()`, or as a stream with `body`. */
  export(filters?: Api.ExportCollectionsFilters, options?: ReadOptions): Promise<Response>
}

/** Makes `malipo.collections`, whose calls send requests by `http`. */
export function collectionCalls(http: Http): CollectionCalls {
  const { get, change, file } = http
  const create = <Data>(name: string, input: object, options?: ChangeOptions) =>
    change<Data>('POST', `/v1/collections${name}`, input, options)
  return {
    create: (input, options) => create('', input, options),
    createWalletPush: (input, options) => create('/wallet-push', input, options),
    createProviderPesa: (input, options) => create('/provider-pesa', input, options),
    createQr: (input, options) => create('/qr', input, options),
    get: async (id, options) => get(path`/v1/collections/${id}`, {}, options),
    list: (filters = {}, options) => createList(http, '/v1/collections', filters, 'collection_id', options),
    refreshStatus: async (id, options) => change('POST', path`/v1/collections/${id}/refresh-status`, {}, options),
    timeline: async (id, options) => get(path`/v1/collections/${id}/timeline`, {}, options),
    export: (filters, options) => file('/v1/collections/export.csv', filters, options),
  }
}

/** Pages that take one payment each, for example from a link in a message. */
export type PaymentLinkCalls = {
  /** Creates a payment link. Send its `public_url` to the payer. */
  create(input: Api.CreatePaymentLinkInput, options?: ChangeOptions): Promise<Api.PaymentLink>
  /** Returns a payment link with its current status. */
  get(link_id: string, options?: ReadOptions): Promise<Api.PaymentLink>
  /** Lists payment links, newest first. */
  list(filters?: Api.ListPaymentLinksFilters, options?: ReadOptions): List<Api.PaymentLink>
  /** Lists the payments of a payment link, newest first. */
  listCollections(
    link_id: string,
    filters?: Api.ListPaymentLinkCollectionsFilters,
    options?: ReadOptions,
  ): List<Api.Collection>
  /** Cancels a payment link that no payer has paid. */
  cancel(link_id: string, options?: ChangeOptions): Promise<Api.PaymentLink>
  /** Returns a poster of the link as a PDF. Read the answer with `arrayBuffer()`. */
  poster(link_id: string, filters?: Api.GetPaymentLinkPosterFilters, options?: ReadOptions): Promise<Response>
  /** Exports payment links as CSV. Read the answer with `text()`, or as a stream with `body`. */
  export(filters?: Api.ExportPaymentLinksFilters, options?: ReadOptions): Promise<Response>
}

/** Makes `malipo.paymentLinks`, whose calls send requests by `http`. */
export function paymentLinkCalls(http: Http): PaymentLinkCalls {
  const { get, change, file } = http
  return {
    create: (input, options) => change('POST', '/v1/payment-links', input, options),
    get: async (id, options) => get(path`/v1/payment-links/${id}`, {}, options),
    list: (filters = {}, options) => createList(http, '/v1/payment-links', filters, 'id', options),
    listCollections: (id, filters = {}, options) =>
      createList(http, path`/v1/payment-links/${id}/collections`, filters, 'collection_id', options),
    cancel: async (id, options) => change('POST', path`/v1/payment-links/${id}/cancel`, {}, options),
    poster: async (id, filters, options) => file(path`/v1/payment-links/${id}/poster.pdf`, filters, options),
    export: (filters, options) => file('/v1/payment-links/export.csv', filters, options),
  }
}

/** Invoices that you send to customers, each with its own payment link. */
export type InvoiceCalls = {
  /** Creates an invoice as a draft. The customer gets no message before `send`. */
  create(input: Api.CreateInvoiceInput, options?: ChangeOptions): Promise<Api.Invoice>
  /** Returns an invoice with its current status. */
  get(invoice_id: string, options?: ReadOptions): Promise<Api.Invoice>
  /** Lists invoices, newest first. */
  list(filters?: Api.ListInvoicesFilters, options?: ReadOptions): List<Api.Invoice>
  /** Changes an invoice that is still a draft. */
  update(invoice_id: string, input: Api.UpdateInvoiceInput, options?: ChangeOptions): Promise<Api.Invoice>
  /** Sends an invoice with a payment link to its customer. */
  send(invoice_id: string, options?: ChangeOptions): Promise<Api.SendInvoiceAnswer>
  /** Cancels an invoice that no payer has paid. */
  cancel(invoice_id: string, options?: ChangeOptions): Promise<Api.Invoice>
  /** Creates the payment link of an invoice. If the invoice has an active link, returns that link. */
  createPaymentLink(invoice_id: string, options?: ChangeOptions): Promise<Api.CreateInvoicePaymentLinkAnswer>
  /** Exports invoices as CSV. Read the answer with `text()`, or as a stream with `body`. */
  export(filters?: Api.ExportInvoicesFilters, options?: ReadOptions): Promise<Response>
}

/** Makes `malipo.invoices`, whose calls send requests by `http`. */
export function invoiceCalls(http: Http): InvoiceCalls {
  const { get, change, file } = http
  return {
    create: (input, options) => change('POST', '/v1/invoices', input, options),
    get: async (id, options) => get(path`/v1/invoices/${id}`, {}, options),
    list: (filters = {}, options) => createList(http, '/v1/invoices', filters, 'id', options),
    update: async (id, input, options) => change('PATCH', path`/v1/invoices/${id}`, input, options),
    send: async (id, options) => change('POST', path`/v1/invoices/${id}/send`, {}, options),
    cancel: async (id, options) => change('POST', path`/v1/invoices/${id}/cancel`, {}, options),
    createPaymentLink: async (id, options) => change('POST', path`/v1/invoices/${id}/payment-link`, {}, options),
    export: (filters, options) => file('/v1/invoices/export.csv', filters, options),
  }
}
