// Defines the error catalogue: every error code of the API, with its status, message and next step.

/**
 * `to_do` is the next step for a developer whose program gets the error. The response contains `message` without `to_do`; the
 * documentation contains both.
 */
type CatalogueEntry = { status: number; message: string; to_do: string }

/** Every error code of the API. `npm run generate` writes the documentation of errors from this table. */
export const catalogue = {
  validation_failed: {
    status: 400,
    message: 'The request is not valid. See details.fields for what to change.',
    to_do:
      'Correct each field that details.fields names, and send the request again with the same Idempotency-Key. The refused request changed nothing.',
  },
  invalid_json: {
    status: 400,
    message: 'The body is not valid JSON. Send one JSON object encoded as UTF-8.',
    to_do: 'Serialise the body with the JSON library of your language, as UTF-8. Do not build JSON from parts of text.',
  },
  malformed_request: {
    status: 400,
    message: 'The request is not valid HTTP/1.1. Send the request with an HTTP library.',
    to_do:
      'Use an HTTP library instead of a socket. If you use a library, check the proxies between your server and this server.',
  },
  idempotency_key_required: {
    status: 400,
    message:
      'Send an Idempotency-Key header of 1 to 255 visible ASCII characters, with a new key for each payment attempt.',
    to_do:
      'Make one key for each payment attempt, store it with the order, and send it again with each retry of this attempt.',
  },
  authentication_required: {
    status: 401,
    message: 'Send your API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
    to_do: 'Read the key from your settings and send the header with each call. Never put a key in the address.',
  },
  invalid_api_key: {
    status: 401,
    message: 'This API key is not valid. Check that you copied all of it.',
    to_do:
      'Copy the key again, without spaces and line ends. If you have lost the key, rotate it in the dashboard: the server cannot show it again.',
  },
  api_key_revoked: {
    status: 401,
    message: 'This API key is revoked or has expired. Use a current key.',
    to_do:
      'Put a current key into your settings. If you did not revoke the old key, ask an administrator of your business.',
  },
  public_key_not_accepted: {
    status: 401,
    message: 'A pk_ value is a public identifier, not a credential. Use a secret API key on your server.',
    to_do: 'Use the secret key of your server. A pk_ value cannot authenticate a call.',
  },
  invalid_session: {
    status: 401,
    message: 'This session token is not valid for this call. Sign in again, or use an API key.',
    to_do: 'Sign in again. A server uses an API key and no session.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This API key lacks the scope that the call needs. See details.required_scope.',
    to_do: 'Make a key with the scope that details.required_scope names. An existing key keeps its scopes.',
  },
  insufficient_role: {
    status: 403,
    message: 'Your role does not allow this call. Ask an administrator of the merchant.',
    to_do: 'Ask an administrator of your business for another role, or for the action.',
  },
  merchant_mismatch: {
    status: 403,
    message: 'merchant_id is not the merchant of this credential. Leave merchant_id out, or send your own merchant_id.',
    to_do: 'Leave merchant_id out. If you work for several businesses, use the key of the right one.',
  },
  production_access_restricted: {
    status: 403,
    message:
      'Production keys are available after an operator has approved the business account. Use the sandbox until then.',
    to_do: 'Complete the business account in the dashboard and wait for its approval. Until then, use a sandbox key.',
  },
  step_up_required: {
    status: 403,
    message:
      'This request needs a recent sign-in. Send your code or password to POST /v1/session/confirm, or sign in again, then repeat the request.',
    to_do: 'Confirm with your code, password or passkey in the console, then repeat the action.',
  },
  conflict_of_interest: {
    status: 403,
    message:
      'You are or were a member of this merchant, or you created one of its API keys. Another operator must decide.',
    to_do: 'Ask an operator who was never a member of this merchant and made none of its API keys.',
  },
  second_factor_required: {
    status: 403,
    message:
      'This merchant requires a second step at sign-in of its members. Set up the second step of your sign-in, then sign in again.',
    to_do: 'In the dashboard, set up the authenticator app or a passkey, then sign in again.',
  },
  forbidden: {
    status: 403,
    message: 'The server does not allow this request. For a live key, check the addresses that may use the key.',
    to_do:
      'In the dashboard, see the IP addresses that may use the key. The answer gives no other reason, so that an attacker gets no information.',
  },
  not_found: {
    status: 404,
    message: 'This resource does not exist. Check the path and the id.',
    to_do: 'Check the id, and that the key belongs to the same environment: a sandbox key finds no live record.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not accept this method. See the Allow header.',
    to_do: 'Use a method of the Allow header of the answer.',
  },
  payment_link_not_active: {
    status: 409,
    message: 'This payment link no longer accepts payments. Read details.status.',
    to_do: 'Read details.status. Make another link if the payer should still pay.',
  },
  payment_link_already_paid: {
    status: 409,
    message:
      'A payer has already paid this payment link, so you cannot cancel the link. To return the money, ask the platform.',
    to_do: 'Deliver the paid goods or service. To return the money, ask the platform.',
  },
  payment_in_progress: {
    status: 409,
    message: 'Another payment of this link is in progress. Wait until it ends.',
    to_do: 'Wait for the seconds in Retry-After, then send the same request with the same Idempotency-Key.',
  },
  invalid_state: {
    status: 409,
    message: 'The state of the record does not allow this request. Read the record again.',
    to_do:
      'Read the status of the record again: another request or person has changed the record. Then decide whether to repeat the request.',
  },
  key_limit_reached: {
    status: 409,
    message:
      'The merchant already has the maximum number of active keys in this environment. Revoke a key that no server uses.',
    to_do: 'Revoke a key that no server uses, or rotate a key instead of making another one.',
  },
  webhook_endpoint_limit_reached: {
    status: 409,
    message:
      'The merchant already has the maximum number of webhook endpoints in this environment. Delete an endpoint that no server uses.',
    to_do: 'Delete an endpoint that no server uses.',
  },
  second_operator_required: {
    status: 409,
    message:
      'You have already made this decision. Another operator must make the same decision before any money moves.',
    to_do: 'Ask another operator to decide.',
  },
  insufficient_balance: {
    status: 409,
    message: 'The available balance does not cover the amount and its fees. Send a smaller amount.',
    to_do: 'Read GET /v1/balance. Pay out less, or wait for more payments. The refused request reserved nothing.',
  },
  confirmation_required: {
    status: 409,
    message:
      'This is the first payout of the merchant to this destination. Check the destination, then approve with confirm_new_destination: true and a new Idempotency-Key.',
    to_do: 'Check the destination with the merchant, then approve with confirm_new_destination.',
  },
  payout_limit_reached: {
    status: 409,
    message:
      'The payout would exceed a daily limit. Approve the withdrawal on another day, or set a higher limit for the merchant.',
    to_do: 'Wait for the next day in Tanzania, or ask an operator for a higher limit.',
  },
  withdrawal_restricted: {
    status: 409,
    message:
      'Withdrawals need a merchant that is active and verified and has fees. Ask the platform to complete the account.',
    to_do:
      'Complete the account in the dashboard, or ask the platform what is missing. A retry does not help before that.',
  },
  payouts_paused: {
    status: 409,
    message: 'An operator has paused these payouts. Wait until an operator ends the pause.',
    to_do: 'Wait until an operator ends the pause. The withdrawal keeps its state until then.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
    to_do: 'Wait a second, then send the same request with the same key. You get the answer of the first request.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive completely in time. Send the request again.',
    to_do: 'Send the same request with the same Idempotency-Key again. If the error repeats, check your connection.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is too large. Send at most 64 KiB.',
    to_do: 'Send less: a call needs no more than a few kilobytes.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as application/json.',
    to_do: 'Add the header Content-Type: application/json.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'Another request has used this Idempotency-Key. Use a new key for each payment attempt.',
    to_do: 'Find the attempt that used the key. A new attempt needs a new key; a retry must send the same body.',
  },
  simulate_status_not_allowed: {
    status: 422,
    message: 'Only sandbox keys may send simulate_status. Remove simulate_status.',
    to_do: 'Remove simulate_status from live requests. Send simulate_status only with a sandbox key.',
  },
  amount_not_supported: {
    status: 422,
    message: 'The amount is outside the limits, or the provider cannot move this amount. Change the amount.',
    to_do: 'Read the limit in the message and change the amount.',
  },
  unsupported_currency: {
    status: 422,
    message: 'The service supports only TZS. Send TZS, or leave currency out.',
    to_do: 'Send TZS, or leave currency out.',
  },
  unknown_destination: {
    status: 422,
    message: 'destination_code is not a destination of this method. GET /v1/destinations lists the destinations.',
    to_do: 'Read GET /v1/destinations and send one of its codes.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are too large. Send at most 16 KiB of headers.',
    to_do: 'Remove cookies and other headers that the API does not need.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait for the seconds in Retry-After.',
    to_do: 'Wait for the seconds in Retry-After, then continue. Poll less often: webhooks report each outcome.',
  },
  internal_error: {
    status: 500,
    message: 'The server had an unexpected error. If you report the error, quote the X-Request-Id.',
    to_do:
      'Send the same request with the same Idempotency-Key again. If the error repeats, report the X-Request-Id to the platform.',
  },
  provider_unavailable: {
    status: 503,
    message: 'The server cannot reach the payment provider. Try again in a moment.',
    to_do:
      'Send the same request with the same Idempotency-Key again after some seconds. For a payment, offer another way to pay.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment. Try again shortly.',
    to_do:
      'Wait for the seconds in Retry-After, or five seconds, and send the same request with the same Idempotency-Key again.',
  },
} as const satisfies Record<string, CatalogueEntry>

/** An error code: a name in the catalogue. */
export type ErrorCode = keyof typeof catalogue

/** Details that the response contains beside the code. In the response, null means that there are no details. */
export type ErrorDetails = Record<string, unknown>

/**
 * A refusal with an error code. `refuse` throws a Refusal, and the HTTP layer converts the Refusal to the failure envelope.
 */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | null
  readonly retry_after_s: number | null
  constructor(code: ErrorCode, options: { details?: ErrorDetails; message?: string; retry_after_s?: number } = {}) {
    super(options.message ?? catalogue[code].message)
    this.name = 'Refusal'
    this.code = code
    this.details = options.details ?? null
    this.retry_after_s = options.retry_after_s ?? null
  }
  get status(): number {
    return catalogue[this.code].status
  }
}

/** Throws a Refusal with an error code of the catalogue. */
export function refuse(
  code: ErrorCode,
  options?: { details?: ErrorDetails; message?: string; retry_after_s?: number },
): never {
  throw new Refusal(code, options)
}

/** Refuses one field of a request with 400 validation_failed. */
export function refuseField(field: string, message: string): never {
  refuse('validation_failed', { details: { fields: [{ field, message }] } })
}

/** A broken invariant: a defect of the program or of the data, never a refusal. */
export class InvariantError extends Error {
  constructor(fault: string) {
    super(`broken invariant: ${fault}`)
    this.name = 'InvariantError'
  }
}

/** If an invariant does not hold, throws an InvariantError. The check runs in production too. */
export function assertInvariant(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new InvariantError(fault)
}
