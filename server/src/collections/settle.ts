// Settling: the one place where a provider's answer becomes a status, money and events. Safe to repeat.
//
// First answer, callback, poll and refresh all end here. Everything is one transaction: dying before the commit leaves
// the attempt waiting, and it is asked again; dying after it leaves leased deliveries, which fall due when the lease ends.

import { type Deps, inputRows, inTransaction, sql, type Tx } from '../db/index.ts'
import { assertInvariant } from '../lib/index.ts'
import type { Answer } from '../providers/port.ts'
import { type Delivery, subscriptionsOf } from '../webhooks/index.ts'
import {
  type AttemptRow,
  applyNote,
  applyStep,
  CHANGING_COLUMNS,
  type Changing,
  type Effects,
  noEffects,
  writeChanges,
} from './change.ts'
import { contradicts, decide, decideTimeout, isOpen, type Step, wordOf } from './decide.ts'

/** What was learned about one attempt. */
export type Outcome = { merchant_id: string; collection_id: string; number: number; answer: Answer }

/** The collection and attempt under lock, changed in memory as outcomes are applied, then written once. */
type Standing = Changing &
  AttemptRow & {
    deadline_at: Date
    /** What the provider has said so far, as the history holds it. */
    told: Set<string>
  }

// The rows are found one by one, each by its whole primary key, in one order: two sets lock alike and never deadlock.
const LOCK = sql(
  'collections_lock',
  `select c.*, a.*, m.merchant_code, m.routing_code::float8 as routing_code
   from (
     select * from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} x
     order by merchant_id, collection_id, number
   ) i
   cross join lateral (
     select ${CHANGING_COLUMNS} from collections where merchant_id = i.merchant_id and id = i.collection_id for update
   ) c
   cross join lateral (
     select number, state, sent_at, deadline_at, provider_status, provider_id from collection_attempts
     where merchant_id = i.merchant_id and collection_id = i.collection_id and number = i.number offset 0
   ) a
   cross join lateral (select merchant_code, routing_code from merchants where id = i.merchant_id offset 0) m`,
)

// In a statement of its own, after the locks: what another process has just written is seen.
const TOLD = sql(
  'collections_told',
  `select h.merchant_id, h.collection_id, h.reason
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid')} i
   join collection_history h on h.merchant_id = i.merchant_id and h.collection_id = i.collection_id
   where h.actor = 'provider' and h.reason is not null`,
)

/**
 * Applies a set of outcomes: status moves with their history, the ledger, and the events, in the given transaction.
 * Repeating an outcome changes nothing. Answers with the deliveries it queued; those that are `leased` are this process's
 * to send.
 */
export async function applyOutcomes(
  deps: Deps,
  tx: Tx,
  outcomes: readonly Outcome[],
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  const keys = new Map(outcomes.map((outcome) => [keyOf(outcome), outcome]))
  const ids = [...keys.values()].map(({ merchant_id, collection_id, number }) => ({
    merchant_id,
    collection_id,
    number,
  }))
  // Statements in one Promise.all run in their order on the transaction's connection; they only travel together.
  const [rows, subscriptions] = await Promise.all([
    tx.query<Standing>(LOCK, [JSON.stringify(ids)]),
    subscriptionsOf(tx, [...new Set(ids.map((id) => id.merchant_id))]),
  ])
  const standings = new Map(
    rows.map((row) => [keyOf(row), { ...row, due_at: null, moved: false, told: new Set<string>() }]),
  )
  await readTold(tx, outcomes, standings)
  const effects = noEffects()
  for (const outcome of outcomes) {
    const standing = standings.get(keyOf(outcome))
    assertInvariant(standing !== undefined, `attempt ${keyOf(outcome)} exists`)
    applyOne(deps, standing, outcome.answer, effects, subscriptions.get(standing.merchant_id))
  }
  const collections = [...standings.values()]
  return writeChanges(deps, tx, { attempts: collections.map(attemptOf), collections, effects }, lease)
}

/** Applies outcomes in a transaction of their own. */
export async function settleOutcomes(
  deps: Deps,
  outcomes: readonly Outcome[],
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  const deliveries = await inTransaction(deps.db, async (tx) => {
    const made = await applyOutcomes(deps, tx, outcomes, lease)
    deps.point('settle.before_commit')
    return made
  })
  deps.point('settle.after_commit')
  return deliveries
}

/** Reads what the history says of those collections whose outcomes deny it: a contradiction is written once. */
async function readTold(tx: Tx, outcomes: readonly Outcome[], standings: ReadonlyMap<string, Standing>): Promise<void> {
  const doubtful = new Set<Standing>()
  for (const outcome of outcomes) {
    const standing = standings.get(keyOf(outcome))
    if (standing && contradicts(standing, outcome.answer)) doubtful.add(standing)
  }
  if (doubtful.size === 0) return
  const keys = [...doubtful].map(({ merchant_id, collection_id }) => ({ merchant_id, collection_id }))
  const rows = await tx.query<{ merchant_id: string; collection_id: string; reason: string }>(TOLD, [
    JSON.stringify(keys),
  ])
  for (const standing of doubtful) {
    const { merchant_id, collection_id, told } = standing
    for (const row of rows)
      if (row.merchant_id === merchant_id && row.collection_id === collection_id) told.add(row.reason)
  }
}

function keyOf(row: { merchant_id: string; collection_id: string; number: number }): string {
  return `${row.merchant_id} ${row.collection_id} ${row.number}`
}

function applyOne(
  deps: Deps,
  standing: Standing,
  answer: Answer,
  effects: Effects,
  subscribed: ReadonlySet<string> | undefined,
): void {
  const now = deps.clock.now()
  standing.provider_status = answer.provider_status ?? standing.provider_status
  standing.provider_id = answer.provider_id ?? standing.provider_id
  if (answer.kind !== 'unknown' && answer.kind !== 'not_found') standing.sent_at ??= now

  const word = wordOf(answer)
  const contradiction = contradicts(standing, answer)
  let steps = decide(standing, answer)
  if (!isOpen(answer)) {
    // The provider announced that this answer will change: it stays due until then.
    standing.state = answer.ask_again_ms === undefined ? 'final' : 'asked'
    standing.due_at = answer.ask_again_ms === undefined ? null : new Date(now.getTime() + answer.ask_again_ms)
  } else if (standing.state !== 'final') {
    // An open answer comes here only at the deadline: before it, it changes no status.
    assertInvariant(now >= standing.deadline_at, `the deadline of ${keyOf(standing)} has passed`)
    steps = decideTimeout(standing)
    standing.state = 'given_up'
    standing.due_at = null
  }
  for (const step of steps) {
    const reason = step.failure_reason_code ?? word
    const actor = step.failure_reason_code === 'timeout' ? 'deadline' : 'provider'
    applyStep(deps, effects, standing, step, { actor, reason }, subscribed)
    if (reason !== null && !isReversal(step)) standing.told.add(reason)
  }
  if (!contradiction || word === null || standing.told.has(word)) return
  standing.told.add(word)
  applyNote(deps, effects, standing, word)
}

/** The reversal of another amount than is booked is told by its own row, and denies the books all the same. */
function isReversal({ move }: Step): boolean {
  return move === 'reverse' || move === 'reverseHeld'
}

function attemptOf(standing: Standing): AttemptRow {
  const { merchant_id, collection_id, number, state, due_at, sent_at, provider_status, provider_id } = standing
  return { merchant_id, collection_id, number, state, due_at, sent_at, provider_status, provider_id }
}
