// Defines the endpoints with which operators list, create, verify, price, limit, approve, suspend and reactivate merchants.

import Type from 'typebox'
import { mayMailInvitation } from '../../access/identity/index.ts'
import {
  addMerchant,
  getMerchant,
  getPayoutLimits,
  getPricing,
  InvitedMemberAnswer,
  inviteAgain,
  inviteMember,
  listMembers,
  listMerchants,
  MemberParams,
  MerchantAnswer,
  MerchantBody,
  MerchantDetailAnswer,
  type MerchantMove,
  MerchantParams,
  MerchantsAnswer,
  MerchantsQuery,
  moveMerchant,
  PayoutLimitsAnswer,
  PayoutLimitsBody,
  PricingAnswer,
  PricingBody,
  ReasonBody,
  readOwnLimits,
  readRules,
  replacePayoutLimits,
  replacePricing,
  verifyMerchant,
} from '../../access/merchants/index.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, answerOnce, type Routes } from '../../kernel/http/index.ts'
import { lockTokens } from '../../money/withdrawals/index.ts'

const tags = ['Operator']
const READ = { access: 'operator:read' } as const
const WRITE = { access: 'operator:merchants', idempotency: 'honoured' } as const
const STEP_UP = { step_up: 'always' } as const

/** Adds the routes of merchants, of their prices and of their payout limits. */
export function operatorMerchantRoutes(deps: Deps): Routes {
  return (app) => {
    merchantReadRoutes(deps, app)
    createMerchantRoute(deps, app)
    repeatInvitationRoute(deps, app)
    decisionRoutes(deps, app)
    pricingRoutes(deps, app)
    payoutLimitsRoute(deps, app)
  }
}

/** The highest number of members in the record of a merchant. */
const MEMBERS_SHOWN = 100

function merchantReadRoutes(deps: Deps, app: App): void {
  app.get(
    '/v1/operator/merchants',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listMerchants',
        summary: 'List merchants, newest first',
        description: '`total_items` counts up to 10,000. Without `archived`, the list omits archived merchants.',
        querystring: MerchantsQuery,
        response: { 200: MerchantsAnswer },
      },
    },
    async (request) => ({ success: true as const, data: await listMerchants(deps, request.query) }),
  )
  app.get(
    '/v1/operator/merchants/:merchant_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getMerchant',
        summary: 'Show a merchant with its members, prices and limits',
        params: MerchantParams,
        response: { 200: MerchantDetailAnswer },
      },
    },
    async (request) => {
      const merchant = await getMerchant(deps.db, request.params.merchant_id)
      const members = await listMembers(deps.db, merchant.id, { page_size: MEMBERS_SHOWN })
      const rules = await getPricing(deps.db, merchant.id)
      const payout_limits = await getPayoutLimits(deps, deps.db, merchant.id)
      return { success: true as const, data: { ...merchant, members: members.items, rules, payout_limits } }
    },
  )
}

function createMerchantRoute(deps: Deps, app: App): void {
  app.post(
    '/v1/operator/merchants',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'createMerchant',
        summary: 'Register a merchant',
        description:
          'The merchant is PENDING and may use the sandbox. The server invites its e-mail address as MERCHANT_ADMIN.',
        body: MerchantBody,
        response: { 201: MerchantAnswer },
      },
    },
    async (request, reply) => {
      const { name } = request.body
      const email = request.body.email?.toLowerCase()
      const act = actOf(request)
      return answerOnce(deps, request, reply, 201, async (tx) => {
        const { id: merchant_id } = await addMerchant(deps, tx, act, { name, email, approved: false })
        const merchant = await getMerchant(tx, merchant_id)
        if (email !== undefined) {
          await inviteMember(
            deps,
            tx,
            act,
            { merchant_id, email, role: 'MERCHANT_ADMIN', name: null },
            mayMailInvitation,
          )
        }
        return merchant
      })
    },
  )
}

function repeatInvitationRoute(deps: Deps, app: App): void {
  app.post(
    '/v1/operator/merchants/:merchant_id/members/:member_id/invitation',
    {
      config: { ...WRITE, ...STEP_UP, refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'inviteMemberOfMerchantAgain',
        summary: 'Send the invitation of a member of a merchant again',
        description:
          'Only for a member whose `first_seen_at` is null. After 3 invitations of one address in a day, or 50 by one merchant, the answer is the same, but the server sends no e-mail.',
        params: Type.Object({ ...MerchantParams.properties, ...MemberParams.properties }),
        response: { 200: InvitedMemberAnswer },
      },
    },
    async (request, reply) => {
      const act = actOf(request)
      return answerOnce(deps, request, reply, 200, (tx) =>
        inviteAgain(deps, tx, act, request.params, mayMailInvitation),
      )
    },
  )
}

/**
 * A change of a merchant's status. True in `gives_access` means that the change needs a recent sign-in. A suspension needs no
 * recent sign-in, so that an operator can suspend a merchant immediately.
 */
type MoveRoute = {
  move: MerchantMove
  gives_access: boolean
  operationId: string
  summary: string
  description: string
}

const MOVES: MoveRoute[] = [
  {
    move: 'approve',
    gives_access: true,
    operationId: 'approveMerchant',
    summary: 'Approve a merchant',
    description:
      'PENDING becomes ACTIVE. If the merchant is also verified and priced, the merchant may make live keys.',
  },
  {
    move: 'suspend',
    gives_access: false,
    operationId: 'suspendMerchant',
    summary: 'Suspend a merchant',
    description:
      'ACTIVE becomes SUSPENDED. From the next request on, the server refuses its live keys. Sandbox keys and reading sessions work as before, and the server settles open payments. The server sends no live payout of the merchant: approved payouts that were not sent wait until the merchant is reactivated.',
  },
  {
    move: 'reactivate',
    gives_access: true,
    operationId: 'reactivateMerchant',
    summary: 'Reactivate a merchant',
    description: 'SUSPENDED becomes ACTIVE.',
  },
]

function decisionRoutes(deps: Deps, app: App): void {
  for (const { move, gives_access, operationId, summary, description } of MOVES) {
    app.post(
      `/v1/operator/merchants/:merchant_id/${move}`,
      {
        config: gives_access
          ? { ...WRITE, ...STEP_UP, refusals: ['conflict_of_interest', 'invalid_state'] }
          : { ...WRITE, refusals: ['invalid_state'] },
        schema: {
          tags,
          operationId,
          summary,
          description,
          params: MerchantParams,
          body: ReasonBody,
          response: { 200: MerchantAnswer },
        },
      },
      async (request, reply) => {
        const { merchant_id } = request.params
        const input = { merchant_id, move, reason: request.body?.reason ?? null }
        return answerOnce(deps, request, reply, 200, async (tx) => {
          // Until the commit, the lock keeps every process from taking the send token of a payout.
          if (move === 'suspend') await lockTokens(tx)
          return moveMerchant(deps, tx, actOf(request), input)
        })
      },
    )
  }
  app.post(
    '/v1/operator/merchants/:merchant_id/verify',
    {
      config: { ...WRITE, ...STEP_UP, refusals: ['conflict_of_interest'] },
      schema: {
        tags,
        operationId: 'verifyMerchant',
        summary: 'Note that an operator has checked the identity of a merchant',
        description: 'A repeated call changes nothing.',
        params: MerchantParams,
        body: ReasonBody,
        response: { 200: MerchantAnswer },
      },
    },
    async (request, reply) => {
      const input = { merchant_id: request.params.merchant_id, reason: request.body?.reason ?? null }
      return answerOnce(deps, request, reply, 200, (tx) => verifyMerchant(deps, tx, actOf(request), input))
    },
  )
}

function pricingRoutes(deps: Deps, app: App): void {
  const path = '/v1/operator/merchants/:merchant_id/pricing'
  app.get(
    path,
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getMerchantPricing',
        summary: 'Show the price list in force',
        params: MerchantParams,
        response: { 200: PricingAnswer },
      },
    },
    async (request) => ({
      success: true as const,
      data: { rules: await getPricing(deps.db, request.params.merchant_id) },
    }),
  )
  app.put(
    path,
    {
      config: { ...WRITE, ...STEP_UP, access: 'operator:platform', refusals: ['conflict_of_interest'] },
      schema: {
        tags,
        operationId: 'replaceMerchantPricing',
        summary: 'Replace the price list of a merchant',
        description:
          'The most specific line applies: a line with a destination before a line with a method. The fees of submitted withdrawals do not change. Without a line for withdrawals the merchant is not priced.',
        params: MerchantParams,
        body: PricingBody,
        response: { 200: PricingAnswer },
      },
    },
    async (request, reply) => {
      const input = { merchant_id: request.params.merchant_id, rules: readRules(request.body.rules) }
      return answerOnce(deps, request, reply, 200, async (tx) => ({
        rules: await replacePricing(deps, tx, actOf(request), input),
      }))
    },
  )
}

function payoutLimitsRoute(deps: Deps, app: App): void {
  app.put(
    '/v1/operator/merchants/:merchant_id/payout-limits',
    {
      config: { ...WRITE, step_up: 'always', refusals: ['conflict_of_interest'] },
      schema: {
        tags,
        operationId: 'updateMerchantPayoutLimits',
        summary: 'Set the daily limits of the payouts of a merchant',
        description:
          'The server refuses an approval that would exceed a limit with `payout_limit_reached`. Each environment counts separately. Approved payouts do not change.',
        params: MerchantParams,
        body: PayoutLimitsBody,
        response: { 200: PayoutLimitsAnswer },
      },
    },
    async (request, reply) => {
      const { merchant_id } = request.params
      const input = { merchant_id, limits: readOwnLimits(request.body), reason: request.body.reason?.trim() || null }
      return answerOnce(deps, request, reply, 200, (tx) => replacePayoutLimits(deps, tx, actOf(request), input))
    },
  )
}
