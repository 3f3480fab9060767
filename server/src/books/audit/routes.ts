// Defines the route that lists the audit log of a merchant.

import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { caller, PageQuery, type Routes } from '../../kernel/http/index.ts'
import { listForMerchant } from './list.ts'
import { MerchantAuditAnswer } from './schema.ts'

/** Adds the endpoint. A user reads only the log of the merchant of the session. */
export function auditRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/audit-log',
      {
        config: { access: { roles: ['MERCHANT_ADMIN'] } },
        schema: {
          tags: ['People'],
          operationId: 'listAuditEntries',
          summary: 'List the audit log of the merchant, newest first',
          description:
            'Actions of the members and keys of the merchant, and decisions of operators. The server hides the names and the internal discussion of operators. Entries never change. `total_items` counts up to 10,000.',
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
