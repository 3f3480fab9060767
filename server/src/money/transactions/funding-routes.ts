// Adds the endpoints that return the funding of a withdrawal: one endpoint for its merchant, and one for operators.

import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import { findFundingCredits } from '../../books/ledger/index.ts'
import type { Deps, Reader } from '../../kernel/db/index.ts'
import { caller, MERCHANT_ROLES, type Routes } from '../../kernel/http/index.ts'
import { formatAmount, isId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { findWithdrawal, type Withdrawal } from '../withdrawals/index.ts'
import { tags } from './common.ts'
import { transactionKind } from './kinds.ts'
import { transactionReference } from './present.ts'
import { FundingAnswer, type FundingView, WithdrawalParams } from './schema.ts'

/** Adds the endpoints of the funding of withdrawals: one for members of the merchant, and one for operators. */
export function fundingRoutes(deps: Deps): Routes {
  const merchantOf = merchantByRoutingCode(deps)
  const description =
    'First in, first out: the latest credits make up the balance before the approval, and the withdrawal uses the oldest of them.'
  const schema = { description, params: WithdrawalParams, response: { 200: FundingAnswer } }

  /**
   * Finds a withdrawal by id, in any letter case. Null in `owner` means that an operator makes the request, and the merchant
   * may be any. If the withdrawal does not exist, refuses with not_found.
   */
  const find = async (
    text: string,
    owner: { merchant_id: string; environment: string } | null,
  ): Promise<Withdrawal> => {
    const id = text.toLowerCase()
    const merchant_id = isId(id) ? (owner?.merchant_id ?? (await merchantOf(routingCodeOf(id)))) : null
    const found = merchant_id === null ? null : await findWithdrawal(deps.db, { merchant_id, id })
    if (found === null || (owner !== null && found.environment !== owner.environment)) {
      refuse('not_found', { message: 'There is no such withdrawal. Check the id.' })
    }
    return found
  }

  return (app) => {
    app.get(
      '/v1/merchant/withdrawals/:withdrawal_id/funding',
      {
        schema: {
          ...schema,
          tags,
          operationId: 'getWithdrawalFunding',
          summary: 'Show the credits that funded a withdrawal',
        },
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
        schema: {
          ...schema,
          tags: ['Operator'],
          operationId: 'getOperatorWithdrawalFunding',
          summary: "Show the credits that funded a merchant's withdrawal",
        },
        config: { access: 'operator:read' },
      },
      async (request) => {
        const found = await find(request.params.withdrawal_id, null)
        return { success: true as const, data: await fundingOf(deps.db, found) }
      },
    )
  }
}

/** Returns the credits that funded a withdrawal, oldest first, with the used amount of each credit. */
async function fundingOf(reader: Reader, withdrawal: Withdrawal): Promise<FundingView> {
  const { merchant_id, transfer_id } = withdrawal
  const { origins, complete } =
    transfer_id === null ? { origins: [], complete: false } : await findFundingCredits(reader, merchant_id, transfer_id)
  return {
    withdrawal_id: withdrawal.id,
    transaction_reference: transfer_id === null ? null : transactionReference(transfer_id),
    total_reserved_amount: formatAmount(withdrawal.total_reserved_minor),
    amount_found: formatAmount(origins.reduce((sum, { used_minor }) => sum + used_minor, 0n)),
    currency: withdrawal.currency,
    complete,
    items: origins.map((origin) => ({
      transaction_reference: transactionReference(origin.id),
      type: transactionKind(origin.posting).type,
      collection_id: origin.source_type === 'collection' ? origin.source_id : null,
      amount: formatAmount(origin.net_minor),
      amount_used: formatAmount(origin.used_minor),
    })),
  }
}
