// Settling payouts: the one place where a provider's answer becomes a status, money and events. Safe to repeat.
//
// Answer to the request, callback and question all end here, in one transaction. Dying before the commit leaves the payout
// waiting, and it is asked again; dying after it leaves leased deliveries, which fall due when their lease ends.

import { isUnasked } from '../../adapters/providers/breaker.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inLockOrder, inputRows, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, newId } from '../../kernel/lib/index.ts'
import { applyNote, applyStep, beginChanges, type Changes, writeChanges } from './change.ts'
import { decide, isFinal, reasonOf } from './decide.ts'
import { nextStepAt } from './pauses.ts'
import { mayMove, type PayoutState } from './state.ts'
import { type Locked, lockWithdrawals, type WithdrawalId, withdrawalName } from './store.ts'

/** What was learned about one payout. `holds_lease`: from whoever works on it, else by a hint. */
export type PayoutOutcome = WithdrawalId & { answer: PayoutAnswer; holds_lease: boolean }

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

// In a statement of its own, after the locks: what another process has just written is seen.
const TOLD = sql(
  'withdrawals_told',
  `select h.merchant_id, h.withdrawal_id as id, h.reason
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawal_history h on h.merchant_id = i.merchant_id and h.withdrawal_id = i.id
   where h.actor_kind = 'provider' and h.reason is not null`,
)

/**
 * Applies a set of answers: status moves with their history, the ledger, and the events, in the given transaction.
 * Repeating an answer changes nothing. Answers the deliveries it queued; those that are `leased` are this process's to send.
 */
export async function applyPayoutOutcomes(
  deps: Deps,
  tx: Tx,
  outcomes: readonly PayoutOutcome[],
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  const rows = await lockWithdrawals(tx, outcomes)
  const [changes, told] = await Promise.all([beginChanges(tx, rows.values()), readTold(tx, [...rows.values()])])
  for (const { answer, holds_lease, ...key } of outcomes) {
    const row = rows.get(withdrawalName(key))
    assertInvariant(row !== undefined && row.payout_state !== null, `the payout of withdrawal ${key.id} exists`)
    // How it ended counts whoever brings it. Anything else is said by whoever works on it: of a payout that another
    // process is sending at this moment, a hint knows less than that process.
    const counts = isFinal(answer) || (holds_lease && row.lease_owner === deps.process_id)
    noteFacts(deps, row, answer)
    if (!counts) continue
    moveWithdrawal(deps, changes, row, answer, told)
    movePayout(deps, row, answer)
  }
  // The payouts first: what follows ends with the merchants' accounts, for which others wait.
  const [, deliveries] = await Promise.all([
    writePayouts(deps, tx, [...rows.values()]),
    writeChanges(deps, tx, changes, lease),
  ])
  return deliveries
}

/** Applies answers in a transaction of their own. */
export async function settlePayouts(
  deps: Deps,
  outcomes: readonly PayoutOutcome[],
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  const deliveries = await inTransaction(deps.db, async (tx) => {
    const made = await applyPayoutOutcomes(deps, tx, outcomes, lease)
    deps.point('payout.before_commit')
    return made
  })
  deps.point('payout.after_commit')
  return deliveries
}

/**
 * What the provider has said of those withdrawals whose end it has told before, as `name word`. A word that denies where a
 * withdrawal stands counts once: who decided after it knew it.
 */
async function readTold(tx: Tx, rows: readonly Locked[]): Promise<Set<string>> {
  const ended = rows
    .filter((row) => !mayMove('succeed', row.status))
    .map(({ merchant_id, id }) => ({ merchant_id, id }))
  if (ended.length === 0) return new Set()
  const told = await tx.query<WithdrawalId & { reason: string }>(TOLD, [JSON.stringify(ended)])
  return new Set(told.map((entry) => `${withdrawalName(entry)} ${entry.reason}`))
}

/** What an answer teaches, whoever brings it. */
function noteFacts(deps: Deps, row: Locked, answer: PayoutAnswer): void {
  const now = deps.clock.now()
  row.provider_status = answer.provider_status ?? row.provider_status
  row.provider_id = answer.provider_id ?? row.provider_id
  if (answer.kind === 'accepted' || isFinal(answer)) row.sent_at ??= now
  row.overdue = row.deadline_at !== null && now >= row.deadline_at
}

/** Moves the withdrawal as the answer says, and notes a word that denies where it stands. */
function moveWithdrawal(deps: Deps, changes: Changes, row: Locked, answer: PayoutAnswer, told: Set<string>): void {
  const actor = { kind: 'provider', id: null, name: row.provider ?? 'provider' } as const
  const { steps, noted } = decide(row, answer)
  const isNew = (why: string) => {
    const name = `${withdrawalName(row)} ${why}`
    const known = told.has(name)
    told.add(name)
    return !known
  }
  // Why it stands where it stands now, for operators: it ends with the next move.
  const words = [reasonOf(answer), isTrouble(answer) ? (answer.told ?? answer.provider_status) : null]
  const status_reason = words.filter((text) => text !== null).join(' ') || null
  for (const step of steps) {
    if (isNew(step.why ?? '') || step.move !== 'alarm') applyStep(deps, changes, row, step, { actor, status_reason })
    else repeated(deps, row, step.why)
  }
  if (noted === null) return
  if (isNew(noted)) applyNote(deps, changes, row, actor, noted)
  else repeated(deps, row, noted)
}

function isTrouble({ kind }: PayoutAnswer): boolean {
  return kind === 'blocked' || kind === 'declined' || kind === 'unknown'
}

/** Whoever decided knew this word; that the provider still stands by it, or says it again, is for the log. */
function repeated(deps: Deps, { merchant_id, id, status }: Locked, told: string | null): void {
  deps.log.warn({ merchant_id, withdrawal_id: id, status, told }, 'the provider repeats what was decided otherwise')
}

/** What becomes of the payout's own row. */
function movePayout(deps: Deps, row: Locked, answer: PayoutAnswer): void {
  // A provider that never comes to an end does not say for ever when it is asked.
  const announced_ms = row.overdue ? undefined : answer.ask_again_ms
  if (isUnasked(answer) && !row.overdue) {
    // It stands where it stood: whether it was ever sent is asked once the provider answers questions again.
    row.due_at = nextStepAt(deps.clock.now(), row.asks, announced_ms)
    row.lease_owner = null
    return
  }
  row.asks = Math.min(row.asks + 1, ASKS_MAX)
  row.payout_state = stateAfter(row, answer, announced_ms !== undefined)
  const waits = row.payout_state === 'to_send' || row.payout_state === 'asked'
  row.due_at = waits ? nextStepAt(deps.clock.now(), row.asks, announced_ms) : null
  row.send_token = row.payout_state === 'to_send' ? newId(deps, row.routing_code) : null
  row.lease_owner = null
}

const ASKS_MAX = 32_000

function stateAfter({ status, sent_at }: Locked, answer: PayoutAnswer, announced: boolean): PayoutState {
  // The provider may announce that even its final answer will change: then it is asked once more.
  if (isFinal(answer)) return announced ? 'asked' : 'final'
  if (answer.kind === 'blocked' && status === 'BLOCKED_IP_WHITELIST') return 'blocked'
  // Sent again is only what never left us, what the provider has never spoken of, and what nobody has come to doubt.
  if (answer.kind === 'not_sent' && status === 'PROCESSING' && sent_at === null) return 'to_send'
  return 'asked'
}

async function writePayouts(deps: Deps, tx: Tx, rows: readonly Locked[]): Promise<void> {
  const payouts = rows.map((row) => ({
    merchant_id: row.merchant_id,
    withdrawal_id: row.id,
    state: row.payout_state,
    send_token: row.send_token,
    due_at: row.due_at,
    lease_owner: row.lease_owner,
    asks: row.asks,
    sent_at: row.sent_at,
    provider_status: row.provider_status,
    provider_id: row.provider_id,
  }))
  const ordered = inLockOrder(payouts, (row) => row.withdrawal_id)
  await tx.query(WRITE, [JSON.stringify(ordered), deps.clock.now()])
}
