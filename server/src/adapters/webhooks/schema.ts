// Defines the request and response schemas of the webhook endpoints.

import Type from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success, TimeQuery } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { DEFAULT_EVENTS, EVENT_ALIASES, EVENTS } from './events.ts'

/** The statuses of a delivery. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

const timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** The body of PATCH /v1/merchant/webhook-config. */
export const ConfigBody = Type.Object({
  webhook_url: Type.Optional(line(2048, 'The URL that receives the events. Required the first time.')),
  events: Type.Optional(
    Type.Array(line(64), {
      maxItems: 50,
      description: `The events to receive: any of ${EVENTS.join(', ')}. Default of the first save: ${DEFAULT_EVENTS.join(', ')}.`,
    }),
  ),
  rotate_secret: Type.Optional(
    Type.Boolean({ description: 'true makes a new signing secret. The previous secret signs too for 24 hours.' }),
  ),
})
/** A change of the configuration that matches the schema. The server has not checked the URL and the events yet. */
export type ConfigInput = Type.Static<typeof ConfigBody>

/** The fields of the configuration in an answer. */
export const ConfigRecord = Type.Object({
  webhook_url: Type.String(),
  events: Type.Array(Type.String()),
  secret_last4: Type.String({ description: 'The last four characters of the signing secret.' }),
  secret: Type.Optional(
    Type.String({ description: 'The signing secret. Only in the answer to the request that made it.' }),
  ),
})
/** The configuration in the form that a merchant reads. */
export type ConfigView = Type.Static<typeof ConfigRecord>

/** The fields of one delivery in an answer. */
export const DeliveryRecord = Type.Object({
  id: Type.String({
    description:
      'The id of the delivery. All attempts and replays have the same id, so that receivers can detect duplicates.',
  }),
  event: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  status: oneOf(DELIVERY_STATUSES),
  payload: Type.Object({}, { additionalProperties: true, description: 'The body that the receiver gets.' }),
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      at: timestamp('The start of the attempt.'),
      status_code: nullable(Type.Integer({ description: 'Null if the receiver did not answer.' })),
      duration_ms: Type.Integer(),
      error: nullable(Type.String({ description: 'A short reason. Null if the receiver answered 2xx.' })),
      response_body: nullable(
        Type.String({ description: 'The beginning of the answer: 16 KiB; in lists 500 characters.' }),
      ),
    }),
  ),
  next_attempt_at: nullable(timestamp('The time when the next attempt is due. Null unless the delivery is pending.')),
  created_at: timestamp('The time of the event.'),
})
/** A delivery in the form that a merchant reads. */
export type DeliveryView = Type.Static<typeof DeliveryRecord>

/** The query parameters of the list of deliveries. */
export const DeliveriesQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  event: Type.Optional(oneOf([...EVENTS, ...EVENT_ALIASES.keys()])),
  ...TimeQuery,
})
/** The validated query parameters of the list of deliveries. */
export type DeliveriesFilter = Type.Static<typeof DeliveriesQuery>

/** The parameters of the paths that name a delivery. */
export const DeliveryParams = Type.Object({ id: Type.String({ description: 'The id of the delivery.' }) })
/** The configuration in the envelope. */
export const ConfigAnswer = success(ConfigRecord)
/** One delivery in the envelope. */
export const DeliveryAnswer = success(DeliveryRecord)
/** A page of deliveries in the envelope. */
export const DeliveriesAnswer = success(page(DeliveryRecord))

/** The body of POST /v1/merchant/webhook-deliveries/replay. */
export const ReplayBody = Type.Object({
  since: timestamp('Deliveries of events since this time.'),
  until: Type.Optional(timestamp('Deliveries of events before this time. Default: now.')),
  event: Type.Optional(oneOf([...EVENTS, ...EVENT_ALIASES.keys()], 'Only deliveries of this event.')),
  status: Type.Optional(
    oneOf(
      ['failed', 'delivered', 'all'],
      'The status of the deliveries. Default: failed. The server sends pending deliveries anyway.',
    ),
  ),
})
/** A replay request that matches the schema. The server has not checked the period yet. */
export type ReplayInput = Type.Static<typeof ReplayBody>

const ReplayRecord = Type.Object({
  queued: Type.Integer({ description: 'The number of queued deliveries. Each gets one attempt.' }),
  more: Type.Boolean({ description: 'True if more deliveries may match than one call queues.' }),
  next_since: nullable(timestamp('If `more` is true, the `since` of the next call. Otherwise null.')),
})
/** The result of a replay since a time. */
export type ReplayView = Type.Static<typeof ReplayRecord>
/** The result of a replay in the envelope. */
export const ReplayAnswer = success(ReplayRecord)

/** The greatest number of deliveries of a merchant in which the server looks for failures and for a later success. */
export const FAILING_SCANNED_MAX = 1_000

/** The fields of a failing endpoint in an answer. */
export const FAILING_FIELDS = {
  environment: oneOf(ENVIRONMENTS),
  failed: Type.Integer({ description: `Deliveries that failed twice or more, up to ${FAILING_SCANNED_MAX}.` }),
  given_up: Type.Integer({
    description: 'The number of these deliveries with the status failed. Only a replay sends them again.',
  }),
  oldest_at: timestamp('The creation time of the oldest of these deliveries.'),
  last_failed_at: timestamp('The end of the last attempt.'),
  last_status_code: nullable(
    Type.Integer({ description: 'The status code of the last answer. Null if the receiver did not answer.' }),
  ),
  last_error: nullable(Type.String({ description: 'A short reason why the last attempt failed.' })),
  next_attempt_at: nullable(timestamp('The time when the next attempt is due. Null if no attempt is due.')),
}
