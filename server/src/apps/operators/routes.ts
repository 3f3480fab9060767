// Combines the routes of the operators' console.

import type { Deps } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import type { ApprovalService } from '../../money/withdrawals/index.ts'
import { addressRoutes } from './addresses.ts'
import { adjustmentRoutes } from './adjustments.ts'
import { auditLogRoutes } from './audit-log.ts'
import { caseRoutes } from './case.ts'
import { operatorCollectionRoutes } from './collections.ts'
import { waitingDecisionRoutes } from './decisions.ts'
import { providerHealthRoutes } from './health.ts'
import { operatorMerchantRoutes } from './merchants.ts'
import { operatorMessageRoutes } from './messages.ts'
import { type NameCheckOptions, nameCheckRoutes } from './name-check.ts'
import { networkRoutes } from './networks.ts'
import { payoutPauseRoutes } from './payout-pauses.ts'
import { operatorPeopleRoutes } from './people.ts'
import { pricingPreviewRoutes } from './pricing-preview.ts'
import { operatorProviderRoutes, type ProvidersOptions } from './providers.ts'
import { type OperatorRules, queueRoutes } from './queue.ts'
import { queueStateRoutes } from './queues.ts'
import { savedReasonRoutes } from './reasons.ts'
import { type ReadSystem, systemRoutes } from './system.ts'
import { verifyRunRoutes } from './verify-runs.ts'
import { failingWebhookRoutes } from './webhooks-failing.ts'
import { operatorWithdrawalRoutes } from './withdrawals.ts'

/** Adds the routes of this room. Each route requires an operator whose role has the right of the route. */
export function operatorRoutes(
  deps: Deps,
  options: { approvalService: ApprovalService; rules: OperatorRules; readSystem: ReadSystem } & ProvidersOptions &
    NameCheckOptions,
): Routes {
  const parts = [
    queueRoutes(deps, options),
    operatorMerchantRoutes(deps),
    pricingPreviewRoutes(deps),
    operatorWithdrawalRoutes(deps, options),
    payoutPauseRoutes(
      deps,
      [...options.providers.keys()].filter((name) => name !== 'sandbox'),
    ),
    caseRoutes(deps),
    nameCheckRoutes(deps, options),
    operatorCollectionRoutes(deps, options),
    adjustmentRoutes(deps),
    waitingDecisionRoutes(deps),
    addressRoutes(deps),
    auditLogRoutes(deps),
    operatorMessageRoutes(deps),
    operatorProviderRoutes(deps, options),
    providerHealthRoutes(deps, options),
    failingWebhookRoutes(deps),
    networkRoutes(deps),
    savedReasonRoutes(deps),
    verifyRunRoutes(deps),
    queueStateRoutes(deps),
    systemRoutes(options.readSystem),
    operatorPeopleRoutes(deps),
  ]
  return (app) => {
    for (const routes of parts) routes(app)
  }
}
