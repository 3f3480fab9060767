// Queues webhook events. The server writes the deliveries in the transaction of the fact that the event reports.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { newId, type TraceContext, ZERO_ID } from '../../kernel/lib/index.ts'
import type { EventName } from './events.ts'

/**
 * The duration of a lease in milliseconds. An attempt has a timeout of at most 8 seconds. So a lease ends only if its process
 * died, is stuck, or kept the delivery in its queue for too long.
 */
export const LEASE_MS = 12_000

/** The stored id of every default endpoint. Other endpoints have unique ids. */
export const DEFAULT_ENDPOINT_ID = ZERO_ID

/** The endpoint of a delivery. All default endpoints have the same `endpoint_id`. */
export type DeliveryTarget = { merchant_id: string; environment: string; endpoint_id: string }

/** Returns true if this process has capacity for another delivery to an endpoint. */
export type CanDeliver = (target: DeliveryTarget) => boolean

/** An event to queue, with the endpoints that must receive it. */
export type NewEvent = {
  merchant_id: string
  routing_code: number
  environment: string
  event: EventName
  /**
   * The ids of the endpoints. Each endpoint gets its own delivery. If the array is empty, the server stores the event without a
   * delivery, for the list of events.
   */
  endpoint_ids: readonly string[]
  source_type: 'collection' | 'withdrawal' | 'invoice' | 'balance' | 'test'
  source_id: string
  /**
   * The number of the status change that the event reports. The server queues each event once for each status change.
   */
  source_seq: number
  /** The payload. The JSON keeps the order of its keys. */
  body: object
  /** The trace of the payment or payout. Undefined or null means that the server does not trace it. */
  trace?: TraceContext | null
}

/** A queued delivery of an event to one endpoint. */
export type Delivery = {
  merchant_id: string
  id: string
  environment: string
  endpoint_id: string
  event: string
  /** The exact text that the server signs and sends. */
  body: string
  /**
   * The number of attempts that ended. The replay of an ended delivery raises a lower number to four, so that one attempt
   * remains.
   */
  attempts: number
  created_at: Date
  /** The end of the lease. If no process holds a lease, the time at which the delivery becomes due. */
  due_at: Date
  /**
   * True means that this process holds the lease and may send the delivery after the commit. False means that a worker claims
   * the delivery.
   */
  leased: boolean
  /** The trace of the payment or payout. Null means that the server does not trace it. */
  trace: TraceContext | null
}

const INSERT = sql(
  'webhook_enqueue',
  `with input as materialized (
     select * from json_to_recordset($1::json) as x(
       merchant_id uuid, id uuid, environment text, endpoint_id uuid, event text, source_type text, source_id uuid,
       source_seq int, body text, due_at timestamptz, lease_owner uuid, trace text, is_copy boolean)
   ), unsent as (
     insert into unsent_events (merchant_id, environment, id, event, source_type, source_id, source_seq, body, created_at)
     select merchant_id, environment, id, event, source_type, source_id, source_seq, body, $2 from input where endpoint_id is null
   )
   insert into webhook_deliveries (merchant_id, id, environment, endpoint_id, event, source_type, source_id, source_seq, body, status,
     attempts, due_at, lease_owner, created_at, updated_at, trace, is_copy)
   select x.merchant_id, x.id, x.environment, x.endpoint_id, x.event, x.source_type, x.source_id, x.source_seq, x.body, 'pending',
     0, x.due_at, x.lease_owner, $2, $2, x.trace, coalesce(x.is_copy, false)
   from input x where x.endpoint_id is not null
   on conflict (merchant_id, source_id, source_type, source_seq, event, endpoint_id) do nothing
   returning id`,
)

/**
 * Queues a batch of events in one query. If `canDeliver` returns true for an endpoint, this process holds the lease and may
 * dispatch the delivery after the commit. The result omits deliveries that an earlier call queued.
 */
export async function enqueueEvents(
  deps: Deps,
  tx: Tx,
  events: readonly NewEvent[],
  canDeliver: CanDeliver,
): Promise<Delivery[]> {
  if (events.length === 0) return []
  const now = deps.clock.now()
  const lease_end = new Date(now.getTime() + LEASE_MS)
  const deliveries: Delivery[] = []
  const rows = events.flatMap((queued) => {
    const { merchant_id, routing_code, environment, event, endpoint_ids, source_type, source_id, source_seq } = queued
    const body = JSON.stringify(queued.body)
    const trace = queued.trace ?? null
    const source = { merchant_id, environment, event, source_type, source_id, source_seq, body }
    if (endpoint_ids.length === 0) return [{ ...source, id: newId(deps, routing_code) }]
    return endpoint_ids.map((endpoint_id, i) => {
      const target = { merchant_id, environment, endpoint_id }
      const leased = canDeliver(target)
      const id = newId(deps, routing_code)
      const due_at = leased ? lease_end : now
      deliveries.push({ ...target, id, event, body, attempts: 0, created_at: now, due_at, leased, trace })
      const lease_owner = leased ? deps.process_id : null
      return {
        ...source,
        id,
        endpoint_id,
        due_at,
        lease_owner,
        ...(trace === null ? {} : { trace }),
        // The delivery to the first endpoint represents the event in the list of events. The other deliveries are copies.
        ...(i === 0 ? {} : { is_copy: true }),
      }
    })
  })
  const inserted = await tx.query<{ id: string }>(INSERT, [JSON.stringify(rows), now])
  if (inserted.length === deliveries.length) return deliveries
  const ids = new Set(inserted.map((row) => row.id))
  return deliveries.filter((delivery) => ids.has(delivery.id))
}

const SUBSCRIPTIONS = sql(
  'webhook_subscriptions',
  `select merchant_id, environment, id as endpoint_id, events from webhook_configs
   where merchant_id = any($1::uuid[]) order by merchant_id, environment, id`,
)

/** The ids of the endpoints that receive each event, by event name, for one merchant and environment. */
export type EventEndpoints = ReadonlyMap<string, readonly string[]>

/** Returns the key of a merchant and an environment in the result of `subscriptionsOf`. */
export function subscriptionKey({ merchant_id, environment }: { merchant_id: string; environment: string }): string {
  return `${merchant_id} ${environment}`
}

/**
 * Reads the endpoints that receive each event, by `subscriptionKey`. If an environment has no endpoint, the Map has no entry
 * for it.
 */
export async function subscriptionsOf(
  reader: Reader,
  merchant_ids: readonly string[],
): Promise<Map<string, EventEndpoints>> {
  const rows = await reader.query<DeliveryTarget & { events: string[] }>(SUBSCRIPTIONS, [merchant_ids])
  const subscriptions = new Map<string, Map<string, string[]>>()
  for (const row of rows) {
    const key = subscriptionKey(row)
    const endpoints = subscriptions.get(key) ?? new Map<string, string[]>()
    for (const event of row.events) {
      const receivers = endpoints.get(event)
      if (receivers === undefined) endpoints.set(event, [row.endpoint_id])
      else receivers.push(row.endpoint_id)
    }
    subscriptions.set(key, endpoints)
  }
  return subscriptions
}
