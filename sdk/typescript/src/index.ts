// Exports the client of the API, its errors, and the verification of webhooks.

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
export type { EventOfStream, EventStreamOptions } from './event-stream.ts'
export { isPaid, unknownEventNotice } from './events.ts'
export type { List, Page } from './list.ts'
export { Malipo } from './malipo.ts'
export type { CollectionCalls, InvoiceCalls, PaymentLinkCalls } from './money-in.ts'
export type { BalanceCalls, DestinationCalls, DisbursementCalls, TransactionCalls } from './money-out.ts'
export type { MalipoOptions } from './options.ts'
export type * from './records.ts'
export type { ChangeOptions, ReadOptions } from './request.ts'
export { VERSION } from './version.ts'
export { type VerifyOptions, verifyWebhook, type WebhookRefusal, WebhookSignatureError } from './webhook.ts'
export type {
  EventCalls,
  WebhookConfigCalls,
  WebhookDeliveryCalls,
  WebhookEndpointCalls,
  WithSecret,
} from './webhook-calls.ts'
