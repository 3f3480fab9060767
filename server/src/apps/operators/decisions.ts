// Lists the decisions that wait for a second operator: withdrawals with a first approval, and corrections of the money of merchants.

import Type, { type Static } from 'typebox'
import { type Correction, DECISION_COUNTS, DECISION_DAYS } from '../../access/four-eyes/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import {
  ENVIRONMENTS,
  type Environment,
  PageQuery,
  page,
  pageOf,
  type Routes,
  success,
} from '../../kernel/http/index.ts'
import { DAY_MS, enumOf, formatAmount, nullable, oneOf } from '../../kernel/lib/index.ts'
import { findApprovals, withdrawalName } from '../../money/withdrawals/index.ts'

/** The highest number of rows of each kind that the list shows: withdrawals and corrections. */
const WAITING_MAX = 500

const ACTIONS = ['withdrawal.approve', 'withdrawal.resolve', 'collection.clear', 'adjustment.create'] as const

const decisionField = (description: string) => Type.Optional(Type.String({ description }))
const WaitingDecisionRecord = Type.Object(
  {
    action: oneOf(
      ACTIONS,
      'withdrawal.approve: approve the withdrawal. withdrawal.resolve: resolve the withdrawal. collection.clear: decide about the held payment. adjustment.create: make the adjustment.',
    ),
    merchant_id: Type.String({ format: 'uuid' }),
    merchant_name: Type.String(),
    environment: enumOf('Environment', ENVIRONMENTS),
    target_id: Type.String({
      format: 'uuid',
      description: 'The id of the withdrawal or of the payment. An adjustment has the id of the merchant.',
    }),
    amount: Type.String({ description: 'The amount in shillings that counts towards the sum of the day.' }),
    outcome: decisionField('Of withdrawal.resolve: SUCCESS or FAILED.'),
    decision: decisionField('Of collection.clear: approve or decline.'),
    direction: decisionField('Of adjustment.create: credit or debit.'),
    against: decisionField('Of adjustment.create: the other account.'),
    operator: Type.String({ description: 'The e-mail address of the operator who decided first.' }),
    reason: nullable(
      Type.String({ description: 'The reason of this operator. Null means that the operator gave no reason.' }),
    ),
    decided_at: Type.String({ format: 'date-time' }),
    expires_at: nullable(
      Type.String({
        format: 'date-time',
        description:
          'From this time on, the first decision no longer counts. Null means that the decision does not expire.',
      }),
    ),
  },
  { title: 'WaitingDecision' },
)
type DecisionView = Static<typeof WaitingDecisionRecord>

type WaitingWithdrawalRow = {
  merchant_id: string
  merchant_name: string
  id: string
  environment: Environment
  amount_minor: bigint
}

// The conditions match the partial index of open withdrawals, so the query reads only open withdrawals.
const WITHDRAWALS = sql(
  'operator_decisions_withdrawals',
  `select w.merchant_id, m.name as merchant_name, w.id, w.environment, w.total_reserved_minor as amount_minor
   from withdrawals w join merchants m on m.id = w.merchant_id
   where w.status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED') and w.approvals_required = 2 order by w.id desc limit $1`,
)

/** Reads the withdrawals that need two operators and have one valid approval. */
async function waitingWithdrawals(reader: Reader): Promise<DecisionView[]> {
  const rows = await reader.query<WaitingWithdrawalRow>(WITHDRAWALS, [WAITING_MAX])
  const approvals = await findApprovals(reader, rows)
  return rows.flatMap(({ id, amount_minor, ...row }) => {
    const [first] = approvals.get(withdrawalName({ ...row, id })) ?? []
    if (first === undefined) return []
    const { operator_name: operator, reason, at } = first
    const decided = { operator, reason, decided_at: at.toISOString(), expires_at: null }
    return [{ action: 'withdrawal.approve', ...row, target_id: id, amount: formatAmount(amount_minor), ...decided }]
  })
}

type WaitingCorrectionRow = Pick<
  Correction,
  'action' | 'merchant_id' | 'environment' | 'target_id' | 'amount_minor'
> & {
  merchant_name: string
  content: string
  operator_name: string
  reason: string
  at: Date
}

// The conditions match the partial index of waiting decisions. If a payment or withdrawal changed after the decision, its
// version differs, and a second operator cannot complete the decision.
const CORRECTIONS = sql(
  'operator_decisions_corrections',
  `select d.action, d.merchant_id, m.name as merchant_name, d.environment, d.target_id, d.content, d.amount_minor, d.operator_name,
     d.reason, d.created_at as at
   from operator_decisions d join merchants m on m.id = d.merchant_id
   where d.done_at is null and d.created_at > $1 and ${DECISION_COUNTS} and case d.action
     when 'withdrawal.resolve' then exists (
       select from withdrawals w where w.merchant_id = d.merchant_id and w.id = d.target_id
         and w.version = (d.content::json ->> 'version')::int)
     when 'collection.clear' then exists (
       select from collections c where c.merchant_id = d.merchant_id and c.id = d.target_id
         and c.version = (d.content::json ->> 'version')::int)
     else true end
   order by d.created_at desc, d.id desc limit $2`,
)

/** Reads the corrections that one operator has decided and that wait for a second operator. */
async function waitingCorrections({ clock, db }: Deps): Promise<DecisionView[]> {
  const since = new Date(clock.now().getTime() - DECISION_DAYS * DAY_MS)
  const rows = await db.query<WaitingCorrectionRow>(CORRECTIONS, [since, WAITING_MAX])
  return rows.map(presentCorrection)
}

function presentCorrection({
  content,
  amount_minor,
  operator_name,
  at,
  reason,
  ...row
}: WaitingCorrectionRow): DecisionView {
  const { outcome, decision, direction, against } = JSON.parse(content)
  const decided = { operator: operator_name, reason, decided_at: at.toISOString() }
  const amount = formatAmount(amount_minor)
  return {
    ...{ ...row, amount, outcome, decision, direction, against },
    ...{ ...decided, expires_at: new Date(at.getTime() + DECISION_DAYS * DAY_MS).toISOString() },
  }
}

/** Adds the route that lists the decisions that wait for a second operator, newest first. */
export function waitingDecisionRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/decisions',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'listDecisions',
          summary: 'List the decisions that wait for a second operator, newest first',
          description: `The first operator has decided, and no money has moved. The second operator makes the same call: \`approve\`, \`resolve\`, \`clear\` or an adjustment. The list shows and counts up to ${WAITING_MAX} withdrawals and ${WAITING_MAX} corrections, the newest ones.`,
          querystring: Type.Object(PageQuery),
          response: { 200: success(page(WaitingDecisionRecord)) },
        },
      },
      async (request) => {
        const [withdrawals, corrections] = await Promise.all([waitingWithdrawals(deps.db), waitingCorrections(deps)])
        const all = [...withdrawals, ...corrections].sort((a, b) => b.decided_at.localeCompare(a.decided_at))
        const { page: number = 1, page_size = 20 } = request.query
        const shown = all.slice((number - 1) * page_size, number * page_size)
        return { success: true as const, data: pageOf(shown, all.length, request.query) }
      },
    )
  }
}
