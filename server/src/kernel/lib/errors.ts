// Defines the error catalogue: every error code that a caller can get, with its status and message.

type CatalogueEntry = { status: number; message: string }

/** Every error code of the API. `npm run generate` writes the documentation of errors from this table. */
export const catalogue = {
  validation_failed: { status: 400, message: 'The request is not valid. See details.fields for what to change.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON. Send one JSON object encoded as UTF-8.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP/1.1.' },
  idempotency_key_required: {
    status: 400,
    message: 'Send an Idempotency-Key header of 1 to 255 visible ASCII characters, fresh for each payment attempt.',
  },
  authentication_required: {
    status: 401,
    message: 'Send your API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
  },
  invalid_api_key: { status: 401, message: 'This API key is not valid. Check that you copied all of it.' },
  api_key_revoked: { status: 401, message: 'This API key is revoked or has expired. Use a current key.' },
  public_key_not_accepted: {
    status: 401,
    message: 'A pk_ value is a public identifier, not a credential. Use a secret API key on your server.',
  },
  invalid_session: {
    status: 401,
    message: 'This session token is not valid for this call. Sign in again, or use an API key.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This API key lacks the scope that the call needs. See details.required_scope.',
  },
  insufficient_role: {
    status: 403,
    message: 'Your role does not allow this call. Ask an administrator of the merchant.',
  },
  merchant_mismatch: {
    status: 403,
    message: 'merchant_id is not the merchant of this credential. Leave it out or send your own.',
  },
  production_access_restricted: {
    status: 403,
    message:
      'Production keys are available after an operator has approved the business account. Use the sandbox until then.',
  },
  step_up_required: {
    status: 403,
    message:
      'This request needs a recent sign-in. Send your code or password to POST /v1/session/confirm, or sign in again, then repeat the request.',
  },
  conflict_of_interest: {
    status: 403,
    message:
      'You are or were a member of this merchant, or you made one of its API keys. Another operator must decide.',
  },
  second_factor_required: {
    status: 403,
    message:
      'This merchant requires a second factor of its members. Set up the second step of your sign-in, then sign in again.',
  },
  forbidden: { status: 403, message: 'The server does not allow this request.' },
  not_found: { status: 404, message: 'This resource does not exist. Check the path and the id.' },
  method_not_allowed: { status: 405, message: 'This path does not accept this method. See the Allow header.' },
  payment_link_not_active: { status: 409, message: 'This payment link no longer accepts payments.' },
  payment_link_already_paid: {
    status: 409,
    message: 'A payer has already paid this payment link, so you cannot cancel the link.',
  },
  payment_in_progress: { status: 409, message: 'Another payment of this link is in progress. Wait until it ends.' },
  invalid_state: { status: 409, message: 'The state of the record does not allow this request.' },
  key_limit_reached: {
    status: 409,
    message:
      'The merchant already has the maximum number of active keys in this environment. Revoke a key that no server uses.',
  },
  webhook_endpoint_limit_reached: {
    status: 409,
    message:
      'The merchant already has the maximum number of webhook endpoints in this environment. Delete an endpoint that no server uses.',
  },
  second_operator_required: {
    status: 409,
    message:
      'You have already made this decision. Another operator must make the same decision before any money moves.',
  },
  insufficient_balance: { status: 409, message: 'The available balance does not cover the amount and its charges.' },
  confirmation_required: {
    status: 409,
    message:
      'This is the first payout of the merchant to this destination. Check the destination, then approve with confirm_new_destination: true and a new Idempotency-Key.',
  },
  payout_limit_reached: {
    status: 409,
    message:
      'The payout would exceed a daily limit. Approve the withdrawal on another day, or set a higher limit for the merchant.',
  },
  withdrawal_restricted: {
    status: 409,
    message:
      'Withdrawals need a merchant that is active, verified and priced. Ask the platform to complete the account.',
  },
  payouts_paused: {
    status: 409,
    message: 'An operator has paused these payouts. Wait until an operator ends the pause.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
  },
  request_timeout: { status: 408, message: 'The request did not arrive completely in time. Send it again.' },
  payload_too_large: { status: 413, message: 'The body is too large. The limit is 64 KiB.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key belongs to another request. Use a fresh key for each payment attempt.',
  },
  simulate_status_not_allowed: { status: 422, message: 'Only sandbox keys may send simulate_status.' },
  amount_not_supported: { status: 422, message: 'This amount is outside the limits, or the provider cannot move it.' },
  unsupported_currency: { status: 422, message: 'The service supports only TZS.' },
  unknown_destination: {
    status: 422,
    message: 'destination_code is not a destination of this method. GET /v1/destinations lists them.',
  },
  headers_too_large: { status: 431, message: 'The headers are too large. The limit is 16 KiB.' },
  rate_limited: { status: 429, message: 'Too many requests. Wait for the seconds in Retry-After.' },
  internal_error: {
    status: 500,
    message: 'The server met an unexpected error. Quote the X-Request-Id when you report the error.',
  },
  provider_unavailable: {
    status: 503,
    message: 'The server cannot reach the payment provider. Try again in a moment.',
  },
  service_unavailable: { status: 503, message: 'The service cannot answer at the moment. Try again shortly.' },
} as const satisfies Record<string, CatalogueEntry>

/** An error code of the catalogue. */
export type ErrorCode = keyof typeof catalogue

/** Details that the caller may see with the code. Null in the answer means that there are no details. */
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

/** Refuses with an error code of the catalogue. This function never returns. No other function throws a Refusal. */
export function refuse(
  code: ErrorCode,
  options?: { details?: ErrorDetails; message?: string; retry_after_s?: number },
): never {
  throw new Refusal(code, options)
}

/** Refuses one field of the body or query with 400 validation_failed. */
export function refuseField(field: string, message: string): never {
  refuse('validation_failed', { details: { fields: [{ field, message }] } })
}

/** A broken invariant about money: a defect of the program or of the data, never a refusal. */
export class InvariantError extends Error {
  constructor(fault: string) {
    super(`broken invariant: ${fault}`)
    this.name = 'InvariantError'
  }
}

/** If an invariant about money does not hold, throws an InvariantError. The check runs in production too. */
export function assertInvariant(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new InvariantError(fault)
}
