// What callers send and get: one schema is the check, the type and the documentation.

import Type, { type Static } from 'typebox'
import { METHODS, SIMULATE_STATUSES } from '../../adapters/providers/port.ts'
import { TimeQuery } from '../../kernel/http/index.ts'
import { AmountField, freeText, line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { STATUSES } from './state.ts'

const Currency = line(8, 'TZS, the default.')
const Phone = line(32, 'Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX.')
const Reference = line(100, 'Your order or invoice id; repeated on every answer and webhook.')
const SimulateStatus = oneOf(SIMULATE_STATUSES, 'Sandbox keys only: the outcome to play.')

const common = {
  merchant_id: Type.Optional(line(64, 'Your own merchant id. The key already names it.')),
  amount: AmountField,
  currency: Type.Optional(Currency),
  customer_name: Type.Optional(line(200)),
  customer_email: Type.Optional({ ...line(254), format: 'email' }),
  reference: Type.Optional(Reference),
  description: Type.Optional(freeText(500)),
  webhook_url: Type.Optional(
    Type.String({ maxLength: 2048, description: 'Ignored: the webhook is configured per account.' }),
  ),
  simulate_status: Type.Optional(SimulateStatus),
}

/** Body of wallet-push and provider-pesa. */
export const PushBody = Type.Object({ ...common, phone: Phone })
export type PushBody = Static<typeof PushBody>

/** Body of the stk-push alias, whose phone and reference have other names. */
export const StkPushBody = Type.Object({
  ...common,
  customer_phone: Phone,
  merchant_reference: Type.Optional(Reference),
})
export type StkPushBody = Static<typeof StkPushBody>

/** Body of qr: a phone may be told, but nothing is pushed to it. */
export const QrBody = Type.Object({ ...common, customer_phone: Type.Optional(Phone) })
export type QrBody = Static<typeof QrBody>

const CollectionId = Type.String({ format: 'uuid' })
const EchoedReference = nullable(Type.String())

/** Answer of the pushes. */
export const PushAccepted = Type.Object({
  collection_id: CollectionId,
  reference: EchoedReference,
  status: oneOf(['processing']),
  message: Type.String(),
})

/** Answer of qr. */
export const QrAccepted = Type.Object({
  collection_id: CollectionId,
  reference: EchoedReference,
  status: oneOf(['processing']),
  payment_token: Type.String({ description: 'Exactly as the provider made it.' }),
  qr_payload: Type.String({
    description: 'Exactly as the provider made it: draw it as a QR code without re-encoding.',
  }),
  expires_at: Type.Null({ description: 'Always null: assume no expiry.' }),
})

/** A collection and where it stands. */
export const CollectionStatus = Type.Object({
  collection_id: CollectionId,
  reference: EchoedReference,
  merchant_reference: EchoedReference,
  status: oneOf(STATUSES),
  amount: Type.Number({ description: 'What was asked for, in shillings.' }),
  amount_received: nullable(
    Type.Number({
      description:
        'What the provider says was taken. Null until it said so, and while money in another currency is under review.',
    }),
  ),
  foreign_amount: nullable(
    Type.Number({ description: 'What the provider took in another currency. Null: it took none.' }),
  ),
  foreign_currency: nullable(Type.String({ description: 'The currency of foreign_amount.' })),
  currency: Type.String(),
  method: nullable(oneOf(METHODS)),
  environment: oneOf(['live', 'sandbox']),
  provider_payment_status: nullable(
    Type.String({ description: "The provider's own word. Null until it said something." }),
  ),
  payment_url: nullable(Type.String({ description: 'Of a hosted page; null for others.' })),
  failure_reason_code: nullable(Type.String({ description: 'Set when failed. The set can grow.' })),
  failure_reason_message: nullable(Type.String({ description: 'A sentence that may be shown to a user.' })),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
})

/** A collection that was held for review, as operators see it. */
export const HeldCollection = Type.Object({
  merchant_id: Type.String({ format: 'uuid' }),
  merchant_code: Type.String(),
  merchant_name: Type.String(),
  ...CollectionStatus.properties,
  fee: Type.Number({
    description: 'Our fee, frozen when it was made. Approving takes it, unless it is as much as was received or more.',
  }),
  customer_name: nullable(Type.String()),
  customer_phone: nullable(Type.String()),
  description: nullable(Type.String()),
  provider: nullable(Type.String({ description: 'Whom it was last sent to.' })),
  provider_reference: nullable(Type.String({ description: 'The reference that the provider knows it by.' })),
  held_at: Type.String({ format: 'date-time' }),
  decided_at: nullable(Type.String({ format: 'date-time', description: 'When it left pending_clearance.' })),
  history: Type.Array(
    Type.Object({
      from_status: oneOf(STATUSES),
      to_status: oneOf(STATUSES, 'The same as from_status: a word of the provider that moved nothing.'),
      actor: Type.String({ description: 'provider, deadline, or operator with the id of the person.' }),
      reason: nullable(Type.String({ description: 'What the provider said, or why the operator decided so.' })),
      event: nullable(Type.String({ description: 'The event that the merchant was sent.' })),
      at: Type.String({ format: 'date-time' }),
    }),
    { description: 'What became of it, oldest first.' },
  ),
})
export type HeldCollection = Static<typeof HeldCollection>

/** A collection as operators see it, whether or not it was ever held. */
export const OperatorCollection = Type.Object({
  ...HeldCollection.properties,
  held_at: nullable(
    Type.String({ format: 'date-time', description: 'When it came under review. Null: it never did.' }),
  ),
})
export type OperatorCollection = Static<typeof OperatorCollection>

/** Filters of the list. */
export const ListFilters = {
  merchant_id: Type.Optional(line(64)),
  status: Type.Optional(oneOf(STATUSES)),
  method: Type.Optional(oneOf(METHODS)),
  reference: Type.Optional(line(100, 'Your own reference, or the beginning of it, in any case.')),
  phone: Type.Optional(line(32)),
  ...TimeQuery,
}
