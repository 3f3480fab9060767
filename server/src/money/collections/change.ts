// Changing collections: steps are applied to locked rows in memory, then everything is written at once. Whoever moves a
// collection, be it provider, deadline or operator, comes through here.

import { FAILURE_REASONS, type Method } from '../../adapters/providers/port.ts'
import { type Delivery, enqueueEvents, type NewEvent } from '../../adapters/webhooks/index.ts'
import { type Posting, postingOf, postTransfers } from '../../books/ledger/index.ts'
import { type Deps, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { assertInvariant, formatAmount } from '../../kernel/lib/index.ts'
import { markDays } from './days.ts'
import type { Standing, Step } from './decide.ts'
import { type QueueRow, writeQueue } from './held.ts'
import { type PaidLink, payLinks } from './link.ts'
import { type AttemptState, moves, type Status } from './state.ts'
import { forgivePhones } from './tries.ts'

/** A collection under lock: changed in memory as steps are applied, then written once. */
export type Changing = Standing & {
  merchant_id: string
  collection_id: string
  environment: Environment
  version: number
  method: Method | null
  reference: string | null
  /** How often a payer tried: the number of the newest attempt. */
  attempts: number
  /** Number of the attempt whose money is booked; null: none, or the first. */
  settled_attempt: number | null
  payment_link_id: string | null
  merchant_code: string
  routing_code: number
  moved: boolean
  /** True: an earlier attempt than the newest paid it, so that method, fee and payer are written anew. */
  by_earlier?: boolean
  /** The phone of that attempt. */
  payer_phone?: string | null
}

/** Columns of a collection under lock, but those of its merchant. */
export const CHANGING_COLUMNS = `merchant_id, id as collection_id, environment, status, version, amount_minor, fee_minor,
       amount_received_minor, foreign_amount_minor, foreign_currency, currency, method, reference, failure_reason_code, attempts, settled_attempt, payment_link_id`

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

/** Everything that a set of steps changes beside the collections themselves. */
export type Effects = {
  history: HistoryRow[]
  postings: Posting[]
  events: NewEvent[]
  queue: Map<string, QueueRow>
  /** Phones whose owners approved a payment on a page. */
  approved: Set<string>
  /** Pages by the payment that has just paid them: also when its money went back in the same breath. */
  paid: Map<string, PaidLink>
}

/** No effects yet. */
export function noEffects(): Effects {
  return { history: [], postings: [], events: [], queue: new Map(), approved: new Set(), paid: new Map() }
}

/** Who moves a collection, in what words. */
export type Mover = { actor: string; reason: string | null }

/** Makes one move of a locked collection. `subscribed`: the events that its merchant receives. */
export function applyStep(
  deps: Deps,
  effects: Effects,
  row: Changing,
  step: Step,
  mover: Mover,
  subscribed: ReadonlySet<string> | undefined,
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
  const event = subscribed?.has(move.event) ? move.event : null
  const { version: seq } = row
  effects.history.push({ merchant_id, collection_id, seq, from_status, to_status: move.to, ...mover, event })
  const held = move.to === 'pending_clearance'
  if (held || from_status === 'pending_clearance') {
    effects.queue.set(collection_id, { merchant_id, collection_id, environment, decided_at: held ? null : now })
  }
  const { payment_link_id: id } = row
  if (move.to === 'successful' && id !== null && !effects.paid.has(id))
    effects.paid.set(id, { merchant_id, id, collection_id })
  const source = { source_type: 'collection', source_id: collection_id } as const
  for (const posting of [step.arrival, step.posting]) {
    if (posting) effects.postings.push(postingOf({ merchant_id, routing_code, environment, ...posting, ...source }))
  }
  if (event !== null) {
    const body = eventBody(row, event, move.time_field, now.toISOString())
    effects.events.push({ merchant_id, routing_code, environment, event, ...source, source_seq: seq, body })
  }
}

/** Writes down what denies the books: a row of the history from a status to itself, and a line in the log. */
export function applyNote(deps: Deps, effects: Effects, row: Changing, reason: string): void {
  const { merchant_id, collection_id, status } = row
  deps.log.warn(
    {
      merchant_id,
      collection_id,
      status,
      asked: `${formatAmount(row.amount_minor)} ${row.currency}`,
      booked: row.amount_received_minor === null ? null : formatAmount(row.amount_received_minor),
      told: reason,
    },
    'the provider contradicts what is booked',
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

/** The payload of every collection event. */
function eventBody(row: Changing, event: string, time_field: string, now: string) {
  const { failure_reason_code, amount_minor, amount_received_minor: received, foreign_amount_minor: foreign } = row
  return {
    event,
    merchant_code: row.merchant_code,
    collection_id: row.collection_id,
    reference: row.reference,
    merchant_reference: row.reference,
    amount: formatAmount(amount_minor),
    // Who fulfils an order must see that something else was paid than what was asked.
    ...(received === null || received === amount_minor ? {} : { amount_received: formatAmount(received) }),
    ...(foreign === null ? {} : { foreign_amount: formatAmount(foreign), foreign_currency: row.foreign_currency }),
    currency: row.currency,
    status: row.status,
    method: row.method,
    ...(row.status === 'failed' && failure_reason_code !== null
      ? { failure_reason_code, failure_reason_message: FAILURE_REASONS[failure_reason_code] }
      : {}),
    [time_field]: now,
    timestamp: now,
    ...(row.environment === 'sandbox' ? { sandbox: true } : {}),
  }
}

/** What became of an attempt. */
export type AttemptRow = {
  merchant_id: string
  collection_id: string
  number: number
  state: AttemptState
  due_at: Date | null
  sent_at: Date | null
  provider_status: string | null
  provider_id: string | null
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
  `update collections c set method = i.method, fee_minor = i.fee, customer_phone = coalesce(i.phone, (
     select l.customer_phone from payment_links l where l.merchant_id = c.merchant_id and l.id = c.payment_link_id))
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, method text, fee bigint, phone text')} i
   where c.merchant_id = i.merchant_id and c.id = i.collection_id`,
)

/** Writes method, fee and payer of payments that an earlier attempt paid. None: no statement. */
async function writeEarlier(tx: Tx, rows: readonly Changing[]): Promise<void> {
  const earlier = rows.filter(({ by_earlier }) => by_earlier === true)
  if (earlier.length === 0) return
  const values = earlier.map(({ merchant_id, collection_id, method, fee_minor, payer_phone }) => ({
    merchant_id,
    collection_id,
    method,
    fee: fee_minor.toString(),
    phone: payer_phone ?? null,
  }))
  await tx.query(WRITE_EARLIER, [JSON.stringify(values)])
}

/** Writes a set of changes: attempts, collections, history, the queue, events and money. Answers the deliveries it queued. */
export async function writeChanges(
  deps: Deps,
  tx: Tx,
  changed: { attempts: readonly AttemptRow[]; collections: readonly Changing[]; effects: Effects },
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  const { attempts, effects } = changed
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
  // Statements in one Promise.all run in their order on the transaction's connection; they only travel together.
  const [deliveries, [result]] = await Promise.all([
    enqueueEvents(deps, tx, effects.events, lease),
    tx.query<{ attempts: number; moved: number }>(WRITE, values),
    writeEarlier(tx, moved),
    markDays(deps, tx, moved),
    writeQueue(deps, tx, [...effects.queue.values()]),
    payLinks(tx, [...effects.paid.values()], deps.clock.now()),
    forgivePhones(deps, tx, effects.approved),
    // Last, because it locks the merchants' accounts: others wait for them until the commit.
    postTransfers(deps, tx, effects.postings),
  ])
  const due = attempts.length
  assertInvariant(result?.attempts === due, `${due} attempts were due, ${result?.attempts} written`)
  assertInvariant(result.moved === rows.length, `${rows.length} collections were due, ${result.moved} moved`)
  return deliveries
}
