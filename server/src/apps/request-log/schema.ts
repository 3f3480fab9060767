// Defines the requests and responses of the request log.

import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { enumOf, line, nullable, oneOf } from '../../kernel/lib/index.ts'

const Timestamp = Type.String({ format: 'date-time' })

/** An entry of the list: one request, or a count of requests that the log did not store. */
export const LoggedRequest = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    kind: oneOf(
      ['request', 'not_kept'],
      'not_kept: `count` requests of this time are not in the log, because the server got too many requests or could not write the requests.',
    ),
    request_id: nullable(
      Type.String({ description: 'X-Request-Id of the response. Null means that the kind is not_kept.' }),
    ),
    at: Type.String({
      format: 'date-time',
      description: 'When the request arrived. For not_kept, when the first of these requests arrived.',
    }),
    until: nullable(
      Type.String({
        format: 'date-time',
        description: 'For not_kept, when the last of these requests arrived. Null means that the kind is request.',
      }),
    ),
    count: Type.Integer({ description: '1, or the number of requests that the log did not keep.' }),
    method: nullable(Type.String()),
    path: nullable(Type.String({ description: 'Without the query.' })),
    status: nullable(Type.Integer()),
    duration_ms: nullable(Type.Integer({ description: 'Until the response was ready.' })),
    key_id: nullable(Type.String({ format: 'uuid' })),
    key_name: nullable(Type.String()),
    address: nullable(Type.String()),
    reference: nullable(Type.String({ description: 'The reference in the body.' })),
    resource_id: nullable(
      Type.String({ description: 'The id in the response or the path, such as that of a collection.' }),
    ),
    error_code: nullable(Type.String()),
  },
  { title: 'LoggedRequest' },
)
export type LoggedRequest = Static<typeof LoggedRequest>

const { id, at, request_id, method, path, status, duration_ms, error_code, key_id, key_name } = LoggedRequest.properties
/** An entry of the list for API keys: one request, or a count of requests that the log did not store. */
export const RequestSummary = Type.Object(
  {
    id,
    at,
    request_id,
    method,
    path,
    status,
    duration_ms,
    error_code,
    key_id,
    key_name,
    not_kept: Type.Integer({ description: '0, or the number of requests that the log did not keep.' }),
  },
  { title: 'RequestSummary' },
)
export type RequestSummary = Static<typeof RequestSummary>

const CUT = 'True means that the body was longer than the 4,096 characters that the log keeps.'
/** One request with the bodies of the request and the response. */
export const RequestRecord = Type.Object(
  {
    ...LoggedRequest.properties,
    environment: enumOf('Environment', ENVIRONMENTS),
    query: nullable(Type.String({ description: 'The part of the URL after ?.' })),
    user_agent: nullable(Type.String()),
    idempotency_key: nullable(Type.String()),
    request_body: nullable(
      Type.String({ description: 'The body of the request, with secrets redacted. Null means no body.' }),
    ),
    request_body_cut: Type.Boolean({ description: CUT }),
    response_body: nullable(
      Type.String({ description: 'The body of the answer, with secrets redacted. Null means no body, or a file.' }),
    ),
    response_body_cut: Type.Boolean({ description: CUT }),
    ignored_fields: nullable(Type.String({ description: 'Unknown fields of the body, as the response named them.' })),
    bodies_dropped: Type.Boolean({
      description: 'True means that the log dropped the bodies, because the log had no room.',
    }),
  },
  { title: 'LoggedRequestWithBodies' },
)
export type RequestRecord = Static<typeof RequestRecord>

/** The page and the filters of the request log: by method, status, path, text, API key and time. */
export const RequestsQuery = Type.Object({
  ...PageQuery,
  method: Type.Optional(oneOf(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD'])),
  status: Type.Optional(
    Type.String({
      pattern: '^(?:[2-5]xx|[2-5][0-9][0-9])$',
      description: '2xx, 3xx, 4xx, 5xx, or one status such as 409.',
      examples: ['4xx'],
    }),
  ),
  path: Type.Optional({ ...line(255, 'A part of the path.'), minLength: 1 }),
  q: Type.Optional({
    ...line(
      255,
      'A request id, or the reference or id of a resource that the request named or created. The text must be complete. The server finds requests that only read a resource among the newest 50,000.',
    ),
    minLength: 1,
  }),
  key_id: Type.Optional(Type.String({ format: 'uuid' })),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
})
export type RequestsQuery = Static<typeof RequestsQuery>

/** The page and the filters of the list for API keys. */
export const RequestSummariesQuery = Type.Object({
  ...PageQuery,
  status: RequestsQuery.properties.status,
  from: RequestsQuery.properties.from,
  to: RequestsQuery.properties.to,
})
/** The response with a page of the list for API keys. */
export const RequestSummariesAnswer = success(page(RequestSummary))

/** The response with a page of the list. `looked_back_to` is the oldest examined time. */
export const RequestsAnswer = success(
  Type.Object({
    ...page(LoggedRequest).properties,
    looked_back_to: nullable(
      Type.String({
        format: 'date-time',
        description:
          'Null means that the server examined the whole period. Otherwise, the oldest examined time. Send this time as `to` to continue.',
      }),
    ),
  }),
)
/** The response with one request and its bodies. */
export const RequestAnswer = success(RequestRecord)
/** The parameters of a path that contains the id of an entry. */
export const RequestParams = Type.Object({ id: Type.String({ description: 'The id of the entry.' }) })
