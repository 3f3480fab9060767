// Defines the routes for the caller, for the members of a merchant, and for its security settings and balance mark.

import Type from 'typebox'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  caller,
  ENVIRONMENTS,
  type LockMerchantOfCaller,
  MERCHANT_ROLES,
  PageQuery,
  principalOf,
  type Routes,
  session,
} from '../../kernel/http/index.ts'
import { line, oneOf } from '../../kernel/lib/index.ts'
import { getBalanceMark, setBalanceMark } from './balance-mark.ts'
import { getMe } from './me.ts'
import {
  changeRole,
  checkMayInvite,
  inviteAgain,
  inviteMember,
  listMembers,
  type MayMailInvitation,
  type RevokeKeysOf,
  removeMember,
} from './members.ts'
import {
  BalanceMarkAnswer,
  BalanceMarkBody,
  InvitationBody,
  InvitedMemberAnswer,
  MeAnswer,
  MemberAnswer,
  MemberParams,
  MembersAnswer,
  RemovalQuery,
  RemovedMemberAnswer,
  RoleBody,
  SecurityAnswer,
  SecurityBody,
} from './schema.ts'
import { changeSecurity, getSecurity } from './security.ts'

const tags = ['People']
const ADMIN = { roles: ['MERCHANT_ADMIN'] } as const

/**
 * Dependencies of the routes. `mayMailInvitation` applies the rate limit of invitation e-mails. `lockMerchant` locks the
 * merchant and checks the caller again.
 */
type MerchantOptions = {
  mayMailInvitation: MayMailInvitation
  revokeKeysOf: RevokeKeysOf
  lockMerchant: LockMerchantOfCaller
}

/** Adds the routes. */
export function merchantRoutes(deps: Deps, options: MerchantOptions): Routes {
  return (app) => {
    callerRoute(app, deps)
    listMembersRoute(app, deps)
    inviteMemberRoute(app, deps, options)
    inviteAgainRoute(app, deps, options)
    changeRoleRoute(app, deps, options)
    removeMemberRoute(app, deps, options)
    securityRoutes(app, deps, options)
    balanceMarkRoutes(app, deps)
  }
}

function securityRoutes(app: App, deps: Deps, { lockMerchant }: MerchantOptions): void {
  const url = '/v1/merchant/security'
  app.get(
    url,
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags,
        operationId: 'getSecuritySettings',
        summary: 'Show the security settings',
        response: { 200: SecurityAnswer },
      },
    },
    async (request) => ({ success: true as const, data: await getSecurity(deps.db, caller(request).merchant.id) }),
  )
  app.patch(
    url,
    {
      config: { access: ADMIN, idempotency: 'honoured', step_up: 'always', refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'updateSecuritySettings',
        summary: 'Require a second factor of all members, or end this requirement',
        description: 'To require a second factor, the calling user must have signed in with a second factor.',
        body: SecurityBody,
        response: { 200: SecurityAnswer },
      },
    },
    async (request, reply) => {
      const { second_factor_required } = request.body
      const input = { merchant_id: caller(request).merchant.id, second_factor_required, by: session(request) }
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        return changeSecurity(deps, tx, actOf(request), input)
      })
    },
  )
}

function balanceMarkRoutes(app: App, deps: Deps): void {
  const url = '/v1/merchant/balance-mark'
  const querystring = Type.Object({
    merchant_id: Type.Optional(line(64)),
    environment: Type.Optional(oneOf(ENVIRONMENTS, 'live, the default, or sandbox.')),
  })
  app.get(
    url,
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags,
        operationId: 'getBalanceMark',
        summary: 'Show the balance below which the dashboard shows a warning',
        querystring,
        response: { 200: BalanceMarkAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const owner = { merchant_id: merchant.id, environment }
      return { success: true as const, data: await getBalanceMark(deps.db, owner) }
    },
  )
  app.put(
    url,
    {
      config: { access: { roles: ['MERCHANT_ADMIN', 'FINANCE'] }, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'replaceBalanceMark',
        summary: 'Set or remove the balance below which the dashboard shows a warning',
        querystring,
        body: BalanceMarkBody,
        response: { 200: BalanceMarkAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const input = { merchant_id: merchant.id, environment, ...request.body }
      return answerOnce(deps, request, reply, 200, (tx) => setBalanceMark(deps, tx, actOf(request), input))
    },
  )
}

function callerRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/me',
    {
      config: { access: 'authenticated' },
      schema: {
        tags,
        operationId: 'getMe',
        summary: 'Show the caller: a user with the memberships, or an API key with its merchant',
        description: 'In every path, query and body, you may send `me` as the `merchant_id` of your own merchant.',
        response: { 200: MeAnswer },
      },
    },
    async (request) => ({ success: true as const, data: await getMe(deps.db, principalOf(request)) }),
  )
}

function listMembersRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/merchant/members',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags,
        operationId: 'listMembers',
        summary: 'List the members, newest first',
        querystring: Type.Object(PageQuery),
        response: { 200: MembersAnswer },
      },
    },
    async (request) => ({
      success: true as const,
      data: await listMembers(deps.db, caller(request).merchant.id, request.query),
    }),
  )
}

function inviteMemberRoute(app: App, deps: Deps, { mayMailInvitation, lockMerchant }: MerchantOptions): void {
  app.post(
    '/v1/merchant/members',
    {
      config: { access: ADMIN, idempotency: 'honoured', step_up: 'always', refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'inviteMember',
        summary: 'Invite a member with a role',
        description:
          'The reply is the same whether or not the e-mail address has an account. The inviting user must have confirmed their own address. After 3 invitations of one address in a day, or 50 by one merchant, the server adds the member but sends no e-mail.',
        body: InvitationBody,
        response: { 201: InvitedMemberAnswer },
      },
    },
    async (request, reply) => {
      checkMayInvite(session(request))
      const { email, role, name = null } = request.body
      const invitation = { merchant_id: caller(request).merchant.id, email, role, name }
      return answerOnce(deps, request, reply, 201, async (tx) => {
        await lockMerchant(tx, request)
        return inviteMember(deps, tx, actOf(request), invitation, mayMailInvitation)
      })
    },
  )
}

function inviteAgainRoute(app: App, deps: Deps, { mayMailInvitation, lockMerchant }: MerchantOptions): void {
  app.post(
    '/v1/merchant/members/:member_id/invitation',
    {
      config: { access: ADMIN, idempotency: 'honoured', step_up: 'always', refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'inviteMemberAgain',
        summary: 'Send the invitation of a member again',
        description:
          'Only for a member whose `first_seen_at` is null. After 3 invitations of one address in a day, or 50 by one merchant, the answer is the same, but the server sends no e-mail. The calling user must have confirmed their own address.',
        params: MemberParams,
        response: { 200: InvitedMemberAnswer },
      },
    },
    async (request, reply) => {
      checkMayInvite(session(request))
      const input = { merchant_id: caller(request).merchant.id, ...request.params }
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        return inviteAgain(deps, tx, actOf(request), input, mayMailInvitation)
      })
    },
  )
}

function changeRoleRoute(app: App, deps: Deps, { lockMerchant }: MerchantOptions): void {
  app.patch(
    '/v1/merchant/members/:member_id',
    {
      config: { access: ADMIN, idempotency: 'honoured', step_up: 'always', refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'updateMember',
        summary: 'Change the role of a member',
        description:
          'The role applies from the next request of the member. A merchant always keeps one `MERCHANT_ADMIN`. The calling user must have confirmed their own address.',
        params: MemberParams,
        body: RoleBody,
        response: { 200: MemberAnswer },
      },
    },
    async (request, reply) => {
      checkMayInvite(session(request))
      const input = { merchant_id: caller(request).merchant.id, ...request.params, role: request.body.role }
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        return changeRole(deps, tx, actOf(request), input)
      })
    },
  )
}

function removeMemberRoute(app: App, deps: Deps, { revokeKeysOf, lockMerchant }: MerchantOptions): void {
  app.delete(
    '/v1/merchant/members/:member_id',
    {
      config: {
        access: { roles: MERCHANT_ROLES },
        idempotency: 'honoured',
        step_up: 'always',
        refusals: ['invalid_state'],
      },
      schema: {
        tags,
        operationId: 'removeMember',
        summary: 'Remove a member, or leave',
        description:
          'The server refuses the member from the next request on. Every member may leave; only a `MERCHANT_ADMIN` may remove other members. A merchant always keeps one `MERCHANT_ADMIN`.\n\nThe server also revokes the active API keys that the member made; `revoked_keys` lists these keys. `keep_keys` names the keys that stay valid.',
        params: MemberParams,
        querystring: RemovalQuery,
        response: { 200: RemovedMemberAnswer },
      },
    },
    async (request, reply) => {
      const { user_id } = session(request)
      const keep = (request.query.keep_keys ?? '').split(',').filter((id) => id !== '')
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        // The role of the caller may have changed while the transaction waited for the lock.
        const { merchant, role } = caller(request)
        const input = { merchant_id: merchant.id, ...request.params, by: { user_id, role }, keep }
        return removeMember(deps, tx, actOf(request), input, revokeKeysOf)
      })
    },
  )
}
