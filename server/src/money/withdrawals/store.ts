// Withdrawals and payouts as they are stored: their shapes, and reading them.

import { CALL_MS_MAX, type PayoutFailure, type PayoutMethod } from '../../adapters/providers/port.ts'
import { inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { assertInvariant } from '../../kernel/lib/index.ts'
import type { Standing } from './decide.ts'
import type { Funds, PayoutState, Status } from './state.ts'

/** A withdrawal. Amounts in cents; see the comments of its table. */
export type Withdrawal = {
  merchant_id: string
  id: string
  environment: Environment
  status: Status
  version: number
  funds: Funds
  method: PayoutMethod
  amount_minor: bigint
  currency: string
  destination_code: string
  destination_identifier: string
  destination_name: string | null
  bank_name: string | null
  reference: string | null
  percentage_fee_minor: bigint
  flat_fee_minor: bigint
  processor_charge_minor: bigint
  processor_fee_pass_through: boolean
  total_charges_minor: bigint
  total_reserved_minor: bigint
  pricing_rule_id: string | null
  pricing_rule_label: string | null
  requested_by_kind: string
  requested_by_id: string | null
  requested_by_name: string
  status_reason: string | null
  failure_reason_code: PayoutFailure | null
  provider_reference: string | null
  transfer_id: string | null
  approvals_required: number | null
  four_eyes_minor: bigint | null
  created_at: Date
  updated_at: Date
  completed_at: Date | null
}

const COLUMNS = [
  'merchant_id',
  'id',
  'environment',
  'status',
  'version',
  'funds',
  'method',
  'amount_minor',
  'currency',
  'destination_code',
  'destination_identifier',
  'destination_name',
  'bank_name',
  'reference',
  'percentage_fee_minor',
  'flat_fee_minor',
  'processor_charge_minor',
  'processor_fee_pass_through',
  'total_charges_minor',
  'total_reserved_minor',
  'pricing_rule_id',
  'pricing_rule_label',
  'requested_by_kind',
  'requested_by_id',
  'requested_by_name',
  'status_reason',
  'failure_reason_code',
  'provider_reference',
  'transfer_id',
  'approvals_required',
  'four_eyes_minor',
  'created_at',
  'updated_at',
  'completed_at',
]

/** Columns of a withdrawal; the table is aliased w. */
export const WITHDRAWAL_COLUMNS = COLUMNS.map((column) => `w.${column}`).join(', ')

/** What a provider is asked to pay out, as the code that works on it needs it. */
export type Payout = {
  merchant_id: string
  withdrawal_id: string
  environment: Environment
  provider: string
  provider_reference: string
  method: PayoutMethod
  destination_code: string
  destination_identifier: string
  destination_name: string | null
  bank_name: string | null
  amount_minor: bigint
  currency: string
  state: PayoutState
  send_token: string | null
  asks: number
  sent_at: Date | null
  created_at: Date
  deadline_at: Date
  due_at: Date | null
}

/** Columns of a payout as the code that works on it needs them. */
export const PAYOUT_COLUMNS = [
  'merchant_id',
  'withdrawal_id',
  'environment',
  'provider',
  'provider_reference',
  'method',
  'destination_code',
  'destination_identifier',
  'destination_name',
  'bank_name',
  'amount_minor',
  'currency',
  'state',
  'send_token',
  'asks',
  'sent_at',
  'created_at',
  'deadline_at',
  'due_at',
] as const

/**
 * How long a process may take over one step of a payout: one question and one request, each of them a call that ends in
 * time, and what is around them. It is also how long a crash delays a payout.
 */
export const PAYOUT_LEASE_MS = 2 * CALL_MS_MAX + 5_000

/** A payout as a lock finds it. Before the approval there is none: `payout_state` is null. */
type LockedPayout = {
  provider: string | null
  payout_state: PayoutState | null
  send_token: string | null
  lease_owner: string | null
  deadline_at: Date | null
  due_at: Date | null
  asks: number
  sent_at: Date | null
  provider_status: string | null
  provider_id: string | null
}

/** A withdrawal and its payout under lock, with all that a move may need. */
export type Locked = Withdrawal &
  Standing &
  LockedPayout & {
    merchant_code: string
    merchant_name: string
    routing_code: number
    merchant_status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'
    merchant_verified: boolean
  }

/** Which withdrawal is meant. */
export type WithdrawalId = { merchant_id: string; id: string }

/** A withdrawal as a text, to look it up by. */
export function withdrawalName({ merchant_id, id }: WithdrawalId): string {
  return `${merchant_id} ${id}`
}

// The rows are found one by one, each by its whole primary key, in one order: two sets lock alike and never deadlock.
// Whoever changes a withdrawal or settles its payout holds this lock.
const LOCK = sql(
  'withdrawals_lock',
  `select w.* from (
     select * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id
   ) i
   cross join lateral (
     select ${WITHDRAWAL_COLUMNS} from withdrawals w where w.merchant_id = i.merchant_id and w.id = i.id for update
   ) w`,
)

// In a statement of its own, after the locks: what another process has just written is seen. The payout is locked as
// well, because its lease changes hands without the lock of the withdrawal.
const FACTS = sql(
  'withdrawals_facts',
  `select i.merchant_id, i.id, m.*, coalesce(t.amount_minor, 0) as booked_minor, p.provider, p.state as payout_state,
     p.send_token, p.lease_owner, p.deadline_at, p.due_at, coalesce(p.asks, 0) as asks, p.sent_at, p.provider_status, p.provider_id
   from (
     select * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id
   ) i
   cross join lateral (
     select merchant_code, name as merchant_name, routing_code::float8 as routing_code, status as merchant_status,
       verified as merchant_verified
     from merchants where id = i.merchant_id offset 0
   ) m
   left join lateral (
     select amount_minor from ledger_transfers l where l.merchant_id = i.merchant_id and l.source_id = i.id
       and l.source_type = 'withdrawal' and l.posting = 'withdrawal_reserved' and l.leg = 0 offset 0
   ) t on true
   left join lateral (
     select * from payouts p where p.merchant_id = i.merchant_id and p.withdrawal_id = i.id for update
   ) p on true`,
)

type Facts = Omit<Locked, keyof Withdrawal | 'overdue'> & WithdrawalId

/** Locks a set of withdrawals until the transaction ends. Answers those that exist, by `withdrawalName`. */
export async function lockWithdrawals(tx: Tx, ids: readonly WithdrawalId[]): Promise<Map<string, Locked>> {
  const distinct = new Map(ids.map(({ merchant_id, id }) => [withdrawalName({ merchant_id, id }), { merchant_id, id }]))
  const input = JSON.stringify([...distinct.values()])
  // They travel together; the connection keeps their order.
  const [rows, facts] = await Promise.all([tx.query<Withdrawal>(LOCK, [input]), tx.query<Facts>(FACTS, [input])])
  const found = new Map(facts.map((row) => [withdrawalName(row), row]))
  return new Map(
    rows.map((row) => {
      const more = found.get(withdrawalName(row))
      assertInvariant(more !== undefined, `withdrawal ${row.id} has its merchant`)
      return [withdrawalName(row), { ...row, ...more, overdue: false }]
    }),
  )
}

const FIND = sql(
  'withdrawals_find',
  `select ${WITHDRAWAL_COLUMNS} from withdrawals w where w.merchant_id = $1 and w.id = $2`,
)

/** A merchant's withdrawal, or null. */
export async function findWithdrawal(reader: Reader, { merchant_id, id }: WithdrawalId): Promise<Withdrawal | null> {
  const [row] = await reader.query<Withdrawal>(FIND, [merchant_id, id])
  return row ?? null
}

const FIND_PAYOUTS = sql(
  'payouts_find',
  `select ${PAYOUT_COLUMNS.map((column) => `p.${column}`).join(', ')}
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join payouts p on p.merchant_id = i.merchant_id and p.withdrawal_id = i.id`,
)

/** The payouts of some withdrawals, in no order. */
export function findPayouts(reader: Reader, ids: readonly WithdrawalId[]): Promise<Payout[]> {
  const keys = ids.map(({ merchant_id, id }) => ({ merchant_id, id }))
  return reader.query<Payout>(FIND_PAYOUTS, [JSON.stringify(keys)])
}

/** One line of a withdrawal's history. */
export type HistoryEntry = {
  seq: number
  from_status: Status
  to_status: Status
  actor_kind: string
  actor_id: string | null
  actor_name: string
  reason: string | null
  event: string | null
  at: Date
}

const HISTORY = sql(
  'withdrawals_history',
  `select seq, from_status, to_status, actor_kind, actor_id, actor_name, reason, event, at from withdrawal_history
   where merchant_id = $1 and withdrawal_id = $2 order by seq`,
)

/** What became of a withdrawal, oldest first. */
export function historyOf(reader: Reader, { merchant_id, id }: WithdrawalId): Promise<HistoryEntry[]> {
  return reader.query<HistoryEntry>(HISTORY, [merchant_id, id])
}
