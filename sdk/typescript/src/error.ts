// The error of a failed call.

/** The fields of a `MalipoError`. */
export type MalipoErrorFacts = {
  code: string
  message: string
  details: Record<string, unknown> | null
  request_id: string | null
  status: number
  /** The Idempotency-Key of the call. If you repeat the call with this key, the second call has no second effect. */
  idempotency_key: string | null
  cause?: unknown
}

/**
 * A failed call. `code` is an error code of the API. If no readable response arrives, `code` is `no_answer` and the status is
 * 0. After `no_answer` or a 5xx the outcome is unknown: repeat the call with the same `idempotency_key`.
 */
export class MalipoError extends Error {
  readonly code: string
  readonly details: Record<string, unknown> | null
  readonly request_id: string | null
  readonly status: number
  readonly idempotency_key: string | null
  constructor(facts: MalipoErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'MalipoError'
    this.code = facts.code
    this.details = facts.details
    this.request_id = facts.request_id
    this.status = facts.status
    this.idempotency_key = facts.idempotency_key
  }
}
