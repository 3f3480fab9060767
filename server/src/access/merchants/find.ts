// Finds merchants by id, or by the routing code in each id.

import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'

/** A merchant. `priced` is true if at least one price for withdrawals is in force. */
export type Merchant = {
  id: string
  routing_code: number
  merchant_code: string
  name: string
  status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'
  verified: boolean
  priced: boolean
}

const FIND = sql(
  'merchant_find',
  `select m.id, m.routing_code::float8 as routing_code, m.merchant_code, m.name, m.status, m.verified, exists (
     select 1 from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null) as priced
   from merchants m where m.id = $1`,
)

/** Returns a merchant. Null means that no merchant has this id. */
export async function findMerchant(reader: Reader, id: string): Promise<Merchant | null> {
  const [row] = await reader.query<Merchant>(FIND, [id])
  return row ?? null
}

const BY_ROUTING = sql(
  'merchants_by_routing',
  `select i.code::float8 as routing_code, m.id from unnest($1::bigint[]) as i(code) join merchants m on m.routing_code = i.code`,
)

const MEMORY_MAX = 100_000

/**
 * Makes the function that finds merchant ids by routing code. The function caches found ids, because the id of a code never
 * changes. For an unknown code, it returns null and caches nothing, because the server may create the merchant later.
 */
export function merchantByRoutingCode(deps: Deps): (routing_code: number) => Promise<string | null> {
  const cache = new Map<number, string>()
  const find = gather<number, string | null>(
    async (codes) => {
      const rows = await deps.db.query<{ routing_code: number; id: string }>(BY_ROUTING, [[...new Set(codes)]])
      const found = new Map(rows.map(({ routing_code, id }) => [routing_code, id]))
      return codes.map((code) => found.get(code) ?? null)
    },
    { max_items: 200, max_running: 2 },
  )
  return async (routing_code) => {
    const found = cache.get(routing_code)
    if (found) return found
    const id = await find(routing_code)
    if (id === null) return null
    if (cache.size >= MEMORY_MAX) cache.clear()
    cache.set(routing_code, id)
    return id
  }
}
