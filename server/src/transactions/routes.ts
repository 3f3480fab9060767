// What a merchant has.

import Type from 'typebox'
import type { Deps } from '../db/index.ts'
import { type App, caller, success } from '../http/index.ts'
import { balanceOf } from '../ledger/index.ts'
import { CURRENCY, formatAmount } from '../lib/index.ts'

const Amount = (description: string) => Type.String({ description, examples: ['25000.00'] })

const Balance = Type.Object({
  available: Amount('May be withdrawn. Below zero only after a reversal.'),
  reserved: Amount('Set aside for payouts under way.'),
  held: Amount('Received, and waiting for a review.'),
  currency: Type.String(),
})

/** Adds the balance of the key's merchant and environment. */
export function balanceRoutes(deps: Deps): (app: App) => void {
  return (app) => {
    app.get(
      '/v1/balance',
      {
        schema: { tags: ['Balance'], summary: 'The balance of the wallet', response: { 200: success(Balance) } },
        config: { access: { scopes: ['transactions:read'] } },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        const balance = await balanceOf(deps.db, merchant.id, environment)
        const data = {
          available: formatAmount(balance.available),
          reserved: formatAmount(balance.reserved),
          held: formatAmount(balance.held),
          currency: CURRENCY,
        }
        return { success: true as const, data }
      },
    )
  }
}
