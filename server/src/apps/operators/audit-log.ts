// Defines the endpoints with which operators read and verify the audit log of a merchant, of the platform, or of all merchants.

import Type, { type Static } from 'typebox'
import {
  AUDIT_STEP_LIMITS,
  AuditAnswer,
  type AuditFilter,
  type AuditView,
  checkAuditStep,
  listAudit,
  listRecentAudit,
  PLATFORM,
  parseChainPosition,
  RECENT_MAX,
  SEARCH_MAX,
  searchAudit,
} from '../../books/audit/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { PageQuery, type Routes, success } from '../../kernel/http/index.ts'
import { isId, line, nullable, oneOf, refuseField } from '../../kernel/lib/index.ts'

const tags = ['Operator']

const Query = Type.Object({
  ...PageQuery,
  merchant_id: Type.Optional(Type.String({ format: 'uuid', description: 'Entries of this merchant.' })),
  scope: Type.Optional(oneOf(['platform'], 'platform: entries without a merchant.')),
  actor: Type.Optional(line(254, 'The actor: the id or e-mail address of a person, or the name of a key or command.')),
  action: Type.Optional(line(64, 'The action, such as merchant.approve.')),
  target_id: Type.Optional(line(254, 'The id of the target.')),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Only entries at or after this time.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Only entries before this time.' })),
})
type Query = Static<typeof Query>

const Verified = Type.Object(
  {
    ok: Type.Boolean({ description: 'True means that this call found no changed, removed or inserted entry.' }),
    chains: Type.Integer({
      description: 'The logs (of merchants and of the platform) that this call checked to the end.',
    }),
    entries: Type.Integer({ description: 'Entries that this call read.' }),
    problems: Type.Array(Type.String(), { description: 'Each broken log with the position of the error.' }),
    complete: Type.Boolean({
      description: 'True means that this call and the earlier calls have checked the whole log.',
    }),
    next: nullable(
      Type.String({ description: 'Send this value as `after` to continue. Null means that the check is complete.' }),
    ),
  },
  { title: 'AuditLogCheck' },
)

/** Adds the routes that list and verify the audit log. */
export function auditLogRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/audit-log',
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'listOperatorAuditEntries',
          summary: 'List the entries of the audit log, newest first',
          description: `With neither \`merchant_id\` nor \`scope\`: the newest ${RECENT_MAX} entries of all. Name a merchant to find older entries. A search for a person or a target reads whole logs. A search for an action, a time or a name alone reads the newest ${SEARCH_MAX.one} entries of the merchant. Without a merchant, it reads the newest ${SEARCH_MAX.each} of each log.`,
          querystring: Query,
          response: { 200: AuditAnswer },
        },
      },
      async (request) => {
        const found = await readAuditLog(deps, request.query)
        return { success: true as const, data: { ...found, items: await markOperators(deps.db, found.items) } }
      },
    )
    app.get(
      '/v1/operator/audit-log/verify',
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'verifyAuditLog',
          summary: 'Verify the audit log',
          description: `Reads at most ${AUDIT_STEP_LIMITS.entries} entries and for about ${AUDIT_STEP_LIMITS.ms / 1000} seconds. \`next\` is the place where the next call continues.`,
          querystring: Type.Object({
            after: Type.Optional(
              line(64, 'The `next` of the previous call. If left out, the check starts at the beginning.'),
            ),
          }),
          response: { 200: success(Verified) },
        },
      },
      async (request) => {
        const { after } = request.query
        const place = after === undefined ? undefined : parseChainPosition(after)
        if (place === null) refuseField('after', 'must be the value of next in an earlier answer')
        const { next, problems, ...counts } = await checkAuditStep(deps, deps.db, place)
        const data = { ok: problems.length === 0, ...counts, problems, complete: next === null, next }
        return { success: true as const, data }
      },
    )
  }
}

const OPERATORS_AMONG = sql(
  'audit_operators_among',
  'select id from users where id = any($1::uuid[]) and (super_admin or operator_role is not null)',
)

/** Adds `actor_is_operator` to each entry. One query reads all users of the page. */
async function markOperators(reader: Reader, items: readonly AuditView[]) {
  const users = items.flatMap(({ actor: { kind, id } }) => (kind === 'user' && id !== null && isId(id) ? [id] : []))
  const found = users.length === 0 ? [] : await reader.query<{ id: string }>(OPERATORS_AMONG, [[...new Set(users)]])
  const operators = new Set(found.map(({ id }) => id))
  return items.map((item) => ({
    ...item,
    actor_is_operator: item.actor.kind === 'operator' || operators.has(item.actor.id ?? ''),
  }))
}

function readAuditLog(deps: Deps, query: Query) {
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
