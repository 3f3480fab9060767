// Finds, judges and stores the approvals of withdrawals. If a withdrawal, or a sum of the day with the withdrawal, reaches
// FOUR_EYES_AMOUNT, two operators have to approve. Each operator's approval is a row, written under the lock of the withdrawal.

import { type DailySums, fourEyesMinor, needsSecond, payoutSums } from '../../access/four-eyes/index.ts'
import { hasTies, operatorMay } from '../../access/merchants/index.ts'
import type { Act } from '../../books/audit/index.ts'
import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type Config, Refusal } from '../../kernel/lib/index.ts'
import { type Withdrawal, type WithdrawalId, withdrawalName } from './store.ts'

/** One operator's approval of a withdrawal. `reason` is the operator's text, which merchants cannot read. */
export type Approval = { operator_id: string; operator_name: string; reason: string | null; at: Date }

// An approval before the latest question to the merchant does not count. Before the reservation, a rejection or a cancellation
// ends all approvals. Approvals by former operators, and by operators with ties to the merchant, count only after the
// reservation.
const FIND = sql(
  'withdrawal_approvals_find',
  `select w.merchant_id, w.id, a.operator_id, a.operator_name, a.reason, a.at
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id
     and (w.funds <> 'none' or w.status not in ('REJECTED', 'CANCELLED'))
   join withdrawal_approvals a on a.merchant_id = i.merchant_id and a.withdrawal_id = i.id
   where a.version >= (
       select coalesce(max(h.seq), 0) from withdrawal_history h
       where h.merchant_id = i.merchant_id and h.withdrawal_id = i.id and h.to_status = 'INFO_REQUESTED')
     and (w.funds <> 'none' or exists (
       select from users u where u.id = a.operator_id and ${operatorMay('money')})
       and not ${hasTies('a.merchant_id', 'a.operator_id')})
   order by a.at, a.operator_id`,
)

/**
 * Returns the approvals that count for a batch of withdrawals, by `withdrawalName`. If no approval of a withdrawal counts, the
 * result has no entry.
 */
export async function findApprovals(reader: Reader, ids: readonly WithdrawalId[]): Promise<Map<string, Approval[]>> {
  const found = new Map<string, Approval[]>()
  if (ids.length === 0) return found
  const keys = ids.map(({ merchant_id, id }) => ({ merchant_id, id }))
  const rows = await reader.query<Approval & WithdrawalId>(FIND, [JSON.stringify(keys)])
  for (const { merchant_id, id, ...approval } of rows) {
    const name = withdrawalName({ merchant_id, id })
    found.set(name, [...(found.get(name) ?? []), approval])
  }
  return found
}

/** The fields of a withdrawal on which the number of required approvals depends. */
type CountedWithdrawal = Pick<
  Withdrawal,
  | 'merchant_id'
  | 'environment'
  | 'destination_identifier'
  | 'approvals_required'
  | 'four_eyes_minor'
  | 'total_reserved_minor'
>

/**
 * Returns the number of operators that have to approve. If an operator has approved already, the stored number applies;
 * otherwise the current setting and the sums of the day decide. Null in `sums` means that only the amount of the withdrawal
 * decides.
 */
export function requiredApprovals(
  config: Pick<Config, 'four_eyes_amount'>,
  row: CountedWithdrawal,
  sums: DailySums | null,
): { approvals_required: number; four_eyes_minor: bigint | null } {
  const { approvals_required, four_eyes_minor, total_reserved_minor: amount_minor } = row
  if (approvals_required !== null) return { approvals_required, four_eyes_minor }
  const limit_minor = fourEyesMinor(config)
  const two = needsSecond(limit_minor, sums, { keys: payoutSums(row), amount_minor })
  return { approvals_required: two ? 2 : 1, four_eyes_minor: limit_minor }
}

/**
 * Decides whether an operator's approval is the last that a withdrawal needs. If the operator submitted the withdrawal, or two
 * operators must approve and the actor is no operator, the refusal is forbidden. After another conflict of interest, the
 * refusal is `conflict`. If the operator has approved already, the refusal is second_operator_required.
 */
export function judgeApprover(
  withdrawal: Withdrawal,
  approvals_required: number,
  { act: { actor }, earlier, conflict }: { act: Act; earlier: readonly Approval[]; conflict: Refusal | null },
): 'last' | 'first' | Refusal {
  if (actor.kind === 'operator' && withdrawal.requested_by_kind === 'user' && withdrawal.requested_by_id === actor.id) {
    const message =
      approvals_required === 1
        ? 'You have submitted this withdrawal: another operator has to approve it.'
        : 'You have submitted this withdrawal: two other operators have to approve it.'
    return new Refusal('forbidden', { message })
  }
  if (conflict !== null) return conflict
  if (approvals_required === 1) return 'last'
  if (actor.kind !== 'operator' || actor.id === null)
    return new Refusal('forbidden', { message: 'Two operators have to approve this withdrawal.' })
  const others = earlier.filter(({ operator_id }) => operator_id !== actor.id)
  if (others.length + 1 >= approvals_required) return 'last'
  return others.length === earlier.length ? 'first' : refusedRepetition(approvals_required, earlier)
}

function refusedRepetition(approvals_required: number, earlier: readonly Approval[]): Refusal {
  const approvals = earlier.map(({ operator_name }) => operator_name)
  const message = `Approved by ${approvals.join(', ')}. Another operator must approve this withdrawal before any money moves.`
  return new Refusal('second_operator_required', { message, details: { approvals_required, approvals } })
}

/**
 * An approval to insert, with the version of the withdrawal that the operator approved. True in `first` means that another approval
 * must follow before money moves.
 */
export type NewApproval = WithdrawalId &
  Approval & { version: number; approvals_required: number; four_eyes_minor: bigint | null; first: boolean }

/**
 * Returns the row of an approval. Null means that the actor is not an operator, or that the withdrawal has no number of
 * required approvals yet.
 */
export function newApproval(
  deps: Deps,
  withdrawal: Withdrawal,
  { act: { actor }, reason, place }: { act: Act; reason: string | null; place: 'first' | 'last' },
): NewApproval | null {
  const { merchant_id, id, version, approvals_required, four_eyes_minor } = withdrawal
  if (actor.kind !== 'operator' || actor.id === null || approvals_required === null) return null
  const required = { approvals_required, four_eyes_minor, first: place === 'first' }
  return {
    merchant_id,
    id,
    version,
    operator_id: actor.id,
    operator_name: actor.name,
    reason,
    at: deps.clock.now(),
    ...required,
  }
}

/**
 * Returns the approvals after a new approval. If the same operator approved before, the new approval replaces the earlier
 * approval.
 */
export function withApproval(
  earlier: readonly Approval[],
  { operator_id, operator_name, reason, at }: Approval,
): Approval[] {
  return [...earlier.filter((other) => other.operator_id !== operator_id), { operator_id, operator_name, reason, at }]
}

// If an approval does not move the withdrawal, this query writes the number of required approvals. Otherwise the move writes this
// number.
const INSERT = sql(
  'withdrawal_approvals_give',
  `with given as (
     select * from json_to_recordset($1::json) as g(merchant_id uuid, id uuid, version int, operator_id uuid,
       operator_name text, reason text, approvals_required smallint, four_eyes_minor bigint, first boolean)
   ), kept as (
     insert into withdrawal_approvals (merchant_id, withdrawal_id, version, operator_id, operator_name, reason, at)
     select merchant_id, id, version, operator_id, operator_name, reason, $2 from given
     -- An operator whose rights were removed and restored may have an earlier approval here.
     on conflict do nothing
   )
   update withdrawals w set approvals_required = g.approvals_required, four_eyes_minor = g.four_eyes_minor
   from (select * from given where first order by merchant_id, id) g
   where w.merchant_id = g.merchant_id and w.id = g.id`,
)

/** Inserts approvals. The calling transaction holds the locks of the withdrawals. */
export async function insertApprovals(deps: Deps, tx: Tx, approvals: readonly NewApproval[]): Promise<void> {
  if (approvals.length === 0) return
  const input = approvals.map((approval) => ({
    ...approval,
    four_eyes_minor: approval.four_eyes_minor?.toString() ?? null,
  }))
  await tx.query(INSERT, [JSON.stringify(input), deps.clock.now()])
}
