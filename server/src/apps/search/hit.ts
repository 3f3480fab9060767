// Defines the hits of a search, and converts found records to hits.

import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, type Environment } from '../../kernel/http/index.ts'
import { formatAmount, nullable, oneOf } from '../../kernel/lib/index.ts'
import { displayNumber, type StoredStatus, statusAt } from '../../money/invoices/index.ts'
import { linkStatusAt } from '../../money/payment-links/index.ts'
import { transactionReference } from '../../money/transactions/index.ts'
import type { RecordKind } from './statements.ts'

/** The kinds of hits, in the order of the response. */
export const HIT_KINDS = [
  'payment',
  'withdrawal',
  'payment_link',
  'invoice',
  'transaction',
  'delivery',
  'merchant',
  'person',
  'statement_line',
] as const
/** The type of the record that a hit describes, such as `payment` or `statement_line`. */
export type HitKind = (typeof HIT_KINDS)[number]

const nullableText = (description: string) => nullable(Type.String({ description }))

/** A hit of a search: the facts of a record that a list shows, and the page of the console about the record. */
export const SearchHit = Type.Object({
  kind: oneOf(HIT_KINDS),
  id: Type.String({ description: 'The id of the record, or the reference of a transaction or statement line.' }),
  title: Type.String({
    description:
      'The amount of a record about money, such as "25000.00". The name of a merchant, the e-mail address of a person, or the event of a delivery.',
  }),
  currency: nullableText('The currency of the amount in `title`. Null means that `title` is no amount.'),
  name: nullableText('The name of the customer, recipient or person.'),
  phone: nullableText('The phone of the payer or customer, or the phone or account of the recipient.'),
  reference: nullableText('The reference of the merchant, the number of an invoice, or the code of a merchant.'),
  description: nullableText('The first 80 characters of the description of a payment link. Null for other records.'),
  status: nullableText('The status of the record. Null means that the record has no status.'),
  environment: nullable(oneOf(ENVIRONMENTS)),
  merchant_id: nullableText('The merchant of the record, in searches of operators.'),
  merchant_name: nullableText('The name of that merchant.'),
  created_at: Type.String({ format: 'date-time' }),
  target: Type.String({
    description: 'The page of the console, from the environment on in the dashboard, such as `collections/{id}`.',
  }),
})
export type SearchHit = Static<typeof SearchHit>

/** A record of a merchant that a search found. Amounts are in cents. */
export type FoundRecord = {
  merchant_id: string
  merchant_name?: string
  id: string
  environment: Environment
  status: string | null
  amount_minor: bigint | null
  currency: string | null
  reference?: string | null
  name: string | null
  phone: string | null
  description?: string | null
  number?: number
  due_date?: string
  expires_at?: Date | null
  source_type?: string
  source_id?: string
  created_at: Date
}

/**
 * Returns the hit of a record. If the row has no name of the merchant, `target` is a page of the dashboard. Otherwise `target`
 * is a page of the operators' console.
 */
export function presentRecord(kind: RecordKind, row: FoundRecord, now: Date): SearchHit {
  const { amount_minor, merchant_name } = row
  return {
    kind,
    id: kind === 'transaction' ? transactionReference(row.id) : row.id,
    title: amount_minor === null ? (row.reference ?? '') : formatAmount(amount_minor),
    currency: amount_minor === null ? null : row.currency,
    name: row.name,
    phone: row.phone,
    reference:
      kind === 'delivery' ? null : row.number === undefined ? (row.reference ?? null) : displayNumber(row.number),
    description: row.description ?? null,
    status: statusOfRecord(kind, row, now),
    environment: row.environment,
    merchant_id: merchant_name === undefined ? null : row.merchant_id,
    merchant_name: merchant_name ?? null,
    created_at: row.created_at.toISOString(),
    target: merchant_name === undefined ? dashboardPage(kind, row) : operatorPage(kind, row),
  }
}

function statusOfRecord(kind: RecordKind, row: FoundRecord, now: Date): string | null {
  if (kind === 'payment_link') {
    return linkStatusAt({ status: row.status as 'ACTIVE', expires_at: row.expires_at ?? null }, now)
  }
  if (kind !== 'invoice') return row.status
  const paid_at = row.status === 'PAID' ? row.created_at : null
  return statusAt({ status: row.status as StoredStatus, paid_at, due_date: row.due_date ?? '' }, now)
}

function dashboardPage(kind: RecordKind, { id }: FoundRecord): string {
  const pages: Record<RecordKind, string> = {
    payment: `collections/${id}`,
    withdrawal: `withdrawals/${id}`,
    payment_link: `links/${id}`,
    invoice: `invoices/${id}`,
    transaction: `transactions/${transactionReference(id)}`,
    delivery: `webhooks/deliveries/${id}`,
  }
  return pages[kind]
}

// The operators' console has no page for a link, an invoice, a transaction or a delivery. Their hits lead to the merchant,
// payment or withdrawal.
function operatorPage(kind: RecordKind, { id, merchant_id, source_type, source_id }: FoundRecord): string {
  if (kind === 'payment') return `payments/${id}`
  if (kind === 'withdrawal') return `withdrawals/${id}`
  if (source_type === 'collection') return `payments/${source_id}`
  if (source_type === 'withdrawal') return `withdrawals/${source_id}`
  return `merchants/${merchant_id}`
}
