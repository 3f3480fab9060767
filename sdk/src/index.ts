// The door of the SDK: a client for the API, and the check of webhooks.

export {
  type Client,
  type ClientOptions,
  type Collection,
  type CollectionStatus,
  type CreateOptions,
  createClient,
  type ListOptions,
  type Page,
  type PushAccepted,
  type PushInput,
  type QrAccepted,
  type QrInput,
} from './client.ts'
export { MalipoError } from './error.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent, WebhookSignatureError } from './webhook.ts'
