// Defines the calls about payouts, destinations, the balance and transactions.

import type * as Api from './api-types.ts'
import { createList, type List } from './list.ts'
import type { Destination, Disbursement } from './records.ts'
import { type ChangeOptions, type Http, path, type ReadOptions } from './request.ts'

/** Payouts. An operator of the platform approves each payout before the platform sends it. */
export type DisbursementCalls = {
  /** Submits a payout to a mobile-money number. */
  createMobileMoney(
    input: Api.CreateMobileMoneyDisbursementInput,
    options?: ChangeOptions,
  ): Promise<Api.CreateMobileMoneyDisbursementAnswer>
  /** Submits a payout to a Provider Pesa wallet. */
  createProviderPesa(
    input: Api.CreateProviderPesaDisbursementInput,
    options?: ChangeOptions,
  ): Promise<Api.CreateProviderPesaDisbursementAnswer>
  /** Submits a payout to a bank account. */
  createBankAccount(
    input: Api.CreateBankAccountDisbursementInput,
    options?: ChangeOptions,
  ): Promise<Api.CreateBankAccountDisbursementAnswer>
  /** Returns a payout with its status history. */
  get(disbursement_id: string, options?: ReadOptions): Promise<Disbursement>
  /** Lists payouts, newest first. */
  list(filters?: Api.ListDisbursementsFilters, options?: ReadOptions): List<Api.Withdrawal>
  /** Cancels a payout that no operator has approved. */
  cancel(disbursement_id: string, options?: ChangeOptions): Promise<Api.CancelDisbursementAnswer>
  /** Simulates the decision of the operator and the answer of the provider, for a sandbox payout only. */
  simulate(
    disbursement_id: string,
    input: Api.SimulateDisbursementInput,
    options?: ChangeOptions,
  ): Promise<Api.SimulateDisbursementAnswer>
  /** Returns the daily limits of payouts, and today's sum. */
  limits(options?: ReadOptions): Promise<Api.GetPayoutLimitsAnswer>
}

/** Makes `malipo.disbursements`, whose calls send requests by `http`. */
export function disbursementCalls(http: Http): DisbursementCalls {
  const { get, change } = http
  const create = <Data>(name: string, input: object, options?: ChangeOptions) =>
    change<Data>('POST', `/v1/disbursements/${name}`, input, options)
  return {
    createMobileMoney: (input, options) => create('mobile-money', input, options),
    createProviderPesa: (input, options) => create('provider-pesa', input, options),
    createBankAccount: (input, options) => create('bank-account', input, options),
    get: async (id, options) => get(path`/v1/disbursements/${id}`, {}, options),
    list: (filters = {}, options) => createList(http, '/v1/disbursements', filters, 'id', options),
    cancel: async (id, options) => change('POST', path`/v1/disbursements/${id}/cancel`, {}, options),
    simulate: async (id, input, options) =>
      change('POST', path`/v1/sandbox/disbursements/${id}/simulate`, input, options),
    limits: (options) => get('/v1/merchant/payout-limits', {}, options),
  }
}

/** The networks and banks that can receive payouts. */
export type DestinationCalls = {
  /** Lists all destinations, or those of one payout method. */
  list(filters?: Api.ListDestinationsFilters, options?: ReadOptions): Promise<{ items: Destination[] }>
}

/** Makes `malipo.destinations`, whose calls send requests by the given functions. */
export function destinationCalls({ get }: Http): DestinationCalls {
  return { list: (filters, options) => get('/v1/destinations', filters, options) }
}

/** The balance of your merchant. */
export type BalanceCalls = {
  /** Returns the available, reserved and held money of the key's environment. */
  get(options?: ReadOptions): Promise<Api.Balance>
}

/** Makes `malipo.balance`, whose calls send requests by the given functions. */
export function balanceCalls({ get }: Http): BalanceCalls {
  return { get: (options) => get('/v1/balance', {}, options) }
}

/** The changes of your balance, and its statements. */
export type TransactionCalls = {
  /** Returns the transaction with this reference, which begins with TXN-. */
  get(reference: string, options?: ReadOptions): Promise<Api.Transaction>
  /** Lists transactions, newest first. */
  list(filters?: Api.ListTransactionsFilters, options?: ReadOptions): List<Api.Transaction>
  /** Exports transactions as CSV. Read the answer with `text()`, or as a stream with `body`. */
  export(filters?: Api.ExportTransactionsFilters, options?: ReadOptions): Promise<Response>
  /** Returns the statement of a month ("2026-01") or a day ("2026-01-05"). */
  statement(period: string, options?: ReadOptions): Promise<Api.Statement>
  /** Returns a statement as a CSV file. Read the answer with `arrayBuffer()`. */
  statementFile(period: string, filters: { format: 'csv' }, options?: ReadOptions): Promise<Response>
}

/** Makes `malipo.transactions`, whose calls send requests by `http`. In a path, `me` means the merchant of the key. */
export function transactionCalls(http: Http): TransactionCalls {
  const { get, file } = http
  const own = '/v1/merchants/me'
  return {
    get: async (reference, options) => get(path`/v1/transactions/${reference}`, {}, options),
    list: (filters = {}, options) => createList(http, `${own}/transactions`, filters, 'reference', options),
    export: (filters, options) => file(`${own}/transactions/export`, filters, options),
    statement: async (period, options) => get(own + path`/statements/${period}`, {}, options),
    statementFile: async (period, filters, options) => file(own + path`/statements/${period}`, filters, options),
  }
}
