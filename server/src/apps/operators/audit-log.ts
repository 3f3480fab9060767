// Operators read the audit log: of one merchant, of the platform, or the newest acts of all; and check that nobody changed it.

import Type, { type Static } from 'typebox'
import {
  AUDIT_STEP_LIMITS,
  AuditAnswer,
  type AuditFilter,
  checkAuditStep,
  listAudit,
  listRecentAudit,
  PLATFORM,
  parseChainPosition,
  RECENT_MAX,
  SEARCH_MAX,
  searchAudit,
} from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { PageQuery, type Routes, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf, refuseField } from '../../kernel/lib/index.ts'

const tags = ['Operator']

const Query = Type.Object({
  ...PageQuery,
  merchant_id: Type.Optional(Type.String({ format: 'uuid', description: 'What was done to this merchant.' })),
  scope: Type.Optional(oneOf(['platform'], 'platform: what concerns no merchant.')),
  actor: Type.Optional(line(254, 'Who did it: the id or e-mail address of a person, or the name of a key or command.')),
  action: Type.Optional(line(64, 'What was done, such as merchant.approve.')),
  target_id: Type.Optional(line(254, 'To what it was done.')),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Done at or after.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Done before.' })),
})
type Query = Static<typeof Query>

const Verified = Type.Object({
  ok: Type.Boolean({ description: 'Nothing that this call read was changed, removed or slipped in.' }),
  chains: Type.Integer({
    description: 'Logs of merchants, and that of the platform, that this call came to the end of.',
  }),
  entries: Type.Integer({ description: 'Entries that this call read.' }),
  problems: Type.Array(Type.String(), { description: 'Each log that is broken, and where.' }),
  complete: Type.Boolean({ description: 'True: the whole log was checked, by this call and those before it.' }),
  next: nullable(Type.String({ description: 'Send it as `after` to go on. Null: this was the end.' })),
})

/** Adds the routes. */
export function auditLogRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/audit-log',
      {
        config: { access: 'operator' },
        schema: {
          tags,
          summary: 'List who did what, newest first',
          description: `With neither \`merchant_id\` nor \`scope\`: the newest ${RECENT_MAX} acts of all. What is older is found with its merchant. A person and a target are searched for in whole logs; without either, an action, a time or a name among the newest ${SEARCH_MAX.one} acts of the merchant, or the newest ${SEARCH_MAX.each} of each.`,
          querystring: Query,
          response: { 200: AuditAnswer },
        },
      },
      async (request) => ({ success: true as const, data: await read(deps, request.query) }),
    )
    app.get(
      '/v1/operator/audit-log/verify',
      {
        config: { access: 'operator' },
        schema: {
          tags,
          summary: 'Check that nobody changed the audit log',
          description: `Reads at most ${AUDIT_STEP_LIMITS.entries} entries and for about ${AUDIT_STEP_LIMITS.ms / 1000} seconds, then says where to go on.`,
          querystring: Type.Object({
            after: Type.Optional(line(64, 'The `next` of the call before. Left out: from the beginning.')),
          }),
          response: { 200: success(Verified) },
        },
      },
      async (request) => {
        const { after } = request.query
        const place = after === undefined ? undefined : parseChainPosition(after)
        if (place === null) refuseField('after', 'must be the next of an earlier answer')
        const { next, problems, ...counts } = await checkAuditStep(deps, deps.db, place)
        const data = { ok: problems.length === 0, ...counts, problems, complete: next === null, next }
        return { success: true as const, data }
      },
    )
  }
}

function read(deps: Deps, query: Query) {
  const { merchant_id, scope, actor, action, target_id, from, to } = query
  if (merchant_id !== undefined && scope !== undefined) refuseField('scope', 'must be left out with merchant_id')
  const chain = scope === 'platform' ? PLATFORM : merchant_id?.toLowerCase()
  const filter: AuditFilter = {
    actor,
    action,
    target_id,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  }
  if (Object.values(filter).some((value) => value !== undefined)) {
    return searchAudit(deps.db, chain ?? null, filter, query)
  }
  return chain === undefined ? listRecentAudit(deps.db, query) : listAudit(deps.db, chain, query)
}
