// Claims due rows by lease, in batches that are fair between merchants.
//
// A waiting row has `due_at`. If a process works on a row, the process holds its lease: `lease_owner` is that process, and
// `due_at` is the end of the lease. If the process dies, the lease ends and the row becomes due again.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import { ZERO_ID } from '../lib/index.ts'
import { createClockCheck } from './clock-check.ts'
import { nextId, type WaitingTable } from './waiting-table.ts'

/**
 * Claims at most `max` due rows for `lease_ms`, at most `allowance(merchant_id)` rows of one merchant, and no row of the
 * `closed` lanes.
 */
export type Claimer<Row> = (
  max: number,
  lease_ms: number,
  allowance: (merchant_id: string) => number,
  closed?: readonly string[],
) => Promise<Claimed<Row>[]>

/** A claimed row. `previous_owner` is the last owner of its lease. Null means that the last owner returned the lease. */
export type Claimed<Row> = Row & { previous_owner: string | null }

/** The greatest number of merchants that one statement reads. The next statement continues after the last merchant. */
const MERCHANTS_MAX = 500
/** The greatest number of statements in one claim. */
const ROUNDS_MAX = 20

/**
 * Makes the claimer of a table with merchant_id, due_at, lease_owner and an index on (merchant_id, due_at). `lane` is a text
 * column by which a claim can exclude rows. clock-check.ts handles rows that are due too far ahead.
 *
 * The claimer visits the merchants in turn, so no merchant gets a second turn before every merchant had one. A claim ends
 * when the claim has found rows or has visited all merchants.
 */
export function createClaimer<Row>(deps: Deps, table: WaitingTable): Claimer<Row> {
  const statements = claimStatements(table)
  const checkClock = createClockCheck(deps, table)
  let cursor = ZERO_ID
  /**
   * Returns the next merchants from the cursor with due rows and an allowance, at most `max` merchants. Moves the cursor
   * past these merchants.
   */
  const nextDue = async (max: number, now: Date, allowance: (merchant_id: string) => number) => {
    const waiting = await deps.db.query<WaitingMerchantRow>(statements.waiting, [cursor, now, MERCHANTS_MAX])
    const due = waiting
      .filter((row) => row.due)
      .map(({ merchant_id }) => ({ merchant_id, allowed: allowance(merchant_id) }))
      .filter(({ allowed }) => allowed > 0)
    const last = waiting.at(-1)
    if (due.length > max) {
      due.length = max
      cursor = nextId((due.at(-1) as { merchant_id: string }).merchant_id)
    } else cursor = last?.number === MERCHANTS_MAX ? nextId(last.merchant_id) : ZERO_ID
    return due
  }
  return async (max, lease_ms, allowance, closed = []) => {
    const now = deps.clock.now()
    await checkClock(now, lease_ms)
    const begin = cursor
    let wrapped = begin === ZERO_ID
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const due = await nextDue(max, now, allowance)
      if (due.length > 0) {
        const share = Math.ceil(max / due.length)
        const merchants = due.map(({ merchant_id }) => merchant_id)
        const limits = due.map(({ allowed }) => Math.min(share, allowed))
        const until = new Date(now.getTime() + lease_ms)
        const values = [merchants, limits, max, now, until, deps.process_id, ...(table.lane ? [closed] : [])]
        const rows = await oneStatement(deps.db).query<Claimed<Row>>(statements.claim, values)
        if (rows.length > 0) return rows
      }
      if (cursor === ZERO_ID) {
        if (wrapped) return []
        wrapped = true
      } else if (wrapped && begin !== ZERO_ID && cursor >= begin) return []
    }
    return []
  }
}

/** A merchant with due rows, or the last merchant of a statement. */
type WaitingMerchantRow = { merchant_id: string; due: boolean; number: number }

function claimStatements(table: WaitingTable): { waiting: Statement; claim: Statement } {
  const { name, key, returning, lane } = table
  const open = lane === undefined ? '' : ` and c.${lane} <> all($7::text[])`
  return {
    // The statement steps from merchant to merchant over the index. So the cost grows with the waiting merchants, not with
    // their rows. If the statement reaches its limit, the result contains the last merchant too.
    waiting: sql(
      `waiting_${name}`,
      `with recursive waiting as (
         (select t.merchant_id, t.due_at, 1 as number from ${name} t where t.due_at is not null and t.merchant_id >= $1
          order by t.merchant_id, t.due_at limit 1)
         union all
         select following.merchant_id, following.due_at, w.number + 1
         from waiting w cross join lateral (
           select t.merchant_id, t.due_at from ${name} t where t.due_at is not null and t.merchant_id > w.merchant_id
           order by t.merchant_id, t.due_at limit 1) following
         where w.number < $3
       )
       select merchant_id, due_at <= $2 as due, number from waiting where due_at <= $2 or number = $3 order by number`,
    ),
    // The last conditions are a compare-and-set. If two processes read the same row, only one process updates the row, and
    // `previous_owner` is the owner that this process read. All batches of this table lock rows in the same order.
    claim: sql(
      `claim_${name}`,
      `update ${name} t set lease_owner = $6, due_at = $5
       from (select * from (
         select due.* from unnest($1::uuid[], $2::int[]) as m(merchant_id, allowed)
         cross join lateral (
           select c.merchant_id, ${key.map((column) => `c.${column}`).join(', ')}, c.lease_owner as previous_owner
           from ${name} c
           where c.merchant_id = m.merchant_id and c.due_at <= $4${open}
           order by c.due_at limit m.allowed
         ) due
         limit $3
       ) found order by merchant_id, ${key.join(', ')} offset 0) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.due_at <= $4 and t.lease_owner is not distinct from d.previous_owner
       returning ${returning.map((column) => `t.${column}`).join(', ')}, d.previous_owner`,
    ),
  }
}
