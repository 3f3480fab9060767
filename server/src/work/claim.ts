// Claiming rows that are due: by lease, in sets, fair between merchants.
//
// A row that waits has `due_at`. Whoever works on it owns a lease: lease_owner is the process, and due_at moves to the
// moment when the lease ends. A process that dies does nothing, and the row falls due again by itself.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import { ZERO_ID } from '../lib/index.ts'

/** Claims at most `max` due rows for `lease_ms`, at most `allowance(merchant_id)` of one merchant. */
export type Claimer<Row> = (max: number, lease_ms: number, allowance: (merchant_id: string) => number) => Promise<Row[]>

/** Merchants looked at in one claim; the next claim goes on behind the last of them. */
const MERCHANTS_MAX = 200

/**
 * Makes the claimer of a table that has merchant_id, due_at, lease_owner and an index on (merchant_id, due_at).
 * `key` is the rest of its primary key; `returning` the columns of a claimed row.
 */
export function createClaimer<Row>(
  deps: Deps,
  table: { name: string; key: readonly string[]; returning: readonly string[] },
): Claimer<Row> {
  const statements = statementsFor(table)
  let cursor = ZERO_ID
  return async (max, lease_ms, allowance) => {
    const now = deps.clock.now()
    const waiting = await deps.db.query<{ merchant_id: string; due: boolean }>(statements.waiting, [
      cursor,
      now,
      MERCHANTS_MAX,
    ])
    cursor = waiting.length === MERCHANTS_MAX ? (waiting.at(-1)?.merchant_id ?? ZERO_ID) : ZERO_ID
    const due = waiting.filter((row) => row.due).map((row) => row.merchant_id)
    const share = Math.max(1, Math.ceil(max / Math.max(1, due.length)))
    const limits = due.map((merchant_id) => Math.min(share, allowance(merchant_id)))
    if (!limits.some((limit) => limit > 0)) return []
    const until = new Date(now.getTime() + lease_ms)
    return oneStatement(deps.db).query<Row>(statements.claim, [due, limits, max, now, until, deps.process_id])
  }
}

function statementsFor(table: { name: string; key: readonly string[]; returning: readonly string[] }): {
  waiting: Statement
  claim: Statement
} {
  const { name, key, returning } = table
  return {
    // Steps from merchant to merchant over the index: the cost is the number of merchants that wait, not of rows.
    waiting: sql(
      `waiting_${name}`,
      `with recursive waiting as (
         (select t.merchant_id from ${name} t where t.due_at is not null and t.merchant_id > $1
          order by t.merchant_id limit 1)
         union all
         select (select t.merchant_id from ${name} t where t.due_at is not null and t.merchant_id > w.merchant_id
                 order by t.merchant_id limit 1)
         from waiting w where w.merchant_id is not null
       )
       select w.merchant_id, exists (
         select 1 from ${name} t where t.merchant_id = w.merchant_id and t.due_at <= $2) as due
       from waiting w where w.merchant_id is not null limit $3`,
    ),
    // The last condition is the compare-and-set: of two processes that saw the same row, one updates it. The rows are
    // locked in the order that every other set of this table is locked in.
    claim: sql(
      `claim_${name}`,
      `update ${name} t set lease_owner = $6, due_at = $5
       from (select * from (
         select due.* from unnest($1::uuid[], $2::int[]) as m(merchant_id, allowed)
         cross join lateral (
           select c.merchant_id, ${key.map((column) => `c.${column}`).join(', ')} from ${name} c
           where c.merchant_id = m.merchant_id and c.due_at <= $4
           order by c.due_at limit m.allowed
         ) due
         limit $3
       ) found order by merchant_id, ${key.join(', ')} offset 0) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.due_at <= $4
       returning ${returning.map((column) => `t.${column}`).join(', ')}`,
    ),
  }
}
