// Who is signed in, and the members of a merchant.

import Type from 'typebox'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  answerOnce,
  caller,
  MERCHANT_ROLES,
  PageQuery,
  principalOf,
  type Routes,
  session,
} from '../../kernel/http/index.ts'
import { getMe } from './me.ts'
import { changeRole, checkMayInvite, inviteMember, listMembers, removeMember } from './members.ts'
import { InvitationBody, MeAnswer, MemberAnswer, MemberParams, MembersAnswer, RoleBody } from './schema.ts'

const tags = ['People']
const ADMIN = { roles: ['MERCHANT_ADMIN'] } as const

/** Adds the routes. */
export function merchantRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/me',
      {
        config: { access: 'authenticated' },
        schema: {
          tags,
          summary: 'Show who calls: a person with their merchants, or an API key with its merchant',
          description: 'In every path, query and body, `me` may be sent as the `merchant_id` of your own merchant.',
          response: { 200: MeAnswer },
        },
      },
      async (request) => ({ success: true as const, data: await getMe(deps.db, principalOf(request)) }),
    )
    app.get(
      '/v1/merchant/members',
      {
        config: { access: { roles: MERCHANT_ROLES } },
        schema: {
          tags,
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
    app.post(
      '/v1/merchant/members',
      {
        config: { access: ADMIN, idempotency: 'honoured', refusals: ['invalid_state'] },
        schema: {
          tags,
          summary: 'Invite somebody with a role',
          description:
            'The answer is the same whether there is an account with this e-mail address or not. Who invites must have confirmed their own address. After 3 invitations of one address in a day, or 50 by one merchant, no e-mail is sent any more; the member is added all the same.',
          body: InvitationBody,
          response: { 201: MemberAnswer },
        },
      },
      async (request, reply) => {
        checkMayInvite(session(request))
        const { email, role, name = null } = request.body
        const invitation = { merchant_id: caller(request).merchant.id, email, role, name }
        return answerOnce(deps, request, reply, 201, (tx) => inviteMember(deps, tx, actOf(request), invitation))
      },
    )
    app.patch(
      '/v1/merchant/members/:member_id',
      {
        config: { access: ADMIN, idempotency: 'honoured', refusals: ['invalid_state'] },
        schema: {
          tags,
          summary: 'Give a member another role',
          description:
            'It holds on their next request. One `MERCHANT_ADMIN` always stays. Who gives a role must have confirmed their own address.',
          params: MemberParams,
          body: RoleBody,
          response: { 200: MemberAnswer },
        },
      },
      async (request, reply) => {
        checkMayInvite(session(request))
        const input = { merchant_id: caller(request).merchant.id, ...request.params, role: request.body.role }
        return answerOnce(deps, request, reply, 200, (tx) => changeRole(deps, tx, actOf(request), input))
      },
    )
    app.delete(
      '/v1/merchant/members/:member_id',
      {
        config: { access: { roles: MERCHANT_ROLES }, idempotency: 'honoured', refusals: ['invalid_state'] },
        schema: {
          tags,
          summary: 'Remove a member, or leave',
          description:
            'They are refused on their next request. Everybody may remove themselves, only a `MERCHANT_ADMIN` others. One `MERCHANT_ADMIN` always stays.',
          params: MemberParams,
          response: { 200: MemberAnswer },
        },
      },
      async (request, reply) => {
        const { merchant, role } = caller(request)
        const by = { user_id: session(request).user_id, role }
        const input = { merchant_id: merchant.id, ...request.params, by }
        return answerOnce(deps, request, reply, 200, (tx) => removeMember(deps, tx, actOf(request), input))
      },
    )
  }
}
