// What operators see of one payment.

import Type, { type Static } from 'typebox'
import { success } from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'
import { OperatorCollection } from '../../money/collections/index.ts'
import { Timeline, TransferItem } from './timeline-schema.ts'
import { WAITS_FOR } from './waits-for-texts.ts'

const Timestamp = Type.String({ format: 'date-time' })
const time = (description: string) => nullable(Type.String({ format: 'date-time', description }))

const WaitsFor = Type.Object({
  what: oneOf(
    WAITS_FOR,
    'payer_choice: the payer has to choose how to pay. sending: the request has not reached the provider. payer_approval: the payer has to approve. provider_call: a process calls the provider now. worker: a step is overdue, and no worker has taken it. circuit: no call is made while the circuit of this process is open. late_answer: the payment is decided; another attempt may still be answered. operator_review: operators have to decide.',
  ),
  text: Type.String({ description: 'The same as a sentence.' }),
  since: time('Since when it waits for this. Null: not recorded.'),
  next_at: time('When the next step is due; of a provider_call, when its lease ends. Null: no clock decides it.'),
  until: time('When the waiting ends by itself: the deadline of the try, or the end of the page. Null: it does not.'),
})

const Attempt = Type.Object({
  number: Type.Integer({ description: 'Counts from 1.' }),
  provider: Type.String(),
  provider_reference: Type.String({ description: 'What the provider knows it by.' }),
  statement_reference: nullable(
    Type.String({ description: 'How its statements write that reference. Null: as it is.' }),
  ),
  provider_id: nullable(Type.String({ description: "The provider's own id of the payment." })),
  provider_status: nullable(Type.String({ description: "The provider's own word of its last answer." })),
  method: Type.String(),
  phone: nullable(Type.String()),
  amount: Type.Number(),
  currency: Type.String(),
  state: oneOf(
    ['to_send', 'asked', 'final', 'given_up'],
    'to_send: the provider may not have it yet. asked: it has it, the answer is open. final: it answered. given_up: the deadline passed.',
  ),
  asks: Type.Integer({ description: 'How often the provider was asked for the outcome.' }),
  due_at: time('When the next step is due; under a lease, when the lease ends. Null: nothing waits.'),
  leased: Type.Boolean({ description: 'True: a process works on it until due_at.' }),
  deadline_at: Timestamp,
  sent_at: time('When the provider took the request. Null: not known to have been sent.'),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const Delivery = Type.Object({
  delivery_id: Type.String(),
  event: Type.String(),
  status: oneOf(['pending', 'delivered', 'failed']),
  attempts: Type.Integer(),
  next_attempt_at: time('Null: none follows.'),
  created_at: Timestamp,
  last_at: time('When it was last tried. Null: never.'),
  last_status_code: nullable(Type.Integer({ description: 'Null: no answer came, or it was never tried.' })),
  last_error: nullable(Type.String({ description: 'A short word; null when the answer was 2xx.' })),
})

const OperatorPayment = Type.Object({
  ...OperatorCollection.properties,
  waits_for: nullable(WaitsFor),
  attempts: Type.Array(Attempt, { description: 'Oldest first.' }),
  postings: Type.Array(TransferItem, { description: "Movements in the merchant's book, oldest first." }),
  deliveries: Type.Array(Delivery, { description: 'Webhooks about it, oldest first.' }),
  timeline: Timeline,
})
/** A payment with all that operators see of it. */
export type OperatorPayment = Static<typeof OperatorPayment>

/** One payment, in the envelope. */
export const PaymentAnswer = success(OperatorPayment)
