// Contains the example of each call that a merchant's server can make. The pages show these values, and a test sends each
// example to a real server.

/** The values of an example. A test replaces the sample ids in `path` with the ids of real records. */
export type CallExample = {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number>>
  body?: Readonly<Record<string, unknown>>
  /**
   * The resource and method of the SDKs, such as `collections.createWalletPush`. If the field is missing, the SDKs do not offer
   * the call.
   */
  sdk?: string
}

/** The sample ids of records in the examples. */
export const SAMPLES = {
  collection_id: '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f',
  link_id: '01a1fdf0-0b1e-8d2c-b0f4-5bb2a0bd10a1',
  public_slug: 'k7Qx2mWv9TzB4nLpR8sYcA',
  invoice_id: '01a1fdf1-2c4d-8e5f-90a1-5bb2a0bd10b2',
  disbursement_id: '01a1fdf2-3d5e-8f60-81b2-5bb2a0bd10c3',
  endpoint_id: '01a1fdf3-4e6f-8071-92c3-5bb2a0bd10d4',
  delivery_id: '01a1fdf4-5f70-8182-a3d4-5bb2a0bd10e5',
  transaction: 'TXN-2JBTVPA7Q4',
} as const

/**
 * By sample id, the list and the field from which the script of the page reads an id of the reader's own records. Not every
 * sample id has an entry.
 */
export const READER_IDS: Readonly<Record<string, readonly [string, string]>> = {
  [SAMPLES.collection_id]: ['/v1/collections', 'collection_id'],
  [SAMPLES.link_id]: ['/v1/payment-links', 'id'],
  [SAMPLES.public_slug]: ['/v1/payment-links', 'public_slug'],
  [SAMPLES.invoice_id]: ['/v1/invoices', 'id'],
  [SAMPLES.disbursement_id]: ['/v1/merchant/withdrawals', 'id'],
  [SAMPLES.delivery_id]: ['/v1/merchant/webhook-deliveries', 'id'],
  [SAMPLES.transaction]: ['/v1/merchants/me/transactions', 'reference'],
}

const A_PHONE = '0754123001'
const collection = { path: { collection_id: SAMPLES.collection_id } }
const link = { path: { link_id: SAMPLES.link_id } }
const slug = { path: { public_slug: SAMPLES.public_slug } }
const invoice = { path: { invoice_id: SAMPLES.invoice_id } }
const disbursement = { path: { disbursement_id: SAMPLES.disbursement_id } }
const endpoint = { path: { id: SAMPLES.endpoint_id } }
const delivery = { path: { id: SAMPLES.delivery_id } }
const payer = { body: { method: 'WALLET_PUSH', customer_phone: A_PHONE } }
const pushOf = (reference: string) => ({ body: { amount: '25000.00', phone: A_PHONE, reference } })

const EXAMPLES: Readonly<Record<string, CallExample>> = {
  getHealth: {},
  getReadiness: {},
  getMe: { sdk: 'me.get' },
  createWalletPush: { sdk: 'collections.createWalletPush', ...pushOf('ORDER-1042') },
  createProviderPesaPush: { sdk: 'collections.createProviderPesa', ...pushOf('ORDER-1043') },
  createStkPush: {
    body: { amount: '25000.00', customer_phone: A_PHONE, merchant_reference: 'ORDER-1044' },
  },
  createQrCollection: { sdk: 'collections.createQr', body: { amount: '4000.00', reference: 'TABLE-7' } },
  createCollection: {
    sdk: 'collections.create',
    body: {
      amount: '18000.00',
      reference: 'ORDER-2001',
      description: 'Leather shoes',
      redirect_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
    },
  },
  listCollections: { sdk: 'collections.list', query: { reference: 'ORDER-1042', page_size: 20 } },
  exportCollections: { sdk: 'collections.export', query: { status: 'successful' } },
  getCollection: { sdk: 'collections.get', ...collection },
  refreshCollection: { sdk: 'collections.refreshStatus', ...collection },
  getCollectionTimeline: { sdk: 'collections.timeline', ...collection },
  createPaymentLink: {
    sdk: 'paymentLinks.create',
    body: { amount: '7500.00', description: 'Rent of a stall', reference: 'STALL-12' },
  },
  listPaymentLinks: { sdk: 'paymentLinks.list', query: { status: 'ACTIVE' } },
  exportPaymentLinks: { sdk: 'paymentLinks.export' },
  getPaymentLink: { sdk: 'paymentLinks.get', ...link },
  getPaymentLinkPoster: { sdk: 'paymentLinks.poster', ...link },
  listPaymentLinkCollections: { sdk: 'paymentLinks.listCollections', ...link },
  cancelPaymentLink: { sdk: 'paymentLinks.cancel', ...link },
  getPublicPaymentLink: slug,
  payPublicPaymentLink: { ...slug, ...payer },
  payPublicPaymentLinkAlias: { ...slug, ...payer },
  getPublicCollectionStatus: { path: { public_slug: SAMPLES.public_slug, collection_id: SAMPLES.collection_id } },
  createInvoice: {
    sdk: 'invoices.create',
    body: {
      customer_name: 'Juma Ali',
      customer_phone: A_PHONE,
      due_date: '2030-01-31',
      items: [{ description: 'Maize flour, 25 kg', quantity: '2', unit_price: '32000.00' }],
    },
  },
  listInvoices: { sdk: 'invoices.list', query: { status: 'SENT' } },
  exportInvoices: { sdk: 'invoices.export' },
  getInvoice: { sdk: 'invoices.get', ...invoice },
  updateInvoice: { sdk: 'invoices.update', ...invoice, body: { due_date: '2030-02-28' } },
  sendInvoice: { sdk: 'invoices.send', ...invoice },
  cancelInvoice: { sdk: 'invoices.cancel', ...invoice },
  createInvoicePaymentLink: { sdk: 'invoices.createPaymentLink', ...invoice },
  listDestinations: { sdk: 'destinations.list', query: { method: 'MOBILE_MONEY' } },
  createMobileMoneyDisbursement: {
    sdk: 'disbursements.createMobileMoney',
    body: {
      amount: '10000.00',
      destination_code: 'MPESA',
      destination_identifier: '0754123400',
      destination_name: 'Asha Juma',
      reference: 'PAYOUT-7',
    },
  },
  createProviderPesaDisbursement: {
    sdk: 'disbursements.createProviderPesa',
    body: {
      amount: '10000.00',
      destination_identifier: '0754123400',
      destination_name: 'Asha Juma',
      reference: 'PAYOUT-8',
    },
  },
  createBankAccountDisbursement: {
    sdk: 'disbursements.createBankAccount',
    body: {
      amount: '10000.00',
      destination_code: 'CRDB',
      bank_name: 'CRDB Bank',
      destination_identifier: '0150123400',
      destination_name: 'Asha Juma',
      reference: 'SALARY-7',
    },
  },
  listDisbursements: { sdk: 'disbursements.list', query: { status: 'SUCCESS' } },
  getDisbursement: { sdk: 'disbursements.get', ...disbursement },
  cancelDisbursement: { sdk: 'disbursements.cancel', ...disbursement },
  simulateDisbursement: { sdk: 'disbursements.simulate', ...disbursement, body: { outcome: 'SUCCESS' } },
  getPayoutLimits: { sdk: 'disbursements.limits' },
  getBalance: { sdk: 'balance.get' },
  listTransactions: { sdk: 'transactions.list', path: { merchant_id: 'me' }, query: { type: 'COLLECTION' } },
  exportTransactions: { sdk: 'transactions.export', path: { merchant_id: 'me' } },
  getTransaction: { sdk: 'transactions.get', path: { reference: SAMPLES.transaction } },
  getStatement: { sdk: 'transactions.statement', path: { merchant_id: 'me', period: '2026-01' } },
  getWebhookConfig: { sdk: 'webhookConfig.get' },
  updateWebhookConfig: { sdk: 'webhookConfig.update', body: { webhook_url: 'https://shop.example/hooks/malipo' } },
  testWebhook: { sdk: 'webhookConfig.test' },
  listWebhookEndpoints: { sdk: 'webhookEndpoints.list' },
  createWebhookEndpoint: {
    sdk: 'webhookEndpoints.create',
    body: {
      webhook_url: 'https://books.example/hooks/malipo',
      events: ['collection.success'],
      description: 'Bookkeeping',
    },
  },
  getWebhookEndpoint: { sdk: 'webhookEndpoints.get', ...endpoint },
  updateWebhookEndpoint: {
    sdk: 'webhookEndpoints.update',
    ...endpoint,
    body: { events: ['collection.success', 'collection.reversed'] },
  },
  deleteWebhookEndpoint: { sdk: 'webhookEndpoints.delete', ...endpoint },
  testWebhookEndpoint: { sdk: 'webhookEndpoints.test', ...endpoint },
  listEvents: { query: { event: 'collection.success' } },
  streamEvents: {},
  listRequests: { sdk: 'requests.list', query: { status: '4xx' } },
  listWebhookDeliveries: { sdk: 'webhookDeliveries.list', query: { status: 'failed' } },
  getWebhookDelivery: { sdk: 'webhookDeliveries.get', ...delivery },
  replayWebhookDeliveries: { sdk: 'webhookDeliveries.replayAll', body: { since: '2026-01-05T06:00:00Z' } },
  replayWebhookDelivery: { sdk: 'webhookDeliveries.replay', ...delivery },
}

/** Returns the example of a call. Null means that the call has no example. */
export function exampleCall(name: string): CallExample | null {
  return EXAMPLES[name] ?? null
}
