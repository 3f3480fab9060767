// Defines the errors of a call. For a mistake in the program, the SDK throws a TypeError instead, before it sends anything.

import type { ErrorCode } from './api-types.ts'

/** The facts of a failed call, from which the SDK makes the error. */
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

/** A failed call. The subclass shows the kind of failure, and `code` shows the exact reason. */
export class MalipoError extends Error {
  // A bundler may shorten the names of classes, but it does not change this text.
  override readonly name: string = 'MalipoError'
  /**
   * The error code of the API. If your signal aborted the call, `aborted`; if the SDK got no answer of the API, `no_answer`.
   * The API can add codes: if you do not know a code, decide by `status`.
   */
  readonly code: ErrorCode | 'no_answer' | 'aborted' | (string & {})
  /** The HTTP status. 0 means that no answer arrived. */
  readonly status: number
  /** The details of the API, such as the fields of `validation_failed`. Null means that the API sent none. */
  readonly details: Record<string, unknown> | null
  /** The id of the request. If you report a problem, give this id to support. Null means that the answer had no id. */
  readonly requestId: string | null
  /**
   * The idempotency key of the call. Null means that the call only reads, or that you gave no key and only the secret in the
   * answer was lost.
   */
  readonly idempotencyKey: string | null
  /**
   * True means that the API may have made the change. Repeat the call with the same `idempotencyKey`: then the API makes the
   * change only once.
   */
  readonly outcomeUnknown: boolean
  /** True means that the same call, with the same idempotency key, can succeed later. */
  readonly isRetryable: boolean
  /** The seconds to wait before the next attempt. Null means that the API named no time. */
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

/** The API refused the input (400, 413, 415, 422). Correct the input. If the API names wrong fields, `details.fields` has them. */
export class ValidationError extends MalipoError {
  override readonly name: string = 'ValidationError'
}
/** The API does not accept the key (401), for example because the key is wrong, expired or revoked. */
export class AuthenticationError extends MalipoError {
  override readonly name: string = 'AuthenticationError'
}
/** The key may not make this call (403), for example because a scope is missing. */
export class PermissionError extends MalipoError {
  override readonly name: string = 'PermissionError'
}
/** The record does not exist for this key (404). */
export class NotFoundError extends MalipoError {
  override readonly name: string = 'NotFoundError'
}
/** The current state does not allow the call (409), for example the status of a record or the balance. */
export class ConflictError extends MalipoError {
  override readonly name: string = 'ConflictError'
}
/** A limit refused the call (429), for example the limit of requests of a key. `retryAfter` has the seconds to wait. */
export class RateLimitError extends MalipoError {
  override readonly name: string = 'RateLimitError'
}
/** The server failed (status 500 or more). */
export class ServerError extends MalipoError {
  override readonly name: string = 'ServerError'
}
/** The SDK got no answer of the API: no connection, a timeout, an abort, or the answer of another program. */
export class NoAnswerError extends MalipoError {
  override readonly name: string = 'NoAnswerError'
}

/** Returns the class of the error for an HTTP status. For an unknown status, returns MalipoError. */
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
