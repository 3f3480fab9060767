// What a second attempt of one payment took after another attempt had paid it: a collection of its own, held for an
// operator. So the payer's money is in the books, and the payment that its merchant knows stays what it is.

import type { Answer, Method } from '../../adapters/providers/port.ts'
import { type Deps, inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import { newId, timeOfId } from '../../kernel/lib/index.ts'
import { CHANGING_COLUMNS, type Changing } from './change.ts'
import { hasReceived } from './decide.ts'

/** An attempt of a locked collection, as far as it may have taken money beside another one. */
export type Beside = { merchant_id: string; collection_id: string; number: number }

/** True for the word of an attempt about money, when what is booked came by another attempt. */
export function tookBeside(row: Changing, number: number, answer: Answer): boolean {
  return 'amount_minor' in answer && isBookedByOther(row, number)
}

/** True when money is booked that another attempt of the same payment took. */
export function isBookedByOther(row: Changing, number: number): boolean {
  return hasReceived(row) && (row.settled_attempt ?? 1) !== number
}

// Read after the lock on the collection, behind which extra_collection_id is written: what another process has just made is seen.
const FIND = sql(
  'extras_find',
  `select a.collection_id as of_collection_id, a.number, a.method as of_method, a.fee_minor as of_fee_minor, a.phone, c.*
   from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} i
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
   left join lateral (
     select ${CHANGING_COLUMNS} from collections where merchant_id = i.merchant_id and id = a.extra_collection_id for update
   ) c on true
   order by i.merchant_id, a.collection_id, a.number`,
)

const CREATE = sql(
  'extras_create',
  `with input as materialized (
     select * from ${inputRows(
       '$1',
       'collection_id',
       'merchant_id uuid, collection_id uuid, number smallint, id uuid, method text, phone text, fee bigint, made_at timestamptz',
     )} x
   ), marked as (
     update collection_attempts a set extra_collection_id = i.id from input i
     where a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
   )
   insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
     currency, fee_minor, amount_received_minor, customer_name, customer_phone, customer_email, reference, description,
     failure_reason_code, attempts, payment_link_id, created_at, updated_at)
   select c.merchant_id, i.id, c.environment, c.origin_environment, 'processing', 0, i.method, c.amount_minor,
     c.currency, i.fee, null, c.customer_name, coalesce(i.phone, c.customer_phone), c.customer_email, c.reference,
     c.description, null, 0, c.payment_link_id, i.made_at, $2
   from input i join collections c on c.merchant_id = i.merchant_id and c.id = i.collection_id`,
)

type Found = Changing & {
  of_collection_id: string
  number: number
  of_method: Method
  of_fee_minor: bigint | null
  phone: string | null
}

const LOCK = sql(
  'extras_lock',
  `select 1 from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid, number smallint')} i
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
   cross join lateral (
     select 1 from collections where merchant_id = i.merchant_id and id = a.extra_collection_id for update) c`,
)

/**
 * Locks the collections that already hold what these attempts took: before the pages, as whoever decides about one of them
 * does. The collections of the attempts are under lock. None: no statement.
 */
export async function lockExtras(tx: Tx, attempts: readonly Beside[]): Promise<void> {
  if (attempts.length === 0) return
  const keys = attempts.map(({ merchant_id, collection_id, number }) => ({ merchant_id, collection_id, number }))
  await tx.query(LOCK, [JSON.stringify(keys)])
}

/**
 * The collections that hold what these attempts took, made where there are none yet. The collections of the attempts are
 * under lock. Answers them by collection and number of the attempt.
 */
export async function extrasOf(
  deps: Deps,
  tx: Tx,
  attempts: readonly (Beside & { row: Changing })[],
): Promise<Map<string, Changing>> {
  const found = await tx.query<Found>(FIND, [
    JSON.stringify(attempts.map(({ merchant_id, collection_id, number }) => ({ merchant_id, collection_id, number }))),
  ])
  const parents = new Map(attempts.map(({ row }) => [row.collection_id, row]))
  const extras = new Map<string, Changing>()
  const missing: object[] = []
  for (const { of_collection_id, number, of_method, of_fee_minor, phone, ...row } of found) {
    const parent = parents.get(of_collection_id) as Changing
    const { merchant_id, merchant_code, routing_code } = parent
    const extra: Changing =
      row.collection_id !== null
        ? { ...row, merchant_code, routing_code, superseded: true, moved: false }
        : {
            ...parent,
            collection_id: newId(deps, routing_code),
            status: 'processing',
            version: 0,
            method: of_method,
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
    extras.set(keyOfExtra(of_collection_id, number), extra)
    if (row.collection_id === null) {
      const { collection_id: id, method, fee_minor } = extra
      const fee = fee_minor.toString()
      missing.push({
        merchant_id,
        collection_id: of_collection_id,
        number,
        id,
        method,
        phone,
        fee,
        made_at: timeOfId(id),
      })
    }
  }
  if (missing.length > 0) await tx.query(CREATE, [JSON.stringify(missing), deps.clock.now()])
  return extras
}

/** How `extrasOf` names an attempt. */
export function keyOfExtra(collection_id: string, number: number): string {
  return `${collection_id} ${number}`
}
