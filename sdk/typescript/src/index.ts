// The exports of the SDK: the client of the API, its errors, and the verification of webhooks.

export type * from './api-types.ts'
export {
  AuthenticationError,
  ConflictError,
  MalipoError,
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.ts'
export {
  type CollectionFailed,
  type CollectionPendingReview,
  type CollectionReversed,
  type CollectionSuccess,
  type DisbursementFailed,
  type DisbursementReversed,
  type DisbursementSuccess,
  isPaid,
  unknownEventNotice,
  type WebhookEvent,
} from './events.ts'
export type { List, Page } from './list.ts'
export { Malipo } from './malipo.ts'
export type { Collections, Invoices, PaymentLinks } from './money-in.ts'
export type { Balances, Destinations, Disbursements, Transactions } from './money-out.ts'
export type { MalipoOptions } from './options.ts'
export type * from './records.ts'
// The API has schemas with the same names. Their types are equal.
export type {
  Balance,
  Collection,
  Invoice,
  PaymentLink,
  Statement,
  Transaction,
  WebhookDelivery,
  WebhookEndpoint,
} from './records.ts'
export type { ChangeOptions, ReadOptions } from './request.ts'
export { VERSION } from './version.ts'
export { type VerifyOptions, verifyWebhook, type WebhookRefusal, WebhookSignatureError } from './webhook.ts'
export type { WebhookConfig, WebhookDeliveries, WebhookEndpoints } from './webhook-calls.ts'
