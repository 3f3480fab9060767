// Settling: the one place where a provider's answer becomes a status, money and events. Safe to repeat.
//
// First answer, callback, poll and refresh all end here. Everything is one transaction: dying before the commit leaves
// the attempt waiting, and it is asked again; dying after it leaves leased deliveries, which fall due when the lease ends.

import type { Answer, Method } from '../../adapters/providers/port.ts'
import { type Delivery, subscriptionsOf } from '../../adapters/webhooks/index.ts'
import { type Deps, inLockOrder, inputRows, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant } from '../../kernel/lib/index.ts'
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
import { contradicts, decide, decideTimeout, hasReceived, isOpen, type Step, wordOf } from './decide.ts'
import { extrasOf, isBookedByOther, keyOfExtra, lockExtras, tookBeside } from './extra.ts'
import { isSuperseded, lockLinks } from './link.ts'
import { attemptReference } from './reference.ts'

/** What was learned about one attempt. */
export type Outcome = { merchant_id: string; collection_id: string; number: number; answer: Answer }

/** An attempt under lock of its collection, changed in memory as outcomes are applied, then written once. */
type Trying = AttemptRow & {
  deadline_at: Date
  phone: string | null
  of_method: Method
  /** Our fee if it pays; null: that of the collection. */
  of_fee_minor: bigint | null
}

/** A collection under lock with its attempts that something was learned about. */
type Standing = {
  row: Changing
  attempts: Map<number, Trying>
  /** What the provider has said so far, as the history holds it. */
  told: Set<string>
}

type Locked = Omit<Changing, 'moved' | 'superseded'> & Omit<Trying, 'due_at'>

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
     select number, state, sent_at, deadline_at, provider_status, provider_id, phone, method as of_method,
       fee_minor as of_fee_minor
     from collection_attempts
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
    tx.query<Locked>(LOCK, [JSON.stringify(ids)]),
    subscriptionsOf(tx, [...new Set(ids.map((id) => id.merchant_id))]),
  ])
  const standings = standingsOf(rows)
  const find = (outcome: Outcome) => {
    const standing = standings.get(outcome.collection_id)
    const attempt = standing?.attempts.get(outcome.number)
    assertInvariant(standing !== undefined && attempt !== undefined, `attempt ${keyOf(outcome)} exists`)
    return { standing, attempt }
  }
  await lockExtras(
    tx,
    inLockOrder(
      [...keys.values()].filter((outcome) => tookBeside(find(outcome).standing.row, outcome.number, outcome.answer)),
      ({ collection_id, number }) => `${collection_id} ${number}`,
    ),
  )
  const links = await lockLinks(
    tx,
    [...standings.values()].map(({ row }) => row),
  )
  await readTold(tx, outcomes, standings)
  const effects = noEffects()
  const beside: Outcome[] = []
  for (const outcome of outcomes) {
    const { standing, attempt } = find(outcome)
    const { row } = standing
    const link = row.payment_link_id === null ? undefined : links.get(row.payment_link_id)
    row.superseded = isSuperseded(link, row.collection_id)
    const subscribed = subscriptions.get(row.merchant_id)
    if (applyOne(deps, standing, attempt, outcome.answer, effects, subscribed) === 'beside') beside.push(outcome)
    // Of two payments of one page in this set, the second finds it paid.
    const paid = link?.status === 'ACTIVE' ? effects.paid.get(link.id) : undefined
    if (link !== undefined && paid !== undefined) {
      link.status = 'PAID'
      link.paid_collection_id = paid.collection_id
    }
  }
  const extras = await applyBeside(deps, tx, beside, find, effects, subscriptions)
  const changed = {
    attempts: [...standings.values()].flatMap(({ attempts }) => [...attempts.values()].map(attemptOf)),
    collections: [...[...standings.values()].map(({ row }) => row), ...extras],
    effects,
  }
  return writeChanges(deps, tx, changed, lease)
}

/** The locked rows, one for each attempt, as collections with their attempts. */
function standingsOf(rows: readonly Locked[]): Map<string, Standing> {
  const standings = new Map<string, Standing>()
  for (const row of rows) {
    const {
      number,
      state,
      sent_at,
      deadline_at,
      provider_status,
      provider_id,
      phone,
      of_method,
      of_fee_minor,
      ...rest
    } = row
    const { merchant_id, collection_id } = rest
    const known = standings.get(collection_id) ?? {
      row: { ...rest, superseded: false, moved: false },
      attempts: new Map<number, Trying>(),
      told: new Set<string>(),
    }
    const attempt = { merchant_id, collection_id, number, state, due_at: null, sent_at, provider_status, provider_id }
    known.attempts.set(number, { ...attempt, deadline_at, phone, of_method, of_fee_minor })
    standings.set(collection_id, known)
  }
  return standings
}

/**
 * Money that attempts took beside the one that paid: each such attempt has a collection of its own for it, which waits for
 * an operator. Answers those collections.
 */
async function applyBeside(
  deps: Deps,
  tx: Tx,
  outcomes: readonly Outcome[],
  find: (outcome: Outcome) => { standing: Standing },
  effects: Effects,
  subscriptions: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Changing[]> {
  if (outcomes.length === 0) return []
  const attempts = new Map(
    outcomes.map((outcome) => {
      const { merchant_id, collection_id, number } = outcome
      return [keyOf(outcome), { merchant_id, collection_id, number, row: find(outcome).standing.row }]
    }),
  )
  const extras = await extrasOf(
    deps,
    tx,
    inLockOrder([...attempts.values()], ({ collection_id, number }) => `${collection_id} ${number}`),
  )
  for (const { collection_id, number, answer } of outcomes) {
    const row = extras.get(keyOfExtra(collection_id, number))
    assertInvariant(row !== undefined, `attempt ${number} of ${collection_id} has a collection for what it took`)
    const reason = `${wordOf(answer)}, beside what paid ${collection_id}: ${attemptReference(collection_id, number)}`
    for (const step of decide(row, answer))
      applyStep(deps, effects, row, step, { actor: 'provider', reason }, subscriptions.get(row.merchant_id))
  }
  return [...extras.values()]
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
  for (const { collection_id, number, answer } of outcomes) {
    const standing = standings.get(collection_id)
    if (standing && !isBookedByOther(standing.row, number) && contradicts(standing.row, answer)) doubtful.add(standing)
  }
  if (doubtful.size === 0) return
  const keys = [...doubtful].map(({ row: { merchant_id, collection_id } }) => ({ merchant_id, collection_id }))
  const rows = await tx.query<{ collection_id: string; reason: string }>(TOLD, [JSON.stringify(keys)])
  for (const { collection_id, reason } of rows) standings.get(collection_id)?.told.add(reason)
}

function keyOf(row: { merchant_id: string; collection_id: string; number: number }): string {
  return `${row.merchant_id} ${row.collection_id} ${row.number}`
}

/** Applies one answer to its attempt and its collection. 'beside': it took money that another attempt had paid already. */
function applyOne(
  deps: Deps,
  { row, told }: Standing,
  attempt: Trying,
  answer: Answer,
  effects: Effects,
  subscribed: ReadonlySet<string> | undefined,
): 'beside' | undefined {
  const now = deps.clock.now()
  attempt.provider_status = answer.provider_status ?? attempt.provider_status
  attempt.provider_id = answer.provider_id ?? attempt.provider_id
  if (answer.kind !== 'unknown' && answer.kind !== 'not_found') attempt.sent_at ??= now

  const { number } = attempt
  const by_other = isBookedByOther(row, number)
  // The payer has tried again since: that an earlier try came to nothing says nothing about this payment any more.
  const overtaken = number < row.attempts && !('amount_minor' in answer)
  if ('amount_minor' in answer && !hasReceived(row) && number < row.attempts) {
    // What the payer agreed to was that attempt's.
    row.by_earlier = true
    row.payer_phone = attempt.phone
    row.method = attempt.of_method
    row.fee_minor = attempt.of_fee_minor ?? row.fee_minor
  }
  const word = wordOf(answer)
  const contradiction = !by_other && !overtaken && contradicts(row, answer)
  let steps = by_other || overtaken ? [] : decide(row, answer)
  if (!isOpen(answer)) {
    // The provider announced that this answer will change: it stays due until then.
    attempt.state = answer.ask_again_ms === undefined ? 'final' : 'asked'
    attempt.due_at = answer.ask_again_ms === undefined ? null : new Date(now.getTime() + answer.ask_again_ms)
  } else if (attempt.state !== 'final') {
    // An open answer comes here only at the deadline: before it, it changes no status.
    assertInvariant(now >= attempt.deadline_at, `the deadline of ${keyOf(attempt)} has passed`)
    steps = by_other || overtaken ? [] : decideTimeout(row)
    attempt.state = 'given_up'
    attempt.due_at = null
  }
  for (const step of steps) {
    const reason = step.failure_reason_code ?? (row.superseded && word !== null ? `${word}, ${SUPERSEDED}` : word)
    const actor = step.failure_reason_code === 'timeout' ? 'deadline' : 'provider'
    const arrives = step.amount_received_minor !== null || step.foreign !== undefined
    if (arrives && !hasReceived(row)) row.settled_attempt = number
    applyStep(deps, effects, row, step, { actor, reason }, subscribed)
    if (step.move === 'succeed' && row.payment_link_id !== null && attempt.phone !== null)
      effects.approved.add(attempt.phone)
    if (word !== null && !isReversal(step)) told.add(word)
    if (step.failure_reason_code !== null) told.add(step.failure_reason_code)
  }
  if (tookBeside(row, number, answer)) return 'beside'
  if (!contradiction || word === null || told.has(word)) return undefined
  told.add(word)
  applyNote(deps, effects, row, word)
  return undefined
}

/** Why money that is what was asked for waits for an operator all the same. */
const SUPERSEDED = 'but its page took no more payments'

/** The reversal of another amount than is booked is told by its own row, and denies the books all the same. */
function isReversal({ move }: Step): boolean {
  return move === 'reverse' || move === 'reverseHeld'
}

function attemptOf({
  deadline_at: _,
  phone: _phone,
  of_method: _method,
  of_fee_minor: _fee,
  ...attempt
}: Trying): AttemptRow {
  return attempt
}
