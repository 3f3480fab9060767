// Defines the schemas of requests and answers. Each schema is the validation, the type and the documentation.

import Type, { type Static } from 'typebox'
import { VerdictFields } from '../../access/four-eyes/index.ts'
import { FAILURE_CODES, METHODS, SIMULATE_STATUSES } from '../../adapters/providers/port.ts'
import { TimeQuery } from '../../kernel/http/index.ts'
import {
  AmountField,
  enumOf,
  freeText,
  line,
  MetadataField,
  MetadataRecord,
  nullable,
  oneOf,
} from '../../kernel/lib/index.ts'
import { STATUSES } from './state.ts'

const Currency = line(8, 'TZS, the default.')
const Phone = line(32, 'Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX.')
const Reference = line(100, 'Your order or invoice id; repeated on every answer and webhook.')
const SimulateStatus = enumOf('SimulatedStatus', SIMULATE_STATUSES, 'Sandbox keys only: the outcome to simulate.')

const common = {
  merchant_id: Type.Optional(line(64, 'Your own merchant id. The key already identifies it.')),
  amount: AmountField,
  currency: Type.Optional(Currency),
  customer_name: Type.Optional(line(200)),
  customer_email: Type.Optional({ ...line(254), format: 'email' }),
  reference: Type.Optional(Reference),
  description: Type.Optional(freeText(500)),
  webhook_url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: 'The server ignores this field. Configure the webhook of your account instead.',
    }),
  ),
  simulate_status: Type.Optional(SimulateStatus),
  metadata: Type.Optional(MetadataField),
}

/** The body of POST /v1/collections/wallet-push and POST /v1/collections/provider-pesa. */
export const PushBody = Type.Object({ ...common, phone: Phone }, { title: 'PushRequest' })
export type PushBody = Static<typeof PushBody>

/** The body of POST /v1/collections/stk-push, in which phone and reference have other names. */
export const StkPushBody = Type.Object(
  {
    ...common,
    customer_phone: Phone,
    merchant_reference: Type.Optional(Reference),
  },
  { title: 'StkPushRequest' },
)
export type StkPushBody = Static<typeof StkPushBody>

/** The body of POST /v1/collections/qr. If the body has a phone, the phone gets no prompt. */
export const QrBody = Type.Object({ ...common, customer_phone: Type.Optional(Phone) }, { title: 'QrRequest' })
export type QrBody = Static<typeof QrBody>

const CollectionId = Type.String({ format: 'uuid' })
const EchoedReference = nullable(Type.String())

/** The answer of the endpoints that send a prompt to a phone. */
export const PushAccepted = Type.Object(
  {
    collection_id: CollectionId,
    reference: EchoedReference,
    status: oneOf(['processing']),
    message: Type.String(),
  },
  { title: 'PushAccepted' },
)

/** The answer of POST /v1/collections/qr, with the code. */
export const QrAccepted = Type.Object(
  {
    collection_id: CollectionId,
    reference: EchoedReference,
    status: oneOf(['processing']),
    payment_token: Type.String({ description: 'The token, exactly as the provider made it.' }),
    qr_payload: Type.String({
      description: 'The payload, exactly as the provider made it. Draw it as a QR code without re-encoding.',
    }),
    expires_at: Type.Null({ description: 'Always null. Assume that the code does not expire.' }),
  },
  { title: 'QrAccepted' },
)

/** A collection as its merchant sees it, with its status. */
export const CollectionStatus = Type.Object(
  {
    collection_id: CollectionId,
    reference: EchoedReference,
    merchant_reference: EchoedReference,
    status: enumOf('CollectionStatus', STATUSES),
    amount: Type.Number({ description: 'The requested amount, in shillings.' }),
    amount_received: nullable(
      Type.Number({
        description:
          'The received amount, as the provider reports the amount. Null means that the provider has reported no amount, or that no operator has stated the worth of money in another currency.',
      }),
    ),
    foreign_amount: nullable(
      Type.Number({ description: 'The received amount in another currency. Null means that there is none.' }),
    ),
    foreign_currency: nullable(Type.String({ description: 'The currency of foreign_amount.' })),
    currency: Type.String(),
    method: nullable(enumOf('CollectionMethod', METHODS)),
    customer_name: nullable(Type.String({ description: 'The name of the customer, without direction marks.' })),
    customer_phone: nullable(
      Type.String({
        description:
          'The phone that your request named or that the payer typed, 255XXXXXXXXX. Null means that neither did: the server never shows a phone that only the provider reported. After the erasure of old payers, the last six digits are xxxxxx.',
      }),
    ),
    fee: nullable(
      Type.Number({
        description: 'Our fee, fixed with the method. Null means that the payer has not chosen a method.',
      }),
    ),
    net_amount: nullable(
      Type.Number({
        description:
          'What the payment adds to your balance: the received amount without our fee. Null means that the payment is not successful.',
      }),
    ),
    environment: oneOf(['live', 'sandbox']),
    provider_payment_status: nullable(
      Type.String({
        description: 'The status as the provider names it. Null means that the provider has not answered.',
      }),
    ),
    payment_url: nullable(
      Type.String({ description: 'The address of the hosted page. Null means that the payment has no hosted page.' }),
    ),
    failure_reason_code: nullable(
      enumOf('CollectionFailureCode', FAILURE_CODES, 'The reason of a failed payment. New releases can add reasons.'),
    ),
    failure_reason_message: nullable(
      Type.String({
        description:
          'A sentence about the failure that you may show to a user, in the language of Accept-Language: sw, or en (default).',
      }),
    ),
    failure_reason_message_sw: nullable(Type.String({ description: 'The same sentence in Swahili.' })),
    metadata: MetadataRecord,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Collection' },
)

/** A collection with a past or present review, as operators see it. */
export const HeldCollection = Type.Object(
  {
    merchant_id: Type.String({ format: 'uuid' }),
    merchant_code: Type.String(),
    merchant_name: Type.String(),
    ...CollectionStatus.properties,
    fee: Type.Number({
      description:
        'Our fee, fixed when the server accepted the attempt that paid. An approval charges the fee if the fee is less than the received amount.',
    }),
    customer_name: nullable(Type.String()),
    customer_phone: nullable(
      Type.String({ description: 'The phone of the attempt that paid, or of the newest attempt.' }),
    ),
    description: nullable(Type.String()),
    provider: nullable(
      Type.String({ description: 'The provider of the attempt that paid, or of the newest attempt.' }),
    ),
    provider_reference: nullable(Type.String({ description: 'The reference of the payment at the provider.' })),
    held_at: Type.String({ format: 'date-time' }),
    decided_at: nullable(
      Type.String({ format: 'date-time', description: 'The time at which the payment left pending_clearance.' }),
    ),
    history: Type.Array(
      Type.Object({
        from_status: enumOf('CollectionStatus', STATUSES),
        to_status: enumOf(
          'CollectionStatus',
          STATUSES,
          'If it equals from_status, an answer of the provider changed no status.',
        ),
        actor: Type.String({ description: 'provider, deadline, payer, or operator with the id of the person.' }),
        reason: nullable(Type.String({ description: 'The answer of the provider, or the reason of the operator.' })),
        event: nullable(Type.String({ description: 'The event that the server sent to the merchant.' })),
        at: Type.String({ format: 'date-time' }),
      }),
      { description: 'The history of the payment, oldest first.' },
    ),
  },
  { title: 'HeldCollection' },
)
export type HeldCollection = Static<typeof HeldCollection>

/**
 * A held payment after the decision of an operator. If the decision needs two operators, the record names the operators who
 * have decided.
 */
export const ClearedCollection = Type.Object(
  { ...HeldCollection.properties, ...VerdictFields },
  { title: 'ClearedCollection' },
)
export type ClearedCollection = Static<typeof ClearedCollection>

/** A collection as operators see it, with or without a review. */
export const OperatorCollection = Type.Object(
  {
    ...HeldCollection.properties,
    held_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'The time at which the review began. Null means that the payment was never under review.',
      }),
    ),
  },
  { title: 'OperatorCollection' },
)
export type OperatorCollection = Static<typeof OperatorCollection>

/** The filters of GET /v1/collections and of its CSV export. */
export const ListFilters = {
  merchant_id: Type.Optional(line(64)),
  status: Type.Optional(enumOf('CollectionStatus', STATUSES)),
  method: Type.Optional(enumOf('CollectionMethod', METHODS)),
  reference: Type.Optional(line(100, 'Your own reference or its beginning, in any case.')),
  phone: Type.Optional(line(32, 'A phone number, or its last 4 to 9 digits.')),
  ...TimeQuery,
}
