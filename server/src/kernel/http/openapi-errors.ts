// Describes the refusals of the API in the OpenAPI document: one shared response for each set of error codes, and the shared
// headers.

import { catalogue, type ErrorCode } from '../lib/index.ts'
import { type Json, pascal } from './openapi-share.ts'

/** The names of the statuses. The name of each shared response begins with one of them. */
const STATUS_NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'WrongType',
  422: 'Unprocessable',
  429: 'RateLimited',
  500: 'ServerError',
  503: 'Unavailable',
}

/**
 * Short words for error codes in the names of responses. An empty word is for a code that each call with the status can answer.
 */
const WORDS: Partial<Record<ErrorCode, string>> = {
  validation_failed: '',
  invalid_json: 'Json',
  idempotency_key_required: 'NoKey',
  authentication_required: '',
  public_key_not_accepted: '',
  invalid_session: '',
  invalid_api_key: '',
  api_key_revoked: '',
  insufficient_role: 'Role',
  insufficient_scope: 'Scope',
  forbidden: 'Address',
  merchant_mismatch: 'Merchant',
  production_access_restricted: 'Production',
  second_factor_required: 'SecondFactor',
  step_up_required: 'StepUp',
  not_found: '',
  idempotency_in_progress: 'InProgress',
  invalid_state: 'State',
  insufficient_balance: 'Balance',
  withdrawal_restricted: 'Restricted',
  payload_too_large: '',
  unsupported_media_type: '',
  amount_not_supported: 'Amount',
  unsupported_currency: 'Currency',
  unknown_destination: 'Destination',
  simulate_status_not_allowed: 'Simulation',
  idempotency_key_reused: 'KeyReused',
  rate_limited: '',
  internal_error: '',
  service_unavailable: '',
  provider_unavailable: 'Provider',
}

/** The details in the example of a code. A code without an entry has null. */
const DETAILS: Partial<Record<ErrorCode, Json>> = {
  validation_failed: { fields: [{ field: 'phone', message: 'is required' }] },
  insufficient_scope: { required_scope: 'collections:write' },
}

/** The codes for which the document lists the header Retry-After. */
const RETRY_CODES: readonly ErrorCode[] = ['rate_limited', 'idempotency_in_progress', 'service_unavailable']

/** The shared responses of a document, with the function that refers to them. */
export type ErrorResponses = ReturnType<typeof createErrorResponses>

/**
 * Makes the shared responses of a document by name, and their examples. The document gets each response when a call uses it.
 */
export function createErrorResponses() {
  const responses = new Map<string, Json>()
  const examples = new Map<string, Json>()

  /** Returns the shared response of a status with these codes, as a reference. */
  const share = (status: number, codes: readonly ErrorCode[]): Json => {
    const name = responseName(status, codes)
    const response = describeRefusals(codes)
    const known = responses.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response))
      throw new Error(`two sets of error codes have the name ${name}: give each code a word in WORDS`)
    responses.set(name, response)
    for (const code of codes) {
      const { message } = catalogue[code]
      const error = { code, message, details: DETAILS[code] ?? null }
      examples.set(code, { summary: message, value: { success: false, error } })
    }
    return { $ref: `#/components/responses/${name}` }
  }

  return {
    responses,
    examples,
    /** Returns the responses of a call by status, from all error codes of the call. */
    responsesOf(codes: readonly ErrorCode[]): Json {
      const groups = Object.groupBy(new Set(codes), (code) => String(catalogue[code].status))
      return Object.fromEntries(
        Object.entries(groups).map(([status, group]) => [status, share(Number(status), sorted(group ?? []))]),
      )
    },
  }
}

/** Returns the codes in the order of the catalogue. */
function sorted(codes: readonly ErrorCode[]): ErrorCode[] {
  const order = Object.keys(catalogue)
  return [...codes].sort((a, b) => order.indexOf(a) - order.indexOf(b))
}

function responseName(status: number, codes: readonly ErrorCode[]): string {
  const base = STATUS_NAMES[status]
  if (base === undefined) throw new Error(`add the status ${status} to STATUS_NAMES`)
  return base + codes.map((code) => WORDS[code] ?? pascal(code)).join('')
}

function describeRefusals(codes: readonly ErrorCode[]): Json {
  const headers = ['X-Request-Id']
  if (codes.some((code) => RETRY_CODES.includes(code))) headers.push('Retry-After')
  if (codes.includes('rate_limited')) headers.push('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')
  return {
    description:
      codes.length === 1
        ? catalogue[codes[0] as ErrorCode].message
        : `One of ${codes.length} reasons: see \`error.code\`.`,
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: failureSchema(codes),
        examples: Object.fromEntries(codes.map((one) => [one, { $ref: `#/components/examples/${one}` }])),
      },
    },
  }
}

/** Returns the schema of a refusal with one of these codes. */
function failureSchema(codes: readonly ErrorCode[]): Json {
  const error = {
    type: 'object',
    required: ['code', 'message', 'details'],
    properties: {
      code: { type: 'string', enum: codes },
      message: { type: 'string' },
      details: { $ref: '#/components/schemas/ErrorDetails' },
    },
  }
  return {
    type: 'object',
    required: ['success', 'error'],
    properties: { success: { type: 'boolean', enum: [false] }, error },
  }
}

/** The shared schema of the details of a refusal. */
export const ERROR_DETAILS: Json = {
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'Facts about the refusal. For `validation_failed`, `fields` lists each wrong field with its problem.',
  properties: {
    fields: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

/** Returns references to shared headers, by the names of the headers. */
export function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Returns the shared headers of answers. `ignored_fields` is the name of the header with the unknown fields of a body. */
export function sharedAnswerHeaders(ignored_fields: string): Json {
  const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
  const count = (description: string, example: number) => ({
    description,
    schema: { type: 'integer', minimum: 0 },
    example,
  })
  return {
    'X-Request-Id': text(
      'The id of the request, for questions to the platform: the id that the request sent, or a new one.',
      '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f',
    ),
    'Retry-After': count('The seconds after which the caller may send the request again.', 7),
    'RateLimit-Limit': count('The number of requests that the limit allows in a minute. Only if a limit is set.', 600),
    'RateLimit-Remaining': count('The number of requests that remain until the counter starts again.', 0),
    'RateLimit-Reset': count('The seconds until the counter starts again.', 7),
    'Idempotency-Replayed': {
      description: 'Sent if the answer is the stored answer to the first request with this Idempotency-Key.',
      schema: { type: 'string', enum: ['true'] },
    },
    [ignored_fields]: text(
      'The fields of the body that the server does not know and ignored, separated by commas. Sent only if there are any.',
      'custmer_name, items[0].qty',
    ),
  }
}
