// Reads and shows how large a withdrawal is for its merchant, with the warnings about it. Operators read these facts while the
// withdrawal waits for an approval.

import { type Deps, inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { CURRENCY, formatAmount } from '../../kernel/lib/index.ts'
import {
  type ExceededLimits,
  findExceededLimits,
  type Withdrawal,
  withdrawalMoves,
  withdrawalName,
} from '../../money/withdrawals/index.ts'
import { type WarningFacts, warningsOf } from './decision-warnings.ts'
import { findBurst, incomeOfRequests, type RequestIncome } from './income.ts'
import { type DecisionFacts, LATEST_PAID, presentActor } from './withdrawals-schema.ts'

/** The key of a withdrawal in a request: its merchant and its id. */
export type WithdrawalKey = { merchant_id: string; id: string }

/** The facts about one withdrawal, in its environment. */
export type WithdrawalFacts = WarningFacts &
  WithdrawalKey &
  Pick<Withdrawal, 'status' | 'destination_identifier'> &
  Pick<DecisionFacts, 'recent_failures'> & {
    /** The income of the 24 hours before the request. */
    received_minor: bigint
    /** The average income of a day before. Null means that it is unknown. */
    daily_before_minor: bigint | null
    /** The income since the request, if the warning counts it. The amount null means that it is unknown. */
    income_later: { amount_minor: bigint | null } | null
  }

/** The facts of a withdrawal as operators read them, with the limits that an approval would exceed. */
export type PresentedFacts = { shown: DecisionFacts; exceeded: ExceededLimits }

type FactsRow = Omit<
  WithdrawalFacts,
  'income_burst' | 'income_later' | 'recent_failure' | 'recent_failures' | 'daily_before_minor'
> &
  RequestIncome & {
    failure_count: number
    failure_id: string | null
    failure_status: 'REJECTED' | 'FAILED'
    failure_reason: string | null
    failure_code: string | null
    failure_at: Date
    rejecter_kind: string | null
    rejecter_id: string | null
    rejecter_name: string
    waiting_minor: bigint
    created_at: Date
    merchant_created_at: Date
  }

// The query reads the balance and the payouts of each book once, although several withdrawals may share the book. Limits bound
// the rows of a book and of the income before a request. Two index lookups find a payout of another merchant to the destination, however often this merchant has paid it.
const paidByOther = (comparison: '<' | '>') => `exists (
       select 1 from withdrawals o
       where o.destination_identifier = w.destination_identifier and o.destination_code = w.destination_code
         and o.environment = w.environment and o.status = 'SUCCESS' and o.merchant_id ${comparison} w.merchant_id)`
const FIND = sql(
  'operator_withdrawal_facts',
  `with recursive asked as materialized (
     select w.merchant_id, w.id, w.environment, w.status, w.amount_minor, w.total_reserved_minor, w.destination_identifier,
       w.destination_code, w.created_at, m.created_at as merchant_created_at, m.status as merchant_status,
       m.verified as merchant_verified
     from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
     join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id
     join merchants m on m.id = w.merchant_id
   ), ${incomeOfRequests('asked', '$2')}, books as materialized (
     select b.*, a.balance_minor as available_minor, paid.largest_paid_minor
     from (select distinct merchant_id, environment from asked) b
     left join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = $2
       and a.code = 'available'
     cross join lateral (
       select max(p.amount_minor) as largest_paid_minor from (
         select amount_minor from withdrawals
         where merchant_id = b.merchant_id and environment = b.environment and status = 'SUCCESS'
         order by id desc limit $3) p
     ) paid
   )
   select w.merchant_id, w.id, w.environment, w.status, w.amount_minor, w.total_reserved_minor, w.destination_identifier,
     w.merchant_status, w.merchant_verified, w.created_at, w.merchant_created_at,
     coalesce(b.available_minor, 0) as available_minor, b.largest_paid_minor, earlier.paid is null as new_destination,
     coalesce(i.received_minor, 0) as received_minor, coalesce(i.before_minor, 0) as before_minor,
     coalesce(i.later_minor, 0) as later_minor, coalesce(i.movements_before, 0) as movements_before,
     coalesce(i.movements_later, 0) as movements_later, coalesce(i.waiting_minor, 0) as waiting_minor, coalesce(recent.count, 0) as failure_count,
     recent.id as failure_id, recent.status as failure_status, recent.status_reason as failure_reason,
     recent.failure_reason_code as failure_code, recent.updated_at as failure_at,
     rejection.actor_kind as rejecter_kind, rejection.actor_id as rejecter_id, rejection.actor_name as rejecter_name,
     ${paidByOther('<')} or ${paidByOther('>')} as paid_by_others
   from asked w join books b on b.merchant_id = w.merchant_id and b.environment = w.environment
   left join income i on i.merchant_id = w.merchant_id and i.id = w.id
   left join lateral (
     select true as paid from withdrawals p
     where p.merchant_id = w.merchant_id and p.destination_identifier = w.destination_identifier and p.status = 'SUCCESS'
       and p.environment = w.environment and p.destination_code = w.destination_code and p.id <> w.id limit 1
   ) earlier on true
   left join lateral (
     select count(*) over ()::int as count, r.* from (
       select id, status, status_reason, failure_reason_code, updated_at from withdrawals
       where merchant_id = w.merchant_id and environment = w.environment and id < w.id order by id desc limit 3) r
     where r.status in ('REJECTED', 'FAILED') order by r.updated_at desc, r.id desc limit 1
   ) recent on true
   left join lateral (
     select actor_kind, actor_id, actor_name from withdrawal_history h
     where h.merchant_id = w.merchant_id and h.withdrawal_id = recent.id and h.to_status = 'REJECTED'
       and h.from_status <> 'REJECTED' limit 1
   ) rejection on true`,
)

/** Returns the facts about withdrawals by `withdrawalName`, with one query. The result omits unknown ids. */
export async function findWithdrawalFacts(
  reader: Reader,
  ids: readonly WithdrawalKey[],
): Promise<Map<string, WithdrawalFacts>> {
  if (ids.length === 0) return new Map()
  const keys = JSON.stringify(ids.map(({ merchant_id, id }) => ({ merchant_id, id })))
  const rows = await reader.query<FactsRow>(FIND, [keys, CURRENCY, LATEST_PAID])
  return new Map(
    rows.map(({ created_at, merchant_created_at, ...row }) => {
      const recent_failures = failuresOf(row)
      const age_ms = created_at.getTime() - merchant_created_at.getTime()
      const { is_before, is_later, later_minor, daily_before_minor } = findBurst(row, { ...row, age_ms })
      const facts = {
        ...row,
        daily_before_minor,
        recent_failures,
        recent_failure: recent_failures !== null,
        income_burst: is_before || is_later,
        income_later: is_later ? { amount_minor: later_minor } : null,
      }
      return [withdrawalName(row), facts]
    }),
  )
}

function failuresOf(row: Omit<FactsRow, 'created_at' | 'merchant_created_at'>): DecisionFacts['recent_failures'] {
  if (row.failure_id === null) return null
  const { rejecter_kind: kind, rejecter_id, rejecter_name } = row
  return {
    count: row.failure_count,
    withdrawal_id: row.failure_id,
    status: row.failure_status,
    reason: row.failure_reason,
    failure_reason_code: row.failure_code,
    at: row.failure_at.toISOString(),
    rejected_by: kind === null ? null : presentActor(kind, rejecter_id, rejecter_name),
  }
}

const WARNED_BY = sql(
  'operator_withdrawals_warned_by',
  `select count(*)::int as count from (
     select status from withdrawals where merchant_id = $1 and environment = $2 and id > $3 order by id limit 3) later
   where later.status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED')`,
)

/** Counts the waiting withdrawals to which the rejection of this withdrawal gives the warning recent_failure. */
export async function countWarnedBy(
  reader: Reader,
  { merchant_id, environment, id }: Pick<Withdrawal, 'merchant_id' | 'environment' | 'id'>,
): Promise<number> {
  const [row] = await reader.query<{ count: number }>(WARNED_BY, [merchant_id, environment, id])
  return row?.count ?? 0
}

/**
 * Reads the facts of the withdrawals whose status `isShown` accepts, with at most three queries. Returns one entry for each
 * withdrawal, in the given order. Null means that `isShown` refuses its status.
 */
export async function readDecisionFacts(
  deps: Pick<Deps, 'config' | 'clock'>,
  reader: Reader,
  rows: readonly Pick<Withdrawal, 'merchant_id' | 'id' | 'status'>[],
  isShown: (status: Withdrawal['status']) => boolean = isWaiting,
): Promise<(DecisionFacts | null)[]> {
  const found = await findWithdrawalFacts(
    reader,
    rows.filter(({ status }) => isShown(status)),
  )
  const facts = await presentFacts(deps, reader, found, isShown)
  return rows.map((row) => facts.get(withdrawalName(row))?.shown ?? null)
}

/** Presents the facts of the withdrawals whose status `isShown` accepts, by `withdrawalName`. The result omits all others. */
export async function presentFacts(
  deps: Pick<Deps, 'config' | 'clock'>,
  reader: Reader,
  found: ReadonlyMap<string, WithdrawalFacts>,
  isShown: (status: Withdrawal['status']) => boolean = isWaiting,
): Promise<Map<string, PresentedFacts>> {
  const waiting = [...found.values()].filter(({ status }) => isShown(status))
  const exceeded = await findExceededLimits(deps, reader, waiting)
  return new Map(
    waiting.map((facts, place) => {
      const limits = exceeded[place] ?? { daily: null, destination: null }
      const { amount_minor, total_reserved_minor, available_minor, largest_paid_minor } = facts
      const shown = {
        balance_percent: ratioOf(total_reserved_minor * 100n, available_minor),
        largest_paid_amount: largest_paid_minor === null ? null : formatAmount(largest_paid_minor),
        times_largest_paid: ratioOf(amount_minor, largest_paid_minor ?? 0n),
        new_destination: facts.new_destination,
        paid_by_others: facts.paid_by_others,
        recent_failures: facts.recent_failures,
        income_later: presentLater(facts.income_later),
        warnings: warningsOf(facts, limits),
      }
      return [withdrawalName(facts), { shown, exceeded: limits }]
    }),
  )
}

function presentLater(later: WithdrawalFacts['income_later']): DecisionFacts['income_later'] {
  return later && { amount: later.amount_minor === null ? null : formatAmount(later.amount_minor) }
}

/** Returns true if a withdrawal with this status waits for an approval. */
export function isWaiting(status: Withdrawal['status']): boolean {
  return withdrawalMoves.approve.from.some((one) => one === status)
}

/** Returns part / whole with one decimal, rounded down. Null means that `whole` is not above zero. */
function ratioOf(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) return null
  const tenths = (part * 10n) / whole
  return `${tenths / 10n}.${tenths % 10n}`
}
