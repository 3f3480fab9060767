// Writes each duplicate payment as a new collection, held for an operator. A duplicate payment is money that an attempt took
// although another attempt already paid the collection. The ledger thus has the money, and the paid collection does not change.

import type { Answer, Method } from '../../adapters/providers/port.ts'
import { type Deps, inLockOrder, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, metadataPairs, newId, timeOfId } from '../../kernel/lib/index.ts'
import { applyCollectionStep, type CollectionEffects } from './change.ts'
import { decideAnswer, describeOutcome } from './decide.ts'
import { attemptReference } from './reference.ts'
import {
  type AttemptOutcome,
  type CollectionSnapshot,
  hasReceived,
  LOCKED_COLUMNS,
  type LockedCollection,
} from './snapshot.ts'
import type { AttemptId } from './store.ts'

/** Returns true if another attempt of the same payment brought the money of the collection. */
export function isPaidByOtherAttempt(collection: LockedCollection, number: number): boolean {
  return hasReceived(collection) && (collection.settled_attempt ?? 1) !== number
}

/** Returns true if this attempt took money although another attempt already paid the collection. */
export function isDuplicatePayment(collection: LockedCollection, number: number, answer: Answer): boolean {
  return 'amount_minor' in answer && isPaidByOtherAttempt(collection, number)
}

const LOCK = sql(
  'extras_lock',
  `select 1 from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} i
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
   cross join lateral (
     select 1 from collections where merchant_id = i.merchant_id and id = a.extra_collection_id for update) c`,
)

/**
 * Locks the collections that already hold duplicate payments of these attempts. The caller has locked the attempts' collections,
 * and locks the payment links later, as `clearCollection` does. Without an attempt, no query runs.
 */
export async function lockDuplicates(tx: Tx, attempts: readonly AttemptId[]): Promise<void> {
  if (attempts.length > 0) await tx.query(LOCK, [JSON.stringify(attemptKeys(attempts))])
}

/** Returns the keys of attempts in the order in which every transaction locks them. */
function attemptKeys(attempts: readonly AttemptId[]): AttemptId[] {
  const keys = attempts.map(({ merchant_id, collection_id, number }) => ({ merchant_id, collection_id, number }))
  return inLockOrder(keys, duplicateKey)
}

// A transaction writes extra_collection_id only under the lock of the collection. This query runs after that lock, so it finds
// a collection that another process has just made.
const FIND = sql(
  'extras_find',
  `select a.collection_id as of_collection_id, a.number, a.method as of_method, a.fee_minor as of_fee_minor, a.phone, c.*
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} i
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
   left join lateral (
     select ${LOCKED_COLUMNS} from collections where merchant_id = i.merchant_id and id = a.extra_collection_id for update
   ) c on true
   order by i.merchant_id, a.collection_id, a.number`,
)

const CREATE = sql(
  'extras_create',
  `with input as materialized (
     select * from ${inputRows(
       '$1',
       'collection_id',
       'merchant_id uuid, collection_id uuid, number smallint, id uuid, method text, phone text, fee bigint, made_at timestamptz, pairs uuid[]',
     )} x
   ), marked as (
     update collection_attempts a set extra_collection_id = i.id from input i
     where a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
   ), pair as (
     insert into collection_metadata (merchant_id, pair, id) select merchant_id, unnest(pairs), id from input
   )
   insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
     currency, fee_minor, amount_received_minor, customer_name, customer_phone, customer_email, reference, description,
     failure_reason_code, attempts, payment_link_id, created_at, updated_at, metadata)
   select c.merchant_id, i.id, c.environment, c.origin_environment, 'processing', 0, i.method, c.amount_minor,
     c.currency, i.fee, null, c.customer_name, i.phone, c.customer_email, c.reference,
     c.description, null, 0, c.payment_link_id, i.made_at, $2, c.metadata
   from input i join collections c on c.merchant_id = i.merchant_id and c.id = i.collection_id`,
)

type FoundDuplicate = LockedCollection & {
  of_collection_id: string
  number: number
  of_method: Method
  of_fee_minor: bigint | null
  phone: string | null
}

/**
 * Books duplicate payments, each on its own collection, and adds their steps to `effects`. Returns those collections. The caller
 * has locked the collections of the attempts. Without a duplicate, no query runs.
 */
export async function applyDuplicates(
  deps: Deps,
  tx: Tx,
  outcomes: readonly AttemptOutcome[],
  snapshots: ReadonlyMap<string, CollectionSnapshot>,
  effects: CollectionEffects,
): Promise<LockedCollection[]> {
  if (outcomes.length === 0) return []
  const distinct = new Map(outcomes.map((outcome) => [duplicateKey(outcome), outcome]))
  const duplicates = await findOrCreateDuplicates(deps, tx, [...distinct.values()], snapshots)
  for (const { collection_id, number, answer } of outcomes) {
    const row = duplicates.get(duplicateKey({ collection_id, number }))
    assertInvariant(
      row !== undefined,
      `attempt ${number} of ${collection_id} has a collection for its duplicate payment`,
    )
    const reason = `${describeOutcome(answer)}, beside what paid ${collection_id}: ${attemptReference(collection_id, number)}`
    const { subscribed, link } = snapshots.get(collection_id) ?? { subscribed: undefined, link: undefined }
    for (const step of decideAnswer(row, answer))
      applyCollectionStep(deps, effects, row, step, { actor: 'provider', reason }, { subscribed, link })
  }
  return [...duplicates.values()]
}

/**
 * Returns the collections of duplicate payments by `duplicateKey`. If an attempt has no such collection yet, creates the
 * collection.
 */
async function findOrCreateDuplicates(
  deps: Deps,
  tx: Tx,
  attempts: readonly AttemptId[],
  snapshots: ReadonlyMap<string, CollectionSnapshot>,
): Promise<Map<string, LockedCollection>> {
  const found = await tx.query<FoundDuplicate>(FIND, [JSON.stringify(attemptKeys(attempts))])
  const duplicates = new Map<string, LockedCollection>()
  const missing: object[] = []
  for (const { of_collection_id, number, of_method, of_fee_minor, phone, ...row } of found) {
    const parent = snapshots.get(of_collection_id)?.collection
    assertInvariant(parent !== undefined, `collection ${of_collection_id} is under lock`)
    const { merchant_id, merchant_code, routing_code } = parent
    const key = duplicateKey({ collection_id: of_collection_id, number })
    if (row.collection_id !== null) {
      duplicates.set(key, { ...row, merchant_code, routing_code, superseded: true, moved: false })
      continue
    }
    const duplicate = newDuplicate(parent, newId(deps, routing_code), { of_method, of_fee_minor, phone })
    duplicates.set(key, duplicate)
    const { collection_id: id, method, fee_minor, customer_phone } = duplicate
    const fee = fee_minor.toString()
    missing.push({
      merchant_id,
      collection_id: of_collection_id,
      number,
      id,
      method,
      phone: customer_phone,
      fee,
      made_at: timeOfId(id),
      pairs: metadataPairs(duplicate.environment, duplicate.metadata),
    })
  }
  if (missing.length > 0) await tx.query(CREATE, [JSON.stringify(missing), deps.clock.now()])
  return duplicates
}

/**
 * Returns the new collection of a duplicate payment. The field `superseded` is true, so an operator decides about the money.
 */
function newDuplicate(
  parent: LockedCollection,
  collection_id: string,
  { of_method, of_fee_minor, phone }: Pick<FoundDuplicate, 'of_method' | 'of_fee_minor' | 'phone'>,
): LockedCollection {
  return {
    ...parent,
    collection_id,
    status: 'processing',
    version: 0,
    method: of_method,
    customer_phone: phone ?? parent.customer_phone,
    fee_minor: of_fee_minor ?? parent.fee_minor,
    amount_received_minor: null,
    foreign_amount_minor: null,
    foreign_currency: null,
    failure_reason_code: null,
    attempts: 0,
    settled_attempt: null,
    superseded: true,
    moved: false,
    by_earlier: false,
  }
}

function duplicateKey({ collection_id, number }: Pick<AttemptId, 'collection_id' | 'number'>): string {
  return `${collection_id} ${number}`
}
