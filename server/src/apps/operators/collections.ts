// Defines the endpoints with which operators read payments and decide about held payments.

import Type from 'typebox'
import { actOf } from '../../books/audit/index.ts'
import { type Deps, forReads, type Tx } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, PageQuery, page, type Routes, success, writtenAmount } from '../../kernel/http/index.ts'
import {
  AMOUNT_HELP,
  AmountField,
  enumOf,
  oneOf,
  parseAmount,
  refuseField,
  visibleLine,
} from '../../kernel/lib/index.ts'
import {
  ASKED_MAX,
  BOOKS_MAX,
  ClearedCollection,
  clearCollection,
  ListFilters,
  LOOKED_AT_MAX,
  listForOperators,
  OperatorCollection,
  STATUSES,
  WAITING_MAX,
} from '../../money/collections/index.ts'
import { linkSettlement } from '../../money/payment-links/index.ts'
import type { ApprovalService } from '../../money/withdrawals/index.ts'
import { checkDepth, DEPTH_MAX } from './depth.ts'
import { decideOnce } from './once.ts'

const Query = Type.Object({
  ...PageQuery,
  ...ListFilters,
  status: Type.Optional(
    oneOf(
      [...STATUSES, 'any'],
      'any: every status. Without this parameter: `pending_clearance`, or `any` with `held`, `reference`, `phone`, `method`, `from` or `to`.',
    ),
  ),
  held: Type.Optional(Type.Boolean({ description: 'True means only payments that are or were under review.' })),
  merchant_id: Type.Optional(Type.String({ format: 'uuid' })),
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS)),
})

const BOUNDS = [
  'In a list of payments under review, the payment that has waited longest comes first. In any other list, the newest payment comes first.',
  `Without \`merchant_id\` or without \`environment\`, \`total_items\` counts at most ${DEPTH_MAX} payments, and no page shows further payments.`,
  `Except for payments under review, a list without \`merchant_id\` reads at most ${LOOKED_AT_MAX} payments.`,
  `At most ${BOOKS_MAX} books (a merchant in an environment) share this number equally. These are the books with the newest payments, of the ${ASKED_MAX} merchants that registered last.`,
  `In a list of payments in processing, at most ${WAITING_MAX} merchants share this number. The server applies the other filters to the payments that it has read.`,
  '`from` and `to` choose the period of the payments, except in a search by reference and in a list of payments in processing.',
  'With `merchant_id` the list equals the list of the merchant: see `GET /v1/collections`.',
].join(' ')

const Body = Type.Object(
  {
    amount: Type.Optional({
      ...AmountField,
      description:
        'The value in TZS of money in another currency (`foreign_currency`). An approval of such a payment requires this field. The server refuses the field for other payments.',
    }),
    decision: oneOf(
      ['approve', 'decline'],
      'approve: the ledger credits the received amount. decline: the money goes back to the payer.',
    ),
    reason: visibleLine(
      500,
      'The reason. The history and the audit log keep this text. The merchant does not see the reason.',
    ),
  },
  { title: 'ClearanceDecision' },
)

/** Adds the routes that list the payments of all merchants and decide about held payments. */
export function operatorCollectionRoutes(
  deps: Deps,
  { approvalService }: { approvalService: ApprovalService },
): Routes {
  const tags = ['Operator']
  return (app) => {
    app.get(
      '/v1/operator/collections',
      {
        config: { access: 'operator:read' },
        schema: {
          tags,
          operationId: 'listOperatorCollections',
          summary: 'List the collections of all merchants',
          description: `${BOUNDS} Without \`merchant_id\`, the list omits archived merchants.`,
          querystring: Query,
          response: { 200: success(page(OperatorCollection)) },
        },
      },
      async (request) => {
        checkDepth(request.query)
        return { success: true as const, data: await listForOperators(forReads(deps), request.query) }
      },
    )
    app.post(
      '/v1/operator/collections/:collection_id/clear',
      {
        config: {
          access: 'operator:money',
          idempotency: 'honoured',
          step_up: 'always',
          refusals: ['conflict_of_interest', 'invalid_state', 'second_operator_required', 'amount_not_supported'],
        },
        schema: {
          tags,
          operationId: 'clearCollection',
          summary: 'Decide about a held collection',
          description:
            'An approved payment becomes `successful`, and the ledger credits `amount_received` less the fee. Money in another currency (`foreign_amount`) is not in the ledger: the approval states its value in `amount`, and the ledger books that value. A declined payment becomes `failed` with `review_declined`, and the money leaves the books of the merchant. Return the money to the payer at the provider.\n\nIf the adjustments, clearings and resolutions of the merchant on this day reach FOUR_EYES_AMOUNT with this decision, `approvals_required` is 2. The first call then moves nothing. The payment stays under review until another operator sends the same request within seven days. Only the reason may differ.',
          params: Type.Object({ collection_id: Type.String({ description: 'The id of the collection.' }) }),
          body: Body,
          response: { 200: success(ClearedCollection) },
        },
      },
      async (request, reply) => {
        const { amount, decision, reason } = request.body
        const stated_minor = amount === undefined ? null : parseAmount(writtenAmount({ ...request.body, amount }))
        if (stated_minor !== null && typeof stated_minor !== 'bigint' && stated_minor !== 'too_large') {
          refuseField('amount', AMOUNT_HELP[stated_minor])
        }
        const input = { collection_id: request.params.collection_id, decision, reason, stated_minor }
        const clear = async (tx: Tx) => {
          const { collection, deliveries } = await clearCollection(
            deps,
            tx,
            linkSettlement,
            actOf(request),
            input,
            approvalService.canDeliver,
          )
          return { data: collection, left: { deliveries } }
        }
        return decideOnce(deps, request, reply, clear, approvalService.sendNow)
      },
    )
  }
}
