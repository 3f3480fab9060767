// The endpoints of the operators' console.

import type { Deps } from '../db/index.ts'
import type { Routes } from '../http/index.ts'
import { addressRoutes } from './addresses.ts'
import { auditLogRoutes } from './audit-log.ts'
import { operatorMerchantRoutes } from './merchants.ts'

/** Adds every route under /v1/operator. All of them take a session of a SUPER_ADMIN and nothing else. */
export function operatorRoutes(deps: Deps): Routes {
  const parts = [operatorMerchantRoutes(deps), addressRoutes(deps), auditLogRoutes(deps)]
  return (app) => {
    for (const routes of parts) routes(app)
  }
}
