// What the story of a payment is made of, as its merchant reads it.

import Type, { type Static } from 'typebox'
import { success } from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'

const Timestamp = Type.String({ format: 'date-time' })
const at = { at: Timestamp }
const kind = <const Kind extends string>(name: Kind, description: string) =>
  Type.Unsafe<Kind>({ type: 'string', const: name, description })

const RequestItem = Type.Object({
  ...at,
  kind: kind('request', 'A request of yours that made it, or named it.'),
  id: Type.String({ description: 'Its entry in the request log.' }),
  request_id: Type.String(),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  duration_ms: Type.Integer(),
})

const AttemptItem = Type.Object({
  ...at,
  kind: kind('attempt', 'A try at a provider.'),
  number: Type.Integer({ description: 'Counts from 1: a payer may try again on a page.' }),
  what: oneOf(
    ['created', 'sent', 'answered'],
    'created: it was written down. sent: the provider took it. answered: the provider said what became of it.',
  ),
  provider: Type.String(),
  method: Type.String(),
  provider_reference: Type.String({ description: 'What the provider knows it by.' }),
  provider_status: nullable(
    Type.String({
      description: "The provider's newest word, on the newest step of the try. Null before it, and for withdrawals.",
    }),
  ),
})

const StatusItem = Type.Object({
  ...at,
  kind: kind('status', 'It was made, or moved from one status to another.'),
  from: nullable(Type.String({ description: 'Null: it was made.' })),
  to: Type.String(),
  actor: oneOf(
    ['merchant', 'payer', 'platform', 'provider', 'deadline'],
    'Who moved it. platform: an operator. deadline: no answer came in time.',
  ),
  reason: nullable(
    Type.String({ description: 'What the provider said, what the platform told you, or what you answered.' }),
  ),
})

/** A movement of money in the book of a merchant. */
export const TransferItem = Type.Object({
  ...at,
  kind: kind('transfer', 'Money moved in your book.'),
  posting: Type.String({ description: 'The fact behind it, such as collection_settled.' }),
  debit: Type.String({ description: 'The account that it left.' }),
  credit: Type.String({ description: 'The account that it went to.' }),
  amount: Type.String(),
  reference: nullable(
    Type.String({
      description: 'The transaction (TXN-) that it is part of. Null: your available balance did not change.',
    }),
  ),
})

const WebhookItem = Type.Object({
  ...at,
  kind: kind('webhook', 'An event on its way to you.'),
  delivery_id: Type.String(),
  event: Type.String(),
  number: Type.Integer({ description: 'Which attempt. 0: it was queued, and nothing was sent yet.' }),
  status_code: nullable(Type.Integer({ description: 'Null when no answer came.' })),
  duration_ms: nullable(Type.Integer({ description: 'Null when nothing was sent yet.' })),
  error: nullable(Type.String({ description: 'A short word; null when the answer was 2xx.' })),
  delivered: Type.Boolean(),
  next_attempt_at: nullable(
    Type.String({ format: 'date-time', description: 'On the newest attempt. Null: none follows.' }),
  ),
})

const TimelineItem = Type.Union([RequestItem, AttemptItem, StatusItem, TransferItem, WebhookItem])

/** One thing that happened. */
export type TimelineItem = Static<typeof TimelineItem>
/** One step of a try at a provider. */
export type AttemptItem = Static<typeof AttemptItem>

/** What happened to one payment or withdrawal. */
export const Timeline = Type.Object({
  items: Type.Array(TimelineItem, { description: 'Oldest first.' }),
  complete: Type.Boolean({ description: 'False: of something there was too much, and the newest of it is shown.' }),
})
export type Timeline = Static<typeof Timeline>

/** The story of one record, in the envelope. */
export const TimelineAnswer = success(Timeline)
