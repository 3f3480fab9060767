// Lists the payments of one payment link.

import { type Deps, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { presentCollection } from './present.ts'
import { COLLECTION_COLUMNS, type Collection } from './store.ts'

const LIST = sql(
  'collections_of_link',
  `select ${COLLECTION_COLUMNS} from collections c
   where c.merchant_id = $1 and c.payment_link_id = $2 order by c.id desc limit $3 offset $4`,
)
const COUNT = sql(
  'collections_of_link_count',
  `select count(*)::int as total from (
     select 1 from collections c where c.merchant_id = $1 and c.payment_link_id = $2 limit $3) counted`,
)

/** The payment link, and the page of its payments. */
export type OfLink = PageChoice & { merchant_id: string; link_id: string }

/**
 * Lists a page of the payments of a link, newest first. `total_items` counts up to 10,000. `pay_url` is the address of the payment
 * pages.
 */
export async function listOfLink(deps: Deps, pay_url: string, choice: OfLink) {
  const { merchant_id, link_id, page = 1, page_size = 20 } = choice
  const [rows, counted] = await Promise.all([
    deps.db.query<Collection>(LIST, [merchant_id, link_id, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT, [merchant_id, link_id, COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentCollection(row, pay_url)),
    counted[0]?.total ?? 0,
    choice,
  )
}
