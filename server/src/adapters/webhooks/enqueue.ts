// Queues events. The server writes the delivery rows in the same transaction as the fact that the event reports.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import type { EventName } from './events.ts'

/**
 * The duration of a lease. The lease is longer than the timeout of an attempt (8 s), so a lease ends only if its process is
 * dead or stuck.
 */
export const LEASE_MS = 12_000

/** An event to queue. The caller has checked that the merchant has chosen to receive the event. */
export type NewEvent = {
  merchant_id: string
  routing_code: number
  environment: string
  event: EventName
  source_type: 'collection' | 'withdrawal' | 'test'
  source_id: string
  /**
   * The sequence number of the status move that the event reports. The server queues each event once for each status move.
   */
  source_seq: number
  /** The payload. The server writes the JSON keys in this order. */
  body: object
}

/** A queued delivery. */
export type Delivery = {
  merchant_id: string
  id: string
  environment: string
  event: string
  /** The exact bytes that the server signs and sends. */
  body: string
  /** The number of finished attempts of the delivery. */
  attempts: number
  created_at: Date
  /** The end of the lease. If no process holds a lease, the time when the delivery becomes due. */
  due_at: Date
  /** If true, this process may send the delivery at once. If false, a worker claims the delivery later. */
  leased: boolean
}

const INSERT = sql(
  'webhook_enqueue',
  `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status,
     attempts, due_at, lease_owner, created_at, updated_at)
   select x.merchant_id, x.id, x.environment, x.event, x.source_type, x.source_id, x.source_seq, x.body, 'pending',
     0, x.due_at, x.lease_owner, $2, $2
   from json_to_recordset($1::json) as x(
     merchant_id uuid, id uuid, environment text, event text, source_type text, source_id uuid, source_seq int,
     body text, due_at timestamptz, lease_owner uuid)
   on conflict (merchant_id, source_id, source_type, source_seq, event) do nothing
   returning id`,
)

/**
 * Queues a batch of events in one query. If `lease(merchant_id)` is true, this process holds the lease and may dispatch the
 * delivery after the commit. The result omits events that an earlier call queued.
 */
export async function enqueueEvents(
  deps: Deps,
  tx: Tx,
  events: readonly NewEvent[],
  lease: (merchant_id: string) => boolean,
): Promise<Delivery[]> {
  if (events.length === 0) return []
  const now = deps.clock.now()
  const lease_end = new Date(now.getTime() + LEASE_MS)
  const deliveries: Delivery[] = []
  const rows = events.map(
    ({ merchant_id, routing_code, environment, event, source_type, source_id, source_seq, body }) => {
      const leased = lease(merchant_id)
      const id = newId(deps, routing_code)
      const due_at = leased ? lease_end : now
      const text = JSON.stringify(body)
      deliveries.push({ merchant_id, id, environment, event, body: text, attempts: 0, created_at: now, due_at, leased })
      const lease_owner = leased ? deps.process_id : null
      return {
        merchant_id,
        id,
        environment,
        event,
        source_type,
        source_id,
        source_seq,
        body: text,
        due_at,
        lease_owner,
      }
    },
  )
  const inserted = await tx.query<{ id: string }>(INSERT, [JSON.stringify(rows), now])
  if (inserted.length === deliveries.length) return deliveries
  const ids = new Set(inserted.map((row) => row.id))
  return deliveries.filter((delivery) => ids.has(delivery.id))
}

const SUBSCRIPTIONS = sql(
  'webhook_subscriptions',
  'select merchant_id, environment, events from webhook_configs where merchant_id = any($1::uuid[])',
)

/** Returns the key of a merchant and environment in the map of `subscriptionsOf`. */
export function subscriptionKey({ merchant_id, environment }: { merchant_id: string; environment: string }): string {
  return `${merchant_id} ${environment}`
}

/**
 * Reads the events that each merchant receives in each environment, by `subscriptionKey`. An environment without a
 * configuration is missing in the map.
 */
export async function subscriptionsOf(
  reader: Reader,
  merchant_ids: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await reader.query<{ merchant_id: string; environment: string; events: string[] }>(SUBSCRIPTIONS, [
    merchant_ids,
  ])
  return new Map(rows.map((row) => [subscriptionKey(row), new Set(row.events)]))
}
