// Defines stored collections and attempts, with their limits and the queries that read them.

import { CALL_MS_MAX, type FailureReason, type Method, type SimulateStatus } from '../../adapters/providers/port.ts'
import { type Deps, inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { gather, type Metadata, type TraceContext } from '../../kernel/lib/index.ts'
import type { AttemptState, Status } from './state.ts'

/** A collection as the API shows it. Its amounts are in cents. */
export type Collection = {
  id: string
  environment: Environment
  origin_environment: Environment
  status: Status
  method: Method | null
  amount_minor: bigint
  currency: string
  amount_received_minor: bigint | null
  /**
   * The received amount in another currency, in hundredths. Null means that no money in another currency has arrived.
   */
  foreign_amount_minor: bigint | null
  foreign_currency: string | null
  customer_name: string | null
  /** The phone that the merchant named or the payer typed. Null means that neither did. */
  customer_phone: string | null
  /** Our fee in cents. The server sets the fee together with the method. */
  fee_minor: bigint
  reference: string | null
  failure_reason_code: FailureReason | null
  provider_payment_status: string | null
  /** The merchant's metadata: pairs of a name and a text. Null means that the collection has none. */
  metadata: Metadata | null
  /** The slug of the hosted page. Null means that the collection has no hosted page. */
  slug: string | null
  created_at: Date
  updated_at: Date
}

/** The columns of a collection as the API shows it. The table has the alias c. */
export const COLLECTION_COLUMNS = `c.id, c.environment, c.origin_environment, c.status, c.method, c.amount_minor, c.currency,
     c.amount_received_minor, c.foreign_amount_minor, c.foreign_currency, c.customer_name, c.customer_phone, c.fee_minor, c.reference,
     c.failure_reason_code, c.metadata, c.created_at, c.updated_at, (
       select a.provider_status from collection_attempts a
       where a.merchant_id = c.merchant_id and a.collection_id = c.id and a.number = coalesce(c.settled_attempt, c.attempts)
     ) as provider_payment_status, case when c.payment_link_id is not null then (
       select l.slug from payment_links l
       where l.merchant_id = c.merchant_id and l.id = c.payment_link_id and l.collection_id = c.id
     ) end as slug`

const FIND = sql(
  'collections_find',
  `select i.merchant_id, ${COLLECTION_COLUMNS} from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join collections c on c.merchant_id = i.merchant_id and c.id = i.id`,
)

/**
 * The key by which a request finds a collection. A collection is visible in its own environment and in its environment of origin.
 */
export type CollectionKey = { merchant_id: string; environment: Environment; id: string }

/**
 * Returns the function that finds collections in batches: one query serves all waiting requests. Each request finds only a
 * collection of its merchant, or gets null.
 */
export function createFindCollection(deps: Deps): (key: CollectionKey) => Promise<Collection | null> {
  return gather<CollectionKey, Collection | null>(
    async (keys) => {
      const distinct = new Map(keys.map(({ merchant_id, id }) => [`${merchant_id} ${id}`, { merchant_id, id }]))
      const rows = await deps.db.query<Collection & { merchant_id: string }>(FIND, [
        JSON.stringify([...distinct.values()]),
      ])
      const found = new Map(rows.map((row) => [`${row.merchant_id} ${row.id}`, row]))
      return keys.map((key) => {
        const row = found.get(`${key.merchant_id} ${key.id}`)
        return row && [row.environment, row.origin_environment].includes(key.environment) ? row : null
      })
    },
    { max_items: 500, max_running: 2 },
  )
}

/** One attempt at a provider, with the columns that the driver reads. */
export type Attempt = {
  merchant_id: string
  collection_id: string
  number: number
  environment: Environment
  provider: string
  provider_reference: string
  method: Method
  phone: string | null
  amount_minor: bigint
  currency: string
  simulate_status: SimulateStatus | null
  /** True means that the payer started the attempt on a page. */
  on_page: boolean
  state: AttemptState
  asks: number
  sent_at: Date | null
  deadline_at: Date
  /** The time of the next step, or the end of the lease. Null means that no step is left. */
  due_at: Date | null
  /** The trace of the request that started the attempt. Null means that the server does not trace the attempt. */
  trace: TraceContext | null
}

/** Returns the attributes of a span about an attempt: ids and names, but no amount, phone or text of a merchant. */
export function traceFields({ collection_id, number, provider, environment, method }: Attempt) {
  return {
    'malipo.collection_id': collection_id,
    'malipo.attempt': number,
    'malipo.provider': provider,
    'malipo.method': method,
    'malipo.environment': environment,
  }
}

/** The time of a step without its calls: for the wait until the next batch, and for the write of the answer. */
const AROUND_CALLS_MS = 5_000

/**
 * The lease of an attempt: the time for one step with at most one query and one push. The lease is short, because a crash
 * delays a payment by up to this time. If a step takes longer, the process renews the lease before it sends a push.
 */
export const ATTEMPT_LEASE_MS = 2 * CALL_MS_MAX + AROUND_CALLS_MS

/** The highest count of queries that the server stores, because the column is a smallint. The server continues to query. */
export const ASKS_MAX = 32_000

/** The primary key of an attempt. The first attempt of a collection has the number 1. */
export type AttemptId = { merchant_id: string; collection_id: string; number: number }

/** The columns of an attempt that the driver reads. */
export const ATTEMPT_COLUMNS = [
  'merchant_id',
  'collection_id',
  'number',
  'environment',
  'provider',
  'provider_reference',
  'method',
  'phone',
  'amount_minor',
  'currency',
  'simulate_status',
  'on_page',
  'state',
  'asks',
  'sent_at',
  'deadline_at',
  'due_at',
  'trace',
] as const

const FIND_ATTEMPTS = sql(
  'attempts_find',
  `select ${ATTEMPT_COLUMNS.map((column) => `a.${column}`).join(', ')}
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} i
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number`,
)

/** Finds attempts by their keys, in no order. Leaves out unknown keys. */
export function findAttempts(reader: Reader, ids: readonly AttemptId[]): Promise<Attempt[]> {
  return reader.query<Attempt>(FIND_ATTEMPTS, [JSON.stringify(ids)])
}

const LATEST_ATTEMPT = sql(
  'attempts_latest',
  `select ${ATTEMPT_COLUMNS.map((column) => `a.${column}`).join(', ')} from collection_attempts a
   where a.merchant_id = $1 and a.collection_id = $2 order by a.number desc limit 1`,
)

/** Returns the newest attempt of a collection. Null means that the collection has no attempt. */
export async function latestAttempt(
  reader: Reader,
  merchant_id: string,
  collection_id: string,
): Promise<Attempt | null> {
  const [row] = await reader.query<Attempt>(LATEST_ATTEMPT, [merchant_id, collection_id])
  return row ?? null
}

const ASKABLE_ATTEMPTS = sql(
  'attempts_askable',
  `select ${ATTEMPT_COLUMNS.map((column) => `a.${column}`).join(', ')}
   from collections c join collection_attempts a on a.merchant_id = c.merchant_id and a.collection_id = c.id
   where c.merchant_id = $1 and c.id = $2 and (a.number = c.attempts or a.state in ('to_send', 'asked'))
   order by a.number`,
)

/**
 * Returns the attempts that a refresh queries: the newest attempt, and every earlier attempt that is `to_send` or `asked`.
 */
export function askableAttempts(reader: Reader, merchant_id: string, collection_id: string): Promise<Attempt[]> {
  return reader.query<Attempt>(ASKABLE_ATTEMPTS, [merchant_id, collection_id])
}
