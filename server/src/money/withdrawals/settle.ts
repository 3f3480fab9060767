// Settles payouts in one transaction: applies answers of providers to statuses, postings, events and due times. If the process
// dies before the commit, the payout becomes due again. If the process dies after the commit, each delivery becomes due when
// its lease ends.

import { ASK_AGAIN_MS_MAX } from '../../adapters/providers/answer.ts'
import { isUnasked } from '../../adapters/providers/breaker.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import type { CanDeliver, Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inLockOrder, inputRows, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, newId } from '../../kernel/lib/index.ts'
import {
  type EventSubscriptions,
  moveWithdrawal,
  noteContradiction,
  readSubscriptions,
  type WithdrawalChange,
  writeWithdrawalChanges,
} from './change.ts'
import { blockReason, decidePayout, isFinalAnswer } from './decide.ts'
import { canMoveWithdrawal, type PayoutState } from './state.ts'
import {
  lockWithdrawals,
  type PayoutSnapshot,
  type Withdrawal,
  type WithdrawalId,
  type WithdrawalSnapshot,
  withdrawalName,
} from './store.ts'

/**
 * An answer about one payout. If the process that received the answer holds the payout's lease, `holds_lease` is true.
 * Otherwise, for example after a callback, `holds_lease` is false.
 */
export type PayoutOutcome = WithdrawalId & { answer: PayoutAnswer; holds_lease: boolean }

/**
 * The pauses in seconds between two status queries, or between two requests to an unreachable provider. Most payouts end within
 * seconds.
 */
const PAUSES_S = [2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600]

/**
 * The longest pause in milliseconds between two steps of a waiting payout, including pauses that a provider announces.
 */
export const LONGEST_PAUSE_MS = Math.max(ASK_AGAIN_MS_MAX, 1_000 * Math.max(...PAUSES_S))

/**
 * Returns the due time of the next step. If the provider announced a pause, that pause applies; otherwise the pauses of
 * PAUSES_S grow with the steps.
 */
function nextStepAt(now: Date, steps: number, announced_ms?: number): Date {
  const index = Math.min(Math.max(steps, 1), PAUSES_S.length) - 1
  return new Date(now.getTime() + (announced_ms ?? (PAUSES_S[index] as number) * 1_000))
}

const WRITE = sql(
  'payouts_write',
  `update payouts p set state = i.state, send_token = i.send_token, due_at = i.due_at, lease_owner = i.lease_owner,
     asks = i.asks, sent_at = i.sent_at, provider_status = i.provider_status, provider_id = i.provider_id, updated_at = $2
   from ${inputRows(
     '$1',
     'withdrawal_id',
     `merchant_id uuid, withdrawal_id uuid, state text, send_token uuid, due_at timestamptz, lease_owner uuid,
      asks smallint, sent_at timestamptz, provider_status text, provider_id text`,
   )} i
   where p.merchant_id = i.merchant_id and p.withdrawal_id = i.withdrawal_id`,
)

// A separate query after the locks reads the rows that another process committed before this process got the locks.
const RECORDED_OUTCOMES = sql(
  'withdrawals_told',
  `select h.merchant_id, h.withdrawal_id as id, h.reason
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawal_history h on h.merchant_id = i.merchant_id and h.withdrawal_id = i.id
   where h.actor_kind = 'provider' and h.reason is not null`,
)

/** A snapshot of a withdrawal that has a payout. */
type PayoutInHand = WithdrawalSnapshot & { payout: Readonly<PayoutSnapshot> }

/**
 * Applies a batch of answers in the given transaction: moves with their history, postings and events. A repeated answer changes
 * nothing. Returns the queued deliveries. If this process has the lease of a delivery, this process sends the delivery.
 */
export async function applyPayoutOutcomes(
  deps: Deps,
  tx: Tx,
  outcomes: readonly PayoutOutcome[],
  canDeliver: CanDeliver,
): Promise<Delivery[]> {
  const snapshots = await lockWithdrawals(tx, outcomes)
  const locked = [...snapshots.values()]
  const [subscriptions, recorded] = await Promise.all([
    readSubscriptions(tx, locked),
    readRecordedOutcomes(
      tx,
      locked.map(({ withdrawal }) => withdrawal),
    ),
  ])
  const changes: WithdrawalChange[] = []
  for (const { answer, holds_lease, ...key } of outcomes) {
    const name = withdrawalName(key)
    const before = snapshots.get(name)
    assertInvariant(before !== undefined && before.payout !== null, `the payout of withdrawal ${key.id} exists`)
    // The server applies a final answer from every source. If this process does not hold the lease, the server stores only the
    // provider's data of any other answer. Only the lease holder has the state of its request.
    const counts = isFinalAnswer(answer) || (holds_lease && before.payout.lease_owner === deps.process_id)
    const noted: PayoutInHand = { ...before, payout: recordFacts(deps, before.payout, answer) }
    if (!counts) {
      snapshots.set(name, noted)
      continue
    }
    const made = changesByAnswer(deps, subscriptions, noted, answer, recorded)
    changes.push(...made)
    const moved = { ...noted, withdrawal: made.at(-1)?.withdrawal ?? noted.withdrawal }
    snapshots.set(name, { ...moved, payout: nextPayout(deps, moved, answer) })
  }
  // The transaction writes the payouts first and locks the merchants' accounts last, because other transactions wait for these
  // accounts.
  const [, deliveries] = await Promise.all([
    writePayouts(deps, tx, [...snapshots.values()]),
    writeWithdrawalChanges(deps, tx, changes, canDeliver),
  ])
  return deliveries
}

/** Applies a batch of answers in a new transaction. Returns the queued deliveries after the commit. */
export async function settlePayouts(
  deps: Deps,
  outcomes: readonly PayoutOutcome[],
  canDeliver: CanDeliver,
): Promise<Delivery[]> {
  const deliveries = await inTransaction(deps.db, async (tx) => {
    const made = await applyPayoutOutcomes(deps, tx, outcomes, canDeliver)
    deps.point('payout.before_commit')
    return made
  })
  deps.point('payout.after_commit')
  return deliveries
}

/**
 * If a withdrawal no longer waits for an answer, reads the provider's answers in its history, as `name answer`. The server
 * records a repeated contradiction once, because the operator who decided later could read the first record.
 */
async function readRecordedOutcomes(tx: Tx, withdrawals: readonly Withdrawal[]): Promise<Set<string>> {
  const ended = withdrawals
    .filter(({ status }) => !canMoveWithdrawal('succeed', status))
    .map(({ merchant_id, id }) => ({ merchant_id, id }))
  if (ended.length === 0) return new Set()
  const recorded = await tx.query<WithdrawalId & { reason: string }>(RECORDED_OUTCOMES, [JSON.stringify(ended)])
  return new Set(recorded.map((entry) => `${withdrawalName(entry)} ${entry.reason}`))
}

/** Returns the payout with the provider's data of an answer, from any source. */
function recordFacts(deps: Deps, payout: PayoutSnapshot, answer: PayoutAnswer): PayoutSnapshot {
  const was_sent = answer.kind === 'accepted' || isFinalAnswer(answer)
  return {
    ...payout,
    provider_status: answer.provider_status ?? payout.provider_status,
    provider_id: answer.provider_id ?? payout.provider_id,
    sent_at: payout.sent_at ?? (was_sent ? deps.clock.now() : null),
  }
}

function isOverdue(deps: Deps, { deadline_at }: PayoutSnapshot): boolean {
  return deps.clock.now() >= deadline_at
}

/**
 * Returns the changes of a withdrawal that an answer causes. Adds the answer to `recorded`, so that the server detects a
 * repeated answer.
 */
function changesByAnswer(
  deps: Deps,
  subscriptions: EventSubscriptions,
  snapshot: PayoutInHand,
  answer: PayoutAnswer,
  recorded: Set<string>,
): WithdrawalChange[] {
  const { withdrawal, payout, merchant, booked_minor } = snapshot
  const actor = { kind: 'provider', id: null, name: payout.provider } as const
  const { sent_at } = payout
  const input = { ...withdrawal, booked_minor, sent_at, overdue: isOverdue(deps, payout) }
  const { steps, noted } = decidePayout(input, answer)
  const isNew = (why: string) => {
    const entry = `${withdrawalName(withdrawal)} ${why}`
    const is_recorded = recorded.has(entry)
    recorded.add(entry)
    return !is_recorded
  }
  // Operators read this explanation of the current status. The next move replaces the explanation.
  const explanations = [
    blockReason(answer),
    isTrouble(answer) ? (answer.provider_message ?? answer.provider_status) : null,
  ]
  const status_reason = explanations.filter((text) => text !== null).join(' ') || null
  const changes: WithdrawalChange[] = []
  let current = withdrawal
  const add = (change: WithdrawalChange) => {
    changes.push(change)
    current = change.withdrawal
  }
  for (const step of steps) {
    if (isNew(step.why ?? '') || step.move !== 'alarm') {
      add(
        moveWithdrawal(deps, subscriptions, { withdrawal: current, merchant, payout }, step, { actor, status_reason }),
      )
    } else logRepeatedContradiction(deps, current, step.why)
  }
  if (noted === null) return changes
  if (isNew(noted)) add(noteContradiction(deps, current, actor, noted))
  else logRepeatedContradiction(deps, current, noted)
  return changes
}

function isTrouble({ kind }: PayoutAnswer): boolean {
  return kind === 'blocked' || kind === 'declined' || kind === 'unknown'
}

/** Logs a repeated answer. The history already has the answer, which the operator could read before the decision. */
function logRepeatedContradiction(deps: Deps, { merchant_id, id, status }: Withdrawal, outcome: string | null): void {
  deps.log.warn(
    { component: 'withdrawals', merchant_id, withdrawal_id: id, status, reported: outcome },
    'the provider repeats an answer that contradicts the decided status',
  )
}

/** Returns the payout after an answer that the server applies: its next state and due time, and no lease. */
function nextPayout(deps: Deps, { withdrawal, payout, merchant }: PayoutInHand, answer: PayoutAnswer): PayoutSnapshot {
  const now = deps.clock.now()
  const overdue = isOverdue(deps, payout)
  // After the deadline, the server ignores announced pauses, because a provider must not postpone the queries for ever.
  const announced_ms = overdue ? undefined : answer.ask_again_ms
  if (isUnasked(answer) && !overdue) {
    // The state of the payout stays, because the provider did not get the query. The worker queries again.
    return { ...payout, due_at: nextStepAt(now, payout.asks, announced_ms), lease_owner: null }
  }
  const asks = Math.min(payout.asks + 1, ASKS_MAX)
  const state = stateAfter(withdrawal, payout, answer, announced_ms !== undefined)
  const waits = state === 'to_send' || state === 'asked'
  return {
    ...payout,
    asks,
    state,
    due_at: waits ? nextStepAt(now, asks, announced_ms) : null,
    send_token: state === 'to_send' ? newId(deps, merchant.routing_code) : null,
    lease_owner: null,
  }
}

const ASKS_MAX = 32_000

function stateAfter(
  { status }: Withdrawal,
  { sent_at }: PayoutSnapshot,
  answer: PayoutAnswer,
  announced: boolean,
): PayoutState {
  // If the provider announces that its final answer may change, the worker queries the provider again.
  if (isFinalAnswer(answer)) return announced ? 'asked' : 'final'
  if (answer.kind === 'blocked' && status === 'BLOCKED_IP_WHITELIST') return 'blocked'
  // If the provider got no byte and never accepted the payout, and the withdrawal is still PROCESSING, the worker sends the
  // payout again.
  if (answer.kind === 'not_sent' && status === 'PROCESSING' && sent_at === null) return 'to_send'
  return 'asked'
}

async function writePayouts(deps: Deps, tx: Tx, snapshots: readonly WithdrawalSnapshot[]): Promise<void> {
  const payouts = snapshots.map(({ withdrawal, payout }) => ({
    merchant_id: withdrawal.merchant_id,
    withdrawal_id: withdrawal.id,
    state: payout?.state,
    send_token: payout?.send_token,
    due_at: payout?.due_at,
    lease_owner: payout?.lease_owner,
    asks: payout?.asks,
    sent_at: payout?.sent_at,
    provider_status: payout?.provider_status,
    provider_id: payout?.provider_id,
  }))
  const ordered = inLockOrder(payouts, (row) => row.withdrawal_id)
  await tx.query(WRITE, [JSON.stringify(ordered), deps.clock.now()])
}
