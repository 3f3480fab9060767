// Settling: the one place where a provider's answer becomes a status, money and events. Safe to repeat.
//
// First answer, callback, poll and refresh all end here. Everything is one transaction: dying before the commit leaves
// the attempt waiting, and it is asked again; dying after it leaves leased deliveries, which fall due when the lease ends.

import { type Deps, inputRows, inTransaction, sql, type Tx } from '../db/index.ts'
import type { Environment } from '../http/index.ts'
import { type Posting, postingOf, postTransfers } from '../ledger/index.ts'
import { assertInvariant, formatAmount } from '../lib/index.ts'
import { type Answer, FAILURE_REASONS, type FailureReason, type Method } from '../providers/port.ts'
import { type Delivery, enqueueEvents, type NewEvent, subscriptionsOf } from '../webhooks/index.ts'
import { contradicts, decide, decideTimeout, isOpen, type Step, wordOf } from './decide.ts'
import { type AttemptState, moves, type Status } from './state.ts'

/** What was learned about one attempt. */
export type Outcome = { merchant_id: string; collection_id: string; number: number; answer: Answer }

/** The collection and attempt under lock, changed in memory as outcomes are applied, then written once. */
type Standing = {
  merchant_id: string
  collection_id: string
  number: number
  environment: Environment
  status: Status
  version: number
  amount_minor: bigint
  fee_minor: bigint
  amount_received_minor: bigint | null
  currency: string
  method: Method | null
  reference: string | null
  failure_reason_code: FailureReason | null
  merchant_code: string
  routing_code: number
  state: AttemptState
  sent_at: Date | null
  deadline_at: Date
  provider_status: string | null
  provider_id: string | null
  due_at: Date | null
  moved: boolean
  /** The words that the history already holds. */
  told: Set<string>
}

type HistoryRow = {
  merchant_id: string
  collection_id: string
  seq: number
  from_status: Status
  to_status: Status
  actor: string
  reason: string | null
  event: string | null
}

/** Everything a set of outcomes changes. */
type Effects = { history: HistoryRow[]; postings: Posting[]; events: NewEvent[] }

// The rows are found one by one, each by its whole primary key, in one order: two sets lock alike and never deadlock.
const LOCK = sql(
  'collections_lock',
  `select c.*, a.*, m.merchant_code, m.routing_code::float8 as routing_code
   from (
     select * from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} x
     order by merchant_id, collection_id, number
   ) i
   cross join lateral (
     select merchant_id, id as collection_id, environment, status, version, amount_minor, fee_minor, amount_received_minor,
       currency, method, reference, failure_reason_code
     from collections where merchant_id = i.merchant_id and id = i.collection_id for update
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
   where h.reason is not null`,
)

const ATTEMPT_INPUT = `merchant_id uuid, collection_id uuid, number smallint, state text,
  due_at timestamptz, sent_at timestamptz, provider_status text, provider_id text`
const COLLECTION_INPUT = `merchant_id uuid, collection_id uuid, status text, version int, failure_reason_code text,
  amount_received bigint`

const WRITE = sql(
  'collections_write',
  `with attempt as (
     update collection_attempts a set state = i.state, due_at = i.due_at, lease_owner = null,
       sent_at = i.sent_at, provider_status = i.provider_status, provider_id = i.provider_id, updated_at = $4
     from ${inputRows('$1', 'collection_id', ATTEMPT_INPUT)} i
     where a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
     returning 1
   ), moved as (
     update collections c set status = i.status, version = i.version, failure_reason_code = i.failure_reason_code,
       amount_received_minor = i.amount_received, updated_at = $4
     from ${inputRows('$2', 'collection_id', COLLECTION_INPUT)} i
     where c.merchant_id = i.merchant_id and c.id = i.collection_id
     returning 1
   ), history as (
     insert into collection_history (merchant_id, collection_id, seq, from_status, to_status, actor, reason, event, at)
     select merchant_id, collection_id, seq, from_status, to_status, actor, reason, event, $4
     from json_to_recordset($3::json) as h(merchant_id uuid, collection_id uuid, seq int, from_status text, to_status text,
       actor text, reason text, event text)
   )
   select (select count(*)::int from attempt) as attempts, (select count(*)::int from moved) as moved`,
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
  const effects: Effects = { history: [], postings: [], events: [] }
  for (const outcome of outcomes) {
    const standing = standings.get(keyOf(outcome))
    assertInvariant(standing !== undefined, `attempt ${keyOf(outcome)} exists`)
    applyOne(deps, standing, outcome.answer, effects, subscriptions.get(standing.merchant_id))
  }
  const [deliveries] = await Promise.all([
    enqueueEvents(deps, tx, effects.events, lease),
    write(deps, tx, [...standings.values()], effects),
    // Last, because it locks the merchants' accounts: others wait for them until the commit.
    postTransfers(deps, tx, effects.postings),
  ])
  return deliveries
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
  subscribed?: ReadonlySet<string>,
): void {
  const now = deps.clock.now()
  standing.provider_status = answer.provider_status ?? standing.provider_status
  standing.provider_id = answer.provider_id ?? standing.provider_id
  if (answer.kind !== 'unknown' && answer.kind !== 'not_found') standing.sent_at ??= now

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
  for (const step of steps) applyStep(deps, standing, step, wordOf(answer), effects, subscribed)
  if (contradiction) applyContradiction(deps, standing, answer, effects)
}

/** Writes down what denies the books, once: a row of the history from a status to itself, and a line in the log. */
function applyContradiction(deps: Deps, standing: Standing, answer: Answer, effects: Effects): void {
  const { merchant_id, collection_id, status } = standing
  const reason = wordOf(answer)
  if (reason === null || standing.told.has(reason)) return
  deps.log.warn(
    {
      merchant_id,
      collection_id,
      status,
      asked: `${formatAmount(standing.amount_minor)} ${standing.currency}`,
      booked: standing.amount_received_minor === null ? null : formatAmount(standing.amount_received_minor),
      told: reason,
    },
    'the provider contradicts what is booked',
  )
  standing.version += 1
  standing.moved = true
  standing.told.add(reason)
  effects.history.push({
    merchant_id,
    collection_id,
    seq: standing.version,
    from_status: status,
    to_status: status,
    actor: 'provider',
    reason,
    event: null,
  })
}

function applyStep(
  deps: Deps,
  standing: Standing,
  step: Step,
  word: string | null,
  effects: Effects,
  subscribed?: ReadonlySet<string>,
): void {
  const move = moves[step.move]
  const { merchant_id, collection_id, routing_code, environment } = standing
  standing.version += 1
  const from_status = standing.status
  standing.status = move.to
  standing.moved = true
  standing.failure_reason_code = step.failure_reason_code
  standing.amount_received_minor = step.amount_received_minor
  const event = subscribed?.has(move.event) ? move.event : null
  const actor = step.failure_reason_code === 'timeout' ? 'deadline' : 'provider'
  const reason = step.failure_reason_code ?? word
  // The reversal of another amount than is booked is told by its own row, and denies the books all the same.
  if (reason !== null && step.move !== 'reverse' && step.move !== 'reverseHeld') standing.told.add(reason)
  effects.history.push({
    merchant_id,
    collection_id,
    seq: standing.version,
    from_status,
    to_status: move.to,
    actor,
    reason,
    event,
  })
  if (step.posting) {
    effects.postings.push(
      postingOf({
        merchant_id,
        routing_code,
        environment,
        ...step.posting,
        source_type: 'collection',
        source_id: collection_id,
      }),
    )
  }
  if (event !== null) {
    const body = eventBody(standing, event, move.time_field, deps.clock.now().toISOString())
    effects.events.push({
      merchant_id,
      routing_code,
      environment,
      event,
      source_type: 'collection',
      source_id: collection_id,
      source_seq: standing.version,
      body,
    })
  }
}

/** The payload of every collection event. */
function eventBody(standing: Standing, event: string, time_field: string, now: string) {
  const { failure_reason_code } = standing
  return {
    event,
    merchant_code: standing.merchant_code,
    collection_id: standing.collection_id,
    reference: standing.reference,
    merchant_reference: standing.reference,
    amount: formatAmount(standing.amount_minor),
    currency: standing.currency,
    status: standing.status,
    method: standing.method,
    ...(standing.status === 'failed' && failure_reason_code !== null
      ? { failure_reason_code, failure_reason_message: FAILURE_REASONS[failure_reason_code] }
      : {}),
    [time_field]: now,
    timestamp: now,
    ...(standing.environment === 'sandbox' ? { sandbox: true } : {}),
  }
}

async function write(deps: Deps, tx: Tx, standings: Standing[], effects: Effects): Promise<void> {
  const attempts = standings.map((s) => ({
    merchant_id: s.merchant_id,
    collection_id: s.collection_id,
    number: s.number,
    state: s.state,
    due_at: s.due_at,
    sent_at: s.sent_at,
    provider_status: s.provider_status,
    provider_id: s.provider_id,
  }))
  const moved = standings
    .filter((s) => s.moved)
    .map((s) => ({
      merchant_id: s.merchant_id,
      collection_id: s.collection_id,
      status: s.status,
      version: s.version,
      failure_reason_code: s.failure_reason_code,
      amount_received: s.amount_received_minor?.toString() ?? null,
    }))
  const [result] = await tx.query<{ attempts: number; moved: number }>(WRITE, [
    JSON.stringify(attempts),
    JSON.stringify(moved),
    JSON.stringify(effects.history),
    deps.clock.now(),
  ])
  assertInvariant(
    result?.attempts === attempts.length,
    `${attempts.length} attempts were due, ${result?.attempts} written`,
  )
  assertInvariant(result.moved === moved.length, `${moved.length} collections were due, ${result.moved} moved`)
}
