// The exports of the SDK: a client of the API, and the verification of webhooks.

export { type Client, createClient } from './client.ts'
export type {
  Collection,
  CollectionStatus,
  ListOptions,
  Page,
  PushAccepted,
  PushInput,
  QrAccepted,
  QrInput,
} from './collections.ts'
export { MalipoError } from './error.ts'
export type { Identity, KeyIdentity, PersonIdentity } from './me.ts'
export type { ClientOptions, CreateOptions } from './request.ts'
export type {
  Balance,
  ExportFilters,
  Statement,
  StatementOptions,
  Transaction,
  TransactionFilters,
  TransactionType,
} from './transactions.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent, WebhookSignatureError } from './webhook.ts'
export type {
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointInput,
  WebhookEndpointWithSecret,
} from './webhook-endpoints.ts'
export type {
  ActingInput,
  BankAccountInput,
  Charges,
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
  WithdrawalStatus,
} from './withdrawals.ts'
