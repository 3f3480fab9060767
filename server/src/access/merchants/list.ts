// Reads merchants for operators: one merchant, or a page of all merchants.

import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import type { MerchantView } from './schema.ts'
import type { MerchantStatus } from './state.ts'

type MerchantTime = 'created_at' | 'updated_at' | 'archived_at'
type MerchantRow = Omit<MerchantView, MerchantTime> & { created_at: Date; updated_at: Date; archived_at: Date | null }

const COLUMNS = `m.id, m.merchant_code, m.name, m.email, m.status, m.verified, exists (
     select 1 from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null) as priced,
   m.archived_at, m.created_at, m.updated_at`

const GET = sql('merchant_get', `select ${COLUMNS} from merchants m where m.id = $1`)

const CONDITIONS = `($1::text is null or m.status = $1) and ($2::text is null
   or position(lower($2) in lower(m.name)) > 0 or starts_with(m.merchant_code, upper($2)))
   and (not $3::boolean or m.status = 'PENDING' or (m.status = 'ACTIVE' and not m.verified))
   and (m.archived_at is not null) = $4::boolean`

// The statements have no name, so that PostgreSQL plans them for the actual filters. Ids begin with their creation time.
const LIST = sql('', `select ${COLUMNS} from merchants m where ${CONDITIONS} order by m.id desc limit $5 offset $6`)
const COUNT = sql(
  '',
  `select count(*)::int as total from (select 1 from merchants m where ${CONDITIONS} limit $5) counted`,
)

/** Returns the condition that a row is of no archived merchant. `merchant_id` is the column of the row. */
export function notArchived(merchant_id: string): string {
  return `not exists (select from merchants archived where archived.id = ${merchant_id} and archived.archived_at is not null)`
}

/** Returns a merchant in the form for operators. If the merchant is unknown, refuses with not_found. */
export async function getMerchant(reader: Reader, id: string): Promise<MerchantView> {
  const [row] = isId(id.toLowerCase()) ? await reader.query<MerchantRow>(GET, [id]) : []
  return row ? merchantView(row) : refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
}

/**
 * The filter of the list. `search` is a part of a name or the beginning of a merchant code. `to_check` selects merchants that
 * an operator must still approve or verify. `archived` selects archived merchants, which the list otherwise leaves out.
 */
export type MerchantsFilter = PageChoice & {
  status?: MerchantStatus
  search?: string
  to_check?: boolean
  archived?: boolean
}

/** Returns a page of all merchants, newest first. `total_items` counts up to 10,000. */
export async function listMerchants(deps: Deps, filter: MerchantsFilter) {
  const { page = 1, page_size = 20 } = filter
  const matching = [filter.status ?? null, filter.search ?? null, filter.to_check ?? false, filter.archived ?? false]
  const [rows, counted] = await Promise.all([
    deps.db.query<MerchantRow>(LIST, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT, [...matching, COUNT_MAX]),
  ])
  return pageOf(rows.map(merchantView), counted[0]?.total ?? 0, filter)
}

function merchantView({ archived_at, created_at, updated_at, ...rest }: MerchantRow): MerchantView {
  const [created, updated] = [created_at.toISOString(), updated_at.toISOString()]
  return { ...rest, archived_at: archived_at?.toISOString() ?? null, created_at: created, updated_at: updated }
}
