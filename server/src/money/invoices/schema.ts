// Defines the requests and responses of invoices.

import type { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery } from '../../kernel/http/index.ts'
import {
  enumOf,
  freeText,
  LANGUAGES,
  line,
  MetadataField,
  MetadataFilter,
  MetadataRecord,
  moneyText,
  nullable,
  visibleLine,
} from '../../kernel/lib/index.ts'
import { LINK_STATUSES } from '../payment-links/index.ts'
import { INVOICE_STATUSES } from './state.ts'

const ITEMS_MAX = 100

const Item = Type.Object(
  {
    description: visibleLine(300),
    quantity: Type.String({
      maxLength: 20,
      description: 'A decimal greater than zero, at most three decimals.',
      examples: ['2'],
    }),
    unit_price: Type.String({
      maxLength: 64,
      description: 'Shillings as a decimal string, at most two decimals.',
      examples: ['12500.00'],
    }),
  },
  { title: 'InvoiceItemRequest' },
)

const DueDate = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  description: 'The last day on which the customer pays in time, in Tanzania: YYYY-MM-DD, today or later.',
  examples: ['2030-01-31'],
})

const CustomerName = visibleLine(200)
const CustomerPhone = Type.Optional(nullable(line(32, 'The phone that receives the SMS.')))
const CustomerEmail = Type.Optional(
  nullable(Type.String({ maxLength: 254, format: 'email', description: 'The address that receives the e-mail.' })),
)
const Items = Type.Array(Item, { minItems: 1, maxItems: ITEMS_MAX })
const Note = Type.Optional(nullable(freeText(1_000, 'The customer reads this text.')))
const ChosenLanguage = Type.Optional(
  enumOf('Language', LANGUAGES, 'The language of the messages and pages for the customer: sw (default) or en.'),
)
const ownerFields = {
  merchant_id: Type.Optional(line(64, "The caller's own merchant. A session of several merchants names one.")),
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS, 'Sessions only: live (default) or sandbox.')),
}

/** The body of POST /v1/invoices. */
export const InvoiceBody = Type.Object(
  {
    ...ownerFields,
    customer_name: CustomerName,
    customer_phone: CustomerPhone,
    customer_email: CustomerEmail,
    due_date: DueDate,
    items: Items,
    note: Note,
    language: ChosenLanguage,
    metadata: Type.Optional(MetadataField),
  },
  { title: 'InvoiceRequest' },
)
export type InvoiceBody = Static<typeof InvoiceBody>

/** The body of PATCH /v1/invoices/:invoice_id. If a field is absent, the server keeps its value. */
export const InvoiceChange = Type.Object(
  {
    ...ownerFields,
    customer_name: Type.Optional(CustomerName),
    customer_phone: CustomerPhone,
    customer_email: CustomerEmail,
    due_date: Type.Optional(DueDate),
    items: Type.Optional(Items),
    note: Note,
    language: ChosenLanguage,
    metadata: Type.Optional(MetadataField),
  },
  { title: 'InvoiceChange' },
)
export type InvoiceChange = Static<typeof InvoiceChange>

const Timestamp = Type.String({ format: 'date-time' })

/** An invoice as its merchant sees it. Amounts are texts such as 25000.00. */
export const InvoiceRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant_id: Type.String({ format: 'uuid' }),
    environment: enumOf('Environment', ENVIRONMENTS),
    number: Type.String({ description: 'Counts from INV-000001 for each merchant and environment, without a gap.' }),
    status: enumOf(
      'InvoiceStatus',
      INVOICE_STATUSES,
      'OVERDUE: sent, and not paid by its due date. PAID: its payment link was paid.',
    ),
    customer_name: Type.String(),
    customer_phone: nullable(Type.String()),
    customer_email: nullable(Type.String()),
    due_date: Type.String(),
    language: enumOf('Language', LANGUAGES),
    currency: Type.String(),
    items: Type.Array(
      Type.Object({
        description: Type.String(),
        quantity: Type.String(),
        unit_price: Type.String(),
        amount: moneyText('Quantity times unit price, rounded half up to the cent.'),
      }),
    ),
    total: moneyText('The sum of the items.'),
    note: nullable(Type.String()),
    payment_link_id: nullable(Type.String({ description: 'The paid payment link. If no link was paid, the newest.' })),
    payment_link_status: nullable(enumOf('PaymentLinkStatus', LINK_STATUSES)),
    payment_url: nullable(Type.String({ description: 'The address of the page where the customer pays.' })),
    invoice_url: nullable(
      Type.String({ description: 'The address of the page where the customer reads the invoice.' }),
    ),
    sent_at: nullable(Timestamp),
    reminders: Type.Integer({ description: 'The number of sent reminders.' }),
    paid_at: nullable(Timestamp),
    paid_collection_id: nullable(Type.String({ description: 'The payment that paid the invoice.' })),
    payment_reversed_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'The time at which that payment was reversed. The invoice stays PAID.',
      }),
    ),
    cancelled_at: nullable(Timestamp),
    metadata: MetadataRecord,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Invoice' },
)
export type InvoiceRecord = Static<typeof InvoiceRecord>

/** The merchant and the environment in the query of requests about one invoice. */
export const OwnerQuery = Type.Object(ownerFields)

/** The query of GET /v1/invoices/export.csv. */
export const ExportQuery = Type.Object({
  ...ownerFields,
  status: Type.Optional(enumOf('InvoiceStatus', INVOICE_STATUSES)),
})

/** The query of GET /v1/invoices. */
export const InvoicesQuery = Type.Object({
  ...PageQuery,
  ...ownerFields,
  status: Type.Optional(enumOf('InvoiceStatus', INVOICE_STATUSES)),
  metadata: Type.Optional(MetadataFilter),
})

/** A CSV file as RFC 4180 defines it, as a stream. */
export const Csv = Type.Unsafe<Readable>({ type: 'string', description: 'RFC 4180, with a header row.' })
