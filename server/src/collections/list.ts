// Listing a merchant's collections, newest first.

import { type Deps, sql } from '../db/index.ts'
import type { Environment } from '../http/index.ts'
import { COLLECTION_COLUMNS, type Collection } from './store.ts'

/** Filters of a list; null where none is set. Times bound created_at: from inclusive, to exclusive. */
export type Filters = {
  merchant_id: string
  environment: Environment
  status: string | null
  method: string | null
  reference: string | null
  phone: string | null
  from: Date | null
  to: Date | null
}

const CONDITIONS = `c.merchant_id = $1 and c.environment = $2
     and ($3::text is null or c.status = $3) and ($4::text is null or c.method = $4)
     and ($5::text is null or c.reference = $5) and ($6::text is null or c.customer_phone = $6)
     and ($7::timestamptz is null or c.created_at >= $7) and ($8::timestamptz is null or c.created_at < $8)
     and ($9::uuid is null or c.id >= $9) and ($10::uuid is null or c.id < $10)`

const LIST = sql(
  'collections_list',
  `select ${COLLECTION_COLUMNS} from collections c where ${CONDITIONS} order by c.id desc limit $11 offset $12`,
)
const COUNT = sql('collections_count', `select count(*)::int as total from collections c where ${CONDITIONS}`)

/** One page, and how many collections match in all. */
export async function listCollections(
  deps: Deps,
  filters: Filters,
  page: number,
  page_size: number,
): Promise<{ rows: Collection[]; total: number }> {
  const values = [
    filters.merchant_id, filters.environment, filters.status, filters.method, filters.reference, filters.phone,
    filters.from, filters.to, firstIdAt(filters.from), firstIdAt(filters.to),
  ]
  const [rows, counted] = await Promise.all([
    deps.db.query<Collection>(LIST, [...values, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT, values),
  ])
  return { rows, total: counted[0]?.total ?? 0 }
}

/** Ids begin with their time, so a bound on time is a bound on ids, and the index serves it. */
function firstIdAt(time: Date | null): string | null {
  if (time === null) return null
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}
