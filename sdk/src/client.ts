// The client: one function per call.

import { randomUUID } from 'node:crypto'
import type { Collection, ListOptions, Page, PushAccepted, PushInput, QrAccepted, QrInput } from './collections.ts'
import type { Identity } from './me.ts'
import { type Call, type ClientOptions, type CreateOptions, queryOf, request, requestStream } from './request.ts'
import type {
  Balance,
  ExportFilters,
  Statement,
  StatementOptions,
  Transaction,
  TransactionFilters,
} from './transactions.ts'
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

/** The API as functions. Each throws a `MalipoError` when the call fails. */
export type Client = IdentityCalls & CollectionCalls & DisbursementCalls & WithdrawalCalls & TransactionCalls

type IdentityCalls = {
  /** Shows whose key, or whose access token, this client uses, with its merchant. */
  me(): Promise<Identity>
}

type CollectionCalls = {
  /** Sends a mobile-money prompt to a phone. */
  walletPush(input: PushInput, options?: CreateOptions): Promise<PushAccepted>
  /** Sends a prompt to a Provider Pesa wallet. */
  providerPesa(input: PushInput, options?: CreateOptions): Promise<PushAccepted>
  /** Gets a QR code to show. */
  qr(input: QrInput, options?: CreateOptions): Promise<QrAccepted>
  /** Where a collection stands. */
  getCollection(collection_id: string): Promise<Collection>
  /** Lists collections, newest first. */
  listCollections(options?: ListOptions): Promise<Page<Collection>>
  /** Has the provider asked again; then where the collection stands. */
  refreshStatus(collection_id: string): Promise<Collection>
}

type DisbursementCalls = {
  /** The networks and banks that money can be sent to. */
  listDestinations(filters?: {
    method?: PayoutMethod
    environment?: 'live' | 'sandbox'
  }): Promise<{ items: Destination[] }>
  /** Submits a payout to a mobile-money number. It waits for an operator. */
  disburseMobileMoney(input: MobileMoneyInput, options?: CreateOptions): Promise<Withdrawal>
  /** Submits a payout to a Provider Pesa wallet. It waits for an operator. */
  disburseProviderPesa(input: WalletInput, options?: CreateOptions): Promise<Withdrawal>
  /** Submits a payout to a bank account. It waits for an operator. */
  disburseBankAccount(input: BankAccountInput, options?: CreateOptions): Promise<Withdrawal>
  /** Lists the disbursements of the merchant of the key, newest first. */
  listDisbursements(filters?: DisbursementFilters): Promise<Page<Withdrawal>>
  /** Lists the disbursements of this merchant: for people, who may be members of several. */
  listDisbursements(merchant_id: string, filters?: DisbursementFilters): Promise<Page<Withdrawal>>
  /** A disbursement with its moves. */
  getDisbursement(disbursement_id: string): Promise<WithdrawalDetail>
  /** Sandbox only: plays the operator and the provider. */
  simulateDisbursement(disbursement_id: string, outcome: SimulatedOutcome, options?: CreateOptions): Promise<Withdrawal>
}

/** Calls of people: `api_key` must be an access token. */
type WithdrawalCalls = {
  /** For people. What a withdrawal would cost. */
  quoteWithdrawal(input: QuoteInput): Promise<Quote>
  /** For people. Submits a withdrawal. It waits for an operator. */
  submitWithdrawal(input: WithdrawalInput, options?: CreateOptions): Promise<Withdrawal>
  /** For people. Lists withdrawals, newest first. */
  listWithdrawals(filters?: WithdrawalFilters): Promise<Page<Withdrawal>>
  /** For people. A withdrawal with its moves. */
  getWithdrawal(withdrawal_id: string, acting?: ActingInput): Promise<WithdrawalDetail>
  /** For people. Answers what an operator asked about a withdrawal. */
  respondToWithdrawal(
    withdrawal_id: string,
    input: ActingInput & { message: string },
    options?: CreateOptions,
  ): Promise<Withdrawal>
}

type TransactionCalls = {
  /** What the merchant of the key has. */
  getBalance(): Promise<Balance>
  /** Lists the transactions of a merchant, newest first. */
  listTransactions(merchant_id: string, filters?: TransactionFilters): Promise<Page<Transaction>>
  /** One transaction, by its TXN- reference. */
  getTransaction(reference: string): Promise<Transaction>
  /** Transactions as CSV, as it arrives: a stream that may be long. */
  exportTransactions(merchant_id: string, filters?: ExportFilters): Promise<ReadableStream<Uint8Array>>
  /** What a merchant had, got and gave in a month ("2026-01") or on a day ("2026-01-05"). */
  getStatement(merchant_id: string, period: string, options?: StatementOptions): Promise<Statement>
}

/** The kinds of calls. `create` makes something, and is safe to repeat; `post` makes nothing. */
type Way = {
  get<Data>(path: string, filters?: object): Promise<Data>
  create<Data>(path: string, body: object, options?: CreateOptions): Promise<Data>
  post<Data>(path: string, body?: object): Promise<Data>
  stream(path: string, filters: object): Promise<ReadableStream<Uint8Array>>
}

/** Makes a client of the API at `base_url`, such as https://api.example.com. For servers only: keep the key secret. */
export function createClient(options: ClientOptions): Client {
  const call = <Data>(details: Call) => request<Data>(options, details)
  const way: Way = {
    get: (path, filters = {}) => call({ method: 'GET', path: path + queryOf(filters) }),
    create: (path, body, { idempotency_key = randomUUID() } = {}) =>
      call({ method: 'POST', path, body, idempotency_key }),
    post: (path, body) => call({ method: 'POST', path, ...(body === undefined ? {} : { body }) }),
    stream: (path, filters) => requestStream(options, { method: 'GET', path: path + queryOf(filters) }),
  }
  const me = () => way.get<Identity>('/v1/me')
  return { me, ...collectionCalls(way), ...disbursementCalls(way), ...withdrawalCalls(way), ...transactionCalls(way) }
}

/** A path with what the caller gave in its places, which stays one part of it whatever it holds. */
function at(parts: TemplateStringsArray, ...given: string[]): string {
  return parts.reduce((path, part, i) => path + encodeURIComponent(given[i - 1] ?? '') + part)
}

function collectionCalls({ get, create, post }: Way): CollectionCalls {
  return {
    walletPush: (input, chosen) => create('/v1/collections/wallet-push', input, chosen),
    providerPesa: (input, chosen) => create('/v1/collections/provider-pesa', input, chosen),
    qr: (input, chosen) => create('/v1/collections/qr', input, chosen),
    getCollection: (id) => get(at`/v1/collections/${id}`),
    listCollections: (filters) => get('/v1/collections', filters),
    refreshStatus: (id) => post(at`/v1/collections/${id}/refresh-status`),
  }
}

function disbursementCalls({ get, create }: Way): DisbursementCalls {
  return {
    listDestinations: (filters) => get('/v1/destinations', filters),
    disburseMobileMoney: (input, chosen) => create('/v1/disbursements/mobile-money', input, chosen),
    disburseProviderPesa: (input, chosen) => create('/v1/disbursements/provider-pesa', input, chosen),
    disburseBankAccount: (input, chosen) => create('/v1/disbursements/bank-account', input, chosen),
    listDisbursements: (first: string | DisbursementFilters = {}, filters: DisbursementFilters = {}) =>
      get('/v1/disbursements', typeof first === 'string' ? { merchant_id: first, ...filters } : first),
    getDisbursement: (id) => get(at`/v1/disbursements/${id}`),
    simulateDisbursement: (id, outcome, chosen) =>
      create(at`/v1/sandbox/disbursements/${id}/simulate`, { outcome }, chosen),
  }
}

function withdrawalCalls({ get, create, post }: Way): WithdrawalCalls {
  return {
    quoteWithdrawal: (input) => post('/v1/merchant/withdrawals/quote', input),
    submitWithdrawal: (input, chosen) => create('/v1/merchant/withdrawals', input, chosen),
    listWithdrawals: (filters) => get('/v1/merchant/withdrawals', filters),
    getWithdrawal: (id, acting) => get(at`/v1/merchant/withdrawals/${id}`, acting),
    respondToWithdrawal: (id, input, chosen) => create(at`/v1/merchant/withdrawals/${id}/respond`, input, chosen),
  }
}

function transactionCalls({ get, stream }: Way): TransactionCalls {
  return {
    getBalance: () => get('/v1/balance'),
    listTransactions: (merchant_id, filters) => get(at`/v1/merchants/${merchant_id}/transactions`, filters),
    getTransaction: (reference) => get(at`/v1/transactions/${reference}`),
    exportTransactions: (merchant_id, filters = {}) =>
      stream(at`/v1/merchants/${merchant_id}/transactions/export`, filters),
    getStatement: (merchant_id, period, options) => get(at`/v1/merchants/${merchant_id}/statements/${period}`, options),
  }
}
