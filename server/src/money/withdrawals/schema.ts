// Defines the schemas of requests and answers about withdrawals. Each schema validates, gives the type, and documents the API.

import Type, { type Static } from 'typebox'
import { PAYOUT_FAILURE_CODES, PAYOUT_METHODS } from '../../adapters/providers/port.ts'
import { ENVIRONMENTS, PageQuery, TimeQuery } from '../../kernel/http/index.ts'
import {
  AmountField,
  enumOf,
  line,
  MetadataField,
  MetadataFilter,
  MetadataRecord,
  moneyText,
  nullable,
  oneOf,
  visibleLine,
  visibleText,
} from '../../kernel/lib/index.ts'
import { STATUSES } from './state.ts'

const acting = {
  merchant_id: Type.Optional(line(64, 'Your own merchant id. Needed by members of several merchants.')),
  environment: Type.Optional(
    enumOf(
      'Environment',
      ENVIRONMENTS,
      'The environment to act in. Only for sessions: a key determines its environment.',
    ),
  ),
}
const payment = {
  ...acting,
  amount: AmountField,
  currency: Type.Optional(line(8, 'TZS, the default.')),
}
const CODE = 'The code of the network or bank, or an alias: see GET /v1/destinations.'
const destinationCode = (description: string, example = 'MPESA') => ({
  ...line(40, description),
  minLength: 1,
  examples: [example],
})
const CodeUnlessWallet = Type.Optional(destinationCode(`${CODE} Required unless the method is PROVIDER_PESA.`))
const Name = Type.Optional(line(200, 'The name of the recipient.'))
const Reference = Type.Optional(line(100, 'Your own id of the withdrawal; every answer and webhook contains it.'))
const Metadata = Type.Optional(MetadataField)
const PHONE = 'Tanzanian mobile number: 0XXXXXXXXX, XXXXXXXXX, 255XXXXXXXXX or +255XXXXXXXXX.'
const ACCOUNT = 'Account number: letters, digits, - and /. The server stores it as you send it.'
const WALLET = `${PHONE} Or the account number of the wallet, 6 to 20 digits.`

/** The body of POST /v1/merchant/withdrawals/quote. */
export const QuoteBody = Type.Object(
  {
    ...payment,
    method: enumOf('PayoutMethod', PAYOUT_METHODS),
    destination_code: CodeUnlessWallet,
    destination_identifier: Type.Optional(
      line(64, 'The identifier of the recipient. The price does not depend on it.'),
    ),
  },
  { title: 'WithdrawalQuoteRequest' },
)

/** The body of POST /v1/merchant/withdrawals. */
export const SubmitBody = Type.Object(
  {
    ...payment,
    method: enumOf('PayoutMethod', PAYOUT_METHODS),
    destination_code: CodeUnlessWallet,
    destination_name: Type.Optional(line(200, 'The recipient. Required for MOBILE_MONEY and PROVIDER_PESA.')),
    destination_phone: Type.Optional(line(64, `Required for MOBILE_MONEY and PROVIDER_PESA. ${PHONE}`)),
    bank_name: Type.Optional(visibleLine(100, 'Required for BANK_ACCOUNT: the name of the bank.')),
    bank_account_number: Type.Optional(line(64, `Required for BANK_ACCOUNT. ${ACCOUNT}`)),
    bank_account_name: Type.Optional(line(200, 'An alias of destination_name, for BANK_ACCOUNT.')),
    destination_identifier: Type.Optional(line(64, 'An alias of destination_phone and bank_account_number.')),
    reference: Reference,
    metadata: Metadata,
  },
  { title: 'WithdrawalRequest' },
)

/** The body of POST /v1/disbursements/mobile-money. */
export const MobileMoneyBody = Type.Object(
  {
    ...payment,
    destination_name: Name,
    destination_identifier: line(64, PHONE),
    destination_code: destinationCode(CODE),
    reference: Reference,
    metadata: Metadata,
  },
  { title: 'MobileMoneyDisbursementRequest' },
)

/** The body of POST /v1/disbursements/provider-pesa. */
export const ProviderPesaBody = Type.Object(
  {
    ...payment,
    destination_name: Name,
    destination_identifier: line(64, WALLET),
    destination_code: Type.Optional(destinationCode('PROVIDER_PESA, the default.', 'PROVIDER_PESA')),
    reference: Reference,
    metadata: Metadata,
  },
  { title: 'ProviderPesaDisbursementRequest' },
)

/** The body of POST /v1/disbursements/bank-account. */
export const BankAccountBody = Type.Object(
  {
    ...payment,
    destination_name: Name,
    destination_identifier: line(64, ACCOUNT),
    destination_code: destinationCode(CODE, 'CRDB'),
    bank_name: visibleLine(100, 'The name of the bank.'),
    reference: Reference,
    metadata: Metadata,
  },
  { title: 'BankAccountDisbursementRequest' },
)

/** The body of POST /v1/merchant/withdrawals/{withdrawal_id}/respond. */
export const RespondBody = Type.Object(
  {
    ...acting,
    message: visibleText(1000, 'Your answer to the operator.'),
  },
  { title: 'WithdrawalResponse' },
)

/** The body of POST /v1/merchant/withdrawals/{withdrawal_id}/cancel and of POST /v1/disbursements/{disbursement_id}/cancel. */
export const CancelBody = nullable(Type.Object(acting))

/** All outcomes that a merchant can simulate. */
export const OUTCOMES = [
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'INFO_REQUESTED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'REVERSED',
] as const
/** One outcome that a merchant can simulate. */
export type SimulatedOutcome = (typeof OUTCOMES)[number]

/** The body of POST /v1/sandbox/disbursements/{disbursement_id}/simulate. */
export const SimulateBody = Type.Object(
  {
    merchant_id: acting.merchant_id,
    outcome: enumOf('SimulatedOutcome', OUTCOMES, 'The outcome to simulate.'),
  },
  { title: 'DisbursementSimulation' },
)

/** The filters of the lists and exports of withdrawals. */
export const ListFilter = {
  status: Type.Optional(enumOf('WithdrawalStatus', STATUSES)),
  method: Type.Optional(enumOf('PayoutMethod', PAYOUT_METHODS)),
  reference: Type.Optional(line(100, 'Your own reference, or its beginning. The server ignores the case of letters.')),
  ...TimeQuery,
}
/** The query of the merchant's list of withdrawals. */
export const ListQuery = Type.Object({ ...PageQuery, ...ListFilter, metadata: Type.Optional(MetadataFilter) })
/** The page and the filters of the list of disbursements. */
export const DisbursementsQuery = Type.Object({
  merchant_id: Type.Optional(line(64, 'Your own merchant id or `me`. Needed by members of several merchants.')),
  ...PageQuery,
  ...ListFilter,
  metadata: Type.Optional(MetadataFilter),
})

/** The query of GET /v1/destinations. */
export const DestinationsQuery = Type.Object({
  method: Type.Optional(enumOf('PayoutMethod', PAYOUT_METHODS)),
  environment: Type.Optional(
    enumOf(
      'Environment',
      ENVIRONMENTS,
      'The environment: `live`, the default, or `sandbox`, which reaches all destinations.',
    ),
  ),
})

const Id = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })

const charges = {
  processor_charge: moneyText('The charge of the provider.'),
  infinity_fee: moneyText('Our fee: percentage_fee and flat_fee together.'),
  percentage_fee: moneyText('The percentage of the amount.'),
  flat_fee: moneyText('The fixed part of the fee.'),
  total_charges: moneyText('Our fee, plus the processor charge if it is passed through.'),
  total_reserved_amount: moneyText('The amount plus total_charges: the sum that leaves your balance.'),
  recipient_net_amount: moneyText('The amount that the recipient gets.'),
  pricing_rule_id: nullable(Type.String({ ...Id, description: 'The pricing rule that applies. Null means no fee.' })),
  pricing_rule_label: nullable(Type.String()),
  processor_fee_pass_through: Type.Boolean({ description: 'True if the processor charge is part of total_charges.' }),
}

/** The amount and the charges of a withdrawal before its submission, as decimal amounts. */
export const QuoteRecord = Type.Object(
  {
    withdrawal_amount: moneyText('The amount without fees.'),
    currency: Type.String(),
    channel: enumOf('PayoutMethod', PAYOUT_METHODS),
    destination_code: Type.String(),
    ...charges,
  },
  { title: 'WithdrawalQuote' },
)
export type QuoteRecord = Static<typeof QuoteRecord>

const record = {
  id: Id,
  merchant_id: Id,
  environment: enumOf('Environment', ENVIRONMENTS),
  method: enumOf('PayoutMethod', PAYOUT_METHODS),
  amount: moneyText('The amount without fees.'),
  currency: Type.String(),
  destination_name: nullable(Type.String()),
  destination_identifier: Type.String({ description: '255XXXXXXXXX, or the account number as you sent it.' }),
  destination_code: Type.String(),
  bank_name: nullable(Type.String()),
  reference: nullable(Type.String()),
  merchant_reference: nullable(Type.String()),
  status: enumOf('WithdrawalStatus', STATUSES),
  requires_approval: Type.Boolean({
    description: 'True until an operator approves or rejects the withdrawal, or the merchant cancels it.',
  }),
  status_reason: nullable(
    Type.String({
      description:
        'The text of the operator: the reason of a rejection or of a recall, a question, or the reason of a resolution.',
    }),
  ),
  failure_reason_code: nullable(
    enumOf(
      'PayoutFailureCode',
      PAYOUT_FAILURE_CODES,
      'The reason of a FAILED withdrawal. New releases can add reasons.',
    ),
  ),
  failure_reason_message: nullable(
    Type.String({
      description:
        'A sentence about the failure that you may show to a user, in the language of Accept-Language: sw, or en (default).',
    }),
  ),
  failure_reason_message_sw: nullable(Type.String({ description: 'The same sentence in Swahili.' })),
  ...charges,
  provider_reference: nullable(
    Type.String({ description: 'Null means that no operator has approved the withdrawal.' }),
  ),
  transaction_reference: nullable(
    Type.String({
      description: 'The reference of its transaction. Null means that no operator has approved the withdrawal.',
    }),
  ),
  metadata: MetadataRecord,
  initiated_at: Timestamp,
  completed_at: nullable(
    Type.String({ format: 'date-time', description: 'Null means that the status is not SUCCESS.' }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}

/** The record of a withdrawal for merchants and operators. */
export const WithdrawalRecord = Type.Object(record, { title: 'Withdrawal' })
export type WithdrawalRecord = Static<typeof WithdrawalRecord>

/** One move of a withdrawal in the form that merchants can read. */
export const MerchantMoveRecord = Type.Object(
  {
    from_status: enumOf('WithdrawalStatus', STATUSES),
    to_status: enumOf('WithdrawalStatus', STATUSES),
    by: oneOf(
      ['merchant', 'operator', 'provider'],
      'The party that made the move. For a simulation it is the merchant.',
    ),
    message: nullable(Type.String({ description: 'The text of the operator, or your answer.' })),
    at: Timestamp,
  },
  { title: 'WithdrawalMove' },
)
export type MerchantMoveRecord = Static<typeof MerchantMoveRecord>

/** The record of a withdrawal with its history. */
export const WithdrawalDetail = Type.Object(
  {
    ...record,
    history: Type.Array(MerchantMoveRecord, { description: 'The moves of the withdrawal, oldest first.' }),
  },
  { title: 'WithdrawalWithHistory' },
)
export type WithdrawalDetail = Static<typeof WithdrawalDetail>

/** The destinations to which payouts can go. */
export const DestinationsAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      code: Type.String(),
      name: Type.String(),
      method: enumOf('PayoutMethod', PAYOUT_METHODS),
      aliases: Type.Array(Type.String(), { description: 'Other names that the server accepts for the code.' }),
    }),
  ),
})

const DailyLimit = (description: string) => nullable(Type.String({ description, examples: ['5000000.00'] }))

/** The daily limits of a merchant's payouts, with the payouts of today. */
export const PayoutLimitsFacts = Type.Object(
  {
    daily_limit: DailyLimit(
      'Largest sum of payouts that operators may approve on a day. Null means that there is no limit.',
    ),
    approved_today: Type.String({ description: 'The payouts that operators approved today, without fees.' }),
    daily_limit_per_destination: DailyLimit(
      'Largest sum of payouts that operators may approve to one phone or account on a day. Null means that there is no limit.',
    ),
  },
  { title: 'PayoutLimits' },
)
