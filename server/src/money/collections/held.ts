// Writes the queue of payments that wait for an operator's review, and presents payments to operators.

import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { payUrlOf } from '../../kernel/http/index.ts'
import { amountAsNumber, isId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { presentCollection } from './present.ts'
import type { HeldCollection, OperatorCollection } from './schema.ts'
import type { Status } from './state.ts'
import { COLLECTION_COLUMNS, type Collection } from './store.ts'

/** One row of the review queue. Null in `decided_at` means that the payment waits for a decision. */
export type HeldQueueRow = { merchant_id: string; collection_id: string; environment: string; decided_at: Date | null }

// The transaction that holds or decides a payment has locked the collection, so no other transaction writes its row.
const WRITE = sql(
  'held_write',
  `insert into held_collections (merchant_id, collection_id, environment, held_at, decided_at)
   select merchant_id, collection_id, environment, $2, decided_at
   from json_to_recordset($1::json) as q(merchant_id uuid, collection_id uuid, environment text, decided_at timestamptz)
   on conflict (merchant_id, collection_id) do update set decided_at = excluded.decided_at`,
)

/** Adds held collections to the queue, and marks decided collections. Without rows, no query runs. */
export async function writeQueue(deps: Deps, tx: Tx, rows: readonly HeldQueueRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(WRITE, [JSON.stringify(rows), deps.clock.now()])
}

type OperatorCollectionRow = Collection & {
  merchant_id: string
  merchant_code: string
  merchant_name: string
  description: string | null
  /**
   * The phone of the attempt that paid; before any money has arrived, of the newest attempt. If that attempt has no phone, the
   * phone of the collection. Null means that neither has a phone.
   */
  payer_phone: string | null
  provider: string | null
  provider_reference: string | null
  held_at: Date | null
  decided_at: Date | null
}

const COLUMNS = `${COLLECTION_COLUMNS}, c.merchant_id, m.merchant_code, m.name as merchant_name,
     coalesce(a.phone, c.customer_phone) as payer_phone, c.description, a.provider, a.provider_reference, h.held_at, h.decided_at`
const JOINED = `join merchants m on m.id = c.merchant_id
   left join held_collections h on h.merchant_id = c.merchant_id and h.collection_id = c.id
   left join lateral (
     select provider, provider_reference, phone from collection_attempts
     where merchant_id = c.merchant_id and collection_id = c.id and number = coalesce(c.settled_attempt, c.attempts)) a on true`

/** The primary key of a collection. */
export type CollectionName = { merchant_id: string; id: string }

const NAMED = sql(
  'operator_collections',
  `select ${COLUMNS} from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join collections c on c.merchant_id = i.merchant_id and c.id = i.id ${JOINED}`,
)

/** Returns the collections with the keys `names` as operators see them, in the order of `names`. */
export async function presentForOperators(
  reader: Reader,
  names: readonly CollectionName[],
  pay_url: string,
): Promise<OperatorCollection[]> {
  if (names.length === 0) return []
  const rows = await reader.query<OperatorCollectionRow>(NAMED, [JSON.stringify(names)])
  const found = new Map(rows.map((row) => [row.id, row]))
  return withHistory(
    reader,
    names.flatMap(({ id }) => found.get(id) ?? []),
    pay_url,
  )
}

// The id contains the merchant's routing code, so the query finds the row by the primary key.
const FIND = sql(
  'operator_collection_find',
  `select ${COLUMNS} from (
     select c.* from merchants f join collections c on c.merchant_id = f.id where f.routing_code = $1 and c.id = $2) c
   ${JOINED}`,
)

async function findForOperators(
  deps: Deps,
  reader: Reader,
  collection_id: string,
): Promise<OperatorCollection | undefined> {
  const id = collection_id.toLowerCase()
  const rows = isId(id) ? await reader.query<OperatorCollectionRow>(FIND, [routingCodeOf(id), id]) : []
  const [found] = await withHistory(reader, rows, payUrlOf(deps.config))
  return found
}

/** Returns a collection as operators see it. Refuses an unknown collection with not_found. */
export async function getForOperators(deps: Deps, reader: Reader, collection_id: string): Promise<OperatorCollection> {
  return (
    (await findForOperators(deps, reader, collection_id)) ??
    refuse('not_found', { message: 'There is no such collection. Check the id.' })
  )
}

/** Returns a collection that is or was held, as operators see it. Refuses any other collection with not_found. */
export async function getHeld(deps: Deps, reader: Reader, collection_id: string): Promise<HeldCollection> {
  const found = await findForOperators(deps, reader, collection_id)
  const held_at = found?.held_at ?? null
  if (found === undefined || held_at === null)
    return refuse('not_found', { message: 'There is no such collection under review. Check the id.' })
  return { ...found, held_at }
}

type CollectionHistoryRow = {
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

/** Returns the rows with their history. One query reads the history of all rows. */
async function withHistory(
  reader: Reader,
  rows: readonly OperatorCollectionRow[],
  pay_url: string,
): Promise<OperatorCollection[]> {
  if (rows.length === 0) return []
  const keys = rows.map(({ merchant_id, id }) => ({ merchant_id, id }))
  const history = await reader.query<CollectionHistoryRow>(HISTORY, [JSON.stringify(keys)])
  return rows.map((row) =>
    presentOperatorCollection(
      row,
      pay_url,
      history.filter(({ collection_id }) => collection_id === row.id),
    ),
  )
}

function presentOperatorCollection(
  row: OperatorCollectionRow,
  pay_url: string,
  history: readonly CollectionHistoryRow[],
): OperatorCollection {
  const { merchant_id, merchant_code, merchant_name, description } = row
  return {
    merchant_id,
    merchant_code,
    merchant_name,
    ...presentCollection(row, pay_url),
    fee: amountAsNumber(row.fee_minor),
    customer_phone: row.payer_phone,
    description,
    provider: row.provider,
    provider_reference: row.provider_reference,
    held_at: row.held_at?.toISOString() ?? null,
    decided_at: row.decided_at?.toISOString() ?? null,
    history: history.map(({ collection_id: _, at, ...entry }) => ({ ...entry, at: at.toISOString() })),
  }
}
