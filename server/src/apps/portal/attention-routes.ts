// Defines the endpoint that lists the problems to which a merchant should react.

import type { Deps } from '../../kernel/db/index.ts'
import { type App, caller, MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { attentionOf } from './attention.ts'
import { AttentionAnswer, AttentionQuery } from './attention-schema.ts'

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
