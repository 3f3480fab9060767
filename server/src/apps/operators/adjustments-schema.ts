// Defines the requests and responses for adjustments.

import Type, { type Static } from 'typebox'
import { VerdictFields } from '../../access/four-eyes/index.ts'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { AmountField, enumOf, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'

/** The directions of an adjustment. A credit moves money to the merchant. A debit moves money to the other account. */
export const ADJUSTMENT_DIRECTIONS = ['credit', 'debit'] as const
/** The direction of one adjustment: `credit` or `debit`. */
export type AdjustmentDirection = (typeof ADJUSTMENT_DIRECTIONS)[number]

/** The ledger accounts against which an operator can adjust a merchant's available balance. */
export const ADJUSTMENT_ACCOUNTS = ['provider_float', 'fee_income', 'processor_cost'] as const
/** The ledger account on the other side of one adjustment. */
export type AdjustmentAccount = (typeof ADJUSTMENT_ACCOUNTS)[number]

const Direction = oneOf(ADJUSTMENT_DIRECTIONS, 'credit: the merchant gets the amount. debit: the merchant pays it.')
const Against = oneOf(
  ADJUSTMENT_ACCOUNTS,
  'The other account. provider_float: the money at the provider. fee_income: the fees of the platform. processor_cost: the charges of the provider.',
)

/** The body of POST /v1/operator/merchants/{merchant_id}/adjustments. */
export const AdjustmentBody = Type.Object(
  {
    environment: enumOf('Environment', ENVIRONMENTS),
    direction: Direction,
    amount: AmountField,
    against: Against,
    reason: visibleLine(500, 'The reason. The adjustment and the audit log keep this text.'),
  },
  { title: 'AdjustmentRequest' },
)

/** An adjustment as operators read it: the account, the amount, the reason and the operator who made it. */
export const AdjustmentRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant_id: Type.String({ format: 'uuid' }),
    environment: enumOf('Environment', ENVIRONMENTS),
    direction: Direction,
    against: Against,
    amount: Type.String({ examples: ['25000.00'] }),
    currency: Type.String(),
    reason: Type.String(),
    transaction_reference: Type.String({ description: 'The transaction of the merchant for this adjustment.' }),
    created_by: Type.Object({ id: nullable(Type.String()), name: Type.String() }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Adjustment' },
)
/** An adjustment, as the API returns it. */
export type AdjustmentView = Static<typeof AdjustmentRecord>

const MadeAdjustment = Type.Object({ ...AdjustmentRecord.properties, ...VerdictFields }, { title: 'MadeAdjustment' })
/** An adjustment that one request made, with the operators who decided. */
export type MadeAdjustment = Static<typeof MadeAdjustment>

const { merchant_id, environment, direction, against, amount, currency, reason } = AdjustmentRecord.properties
/** The response to the first operator. No money has moved, so the adjustment has no id. */
const WaitingAdjustment = Type.Object(
  {
    ...{ merchant_id, environment, direction, against, amount, currency, reason },
    ...VerdictFields,
  },
  { title: 'WaitingAdjustment' },
)
/** An adjustment that waits for a second operator. No money has moved yet. */
export type WaitingAdjustment = Static<typeof WaitingAdjustment>

/** The query of GET /v1/operator/merchants/{merchant_id}/adjustments. */
export const AdjustmentsQuery = Type.Object({
  ...PageQuery,
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS)),
})

/** The response with an adjustment that has moved money. */
export const AdjustmentAnswer = success(MadeAdjustment)
/** The response to the first operator of an adjustment that needs two. */
export const WaitingAdjustmentAnswer = success(WaitingAdjustment)
/** The response with a page of adjustments, newest first. */
export const AdjustmentsAnswer = success(page(AdjustmentRecord))
