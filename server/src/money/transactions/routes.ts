// Adds the endpoints of balance, transactions, statements and the funding of withdrawals.

import type { Deps } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { balanceRoutes } from './balance-routes.ts'
import { fundingRoutes } from './funding-routes.ts'
import { transactionListRoutes } from './list-routes.ts'
import { statementRoutes } from './statement-routes.ts'

/** Adds all endpoints of this room to the server. */
export function transactionRoutes(deps: Deps): Routes {
  const parts = [balanceRoutes(deps), transactionListRoutes(deps), statementRoutes(deps), fundingRoutes(deps)]
  return (app) => {
    for (const routes of parts) routes(app)
  }
}
