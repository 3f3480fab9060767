// Operators read the audit log: of one merchant, of the platform, or the newest acts of all.

import Type from 'typebox'
import { AuditAnswer, listAudit, listRecentAudit, PLATFORM, RECENT_MAX } from '../audit/index.ts'
import type { Deps } from '../db/index.ts'
import { PageQuery, type Routes } from '../http/index.ts'
import { oneOf, refuseField } from '../lib/index.ts'

const Query = Type.Object({
  ...PageQuery,
  merchant_id: Type.Optional(Type.String({ format: 'uuid', description: 'What was done to this merchant.' })),
  scope: Type.Optional(oneOf(['platform'], 'platform: what concerns no merchant.')),
})

/** Adds the route. */
export function auditLogRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/audit-log',
      {
        config: { access: 'operator' },
        schema: {
          tags: ['Operator'],
          summary: 'List who did what, newest first',
          description: `With neither \`merchant_id\` nor \`scope\`: the newest ${RECENT_MAX} acts of all. What is older is found with its merchant.`,
          querystring: Query,
          response: { 200: AuditAnswer },
        },
      },
      async (request) => {
        const { merchant_id, scope } = request.query
        if (merchant_id !== undefined && scope !== undefined) refuseField('scope', 'must be left out with merchant_id')
        const chain = scope === 'platform' ? PLATFORM : merchant_id
        const data =
          chain === undefined
            ? await listRecentAudit(deps.db, request.query)
            : await listAudit(deps.db, chain, request.query)
        return { success: true as const, data }
      },
    )
  }
}
