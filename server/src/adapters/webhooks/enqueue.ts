// Queueing events: delivery rows, written in the transaction of the fact that they tell.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import type { EventName } from './events.ts'

/** Longer than an attempt may take (8 s), so that a lease ends only when its process is dead or stuck. */
export const LEASE_MS = 12_000

/** One event about to be queued. The caller has checked that the merchant subscribes to it. */
export type NewEvent = {
  merchant_id: string
  routing_code: number
  environment: string
  event: EventName
  source_type: 'collection' | 'withdrawal' | 'test'
  source_id: string
  /** Which status move of the source the event tells: one delivery per move and event. */
  source_seq: number
  /** The payload; its keys are sent in this order. */
  body: object
}

/** A delivery, ready to be sent. */
export type Delivery = {
  merchant_id: string
  id: string
  environment: string
  event: string
  /** The exact bytes that are signed and sent. */
  body: string
  /** Attempts finished so far. */
  attempts: number
  created_at: Date
  /** When the lease ends; without a lease, when it falls due. */
  due_at: Date
  /** True: this process may send it at once. False: it waits to be claimed. */
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
 * Queues a set of events in one statement. Where `lease(merchant_id)` is true the row is born leased to this process,
 * which then dispatches it right after the commit; if it dies before, the lease ends and another claims the row.
 * An event that was queued before is left alone, and is not in the answer.
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
  'select merchant_id, events from webhook_configs where merchant_id = any($1::uuid[])',
)

/** The events that each of these merchants subscribes to. A merchant without a configuration is not in the map. */
export async function subscriptionsOf(
  reader: Reader,
  merchant_ids: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await reader.query<{ merchant_id: string; events: string[] }>(SUBSCRIPTIONS, [merchant_ids])
  return new Map(rows.map((row) => [row.merchant_id, new Set(row.events)]))
}
