// The endpoints of the funding of a withdrawal: for its merchant, and for operators.

import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { caller, MERCHANT_ROLES, type Routes } from '../../kernel/http/index.ts'
import { isId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { findWithdrawal, type Withdrawal } from '../withdrawals/index.ts'
import { tags } from './common.ts'
import { fundingOf } from './funding.ts'
import { FundingAnswer, WithdrawalParams } from './schema.ts'

/** Adds the endpoints of the funding of withdrawals. */
export function fundingRoutes(deps: Deps): Routes {
  const merchantOf = merchantByRoutingCode(deps)
  const description =
    'First in, first out: the latest credits make up the balance before the approval, and the withdrawal uses the oldest of them.'
  const schema = { description, params: WithdrawalParams, response: { 200: FundingAnswer } }

  /** Finds a withdrawal by id, in any letter case. Null in `owner` means that the id determines the merchant. */
  const find = async (
    text: string,
    owner: { merchant_id: string; environment: string } | null,
  ): Promise<Withdrawal> => {
    const id = text.toLowerCase()
    const merchant_id = isId(id) ? (owner?.merchant_id ?? (await merchantOf(routingCodeOf(id)))) : null
    const found = merchant_id === null ? null : await findWithdrawal(deps.db, { merchant_id, id })
    if (found === null || (owner !== null && found.environment !== owner.environment)) {
      refuse('not_found', { message: 'There is no such withdrawal.' })
    }
    return found
  }

  return (app) => {
    app.get(
      '/v1/merchant/withdrawals/:withdrawal_id/funding',
      {
        schema: { ...schema, tags, summary: 'Show the payments that funded a withdrawal' },
        config: { access: { roles: MERCHANT_ROLES } },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        const found = await find(request.params.withdrawal_id, { merchant_id: merchant.id, environment })
        return { success: true as const, data: await fundingOf(deps.db, found) }
      },
    )
    app.get(
      '/v1/operator/withdrawals/:withdrawal_id/funding',
      {
        schema: { ...schema, tags: ['Operator'], summary: "Show the payments that funded a merchant's withdrawal" },
        config: { access: 'operator' },
      },
      async (request) => {
        const found = await find(request.params.withdrawal_id, null)
        return { success: true as const, data: await fundingOf(deps.db, found) }
      },
    )
  }
}
