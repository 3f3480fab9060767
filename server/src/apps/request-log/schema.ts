// The log of requests as the API shows it.

import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'

const Time = Type.String({ format: 'date-time' })

/** What a list tells of a request, or of those that were not kept. */
export const LoggedRequest = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: oneOf(
    ['request', 'not_kept'],
    'not_kept: `count` requests of this time are not in the log, it was too much at once.',
  ),
  request_id: nullable(Type.String({ description: 'X-Request-Id of the answer. Null for not_kept.' })),
  at: Type.String({ format: 'date-time', description: 'When it came. Of not_kept: the first.' }),
  until: nullable(Type.String({ format: 'date-time', description: 'Of not_kept: when the last of them came.' })),
  count: Type.Integer({ description: '1, or how many were not kept.' }),
  method: nullable(Type.String()),
  path: nullable(Type.String({ description: 'Without the query.' })),
  status: nullable(Type.Integer()),
  duration_ms: nullable(Type.Integer({ description: 'Until the answer was ready.' })),
  key_id: nullable(Type.String({ format: 'uuid' })),
  key_name: nullable(Type.String()),
  address: nullable(Type.String()),
  reference: nullable(Type.String({ description: 'The reference that the body named.' })),
  resource_id: nullable(Type.String({ description: 'What the answer or the path named, such as a collection.' })),
  error_code: nullable(Type.String()),
})
export type LoggedRequest = Static<typeof LoggedRequest>

const CUT = 'True when it was longer than the 4,096 characters that are kept.'
/** All that is kept of one request. */
export const RequestRecord = Type.Object({
  ...LoggedRequest.properties,
  environment: oneOf(ENVIRONMENTS),
  query: nullable(Type.String({ description: 'What followed the path after ?.' })),
  user_agent: nullable(Type.String()),
  idempotency_key: nullable(Type.String()),
  request_body: nullable(Type.String({ description: 'As it was sent. Secrets are taken out. Null: none.' })),
  request_body_cut: Type.Boolean({ description: CUT }),
  response_body: nullable(
    Type.String({ description: 'As it was answered. Secrets are taken out. Null: none, or a file.' }),
  ),
  response_body_cut: Type.Boolean({ description: CUT }),
  ignored_fields: nullable(
    Type.String({ description: 'Fields of the body that the call does not know, as the answer named them.' }),
  ),
  bodies_dropped: Type.Boolean({
    description: 'True when there were bodies that could not be kept, for want of room.',
  }),
})
export type RequestRecord = Static<typeof RequestRecord>

/** Query of the list. */
export const RequestsQuery = Type.Object({
  ...PageQuery,
  method: Type.Optional(oneOf(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD'])),
  status: Type.Optional(
    Type.String({
      pattern: '^(?:[2-5]xx|[2-5][0-9][0-9])$',
      description: '2xx, 3xx, 4xx, 5xx, or one status such as 409.',
    }),
  ),
  path: Type.Optional({ ...line(255, 'A part of the path.'), minLength: 1 }),
  q: Type.Optional({
    ...line(
      255,
      'A request id; or a reference or the id of a resource that the request named or made. Whole, not a part. Requests that only read a resource are found among the newest 50,000.',
    ),
    minLength: 1,
  }),
  key_id: Type.Optional(Type.String({ format: 'uuid' })),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
})
export type RequestsQuery = Static<typeof RequestsQuery>

/** A page of the list. */
export const RequestsAnswer = success(
  Type.Object({
    ...page(LoggedRequest).properties,
    looked_back_to: nullable(
      Type.String({
        format: 'date-time',
        description: 'Null: the whole period was looked through. Else how far; go on with this time as `to`.',
      }),
    ),
  }),
)
/** One request. */
export const RequestAnswer = success(RequestRecord)
/** Parameters of its path. */
export const RequestParams = Type.Object({ id: Type.String({ description: 'The id of the entry.' }) })
