// Reads the records of clients, database, provider and receiver after a crash. A pure function compares the records.

import { setTimeout as sleep } from 'node:timers/promises'
import type { BookEntry } from '../../src/adapters/providers/mock/book.ts'
import { type Verification, verify } from '../../src/apps/admin/verify.ts'
import { sql } from '../../src/kernel/db/index.ts'
import type { Ack } from './load.ts'
import type { Arrival, Rig } from './rig.ts'

type CollectionRow = {
  merchant_id: string
  id: string
  method: string
  status: string
  amount_minor: bigint
  /** The Idempotency-Key of the request whose response has this id. Null means that no stored response has this id. */
  key: string | null
  /** The sum in cents that the collection's transfers gave the merchant so far: available plus held. */
  net_minor: bigint
  /** The number of times that the platform credited the merchant. */
  credits: number
}
type AttemptRow = { merchant_id: string; collection_id: string; provider_reference: string; waits: boolean }
type MoveRow = { merchant_id: string; collection_id: string; seq: number; to_status: string; event: string | null }
type DeliveryRow = {
  merchant_id: string
  id: string
  event: string
  source_id: string
  source_seq: number
  body: string
  status: string
  attempts: number
}

/** The records of the clients, the database, the provider and the receiver. */
export type Facts = {
  acks: Ack[]
  collections: CollectionRow[]
  attempts: AttemptRow[]
  moves: MoveRow[]
  deliveries: DeliveryRow[]
  arrivals: Arrival[]
  /** For each merchant, the sum in cents of the available and the held balance of the live book. */
  balances: { merchant_id: string; owned_minor: bigint }[]
  book: BookEntry[]
  checks: Verification['checks']
}

const COLLECTIONS = sql(
  'crash_collections',
  `select c.merchant_id, c.id, c.method, c.status, c.amount_minor, k.key, coalesce(t.net, 0)::bigint as net_minor,
     coalesce(t.credits, 0)::int as credits
   from collections c
   left join idempotency_keys k on k.merchant_id = c.merchant_id and k.resource_id = c.id and k.status_code is not null
   left join (
     select merchant_id, source_id, count(*) filter (where posting in ('collection_settled', 'collection_held')) as credits,
       sum(case when credit_code in ('available', 'held') then amount_minor else 0 end
         - case when debit_code in ('available', 'held') then amount_minor else 0 end) as net
     from ledger_transfers where source_type = 'collection' group by merchant_id, source_id
   ) t on t.merchant_id = c.merchant_id and t.source_id = c.id`,
)
const ATTEMPTS = sql(
  'crash_attempts',
  'select merchant_id, collection_id, provider_reference, due_at is not null as waits from collection_attempts',
)
const MOVES = sql(
  'crash_moves',
  `select merchant_id, collection_id, seq, to_status, event from collection_history where from_status <> to_status`,
)
const DELIVERIES = sql(
  'crash_deliveries',
  `select d.merchant_id, d.id, d.event, d.source_id, d.source_seq, d.body, d.status, (
     select count(*)::int from webhook_attempts a where a.merchant_id = d.merchant_id and a.delivery_id = d.id) as attempts
   from webhook_deliveries d where source_type = 'collection'`,
)
const BALANCES = sql(
  'crash_balances',
  `select merchant_id, sum(balance_minor)::bigint as owned_minor from ledger_accounts
   where environment = 'live' and code in ('available', 'held') group by merchant_id`,
)

/** Reads the records of clients, database, provider and receiver. */
export async function gatherFacts(rig: Rig, acks: readonly Ack[]): Promise<Facts> {
  const { db } = rig
  return {
    acks: [...acks],
    collections: await db.query<CollectionRow>(COLLECTIONS),
    attempts: await db.query<AttemptRow>(ATTEMPTS),
    moves: await db.query<MoveRow>(MOVES),
    deliveries: await db.query<DeliveryRow>(DELIVERIES),
    arrivals: [...rig.hooks.arrivals],
    balances: await db.query<Facts['balances'][number]>(BALANCES),
    book: rig.provider.book({ full: true }).entries ?? [],
    checks: (await verify(rig.url)).checks,
  }
}

/** Returns the facts without the collections, attempts, moves, events and balances of other merchants. */
export function factsOf(facts: Facts, merchants: ReadonlySet<string>): Facts {
  const isTheirs = ({ merchant_id }: { merchant_id: string }) => merchants.has(merchant_id)
  return {
    ...facts,
    collections: facts.collections.filter(isTheirs),
    attempts: facts.attempts.filter(isTheirs),
    moves: facts.moves.filter(isTheirs),
    deliveries: facts.deliveries.filter(isTheirs),
    arrivals: facts.arrivals.filter(({ path }) => merchants.has(path.slice(1))),
    balances: facts.balances.filter(isTheirs),
  }
}

/** Describes each contradiction. An empty list means that the platform lost no payment and made no payment twice. */
export function findProblems(facts: Facts): string[] {
  return [
    ...promisesBroken(facts),
    ...moneyProblems(facts),
    ...eventProblems(facts),
    ...facts.checks.filter((check) => !check.ok).map((check) => `verify: ${check.name}: ${check.detail}`),
  ]
}

/**
 * Returns true for the QR payment that no payer saw, because its request died before the response. The collection stays open
 * until its deadline.
 */
const isAbandoned = (row: CollectionRow): boolean => row.method === 'qr' && row.key === null

function promisesBroken({ acks, collections }: Facts): string[] {
  const problems: string[] = []
  const rows = new Map(collections.map((row) => [row.id, row]))
  const promised = new Set(acks.map((ack) => ack.collection_id))
  const ids = new Map<string, string>()
  for (const { key, merchant_id, collection_id, amount_minor } of acks) {
    const row = rows.get(collection_id)
    const first = ids.get(`${merchant_id} ${key}`)
    if (first !== undefined && first !== collection_id) problems.push(`${key} made ${first} and ${collection_id}`)
    ids.set(`${merchant_id} ${key}`, collection_id)
    if (row === undefined) problems.push(`the database lacks the acknowledged payment ${collection_id} of ${key}`)
    else if (row.merchant_id !== merchant_id || row.key !== key)
      problems.push(`${collection_id} belongs to ${row.key}, not to ${key}`)
    else if (row.amount_minor !== BigInt(amount_minor))
      problems.push(`${key} has the amount ${row.amount_minor}, not ${amount_minor}`)
  }
  for (const row of collections) {
    if (isAbandoned(row)) continue
    if (!promised.has(row.id)) problems.push(`${row.id} (${row.key}) exists, and no client got its id`)
    if (row.status === 'processing' || row.status === 'created') problems.push(`${row.id} stays in ${row.status}`)
  }
  return problems
}

/** The status of a collection that follows from each outcome at the provider. */
const STATUS_OF: Record<string, string> = {
  COMPLETED: 'successful',
  FAILED: 'failed',
  HELD: 'pending_clearance',
  REVERSED: 'reversed',
  PENDING: 'processing',
}

function moneyProblems({ collections, attempts, book, balances }: Facts): string[] {
  const problems: string[] = []
  const entries = new Map(book.map((entry) => [entry.reference, entry]))
  const rows = new Map(collections.map((row) => [row.id, row]))
  const expected = new Map<string, bigint>()
  const known = new Set<string>()
  for (const { collection_id, provider_reference, waits } of attempts) {
    known.add(provider_reference)
    const row = rows.get(collection_id)
    const entry = entries.get(provider_reference)
    if (row === undefined) continue
    if (waits && !isAbandoned(row)) problems.push(`${row.id} still waits for its provider`)
    if (entry === undefined) {
      if (!isAbandoned(row)) problems.push(`${row.id} never reached the provider`)
      continue
    }
    if (entry.prompts !== 1) problems.push(`${provider_reference} prompted its payer ${entry.prompts} times`)
    // If a payer pays an amount that differs from the requested amount, the platform holds the payment.
    const paid = BigInt(entry.amount_minor)
    const status =
      entry.status === 'COMPLETED' && paid !== row.amount_minor
        ? 'pending_clearance'
        : STATUS_OF[entry.status ?? 'PENDING']
    const due = entry.status === 'COMPLETED' || entry.status === 'HELD' ? paid : 0n
    if (row.status !== status) problems.push(`${row.id} is ${row.status}; the provider has ${entry.status}`)
    if (row.net_minor !== due) problems.push(`${row.id} moved ${row.net_minor}; the provider has ${due}`)
    if (row.credits > 1) problems.push(`the ledger credited ${row.id} ${row.credits} times`)
    expected.set(row.merchant_id, (expected.get(row.merchant_id) ?? 0n) + due)
  }
  for (const { reference } of book)
    if (!known.has(reference)) problems.push(`the provider has ${reference}, and the platform does not`)
  for (const { merchant_id, owned_minor } of balances) {
    const due = expected.get(merchant_id) ?? 0n
    if (owned_minor !== due) problems.push(`merchant ${merchant_id} owns ${owned_minor}; the provider has ${due}`)
  }
  return problems
}

function eventProblems({ moves, deliveries, arrivals, collections }: Facts): string[] {
  const problems: string[] = []
  const sent = Map.groupBy(deliveries, (row) => `${row.source_id} ${row.source_seq} ${row.event}`)
  const arrived = Map.groupBy(arrivals, (arrival) => arrival.id)
  for (const { collection_id, seq, to_status, event } of moves) {
    if (event === null) problems.push(`${collection_id} became ${to_status}, and has no event of that change`)
    else if (sent.get(`${collection_id} ${seq} ${event}`)?.length !== 1)
      problems.push(`${collection_id} has not exactly one delivery of ${event}`)
  }
  const moved = new Set(moves.map((move) => move.collection_id))
  for (const row of collections) {
    if (!moved.has(row.id) && !isAbandoned(row)) problems.push(`${row.id} has no event`)
  }
  const ids = new Map<string, Set<string>>()
  for (const { id, body } of arrivals) {
    const { collection_id, event } = JSON.parse(body) as { collection_id: string; event: string }
    const name = `${collection_id} ${event}`
    ids.set(name, (ids.get(name) ?? new Set()).add(id))
  }
  for (const [name, seen] of ids)
    if (seen.size > 1) problems.push(`${name} arrived under ${seen.size} ids: ${[...seen].join(', ')}`)
  for (const { id, merchant_id, source_id, event, body, status } of deliveries) {
    const came = arrived.get(id) ?? []
    arrived.delete(id)
    if (status !== 'delivered') problems.push(`${event} of ${source_id} is ${status}`)
    if (came.length === 0) problems.push(`${event} of ${source_id} never arrived`)
    if (came.some((arrival) => arrival.body !== body))
      problems.push(`${event} of ${source_id} arrived with other bytes`)
    if (came.some((arrival) => arrival.path !== `/${merchant_id}`))
      problems.push(`${event} of ${source_id} arrived at another merchant`)
    if (status === 'delivered' && !came.some((arrival) => arrival.answer === 200))
      problems.push(`the receiver never accepted ${event} of ${source_id}`)
  }
  for (const id of arrived.keys()) problems.push(`delivery ${id} arrived, and the platform has no such delivery`)
  return problems
}

const OPEN = sql(
  'crash_open',
  `select (select count(*)::int from collections c where status in ('created', 'processing') and not (method = 'qr' and not exists (
       select 1 from idempotency_keys k where k.merchant_id = c.merchant_id and k.resource_id = c.id and k.status_code is not null)))
     as open, (
     select count(*)::int from collection_attempts a join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id
     where a.due_at is not null and c.status <> 'processing') as due,
     (select count(*)::int from webhook_deliveries where status = 'pending') as pending`,
)
// After a failed delivery, the worker waits a minute or more before the next attempt. This statement ends the wait.
const HURRY = sql(
  'crash_hurry',
  `update webhook_deliveries set due_at = $1 where status = 'pending' and lease_owner is null and attempts > 0 and due_at > $1`,
)

/**
 * Waits until no record is open, at most `within_ms`. Returns the duration of the wait in milliseconds, and the numbers of
 * records that are still open, due or pending.
 */
export async function waitQuiet(
  rig: Rig,
  within_ms = 120_000,
): Promise<{ ms: number; left: { open: number; due: number; pending: number } }> {
  const begin = Date.now()
  for (;;) {
    await rig.db.query(HURRY, [new Date()])
    const [left] = await rig.db.query<{ open: number; due: number; pending: number }>(OPEN)
    if (left === undefined) throw new Error('the count returned no row')
    const ms = Date.now() - begin
    if (left.open + left.due + left.pending === 0 || ms > within_ms) return { ms, left }
    await sleep(50)
  }
}
