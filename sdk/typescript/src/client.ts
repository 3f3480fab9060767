// The client of the API, with one function for each call.

import { randomUUID } from 'node:crypto'
import type { Collection, ListOptions, Page, PushAccepted, PushInput, QrAccepted, QrInput } from './collections.ts'
import type { Identity } from './me.ts'
import {
  type ApiCall,
  type ClientOptions,
  type CreateOptions,
  queryString,
  requestData,
  requestStream,
} from './request.ts'
import type {
  Balance,
  ExportFilters,
  Statement,
  StatementOptions,
  Transaction,
  TransactionFilters,
} from './transactions.ts'
import type {
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointInput,
  WebhookEndpointWithSecret,
} from './webhook-endpoints.ts'
import type {
  ActingInput,
  BankAccountInput,
  Destination,
  DisbursementFilters,
  MobileMoneyInput,
  PayoutMethod,
  Quote,
  QuoteInput,
  SimulatedOutcome,
  WalletInput,
  Withdrawal,
  WithdrawalDetail,
  WithdrawalFilters,
  WithdrawalInput,
} from './withdrawals.ts'

/** The API as functions. If a call fails, its function throws a `MalipoError`. */
export type Client = IdentityCalls &
  CollectionCalls &
  DisbursementCalls &
  WithdrawalCalls &
  TransactionCalls &
  WebhookEndpointCalls

type IdentityCalls = {
  /** Returns the identity of the API key or access token, with its merchants. */
  me(): Promise<Identity>
}

type CollectionCalls = {
  /** Sends a mobile-money prompt to a phone. */
  walletPush(input: PushInput, options?: CreateOptions): Promise<PushAccepted>
  /** Sends a prompt to a Provider Pesa wallet. */
  providerPesa(input: PushInput, options?: CreateOptions): Promise<PushAccepted>
  /** Creates a QR code. */
  qr(input: QrInput, options?: CreateOptions): Promise<QrAccepted>
  /** Returns a collection with its current status. */
  getCollection(collection_id: string): Promise<Collection>
  /** Lists collections, newest first. */
  listCollections(options?: ListOptions): Promise<Page<Collection>>
  /** Makes the API query the provider, and returns the collection with its new status. */
  refreshStatus(collection_id: string): Promise<Collection>
}

type DisbursementCalls = {
  /** Lists the networks and banks that can receive payouts. */
  listDestinations(filters?: {
    method?: PayoutMethod
    environment?: 'live' | 'sandbox'
  }): Promise<{ items: Destination[] }>
  /** Submits a payout to a mobile-money number. An operator must approve the payout. */
  disburseMobileMoney(input: MobileMoneyInput, options?: CreateOptions): Promise<Withdrawal>
  /** Submits a payout to a Provider Pesa wallet. An operator must approve the payout. */
  disburseProviderPesa(input: WalletInput, options?: CreateOptions): Promise<Withdrawal>
  /** Submits a payout to a bank account. An operator must approve the payout. */
  disburseBankAccount(input: BankAccountInput, options?: CreateOptions): Promise<Withdrawal>
  /** Lists the disbursements of the key's merchant, newest first. */
  listDisbursements(filters?: DisbursementFilters): Promise<Page<Withdrawal>>
  /**
   * Lists the disbursements of the named merchant. Only users need this call, because a user may be a member of several
   * merchants.
   */
  listDisbursements(merchant_id: string, filters?: DisbursementFilters): Promise<Page<Withdrawal>>
  /** Returns a disbursement with its status history. */
  getDisbursement(disbursement_id: string): Promise<WithdrawalDetail>
  /** Cancels a disbursement that no operator has approved. After the approval, the call fails with `invalid_state`. */
  cancelDisbursement(disbursement_id: string, options?: CreateOptions): Promise<Withdrawal>
  /** Simulates the decision of the operator and the answer of the provider. The API accepts this call only in the sandbox. */
  simulateDisbursement(disbursement_id: string, outcome: SimulatedOutcome, options?: CreateOptions): Promise<Withdrawal>
}

/** The calls for users. `api_key` must be an access token. */
type WithdrawalCalls = {
  /** Returns the charges of a withdrawal. Only users may make this call. */
  quoteWithdrawal(input: QuoteInput): Promise<Quote>
  /** Submits a withdrawal. Only users may make this call. An operator must approve the withdrawal. */
  submitWithdrawal(input: WithdrawalInput, options?: CreateOptions): Promise<Withdrawal>
  /** Lists withdrawals, newest first. Only users may make this call. */
  listWithdrawals(filters?: WithdrawalFilters): Promise<Page<Withdrawal>>
  /** Returns a withdrawal with its status history. Only users may make this call. */
  getWithdrawal(withdrawal_id: string, acting?: ActingInput): Promise<WithdrawalDetail>
  /** Answers the question of an operator about a withdrawal. Only users may make this call. */
  respondToWithdrawal(
    withdrawal_id: string,
    input: ActingInput & { message: string },
    options?: CreateOptions,
  ): Promise<Withdrawal>
  /** Cancels a withdrawal that no operator has approved. Only users may make this call. */
  cancelWithdrawal(withdrawal_id: string, acting?: ActingInput, options?: CreateOptions): Promise<Withdrawal>
}

type TransactionCalls = {
  /** Returns the balance of the key's merchant. */
  getBalance(): Promise<Balance>
  /** Lists the transactions of a merchant, newest first. */
  listTransactions(merchant_id: string, filters?: TransactionFilters): Promise<Page<Transaction>>
  /** Returns the transaction with this TXN- reference. */
  getTransaction(reference: string): Promise<Transaction>
  /** Exports transactions as CSV. Returns a stream, because the file can be large. */
  exportTransactions(merchant_id: string, filters?: ExportFilters): Promise<ReadableStream<Uint8Array>>
  /** Returns the statement of a month ("2026-01") or a day ("2026-01-05"). */
  getStatement(merchant_id: string, period: string, options?: StatementOptions): Promise<Statement>
}

/** The calls for the webhook endpoints of the key's environment. The key needs the scope `webhooks:manage`. */
type WebhookEndpointCalls = {
  /** Lists the endpoints, the default endpoint first. `limit` is the highest number of endpoints of an environment. */
  listWebhookEndpoints(): Promise<{ items: WebhookEndpoint[]; limit: number }>
  /** Returns an endpoint, without its secret. */
  getWebhookEndpoint(endpoint_id: string): Promise<WebhookEndpoint>
  /** Adds an endpoint, and returns it with its new secret. */
  addWebhookEndpoint(input: WebhookEndpointInput, options?: CreateOptions): Promise<WebhookEndpointWithSecret>
  /** Changes the URL, the events or the description of an endpoint. */
  changeWebhookEndpoint(
    endpoint_id: string,
    change: WebhookEndpointChange,
    options?: CreateOptions,
  ): Promise<WebhookEndpoint>
  /** Makes a new secret for an endpoint, and returns it. For 24 hours, the API signs with the previous secret too. */
  rotateWebhookSecret(endpoint_id: string, options?: CreateOptions): Promise<WebhookEndpointWithSecret>
  /** Sends a test event to an endpoint. */
  testWebhookEndpoint(endpoint_id: string, options?: CreateOptions): Promise<WebhookDelivery>
  /** Deletes an endpoint. The API begins no further attempt to it. */
  removeWebhookEndpoint(endpoint_id: string, options?: CreateOptions): Promise<{ id: string; deleted: true }>
}

/**
 * The kinds of calls. A `create`, `change` or `remove` call sends an Idempotency-Key, so the caller may repeat the call. A `post` call
 * sends no key.
 */
type HttpCalls = {
  get<Data>(path: string, filters?: object): Promise<Data>
  create<Data>(path: string, body: object, options?: CreateOptions): Promise<Data>
  change<Data>(path: string, body: object, options?: CreateOptions): Promise<Data>
  remove<Data>(path: string, options?: CreateOptions): Promise<Data>
  post<Data>(path: string, body?: object): Promise<Data>
  stream(path: string, filters: object): Promise<ReadableStream<Uint8Array>>
}

/**
 * Creates a client of the API at `base_url`, such as https://api.example.com. The key is secret, so use the client only on
 * servers.
 */
export function createClient(options: ClientOptions): Client {
  const call = <Data>(details: ApiCall) => requestData<Data>(options, details)
  const http: HttpCalls = {
    get: (path, filters = {}) => call({ method: 'GET', path: path + queryString(filters) }),
    create: (path, body, { idempotency_key = randomUUID() } = {}) =>
      call({ method: 'POST', path, body, idempotency_key }),
    change: (path, body, { idempotency_key = randomUUID() } = {}) =>
      call({ method: 'PATCH', path, body, idempotency_key }),
    remove: (path, { idempotency_key = randomUUID() } = {}) => call({ method: 'DELETE', path, idempotency_key }),
    post: (path, body) => call({ method: 'POST', path, ...(body === undefined ? {} : { body }) }),
    stream: (path, filters) => requestStream(options, { method: 'GET', path: path + queryString(filters) }),
  }
  const me = () => http.get<Identity>('/v1/me')
  return {
    me,
    ...collectionCalls(http),
    ...disbursementCalls(http),
    ...withdrawalCalls(http),
    ...transactionCalls(http),
    ...webhookEndpointCalls(http),
  }
}

/** Builds a path. Encodes each value, so that the value remains one segment of the path. */
function path(parts: TemplateStringsArray, ...given: string[]): string {
  return parts.reduce((path, part, i) => path + encodeURIComponent(given[i - 1] ?? '') + part)
}

function collectionCalls({ get, create, post }: HttpCalls): CollectionCalls {
  return {
    walletPush: (input, call_options) => create('/v1/collections/wallet-push', input, call_options),
    providerPesa: (input, call_options) => create('/v1/collections/provider-pesa', input, call_options),
    qr: (input, call_options) => create('/v1/collections/qr', input, call_options),
    getCollection: (id) => get(path`/v1/collections/${id}`),
    listCollections: (filters) => get('/v1/collections', filters),
    refreshStatus: (id) => post(path`/v1/collections/${id}/refresh-status`),
  }
}

function disbursementCalls({ get, create }: HttpCalls): DisbursementCalls {
  return {
    listDestinations: (filters) => get('/v1/destinations', filters),
    disburseMobileMoney: (input, call_options) => create('/v1/disbursements/mobile-money', input, call_options),
    disburseProviderPesa: (input, call_options) => create('/v1/disbursements/provider-pesa', input, call_options),
    disburseBankAccount: (input, call_options) => create('/v1/disbursements/bank-account', input, call_options),
    listDisbursements: (first: string | DisbursementFilters = {}, filters: DisbursementFilters = {}) =>
      get('/v1/disbursements', typeof first === 'string' ? { merchant_id: first, ...filters } : first),
    getDisbursement: (id) => get(path`/v1/disbursements/${id}`),
    cancelDisbursement: (id, call_options) => create(path`/v1/disbursements/${id}/cancel`, {}, call_options),
    simulateDisbursement: (id, outcome, call_options) =>
      create(path`/v1/sandbox/disbursements/${id}/simulate`, { outcome }, call_options),
  }
}

function withdrawalCalls({ get, create, post }: HttpCalls): WithdrawalCalls {
  return {
    quoteWithdrawal: (input) => post('/v1/merchant/withdrawals/quote', input),
    submitWithdrawal: (input, call_options) => create('/v1/merchant/withdrawals', input, call_options),
    listWithdrawals: (filters) => get('/v1/merchant/withdrawals', filters),
    getWithdrawal: (id, acting) => get(path`/v1/merchant/withdrawals/${id}`, acting),
    respondToWithdrawal: (id, input, call_options) =>
      create(path`/v1/merchant/withdrawals/${id}/respond`, input, call_options),
    cancelWithdrawal: (id, acting = {}, call_options) =>
      create(path`/v1/merchant/withdrawals/${id}/cancel`, acting, call_options),
  }
}

function transactionCalls({ get, stream }: HttpCalls): TransactionCalls {
  return {
    getBalance: () => get('/v1/balance'),
    listTransactions: (merchant_id, filters) => get(path`/v1/merchants/${merchant_id}/transactions`, filters),
    getTransaction: (reference) => get(path`/v1/transactions/${reference}`),
    exportTransactions: (merchant_id, filters = {}) =>
      stream(path`/v1/merchants/${merchant_id}/transactions/export`, filters),
    getStatement: (merchant_id, period, options) =>
      get(path`/v1/merchants/${merchant_id}/statements/${period}`, options),
  }
}

function webhookEndpointCalls({ get, create, change, remove }: HttpCalls): WebhookEndpointCalls {
  const endpoints = '/v1/merchant/webhook-endpoints'
  return {
    listWebhookEndpoints: () => get(endpoints),
    getWebhookEndpoint: (id) => get(endpoints + path`/${id}`),
    addWebhookEndpoint: (input, call_options) => create(endpoints, input, call_options),
    changeWebhookEndpoint: (id, input, call_options) => change(endpoints + path`/${id}`, input, call_options),
    rotateWebhookSecret: (id, call_options) => change(endpoints + path`/${id}`, { rotate_secret: true }, call_options),
    testWebhookEndpoint: (id, call_options) => create(endpoints + path`/${id}/test`, {}, call_options),
    removeWebhookEndpoint: (id, call_options) => remove(endpoints + path`/${id}`, call_options),
  }
}
