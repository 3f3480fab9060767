// A merchant's payment links, newest first.

import { type Deps, sql } from '../db/index.ts'
import { COUNT_MAX, type Environment, type PageChoice, pageOf } from '../http/index.ts'
import { presentLink } from './present.ts'
import type { ShownStatus } from './state.ts'
import { LINK_COLUMNS, type Link } from './store.ts'

/** Whose links, and which of them. */
export type Filter = PageChoice & { merchant_id: string; environment: Environment; status?: ShownStatus | undefined }

const CONDITIONS = `l.merchant_id = $1 and l.environment = $2 and l.collection_id is null and ($3::text is null or $3 = case
     when l.status = 'ACTIVE' and l.expires_at <= $4 then 'EXPIRED' else l.status end)`

// Without a name they are planned for the status at hand.
const LIST = sql(
  '',
  `select ${LINK_COLUMNS} from payment_links l join merchants m on m.id = l.merchant_id where ${CONDITIONS}
   order by l.id desc limit $5 offset $6`,
)
const COUNT = sql(
  '',
  `select count(*)::int as total from (select 1 from payment_links l where ${CONDITIONS} limit $5) counted`,
)

/** A page of them. `total_items` counts up to 10,000. */
export async function listLinks(deps: Deps, pay_url: string, filter: Filter) {
  const { merchant_id, environment, status = null, page = 1, page_size = 20 } = filter
  const matching = [merchant_id, environment, status, deps.clock.now()]
  const [rows, counted] = await Promise.all([
    deps.db.query<Link>(LIST, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT, [...matching, COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentLink(deps, pay_url, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}
