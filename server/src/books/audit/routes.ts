// A merchant reads what was done to it, and by whom.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { caller, PageQuery, type Routes } from '../../kernel/http/index.ts'
import { listForMerchant } from './list.ts'
import { MerchantAuditAnswer } from './schema.ts'

/** Adds the merchant's view of its audit log. */
export function auditRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/audit-log',
      {
        config: { access: { roles: ['MERCHANT_ADMIN'] } },
        schema: {
          tags: ['People'],
          summary: 'List who did what in the merchant, newest first',
          description:
            'Acts of its members and keys, and what operators of the platform decided, who are not named. How operators deliberate is left out. Nothing in it ever changes. `total_items` counts up to 10,000.',
          querystring: Type.Object(PageQuery),
          response: { 200: MerchantAuditAnswer },
        },
      },
      async (request) => {
        const { id } = caller(request).merchant
        return { success: true as const, data: await listForMerchant(deps.db, id, request.query) }
      },
    )
  }
}
