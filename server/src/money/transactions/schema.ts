// What callers get, and what they may ask for: one schema is the check, the type and the documentation.

import type { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { WITHDRAWAL_STATUSES } from '../withdrawals/index.ts'
import { DIRECTIONS, TYPES } from './kinds.ts'

const Amount = (description: string, example = '25000.00') => Type.String({ description, examples: [example] })

/** What a merchant has. */
export const Balance = Type.Object({
  available: Amount('May be withdrawn. Below zero only after a reversal.'),
  reserved: Amount('Set aside for payouts under way.'),
  held: Amount('Received, and waiting for a review.'),
  currency: Type.String(),
})

const TYPE_WORDS =
  'COLLECTION: a payment was credited. COLLECTION_REVERSAL: it was taken back. WITHDRAWAL: amount and charges were set aside for a payout. WITHDRAWAL_REVERSAL: they came back. ADJUSTMENT: the platform corrected the balance.'
const STATUS_WORDS =
  'Of a COLLECTION: successful, or reversed when it was taken back later. Of a WITHDRAWAL: where the withdrawal stands. Of all others: successful.'

const STATUSES = ['successful', 'reversed', ...WITHDRAWAL_STATUSES] as const
/** Status of a transaction. */
export type TransactionStatus = (typeof STATUSES)[number]

/** A transaction. */
export const TransactionView = Type.Object({
  reference: Type.String({ description: 'TXN- and 26 characters.', examples: ['TXN-01K6Q0Z3W5ABCDEFGHJKMNPQRS'] }),
  sequence: Type.Integer({
    description:
      'Its place in your book of this environment: 1 for the first transaction, and no number is left out. Lists, exports and statements are in this order.',
    examples: [128],
  }),
  type: oneOf(TYPES, TYPE_WORDS),
  direction: oneOf(DIRECTIONS, 'credit: you have more afterwards. debit: less.'),
  amount: Amount('Without fee.'),
  fee: Amount('What was charged, or on a reversal given back.', '250.00'),
  net_amount: Amount(
    'What your available balance changed by: amount less fee for payments and their reversals, with it for withdrawals and theirs.',
    '24750.00',
  ),
  currency: Type.String(),
  status: oneOf(STATUSES, STATUS_WORDS),
  balance_after: Amount(
    'Available right after it: that of the transaction with the `sequence` before, and what this one changed.',
  ),
  collection_id: nullable(Type.String({ format: 'uuid', description: 'The payment that it is about.' })),
  withdrawal_id: nullable(Type.String({ format: 'uuid', description: 'The withdrawal that it is about.' })),
  merchant_reference: nullable(Type.String({ description: 'Your own reference of that payment or withdrawal.' })),
  environment: oneOf(ENVIRONMENTS),
  created_at: Type.String({
    format: 'date-time',
    description: 'When it was booked; never before the transaction with the `sequence` before.',
  }),
})
export type TransactionView = Static<typeof TransactionView>

/** Answer of the look-up. */
export const TransactionAnswer = success(TransactionView)
/** Answer of the list. */
export const TransactionsAnswer = success(page(TransactionView))

/** Whose transactions. */
export const MerchantParams = Type.Object({ merchant_id: line(64, 'Your own merchant id, or `me`.') })
/** Which transaction. */
export const ReferenceParams = Type.Object({ reference: line(64) })

const Filter = {
  type: Type.Optional(oneOf(TYPES)),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Created at or after.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Created before.' })),
}
/** What is listed. */
export const TransactionsQuery = Type.Object({ ...PageQuery, ...Filter })
export type TransactionsQuery = Static<typeof TransactionsQuery>
/** What is exported. */
export const ExportQuery = Type.Object(Filter)
export type ExportQuery = Static<typeof ExportQuery>

/** A file in the form of RFC 4180: a text, or a stream of it. */
export const Csv = Type.Unsafe<string | Readable>({ type: 'string', description: 'RFC 4180, with a header row.' })

/** Of whom, and of which day or month. */
export const StatementParams = Type.Object({
  merchant_id: line(64),
  period: line(64, 'A month (2026-01) or a day (2026-01-05) of Africa/Dar_es_Salaam.'),
})
/** How a statement is written. */
export const StatementQuery = Type.Object({ format: Type.Optional(oneOf(['json', 'csv'], 'json when left out.')) })

const StatementLine = Type.Object({
  type: oneOf(TYPES),
  direction: oneOf(DIRECTIONS),
  count: Type.Integer(),
  amount: Amount('Sum of the amounts.'),
  fee: Amount('Sum of the fees.', '250.00'),
  net: Amount('What they changed the available balance by: below zero where money left.', '24750.00'),
})
/** What happened in a period. */
export const StatementView = Type.Object({
  merchant_id: Type.String({ format: 'uuid' }),
  environment: oneOf(ENVIRONMENTS),
  period: Type.String(),
  from: Type.String({ format: 'date-time', description: 'Where the period begins.' }),
  to: Type.String({ format: 'date-time', description: 'Where the period ends, and the next one begins.' }),
  final: Type.Boolean({ description: 'False while transactions of the period may still come.' }),
  currency: Type.String(),
  opening_balance: Amount('Available when the period began: the closing balance of the one before.'),
  closing_balance: Amount('The opening balance and the net of all lines.'),
  lines: Type.Array(StatementLine, { description: 'One for each type and direction, those without transactions too.' }),
})
export type StatementView = Static<typeof StatementView>

/** Of which withdrawal. */
export const WithdrawalParams = Type.Object({ withdrawal_id: line(64) })

const FundingItem = Type.Object({
  transaction_reference: Type.String(),
  type: oneOf(TYPES),
  collection_id: nullable(Type.String({ format: 'uuid' })),
  amount: Amount('What the transaction credited, net of its fee.'),
  amount_used: Amount('How much of it went into this withdrawal.'),
})
/** Where the money of a withdrawal came from. */
export const FundingView = Type.Object({
  withdrawal_id: Type.String({ format: 'uuid' }),
  transaction_reference: nullable(Type.String({ description: 'Null until the withdrawal is approved.' })),
  total_reserved_amount: Amount('Amount and charges.'),
  amount_found: Amount('The sum of amount_used: total_reserved_amount when complete.'),
  currency: Type.String(),
  complete: Type.Boolean({
    description:
      'False before the approval, when nothing is taken yet, and when the money came in further back than some thousands of transactions.',
  }),
  items: Type.Array(FundingItem, { description: 'What credited the money, oldest first.' }),
})
export type FundingView = Static<typeof FundingView>
/** Answer of the way back. */
export const FundingAnswer = success(FundingView)
