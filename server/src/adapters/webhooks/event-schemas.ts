// Defines the body of each event for the OpenAPI document. The rooms that queue the events write the bodies.

import Type from 'typebox'
import type { DescribedEvent } from '../../kernel/http/index.ts'
import { enumOf, MetadataRecord, moneyText, nullable, oneOf } from '../../kernel/lib/index.ts'
import {
  FAILURE_CODES,
  FAILURE_REASONS,
  FAILURE_REASONS_SW,
  METHODS,
  PAYOUT_FAILURE_CODES,
  PAYOUT_FAILURES,
  PAYOUT_FAILURES_SW,
  PAYOUT_METHODS,
} from '../providers/port.ts'
import type { EventName } from './events.ts'

const ID = '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f'
const AT = '2026-01-05T09:00:02.000Z'
const keysOf = <Key extends string>(table: Record<Key, unknown>) => Object.keys(table) as Key[]
const eventTime = (description: string) => Type.String({ format: 'date-time', description })

const common = {
  merchant_code: Type.String({ description: 'The code of the merchant.' }),
  reference: nullable(Type.String({ description: 'Your own reference. Null means that you sent none.' })),
  merchant_reference: nullable(Type.String({ description: 'The same as `reference`.' })),
  amount: moneyText('The requested amount.'),
  currency: Type.String(),
}
const marks = {
  metadata: MetadataRecord,
  timestamp: eventTime('The time of the event.'),
  sandbox: Type.Optional(Type.Boolean({ description: 'true for an event of the sandbox, otherwise absent.' })),
  test: Type.Optional(Type.Boolean({ description: 'true for a test delivery, otherwise absent.' })),
}

const uuid = (description: string) => Type.String({ format: 'uuid', description })
const LINK_ID = uuid('The payment link. Absent if the payer paid on no payment link.')
const INVOICE_ID = uuid('The invoice. Absent if the payment pays no invoice.')
/** The payment link or invoice of a payment, in each event of the payment. */
const madeOn = { payment_link_id: Type.Optional(LINK_ID), invoice_id: Type.Optional(INVOICE_ID) }

/** The kind of record that an event reports. `page` is a payment on a payment link. */
type EventKind = 'collection' | 'disbursement' | 'page' | 'invoice' | 'balance'
type EventShape = {
  kind: EventKind
  status: string
  time_field: string
  when: string
  summary: string
  description: string
  fails?: true
  /** The fields that only this event has, with their examples. */
  own?: { fields: Record<string, Type.TSchema>; example: Record<string, string> }
}

const NAMED = 'The server sends this event only to endpoints that name the event.'

const SHAPES: Record<EventName, EventShape> = {
  'collection.success': {
    kind: 'collection',
    status: 'successful',
    time_field: 'completed_at',
    when: 'The time at which the server credited the payment.',
    summary: 'The payer paid',
    description: 'Deliver the goods, unless the event has `test` or `sandbox`.',
  },
  'collection.failed': {
    kind: 'collection',
    status: 'failed',
    time_field: 'failed_at',
    when: 'The time at which the payment failed.',
    summary: 'The payer did not pay',
    description: 'A late success can still follow as `collection.success`.',
    fails: true,
  },
  'collection.reversed': {
    kind: 'collection',
    status: 'reversed',
    time_field: 'reversed_at',
    when: 'The time at which the provider reversed the payment.',
    summary: 'The money went back to the payer',
    description: 'The payment was successful before.',
  },
  'collection.pending_review': {
    kind: 'collection',
    status: 'pending_clearance',
    time_field: 'held_at',
    when: 'The time at which the review began.',
    summary: 'The money arrived and is under review',
    description: 'Wait: `collection.success` or `collection.failed` follows.',
  },
  'disbursement.success': {
    kind: 'disbursement',
    status: 'SUCCESS',
    time_field: 'completed_at',
    when: 'The time at which the payout arrived.',
    summary: 'The payout arrived',
    description: 'The recipient has the money.',
  },
  'disbursement.failed': {
    kind: 'disbursement',
    status: 'FAILED',
    time_field: 'failed_at',
    when: 'The time at which the payout failed.',
    summary: 'The payout failed',
    description: 'Amount and fees are available again.',
    fails: true,
  },
  'disbursement.reversed': {
    kind: 'disbursement',
    status: 'REVERSED',
    time_field: 'reversed_at',
    when: 'The time at which the payout came back.',
    summary: 'The payout came back',
    description: NAMED,
  },
  'disbursement.approved': {
    kind: 'disbursement',
    status: 'PROCESSING',
    time_field: 'approved_at',
    when: 'The time of the approval.',
    summary: 'An operator approved the payout',
    description: NAMED,
  },
  'disbursement.info_requested': {
    kind: 'disbursement',
    status: 'INFO_REQUESTED',
    time_field: 'info_requested_at',
    when: 'The time of the question.',
    summary: 'An operator asks about the payout',
    description: NAMED,
    own: {
      fields: { message: nullable(Type.String({ description: 'The question of the operator.' })) },
      example: { message: 'Who is the recipient?' },
    },
  },
  'payment_link.paid': {
    kind: 'page',
    status: 'PAID',
    time_field: 'paid_at',
    when: 'The time of the payment.',
    summary: 'A payment paid the payment link',
    description: NAMED,
    own: { fields: { payment_link_id: LINK_ID }, example: { payment_link_id: ID } },
  },
  'invoice.paid': {
    kind: 'page',
    status: 'PAID',
    time_field: 'paid_at',
    when: 'The time of the payment.',
    summary: 'A payment paid the invoice',
    description: NAMED,
    own: {
      fields: { payment_link_id: LINK_ID, invoice_id: INVOICE_ID },
      example: { payment_link_id: ID, invoice_id: ID },
    },
  },
  'invoice.overdue': {
    kind: 'invoice',
    status: 'OVERDUE',
    time_field: 'overdue_at',
    when: 'The time at which the server found the invoice overdue.',
    summary: 'The due date of the unpaid invoice has passed',
    description: `Once for each invoice. ${NAMED}`,
    own: {
      fields: {
        payment_link_id: Type.Optional(LINK_ID),
        due_date: Type.String({ description: 'The last day on which the customer would have paid in time.' }),
      },
      example: { payment_link_id: ID, due_date: AT.slice(0, 10) },
    },
  },
  'balance.low': {
    kind: 'balance',
    status: 'LOW',
    time_field: 'low_at',
    when: 'The time at which the server found the balance below the mark.',
    summary: 'The available balance passed below your mark',
    description: `\`amount\` is the available balance. The next event follows only after the balance was at the mark or above. ${NAMED}`,
    own: {
      fields: {
        reference: nullable(Type.String({ description: 'Always null.' })),
        merchant_reference: nullable(Type.String({ description: 'Always null.' })),
        amount: moneyText('The available balance.'),
        balance_below: moneyText('The mark that you set in the dashboard.'),
      },
      example: { balance_below: '50000.00' },
    },
  },
}

const payment = {
  id: { collection_id: Type.String({ format: 'uuid', description: 'The id of the payment.' }) },
  method: nullable(enumOf('CollectionMethod', METHODS, 'Null means that no payer has chosen a method.')),
  reasons: enumOf('CollectionFailureCode', FAILURE_CODES),
  received: {
    customer_phone: Type.Optional(
      nullable(
        Type.String({
          description: 'The phone of the payer: see the record of the payment. Absent in test deliveries.',
        }),
      ),
    ),
    amount_received: Type.Optional(
      moneyText('The received amount. Present only if it differs from the requested amount.'),
    ),
    foreign_amount: Type.Optional(moneyText('The received amount in another currency.')),
    foreign_currency: Type.Optional(Type.String({ description: 'The currency of `foreign_amount`.' })),
  },
  example: {
    id: 'collection_id',
    method: 'wallet_push',
    reason: 'insufficient_balance',
    sentences: FAILURE_REASONS,
    sentences_sw: FAILURE_REASONS_SW,
  },
} as const

const KINDS = {
  collection: { ...payment, received: { ...payment.received, ...madeOn } },
  page: { ...payment, received: { ...payment.received, ...madeOn } },
  disbursement: {
    id: { disbursement_id: Type.String({ format: 'uuid', description: 'The id of the payout.' }) },
    method: enumOf('PayoutMethod', PAYOUT_METHODS),
    reasons: enumOf('PayoutFailureCode', PAYOUT_FAILURE_CODES),
    received: {},
    example: {
      id: 'disbursement_id',
      method: 'MOBILE_MONEY',
      reason: 'unknown_recipient',
      sentences: PAYOUT_FAILURES,
      sentences_sw: PAYOUT_FAILURES_SW,
    },
  },
  invoice: {
    id: { invoice_id: INVOICE_ID },
    method: null,
    reasons: enumOf('CollectionFailureCode', FAILURE_CODES),
    received: {},
    example: {
      id: 'invoice_id',
      method: null,
      reason: 'timeout',
      sentences: FAILURE_REASONS,
      sentences_sw: FAILURE_REASONS_SW,
    },
  },
  balance: {
    id: {},
    method: null,
    reasons: enumOf('CollectionFailureCode', FAILURE_CODES),
    received: {},
    example: {
      id: null,
      method: null,
      reason: 'timeout',
      sentences: FAILURE_REASONS,
      sentences_sw: FAILURE_REASONS_SW,
    },
  },
} as const

/** All events, each with the schema and an example of its body. */
export const DESCRIBED_EVENTS: readonly DescribedEvent[] = keysOf(SHAPES).map((event) => {
  const { summary, description } = SHAPES[event]
  return { event, summary, description, schema: schemaOf(event), example: exampleBody(event) }
})

function schemaOf(event: EventName): object {
  const { kind, status, time_field, when, fails, own } = SHAPES[event]
  const { id, method, reasons, received } = KINDS[kind]
  const failure = fails
    ? {
        failure_reason_code: reasons,
        failure_reason_message: Type.String({
          description: 'A sentence about the failure that you may show to a user, in English.',
        }),
        failure_reason_message_sw: Type.String({ description: 'The same sentence in Swahili.' }),
      }
    : {}
  const title = `${event.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Event`
  return Type.Object(
    {
      event: oneOf([event]),
      ...id,
      ...common,
      ...received,
      ...own?.fields,
      status: oneOf([status]),
      ...(method === null ? {} : { method }),
      ...failure,
      [time_field]: eventTime(when),
      ...marks,
    },
    { title },
  )
}

function exampleBody(event: EventName): object {
  const { kind, status, time_field, fails, own } = SHAPES[event]
  const { id, method, reason, sentences, sentences_sw } = KINDS[kind].example
  const reference = id === null ? null : 'ORDER-1042'
  const message = (sentences as Record<string, string>)[reason]
  const message_sw = (sentences_sw as Record<string, string>)[reason]
  return {
    event,
    merchant_code: 'M2JBTVPA',
    ...(id === null ? {} : { [id]: ID }),
    reference,
    merchant_reference: reference,
    amount: '25000.00',
    currency: 'TZS',
    status,
    ...(method === null ? {} : { method }),
    ...own?.example,
    ...(fails
      ? { failure_reason_code: reason, failure_reason_message: message, failure_reason_message_sw: message_sw }
      : {}),
    [time_field]: AT,
    timestamp: AT,
    metadata: {},
    sandbox: true,
  }
}
