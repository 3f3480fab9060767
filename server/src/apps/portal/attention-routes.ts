// Defines the endpoints that list the problems of a merchant, and those merchants of a user that have problems.

import type { Deps } from '../../kernel/db/index.ts'
import { type App, caller, MERCHANT_ROLES, session } from '../../kernel/http/index.ts'
import { attentionOf } from './attention.ts'
import { troubledMerchants } from './attention-of-set.ts'
import { AttentionAnswer, AttentionQuery, TroubledMerchantsAnswer, TroubledMerchantsQuery } from './attention-schema.ts'

/** Adds the route that lists the problems of a merchant in one environment. */
export function attentionRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/attention',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Overview'],
        operationId: 'getAttention',
        summary: 'Show what needs attention: trouble, questions, and money that waits',
        description:
          'The most urgent item comes first. An empty list means that the merchant has no problem. Failing webhooks are of both environments, and all other items of the requested environment. If today has 20 payments with an outcome, and the 7 days before have 50, the server compares the success rates.',
        querystring: AttentionQuery,
        response: { 200: AttentionAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const items = await attentionOf(deps, { merchant_id: merchant.id, environment })
      return { success: true as const, data: { items } }
    },
  )
}

/** Adds the route that lists those merchants of the user that have problems. */
export function troubledMerchantsRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/me/attention',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Overview'],
        operationId: 'getMyAttention',
        summary: 'Show which of your merchants need attention',
        description:
          'Lists only merchants with a problem. Problems of webhooks are of both environments, and all others of the requested environment. The answer does not compare success rates. If a merchant requires a second factor that the session lacks, the answer leaves this merchant out.',
        querystring: TroubledMerchantsQuery,
        response: { 200: TroubledMerchantsAnswer },
      },
    },
    async (request) => {
      const merchants = await troubledMerchants(deps, session(request), request.query.environment ?? 'live')
      return { success: true as const, data: { merchants } }
    },
  )
}
