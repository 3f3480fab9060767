// Defines the endpoints with which a SUPER_ADMIN lists operators, removes a role and disables an operator. Only the admin
// command gives roles. Otherwise one person could make a second operator and approve payouts with both accounts.

import Type, { type Static } from 'typebox'
import {
  changeUserRights,
  findOperatorEmail,
  isDemoUser,
  listOperators,
  type OperatorAccount,
  type RightsAction,
} from '../../access/identity/index.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  OPERATOR_ROLES,
  PageQuery,
  page,
  pageOf,
  type Routes,
  success,
} from '../../kernel/http/index.ts'
import { enumOf, nullable, refuse, visibleText } from '../../kernel/lib/index.ts'

const tags = ['Operator']
const PATH = '/v1/operator/operators'

const OperatorRecord = Type.Object(
  {
    user_id: Type.String({ format: 'uuid' }),
    email: Type.String(),
    name: Type.String(),
    role: enumOf('OperatorRole', OPERATOR_ROLES),
    disabled: Type.Boolean({ description: 'True means that the operator cannot sign in.' }),
    demo: Type.Boolean({ description: 'True means a demo operator, who needs no second factor outside production.' }),
    authenticator: Type.Boolean({
      description:
        'True means that the operator has set up the authenticator app. With OIDC_ISSUER, that issuer has the factors.',
    }),
    passkeys: Type.Integer({ description: 'The number of passkeys.' }),
    last_sign_in_at: nullable(
      Type.String({
        format: 'date-time',
        description:
          'The newest sign-in at the operator console whose session the server stores. Null means that the server stores no such session.',
      }),
    ),
    has_signed_in: Type.Boolean({
      description:
        'False means that the user has never signed in: the password of the command is unchanged, or no sign-in at OIDC_ISSUER has been bound.',
    }),
  },
  { title: 'Operator' },
)
type OperatorView = Static<typeof OperatorRecord>

const ReasonBody = Type.Object(
  { reason: visibleText(500, 'The reason. The audit log keeps this text.') },
  { title: 'Reason' },
)
const OperatorParams = Type.Object({ user_id: Type.String({ format: 'uuid', description: 'The id of the operator.' }) })
const ChangedAnswer = success(Type.Object({ user_id: Type.String({ format: 'uuid' }), email: Type.String() }))

/** Adds the routes that list operators, remove their roles and disable them. */
export function operatorPeopleRoutes(deps: Deps): Routes {
  return (app) => {
    operatorListRoute(deps, app)
    rightsRoute(deps, app, {
      change: 'revoke_operator',
      path: 'revoke',
      operationId: 'revokeOperator',
      summary: 'Remove the role of an operator',
      description: 'The memberships of the user stay. All sessions of the user end.',
    })
    rightsRoute(deps, app, {
      change: 'disable',
      path: 'disable',
      operationId: 'disableOperator',
      summary: 'Disable an operator',
      description: 'The user can no longer sign in, also as a member of merchants. All sessions of the user end.',
    })
  }
}

function operatorListRoute(deps: Deps, app: App): void {
  app.get(
    PATH,
    {
      config: { access: 'operator:platform' },
      schema: {
        tags,
        operationId: 'listOperators',
        summary: 'List the operators',
        description:
          'Each operator with role, second factor and last sign-in; disabled operators come last. Only the admin command gives a role (`user create --role`), so that no operator alone can add another operator.',
        querystring: Type.Object(PageQuery),
        response: { 200: success(page(OperatorRecord)) },
      },
    },
    async (request) => {
      const { page: number = 1, page_size = 20 } = request.query
      const { rows, total } = await listOperators(deps.db, { limit: page_size, offset: (number - 1) * page_size })
      return { success: true as const, data: pageOf(rows.map(presentOperator), total, request.query) }
    },
  )
}

type RightsRoute = { change: RightsAction; path: string; operationId: string; summary: string; description: string }

function rightsRoute(deps: Deps, app: App, { change, path, operationId, summary, description }: RightsRoute): void {
  app.post(
    `${PATH}/:user_id/${path}`,
    {
      config: {
        access: 'operator:platform',
        idempotency: 'honoured',
        step_up: 'always',
        refusals: ['invalid_state'],
      },
      schema: {
        tags,
        operationId,
        summary,
        description: `${description} The server refuses the change for the last enabled SUPER_ADMIN with \`invalid_state\`.`,
        params: OperatorParams,
        body: ReasonBody,
        response: { 200: ChangedAnswer },
      },
    },
    async (request, reply) => {
      const reason = request.body.reason.trim()
      return answerOnce(deps, request, reply, 200, async (tx) => {
        const email = await findOperatorEmail(tx, request.params.user_id)
        if (email === null) refuse('not_found', { message: 'There is no such operator. Check the id.' })
        return changeUserRights(deps, tx, actOf(request), { email, change, reason })
      })
    },
  )
}

function presentOperator({ last_sign_in_at, ...row }: OperatorAccount): OperatorView {
  return { ...row, demo: isDemoUser(row.email), last_sign_in_at: last_sign_in_at?.toISOString() ?? null }
}
