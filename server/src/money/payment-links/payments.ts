// Serves all payments of a payment link, including failed payments. A merchant can thus check whether a payer has paid.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  caller,
  MERCHANT_ROLES,
  PageQuery,
  page,
  payUrlOf,
  success,
} from '../../kernel/http/index.ts'
import { inCallersLanguage } from '../../kernel/lib/index.ts'
import { CollectionStatus, listOfLink } from '../collections/index.ts'
import { LinksQuery } from './schema.ts'
import type { FindOwnLink } from './store.ts'

const READ = { scopes: ['collections:read'], roles: MERCHANT_ROLES } as const satisfies Access

/** Adds the route of the payments of a link. `findOwn` finds a payment link of the merchant. */
export function linkPaymentsRoute(deps: Deps, app: App, findOwn: FindOwnLink): void {
  app.get(
    '/v1/payment-links/:link_id/collections',
    {
      schema: {
        tags: ['Payment links'],
        operationId: 'listPaymentLinkCollections',
        summary: 'List the payments of a payment link, newest first',
        description: '`total_items` counts up to 10,000.',
        params: Type.Object({ link_id: Type.String() }),
        querystring: Type.Object({
          ...PageQuery,
          ...Type.Pick(LinksQuery, ['merchant_id', 'environment']).properties,
        }),
        response: { 200: success(page(CollectionStatus)) },
      },
      config: { access: READ },
    },
    async (request) => {
      const { merchant_id, id: link_id } = await findOwn(caller(request), request.params.link_id)
      const choice = { ...request.query, merchant_id, link_id }
      const listed = await listOfLink(deps, payUrlOf(deps.config, app), choice)
      const accept = request.headers['accept-language']
      const items = listed.items.map((item) => inCallersLanguage(accept, item))
      return { success: true as const, data: { ...listed, items } }
    },
  )
}
