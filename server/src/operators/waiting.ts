// What waits for a provider: payments and payouts whose next step is still to come.

import { type Deps, sql } from '../db/index.ts'
import type { Environment } from '../http/index.ts'

/** Most rows that are listed, and most that are looked at of each merchant. */
export const WAITING_MAX = 100
/** Most merchants that are looked at. */
const MERCHANTS_MAX = 500

type Row = {
  id: string
  merchant_id: string
  merchant_name: string
  environment: Environment
  provider: string
  provider_reference: string
  method: string
  state: string
  asks: number
  provider_status: string | null
  due_at: Date
  created_at: Date
}

// Steps from merchant to merchant over the index of what is due, which holds nothing but what waits: the cost is the number
// of merchants that wait, and a few rows of each.
function statement(name: string, table: string, id: string) {
  return sql(
    name,
    `with recursive waiting as (
       (select t.merchant_id, 1 as number from ${table} t
        where t.due_at is not null and ($1::uuid is null or t.merchant_id = $1) order by t.merchant_id limit 1)
       union all
       select following.merchant_id, w.number + 1 from waiting w cross join lateral (
         select t.merchant_id from ${table} t
         where t.due_at is not null and t.merchant_id > w.merchant_id order by t.merchant_id limit 1) following
       where w.number < $2 and $1::uuid is null
     )
     select t.${id} as id, t.merchant_id, m.name as merchant_name, t.environment, t.provider, t.provider_reference, t.method,
       t.state, t.asks, t.provider_status, t.due_at, t.created_at
     from waiting w cross join lateral (
       select * from ${table} t where t.due_at is not null and t.merchant_id = w.merchant_id order by t.due_at limit $3) t
     join merchants m on m.id = t.merchant_id
     order by t.created_at, t.${id} limit $3`,
  )
}

const STATEMENTS = {
  collection: statement('operator_waiting_collections', 'collection_attempts', 'collection_id'),
  payout: statement('operator_waiting_payouts', 'payouts', 'withdrawal_id'),
}

/** What waits, the longest waiting first; of one merchant, or of all. */
export async function listWaiting(deps: Deps, kind: 'collection' | 'payout', merchant_id: string | null) {
  const rows = await deps.db.query<Row>(STATEMENTS[kind], [merchant_id, MERCHANTS_MAX, WAITING_MAX])
  const now = deps.clock.now().getTime()
  return rows.map(({ due_at, created_at, ...row }) => ({
    ...row,
    waiting_s: Math.max(0, Math.floor((now - created_at.getTime()) / 1_000)),
    due_at: due_at.toISOString(),
    created_at: created_at.toISOString(),
  }))
}
