// Approves withdrawals; only this code reserves money for a payout. One transaction writes reservation, payout, approval and
// audit entry. The process calls the provider after the commit. If the process dies before this call, the payout becomes due
// when its lease ends.

import {
  addToSums,
  auditCounted,
  countPart,
  type DailySums,
  fourEyesMinor,
  lockSums,
  payoutSums,
  readSums,
  type SumPart,
} from '../../access/four-eyes/index.ts'
import { findConflicts } from '../../access/merchants/index.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Act, recordAudits } from '../../books/audit/index.ts'
import { bookName, lockBooks } from '../../books/ledger/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import {
  base32ToId,
  canonicalPhone,
  formatAmount,
  idToBase32,
  isId,
  maskPhone,
  newId,
  Refusal,
  refuse,
  routingCodeOf,
  type TraceContext,
} from '../../kernel/lib/index.ts'
import {
  type Approval,
  findApprovals,
  insertApprovals,
  judgeApprover,
  type NewApproval,
  newApproval,
  requiredApprovals,
  withApproval,
} from './approvals.ts'
import {
  type EventSubscriptions,
  moveWithdrawal,
  readSubscriptions,
  type WithdrawalChange,
  writeWithdrawalChanges,
} from './change.ts'
import { type FindProvider, missingOf } from './check.ts'
import { WHOLE } from './decide.ts'
import { findNewDestinations } from './new-destinations.ts'
import { addToDay, findPayoutLimits, type PayoutDay, readPayoutDay, refusePayoutLimit } from './payout-limits.ts'
import { canMoveWithdrawal, type WithdrawalStatus } from './state.ts'
import {
  lockWithdrawals,
  type MerchantWithdrawal,
  PAYOUT_LEASE_MS,
  type Payout,
  type Withdrawal,
  type WithdrawalId,
  type WithdrawalSnapshot,
  withdrawalName,
} from './store.ts'

/**
 * A request to approve one withdrawal, with its actor and reason. Operators can read the reason; merchants cannot. True in
 * `confirm_new_destination` means that the operator has checked a destination that the merchant has not paid yet.
 */
export type ApprovalRequest = WithdrawalId & {
  act: Act
  reason?: string | null
  confirm_new_destination?: boolean
  /** What the operator could see at the moment of the approval, for the audit entry. */
  evidence?: object | undefined
  /** The trace of the request. Missing or null means that the server does not trace the request. */
  trace?: TraceContext | null
}

/** The functions that an approval calls to choose the provider and to check the capacity for the payout. */
export type PayoutProviders = {
  find: FindProvider
  /**
   * Returns true if this process has capacity to send a payout of this provider immediately. Returns false if a worker has to
   * claim the payout.
   */
  canDispatch(provider: string): boolean
}

/** A withdrawal after an approval, with all its approvals that count. */
export type ApprovalResult = MerchantWithdrawal & { approvals: readonly Approval[] }

/** The results of a batch of approvals. After the commit, this process sends the payouts that have a lease. */
export type ApprovalBatch = { answers: (ApprovalResult | Refusal)[]; payouts: Payout[]; deliveries: Delivery[] }

/**
 * The options of a batch. `send: false` is for the sandbox: the merchant decides and answers for operators and provider, the
 * server sends no payout, and one approval is enough. If `dry_run` is true, the function judges in the same way and writes no
 * row.
 */
export type ApproveOptions = { send?: boolean; dry_run?: boolean }

const INSERT = sql(
  'payouts_insert',
  `insert into payouts (merchant_id, withdrawal_id, environment, provider, provider_reference, method, destination_code,
     destination_identifier, destination_name, bank_name, amount_minor, currency, state, send_token, asks, deadline_at,
     due_at, lease_owner, sent_at, provider_status, provider_id, created_at, updated_at, trace)
   select merchant_id, withdrawal_id, environment, provider, provider_reference, method, destination_code,
     destination_identifier, destination_name, bank_name, amount, currency, state, send_token, 0, deadline_at, due_at, lease_owner,
     null, null, null, $2, $2, trace
   from json_to_recordset($1::json) as p(merchant_id uuid, withdrawal_id uuid, environment text, provider text,
     provider_reference text, method text, destination_code text, destination_identifier text, destination_name text,
     bank_name text, amount bigint, currency text, state text, send_token uuid, deadline_at timestamptz, due_at timestamptz, lease_owner uuid,
     trace text)`,
)

/** The data that one batch of approvals reads, and the rows that the batch writes. */
type ApprovalWork = {
  deps: Deps
  providers: PayoutProviders
  send: boolean
  subscriptions: EventSubscriptions
  /**
   * The withdrawals under lock. Each approval replaces the snapshot of its withdrawal, so that the next approval reads the changed
   * state.
   */
  snapshots: Map<string, WithdrawalSnapshot>
  /** The remaining balance of each book after the earlier approvals of the batch. */
  available: Map<string, bigint>
  /**
   * The limits of the day, and the sums after the earlier approvals of the batch. Null means that the merchant simulates in the
   * sandbox, without operators.
   */
  day: PayoutDay | null
  /**
   * The names of the withdrawals to new destinations. If no item of the batch needs or has a confirmation, the set is empty.
   */
  new_destinations: ReadonlySet<string>
  approvals: Map<string, Approval[]>
  /**
   * The sums of the day: under lock, or in a dry run without a lock. Null means that no amount needs a second operator, or that
   * the merchant simulates.
   */
  sums: DailySums | null
  /** The amounts of this batch, which `sums` already contains. */
  sum_parts: SumPart[]
  /** Returns the refusal of an operator with a conflict of interest. Null means that the operator has no conflict. */
  conflictOf: Awaited<ReturnType<typeof findConflicts>>
  changes: WithdrawalChange[]
  payouts: Payout[]
  new_approvals: NewApproval[]
  audits: Parameters<typeof recordAudits>[2][number][]
}

/**
 * Approves a batch of withdrawals in the given transaction and order, and judges each withdrawal after the changes of the
 * earlier items. If the function refuses an item, its answer is a Refusal, and no row of the item changes. If a withdrawal
 * needs two operators, the first approval reserves no money.
 */
export async function approveWithdrawals(
  deps: Deps,
  tx: Tx,
  providers: PayoutProviders,
  requests: readonly ApprovalRequest[],
  { send = true, dry_run = false }: ApproveOptions = {},
): Promise<ApprovalBatch> {
  const snapshots = await lockWithdrawals(
    tx,
    requests.filter(({ id }) => isId(id)),
  )
  const withdrawals = [...snapshots.values()].map(({ withdrawal }) => withdrawal)
  const known = requests.filter((request) => snapshots.has(withdrawalName(request)))
  const subscriptions = await readSubscriptions(tx, snapshots.values())
  const counts = send && fourEyesMinor(deps.config) !== null
  const sum_keys = counts ? withdrawals.flatMap(payoutSums) : []
  const reads_destinations = send && (mustConfirm(deps) || requests.some((request) => request.confirm_new_destination))
  // These queries share one round trip. The connection keeps their order, so the lock of the sums comes before the lock of the
  // books.
  const [sums, available, limits, approvals, conflictOf, new_destinations] = await Promise.all([
    (dry_run ? readSums : lockSums)(deps, tx, sum_keys),
    lockBooks(tx, withdrawals),
    findPayoutLimits(deps.config, tx, withdrawals),
    findApprovals(tx, withdrawals),
    findConflicts(tx, send ? known : []),
    findNewDestinations(tx, reads_destinations ? withdrawals : []),
  ])
  // After the lock of the books, this query reads the payouts of every earlier approval.
  const day = send ? await readPayoutDay(deps, tx, withdrawals, limits) : null
  const work: ApprovalWork = {
    deps,
    providers,
    send,
    subscriptions,
    snapshots,
    available,
    day,
    new_destinations,
    approvals,
    sums: counts ? sums : null,
    sum_parts: [],
    conflictOf,
    changes: [],
    payouts: [],
    new_approvals: [],
    audits: [],
  }
  const answers = requests.map((request) => approveOne(work, request))
  if (dry_run) return { answers, payouts: [], deliveries: [] }
  const { payouts } = work
  await Promise.all([
    addToSums(tx, sums, work.sum_parts),
    insertPayouts(deps, tx, payouts),
    insertApprovals(deps, tx, work.new_approvals),
  ])
  const deliveries = await writeWithdrawalChanges(deps, tx, work.changes, () => false)
  await recordAudits(deps, tx, work.audits)
  return { answers, payouts, deliveries }
}

/** Judges one request and adds its changes to the changes that the batch writes. */
function approveOne(work: ApprovalWork, request: ApprovalRequest): ApprovalResult | Refusal {
  const { deps, send } = work
  const { act, reason = null, confirm_new_destination = false, evidence, trace = null, ...key } = request
  const name = withdrawalName(key)
  const snapshot = work.snapshots.get(name)
  if (snapshot === undefined) return new Refusal('not_found', NOT_FOUND)
  const earlier = work.approvals.get(name) ?? []
  const verdict = judgeApproval(
    work,
    snapshot,
    send ? { act, earlier, conflict: work.conflictOf({ ...key, act }) } : null,
  )
  if (verdict instanceof Refusal) return verdict
  const is_new = work.new_destinations.has(name)
  if (is_new && !confirm_new_destination && mustConfirm(deps)) return new Refusal('confirmation_required')
  const { withdrawal: before, merchant } = snapshot
  const required = send
    ? requiredApprovals(deps.config, before, work.sums)
    : { approvals_required: before.approvals_required ?? 1 }
  const judged = { ...before, ...required }
  const approval = newApproval(deps, judged, { act, reason, place: verdict.place })
  if (approval !== null) work.new_approvals.push(approval)
  const approvals = approval === null ? earlier : withApproval(earlier, approval)
  work.approvals.set(name, approvals)
  const is_last = verdict.place === 'last'
  const next = { ...snapshot, withdrawal: judged }
  const withdrawal = is_last ? reserve(work, next, verdict.provider.name, { ...act, reason, trace }) : judged
  work.snapshots.set(name, { ...snapshot, withdrawal })
  const operators = approvals.map(({ operator_name }) => operator_name)
  const { approvals_required } = withdrawal
  const counted = !send || approvals_required === 1 ? {} : { approvals_required, approvals: operators }
  work.audits.push({
    ...act,
    merchant_id: withdrawal.merchant_id,
    action: is_last ? 'withdrawal.approve' : 'withdrawal.first_approve',
    target_type: 'withdrawal',
    target_id: withdrawal.id,
    reason,
    before: { status: before.status },
    after: {
      status: withdrawal.status,
      ...auditFields(withdrawal),
      ...(is_last && work.sums !== null ? auditCounted(fourEyesMinor(deps.config)) : {}),
      ...counted,
      ...(is_new && confirm_new_destination ? { new_destination: 'confirmed' } : {}),
      ...(evidence === undefined ? {} : { evidence }),
    },
  })
  return { ...withdrawal, ...merchant, approvals }
}

/** Returns true if operators must confirm the first payout of a merchant to a destination. */
function mustConfirm({ config }: Pick<Deps, 'config'>): boolean {
  return config.new_destination === 'confirm'
}

/**
 * Adds the reservation and the payout of an approved withdrawal to the changes that the batch writes. Returns the withdrawal after
 * its move.
 */
function reserve(
  work: ApprovalWork,
  snapshot: WithdrawalSnapshot,
  provider: string,
  { actor, reason, trace }: Act & { reason: string | null; trace: TraceContext | null },
): Withdrawal {
  const { deps, available, day, subscriptions } = work
  const { merchant } = snapshot
  const payout = newPayout(work, snapshot, provider, trace)
  work.payouts.push(payout)
  const { total_reserved_minor } = snapshot.withdrawal
  const book = bookName(snapshot.withdrawal)
  available.set(book, (available.get(book) as bigint) - total_reserved_minor)
  countPayout(work, snapshot.withdrawal)
  if (day !== null) addToDay(day, snapshot.withdrawal)
  const transfer_id = newId(deps, merchant.routing_code)
  const withdrawal = { ...snapshot.withdrawal, provider_reference: payout.provider_reference, transfer_id }
  const effect = { fact: 'withdrawal_reserved', amount_minor: total_reserved_minor, ...WHOLE } as const
  const step = { move: 'approve', funds: 'reserved', failure: null, effect, why: reason } as const
  const change = moveWithdrawal(deps, subscriptions, { withdrawal, merchant, payout }, step, { actor, transfer_id })
  work.changes.push(change)
  return change.withdrawal
}

/** Counts a payout in the sums of its merchant and its destination, if the batch counts in sums. */
function countPayout({ sums, sum_parts }: ApprovalWork, withdrawal: Withdrawal): void {
  if (sums === null) return
  const parts = payoutSums(withdrawal).map((key) => ({ key, amount_minor: withdrawal.total_reserved_minor }))
  for (const part of parts) countPart(sums, part)
  sum_parts.push(...parts)
}

async function insertPayouts(deps: Deps, tx: Tx, payouts: readonly Payout[]): Promise<void> {
  if (payouts.length === 0) return
  const input = payouts.map((payout) => ({
    ...payout,
    amount_minor: undefined,
    amount: payout.amount_minor.toString(),
    lease_owner: payout.due_at !== null && payout.due_at > deps.clock.now() ? deps.process_id : null,
  }))
  await tx.query(INSERT, [JSON.stringify(input), deps.clock.now()])
}

/**
 * Returns the fields of a withdrawal that an audit entry contains. Entries can never change, so they have the recipient's
 * account only in part. The whole account is in the withdrawal that the entry names.
 */
export function auditFields(row: Withdrawal) {
  const { environment, method, destination_code } = row
  const account = row.destination_identifier
  const is_phone = method !== 'BANK_ACCOUNT' && canonicalPhone(account) === account
  const destination_identifier = is_phone ? maskPhone(account) : `*** ${account.slice(-4)}`
  return {
    environment,
    amount: formatAmount(row.amount_minor),
    total_reserved_amount: formatAmount(row.total_reserved_minor),
    method,
    destination_code,
    destination_identifier,
  }
}

/** The message about an unknown withdrawal. */
export const NOT_FOUND = { message: 'There is no such withdrawal. Check the id.' }

/**
 * Refuses an action that the current status does not allow, with invalid_state and the actions that are possible instead.
 * `rule` is a sentence that says when the action is possible.
 */
export function refuseState(row: Withdrawal, rule: string): never {
  refuse('invalid_state', stateProblem(row, rule))
}

function stateProblem({ status }: Withdrawal, rule: string) {
  const hint = NEXT_ACTIONS[status] ?? ''
  const message = [`This withdrawal is ${status}.`, rule].join(' ') + hint
  return { message, details: { status } }
}

/** For a refused action, the actions that an operator or the merchant can take instead. */
const NEXT_ACTIONS: Partial<Record<WithdrawalStatus, string>> = {
  INFO_REQUESTED: ' The merchant can respond, and an operator can approve or reject the withdrawal.',
  PROCESSING: ' Wait for the result. If the server has not sent the payout, an operator can recall the payout.',
  NEEDS_RECONCILIATION: ' An operator can resolve the withdrawal.',
  BLOCKED_IP_WHITELIST: ' An operator can retry or resolve the withdrawal.',
  NEEDS_ADMIN_ATTENTION: ' An operator can resolve the withdrawal.',
}

/**
 * The verdict that an approval counts. `last` means that no other approval is missing; `first` means that a second operator has
 * to approve.
 */
type ApprovalVerdict = { provider: Provider; place: 'first' | 'last' }

/**
 * Returns the provider of the payout and the place of the approval, or a refusal. If `by` is null, the merchant simulates the
 * approval in the sandbox, without operators.
 */
function judgeApproval(
  { deps, providers, available, day, sums }: ApprovalWork,
  snapshot: WithdrawalSnapshot,
  by: { act: Act; earlier: readonly Approval[]; conflict: Refusal | null } | null,
): ApprovalVerdict | Refusal {
  const { withdrawal } = snapshot
  if (!canMoveWithdrawal('approve', withdrawal.status)) {
    const rule = 'An operator can approve only a withdrawal that is PENDING_ADMIN_APPROVAL or INFO_REQUESTED.'
    return new Refusal('invalid_state', stateProblem(withdrawal, rule))
  }
  const { approvals_required } = requiredApprovals(deps.config, withdrawal, sums)
  const place = by === null ? 'last' : judgeApprover(withdrawal, approvals_required, by)
  if (place instanceof Refusal) return place
  if (isRestricted(snapshot)) {
    const message = 'The merchant is not active and verified. Reject the withdrawal, or complete the merchant first.'
    return new Refusal('withdrawal_restricted', { message })
  }
  const left = available.get(bookName(withdrawal)) ?? 0n
  if (left < withdrawal.total_reserved_minor) return shortOf(left, withdrawal)
  const beyond = day === null ? null : refusePayoutLimit(day, withdrawal)
  if (beyond !== null) return beyond
  // The configuration may have changed since the merchant submitted the withdrawal.
  const provider = providers.find(withdrawal.environment, withdrawal)
  if (provider === null) {
    const message = `No configured provider supports ${withdrawal.method} payouts to ${withdrawal.destination_code}. Reject the withdrawal, or configure a provider for this destination.`
    return new Refusal('provider_unavailable', { message })
  }
  const absent = missingOf(provider, withdrawal)
  if (absent.length > 0) {
    const message = `${provider.name} cannot pay out this withdrawal without its ${absent.join(', ')}. Reject the withdrawal, and ask the merchant to submit it again.`
    return new Refusal('provider_unavailable', { message })
  }
  if (provider.capabilities.whole_shillings && withdrawal.amount_minor % 100n !== 0n) {
    const message = `${provider.name} supports payouts of whole shillings only, and the amount is ${formatAmount(withdrawal.amount_minor)}. Reject the withdrawal, and ask the merchant for an amount without cents.`
    return new Refusal('provider_unavailable', { message })
  }
  return { provider, place }
}

/** Returns true if the withdrawal is live, and its merchant is not active and verified. */
export function isRestricted({ withdrawal, merchant }: WithdrawalSnapshot): boolean {
  return withdrawal.environment === 'live' && (merchant.merchant_status !== 'ACTIVE' || !merchant.merchant_verified)
}

/**
 * Returns the refusal of a withdrawal that the balance does not cover, with the balance, the amount, and the amount with
 * charges.
 */
export function shortOf(
  available_minor: bigint,
  { amount_minor, total_reserved_minor }: Pick<Withdrawal, 'amount_minor' | 'total_reserved_minor'>,
): Refusal {
  const [available, amount, needed] = [available_minor, amount_minor, total_reserved_minor].map(formatAmount)
  const message = `The available balance is ${available}. The withdrawal of ${amount} needs ${needed} with its fees. Wait until the balance covers the withdrawal, or choose a smaller amount.`
  return new Refusal('insufficient_balance', { message })
}

/**
 * Returns the provider reference of a payout. The first letter W distinguishes the reference from the references of
 * collections.
 */
export function payoutReference(withdrawal_id: string): string {
  return `W${idToBase32(withdrawal_id)}`
}

/**
 * Returns the withdrawal id and the merchant's routing code in a payout reference. Null means that the reference does not have our
 * format.
 */
export function parsePayoutReference(reference: string): { routing_code: number; id: string } | null {
  const id = /^W[0-9A-Z]{26}$/.test(reference) ? base32ToId(reference.slice(1)) : null
  return id === null ? null : { routing_code: routingCodeOf(id), id }
}

function newPayout(
  { deps, providers, send }: ApprovalWork,
  { withdrawal, merchant }: WithdrawalSnapshot,
  provider: string,
  trace: TraceContext | null,
): Payout {
  const now = deps.clock.now()
  // If the merchant simulates the approval in the sandbox, this process takes the lease, so that the server applies the
  // simulated answer. If the merchant simulates no answer, the payout becomes due again.
  const leased = !send || providers.canDispatch(provider)
  const { merchant_id, id, environment, method, destination_code, destination_identifier } = withdrawal
  return {
    merchant_id,
    withdrawal_id: id,
    environment,
    provider,
    provider_reference: payoutReference(id),
    method,
    destination_code,
    destination_identifier,
    destination_name: withdrawal.destination_name,
    bank_name: withdrawal.bank_name,
    amount_minor: withdrawal.amount_minor,
    currency: withdrawal.currency,
    state: send ? 'to_send' : 'asked',
    send_token: send ? newId(deps, merchant.routing_code) : null,
    asks: 0,
    sent_at: null,
    created_at: now,
    deadline_at: payoutDeadline(deps),
    due_at: leased ? new Date(now.getTime() + PAYOUT_LEASE_MS) : now,
    trace,
  }
}

/** Returns the deadline of a payout that an operator approves or retries now. After the deadline, no process sends the payout. */
export function payoutDeadline(deps: Deps): Date {
  return new Date(deps.clock.now().getTime() + deps.config.payout_deadline_h * 3_600_000)
}
