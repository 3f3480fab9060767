// Reads the operators' queue: the number, the amount and the age of the records of each kind that need an operator.

import Type, { type Static } from 'typebox'
import { notArchived } from '../../access/merchants/index.ts'
import { failingEndpoints } from '../../adapters/webhooks/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, type Environment, type Routes, success } from '../../kernel/http/index.ts'
import { enumOf, formatAmount, nullable, oneOf } from '../../kernel/lib/index.ts'
import type { Withdrawal } from '../../money/withdrawals/index.ts'
import { readDecisionFacts } from './decision-facts.ts'
import { lastVerifyRun, type VerifyRun } from './verify-runs.ts'

/** The highest number of rows that the queue counts for each kind except withdrawals and webhooks. */
export const QUEUE_COUNT_MAX = 10_000
/** The highest number of waiting withdrawals whose warnings the queue reads. */
export const WARNED_MAX = 100
/** The highest number of open withdrawals that the queue examines, all kinds together. */
const OPEN_MAX = 100_000

/** The kinds of records in the queue. The most urgent kind comes first. */
export const QUEUE_KINDS = [
  'withdrawals_waiting',
  'withdrawals_info_requested',
  'withdrawals_needs_reconciliation',
  'withdrawals_blocked',
  'withdrawals_needs_attention',
  'collections_held',
  'merchants_to_check',
  'ip_addresses_pending',
  'reconciliation_exceptions',
  'webhooks_failing',
] as const
type QueueKind = (typeof QUEUE_KINDS)[number]

/**
 * The rules for approvals. From `four_eyes_minor` (cents) on, two operators must approve. Null means that one operator
 * suffices. If the configuration says `off`, `four_eyes_off` is true.
 */
export type OperatorRules = { four_eyes_minor: bigint | null; four_eyes_off: boolean; step_up_s: number }

type QueueCount = { count: number; oldest_at: Date | null; amount_minor: bigint | null }
const NOTHING: QueueCount = { count: 0, oldest_at: null, amount_minor: 0n }

const KIND_OF_STATUS = {
  PENDING_ADMIN_APPROVAL: 'withdrawals_waiting',
  INFO_REQUESTED: 'withdrawals_info_requested',
  NEEDS_RECONCILIATION: 'withdrawals_needs_reconciliation',
  BLOCKED_IP_WHITELIST: 'withdrawals_blocked',
  NEEDS_ADMIN_ATTENTION: 'withdrawals_needs_attention',
} as const satisfies Record<string, QueueKind>
type QueuedWithdrawalStatus = keyof typeof KIND_OF_STATUS

const WITHDRAWALS = sql(
  'queue_withdrawals',
  `select w.status, count(*)::int as count, min(w.created_at) as oldest_at, sum(w.amount_minor)::bigint as amount_minor from (
     select status, created_at, amount_minor from withdrawals
     where status in (${Object.keys(KIND_OF_STATUS)
       .map((status) => `'${status}'`)
       .join(', ')}) and environment = $1 and ${notArchived('merchant_id')} limit $2) w
   group by w.status`,
)
const OLDEST_WAITING = sql(
  'queue_oldest_waiting',
  `select merchant_id, id, status from withdrawals
   where status = 'PENDING_ADMIN_APPROVAL' and environment = $1 and ${notArchived('merchant_id')} order by id limit $2`,
)
// The sum of the held accounts equals the amount of the held payments.
const HELD = sql(
  'queue_held',
  `with held as materialized (
     select merchant_id, held_at from held_collections where decided_at is null and environment = $1 and ${notArchived('merchant_id')} limit $2
   )
   select count(*)::int as count, min(held_at) as oldest_at, coalesce((
     select sum(a.balance_minor) from (select distinct merchant_id from held) m
     join ledger_accounts a on a.merchant_id = m.merchant_id and a.environment = $1 and a.code = 'held'), 0)::bigint as amount_minor
   from held`,
)
const counted = (name: string, at: string, from: string) =>
  sql(
    name,
    `select count(*)::int as count, min(q.at) as oldest_at, null::bigint as amount_minor
     from (select ${at} as at from ${from} limit $1) q`,
  )
const MERCHANTS = counted(
  'queue_merchants',
  'created_at',
  "merchants where status = 'PENDING' or (status = 'ACTIVE' and not verified)",
)
const ADDRESSES = counted(
  'queue_addresses',
  'created_at',
  `ip_addresses where status = 'PENDING' and ${notArchived('merchant_id')}`,
)
const EXCEPTIONS = counted('queue_exceptions', 'opened_at', 'reconciliation_exceptions where resolution is null')

/**
 * Reads the number, the amount and the age of each kind. One query reads all withdrawals. Each other kind has its own query.
 */
export async function readQueue(
  deps: Deps,
  reader: Reader,
  environment: Environment,
): Promise<Map<QueueKind, QueueCount>> {
  const one = async (statement: typeof HELD, values: unknown[]) =>
    (await reader.query<QueueCount>(statement, values))[0] ?? NOTHING
  const [withdrawals, held, merchants, addresses, exceptions, failing] = await Promise.all([
    reader.query<QueueCount & { status: QueuedWithdrawalStatus }>(WITHDRAWALS, [environment, OPEN_MAX]),
    one(HELD, [environment, QUEUE_COUNT_MAX]),
    one(MERCHANTS, [QUEUE_COUNT_MAX]),
    one(ADDRESSES, [QUEUE_COUNT_MAX]),
    one(EXCEPTIONS, [QUEUE_COUNT_MAX]),
    failingEndpoints(deps, reader).then((rows) => rows.filter((row) => row.environment === environment)),
  ])
  const oldest = failing.map(({ oldest_at }) => oldest_at).sort((a, b) => a.getTime() - b.getTime())[0]
  const merchants_failing = new Set(failing.map(({ merchant_id }) => merchant_id)).size
  return new Map<QueueKind, QueueCount>([
    ...QUEUE_KINDS.map((kind) => [kind, NOTHING] as const),
    ...withdrawals.map(({ status, ...rest }) => [KIND_OF_STATUS[status], rest] as const),
    ['collections_held', held],
    ['merchants_to_check', merchants],
    ['ip_addresses_pending', addresses],
    ['reconciliation_exceptions', exceptions],
    ['webhooks_failing', { count: merchants_failing, oldest_at: oldest ?? null, amount_minor: null }],
  ])
}

/** Counts the withdrawals with a warning among the oldest ones that wait for an approval. */
async function readWarned(deps: Deps, environment: Environment): Promise<{ count: number; examined: number }> {
  const values = [environment, WARNED_MAX]
  const waiting = await deps.db.query<Pick<Withdrawal, 'merchant_id' | 'id' | 'status'>>(OLDEST_WAITING, values)
  const facts = await readDecisionFacts(deps, deps.db, waiting)
  return { count: facts.filter((one) => one !== null && one.warnings.length > 0).length, examined: waiting.length }
}

const QueueAnswer = success(
  Type.Object({
    warned: nullable(
      Type.Object(
        { count: Type.Integer(), examined: Type.Integer() },
        {
          description: `How many of the oldest \`examined\` withdrawals of the kind withdrawals_waiting, at most ${WARNED_MAX}, have a warning. Null means that the request has no \`warnings=true\`.`,
        },
      ),
    ),
    items: Type.Array(
      Type.Object({
        kind: oneOf(
          QUEUE_KINDS,
          'merchants_to_check: PENDING, or ACTIVE and not verified. webhooks_failing: merchants whose endpoint fails now.',
        ),
        count: Type.Integer(),
        oldest_at: nullable(
          Type.String({
            format: 'date-time',
            description: 'The time since which the oldest record waits. Null means that no record waits.',
          }),
        ),
        amount: nullable(
          Type.String({ description: 'The waiting money, without fees. Null means that the kind has no amount.' }),
        ),
      }),
    ),
    four_eyes_amount: nullable(
      Type.String({
        description:
          'The amount from which on two operators must act: a single action, or the sum of the day including the action. Null means that one operator always suffices.',
      }),
    ),
    four_eyes_off: Type.Boolean({
      description: 'True means that FOUR_EYES_AMOUNT=off: the installation allows one operator to move any amount.',
    }),
    failed_check: nullable(
      Type.Object(
        {
          finished_at: Type.String({ format: 'date-time' }),
          problems: nullable(
            Type.Integer({
              description: 'The number of failed checks. Null means that the run ended without a result.',
            }),
          ),
        },
        {
          description:
            'The last scheduled check of the books, if that check failed. Null means that the last check did not fail, or that no check has run.',
        },
      ),
    ),
    step_up_s: Type.Integer({
      description:
        'The maximum age of a sign-in for moving money, in seconds. 0 means that any session may move money.',
    }),
  }),
)
type QueueView = Static<typeof QueueAnswer>['data']

/** Adds the route that shows the queue and the rules for approvals. */
export function queueRoutes(deps: Deps, { rules }: { rules: OperatorRules }): Routes {
  return (app) => {
    app.get(
      '/v1/operator/queue',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'getOperatorQueue',
          summary: 'Show the queue of operators: number, amount and age of each kind',
          description: `Withdrawals, held payments and failing webhooks are of one environment, live by default. The count of every other kind, and of held payments, ends at ${QUEUE_COUNT_MAX}.`,
          querystring: Type.Object({
            environment: Type.Optional(enumOf('Environment', ENVIRONMENTS, 'live when left out.')),
            warnings: Type.Optional(
              Type.Boolean({ default: false, description: 'true: also count the waiting withdrawals with a warning.' }),
            ),
          }),
          response: { 200: QueueAnswer },
        },
      },
      async (request) => {
        const { environment = 'live', warnings = false } = request.query
        const [queue, { last }, warned] = await Promise.all([
          readQueue(deps, deps.db, environment),
          lastVerifyRun(deps.db),
          warnings ? readWarned(deps, environment) : null,
        ])
        return { success: true as const, data: { ...presentQueue(queue, rules, last), warned } }
      },
    )
  }
}

function presentQueue(
  queue: ReadonlyMap<QueueKind, QueueCount>,
  { four_eyes_minor, four_eyes_off, step_up_s }: OperatorRules,
  last: VerifyRun | null,
): Omit<QueueView, 'warned'> {
  const items = [...queue].map(([kind, { count, oldest_at, amount_minor }]) => ({
    kind,
    count,
    oldest_at: oldest_at?.toISOString() ?? null,
    amount: amount_minor === null || !ABOUT_MONEY.test(kind) ? null : formatAmount(amount_minor),
  }))
  const four_eyes_amount = four_eyes_minor === null ? null : formatAmount(four_eyes_minor)
  const failed_check =
    last === null || last.ok === true ? null : { finished_at: last.finished_at.toISOString(), problems: last.problems }
  return { items, four_eyes_amount, four_eyes_off, failed_check, step_up_s }
}

const ABOUT_MONEY = /^(withdrawals|collections)_/
