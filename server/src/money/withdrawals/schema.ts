// What merchants send and get about withdrawals: one schema is the check, the type and the documentation.

import Type, { type Static } from 'typebox'
import { PAYOUT_METHODS } from '../../adapters/providers/port.ts'
import { ENVIRONMENTS, PageQuery, TimeQuery } from '../../kernel/http/index.ts'
import { AmountField, line, nullable, oneOf, visibleLine, visibleText } from '../../kernel/lib/index.ts'
import { STATUSES } from './state.ts'

// What is sent --------------------------------------------------------------------------------------------------------

const acting = {
  merchant_id: Type.Optional(line(64, 'Your own merchant id. Needed by members of several merchants.')),
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'For sessions: where to act. A key names its own environment.')),
}
const payment = {
  ...acting,
  amount: AmountField,
  currency: Type.Optional(line(8, 'TZS, the default.')),
}
const CODE = 'The network or bank, by its code or an alias of it: see GET /v1/destinations.'
const code = (description: string, example = 'MPESA') => ({
  ...line(40, description),
  minLength: 1,
  examples: [example],
})
const CodeUnlessWallet = Type.Optional(code(`${CODE} Required but for PROVIDER_PESA.`))
const Name = Type.Optional(line(200, 'Who receives it.'))
const Reference = Type.Optional(line(100, 'Your own id of it; repeated on every answer and webhook.'))
const PHONE = 'Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX.'
const ACCOUNT = 'Account number: letters, digits, - and /. It is kept exactly as it was sent.'
const WALLET = `${PHONE} Or the account number of the wallet, 6 to 20 digits.`

/** Body of POST /v1/merchant/withdrawals/quote. */
export const QuoteBody = Type.Object({
  ...payment,
  method: oneOf(PAYOUT_METHODS),
  destination_code: CodeUnlessWallet,
  destination_identifier: Type.Optional(line(64, 'Where it would go. No price depends on it.')),
})

/** Body of POST /v1/merchant/withdrawals. */
export const SubmitBody = Type.Object({
  ...payment,
  method: oneOf(PAYOUT_METHODS),
  destination_code: CodeUnlessWallet,
  destination_name: Type.Optional(line(200, 'The recipient. Required for MOBILE_MONEY and PROVIDER_PESA.')),
  destination_phone: Type.Optional(line(64, `Required for MOBILE_MONEY and PROVIDER_PESA. ${PHONE}`)),
  bank_name: Type.Optional(visibleLine(100, 'Required for BANK_ACCOUNT: the name of the bank.')),
  bank_account_number: Type.Optional(line(64, `Required for BANK_ACCOUNT. ${ACCOUNT}`)),
  bank_account_name: Type.Optional(line(200, 'Another name of destination_name, for BANK_ACCOUNT.')),
  destination_identifier: Type.Optional(line(64, 'Another name of destination_phone and of bank_account_number.')),
  reference: Reference,
})

/** Body of POST /v1/disbursements/mobile-money. */
export const MobileMoneyBody = Type.Object({
  ...payment,
  destination_name: Name,
  destination_identifier: line(64, PHONE),
  destination_code: code(CODE),
  reference: Reference,
})

/** Body of POST /v1/disbursements/provider-pesa. */
export const ProviderPesaBody = Type.Object({
  ...payment,
  destination_name: Name,
  destination_identifier: line(64, WALLET),
  destination_code: Type.Optional(code('PROVIDER_PESA, the default.', 'PROVIDER_PESA')),
  reference: Reference,
})

/** Body of POST /v1/disbursements/bank-account. */
export const BankAccountBody = Type.Object({
  ...payment,
  destination_name: Name,
  destination_identifier: line(64, ACCOUNT),
  destination_code: code(CODE, 'CRDB'),
  bank_name: visibleLine(100, 'The name of the bank.'),
  reference: Reference,
})

/** Body of POST /v1/merchant/withdrawals/{withdrawal_id}/respond. */
export const RespondBody = Type.Object({
  ...acting,
  message: visibleText(1000, 'What the operator asked for.'),
})

/** What can be played of a sandbox record. */
export const OUTCOMES = [
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'INFO_REQUESTED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'REVERSED',
] as const
/** One thing that can be played. */
export type Outcome = (typeof OUTCOMES)[number]

/** Body of POST /v1/sandbox/disbursements/{disbursement_id}/simulate. */
export const SimulateBody = Type.Object({
  merchant_id: acting.merchant_id,
  outcome: oneOf(OUTCOMES, 'Where the record is to get to.'),
})

/** Which withdrawals, in lists and files. */
export const ListFilter = {
  status: Type.Optional(oneOf(STATUSES)),
  method: Type.Optional(oneOf(PAYOUT_METHODS)),
  reference: Type.Optional(line(100, 'Your own reference, or the beginning of it, in any case.')),
  ...TimeQuery,
}
/** Query of the merchant's list. */
export const ListQuery = Type.Object({ ...PageQuery, ...ListFilter })
/** Query of the list of disbursements. */
export const DisbursementsQuery = Type.Object({
  merchant_id: Type.Optional(line(64, 'Your own merchant id or `me`. Needed by members of several merchants.')),
  ...PageQuery,
  ...ListFilter,
})

/** Query of GET /v1/destinations. */
export const DestinationsQuery = Type.Object({
  method: Type.Optional(oneOf(PAYOUT_METHODS)),
  environment: Type.Optional(
    oneOf(ENVIRONMENTS, 'Where it is to be sent: `live`, the default, or `sandbox`, which reaches them all.'),
  ),
})

// What is answered ----------------------------------------------------------------------------------------------------

const Id = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })
const money = (description: string) => Type.String({ description })

const charges = {
  processor_charge: money('What the processor takes for it.'),
  infinity_fee: money('Our fee: percentage_fee and flat_fee together.'),
  percentage_fee: Type.String(),
  flat_fee: Type.String(),
  total_charges: money('Our fee, and the processor charge where it is passed through.'),
  total_reserved_amount: money('The amount and total_charges: what leaves your balance.'),
  recipient_net_amount: money('What the recipient gets.'),
  pricing_rule_id: nullable(
    Type.String({ ...Id, description: 'The line of your price list that counts. Null: free.' }),
  ),
  pricing_rule_label: nullable(Type.String()),
  processor_fee_pass_through: Type.Boolean({ description: 'true: the processor charge is part of total_charges.' }),
}

/** What a withdrawal would cost. */
export const QuoteRecord = Type.Object({
  withdrawal_amount: Type.String(),
  currency: Type.String(),
  channel: oneOf(PAYOUT_METHODS),
  destination_code: Type.String(),
  ...charges,
})
export type QuoteRecord = Static<typeof QuoteRecord>

const record = {
  id: Id,
  merchant_id: Id,
  environment: oneOf(ENVIRONMENTS),
  method: oneOf(PAYOUT_METHODS),
  amount: Type.String(),
  currency: Type.String(),
  destination_name: nullable(Type.String()),
  destination_identifier: Type.String({ description: '255XXXXXXXXX, or an account number as it was sent.' }),
  destination_code: Type.String(),
  bank_name: nullable(Type.String()),
  reference: nullable(Type.String()),
  merchant_reference: nullable(Type.String()),
  status: oneOf(STATUSES),
  requires_approval: Type.Boolean({ description: 'true until an operator has approved or rejected it.' }),
  status_reason: nullable(
    Type.String({
      description: 'What the operator tells you: why it was rejected, what is asked, or how it was resolved.',
    }),
  ),
  failure_reason_code: nullable(Type.String({ description: 'Set when FAILED. The set can grow.' })),
  failure_reason_message: nullable(Type.String({ description: 'A sentence that may be shown to a user.' })),
  ...charges,
  provider_reference: nullable(Type.String({ description: 'Null until it was approved.' })),
  transaction_reference: nullable(Type.String({ description: 'Its transaction. Null until it was approved.' })),
  initiated_at: Timestamp,
  completed_at: nullable(Type.String({ format: 'date-time', description: 'Null until SUCCESS.' })),
  created_at: Timestamp,
  updated_at: Timestamp,
}

/** A withdrawal as merchants and operators see it. */
export const WithdrawalRecord = Type.Object(record)
export type WithdrawalRecord = Static<typeof WithdrawalRecord>

/** One move of a withdrawal, as its merchant sees it. */
export const MerchantMove = Type.Object({
  from_status: oneOf(STATUSES),
  to_status: oneOf(STATUSES),
  by: oneOf(['merchant', 'operator', 'provider'], 'Who moved it. What you simulate is your own move.'),
  message: nullable(Type.String({ description: 'What the operator told you, or what you answered.' })),
  at: Timestamp,
})
export type MerchantMove = Static<typeof MerchantMove>

/** A withdrawal with what became of it. */
export const WithdrawalDetail = Type.Object({
  ...record,
  history: Type.Array(MerchantMove, { description: 'Its moves, oldest first.' }),
})
export type WithdrawalDetail = Static<typeof WithdrawalDetail>

/** Where money can be sent. */
export const DestinationsAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      code: Type.String(),
      name: Type.String(),
      method: oneOf(PAYOUT_METHODS),
      aliases: Type.Array(Type.String(), { description: 'Other names that are taken for the code.' }),
    }),
  ),
})
