// The endpoints of what the portal reads across capabilities.

import type { Deps } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { checklistRoute } from './checklist-routes.ts'
import { overviewRoute } from './overview-routes.ts'
import type { PaymentSources } from './payment.ts'
import { paymentRoutes } from './payment-routes.ts'
import { type TimelineOptions, timelineRoutes } from './timeline-routes.ts'

/** What the routes need. */
export type PortalOptions = TimelineOptions & PaymentSources

/** Adds the routes. */
export function portalRoutes(deps: Deps, options: PortalOptions): Routes {
  const timeline = timelineRoutes(deps, options)
  const payment = paymentRoutes(deps, options)
  return (app) => {
    overviewRoute(deps, app)
    checklistRoute(deps, app)
    timeline(app)
    payment(app)
  }
}
