// Defines the request and response schemas of the webhook routes.

import Type from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success, TimeQuery } from '../../kernel/http/index.ts'
import { enumOf, line, listedLine, listedText, nullable, oneOf } from '../../kernel/lib/index.ts'
import { DEFAULT_ENDPOINT_ID } from './enqueue.ts'
import { DEFAULT_EVENTS, EVENT_ALIASES, EVENTS } from './events.ts'

/**
 * The statuses of a delivery. `cancelled` means that the merchant deleted the endpoint before the server delivered the event.
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const

/** The id of the default endpoint of an environment in the API. */
export const DEFAULT_ENDPOINT = 'default'

/** Returns the id of an endpoint in the API: `default`, or the stored id. */
export const endpointName = (endpoint_id: string) =>
  endpoint_id === DEFAULT_ENDPOINT_ID ? DEFAULT_ENDPOINT : endpoint_id

const timestamp = (description: string) => Type.String({ format: 'date-time', description })

const endpointField = Type.String({
  description: 'The endpoint: `default`, which is that of webhook-config, or an id of webhook-endpoints.',
})
const endpointFilter = Type.Optional(
  line(64, 'Only deliveries to this endpoint: `default`, or an id of webhook-endpoints.'),
)

const chosenEvents = (when: string) =>
  Type.Array(listedLine('EventChoice', 64, [...EVENTS, ...EVENT_ALIASES.keys()]), {
    maxItems: 50,
    description: `The events to receive. Default ${when}: ${DEFAULT_EVENTS.join(', ')}.`,
  })
const rotateSecret = Type.Optional(
  Type.Boolean({ description: 'true makes a new signing secret. The previous secret signs too for 24 hours.' }),
)

/** The body of PATCH /v1/merchant/webhook-config. */
export const ConfigBody = Type.Object(
  {
    webhook_url: Type.Optional(line(2048, 'The URL that receives the events. Required the first time.')),
    events: Type.Optional(chosenEvents('of the first save')),
    rotate_secret: rotateSecret,
  },
  { title: 'WebhookConfigChange' },
)
/** A change of the configuration that matches the schema, before the check of the URL and the events. */
export type ConfigInput = Type.Static<typeof ConfigBody>

/** The fields of a configuration in the API. */
export const ConfigRecord = Type.Object(
  {
    webhook_url: Type.String(),
    events: Type.Array(listedText('EventName', EVENTS)),
    secret_last4: Type.String({ description: 'The last four characters of the signing secret.' }),
    secret: Type.Optional(
      Type.String({ description: 'The signing secret. Only in the answer to the request that made the secret.' }),
    ),
  },
  { title: 'WebhookConfig' },
)
/** The greatest number of endpoints of a merchant in an environment, including the default endpoint. */
export const ENDPOINTS_MAX = 10

const aboutEndpoint = line(200, 'Your text about the endpoint, such as the name of the system behind it.')

/** The body of POST /v1/merchant/webhook-endpoints. */
export const NewEndpointBody = Type.Object(
  {
    webhook_url: line(2048, 'The URL that receives the events.'),
    events: Type.Optional(chosenEvents('without this field')),
    description: Type.Optional(aboutEndpoint),
  },
  { title: 'WebhookEndpointRequest' },
)

/** The body of PATCH /v1/merchant/webhook-endpoints/{id}. */
export const EndpointBody = Type.Object(
  {
    webhook_url: Type.Optional(line(2048, 'The new URL. Pending deliveries go to the new URL too.')),
    events: Type.Optional(
      Type.Array(listedLine('EventChoice', 64, [...EVENTS, ...EVENT_ALIASES.keys()]), {
        maxItems: 50,
        description: 'The events to receive.',
      }),
    ),
    description: Type.Optional(nullable(aboutEndpoint)),
    rotate_secret: rotateSecret,
  },
  { title: 'WebhookEndpointChange' },
)
/** A change of an endpoint that matches the schema, before the check of the URL and the events. */
export type EndpointInput = Type.Static<typeof EndpointBody>

/** The fields of an endpoint in the API. */
export const EndpointRecord = Type.Object(
  {
    id: endpointField,
    environment: enumOf('Environment', ENVIRONMENTS),
    description: nullable(Type.String({ description: 'Your text about the endpoint. Null means that there is none.' })),
    ...ConfigRecord.properties,
    created_at: timestamp('The time at which you added the endpoint.'),
  },
  { title: 'WebhookEndpoint' },
)
/** An endpoint in the form of the API. */
export type EndpointView = Type.Static<typeof EndpointRecord>

/** A configuration in the form of the API. */
export type ConfigView = Type.Static<typeof ConfigRecord>

/** The fields of a delivery in the API. */
export const DeliveryRecord = Type.Object(
  {
    id: Type.String({
      description:
        'The id of the delivery. All attempts and replays have the same id, so that receivers can detect duplicates.',
    }),
    event: listedText('EventName', EVENTS),
    environment: enumOf('Environment', ENVIRONMENTS),
    endpoint_id: endpointField,
    status: enumOf('WebhookDeliveryStatus', DELIVERY_STATUSES),
    payload: Type.Object({}, { additionalProperties: true, description: 'The body that the receiver gets.' }),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        at: timestamp('The start of the attempt.'),
        status_code: nullable(Type.Integer({ description: 'Null means that the receiver did not answer.' })),
        duration_ms: Type.Integer(),
        error: nullable(
          Type.String({ description: 'A short reason. Null means that the receiver answered with 2xx.' }),
        ),
        response_body: nullable(
          Type.String({ description: 'The beginning of the answer: 16 KiB; in lists 500 characters.' }),
        ),
      }),
    ),
    delivered_at: nullable(timestamp('The time of the first accepted attempt.')),
    next_attempt_at: nullable(
      timestamp('The time when the next attempt is due. Null means that the delivery is not pending.'),
    ),
    created_at: timestamp('The time of the event.'),
  },
  { title: 'WebhookDelivery' },
)
/** A delivery in the form of the API. */
export type DeliveryView = Type.Static<typeof DeliveryRecord>

/** The query parameters of the list of deliveries. */
export const DeliveriesQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(enumOf('WebhookDeliveryStatus', DELIVERY_STATUSES)),
  event: Type.Optional(enumOf('EventChoice', [...EVENTS, ...EVENT_ALIASES.keys()])),
  endpoint_id: endpointFilter,
  ...TimeQuery,
})
/** The validated query parameters of the list of deliveries. */
export type DeliveriesFilter = Type.Static<typeof DeliveriesQuery>

/** The path parameters of a delivery. */
export const DeliveryParams = Type.Object({ id: Type.String({ description: 'The id of the delivery.' }) })
/** A configuration in the response envelope. */
export const ConfigAnswer = success(ConfigRecord)
/** An endpoint in the response envelope. */
export const EndpointAnswer = success(EndpointRecord)
/** The endpoints of a merchant in the response envelope. */
export const EndpointsAnswer = success(Type.Object({ items: Type.Array(EndpointRecord), limit: Type.Integer() }))
/** The id of a deleted endpoint in the response envelope. */
export const DeletedEndpointAnswer = success(Type.Object({ id: Type.String(), deleted: Type.Literal(true) }))
/** The path parameters of an endpoint. */
export const EndpointParams = Type.Object({ id: Type.String({ description: 'The id of the endpoint.' }) })
/** A delivery in the response envelope. */
export const DeliveryAnswer = success(DeliveryRecord)
/** A page of deliveries in the response envelope. */
export const DeliveriesAnswer = success(page(DeliveryRecord))

/** The body of POST /v1/merchant/webhook-deliveries/replay. */
export const ReplayBody = Type.Object(
  {
    since: timestamp('Deliveries of events since this time.'),
    until: Type.Optional(timestamp('Deliveries of events before this time. Default: now.')),
    event: Type.Optional(enumOf('EventChoice', [...EVENTS, ...EVENT_ALIASES.keys()], 'Only deliveries of this event.')),
    endpoint_id: endpointFilter,
    status: Type.Optional(oneOf(['failed', 'delivered', 'all'], 'Default: failed, also with a waiting retry.')),
  },
  { title: 'WebhookReplayRequest' },
)
/** A replay request that matches the schema, before the check of the period. */
export type ReplayInput = Type.Static<typeof ReplayBody>

const ReplayRecord = Type.Object(
  {
    queued: Type.Integer({ description: 'The number of deliveries that the server sends now.' }),
    more: Type.Boolean({ description: 'True if more deliveries may match than one call queues.' }),
    next_since: nullable(timestamp('If `more` is true, the `since` of the next call. Otherwise null.')),
  },
  { title: 'WebhookReplay' },
)
/** The result of a replay in the form of the API. */
export type ReplayView = Type.Static<typeof ReplayRecord>
/** The result of a replay in the response envelope. */
export const ReplayAnswer = success(ReplayRecord)

/** The body of POST /v1/merchant/webhook-resends. The route checks the number of ids, because its message says what to do. */
export const ResendsBody = Type.Object(
  {
    collection_ids: Type.Optional(Type.Array(Type.String(), { description: 'The ids of 1 to 100 payments.' })),
    delivery_ids: Type.Optional(
      Type.Array(Type.String(), { description: 'The ids of 1 to 100 deliveries, in place of `collection_ids`.' }),
    ),
  },
  { title: 'WebhookResendsRequest', examples: [{ collection_ids: ['01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f'] }] },
)
/** The query of GET /v1/merchant/webhook-resends. */
export const ResendsQuery = Type.Object({
  collection_ids: line(100 * 37, 'The ids of 1 to 100 payments, separated by commas.'),
})

const resendFields = {
  id: Type.String({ description: 'The id of the delivery.' }),
  attempts: Type.Integer({ description: 'The number of the last attempt, or 0.' }),
}
const Resend = Type.Object(
  {
    collection_id: nullable(Type.String({ description: 'Null means that the request names the delivery.' })),
    deliveries: Type.Array(
      Type.Object({
        ...resendFields,
        refusal: nullable(
          oneOf(
            ['waits', 'attempt_limit', 'endpoint_deleted'],
            'Why the server does not send the delivery now. Null means that it sends the delivery.',
          ),
        ),
      }),
      { description: 'One delivery for each endpoint. Empty: the payment has no webhook, or no delivery has the id.' },
    ),
  },
  { title: 'WebhookResend' },
)
const ResendState = Type.Object(
  {
    collection_id: Type.String(),
    deliveries: Type.Array(
      Type.Object({
        ...resendFields,
        status: enumOf('WebhookDeliveryStatus', DELIVERY_STATUSES),
        status_code: nullable(
          Type.Integer({ description: 'The answer to the last attempt. Null means that none came.' }),
        ),
        error: nullable(
          Type.String({ description: 'Null means that the receiver accepted the last attempt, or none ended.' }),
        ),
      }),
    ),
  },
  { title: 'WebhookResendState' },
)
/** The deliveries of the newest event of one payment in the form of the API. */
export type ResendState = Type.Static<typeof ResendState>
/** The payments of a resend in the response envelope. */
export const ResendsAnswer = success(Type.Object({ items: Type.Array(Resend) }))
/** The last attempts of each payment in the response envelope. */
export const ResendStatesAnswer = success(Type.Object({ items: Type.Array(ResendState) }))

/**
 * The greatest number of deliveries of a merchant or endpoint in which the server searches for failures, and for a later
 * success.
 */
export const FAILING_SCANNED_MAX = 1_000

/** The fields of a failing endpoint in the API. */
export const FAILING_FIELDS = {
  environment: enumOf('Environment', ENVIRONMENTS),
  endpoint_id: endpointField,
  failed: Type.Integer({ description: `Deliveries that failed twice or more, up to ${FAILING_SCANNED_MAX}.` }),
  given_up: Type.Integer({
    description: 'The number of these deliveries with the status failed. Only a replay sends them again.',
  }),
  oldest_at: timestamp('The creation time of the oldest of these deliveries.'),
  last_failed_at: timestamp('The end of the last failed attempt.'),
  last_status_code: nullable(
    Type.Integer({ description: 'The status code of the last answer. Null means that the receiver did not answer.' }),
  ),
  last_error: nullable(Type.String({ description: 'A short reason why the last attempt failed.' })),
  next_attempt_at: nullable(timestamp('The time when the next attempt is due. Null means that no attempt is due.')),
}

/** The fields of an event in the API. */
export const EventRecord = Type.Object({
  id: Type.String({ description: 'The id of the event, which is the id of its first delivery.' }),
  event: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  created_at: timestamp('The time of the event.'),
  data: Type.Object({}, { additionalProperties: true, description: 'The body that endpoints receive.' }),
})
/** An event in the form of the API. */
export type EventView = Type.Static<typeof EventRecord>
/** A page of events in the response envelope. */
export const EventsAnswer = success(page(EventRecord))

const eventFilter = Type.Optional(oneOf([...EVENTS, ...EVENT_ALIASES.keys()], 'Only this event.'))
const afterEvent = (description: string) => Type.Optional(line(36, description))

/** The query parameters of the list of events. */
export const EventsQuery = Type.Object({
  ...PageQuery,
  event: eventFilter,
  after: afterEvent('Only events with an id after this id, which are newer.'),
  ...TimeQuery,
})
/** The validated query parameters of the list of events. */
export type EventsFilter = Type.Static<typeof EventsQuery>

/** The filter of the stream of events, and the last event that the client has. */
export const EventStreamQuery = Type.Object({
  event: eventFilter,
  after: afterEvent('The id of the last event that you have, if you cannot send the header Last-Event-ID.'),
})

/** The response of the event stream in the OpenAPI document. */
export const EventStreamAnswer = {
  content: { 'text/event-stream': { schema: { type: 'string', description: 'Server-sent events.' } } },
} as unknown as Type.TSchema
