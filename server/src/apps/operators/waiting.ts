// Lists the payments and payouts that wait for a provider, for operators.

import { statementForm } from '../../adapters/providers/statement-forms.ts'
import { type Deps, sql } from '../../kernel/db/index.ts'
import { type Environment, type PageChoice, pageOf } from '../../kernel/http/index.ts'

/** The kinds of waiting records: payments and payouts. */
export const WAITING_KINDS = ['collection', 'payout'] as const
type WaitingKind = (typeof WAITING_KINDS)[number]

/** The highest number of rows per merchant in a list of all merchants. */
export const WAITING_MAX = 100
/** The highest number of rows in a list of one merchant. */
export const WAITING_MAX_OF_ONE = 10_000
/** The highest number of merchants that one list examines. */
const MERCHANTS_MAX = 500

/** The page, kind, merchant and provider of a list of waiting payments and payouts. A missing field means any. */
export type WaitingFilter = PageChoice & {
  kind?: WaitingKind | undefined
  merchant_id?: string | undefined
  provider?: string | undefined
}

type WaitingRow = {
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
  total: number
}

// The column `state` does not show a prompt that the server is sending, or an unclear answer. The columns `lease_owner` and
// `asks` show these two states.
const ATTEMPT_STATE = `case when t.state <> 'to_send' then t.state when t.asks > 0 then 'unclear'
       when t.lease_owner is not null then 'sending' else t.state end`

// The recursive query finds the merchants one by one in the partial index of due rows. The cost grows with the number of
// merchants with due rows.
function statement(name: string, table: string, id: string, state: string) {
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
       ${state} as state, t.asks, t.provider_status, t.due_at, t.created_at, count(*) over ()::int as total
     from waiting w cross join lateral (
       select * from ${table} t
       where t.due_at is not null and t.merchant_id = w.merchant_id and ($4::text is null or t.provider = $4)
       order by t.due_at limit $3) t
     join merchants m on m.id = t.merchant_id
     order by t.created_at, t.${id} limit $5`,
  )
}

const STATEMENTS = {
  collection: statement('operator_waiting_collections', 'collection_attempts', 'collection_id', ATTEMPT_STATE),
  payout: statement('operator_waiting_payouts', 'payouts', 'withdrawal_id', 't.state'),
}

/** Returns a page of payments and payouts that wait for a provider, oldest first. */
export async function listWaiting(deps: Deps, filter: WaitingFilter) {
  const { kind, merchant_id = null, provider = null, page = 1, page_size = 20 } = filter
  const until = page * page_size
  const each = merchant_id === null ? WAITING_MAX : WAITING_MAX_OF_ONE
  const found = await Promise.all(
    (kind === undefined ? WAITING_KINDS : [kind]).map(async (one) => {
      const values = [merchant_id, MERCHANTS_MAX, each, provider, until]
      const rows = await deps.db.query<WaitingRow>(STATEMENTS[one], values)
      return { total: rows[0]?.total ?? 0, rows: rows.map((row) => ({ kind: one, ...row })) }
    }),
  )
  const rows = found.flatMap((part) => part.rows)
  rows.sort((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1))
  const total = found.reduce((sum, part) => sum + part.total, 0)
  return pageOf(
    rows.slice(until - page_size, until).map((row) => presentWaiting(deps, row)),
    total,
    filter,
  )
}

function presentWaiting(deps: Deps, { due_at, created_at, total: _, ...row }: WaitingRow & { kind: WaitingKind }) {
  const now = deps.clock.now().getTime()
  return {
    ...row,
    statement_reference: statementForm(row.provider, row.provider_reference),
    waiting_s: Math.max(0, Math.floor((now - created_at.getTime()) / 1_000)),
    due_at: due_at.toISOString(),
    created_at: created_at.toISOString(),
  }
}
