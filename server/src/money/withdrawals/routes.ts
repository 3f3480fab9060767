// Serves the merchant's endpoints of withdrawals: the endpoints of the dashboard, of merchants' servers and of the sandbox.

import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { PayoutMethod } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import { actOf } from '../../books/audit/index.ts'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  answerOnce,
  caller,
  MERCHANT_ROLES,
  onceInTransaction,
  page,
  type Routes,
  readClaim,
  replay,
  requireClaim,
  sendStored,
  success,
} from '../../kernel/http/index.ts'
import { DESTINATIONS, inCallersLanguage, refuse } from '../../kernel/lib/index.ts'
import type { ApprovalService } from './approval-service.ts'
import { NOT_FOUND } from './approve.ts'
import {
  type CheckedPayoutBody,
  checkPayoutBody,
  checkPayoutRules,
  type FindProvider,
  isReached,
  RULES,
} from './check.ts'
import { withdrawalExportRoute } from './export.ts'
import { getWithdrawal, listWithdrawals } from './list.ts'
import { getPayoutFacts } from './payout-limits.ts'
import { presentQuote, presentWithdrawal } from './present.ts'
import { quoteWithdrawal } from './quote.ts'
import { cancelWithdrawal, respond } from './review.ts'
import {
  BankAccountBody,
  CancelBody,
  DestinationsAnswer,
  DestinationsQuery,
  DisbursementsQuery,
  ListQuery,
  MobileMoneyBody,
  PayoutLimitsFacts,
  ProviderPesaBody,
  QuoteBody,
  QuoteRecord,
  RespondBody,
  SimulateBody,
  SubmitBody,
  WithdrawalDetail,
  WithdrawalRecord,
} from './schema.ts'
import { simulateOutcome } from './simulate.ts'
import { submitWithdrawal } from './submit.ts'

/** The functions and providers that the routes call. Only the sandbox endpoint uses the approval service. */
export type WithdrawalsOptions = {
  approvalService: ApprovalService
  find: FindProvider
}

const PEOPLE = ['MERCHANT_ADMIN', 'FINANCE'] as const
const DASHBOARD = { roles: PEOPLE } as const satisfies Access
const WRITE = { scopes: ['disbursements:write'], roles: PEOPLE } as const satisfies Access
const READ = { scopes: ['disbursements:read'], roles: MERCHANT_ROLES } as const satisfies Access
const READ_DASHBOARD = { roles: MERCHANT_ROLES } as const satisfies Access

const MONEY = [...RULES, 'withdrawal_restricted', 'insufficient_balance'] as const
const COUNTED = '`total_items` counts up to 10,000.'
const SUBMITTING =
  'The withdrawal always waits for an operator. The server reserves no money and calls no provider. It computes the fees, which then stay fixed.'

/** Makes the routes of withdrawals for members, for merchants' servers and for the sandbox. */
export function withdrawalRoutes(deps: Deps, options: WithdrawalsOptions): Routes {
  return (app) => {
    destinationRoute(app, options)
    quoteRoute(deps, app, options)
    submitRoutes(deps, app, options)
    withdrawalReadRoutes(deps, app)
    payoutFactsRoute(deps, app)
    respondRoute(deps, app)
    cancelRoutes(deps, app)
    simulateRoute(deps, app, options.approvalService)
  }
}

const WITHDRAWALS = { tags: ['Withdrawals'] }
const DISBURSEMENTS = { tags: ['Disbursements'] }

function destinationRoute(app: App, { find }: WithdrawalsOptions): void {
  app.get(
    '/v1/destinations',
    {
      config: { access: 'public' },
      schema: {
        ...WITHDRAWALS,
        operationId: 'listDestinations',
        summary: 'List the networks and banks to which merchants can send money',
        description:
          'The destinations that a provider of this installation reaches now. The server refuses any other destination with `unknown_destination`.',
        querystring: DestinationsQuery,
        response: { 200: success(DestinationsAnswer) },
      },
    },
    async (request) => {
      const { method: filter, environment = 'live' } = request.query
      const items = DESTINATIONS.filter(({ method }) => filter === undefined || method === filter)
      const reached = items.filter((item) => isReached(find, environment, item))
      return {
        success: true as const,
        data: { items: reached.map((item) => ({ ...item, aliases: [...item.aliases] })) },
      }
    },
  )
}

function quoteRoute(deps: Deps, app: App, { find }: WithdrawalsOptions): void {
  app.post(
    '/v1/merchant/withdrawals/quote',
    {
      config: { access: DASHBOARD, idempotency: 'honoured', refusals: [...RULES, 'withdrawal_restricted'] },
      schema: {
        ...WITHDRAWALS,
        operationId: 'quoteWithdrawal',
        summary: 'Compute the fees of a withdrawal',
        description: 'The server stores no withdrawal and reserves no money. A submission computes the fees again.',
        body: QuoteBody,
        response: { 200: success(QuoteRecord) },
      },
    },
    async (request, reply) => {
      const principal = caller(request)
      const checked = checkPayoutBody(principal, request.body.method, request.body, 'price')
      return answerOnce(deps, request, reply, 200, async (tx) => {
        const input = checkPayoutRules(deps, principal, find, checked)
        return presentQuote(input, await quoteWithdrawal(tx, input))
      })
    },
  )
}

function submitRoutes(deps: Deps, app: App, { find }: WithdrawalsOptions): void {
  const submit = (request: FastifyRequest, reply: FastifyReply, checked: CheckedPayoutBody) => {
    const principal = caller(request)
    requireClaim(request)
    // The server checks rules and balance after the Idempotency-Key, so that a replay gets its stored answer before a check can
    // refuse.
    return answerOnce(deps, request, reply, 202, async (tx) => {
      const input = checkPayoutRules(deps, principal, find, checked)
      return presentWithdrawal(await submitWithdrawal(deps, tx, actOf(request), principal.merchant, input))
    })
  }
  const config = (access: Access) => ({ access, idempotency: 'required', refusals: MONEY }) as const
  const response = { 202: success(WithdrawalRecord) }

  app.post(
    '/v1/merchant/withdrawals',
    {
      config: config(DASHBOARD),
      schema: {
        ...WITHDRAWALS,
        operationId: 'createWithdrawal',
        summary: 'Submit a withdrawal',
        description: SUBMITTING,
        body: SubmitBody,
        response,
      },
    },
    async (request, reply) =>
      submit(request, reply, checkPayoutBody(caller(request), request.body.method, request.body, 'phone_recipient')),
  )
  const direct = <const Body extends Type.TObject>(
    name: string,
    method: PayoutMethod,
    operationId: string,
    summary: string,
    body: Body,
  ) =>
    app.post(
      `/v1/disbursements/${name}`,
      {
        config: config(WRITE),
        schema: { ...DISBURSEMENTS, operationId, summary, description: SUBMITTING, body, response },
      },
      async (request, reply) =>
        submit(request, reply, checkPayoutBody(caller(request), method, request.body as DirectBody, 'destination')),
    )
  direct(
    'provider-pesa',
    'PROVIDER_PESA',
    'createProviderPesaDisbursement',
    'Submit a payout to a Provider Pesa wallet',
    ProviderPesaBody,
  )
  direct(
    'mobile-money',
    'MOBILE_MONEY',
    'createMobileMoneyDisbursement',
    'Submit a payout to a mobile-money number',
    MobileMoneyBody,
  )
  direct(
    'bank-account',
    'BANK_ACCOUNT',
    'createBankAccountDisbursement',
    'Submit a payout to a bank account',
    BankAccountBody,
  )
}

/** The common fields of the three request bodies for servers. Only the body for bank accounts has the name of a bank. */
type DirectBody = Type.Static<typeof ProviderPesaBody> & Partial<Type.Static<typeof BankAccountBody>>

function withdrawalReadRoutes(deps: Deps, app: App): void {
  const list = async (request: FastifyRequest<{ Querystring: Type.Static<typeof ListQuery> }>) => {
    const { merchant, environment } = caller(request)
    const listed = await listWithdrawals(forReads(deps).db, { ...request.query, merchant_id: merchant.id, environment })
    const accept = request.headers['accept-language']
    return { ...listed, items: listed.items.map((item) => inCallersLanguage(accept, item)) }
  }
  const show = async (request: FastifyRequest, id: string) => {
    const { merchant, environment } = caller(request)
    const withdrawal = await getWithdrawal(deps.db, { merchant_id: merchant.id, environment, id })
    return inCallersLanguage(request.headers['accept-language'], withdrawal)
  }
  const listed = { 200: success(page(WithdrawalRecord)) }
  const shown = { 200: success(WithdrawalDetail) }

  app.get(
    '/v1/merchant/withdrawals',
    {
      config: { access: READ_DASHBOARD },
      schema: {
        ...WITHDRAWALS,
        operationId: 'listWithdrawals',
        summary: 'List withdrawals, newest first',
        description: COUNTED,
        querystring: ListQuery,
        response: listed,
      },
    },
    async (request) => ({ success: true as const, data: await list(request) }),
  )
  withdrawalExportRoute(deps, app, READ_DASHBOARD)
  app.get(
    '/v1/merchant/withdrawals/:withdrawal_id',
    {
      config: { access: READ_DASHBOARD },
      schema: {
        ...WITHDRAWALS,
        operationId: 'getWithdrawal',
        summary: 'Show a withdrawal with its history',
        params: Type.Object({ withdrawal_id: Type.String() }),
        response: shown,
      },
    },
    async (request) => ({ success: true as const, data: await show(request, request.params.withdrawal_id) }),
  )
  app.get(
    '/v1/disbursements',
    {
      config: { access: READ },
      schema: {
        ...DISBURSEMENTS,
        operationId: 'listDisbursements',
        summary: 'List disbursements, newest first',
        description: `The same records as those of /v1/merchant/withdrawals. ${COUNTED}`,
        querystring: DisbursementsQuery,
        response: listed,
      },
    },
    async (request) => ({ success: true as const, data: await list(request) }),
  )
  app.get(
    '/v1/disbursements/:disbursement_id',
    {
      config: { access: READ },
      schema: {
        ...DISBURSEMENTS,
        operationId: 'getDisbursement',
        summary: 'Show a disbursement with its history',
        params: Type.Object({ disbursement_id: Type.String() }),
        response: shown,
      },
    },
    async (request) => ({ success: true as const, data: await show(request, request.params.disbursement_id) }),
  )
}

function payoutFactsRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/payout-limits',
    {
      config: { access: READ },
      schema: {
        ...WITHDRAWALS,
        operationId: 'getPayoutLimits',
        summary: 'Show the daily limits of payouts and the payouts of today',
        description:
          'A payout counts on the day in Tanzania on which an operator approves it. A payout whose money came back does not count.',
        response: { 200: success(PayoutLimitsFacts) },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const book = { merchant_id: merchant.id, environment, destination_identifier: '', amount: '0.00' }
      const { daily, destination } = await getPayoutFacts(deps, deps.db, book)
      const { limit: daily_limit, approved_today } = daily
      return {
        success: true as const,
        data: { daily_limit, approved_today, daily_limit_per_destination: destination.limit },
      }
    },
  )
}

function respondRoute(deps: Deps, app: App): void {
  app.post(
    '/v1/merchant/withdrawals/:withdrawal_id/respond',
    {
      config: { access: DASHBOARD, idempotency: 'honoured', refusals: ['invalid_state'] },
      schema: {
        ...WITHDRAWALS,
        operationId: 'respondToWithdrawal',
        summary: "Answer an operator's question",
        description: 'INFO_REQUESTED becomes PENDING_ADMIN_APPROVAL again.',
        params: Type.Object({ withdrawal_id: Type.String() }),
        body: RespondBody,
        response: { 200: success(WithdrawalRecord) },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const { message } = request.body
      const input = { merchant_id: merchant.id, id: request.params.withdrawal_id.toLowerCase(), environment, message }
      return answerOnce(deps, request, reply, 200, async (tx) =>
        presentWithdrawal(await respond(deps, tx, actOf(request), input)),
      )
    },
  )
}

const CANCELLING =
  'Possible until an operator has approved the withdrawal: PENDING_ADMIN_APPROVAL and INFO_REQUESTED become CANCELLED, which is final. No money was reserved, so no money moves. After the approval the server refuses the call with `invalid_state`. A repetition changes nothing and returns the record.'

function cancelRoutes(deps: Deps, app: App): void {
  const cancel = (request: FastifyRequest, reply: FastifyReply, id: string) => {
    const { merchant, environment } = caller(request)
    const key = { merchant_id: merchant.id, environment, id: id.toLowerCase() }
    return answerOnce(deps, request, reply, 200, async (tx) =>
      presentWithdrawal(await cancelWithdrawal(deps, tx, actOf(request), key)),
    )
  }
  const config = (access: Access) => ({ access, idempotency: 'honoured', refusals: ['invalid_state'] }) as const
  const described = { description: CANCELLING, body: CancelBody, response: { 200: success(WithdrawalRecord) } }
  app.post(
    '/v1/merchant/withdrawals/:withdrawal_id/cancel',
    {
      config: config(DASHBOARD),
      schema: {
        ...WITHDRAWALS,
        operationId: 'cancelWithdrawal',
        summary: 'Cancel a withdrawal before its approval',
        params: Type.Object({ withdrawal_id: Type.String() }),
        ...described,
      },
    },
    async (request, reply) => cancel(request, reply, request.params.withdrawal_id),
  )
  app.post(
    '/v1/disbursements/:disbursement_id/cancel',
    {
      config: config(WRITE),
      schema: {
        ...DISBURSEMENTS,
        operationId: 'cancelDisbursement',
        summary: 'Cancel a disbursement before its approval',
        params: Type.Object({ disbursement_id: Type.String() }),
        ...described,
      },
    },
    async (request, reply) => cancel(request, reply, request.params.disbursement_id),
  )
}

function simulateRoute(deps: Deps, app: App, service: ApprovalService): void {
  app.post(
    '/v1/sandbox/disbursements/:disbursement_id/simulate',
    {
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', 'insufficient_balance'] },
      schema: {
        ...DISBURSEMENTS,
        operationId: 'simulateDisbursement',
        summary: 'Simulate the operator and the provider for a sandbox withdrawal',
        description:
          'A withdrawal that waits for approval can get every outcome; one in progress `SUCCESS`, `FAILED` and `REVERSED`; a `SUCCESS` only `REVERSED`. A session always acts in the sandbox here.',
        params: Type.Object({ disbursement_id: Type.String() }),
        body: SimulateBody,
        response: { 200: success(WithdrawalRecord) },
      },
    },
    async (request, reply) => {
      const { merchant, environment, role } = caller(request)
      // A live key cannot find a sandbox withdrawal.
      if (role === null && environment === 'live') refuse('not_found', NOT_FOUND)
      const { outcome } = request.body
      const input = { merchant_id: merchant.id, id: request.params.disbursement_id.toLowerCase(), outcome }
      let deliveries: Delivery[] = []
      const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
        const simulated = await simulateOutcome(deps, tx, service, actOf(request), input)
        deliveries = simulated.deliveries
        const response_body = JSON.stringify({ success: true, data: presentWithdrawal(simulated.row) })
        return { status_code: 200, response_body }
      })
      service.sendNow({ deliveries })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}
