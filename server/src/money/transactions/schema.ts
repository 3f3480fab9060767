// Defines the requests and responses of balance, transactions, statements and funding.

import type { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { enumOf, line, moneyText, nullable, oneOf } from '../../kernel/lib/index.ts'
import { WITHDRAWAL_STATUSES } from '../withdrawals/index.ts'
import { DIRECTIONS, TYPES } from './kinds.ts'

const Amount = (description: string, example = '25000.00') => moneyText(description, example)

/** The balance of a merchant in one environment. Amounts are texts such as 25000.00. */
export const Balance = Type.Object(
  {
    available: Amount('The amount that you can withdraw. Negative only after the reversal of a payment.'),
    reserved: Amount('The amount that the platform set aside for payouts.'),
    held: Amount('The received amount that is under review.'),
    currency: Type.String(),
  },
  { title: 'Balance' },
)

const TYPE_HELP =
  'COLLECTION: the platform credited a payment. COLLECTION_REVERSAL: the provider reversed a payment. WITHDRAWAL: the platform debited the amount and fees of a payout. WITHDRAWAL_REVERSAL: the platform credited the amount and the returned fees of a failed or reversed payout. ADJUSTMENT: the platform corrected the balance.'
const STATUS_HELP =
  'For a COLLECTION: successful, or reversed after a reversal. For a WITHDRAWAL: the status of the withdrawal. For all others: successful.'

const STATUSES = ['successful', 'reversed', ...WITHDRAWAL_STATUSES] as const
/** The status of a transaction. A withdrawal has its own status; any other transaction is successful or reversed. */
export type TransactionStatus = (typeof STATUSES)[number]

/** A transaction as the API shows it. Amounts are texts such as 25000.00. */
export const TransactionView = Type.Object(
  {
    reference: Type.String({ description: 'TXN- and 26 characters.', examples: ['TXN-01K6Q0Z3W5ABCDEFGHJKMNPQRS'] }),
    sequence: Type.Integer({
      description:
        'The number in your book of this environment: the first transaction has 1, and there are no gaps. Lists, exports and statements use this order.',
      examples: [128],
    }),
    type: enumOf('TransactionType', TYPES, TYPE_HELP),
    direction: enumOf('Direction', DIRECTIONS, 'credit: increases the available balance. debit: decreases it.'),
    amount: Amount('The amount without the fee.'),
    fee: Amount('The fee. For a reversal, the returned fee.', '250.00'),
    net_amount: Amount(
      'The change of your available balance: amount less fee for payments and their reversals, amount plus fee for withdrawals and their reversals.',
      '24750.00',
    ),
    currency: Type.String(),
    status: enumOf('TransactionStatus', STATUSES, STATUS_HELP),
    balance_after: Amount(
      'The available balance after this transaction: the balance after the previous `sequence`, plus or minus `net_amount`.',
    ),
    collection_id: nullable(Type.String({ format: 'uuid', description: 'The payment of the transaction.' })),
    withdrawal_id: nullable(Type.String({ format: 'uuid', description: 'The withdrawal of the transaction.' })),
    merchant_reference: nullable(Type.String({ description: 'Your own reference of that payment or withdrawal.' })),
    environment: enumOf('Environment', ENVIRONMENTS),
    created_at: Type.String({
      format: 'date-time',
      description: 'The time of booking, never earlier than the time of the previous `sequence`.',
    }),
  },
  { title: 'Transaction' },
)
export type TransactionView = Static<typeof TransactionView>

/** The response of GET /v1/transactions/:reference. */
export const TransactionAnswer = success(TransactionView)
/** The response of GET /v1/merchants/:merchant_id/transactions: a page of transactions, newest first. */
export const TransactionsAnswer = success(page(TransactionView))

/** The path parameters of the requests about a merchant's transactions. */
export const MerchantParams = Type.Object({ merchant_id: line(64, 'Your own merchant id, or `me`.') })
/** The path parameters of GET /v1/transactions/:reference. */
export const ReferenceParams = Type.Object({ reference: line(64) })

const Filter = {
  type: Type.Optional(enumOf('TransactionType', TYPES)),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Transactions created at or after this time.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Transactions created before this time.' })),
}
/** The query of GET /v1/merchants/:merchant_id/transactions. */
export const TransactionsQuery = Type.Object({ ...PageQuery, ...Filter })
export type TransactionsQuery = Static<typeof TransactionsQuery>
/** The query of GET /v1/merchants/:merchant_id/transactions/export. The export has no pages. */
export const ExportQuery = Type.Object(Filter)
export type ExportQuery = Static<typeof ExportQuery>

/** A CSV file as RFC 4180 defines it, as a text or a stream. */
export const Csv = Type.Unsafe<string | Readable>({ type: 'string', description: 'RFC 4180, with a header row.' })

/** The path parameters of a statement: the merchant, and the day or month. */
export const StatementParams = Type.Object({
  merchant_id: line(64),
  period: line(64, 'A month (2026-01) or a day (2026-01-05) of Africa/Dar_es_Salaam.'),
})
/** The format of a statement: `json` (the default) or `csv`. */
export const StatementQuery = Type.Object({
  format: Type.Optional(oneOf(['json', 'csv'], 'The format of the response: json (default) or csv.')),
})

const StatementLine = Type.Object(
  {
    type: enumOf('TransactionType', TYPES),
    direction: enumOf('Direction', DIRECTIONS),
    count: Type.Integer(),
    amount: Amount('The sum of the amounts.'),
    fee: Amount('The sum of the fees.', '250.00'),
    net: Amount('The change of the available balance: negative if it decreased.', '24750.00'),
  },
  { title: 'StatementLine' },
)
/** The statement of a day or a month, as the API shows it. */
export const StatementView = Type.Object(
  {
    merchant_id: Type.String({ format: 'uuid' }),
    environment: enumOf('Environment', ENVIRONMENTS),
    period: Type.String(),
    from: Type.String({ format: 'date-time', description: 'The start of the period.' }),
    to: Type.String({
      format: 'date-time',
      description: 'The end of the period, which is the start of the next period.',
    }),
    final: Type.Boolean({ description: 'False while the period may still get transactions.' }),
    currency: Type.String(),
    opening_balance: Amount('The available balance at the start, which is the closing balance of the previous period.'),
    closing_balance: Amount('The opening balance plus the net of all lines.'),
    lines: Type.Array(StatementLine, {
      description: 'One line for each type and direction, also without transactions.',
    }),
  },
  { title: 'Statement' },
)
export type StatementView = Static<typeof StatementView>

/** The path parameters of the requests about the funding of a withdrawal. */
export const WithdrawalParams = Type.Object({ withdrawal_id: line(64) })

const FundingItem = Type.Object(
  {
    transaction_reference: Type.String(),
    type: enumOf('TransactionType', TYPES),
    collection_id: nullable(Type.String({ format: 'uuid' })),
    amount: Amount('The credited amount without its fee.'),
    amount_used: Amount('The part that funded this withdrawal.'),
  },
  { title: 'FundingItem' },
)
/** The credits that funded a withdrawal, oldest first. */
export const FundingView = Type.Object(
  {
    withdrawal_id: Type.String({ format: 'uuid' }),
    transaction_reference: nullable(
      Type.String({ description: 'Null means that no operator has approved the withdrawal.' }),
    ),
    total_reserved_amount: Amount('The amount plus the fees.'),
    amount_found: Amount('The sum of `amount_used`. If `complete` is true, this is `total_reserved_amount`.'),
    currency: Type.String(),
    complete: Type.Boolean({
      description:
        'False before the approval, and if the 10,000 transactions before the withdrawal do not contain all credits.',
    }),
    items: Type.Array(FundingItem, { description: 'The credits, oldest first.' }),
  },
  { title: 'WithdrawalFunding' },
)
export type FundingView = Static<typeof FundingView>
/** The response of the requests about the funding of a withdrawal. */
export const FundingAnswer = success(FundingView)
