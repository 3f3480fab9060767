// Adds the endpoints for the overview, the problems, the checklist, the timelines, and an operator's view of one payment.

import Type from 'typebox'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import { type App, caller, MERCHANT_ROLES, type Routes } from '../../kernel/http/index.ts'
import { attentionRoute, troubledMerchantsRoute } from './attention-routes.ts'
import { checklistRoute } from './checklist-routes.ts'
import { overviewOf } from './overview.ts'
import { OverviewAnswer, OverviewQuery } from './overview-schema.ts'
import { getPayment, type PaymentSources } from './payment.ts'
import { PaymentAnswer } from './payment-schema.ts'
import { recentMerchantRoute } from './recent-merchant.ts'
import { PART_MAX } from './timeline-read.ts'
import { type TimelineOptions, timelineRoutes } from './timeline-routes.ts'

/** The dependencies of the portal's routes. */
export type PortalOptions = TimelineOptions & PaymentSources

/** Adds the routes for the overview, the problems, the checklist, the timelines and one payment. */
export function portalRoutes(deps: Deps, options: PortalOptions): Routes {
  const timeline = timelineRoutes(deps, options)
  return (app) => {
    overviewRoute(deps, app)
    attentionRoute(deps, app)
    troubledMerchantsRoute(deps, app)
    recentMerchantRoute(deps, app)
    checklistRoute(deps, app)
    timeline(app)
    paymentRoute(deps, app, options)
  }
}

function overviewRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/overview',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Overview'],
        operationId: 'getOverview',
        summary: 'Show the totals of today or of the last days',
        querystring: OverviewQuery,
        response: { 200: OverviewAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const owner = { merchant_id: merchant.id, environment }
      return { success: true as const, data: await overviewOf(forReads(deps), owner, request.query.period ?? 'today') }
    },
  )
}

function paymentRoute(deps: Deps, app: App, sources: PaymentSources): void {
  app.get(
    '/v1/operator/collections/:collection_id',
    {
      config: { access: 'operator:read' },
      schema: {
        tags: ['Operator'],
        operationId: 'getOperatorCollection',
        summary: 'Show one collection and its next step',
        description: `A collection of any merchant, held or not. Null in \`waits_for\` means that no step follows. The state of a circuit is that of the process that answers. All other facts come from the database. Lists show the newest ${PART_MAX} entries of each kind.`,
        params: Type.Object({ collection_id: Type.String({ description: 'The id of the collection.' }) }),
        response: { 200: PaymentAnswer },
      },
    },
    async (request) => ({
      success: true as const,
      data: await getPayment(deps, sources, request.params.collection_id),
    }),
  )
}
