// Requests and answers: one schema is the validation, the type and the documentation.

import type { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { WITHDRAWAL_STATUSES } from '../withdrawals/index.ts'
import { DIRECTIONS, TYPES } from './kinds.ts'

const Amount = (description: string, example = '25000.00') => Type.String({ description, examples: [example] })

/** The balance of a merchant. */
export const Balance = Type.Object({
  available: Amount('The amount that may be withdrawn. Negative only after a reversal.'),
  reserved: Amount('Set aside for payouts under way.'),
  held: Amount('Received, and waiting for a review.'),
  currency: Type.String(),
})

const TYPE_WORDS =
  'COLLECTION: a payment was credited. COLLECTION_REVERSAL: it was taken back. WITHDRAWAL: amount and charges were set aside for a payout. WITHDRAWAL_REVERSAL: they came back. ADJUSTMENT: the platform corrected the balance.'
const STATUS_WORDS =
  'Of a COLLECTION: successful, or reversed after a reversal. Of a WITHDRAWAL: the status of the withdrawal. Of all others: successful.'

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
  direction: oneOf(DIRECTIONS, 'credit: increases the available balance. debit: decreases it.'),
  amount: Amount('Without fee.'),
  fee: Amount('The charge, or on a reversal the returned charge.', '250.00'),
  net_amount: Amount(
    'The change of your available balance: amount less fee for payments and their reversals, amount plus fee for withdrawals and their reversals.',
    '24750.00',
  ),
  currency: Type.String(),
  status: oneOf(STATUSES, STATUS_WORDS),
  balance_after: Amount(
    'The available balance after it: that of the transaction with the previous `sequence`, changed by this one.',
  ),
  collection_id: nullable(Type.String({ format: 'uuid', description: 'The payment of the transaction.' })),
  withdrawal_id: nullable(Type.String({ format: 'uuid', description: 'The withdrawal of the transaction.' })),
  merchant_reference: nullable(Type.String({ description: 'Your own reference of that payment or withdrawal.' })),
  environment: oneOf(ENVIRONMENTS),
  created_at: Type.String({
    format: 'date-time',
    description: 'When it was booked; never before the transaction with the previous `sequence`.',
  }),
})
export type TransactionView = Static<typeof TransactionView>

/** Answer of the look-up. */
export const TransactionAnswer = success(TransactionView)
/** Answer of the list. */
export const TransactionsAnswer = success(page(TransactionView))

/** The merchant of the transactions. */
export const MerchantParams = Type.Object({ merchant_id: line(64, 'Your own merchant id, or `me`.') })
/** The reference of a transaction. */
export const ReferenceParams = Type.Object({ reference: line(64) })

const Filter = {
  type: Type.Optional(oneOf(TYPES)),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Created at or after.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Created before.' })),
}
/** The query of the list. */
export const TransactionsQuery = Type.Object({ ...PageQuery, ...Filter })
export type TransactionsQuery = Static<typeof TransactionsQuery>
/** The query of the export. */
export const ExportQuery = Type.Object(Filter)
export type ExportQuery = Static<typeof ExportQuery>

/** A file in the form of RFC 4180: a text, or a stream of it. */
export const Csv = Type.Unsafe<string | Readable>({ type: 'string', description: 'RFC 4180, with a header row.' })

/** The merchant, and the day or month of a statement. */
export const StatementParams = Type.Object({
  merchant_id: line(64),
  period: line(64, 'A month (2026-01) or a day (2026-01-05) of Africa/Dar_es_Salaam.'),
})
/** The format of a statement. */
export const StatementQuery = Type.Object({ format: Type.Optional(oneOf(['json', 'csv'], 'json when left out.')) })

const StatementLine = Type.Object({
  type: oneOf(TYPES),
  direction: oneOf(DIRECTIONS),
  count: Type.Integer(),
  amount: Amount('Sum of the amounts.'),
  fee: Amount('Sum of the fees.', '250.00'),
  net: Amount('The change of the available balance: negative if it decreased.', '24750.00'),
})
/** The statement of a period. */
export const StatementView = Type.Object({
  merchant_id: Type.String({ format: 'uuid' }),
  environment: oneOf(ENVIRONMENTS),
  period: Type.String(),
  from: Type.String({ format: 'date-time', description: 'The start of the period.' }),
  to: Type.String({ format: 'date-time', description: 'The end of the period, and the start of the next one.' }),
  final: Type.Boolean({ description: 'False while the period may still get transactions.' }),
  currency: Type.String(),
  opening_balance: Amount('The available balance at the start: the closing balance of the period before.'),
  closing_balance: Amount('The opening balance and the net of all lines.'),
  lines: Type.Array(StatementLine, { description: 'One for each type and direction, those without transactions too.' }),
})
export type StatementView = Static<typeof StatementView>

/** The id of a withdrawal. */
export const WithdrawalParams = Type.Object({ withdrawal_id: line(64) })

const FundingItem = Type.Object({
  transaction_reference: Type.String(),
  type: oneOf(TYPES),
  collection_id: nullable(Type.String({ format: 'uuid' })),
  amount: Amount('What the transaction credited, net of its fee.'),
  amount_used: Amount('The part that funded this withdrawal.'),
})
/** The credits that funded a withdrawal. */
export const FundingView = Type.Object({
  withdrawal_id: Type.String({ format: 'uuid' }),
  transaction_reference: nullable(Type.String({ description: 'Null until the withdrawal is approved.' })),
  total_reserved_amount: Amount('Amount and charges.'),
  amount_found: Amount('The sum of amount_used: total_reserved_amount when complete.'),
  currency: Type.String(),
  complete: Type.Boolean({
    description: 'False before the approval, and if the credits are further back than some thousands of transactions.',
  }),
  items: Type.Array(FundingItem, { description: 'The credits, oldest first.' }),
})
export type FundingView = Static<typeof FundingView>
/** Answer of the funding. */
export const FundingAnswer = success(FundingView)
