// The endpoints of the operators' console.

import type { Deps } from '../db/index.ts'
import type { Routes } from '../http/index.ts'
import type { Desk } from '../withdrawals/index.ts'
import { addressRoutes } from './addresses.ts'
import { adjustmentRoutes } from './adjustments.ts'
import { auditLogRoutes } from './audit-log.ts'
import { operatorCollectionRoutes } from './collections.ts'
import { operatorMerchantRoutes } from './merchants.ts'
import { operatorMessageRoutes } from './messages.ts'
import { type NameCheckOptions, nameCheckRoutes } from './name-check.ts'
import { networkRoutes } from './networks.ts'
import { operatorProviderRoutes, type ProvidersOptions } from './providers.ts'
import { operatorWithdrawalRoutes } from './withdrawals.ts'

/** Adds every route under /v1/operator. All of them take a session of a SUPER_ADMIN and nothing else. */
export function operatorRoutes(deps: Deps, options: { desk: Desk } & ProvidersOptions & NameCheckOptions): Routes {
  const parts = [
    operatorMerchantRoutes(deps),
    operatorWithdrawalRoutes(deps, options),
    nameCheckRoutes(deps, options),
    operatorCollectionRoutes(deps, options),
    adjustmentRoutes(deps),
    addressRoutes(deps),
    auditLogRoutes(deps),
    operatorMessageRoutes(deps),
    operatorProviderRoutes(deps, options),
    networkRoutes(deps),
  ]
  return (app) => {
    for (const routes of parts) routes(app)
  }
}
