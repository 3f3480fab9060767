// The errors of a call. A mistake in the program is a TypeError instead, which is thrown before anything is sent.

import type { ErrorCode } from './api-types.ts'

/** The facts of a failed call. */
export type ErrorFacts = {
  code: string
  message: string
  status: number
  details: Record<string, unknown> | null
  requestId: string | null
  idempotencyKey: string | null
  outcomeUnknown: boolean
  isRetryable: boolean
  retryAfter: number | null
  cause?: unknown
}

/** A failed call. The subclasses tell the kind of the failure, and `code` the exact reason. */
export class MalipoError extends Error {
  // A name in the code survives a bundler that shortens the names of classes.
  override readonly name: string = 'MalipoError'
  /** The error code of the API, or `no_answer`, or `aborted` by the signal. New codes may follow: treat an unknown code by its status. */
  readonly code: ErrorCode | 'no_answer' | 'aborted' | (string & {})
  /** The HTTP status. 0 means that no answer arrived. */
  readonly status: number
  /** Details of the API, such as the fields of `validation_failed`. */
  readonly details: Record<string, unknown> | null
  /** The id of the request. Quote it when you report a problem. */
  readonly requestId: string | null
  /** The idempotency key of the call. Null for a call that only reads. */
  readonly idempotencyKey: string | null
  /**
   * True means that the API may have done what the call asked for. Repeat the call with the same `idempotencyKey`: the
   * repeated call has no second effect.
   */
  readonly outcomeUnknown: boolean
  /** True means that the same call, with the same idempotency key, can succeed later. */
  readonly isRetryable: boolean
  /** The seconds to wait before the next try, if the API named them. */
  readonly retryAfter: number | null

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId
    this.idempotencyKey = facts.idempotencyKey
    this.outcomeUnknown = facts.outcomeUnknown
    this.isRetryable = facts.isRetryable
    this.retryAfter = facts.retryAfter
  }
}

/** The API refused the input (400, 413, 415, 422): correct it. `details.fields` names the fields. */
export class ValidationError extends MalipoError {
  override readonly name: string = 'ValidationError'
}
/** The key is missing, wrong or revoked (401). */
export class AuthenticationError extends MalipoError {
  override readonly name: string = 'AuthenticationError'
}
/** The key may not make this call (403). */
export class PermissionError extends MalipoError {
  override readonly name: string = 'PermissionError'
}
/** The record does not exist for this key (404). */
export class NotFoundError extends MalipoError {
  override readonly name: string = 'NotFoundError'
}
/** The state of a record or of the balance does not allow the call (409). */
export class ConflictError extends MalipoError {
  override readonly name: string = 'ConflictError'
}
/** Too many requests (429). `retryAfter` has the seconds to wait. */
export class RateLimitError extends MalipoError {
  override readonly name: string = 'RateLimitError'
}
/** The server failed (500 or more). */
export class ServerError extends MalipoError {
  override readonly name: string = 'ServerError'
}
/** No answer of the API arrived: no connection, a timeout, an abort, or the answer of another program. */
export class NoAnswerError extends MalipoError {
  override readonly name: string = 'NoAnswerError'
}

/** Returns the class of an error for an HTTP status. */
export function errorClass(status: number): typeof MalipoError {
  if (status >= 500) return ServerError
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return ValidationError
    case 401:
      return AuthenticationError
    case 403:
      return PermissionError
    case 404:
      return NotFoundError
    case 409:
      return ConflictError
    case 429:
      return RateLimitError
    default:
      return MalipoError
  }
}
