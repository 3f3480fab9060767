// Held collections: the queue of payments that wait for an operator's look, and what operators see of them.

import { type Deps, inputRows, type Reader, sql, type Tx } from '../db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf, payUrlOf } from '../http/index.ts'
import { amountAsNumber, isId, refuse, routingCodeOf } from '../lib/index.ts'
import { presentCollection } from './present.ts'
import type { HeldCollection } from './schema.ts'
import type { Status } from './state.ts'
import { COLLECTION_COLUMNS, type Collection } from './store.ts'

/** One case of the queue, as it is written. `decided_at`: null while it waits. */
export type QueueRow = { merchant_id: string; collection_id: string; environment: string; decided_at: Date | null }

// Nobody else writes these rows meanwhile: whoever holds or decides has the collection under lock.
const WRITE = sql(
  'held_write',
  `insert into held_collections (merchant_id, collection_id, environment, held_at, decided_at)
   select merchant_id, collection_id, environment, $2, decided_at
   from json_to_recordset($1::json) as q(merchant_id uuid, collection_id uuid, environment text, decided_at timestamptz)
   on conflict (merchant_id, collection_id) do update set decided_at = excluded.decided_at`,
)

/** Puts collections that were held into the queue, and takes those out that were decided. Nothing to write: no statement. */
export async function writeQueue(deps: Deps, tx: Tx, rows: readonly QueueRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(WRITE, [JSON.stringify(rows), deps.clock.now()])
}

type Row = Collection & {
  merchant_id: string
  merchant_code: string
  merchant_name: string
  customer_name: string | null
  customer_phone: string | null
  description: string | null
  fee_minor: bigint
  provider: string | null
  provider_reference: string | null
  held_at: Date
  decided_at: Date | null
}

const COLUMNS = `${COLLECTION_COLUMNS}, c.merchant_id, m.merchant_code, m.name as merchant_name, c.customer_name,
     coalesce(a.phone, c.customer_phone) as customer_phone, c.description, c.fee_minor, a.provider, a.provider_reference, h.held_at, h.decided_at`
const JOINED = `join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
   join merchants m on m.id = h.merchant_id
   left join lateral (
     select provider, provider_reference, phone from collection_attempts
     where merchant_id = c.merchant_id and collection_id = c.id and number = coalesce(c.settled_attempt, c.attempts)) a on true`

const OPEN = `h.decided_at is null and ($1::uuid is null or h.merchant_id = $1) and ($2::text is null or h.environment = $2)`

// Without names they are planned for the filters at hand. What waits has an index of its own, as short as the queue.
const LIST_OPEN = sql(
  '',
  `select ${COLUMNS} from (
     select * from held_collections h where ${OPEN} order by h.held_at, h.collection_id limit $3 offset $4) h
   ${JOINED} order by h.held_at, h.collection_id`,
)
const COUNT_OPEN = sql(
  '',
  `select count(*)::int as total from (select 1 from held_collections h where ${OPEN} limit $3) counted`,
)

// Of each merchant the newest, and of those the newest again.
const decidedOf = (columns: string) => `merchants m cross join lateral (
     select ${columns} from held_collections h join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
     where h.merchant_id = m.id and h.decided_at is not null and ($2::text is null or h.environment = $2) and c.status = $3
     order by h.collection_id desc limit $4) h
   where ($1::uuid is null or m.id = $1)`
const LIST_DECIDED = sql(
  '',
  `select ${COLUMNS} from (
     select h.* from ${decidedOf('h.*')} order by h.collection_id desc limit $5 offset $6) h
   ${JOINED} order by h.collection_id desc`,
)
const COUNT_DECIDED = sql('', `select count(*)::int as total from (select 1 from ${decidedOf('1')} limit $4) counted`)

/** Statuses of collections that were held. */
export const HELD_STATUSES = ['pending_clearance', 'successful', 'failed', 'reversed'] as const satisfies Status[]

/** Which cases to list. */
export type HeldFilter = PageChoice & {
  status?: (typeof HELD_STATUSES)[number]
  merchant_id?: string
  environment?: string
}

/**
 * A page of the collections of all merchants that were held: those that wait, the longest waiting first, or those that
 * were decided, newest first. `total_items` counts up to 10,000.
 */
export async function listHeld(deps: Deps, filter: HeldFilter) {
  const { page = 1, page_size = 20, status = 'pending_clearance' } = filter
  const whose = [filter.merchant_id ?? null, filter.environment ?? null]
  const offset = (page - 1) * page_size
  const [rows, counted] =
    status === 'pending_clearance'
      ? await Promise.all([
          deps.db.query<Row>(LIST_OPEN, [...whose, page_size, offset]),
          deps.db.query<{ total: number }>(COUNT_OPEN, [...whose, COUNT_MAX]),
        ])
      : await Promise.all([
          deps.db.query<Row>(LIST_DECIDED, [...whose, status, offset + page_size, page_size, offset]),
          deps.db.query<{ total: number }>(COUNT_DECIDED, [...whose, status, COUNT_MAX]),
        ])
  return pageOf(await withHistory(deps.db, rows, payUrlOf(deps.config)), counted[0]?.total ?? 0, filter)
}

// The id carries its merchant's routing code, so that it leads to its row through the primary key.
const FIND = sql(
  'held_find',
  `select ${COLUMNS} from (
     select h.* from merchants m join held_collections h on h.merchant_id = m.id
     where m.routing_code = $1 and h.collection_id = $2) h
   ${JOINED}`,
)

/** A collection that was held, as operators see it. Refuses one that is unknown or was never held with not_found. */
export async function getHeld(deps: Deps, reader: Reader, collection_id: string): Promise<HeldCollection> {
  const id = collection_id.toLowerCase()
  const rows = isId(id) ? await reader.query<Row>(FIND, [routingCodeOf(id), id]) : []
  const [found] = await withHistory(reader, rows, payUrlOf(deps.config))
  return found ?? refuse('not_found', { message: 'There is no such collection under review.' })
}

type HistoryRow = {
  collection_id: string
  from_status: Status
  to_status: Status
  actor: string
  reason: string | null
  event: string | null
  at: Date
}

const HISTORY = sql(
  'held_history',
  `select h.collection_id, h.from_status, h.to_status, h.actor, h.reason, h.event, h.at
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join collection_history h on h.merchant_id = i.merchant_id and h.collection_id = i.id order by h.seq`,
)

/** The rows with what became of each, in one statement for all of them. */
async function withHistory(reader: Reader, rows: readonly Row[], pay_url: string): Promise<HeldCollection[]> {
  if (rows.length === 0) return []
  const keys = rows.map(({ merchant_id, id }) => ({ merchant_id, id }))
  const history = await reader.query<HistoryRow>(HISTORY, [JSON.stringify(keys)])
  return rows.map((row) =>
    view(
      row,
      pay_url,
      history.filter(({ collection_id }) => collection_id === row.id),
    ),
  )
}

function view(row: Row, pay_url: string, history: readonly HistoryRow[]): HeldCollection {
  const { merchant_id, merchant_code, merchant_name, customer_name, customer_phone, description } = row
  return {
    merchant_id,
    merchant_code,
    merchant_name,
    ...presentCollection(row, pay_url),
    fee: amountAsNumber(row.fee_minor),
    customer_name,
    customer_phone,
    description,
    provider: row.provider,
    provider_reference: row.provider_reference,
    held_at: row.held_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    history: history.map(({ collection_id: _, at, ...entry }) => ({ ...entry, at: at.toISOString() })),
  }
}
