// Requests and responses about webhook endpoints.

/** A webhook endpoint. The endpoint with the id `default` belongs to `/v1/merchant/webhook-config`, and the other calls refuse it. */
export type WebhookEndpoint = {
  id: string
  environment: 'live' | 'sandbox'
  description: string | null
  webhook_url: string
  /** The events that the endpoint receives. New events may follow. */
  events: string[]
  /** The last four characters of the signing secret. */
  secret_last4: string
  created_at: string
}

/** A webhook endpoint after a call that made a secret. Store `secret`: no later response contains it. */
export type WebhookEndpointWithSecret = WebhookEndpoint & {
  /**
   * The signing secret for `verifyWebhook`. Undefined in the answer to a repeated idempotency key, because the API stores no secret
   * with an answer.
   */
  secret?: string
}

/** A new webhook endpoint. Without `events`, the API chooses the default events. */
export type WebhookEndpointInput = { webhook_url: string; events?: string[]; description?: string }

/** A change of a webhook endpoint. A field that is missing stays as it is. Null as `description` removes the text. */
export type WebhookEndpointChange = { webhook_url?: string; events?: string[]; description?: string | null }

/** A delivery of an event to an endpoint. New statuses may follow. */
export type WebhookDelivery = {
  id: string
  event: string
  environment: 'live' | 'sandbox'
  endpoint_id: string
  status: string
}
