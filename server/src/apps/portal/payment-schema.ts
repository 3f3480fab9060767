// Defines the response of one payment for operators.

import Type, { type Static } from 'typebox'
import { DELIVERY_STATUSES } from '../../adapters/webhooks/index.ts'
import { success } from '../../kernel/http/index.ts'
import { enumOf, nullable, oneOf } from '../../kernel/lib/index.ts'
import { OperatorCollection } from '../../money/collections/index.ts'
import { RecordTimeline, TransferItem } from './timeline-schema.ts'
import { WAITS_FOR } from './waits-for-texts.ts'

const Timestamp = Type.String({ format: 'date-time' })
const nullableTime = (description: string) => nullable(Type.String({ format: 'date-time', description }))

const WaitsFor = Type.Object({
  what: oneOf(
    WAITS_FOR,
    'payer_choice: the payer must choose a method. sending: the provider may not have the request yet. payer_approval: the payer must approve. provider_call: a process calls the provider now. worker: the next step is overdue, and no worker has claimed the step. circuit: the circuit of this process is open, so the process makes no call. late_answer: the payment is decided, but the provider may still answer another attempt. operator_review: an operator must decide.',
  ),
  text: Type.String({ description: 'The next step as a sentence.' }),
  since: nullableTime('When this wait began. Null means that the server has not recorded the time.'),
  next_at: nullableTime(
    'When the next step is due; for provider_call, when the lease ends. Null means that the step has no time.',
  ),
  until: nullableTime(
    'When the wait ends without an action: the deadline of the attempt, or the end of the page. Null means that no time ends the wait.',
  ),
})

const Attempt = Type.Object(
  {
    number: Type.Integer({ description: 'Counts from 1.' }),
    provider: Type.String(),
    provider_reference: Type.String({ description: 'Our reference at the provider.' }),
    statement_reference: nullable(
      Type.String({ description: 'The reference as the statements of the provider write it. Null means unchanged.' }),
    ),
    provider_id: nullable(Type.String({ description: "The provider's own id of the payment." })),
    provider_status: nullable(Type.String({ description: "The provider's own status in its last answer." })),
    method: Type.String(),
    phone: nullable(Type.String()),
    amount: Type.Number(),
    currency: Type.String(),
    state: oneOf(
      ['to_send', 'asked', 'final', 'given_up'],
      'to_send: the provider may not have the request yet. asked: the provider has the request, and the outcome is open. final: the provider answered. given_up: the deadline passed.',
    ),
    asks: Type.Integer({ description: 'The number of queries for the outcome.' }),
    due_at: nullableTime(
      'When the next step is due; under a lease, when the lease ends. Null means that no step follows.',
    ),
    leased: Type.Boolean({ description: 'True means that a process works on the attempt until due_at.' }),
    deadline_at: Timestamp,
    sent_at: nullableTime(
      'When the provider took the request. Null means that the provider has not confirmed the request.',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'PaymentAttempt' },
)

const Delivery = Type.Object(
  {
    delivery_id: Type.String(),
    event: Type.String(),
    status: enumOf('WebhookDeliveryStatus', DELIVERY_STATUSES),
    attempts: Type.Integer(),
    next_attempt_at: nullableTime('When the next attempt is due. Null means that no attempt follows.'),
    created_at: Timestamp,
    delivered_at: nullableTime(
      'When the server made the first attempt that the receiver accepted. Null means that the receiver accepted none.',
    ),
    last_at: nullableTime('When the server made the last attempt. Null means that the server made no attempt.'),
    last_status_code: nullable(
      Type.Integer({ description: 'Null means that no answer came, or that the server made no attempt.' }),
    ),
    last_error: nullable(
      Type.String({
        description:
          'A short code. Null means that the receiver answered with 2xx, or that the server made no attempt.',
      }),
    ),
  },
  { title: 'PaymentDelivery' },
)

const OperatorPayment = Type.Object(
  {
    ...OperatorCollection.properties,
    waits_for: nullable(WaitsFor),
    attempts: Type.Array(Attempt, { description: 'Oldest first.' }),
    postings: Type.Array(TransferItem, { description: "Transfers in the merchant's book, oldest first." }),
    deliveries: Type.Array(Delivery, { description: 'Webhooks about the payment, oldest first.' }),
    timeline: RecordTimeline,
  },
  { title: 'OperatorPayment' },
)
/** A payment with its next step, attempts, postings, webhooks and timeline, as the API returns it to operators. */
export type OperatorPayment = Static<typeof OperatorPayment>

/** The response of the operators' endpoint for one payment. */
export const PaymentAnswer = success(OperatorPayment)
