// The endpoint of the overview.

import type { Deps } from '../../kernel/db/index.ts'
import { type App, caller, MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { overviewOf } from './overview.ts'
import { OverviewAnswer, OverviewQuery } from './overview-schema.ts'

/** Adds the route. */
export function overviewRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/overview',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Overview'],
        summary: 'What came in and went out today or in the last days',
        querystring: OverviewQuery,
        response: { 200: OverviewAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const whose = { merchant_id: merchant.id, environment }
      return { success: true as const, data: await overviewOf(deps, whose, request.query.period ?? 'today') }
    },
  )
}
