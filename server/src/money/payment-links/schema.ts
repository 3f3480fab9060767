// Defines the schemas of requests and answers about payment links and hosted pages.

import Type, { type Static } from 'typebox'
import { FAILURE_CODES } from '../../adapters/providers/port.ts'
import { ENVIRONMENTS, PageQuery, TimeQuery } from '../../kernel/http/index.ts'
import {
  AmountField,
  enumOf,
  freeText,
  line,
  MetadataField,
  MetadataFilter,
  MetadataRecord,
  moneyText,
  nullable,
  oneOf,
} from '../../kernel/lib/index.ts'
import { STATUSES as COLLECTION_STATUSES } from '../collections/index.ts'
import { LINK_STATUSES } from './state.ts'

const common = {
  merchant_id: Type.Optional(line(64, "The caller's own merchant. A session of several merchants names one.")),
  amount: AmountField,
  currency: Type.Optional(line(10, 'TZS, the default.')),
  customer_name: Type.Optional(nullable(line(200))),
  customer_phone: Type.Optional(
    nullable(line(32, 'The phone of the customer. The page offers this phone to the payer, masked.')),
  ),
  description: Type.Optional(nullable(freeText(1_000, 'The purpose of the payment. The payer reads it.'))),
}
const Reference = line(100, "The merchant's own order number; every answer contains it.")
const ReturnUrl = line(2_000, 'An address that begins with https://. Sandbox payments may use http://.')
const Environment = Type.Optional(enumOf('Environment', ENVIRONMENTS, 'Sessions only: live (default) or sandbox.'))

/** The body of POST /v1/payment-links. */
export const LinkBody = Type.Object(
  {
    ...common,
    reference: Type.Optional(nullable(Reference)),
    expires_at: Type.Optional(
      nullable(
        Type.String({ format: 'date-time', description: 'The time after which payers cannot pay. Null means never.' }),
      ),
    ),
    environment: Environment,
    metadata: Type.Optional(MetadataField),
  },
  { title: 'PaymentLinkRequest' },
)
export type LinkBody = Static<typeof LinkBody>

/** The body of POST /v1/collections, which makes a hosted page. */
export const HostedBody = Type.Object(
  {
    ...common,
    customer_email: Type.Optional(nullable(Type.String({ maxLength: 254, format: 'email' }))),
    reference: Type.Optional(nullable(Reference)),
    redirect_url: Type.Optional(nullable(ReturnUrl)),
    cancel_url: Type.Optional(nullable(ReturnUrl)),
    webhook_url: Type.Optional(
      Type.Unknown({
        description:
          'The server accepts this field and does not use it. Configure the webhook of your account instead.',
      }),
    ),
    environment: Environment,
    metadata: Type.Optional(MetadataField),
  },
  { title: 'CollectionRequest' },
)
export type HostedBody = Static<typeof HostedBody>

const Timestamp = Type.String({ format: 'date-time' })

/** A payment link as its merchant sees it. */
export const LinkRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant_id: Type.String({ format: 'uuid' }),
    environment: enumOf('Environment', ENVIRONMENTS),
    amount: moneyText('The amount to pay.'),
    currency: Type.String(),
    customer_name: nullable(Type.String()),
    customer_phone: nullable(Type.String()),
    description: nullable(Type.String()),
    reference: nullable(Type.String()),
    expires_at: nullable(Timestamp),
    status: enumOf('PaymentLinkStatus', LINK_STATUSES),
    public_slug: Type.String(),
    public_url: Type.String(),
    invoice_id: nullable(Type.String({ description: 'The invoice that the link pays.' })),
    paid_collection_id: nullable(Type.String({ description: 'The payment that paid the link.' })),
    paid_at: nullable(Timestamp),
    metadata: MetadataRecord,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'PaymentLink' },
)
export type LinkRecord = Static<typeof LinkRecord>

/** A page as payers see it, without ids. */
export const PublicLink = Type.Object(
  {
    merchant_name: Type.String(),
    amount: moneyText('The amount to pay.'),
    currency: Type.String(),
    description: nullable(Type.String()),
    customer_name: nullable(Type.String()),
    customer_phone: nullable(Type.String()),
    expires_at: nullable(Timestamp),
    status: enumOf('PaymentLinkStatus', LINK_STATUSES),
  },
  { title: 'PublicPaymentLink' },
)

/** The payment methods in the API for payers. */
export const PUBLIC_METHODS = ['WALLET_PUSH', 'PROVIDER_PESA', 'TANQR'] as const

/** The body of a payer's request to pay on a page. */
export const CollectBody = Type.Object(
  {
    method: enumOf('PublicMethod', PUBLIC_METHODS),
    customer_phone: Type.Optional(nullable(line(32, 'The phone that pays. TANQR needs none.'))),
  },
  { title: 'PublicPaymentRequest' },
)
export type CollectBody = Static<typeof CollectBody>

/** The answer to a payer's request to pay on a page. */
export const CollectAnswer = Type.Object(
  {
    collection_id: Type.String({ format: 'uuid' }),
    status: oneOf(['processing']),
    method: enumOf('PublicMethod', PUBLIC_METHODS),
    message: Type.String(),
    payment_token: Type.Optional(Type.String({ description: 'The token of the provider, unchanged. Only for TANQR.' })),
    qr_payload: Type.Optional(Type.String({ description: 'The payload of the provider, unchanged. Only for TANQR.' })),
    expires_at: Type.Optional(Type.Null()),
  },
  { title: 'PublicPaymentAccepted' },
)

/** The status of a payment as its payer sees it. */
export const PublicStatus = Type.Object(
  {
    collection_id: Type.String({ format: 'uuid' }),
    status: enumOf('CollectionStatus', COLLECTION_STATUSES),
    method: nullable(enumOf('PublicMethod', PUBLIC_METHODS)),
    failure_reason_code: nullable(enumOf('CollectionFailureCode', FAILURE_CODES)),
    failure_reason_message: nullable(
      Type.String({ description: 'In the language of Accept-Language: sw, or en (default).' }),
    ),
    failure_reason_message_sw: nullable(Type.String({ description: 'The same sentence in Swahili.' })),
  },
  { title: 'PublicCollection' },
)

/** The filters of the lists and exports of payment links. */
export const LinksFilter = {
  merchant_id: Type.Optional(line(64)),
  environment: Environment,
  status: Type.Optional(enumOf('PaymentLinkStatus', LINK_STATUSES)),
  ...TimeQuery,
}
/** The query of GET /v1/payment-links. */
export const LinksQuery = Type.Object({
  ...PageQuery,
  ...LinksFilter,
  metadata: Type.Optional(MetadataFilter),
})
