// Defines the endpoints with which merchants read the timeline of a collection or a withdrawal.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { type Access, caller, MERCHANT_ROLES, type Routes } from '../../kernel/http/index.ts'
import { isId, line, refuse } from '../../kernel/lib/index.ts'
import { createFindCollection } from '../../money/collections/index.ts'
import { getWithdrawal } from '../../money/withdrawals/index.ts'
import { type RequestsOf, timelineOfCollection, timelineOfWithdrawal } from './timeline.ts'
import { PART_MAX } from './timeline-read.ts'
import { TimelineAnswer } from './timeline-schema.ts'

/** The options of the timeline routes. If `requestsOf` is missing, timelines contain no requests. */
export type TimelineOptions = { requestsOf?: RequestsOf | undefined }

const COLLECTION = { scopes: ['collections:read'], roles: MERCHANT_ROLES } as const satisfies Access
const WITHDRAWAL = { roles: MERCHANT_ROLES } as const satisfies Access
const LIMIT = `The newest ${PART_MAX} entries of each kind.`

/** Adds the routes that show the timelines of collections and withdrawals. */
export function timelineRoutes(deps: Deps, { requestsOf }: TimelineOptions): Routes {
  const find = createFindCollection(deps)
  return (app) => {
    app.get(
      '/v1/collections/:collection_id/timeline',
      {
        config: { access: COLLECTION },
        schema: {
          tags: ['Collections'],
          operationId: 'getCollectionTimeline',
          summary: 'Show the timeline of a collection, oldest first',
          description: `Requests, attempts, statuses, transfers and webhooks in one list. ${LIMIT}`,
          params: Type.Object({ collection_id: Type.String() }),
          querystring: Type.Object({ merchant_id: Type.Optional(line(64)) }),
          response: { 200: TimelineAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        const key = { merchant_id: merchant.id, environment, id: request.params.collection_id.toLowerCase() }
        const row = isId(key.id) ? await find(key) : null
        if (row === null)
          refuse('not_found', {
            message: 'There is no such collection in this environment. Check the id and the environment.',
          })
        const { id, status, created_at } = row
        const payment = { merchant_id: merchant.id, id, status, created_at }
        return { success: true as const, data: await timelineOfCollection(deps.db, payment, requestsOf) }
      },
    )
    app.get(
      '/v1/merchant/withdrawals/:withdrawal_id/timeline',
      {
        config: { access: WITHDRAWAL },
        schema: {
          tags: ['Withdrawals'],
          operationId: 'getWithdrawalTimeline',
          summary: 'Show the timeline of a withdrawal, oldest first',
          description: `The same kinds of entries as the timeline of a collection. ${LIMIT}`,
          params: Type.Object({ withdrawal_id: Type.String() }),
          response: { 200: TimelineAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        const key = { merchant_id: merchant.id, environment, id: request.params.withdrawal_id }
        const withdrawal = await getWithdrawal(deps.db, key)
        return { success: true as const, data: await timelineOfWithdrawal(deps.db, withdrawal, requestsOf) }
      },
    )
  }
}
