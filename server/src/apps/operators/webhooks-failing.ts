// Defines the endpoint with which operators list the merchants whose webhooks fail.

import Type from 'typebox'
import { FAILING_FIELDS, failingAddress, failingEndpoints, presentFailing } from '../../adapters/webhooks/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Routes, success } from '../../kernel/http/index.ts'
import { nullable } from '../../kernel/lib/index.ts'

const Failing = Type.Object(
  {
    merchant_id: Type.String(),
    name: Type.String(),
    webhook_url: nullable(
      Type.String({
        description:
          'The current address of the endpoint, without the query. Null means that the merchant has removed the endpoint.',
      }),
    ),
    ...FAILING_FIELDS,
  },
  { title: 'FailingWebhook' },
)

/** Adds the route that lists the merchants whose webhooks fail, the newest failed attempt first. */
export function failingWebhookRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/webhooks/failing',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'listFailingWebhooks',
          summary: 'List the merchants whose webhooks fail, the newest failed attempt first',
          description:
            'An endpoint of an environment fails from the second failed attempt of a delivery until a delivery succeeds. Only failed attempts of the last 7 days count. The list has at most 1,000 rows, and omits archived merchants.',
          response: { 200: success(Type.Object({ items: Type.Array(Failing) })) },
        },
      },
      async () => {
        const rows = await failingEndpoints(deps, deps.db)
        const items = rows.map((row) => ({
          merchant_id: row.merchant_id,
          name: row.name,
          webhook_url: failingAddress(row),
          ...presentFailing(row),
        }))
        return { success: true as const, data: { items } }
      },
    )
  }
}
