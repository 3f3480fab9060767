// Lists a merchant's payment links, newest first.

import { createMetadataSearch, type Deps, metadataSearchSql, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, idsOfTime, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { LAST_ID, type Metadata } from '../../kernel/lib/index.ts'
import { presentLink } from './present.ts'
import type { ShownLinkStatus } from './state.ts'
import { LINK_COLUMNS, type Link } from './store.ts'

/** The merchant, the environment and the filters of a list of payment links. */
export type LinkFilter = PageChoice & {
  merchant_id: string
  environment: Environment
  status?: ShownLinkStatus | undefined
  from?: string | undefined
  to?: string | undefined
  metadata?: Metadata | undefined
}

// In CONDITIONS, $3 is the stored status. If $4 is true, the links ended before or at $5; if $4 is false, the links end after
// $5.
const END = "coalesce(l.expires_at, 'infinity'::timestamptz)"
const CONDITIONS = `l.merchant_id = $1 and l.environment = $2 and l.collection_id is null and ($3::text is null or l.status = $3)
     and ($4::boolean is null or case when $4 then ${END} <= $5 else ${END} > $5 end) and l.id >= $6 and l.id < $7`

// PostgreSQL plans these unnamed prepared statements for the status of the request. The inner query skips the rows of earlier
// pages.
const LIST = sql(
  '',
  `select ${LINK_COLUMNS} from (
     select l.id from payment_links l where ${CONDITIONS} and l.id < $8 order by l.id desc limit $9 offset $10) p
   join payment_links l on l.merchant_id = $1 and l.id = p.id join merchants m on m.id = l.merchant_id order by l.id desc`,
)
// The query counts in the order of an index, so PostgreSQL stops at the limit.
const countIn = (order: string) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from payment_links l where ${CONDITIONS} order by ${order} limit $8) counted`,
  )
const COUNT = countIn('l.id desc')
const COUNT_BY_END = countIn(END)

const searchMetadata = createMetadataSearch(
  'payment_link_metadata',
  sql(
    '',
    metadataSearchSql({
      pairs: 'payment_link_metadata',
      records: 'payment_links',
      alias: 'l',
      conditions: CONDITIONS,
      from: '$6',
      until: '$7',
      next: 8,
    }),
  ),
)
const BY_IDS = sql(
  '',
  `select ${LINK_COLUMNS} from payment_links l join merchants m on m.id = l.merchant_id
   where l.merchant_id = $1 and l.id = any($2::uuid[]) order by l.id desc`,
)

function linkFilterValues(deps: Deps, { merchant_id, environment, status, from, to }: LinkFilter): unknown[] {
  const expired = status === 'EXPIRED' ? true : status === 'ACTIVE' ? false : null
  const { from_id, until_id } = idsOfTime({ from, to })
  const stored = status === 'EXPIRED' ? 'ACTIVE' : status
  return [merchant_id, environment, stored ?? null, expired, deps.clock.now(), from_id, until_id]
}

/** Returns links that pass the filter, newest first. If `before_id` is not null, returns only links with smaller ids. */
export function readLinks(
  deps: Deps,
  filter: LinkFilter,
  limit: number,
  offset = 0,
  before_id: string | null = null,
): Promise<Link[]> {
  return deps.db.query<Link>(LIST, [...linkFilterValues(deps, filter), before_id ?? LAST_ID, limit, offset])
}

/** Returns a page of links, newest first, as records of the API. `total_items` counts up to 10,000. */
export async function listLinks(deps: Deps, pay_url: string, filter: LinkFilter) {
  const { page = 1, page_size = 20, status } = filter
  if (filter.metadata !== undefined) return listLinksByMetadata(deps, pay_url, filter, filter.metadata)
  const by_end = status === 'ACTIVE' || status === 'EXPIRED'
  const [rows, counted] = await Promise.all([
    readLinks(deps, filter, page_size, (page - 1) * page_size),
    deps.db.query<{ total: number }>(by_end ? COUNT_BY_END : COUNT, [...linkFilterValues(deps, filter), COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentLink(deps, pay_url, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}

async function listLinksByMetadata(deps: Deps, pay_url: string, filter: LinkFilter, metadata: Metadata) {
  const { page = 1, page_size = 20 } = filter
  const range = { count_max: COUNT_MAX, limit: page_size, offset: (page - 1) * page_size }
  const { total, ids } = await searchMetadata(deps.db, { ...filter, metadata }, linkFilterValues(deps, filter), range)
  const rows = ids.length === 0 ? [] : await deps.db.query<Link>(BY_IDS, [filter.merchant_id, ids])
  return pageOf(
    rows.map((row) => presentLink(deps, pay_url, row)),
    total,
    filter,
  )
}
