// Listing a merchant's collections, newest first.

import { type Deps, sql } from '../db/index.ts'
import type { Environment } from '../http/index.ts'
import { firstIdAt } from '../lib/index.ts'
import { countAll } from './count.ts'
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

// Without a name they are planned for the filters at hand: a plan for all of them at once would use no index.
const LIST = sql(
  '',
  `select ${COLLECTION_COLUMNS} from collections c where ${CONDITIONS} order by c.id desc limit $11 offset $12`,
)
const COUNT = sql('', `select count(*) as total from collections c where ${CONDITIONS}`)

/** One page, and how many collections match in all. */
export async function listCollections(
  deps: Deps,
  filters: Filters,
  page: number,
  page_size: number,
): Promise<{ rows: Collection[]; total: number }> {
  const { merchant_id, environment, ...optional } = filters
  const unfiltered = Object.values(optional).every((value) => value === null)
  const values = [
    merchant_id,
    environment,
    filters.status,
    filters.method,
    filters.reference,
    filters.phone,
    filters.from,
    filters.to,
    filters.from && firstIdAt(filters.from),
    filters.to && firstIdAt(filters.to),
  ]
  const [rows, total] = await Promise.all([
    deps.db.query<Collection>(LIST, [...values, page_size, (page - 1) * page_size]),
    unfiltered
      ? countAll(deps, merchant_id, environment)
      : deps.db.query<{ total: bigint }>(COUNT, values).then(([counted]) => Number(counted?.total ?? 0n)),
  ])
  return { rows, total }
}
