// Locks the rows that a batch of outcomes changes, in the same order as all other transactions: collections, collections of
// duplicate payments, payment links.

import { type EventEndpoints, subscriptionKey, subscriptionsOf } from '../../adapters/webhooks/index.ts'
import { inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import { contradicts } from './decide.ts'
import { isDuplicatePayment, isPaidByOtherAttempt, lockDuplicates } from './duplicates.ts'
import type { LinkSettlement } from './link-settlement.ts'
import {
  type AttemptOutcome,
  type CollectionSnapshot,
  LOCKED_COLUMNS,
  type LockedAttempt,
  type LockedCollectionRow,
} from './snapshot.ts'

type LockedRow = LockedCollectionRow & Omit<LockedAttempt, 'due_at'>

// The lateral joins find each row by its whole primary key, in one order. Two batches thus lock rows in the same order and cannot
// deadlock.
const LOCK = sql(
  'collections_lock',
  `select c.*, a.*, m.merchant_code, m.routing_code::float8 as routing_code
   from (
     select * from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} x
     order by merchant_id, collection_id, number
   ) i
   cross join lateral (
     select ${LOCKED_COLUMNS} from collections where merchant_id = i.merchant_id and id = i.collection_id for update
   ) c
   cross join lateral (
     select number, state, sent_at, deadline_at, provider_status, provider_id, phone, method as of_method,
       fee_minor as of_fee_minor, trace
     from collection_attempts
     where merchant_id = i.merchant_id and collection_id = i.collection_id and number = i.number offset 0
   ) a
   cross join lateral (select merchant_code, routing_code from merchants where id = i.merchant_id offset 0) m`,
)

// A separate query after the locks finds the history rows that another process committed before this process got the locks.
const RECORDED = sql(
  'collections_told',
  `select h.merchant_id, h.collection_id, h.reason
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid')} i
   join collection_history h on h.merchant_id = i.merchant_id and h.collection_id = i.collection_id
   where h.actor = 'provider' and h.reason is not null`,
)

/** Locks the collections, duplicate payments and payment links of a batch of outcomes. Returns the snapshots by collection id. */
export async function lockSnapshots(
  tx: Tx,
  links: LinkSettlement,
  outcomes: readonly AttemptOutcome[],
): Promise<Map<string, CollectionSnapshot>> {
  const distinct = [...new Map(outcomes.map((outcome) => [outcomeKey(outcome), outcome])).values()]
  const ids = distinct.map(({ merchant_id, collection_id, number }) => ({ merchant_id, collection_id, number }))
  // The connection of the transaction runs the statements of this Promise.all in their order, in one round trip.
  const [rows, subscriptions] = await Promise.all([
    tx.query<LockedRow>(LOCK, [JSON.stringify(ids)]),
    subscriptionsOf(tx, [...new Set(ids.map((id) => id.merchant_id))]),
  ])
  const snapshots = snapshotsOf(rows, subscriptions)
  await lockDuplicates(
    tx,
    distinct.filter(({ collection_id, number, answer }) => {
      const snapshot = snapshots.get(collection_id)
      return snapshot !== undefined && isDuplicatePayment(snapshot.collection, number, answer)
    }),
  )
  const locked = await links.lock(
    tx,
    [...snapshots.values()].map(({ collection }) => collection),
  )
  for (const snapshot of snapshots.values()) {
    const { payment_link_id } = snapshot.collection
    snapshot.link = payment_link_id === null ? undefined : locked.get(payment_link_id)
  }
  await readHistoryOutcomes(tx, outcomes, snapshots)
  return snapshots
}

/** Returns the locked rows, one for each attempt, as collections with their attempts. */
function snapshotsOf(
  rows: readonly LockedRow[],
  subscriptions: ReadonlyMap<string, EventEndpoints>,
): Map<string, CollectionSnapshot> {
  const snapshots = new Map<string, CollectionSnapshot>()
  for (const row of rows) {
    const { number, state, sent_at, deadline_at, provider_status, provider_id, ...others } = row
    const { phone, of_method, of_fee_minor, ...collection } = others
    const { merchant_id, collection_id } = collection
    const snapshot: CollectionSnapshot = snapshots.get(collection_id) ?? {
      collection: { ...collection, superseded: false, moved: false },
      attempts: new Map(),
      link: undefined,
      recorded: new Set(),
      subscribed: subscriptions.get(subscriptionKey(collection)),
    }
    const attempt = { merchant_id, collection_id, number, state, due_at: null, sent_at, provider_status, provider_id }
    snapshot.attempts.set(number, { ...attempt, deadline_at, phone, of_method, of_fee_minor })
    snapshots.set(collection_id, snapshot)
  }
  return snapshots
}

/**
 * Reads the recorded outcomes of the collections that an answer contradicts, because the history records each contradiction once.
 */
async function readHistoryOutcomes(
  tx: Tx,
  outcomes: readonly AttemptOutcome[],
  snapshots: ReadonlyMap<string, CollectionSnapshot>,
): Promise<void> {
  const contradicted = new Map<string, { merchant_id: string; collection_id: string }>()
  for (const { collection_id, number, answer } of outcomes) {
    const collection = snapshots.get(collection_id)?.collection
    if (collection && !isPaidByOtherAttempt(collection, number) && contradicts(collection, answer))
      contradicted.set(collection_id, { merchant_id: collection.merchant_id, collection_id })
  }
  if (contradicted.size === 0) return
  const values = [JSON.stringify([...contradicted.values()])]
  const rows = await tx.query<{ collection_id: string; reason: string }>(RECORDED, values)
  for (const { collection_id, reason } of rows) snapshots.get(collection_id)?.recorded.add(reason)
}

/** Returns the primary key of an attempt as one text, for use as the key of a Map. */
export function outcomeKey(row: { merchant_id: string; collection_id: string; number: number }): string {
  return `${row.merchant_id} ${row.collection_id} ${row.number}`
}
