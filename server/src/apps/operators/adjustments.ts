// Defines the endpoints with which operators adjust balances.

import { findMerchant, MerchantParams } from '../../access/merchants/index.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps, Reader, Tx } from '../../kernel/db/index.ts'
import { type Routes, requireClaim, writtenAmount } from '../../kernel/http/index.ts'
import { AMOUNT_HELP, isId, parseAmount, refuse, refuseField } from '../../kernel/lib/index.ts'
import { listAdjustments, makeAdjustment } from './adjustments-make.ts'
import {
  AdjustmentAnswer,
  AdjustmentBody,
  AdjustmentsAnswer,
  AdjustmentsQuery,
  WaitingAdjustmentAnswer,
} from './adjustments-schema.ts'
import { decideOnce } from './once.ts'

const tags = ['Operator']
const PATH = '/v1/operator/merchants/:merchant_id/adjustments'

/** Adds the routes that list and make the adjustments of a merchant. */
export function adjustmentRoutes(deps: Deps): Routes {
  const merchantOf = async (reader: Reader, merchant_id: string) => {
    const id = merchant_id.toLowerCase()
    const merchant = isId(id) ? await findMerchant(reader, id) : null
    return merchant ?? refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
  }
  return (app) => {
    app.get(
      PATH,
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'listAdjustments',
          summary: 'List the adjustments of a merchant, newest first',
          description: '`total_items` counts up to 10,000.',
          params: MerchantParams,
          querystring: AdjustmentsQuery,
          response: { 200: AdjustmentsAnswer },
        },
      },
      async (request) => {
        const { id } = await merchantOf(deps.db, request.params.merchant_id)
        return { success: true as const, data: await listAdjustments(deps.db, id, request.query) }
      },
    )
    app.post(
      PATH,
      {
        config: {
          access: 'operator:money',
          idempotency: 'required',
          step_up: 'always',
          refusals: [
            'conflict_of_interest',
            'amount_not_supported',
            'insufficient_balance',
            'second_operator_required',
          ],
        },
        schema: {
          tags,
          operationId: 'createAdjustment',
          summary: 'Adjust the balance of a merchant',
          description:
            'For errors outside the platform, such as a payment that bypassed the platform or a wrong fee. A debit never takes the balance below zero. An adjustment is permanent, and only another adjustment can correct an adjustment.\n\nIf the adjustments, clearings and resolutions of the merchant on this day reach FOUR_EYES_AMOUNT with this adjustment, the first call answers 200 and moves nothing. The ledger books the adjustment when another operator sends the same request within seven days. Only the reason may differ.',
          params: MerchantParams,
          body: AdjustmentBody,
          response: { 200: WaitingAdjustmentAnswer, 201: AdjustmentAnswer },
        },
      },
      async (request, reply) => {
        const { environment, direction, against, reason } = request.body
        const amount_minor = parseAmount(writtenAmount(request.body))
        if (typeof amount_minor !== 'bigint' && amount_minor !== 'too_large') {
          refuseField('amount', AMOUNT_HELP[amount_minor])
        }
        requireClaim(request)
        const make = async (tx: Tx) => {
          const merchant = await merchantOf(tx, request.params.merchant_id)
          if (amount_minor === 'too_large') refuse('amount_not_supported')
          const input = { merchant, environment, direction, against, amount_minor, reason }
          const data = await makeAdjustment(deps, tx, actOf(request), input)
          return { data, status_code: 'id' in data ? 201 : 200, left: null }
        }
        return decideOnce(deps, request, reply, make, () => {})
      },
    )
  }
}
