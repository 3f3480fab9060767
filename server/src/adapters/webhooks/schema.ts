// What callers send and receive about webhooks.

import Type from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success, TimeQuery } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { DEFAULT_EVENTS, EVENT_ALIASES, EVENTS } from './events.ts'

/** The states of a delivery. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

const timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** Body of PATCH /v1/merchant/webhook-config. */
export const ConfigBody = Type.Object({
  webhook_url: Type.Optional(line(2048, 'Where events are posted. Needed the first time.')),
  events: Type.Optional(
    Type.Array(line(64), {
      maxItems: 50,
      description: `The events to receive: any of ${EVENTS.join(', ')}. Left out the first time: ${DEFAULT_EVENTS.join(', ')}.`,
    }),
  ),
  rotate_secret: Type.Optional(
    Type.Boolean({ description: 'true makes a new signing secret; the old one signs too for 24 hours.' }),
  ),
})
/** A change of the configuration, in the right form but not checked yet. */
export type ConfigInput = Type.Static<typeof ConfigBody>

/** The configuration as answered. */
export const ConfigRecord = Type.Object({
  webhook_url: Type.String(),
  events: Type.Array(Type.String()),
  secret_last4: Type.String({ description: 'The last four characters of the signing secret.' }),
  secret: Type.Optional(Type.String({ description: 'The signing secret. Shown once, when it has just been made.' })),
})
/** The configuration as a merchant sees it. */
export type ConfigView = Type.Static<typeof ConfigRecord>

/** One delivery as answered. */
export const DeliveryRecord = Type.Object({
  id: Type.String({ description: 'The same over all attempts and replays: receivers recognise repeats by it.' }),
  event: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  status: oneOf(DELIVERY_STATUSES),
  payload: Type.Object({}, { additionalProperties: true, description: 'What is posted.' }),
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      at: timestamp('When the attempt began.'),
      status_code: nullable(Type.Integer({ description: 'Null when no answer came.' })),
      duration_ms: Type.Integer(),
      error: nullable(Type.String({ description: 'A short word; null when the answer was 2xx.' })),
      response_body: nullable(
        Type.String({ description: 'The beginning of the answer: 16 KiB, and 500 characters in lists.' }),
      ),
    }),
  ),
  next_attempt_at: nullable(timestamp('Null unless pending.')),
  created_at: timestamp('When the event happened.'),
})
/** A delivery as a merchant sees it. */
export type DeliveryView = Type.Static<typeof DeliveryRecord>

/** Query of the list of deliveries. */
export const DeliveriesQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  event: Type.Optional(oneOf([...EVENTS, ...EVENT_ALIASES.keys()])),
  ...TimeQuery,
})
/** A checked query of the list. */
export type DeliveriesFilter = Type.Static<typeof DeliveriesQuery>

/** Parameters of the paths that name a delivery. */
export const DeliveryParams = Type.Object({ id: Type.String({ description: 'The id of the delivery.' }) })
/** The configuration, in the envelope. */
export const ConfigAnswer = success(ConfigRecord)
/** One delivery, in the envelope. */
export const DeliveryAnswer = success(DeliveryRecord)
/** A page of deliveries, in the envelope. */
export const DeliveriesAnswer = success(page(DeliveryRecord))

/** Body of POST /v1/merchant/webhook-deliveries/replay. */
export const ReplayBody = Type.Object({
  since: timestamp('The event happened then or later.'),
  until: Type.Optional(timestamp('Before this. Left out: now.')),
  event: Type.Optional(oneOf([...EVENTS, ...EVENT_ALIASES.keys()], 'Only this one.')),
  status: Type.Optional(
    oneOf(
      ['failed', 'delivered', 'all'],
      'Which deliveries. Left out: failed. Those that are pending are sent by themselves.',
    ),
  ),
})
/** What is to be sent again, in the right form but not checked yet. */
export type ReplayInput = Type.Static<typeof ReplayBody>

const ReplayRecord = Type.Object({
  queued: Type.Integer({ description: 'How many deliveries are sent again, each once.' }),
  more: Type.Boolean({ description: 'True when there may be more than one call takes.' }),
  next_since: nullable(timestamp('With more: go on with this as `since`.')),
})
/** What a replay since a time queued. */
export type ReplayView = Type.Static<typeof ReplayRecord>
/** The same, in the envelope. */
export const ReplayAnswer = success(ReplayRecord)

/** Most deliveries of one merchant that are counted as failing, and among which a success is looked for. */
export const FAILING_LOOKED_AT_MAX = 1_000

/** How an endpoint fails, as fields of an answer. */
export const FAILING_FIELDS = {
  environment: oneOf(ENVIRONMENTS),
  failed: Type.Integer({ description: `Deliveries that missed twice or more, up to ${FAILING_LOOKED_AT_MAX}.` }),
  given_up: Type.Integer({ description: 'How many of these are failed: they are sent again only by a replay.' }),
  oldest_at: timestamp('When the oldest of these deliveries was made.'),
  last_failed_at: timestamp('When the last attempt ended.'),
  last_status_code: nullable(Type.Integer({ description: 'What it was answered. Null: nothing.' })),
  last_error: nullable(Type.String({ description: 'Why it did not count, as a short word.' })),
  next_attempt_at: nullable(timestamp('When the next attempt is due. Null: none is.')),
}
