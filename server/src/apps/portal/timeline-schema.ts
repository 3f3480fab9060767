// Defines the items of a timeline, and the response with a timeline.

import Type, { type Static } from 'typebox'
import { success } from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'

const Timestamp = Type.String({ format: 'date-time' })
const at = { at: Timestamp }
const kind = <const Kind extends string>(name: Kind, description: string) =>
  Type.Unsafe<Kind>({ type: 'string', const: name, description })

const RequestItem = Type.Object(
  {
    ...at,
    kind: kind('request', 'A request of your server that created or named the record.'),
    id: Type.String({ description: 'The id of the entry in the request log.' }),
    request_id: Type.String(),
    method: Type.String(),
    path: Type.String(),
    status: Type.Integer(),
    duration_ms: Type.Integer(),
  },
  { title: 'TimelineRequest' },
)

const AttemptItem = Type.Object(
  {
    ...at,
    kind: kind('attempt', 'A step of an attempt at a provider.'),
    number: Type.Integer({ description: 'Counts from 1. On a page, a payer may make several attempts.' }),
    what: oneOf(
      ['created', 'sent', 'answered'],
      'created: the server stored the attempt. sent: the provider took the request. answered: the provider reported an outcome.',
    ),
    provider: Type.String(),
    method: Type.String(),
    provider_reference: Type.String({ description: 'Our reference at the provider.' }),
    provider_status: nullable(
      Type.String({
        description:
          "The provider's newest status, only on the newest step of the attempt. Null on earlier steps, and for withdrawals.",
      }),
    ),
  },
  { title: 'TimelineAttempt' },
)

const StatusItem = Type.Object(
  {
    ...at,
    kind: kind('status', 'The merchant or the payer created the record, or its status changed.'),
    from: nullable(Type.String({ description: 'Null means that this move created the record.' })),
    to: Type.String(),
    actor: oneOf(
      ['merchant', 'payer', 'platform', 'provider', 'deadline'],
      'The actor that changed the status. platform: an operator. deadline: no answer came in time.',
    ),
    reason: nullable(
      Type.String({ description: 'The reason of the provider, the message of the platform, or your answer.' }),
    ),
  },
  { title: 'TimelineStatus' },
)

/** A transfer in the book of a merchant, as an item of a timeline. */
export const TransferItem = Type.Object(
  {
    ...at,
    kind: kind('transfer', 'A transfer in your book.'),
    posting: Type.String({ description: 'The posting of the transfer, such as collection_settled.' }),
    debit: Type.String({ description: 'The debited account.' }),
    credit: Type.String({ description: 'The credited account.' }),
    amount: Type.String(),
    reference: nullable(
      Type.String({
        description: 'The transaction (TXN-) of the posting. Null means that your available balance did not change.',
      }),
    ),
  },
  { title: 'TimelineTransfer' },
)

const WebhookItem = Type.Object(
  {
    ...at,
    kind: kind('webhook', 'An attempt to deliver an event to you.'),
    delivery_id: Type.String(),
    event: Type.String(),
    number: Type.Integer({
      description:
        'The number of the attempt. 0 means that the event waits in the queue and the server has made no attempt.',
    }),
    status_code: nullable(Type.Integer({ description: 'Null means that no answer came.' })),
    duration_ms: nullable(Type.Integer({ description: 'Null means that the server made no attempt.' })),
    error: nullable(
      Type.String({
        description:
          'A short code. Null means that the receiver answered with 2xx, or that the server made no attempt.',
      }),
    ),
    delivered: Type.Boolean(),
    next_attempt_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'When the next attempt is due; only on the newest attempt. Null means that no attempt follows.',
      }),
    ),
  },
  { title: 'TimelineWebhook' },
)

const TimelineItem = Type.Union([RequestItem, AttemptItem, StatusItem, TransferItem, WebhookItem])

/** One event of a timeline, about a request, an attempt, a status, a transfer or a webhook. */
export type TimelineItem = Static<typeof TimelineItem>
/**
 * The event that the server stored an attempt, that the provider took its request, or that the provider reported an outcome.
 */
export type AttemptItem = Static<typeof AttemptItem>

/** The events of one collection or withdrawal, oldest first. */
export const RecordTimeline = Type.Object(
  {
    items: Type.Array(TimelineItem, { description: 'Oldest first.' }),
    complete: Type.Boolean({
      description: 'False means that a kind has too many entries, and the timeline shows only the newest.',
    }),
  },
  { title: 'Timeline' },
)
export type RecordTimeline = Static<typeof RecordTimeline>

/** The response with the timeline of one record. */
export const TimelineAnswer = success(RecordTimeline)
