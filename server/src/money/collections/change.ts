// Changes collections: applies steps to locked collections in memory, then writes all changed collections in one batch. This
// file makes every move that a provider, a deadline or an operator causes.

import { FAILURE_REASONS, FAILURE_REASONS_SW } from '../../adapters/providers/port.ts'
import {
  type CanDeliver,
  type Delivery,
  type EventEndpoints,
  type EventName,
  enqueueEvents,
  type NewEvent,
} from '../../adapters/webhooks/index.ts'
import { type Posting, postingOf, postTransfers } from '../../books/ledger/index.ts'
import { type Deps, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, formatAmount } from '../../kernel/lib/index.ts'
import { markDays } from './days.ts'
import type { CollectionStep } from './decide.ts'
import { type HeldQueueRow, writeQueue } from './held.ts'
import type { LinkSettlement, LockedLink, PaidLink } from './link-settlement.ts'
import { countPaymentOutcomes, type PaymentOutcome } from './metrics.ts'
import { forgetApprovedPrompts, type Prompt, resetPhoneLimits } from './prompt-limits.ts'
import type { AttemptUpdate, LockedCollection } from './snapshot.ts'
import { moves, type Status } from './state.ts'

type NewHistoryRow = {
  merchant_id: string
  collection_id: string
  seq: number
  from_status: Status
  to_status: Status
  actor: string
  reason: string | null
  event: string | null
}

/** The changes that a batch of steps causes, apart from the rows of the collections and attempts. */
export type CollectionEffects = {
  history: NewHistoryRow[]
  postings: Posting[]
  events: NewEvent[]
  queue: Map<string, HeldQueueRow>
  /** The phones of payers who approved a payment on a page in this batch. */
  approved: Set<string>
  /** The prompts that payers approved in this batch. */
  approved_prompts: Prompt[]
  /** The payment that paid a link in this batch, by link id. The entry stays even if the same batch reverses the payment. */
  paid: Map<string, PaidLink>
  /** The outcomes that the metrics count after the commit. */
  outcomes: PaymentOutcome[]
}

/** Returns the empty effects with which a batch begins. */
export function noEffects(): CollectionEffects {
  return {
    history: [],
    postings: [],
    events: [],
    queue: new Map(),
    approved: new Set(),
    approved_prompts: [],
    paid: new Map(),
    outcomes: [],
  }
}

/** The actor and the reason of a move, for the history. Null in `reason` means that the history shows no reason. */
export type MoveCause = { actor: string; reason: string | null }

/**
 * The data for the events of a move: the endpoints that receive each event, and the page of the payment. Undefined means no
 * endpoints, or no page.
 */
export type StepSurroundings = { subscribed: EventEndpoints | undefined; link: LockedLink | undefined }

/**
 * Makes one move of a locked collection in memory, and adds its history row, queue row, postings, events and paid link to
 * `effects`.
 */
export function applyCollectionStep(
  deps: Deps,
  effects: CollectionEffects,
  row: LockedCollection,
  step: CollectionStep,
  cause: MoveCause,
  around: StepSurroundings,
): void {
  const move = moves[step.move]
  const { merchant_id, collection_id, routing_code, environment, status: from_status } = row
  const now = deps.clock.now()
  row.version += 1
  row.status = move.to
  row.moved = true
  row.failure_reason_code = step.failure_reason_code
  row.amount_received_minor = step.amount_received_minor
  if (step.foreign) {
    row.foreign_amount_minor = step.foreign.amount_minor
    row.foreign_currency = step.foreign.currency
  }
  const endpoint_ids = around.subscribed?.get(move.event) ?? []
  const event = endpoint_ids.length === 0 ? null : move.event
  const { version: seq } = row
  effects.history.push({ merchant_id, collection_id, seq, from_status, to_status: move.to, ...cause, event })
  const held = move.to === 'pending_clearance'
  if (held || from_status === 'pending_clearance') {
    effects.queue.set(collection_id, { merchant_id, collection_id, environment, decided_at: held ? null : now })
  }
  const source = { source_type: 'collection', source_id: collection_id } as const
  for (const posting of [step.arrival, step.posting]) {
    if (posting) effects.postings.push(postingOf({ merchant_id, routing_code, environment, ...posting, ...source }))
  }
  const common = { merchant_id, routing_code, environment, ...source, source_seq: seq, trace: row.trace ?? null }
  const body = collectionEventBody(row, move.event, move.time_field, now.toISOString(), around.link)
  effects.events.push({ ...common, event: move.event, endpoint_ids, body })
  const { payment_link_id: id } = row
  if (move.to !== 'successful' || id === null || effects.paid.has(id)) return
  effects.paid.set(id, { merchant_id, id, collection_id })
  for (const [name, paid_body] of paidPageEvents(row, now.toISOString(), around.link)) {
    effects.events.push({ ...common, event: name, endpoint_ids: around.subscribed?.get(name) ?? [], body: paid_body })
  }
}

/** Records a contradiction in the log and in the history. The history row has the same status before and after. */
export function applyContradiction(
  deps: Deps,
  effects: CollectionEffects,
  row: LockedCollection,
  reason: string,
): void {
  const { merchant_id, collection_id, status } = row
  deps.log.warn(
    {
      component: 'collections',
      merchant_id,
      collection_id,
      status,
      asked: `${formatAmount(row.amount_minor)} ${row.currency}`,
      booked: row.amount_received_minor === null ? null : formatAmount(row.amount_received_minor),
      reported: reason,
    },
    'the provider reports an outcome that contradicts the recorded outcome',
  )
  row.version += 1
  row.moved = true
  effects.history.push({
    merchant_id,
    collection_id,
    seq: row.version,
    from_status: status,
    to_status: status,
    actor: 'provider',
    reason,
    event: null,
  })
}

/** Returns the ids of the payment link and invoice of a payment, for its events. A hosted page is no payment link of the merchant. */
function pageFields(link: LockedLink | undefined) {
  if (link === undefined || link.collection_id !== null) return {}
  return { payment_link_id: link.id, ...(link.invoice_id === null ? {} : { invoice_id: link.invoice_id }) }
}

/** Returns the events about the payment link and the invoice that a payment has just paid, with their payloads. */
function paidPageEvents(row: LockedCollection, now: string, link: LockedLink | undefined): [EventName, object][] {
  if (link === undefined || link.collection_id !== null || link.status !== 'ACTIVE') return []
  const names: EventName[] = link.invoice_id === null ? ['payment_link.paid'] : ['payment_link.paid', 'invoice.paid']
  return names.map((name) => [name, { ...collectionEventBody(row, name, 'paid_at', now, link), status: 'PAID' }])
}

/**
 * Returns the payload of an event about a collection. `time_field` is the name of the field that gets the time `now`.
 */
function collectionEventBody(
  row: LockedCollection,
  event: string,
  time_field: string,
  now: string,
  link: LockedLink | undefined,
) {
  const { failure_reason_code, amount_minor, amount_received_minor: received, foreign_amount_minor: foreign } = row
  return {
    event,
    merchant_code: row.merchant_code,
    collection_id: row.collection_id,
    ...pageFields(link),
    reference: row.reference,
    merchant_reference: row.reference,
    amount: formatAmount(amount_minor),
    // If the paid amount differs from the requested amount, the merchant must see the difference before it fulfils the order.
    ...(received === null || received === amount_minor ? {} : { amount_received: formatAmount(received) }),
    ...(foreign === null ? {} : { foreign_amount: formatAmount(foreign), foreign_currency: row.foreign_currency }),
    currency: row.currency,
    status: row.status,
    method: row.method,
    customer_phone: row.customer_phone,
    ...(row.status === 'failed' && failure_reason_code !== null
      ? {
          failure_reason_code,
          failure_reason_message: FAILURE_REASONS[failure_reason_code],
          failure_reason_message_sw: FAILURE_REASONS_SW[failure_reason_code],
        }
      : {}),
    [time_field]: now,
    timestamp: now,
    metadata: row.metadata ?? {},
    ...(row.environment === 'sandbox' ? { sandbox: true } : {}),
  }
}

const ATTEMPT_INPUT = `merchant_id uuid, collection_id uuid, number smallint, state text,
  due_at timestamptz, sent_at timestamptz, provider_status text, provider_id text`
const COLLECTION_INPUT = `merchant_id uuid, collection_id uuid, status text, version int, failure_reason_code text,
  amount_received bigint, foreign_amount bigint, foreign_currency text, settled_attempt smallint`

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
       amount_received_minor = i.amount_received, foreign_amount_minor = i.foreign_amount,
       foreign_currency = i.foreign_currency, settled_attempt = i.settled_attempt, updated_at = $4
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

const WRITE_EARLIER = sql(
  'collections_write_earlier',
  `update collections c set method = i.method, fee_minor = i.fee, customer_phone = i.phone
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, method text, fee bigint, phone text')} i
   where c.merchant_id = i.merchant_id and c.id = i.collection_id`,
)

/**
 * If an attempt before the newest paid a collection, writes the method, fee and payer of that attempt. Without such a collection,
 * no query runs.
 */
async function writeEarlier(tx: Tx, rows: readonly LockedCollection[]): Promise<void> {
  const earlier = rows.filter(({ by_earlier }) => by_earlier === true)
  if (earlier.length === 0) return
  const values = earlier.map(({ merchant_id, collection_id, method, fee_minor, customer_phone }) => ({
    merchant_id,
    collection_id,
    method,
    fee: fee_minor.toString(),
    phone: customer_phone,
  }))
  await tx.query(WRITE_EARLIER, [JSON.stringify(values)])
}

/**
 * Writes a batch of changes: attempts, collections, history, the queue of reviews, the marks of days, payment links, prompt
 * counters, events and money. Returns the queued deliveries.
 */
export async function writeCollectionChanges(
  deps: Deps,
  tx: Tx,
  links: LinkSettlement,
  changed: { attempts: readonly AttemptUpdate[]; collections: readonly LockedCollection[]; effects: CollectionEffects },
  lease: CanDeliver,
): Promise<Delivery[]> {
  const { attempts, effects } = changed
  tx.afterCommit(() => countPaymentOutcomes(deps.metrics, effects.outcomes))
  const moved = changed.collections.filter((row) => row.moved)
  const rows = moved.map((row) => ({
    merchant_id: row.merchant_id,
    collection_id: row.collection_id,
    status: row.status,
    version: row.version,
    failure_reason_code: row.failure_reason_code,
    amount_received: row.amount_received_minor?.toString() ?? null,
    foreign_amount: row.foreign_amount_minor?.toString() ?? null,
    foreign_currency: row.foreign_currency,
    settled_attempt: row.settled_attempt,
  }))
  const values = [JSON.stringify(attempts), JSON.stringify(rows), JSON.stringify(effects.history), deps.clock.now()]
  // The connection of the transaction runs the statements of this Promise.all in their order, in one round trip.
  const [deliveries, [result]] = await Promise.all([
    enqueueEvents(deps, tx, effects.events, lease),
    tx.query<{ attempts: number; moved: number }>(WRITE, values),
    writeEarlier(tx, moved),
    markDays(deps, tx, moved),
    writeQueue(deps, tx, [...effects.queue.values()]),
    links.markPaid(tx, [...effects.paid.values()], deps.clock.now()),
    resetPhoneLimits(deps, tx, effects.approved),
    forgetApprovedPrompts(deps, tx, effects.approved_prompts),
    // postTransfers runs last, because other transactions wait for the locked accounts of the merchants until the commit.
    postTransfers(deps, tx, effects.postings),
  ])
  const due = attempts.length
  assertInvariant(result?.attempts === due, `the transaction wrote ${result?.attempts} of ${due} due attempts`)
  assertInvariant(
    result.moved === rows.length,
    `the transaction moved ${result.moved} of ${rows.length} due collections`,
  )
  return deliveries
}
