// Defines stored withdrawals and payouts, with the queries that lock and read them.

import { CALL_MS_MAX, type PayoutFailure, type PayoutMethod } from '../../adapters/providers/port.ts'
import { inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { assertInvariant, type Metadata, type TraceContext } from '../../kernel/lib/index.ts'
import type { Funds, PayoutState, WithdrawalStatus } from './state.ts'

/** A row of `withdrawals`. Amounts are in cents; db/schema.md describes the columns. */
export type Withdrawal = {
  merchant_id: string
  id: string
  environment: Environment
  status: WithdrawalStatus
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
  /** The merchant's metadata: pairs of a name and a text. Null means that the merchant sent no pairs. */
  metadata: Metadata | null
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
  'metadata',
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

/** The columns of a withdrawal, with the table alias w. */
export const WITHDRAWAL_COLUMNS = COLUMNS.map((column) => `w.${column}`).join(', ')

/**
 * The payout of one withdrawal at a provider. The server may send the request for the payout again, with the same reference.
 */
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
  /** The trace of the request that approved the payout. Null means that the server does not trace the payout. */
  trace: TraceContext | null
}

/**
 * Returns the attributes of a span about a payout: ids and names, but no amount, no destination and no text of a merchant.
 */
export function payoutTraceFields({ withdrawal_id, provider, environment, method }: Payout) {
  return {
    'malipo.withdrawal_id': withdrawal_id,
    'malipo.provider': provider,
    'malipo.method': method,
    'malipo.environment': environment,
  }
}

/** The columns that a query must select for a `Payout`. */
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
  'trace',
] as const

/**
 * The lease of a payout in milliseconds: the time for one status query, one payout request and the work between them. Both
 * calls have a timeout. If the process dies, the payout waits until the lease ends.
 */
export const PAYOUT_LEASE_MS = 2 * CALL_MS_MAX + 5_000

/** The payout of a locked withdrawal, with its lease and the latest data from the provider. */
export type PayoutSnapshot = {
  provider: string
  state: PayoutState
  send_token: string | null
  lease_owner: string | null
  deadline_at: Date
  due_at: Date | null
  asks: number
  sent_at: Date | null
  provider_status: string | null
  provider_id: string | null
  /** The trace of the request that approved the payout. Null means that the server does not trace the payout. */
  trace: TraceContext | null
}

/** The fields of a locked withdrawal's merchant on which decisions, events and e-mails depend. */
export type WithdrawalMerchant = {
  merchant_code: string
  merchant_name: string
  routing_code: number
  merchant_status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'
  merchant_verified: boolean
}

/** A locked withdrawal with all data on which a decision depends. A decision returns changes and does not change the snapshot. */
export type WithdrawalSnapshot = {
  readonly withdrawal: Readonly<Withdrawal>
  /** The payout. Null means that no approval has made a payout yet. */
  readonly payout: Readonly<PayoutSnapshot> | null
  readonly merchant: Readonly<WithdrawalMerchant>
  /** The amount in cents that the ledger has reserved for the withdrawal. */
  readonly booked_minor: bigint
}

/** A withdrawal together with its merchant, for answers to operators and for e-mails. */
export type MerchantWithdrawal = Withdrawal & WithdrawalMerchant

/** The primary key of a withdrawal. */
export type WithdrawalId = { merchant_id: string; id: string }

/** Returns the key of a withdrawal in a Map or a Set. */
export function withdrawalName({ merchant_id, id }: WithdrawalId): string {
  return `${merchant_id} ${id}`
}

// The query locks each row by its whole primary key, in one order, so that two batches never deadlock. Every transaction that
// changes a withdrawal or settles its payout holds this lock.
const LOCK = sql(
  'withdrawals_lock',
  `select w.* from (
     select * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id
   ) i
   cross join lateral (
     select ${WITHDRAWAL_COLUMNS} from withdrawals w where w.merchant_id = i.merchant_id and w.id = i.id for update
   ) w`,
)

// A separate query after the locks reads the rows that another process has just committed. The query locks the payout too,
// because a process can take the payout's lease without the lock of the withdrawal.
const FACTS = sql(
  'withdrawals_facts',
  `select i.merchant_id, i.id, m.*, coalesce(t.amount_minor, 0) as booked_minor, p.provider, p.state as payout_state,
     p.send_token, p.lease_owner, p.deadline_at, p.due_at, coalesce(p.asks, 0) as asks, p.sent_at, p.provider_status, p.provider_id,
     p.trace
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

type LockedFactsRow = WithdrawalId &
  WithdrawalMerchant &
  Omit<PayoutSnapshot, 'state' | 'provider' | 'deadline_at'> & {
    booked_minor: bigint
    payout_state: PayoutState | null
    provider: string | null
    deadline_at: Date | null
  }

/** Locks a batch of withdrawals until the transaction ends. Returns the existing withdrawals by `withdrawalName`. */
export async function lockWithdrawals(tx: Tx, ids: readonly WithdrawalId[]): Promise<Map<string, WithdrawalSnapshot>> {
  const distinct = new Map(ids.map(({ merchant_id, id }) => [withdrawalName({ merchant_id, id }), { merchant_id, id }]))
  const input = JSON.stringify([...distinct.values()])
  // Both queries share one round trip, and the connection keeps their order.
  const [rows, facts] = await Promise.all([
    tx.query<Withdrawal>(LOCK, [input]),
    tx.query<LockedFactsRow>(FACTS, [input]),
  ])
  const factsByName = new Map(facts.map((row) => [withdrawalName(row), row]))
  return new Map(
    rows.map((withdrawal) => {
      const found = factsByName.get(withdrawalName(withdrawal))
      assertInvariant(found !== undefined, `withdrawal ${withdrawal.id} has its merchant`)
      return [withdrawalName(withdrawal), snapshotOf(withdrawal, found)]
    }),
  )
}

function snapshotOf(withdrawal: Withdrawal, facts: LockedFactsRow): WithdrawalSnapshot {
  const { merchant_code, merchant_name, routing_code, merchant_status, merchant_verified, booked_minor } = facts
  const merchant = { merchant_code, merchant_name, routing_code, merchant_status, merchant_verified }
  return { withdrawal, payout: payoutSnapshotOf(facts), merchant, booked_minor }
}

function payoutSnapshotOf(facts: LockedFactsRow): PayoutSnapshot | null {
  const { payout_state: state, provider, deadline_at, send_token, lease_owner, due_at, asks, sent_at } = facts
  if (state === null || provider === null || deadline_at === null) return null
  const { provider_status, provider_id, trace } = facts
  const asked = { asks, sent_at, provider_status, provider_id }
  return { provider, state, send_token, lease_owner, deadline_at, due_at, ...asked, trace }
}

const FIND = sql(
  'withdrawals_find',
  `select ${WITHDRAWAL_COLUMNS} from withdrawals w where w.merchant_id = $1 and w.id = $2`,
)

/** Returns the withdrawal of this merchant with this id. Null means that no such withdrawal exists. */
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

/** Returns the payouts of a batch of withdrawals, in no order. */
export function findPayouts(reader: Reader, ids: readonly WithdrawalId[]): Promise<Payout[]> {
  const keys = ids.map(({ merchant_id, id }) => ({ merchant_id, id }))
  return reader.query<Payout>(FIND_PAYOUTS, [JSON.stringify(keys)])
}

/**
 * A change of status, an answer that changed no status, or the reason for which the payout waits. `seq` gives the order. Null
 * in `event` means that the merchant gets no event.
 */
export type HistoryEntry = {
  seq: number
  from_status: WithdrawalStatus
  to_status: WithdrawalStatus
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

/** Returns the history of a withdrawal, oldest entry first. */
export function historyOf(reader: Reader, { merchant_id, id }: WithdrawalId): Promise<HistoryEntry[]> {
  return reader.query<HistoryEntry>(HISTORY, [merchant_id, id])
}
