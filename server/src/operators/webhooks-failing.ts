// Merchants whose webhooks fail: their deliveries of the last day that were given up.

import Type from 'typebox'
import { type Deps, type Reader, sql } from '../db/index.ts'
import { type Routes, success } from '../http/index.ts'
import { nullable } from '../lib/index.ts'

/** How far back deliveries that were given up count. */
export const FAILING_WINDOW_MS = 24 * 3_600_000
/** Most deliveries that are counted of one merchant, and most merchants. */
const FAILED_MAX = 1_000
const MERCHANTS_MAX = 1_000

type Row = {
  merchant_id: string
  name: string
  failed: number
  first_failed_at: Date
  last_failed_at: Date
  webhook_url: string | null
}

// Steps from merchant to merchant over the index of what was given up, which holds nothing else: the cost is the number of
// merchants that ever had one, and some rows of each that has one now.
const FAILING = sql(
  'operator_webhooks_failing',
  `with recursive failing as (
     (select d.merchant_id, d.updated_at from webhook_deliveries d where d.status = 'failed'
      order by d.merchant_id, d.updated_at limit 1)
     union all
     select following.merchant_id, following.updated_at from failing f cross join lateral (
       select d.merchant_id, d.updated_at from webhook_deliveries d where d.status = 'failed' and d.merchant_id > f.merchant_id
       order by d.merchant_id, d.updated_at limit 1) following
   )
   select f.merchant_id, m.name, n.failed, n.first_failed_at, n.last_failed_at, c.webhook_url
   from (select merchant_id from failing) f
   cross join lateral (
     select count(*)::int as failed, min(d.updated_at) as first_failed_at, max(d.updated_at) as last_failed_at from (
       select updated_at from webhook_deliveries
       where merchant_id = f.merchant_id and status = 'failed' and updated_at >= $1
       order by updated_at desc limit $2) d
   ) n
   join merchants m on m.id = f.merchant_id
   left join webhook_configs c on c.merchant_id = f.merchant_id
   where n.failed > 0
   order by n.last_failed_at desc, f.merchant_id limit $3`,
)

/** The merchants of which deliveries were given up since a moment, the newest failure first. */
export function failingMerchants(reader: Reader, since: Date): Promise<Row[]> {
  return reader.query<Row>(FAILING, [since, FAILED_MAX, MERCHANTS_MAX])
}

const Failing = Type.Object({
  merchant_id: Type.String(),
  name: Type.String(),
  failed: Type.Integer({ description: `Deliveries that were given up, up to ${FAILED_MAX}.` }),
  last_failed_at: Type.String({ format: 'date-time' }),
  webhook_url: nullable(
    Type.String({ description: 'Where its events go now, without the query. Null: it takes none any more.' }),
  ),
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
          summary: 'List the merchants whose webhooks were given up in the last 24 hours, the newest failure first',
          description: `At most ${MERCHANTS_MAX}.`,
          response: { 200: success(Type.Object({ items: Type.Array(Failing) })) },
        },
      },
      async () => {
        const rows = await failingMerchants(deps.db, new Date(deps.clock.now().getTime() - FAILING_WINDOW_MS))
        const items = rows.map(({ merchant_id, name, failed, last_failed_at, webhook_url }) => ({
          merchant_id,
          name,
          failed,
          last_failed_at: last_failed_at.toISOString(),
          webhook_url: webhook_url === null ? null : withoutQuery(webhook_url),
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
