// A merchant reads what was done to it, and by whom.

import Type from 'typebox'
import type { Deps } from '../db/index.ts'
import { caller, PageQuery, type Routes } from '../http/index.ts'
import { hideOperator, listAudit } from './list.ts'
import { AuditAnswer } from './schema.ts'

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
            'Acts of its members and keys, and of the operators of the platform, who are not named. Nothing in it ever changes.',
          querystring: Type.Object(PageQuery),
          response: { 200: AuditAnswer },
        },
      },
      async (request) => {
        const { items, pagination } = await listAudit(deps.db, caller(request).merchant.id, request.query)
        return { success: true as const, data: { items: items.map(hideOperator), pagination } }
      },
    )
  }
}
