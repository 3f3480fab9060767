// Adds the endpoints that return a merchant's balance.

import { readBalance } from '../../books/ledger/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { caller, type Environment, MERCHANT_ROLES, type Routes, success } from '../../kernel/http/index.ts'
import { CURRENCY, formatAmount } from '../../kernel/lib/index.ts'
import { Balance } from './schema.ts'

/** Adds the endpoints of the balance: GET /v1/balance for API keys, and GET /v1/merchant/balance for the dashboard. */
export function balanceRoutes(deps: Deps): Routes {
  const tags = ['Balance']
  const response = { 200: success(Balance) }
  return (app) => {
    app.get(
      '/v1/balance',
      {
        schema: { tags, operationId: 'getBalance', summary: 'Show the balance', response },
        config: { access: { scopes: ['transactions:read'] } },
      },
      async (request) => ({ success: true as const, data: await presentBalance(deps, caller(request)) }),
    )
    app.get(
      '/v1/merchant/balance',
      {
        schema: { tags, operationId: 'getMerchantBalance', summary: 'Show the balance in the dashboard', response },
        config: { access: { roles: MERCHANT_ROLES } },
      },
      async (request) => ({ success: true as const, data: await presentBalance(deps, caller(request)) }),
    )
  }
}

async function presentBalance(deps: Deps, book: { merchant: { id: string }; environment: Environment }) {
  const { available, reserved, held } = await readBalance(deps.db, book.merchant.id, book.environment)
  return {
    available: formatAmount(available),
    reserved: formatAmount(reserved),
    held: formatAmount(held),
    currency: CURRENCY,
  }
}
