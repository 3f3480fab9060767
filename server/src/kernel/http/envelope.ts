// Defines the envelope of the API's JSON answers, and converts errors into answers in the envelope.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { isUnavailable } from '../db/index.ts'
import { catalogue, type ErrorCode, idsBetween, nullable, Refusal, traceIdOf } from '../lib/index.ts'

/** Returns the schema of a success: `{success: true, data}`. */
export function success<T extends Type.TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data })
}

/** The schema of the body of a call without fields: no body, or an empty object. */
export const EmptyBody = nullable(Type.Object({}))

/** Returns the schema of a list. If the items have a title, the title of the list is that title and `List`. */
export function page<T extends Type.TSchema>(item: T) {
  const { title } = item as { title?: string }
  return Type.Object({ items: Type.Array(item), pagination: Pagination }, title ? { title: `${title}List` } : {})
}

const Pagination = Type.Object(
  {
    page: Type.Integer({ description: 'The number of this page, from 1.' }),
    page_size: Type.Integer({ description: 'The greatest number of items on a page.' }),
    total_items: Type.Integer({
      description: 'The number of items on all pages. The server stops counting at 10,000.',
    }),
    total_pages: Type.Integer(),
  },
  { title: 'Pagination' },
)

/**
 * Returns the data of a list answer: the items of one page, the number and size of the page, and the totals of the list.
 */
export function pageOf<Item>(items: Item[], total_items: number, { page = 1, page_size = 20 }: PageChoice) {
  return { items, pagination: { page, page_size, total_items, total_pages: Math.ceil(total_items / page_size) } }
}

/**
 * The largest `total_items`. The server stops counting at this number, so that a list of millions of rows costs no more than a
 * list of thousands.
 */
export const COUNT_MAX = 10_000

/** The page of a list that the client requests. By default, page 1 with 20 items. */
export type PageChoice = { page?: number | undefined; page_size?: number | undefined }

/** The query parameters of a list with a filter by creation time. */
export const TimeQuery = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Created at or after.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Created before.' })),
}

/** Returns the bounds of the ids in the requested period. */
export function idsOfTime({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return idsBetween(from === undefined ? null : new Date(from), to === undefined ? null : new Date(to))
}

/** The query parameters of a list with numbered pages: the page and its size. */
export const PageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
}

/** Returns the failure envelope of a refusal. */
export function failure(code: ErrorCode, message: string, details: unknown) {
  return { success: false, error: { code, message, details: details ?? null } }
}

/** An invalid field of a request, with the problem of the field. */
export type FieldProblem = { field: string; message: string }
type ValidationProblem = NonNullable<FastifyError['validation']>[number]

const FORMATS: Record<string, string> = {
  'date-time': 'must be a time such as 2026-01-05T12:00:00Z or 2026-01-05T15:00:00+03:00',
  uuid: 'must be an id of this API',
  email: 'must be an e-mail address',
}
const DOCUMENTED_FORM = 'must have the form that the API documentation describes'

/** Returns a JSON type with its article: "a string", "an integer". */
function article(type: unknown): string {
  const text = Array.isArray(type) ? type.join(' or ') : String(type)
  return /^[aeiou]/.test(text) ? `an ${text}` : `a ${text}`
}

/** The beginning of the patterns in lib/text.ts that require a visible character. */
const VISIBLE_PATTERN_START = '^(?='

/** Describes a validation problem by its field and the accepted values. */
function fieldProblem(problem: ValidationProblem, context: string): FieldProblem {
  const path = problem.instancePath.slice(1).replaceAll('/', '.')
  const params = problem.params as Record<string, unknown>
  switch (problem.keyword) {
    case 'required': {
      const missing = String((params.missingProperty as string | undefined) ?? '')
      return { field: path ? `${path}.${missing}` : missing, message: 'is required' }
    }
    case 'enum':
      return { field: path, message: `must be one of ${(params.allowedValues as string[]).join(', ')}` }
    case 'pattern':
      return {
        field: path,
        message: String(params.pattern).startsWith(VISIBLE_PATTERN_START)
          ? 'must not be blank, and must hold no control characters'
          : 'must contain only the characters that this field accepts',
      }
    case 'maxLength':
      return { field: path, message: `must have at most ${params.limit} characters` }
    case 'minLength':
      return { field: path, message: `must have at least ${params.limit} character${params.limit === 1 ? '' : 's'}` }
    case 'format':
      return {
        field: path,
        message: FORMATS[String(params.format)] ?? DOCUMENTED_FORM,
      }
    case 'type':
      return { field: path || context, message: `must be ${article(params.type)}` }
    case 'minimum':
    case 'maximum':
      return {
        field: path,
        message: `must be ${problem.keyword === 'minimum' ? 'at least' : 'at most'} ${params.limit}`,
      }
    default:
      return { field: path || context, message: problem.message ?? DOCUMENTED_FORM }
  }
}

/** Sends any thrown error in the failure envelope. Internal details go to the log and never to the client. */
export function renderError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = thrown as FastifyError
  if (error instanceof Refusal) {
    if (error.retry_after_s !== null) reply.header('retry-after', String(error.retry_after_s))
    return reply.code(error.status).send(failure(error.code, error.message, error.details))
  }
  if (error.validation) {
    const fields = error.validation
      .filter((problem) => problem.keyword !== 'anyOf')
      .map((problem) => fieldProblem(problem, error.validationContext ?? 'body'))
    return sendFailure(reply, 'validation_failed', { fields })
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return sendFailure(reply, 'payload_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return sendFailure(reply, 'unsupported_media_type')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return sendFailure(reply, 'invalid_json')
  }
  // If the client disconnected before the body was complete, the server has no fault, so it logs no error.
  if (request.raw.destroyed && !request.raw.complete) return sendFailure(reply, 'invalid_json')
  if (isUnavailable(error)) {
    request.log.error(
      { component: 'http', err: error, request_id: request.id, trace_id: traceIdOf(request.trace?.context) },
      'the database is unavailable',
    )
    reply.header('retry-after', '1')
    return sendFailure(reply, 'service_unavailable')
  }
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500) {
    return sendFailure(reply, error.statusCode === 404 ? 'not_found' : 'validation_failed')
  }
  request.log.error(
    { component: 'http', err: error, request_id: request.id, trace_id: traceIdOf(request.trace?.context) },
    'a request failed',
  )
  return sendFailure(reply, 'internal_error')
}

function sendFailure(reply: FastifyReply, code: ErrorCode, details: unknown = null): FastifyReply {
  return reply.code(catalogue[code].status).send(failure(code, catalogue[code].message, details))
}
