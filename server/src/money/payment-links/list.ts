// A merchant's payment links, newest first.

import { type Deps, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, idsOfTime, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { LAST_ID } from '../../kernel/lib/index.ts'
import { presentLink } from './present.ts'
import type { ShownStatus } from './state.ts'
import { LINK_COLUMNS, type Link } from './store.ts'

/** Whose links, and which of them. */
export type Filter = PageChoice & {
  merchant_id: string
  environment: Environment
  status?: ShownStatus | undefined
  from?: string | undefined
  to?: string | undefined
}

// $3 is the status as it is stored, $4 whether the end of an ACTIVE one has passed at $5.
const END = "coalesce(l.expires_at, 'infinity'::timestamptz)"
const CONDITIONS = `l.merchant_id = $1 and l.environment = $2 and l.collection_id is null and ($3::text is null or l.status = $3)
     and ($4::boolean is null or case when $4 then ${END} <= $5 else ${END} > $5 end) and l.id >= $6 and l.id < $7`

// Without names they are planned for the status at hand. What stands on the pages before is found, and not shown.
const LIST = sql(
  '',
  `select ${LINK_COLUMNS} from (
     select l.id from payment_links l where ${CONDITIONS} and l.id < $8 order by l.id desc limit $9 offset $10) p
   join payment_links l on l.merchant_id = $1 and l.id = p.id join merchants m on m.id = l.merchant_id order by l.id desc`,
)
// In the order of an index that holds nothing else, so that counting stops early.
const count = (order: string) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from payment_links l where ${CONDITIONS} order by ${order} limit $8) counted`,
  )
const COUNT = count('l.id desc')
const COUNT_BY_END = count(END)

function matching(deps: Deps, { merchant_id, environment, status, from, to }: Filter): unknown[] {
  const expired = status === 'EXPIRED' ? true : status === 'ACTIVE' ? false : null
  const { from_id, until_id } = idsOfTime({ from, to })
  const stored = status === 'EXPIRED' ? 'ACTIVE' : status
  return [merchant_id, environment, stored ?? null, expired, deps.clock.now(), from_id, until_id]
}

/** Some of them, newest first. `before_id`: only those with ids before it. */
export function readLinks(
  deps: Deps,
  filter: Filter,
  limit: number,
  offset = 0,
  before_id: string | null = null,
): Promise<Link[]> {
  return deps.db.query<Link>(LIST, [...matching(deps, filter), before_id ?? LAST_ID, limit, offset])
}

/** A page of them. `total_items` counts up to 10,000. */
export async function listLinks(deps: Deps, pay_url: string, filter: Filter) {
  const { page = 1, page_size = 20, status } = filter
  const by_end = status === 'ACTIVE' || status === 'EXPIRED'
  const [rows, counted] = await Promise.all([
    readLinks(deps, filter, page_size, (page - 1) * page_size),
    deps.db.query<{ total: number }>(by_end ? COUNT_BY_END : COUNT, [...matching(deps, filter), COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentLink(deps, pay_url, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}
