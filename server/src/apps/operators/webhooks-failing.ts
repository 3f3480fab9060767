// Merchants whose webhooks fail, for operators.

import Type from 'typebox'
import { FAILING_FIELDS, failingEndpoints, presentFailing } from '../../adapters/webhooks/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Routes, success } from '../../kernel/http/index.ts'
import { nullable } from '../../kernel/lib/index.ts'

const Failing = Type.Object({
  merchant_id: Type.String(),
  name: Type.String(),
  webhook_url: nullable(
    Type.String({ description: 'Where its events go now, without the query. Null: it takes none any more.' }),
  ),
  ...FAILING_FIELDS,
})

/** Adds the route. */
export function failingWebhookRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/webhooks/failing',
      {
        config: { access: 'operator' },
        schema: {
          tags: ['Operator'],
          summary: 'List the merchants whose webhooks fail, the newest miss first',
          description:
            'An endpoint fails in an environment once a delivery has missed twice, until one is delivered there. Misses of the last 7 days count. At most 1,000.',
          response: { 200: success(Type.Object({ items: Type.Array(Failing) })) },
        },
      },
      async () => {
        const rows = await failingEndpoints(deps, deps.db)
        const items = rows.map((row) => ({
          merchant_id: row.merchant_id,
          name: row.name,
          webhook_url: row.webhook_url === null ? null : withoutQuery(row.webhook_url),
          ...presentFailing(row),
        }))
        return { success: true as const, data: { items } }
      },
    )
  }
}

/** An address without its query: a merchant may have put a token there. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}
