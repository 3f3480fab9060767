// Finds the merchant of a user with the newest payment, and its environment. The dashboard opens both if the browser knows no
// earlier choice.

import Type from 'typebox'
import { type Deps, forReads, type Reader, sql } from '../../kernel/db/index.ts'
import {
  type App,
  ENVIRONMENTS,
  type Environment,
  type SessionPrincipal,
  session,
  success,
} from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'

// The ids of payments begin with the time, so the last id of the primary key is the newest payment of the merchant.
const NEWEST = sql(
  'recent_merchant_read',
  `select m.merchant_id, c.id, c.environment from unnest($1::uuid[]) as m (merchant_id) cross join lateral (
     select c.id, c.environment from collections c where c.merchant_id = m.merchant_id order by c.id desc limit 1) c`,
)

type RecentMerchant = { merchant_id: string; environment: Environment }

const NONE = { merchant_id: null, environment: null }

const RecentMerchantAnswer = success(
  Type.Object({
    merchant_id: nullable(Type.String({ description: 'Null: none of your merchants has a payment.' })),
    environment: nullable({
      ...oneOf(ENVIRONMENTS),
      description: 'The environment of the newest payment. Null: none of your merchants has a payment.',
    }),
  }),
)

/**
 * Returns the merchant of the session with the newest payment of any status, and the environment of this payment. Null means
 * that no merchant has a payment. Leaves out a merchant that requires a second factor if the session has none. Reads one row
 * for each merchant.
 */
export async function recentMerchant(
  reader: Reader,
  { memberships, second_factor, console }: Pick<SessionPrincipal, 'memberships' | 'second_factor' | 'console'>,
): Promise<RecentMerchant | null> {
  const readable = memberships.filter((one) => second_factor || !one.second_factor_required)
  if (readable.length === 0 || console === 'operator') return null
  const ids = readable.map(({ merchant }) => merchant.id)
  const rows = await reader.query<RecentMerchant & { id: string }>(NEWEST, [ids])
  const [first, ...others] = rows
  return first === undefined ? null : others.reduce((a, b) => (b.id > a.id ? b : a), first)
}

/** Adds the route that names the merchant of the user with the newest payment. */
export function recentMerchantRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/me/recent-merchant',
    {
      config: { access: 'session' },
      schema: {
        tags: ['Overview'],
        operationId: 'getMyRecentMerchant',
        summary: 'Show which of your merchants has the newest payment, and its environment',
        description:
          'Payments of both environments and of every status count. If a merchant requires a second factor that the session lacks, the answer leaves this merchant out.',
        response: { 200: RecentMerchantAnswer },
      },
    },
    async (request) => {
      const { merchant_id, environment } = (await recentMerchant(forReads(deps).db, session(request))) ?? NONE
      return { success: true as const, data: { merchant_id, environment } }
    },
  )
}
