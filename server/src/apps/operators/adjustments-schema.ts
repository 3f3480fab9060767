// What operators send and get about adjustments.

import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { AmountField, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import { AGAINST, DIRECTIONS } from './adjustments-make.ts'

const Direction = oneOf(DIRECTIONS, 'credit: the merchant gets it. debit: the merchant gives it.')
const Against = oneOf(
  AGAINST,
  'The other account. provider_float: what really lies at the provider. fee_income: our fees. processor_cost: what the provider charges us.',
)

/** Body of POST /v1/operator/merchants/{merchant_id}/adjustments. */
export const AdjustmentBody = Type.Object({
  environment: oneOf(ENVIRONMENTS),
  direction: Direction,
  amount: AmountField,
  against: Against,
  reason: visibleLine(500, 'Why. It stays with the adjustment and in the audit log.'),
})

/** An adjustment as operators see it. */
export const AdjustmentRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  merchant_id: Type.String({ format: 'uuid' }),
  environment: oneOf(ENVIRONMENTS),
  direction: Direction,
  against: Against,
  amount: Type.String({ examples: ['25000.00'] }),
  currency: Type.String(),
  reason: Type.String(),
  transaction_reference: Type.String({ description: 'The transaction by which the merchant finds it.' }),
  created_by: Type.Object({ id: nullable(Type.String()), name: Type.String() }),
  created_at: Type.String({ format: 'date-time' }),
})
/** An adjustment as answered. */
export type AdjustmentView = Static<typeof AdjustmentRecord>

/** Query of the list. */
export const AdjustmentsQuery = Type.Object({ ...PageQuery, environment: Type.Optional(oneOf(ENVIRONMENTS)) })

/** One adjustment, in the envelope. */
export const AdjustmentAnswer = success(AdjustmentRecord)
/** A page of adjustments, in the envelope. */
export const AdjustmentsAnswer = success(page(AdjustmentRecord))
