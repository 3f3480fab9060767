// Defines the endpoints with which operators decide about withdrawals. Before an operator approves, the server sends no money.

import type { FastifyRequest } from 'fastify'
import { presentVerdict } from '../../access/four-eyes/index.ts'
import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import { actOf } from '../../books/audit/index.ts'
import { type Deps, forReads, type Tx } from '../../kernel/db/index.ts'
import { type App, answerOnce, EmptyBody, type Routes, readClaim, replay, sendStored } from '../../kernel/http/index.ts'
import { isId, routingCodeOf, ZERO_ID } from '../../kernel/lib/index.ts'
import {
  type ApprovalResult,
  type ApprovalService,
  notifyDecision,
  recallWithdrawal,
  rejectWithdrawal,
  requestInfo,
  resolveWithdrawal,
  retryWithdrawal,
  withdrawalName,
} from '../../money/withdrawals/index.ts'
import { readEvidence } from './decision-evidence.ts'
import { countWarnedBy } from './decision-facts.ts'
import { decideOnce } from './once.ts'
import { approveBatchRoute } from './withdrawals-batch.ts'
import {
  getWithdrawalForOperator,
  listWithdrawalsForOperators,
  presentForOperator,
  presentOne,
} from './withdrawals-list.ts'
import {
  ApproveBody,
  RecallBody,
  RejectBody,
  RejectionAnswer,
  RequestInfoBody,
  ResolveBody,
  WithdrawalAnswer,
  WithdrawalDetailAnswer,
  WithdrawalParams,
  WithdrawalsAnswer,
  WithdrawalsQuery,
} from './withdrawals-schema.ts'

const tags = ['Operator']
const READ = { access: 'operator:read' } as const
const WRITE = { access: 'operator:money', idempotency: 'honoured', refusals: ['invalid_state'] } as const
const MOVES_MONEY = { ...WRITE, step_up: 'always' } as const
const PATH = '/v1/operator/withdrawals'

/** Finds the merchant and the id of the withdrawal in the path of a request. */
type KeyOf = (request: FastifyRequest<{ Params: { withdrawal_id: string } }>) => Promise<{
  merchant_id: string
  id: string
}>

/**
 * Adds the routes that list, show, approve, reject, resolve, retry and recall withdrawals, and that ask the merchant about a
 * withdrawal.
 */
export function operatorWithdrawalRoutes(
  deps: Deps,
  { approvalService: service }: { approvalService: ApprovalService },
): Routes {
  const merchantOf = merchantByRoutingCode(deps)
  // The id contains the routing code of the merchant. The server checks the Idempotency-Key first, so a later step refuses an
  // unknown id.
  const find = async (id: string) => {
    const merchant_id = isId(id) ? await merchantOf(routingCodeOf(id)) : null
    return { merchant_id: merchant_id ?? ZERO_ID, id }
  }
  const keyOf: KeyOf = ({ params }) => find(params.withdrawal_id.toLowerCase())
  return (app) => {
    readRoutes(deps, app)
    approveRoute(deps, app, service, keyOf)
    approveBatchRoute(deps, { service, find })(app)
    answerRoutes(deps, app, keyOf)
    resolveRoute(deps, app, service, keyOf)
    retryRoute(deps, app, service, keyOf)
    recallRoute(deps, app, keyOf)
  }
}

function readRoutes(deps: Deps, app: App): void {
  app.get(
    PATH,
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listOperatorWithdrawals',
        summary: 'List the withdrawals of all merchants, newest first',
        description:
          '`total_items` counts up to 10,000, and without `merchant_id` no page goes further. Without `merchant_id`, the list omits archived merchants. Name a merchant to find older withdrawals.',
        querystring: WithdrawalsQuery,
        response: { 200: WithdrawalsAnswer },
      },
    },
    async (request) => ({
      success: true as const,
      data: await listWithdrawalsForOperators(forReads(deps), request.query),
    }),
  )
  app.get(
    `${PATH}/:withdrawal_id`,
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getOperatorWithdrawal',
        summary: 'Show a withdrawal with its history, its payout and the balance of its merchant',
        params: WithdrawalParams,
        response: { 200: WithdrawalDetailAnswer },
      },
    },
    async (request) => ({
      success: true as const,
      data: await getWithdrawalForOperator(deps, request.params.withdrawal_id),
    }),
  )
}

const APPROVAL_REFUSALS = [
  'invalid_state',
  'second_operator_required',
  'withdrawal_restricted',
  'insufficient_balance',
  'payout_limit_reached',
  'confirmation_required',
  'provider_unavailable',
] as const

function approveRoute(deps: Deps, app: App, service: ApprovalService, keyOf: KeyOf): void {
  app.post(
    `${PATH}/:withdrawal_id/approve`,
    {
      config: {
        ...MOVES_MONEY,
        refusals: [...APPROVAL_REFUSALS, 'forbidden', 'conflict_of_interest'],
      },
      schema: {
        tags,
        operationId: 'approveWithdrawal',
        summary: 'Approve a withdrawal',
        description:
          'The server reserves amount and fees and calls the provider right after. A refused approval changes nothing. `withdrawal_restricted` means that the merchant is not active and verified. `insufficient_balance` means that the available balance is too small. `payout_limit_reached` means that the payouts of the day would exceed a limit of the merchant. `confirmation_required` means that NEW_DESTINATION=confirm and the merchant has not paid the destination yet.\n\n`approvals_required` is 2 if a sum of the day reaches FOUR_EYES_AMOUNT with this withdrawal. The sums are the payouts of the merchant, and the payouts of all merchants to the destination. Then the first approval passes the same checks and reserves nothing. The withdrawal keeps its status until another operator also approves. The server refuses a second approval by the same operator with `second_operator_required`, and an approval by the submitter with `forbidden`, for any amount. An operator who is or was a member of the merchant, or made one of its API keys, gets `conflict_of_interest`.',
        params: WithdrawalParams,
        body: ApproveBody,
        response: { 200: WithdrawalAnswer },
      },
    },
    async (request, reply) => {
      const { reason, confirm_new_destination = false } = request.body ?? {}
      const trace = request.trace?.context ?? null
      const given = { reason: reason?.trim() ?? null, confirm_new_destination, trace }
      const approval = { ...(await keyOf(request)), act: actOf(request), ...given }
      const claim = readClaim(request)
      if (claim === null) {
        return { success: true as const, data: presentForOperator(deps, await service.approve(approval)) }
      }
      const answerOf = (approved: ApprovalResult) => ({
        status_code: 200,
        response_body: JSON.stringify({ success: true, data: presentForOperator(deps, approved) }),
      })
      const answer = await service.approveOnce(approval, { claim, answerOf })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}

function answerRoutes(deps: Deps, app: App, keyOf: KeyOf): void {
  app.post(
    `${PATH}/:withdrawal_id/reject`,
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'rejectWithdrawal',
        summary: 'Reject a withdrawal',
        description:
          'The server has reserved no money, so no money moves. The members who manage the money of the merchant get an e-mail.',
        params: WithdrawalParams,
        body: RejectBody,
        response: { 200: RejectionAnswer },
      },
    },
    async (request, reply) => {
      const { reason } = request.body
      const key = await keyOf(request)
      return answerOnce(deps, request, reply, 200, async (tx) => {
        const evidence = (await readEvidence(deps, tx, [key])).get(withdrawalName(key))
        const row = await rejectWithdrawal(deps, tx, actOf(request), { ...key, reason, evidence })
        await notifyDecision(deps, tx, row, 'rejected', reason)
        return { ...(await presentOne(deps, tx, row)), warned_withdrawals: await countWarnedBy(tx, row) }
      })
    },
  )
  app.post(
    `${PATH}/:withdrawal_id/request-info`,
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'requestWithdrawalInfo',
        summary: 'Ask the merchant about a withdrawal',
        description:
          'The withdrawal waits until the merchant responds. An operator can still approve or reject the withdrawal.',
        params: WithdrawalParams,
        body: RequestInfoBody,
        response: { 200: WithdrawalAnswer },
      },
    },
    async (request, reply) => {
      const { message } = request.body
      const key = await keyOf(request)
      return answerOnce(deps, request, reply, 200, async (tx) => {
        const row = await requestInfo(deps, tx, actOf(request), { ...key, message })
        await notifyDecision(deps, tx, row, 'info_requested', message)
        return presentOne(deps, tx, row)
      })
    },
  )
}

function resolveRoute(deps: Deps, app: App, service: ApprovalService, keyOf: KeyOf): void {
  app.post(
    `${PATH}/:withdrawal_id/resolve`,
    {
      config: {
        ...MOVES_MONEY,
        refusals: ['conflict_of_interest', 'invalid_state', 'second_operator_required', 'insufficient_balance'],
      },
      schema: {
        tags,
        operationId: 'resolveWithdrawal',
        summary: 'Resolve a payout with an unknown outcome',
        description:
          'For NEEDS_RECONCILIATION, BLOCKED_IP_WHITELIST and NEEDS_ADMIN_ATTENTION. The ledger books the outcome, and the server does not call the provider. If the merchant got the money back before and has spent the money, the server refuses SUCCESS with `insufficient_balance`.\n\nIf the adjustments, clearings and resolutions of the merchant on this day reach FOUR_EYES_AMOUNT with this resolution, the first call changes nothing. Its answer has `approvals_required` 2 and the first of the `approvals`. The ledger books the outcome when another operator sends the same request within seven days. Only the reason may differ.',
        params: WithdrawalParams,
        body: ResolveBody,
        response: { 200: WithdrawalAnswer },
      },
    },
    async (request, reply) => {
      const { outcome, reason, provider_reference = null } = request.body
      const input = { ...(await keyOf(request)), outcome, reason, provider_reference }
      const resolve = async (tx: Tx) => {
        const { row, deliveries, verdict } = await resolveWithdrawal(
          deps,
          tx,
          actOf(request),
          input,
          service.canDeliver,
        )
        const record = await presentOne(deps, tx, row)
        return { data: verdict.is_last ? record : { ...record, ...presentVerdict(verdict) }, left: { deliveries } }
      }
      return decideOnce(deps, request, reply, resolve, service.sendNow)
    },
  )
}

function retryRoute(deps: Deps, app: App, service: ApprovalService, keyOf: KeyOf): void {
  app.post(
    `${PATH}/:withdrawal_id/retry`,
    {
      config: {
        ...MOVES_MONEY,
        refusals: ['conflict_of_interest', 'invalid_state', 'withdrawal_restricted', 'payouts_paused'],
      },
      schema: {
        tags,
        operationId: 'retryWithdrawal',
        summary: 'Retry a payout that the provider refused because of the IP address',
        description:
          'For BLOCKED_IP_WHITELIST, with the same reference. First ask the provider to allow the IP address. If the merchant is not active and verified, the server refuses the call with `withdrawal_restricted` and sends nothing. While a pause concerns the payout, the server refuses the call with `payouts_paused` and names the pause. `resolve` stays possible.',
        params: WithdrawalParams,
        body: EmptyBody,
        response: { 200: WithdrawalAnswer },
      },
    },
    async (request, reply) => {
      const key = await keyOf(request)
      const retry = async (tx: Tx) => {
        const { row, payouts } = await retryWithdrawal(deps, tx, actOf(request), key, service.providers)
        return { data: await presentOne(deps, tx, row), left: { payouts } }
      }
      return decideOnce(deps, request, reply, retry, service.sendNow)
    },
  )
}

function recallRoute(deps: Deps, app: App, keyOf: KeyOf): void {
  app.post(
    `${PATH}/:withdrawal_id/recall`,
    {
      config: MOVES_MONEY,
      schema: {
        tags,
        operationId: 'recallWithdrawal',
        summary: 'Recall an approved payout that the server has not sent',
        description:
          'For PROCESSING while the state of the payout is `to_send`: no process has taken its send token, for example during a pause. The withdrawal becomes CANCELLED, and amount and fees go back to the available balance. The members who manage the money of the merchant get an e-mail. If a process has sent or may have sent the payout, the server refuses the call with `invalid_state` and changes nothing.',
        params: WithdrawalParams,
        body: RecallBody,
        response: { 200: WithdrawalAnswer },
      },
    },
    async (request, reply) => {
      const { reason } = request.body
      const key = await keyOf(request)
      return answerOnce(deps, request, reply, 200, async (tx) => {
        const row = await recallWithdrawal(deps, tx, actOf(request), { ...key, reason })
        await notifyDecision(deps, tx, row, 'recalled', reason)
        return presentOne(deps, tx, row)
      })
    },
  )
}
