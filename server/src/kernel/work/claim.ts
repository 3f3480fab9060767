// Claiming rows that are due: by lease, in sets, fair between merchants.
//
// A row that waits has `due_at`. Whoever works on it owns a lease: lease_owner is the process, and due_at moves to the
// moment when the lease ends. A process that dies does nothing, and the row falls due again by itself.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import { ZERO_ID } from '../lib/index.ts'
import { createClockCheck } from './clock-check.ts'

/**
 * Claims at most `max` due rows for `lease_ms`, at most `allowance(merchant_id)` of one merchant, and none whose lane is
 * among the `closed` ones.
 */
export type Claimer<Row> = (
  max: number,
  lease_ms: number,
  allowance: (merchant_id: string) => number,
  closed?: readonly string[],
) => Promise<Claimed<Row>[]>

/** A claimed row. `previous_owner`: who held its lease last. Null: nobody did since the last one gave it back. */
export type Claimed<Row> = Row & { previous_owner: string | null }

/** A table whose rows wait by `due_at`. */
export type WaitingTable = {
  name: string
  key: readonly string[]
  returning: readonly string[]
  lane?: string
  /** The longest pause of a row without a lease. Null: it waits for a day of the calendar, however far ahead. */
  longest_pause_ms: number | null
  /** The column that says when the pause of a row without a lease was written. */
  written: 'updated_at' | 'created_at'
}

/** Merchants looked at by one statement, and statements of one claim; the next claim goes on behind the last merchant. */
const MERCHANTS_MAX = 500
const ROUNDS_MAX = 20

/**
 * Makes the claimer of a table that has merchant_id, due_at, lease_owner and an index on (merchant_id, due_at).
 * `key` is the rest of its primary key; `returning` the columns of a claimed row; `lane` a text column by whose value rows
 * can be left waiting. A row that lies further ahead than its rule allows falls due after a while: see clock-check.ts.
 *
 * It goes from merchant to merchant in a circle, and a merchant that had its turn has the next one after all others. A
 * claim goes on until it has found something or was once around: whatever is due anywhere, it does not come back empty.
 */
export function createClaimer<Row>(deps: Deps, table: WaitingTable): Claimer<Row> {
  const statements = statementsFor(table)
  const checkClock = createClockCheck(deps, table)
  let cursor = ZERO_ID
  /** Merchants from the cursor on that have something due and may take it, at most `max`; the cursor moves behind them. */
  const nextDue = async (max: number, now: Date, allowance: (merchant_id: string) => number) => {
    const waiting = await deps.db.query<Waiting>(statements.waiting, [cursor, now, MERCHANTS_MAX])
    const due = waiting
      .filter((row) => row.due)
      .map(({ merchant_id }) => ({ merchant_id, allowed: allowance(merchant_id) }))
      .filter(({ allowed }) => allowed > 0)
    const last = waiting.at(-1)
    if (due.length > max) {
      due.length = max
      cursor = behind((due.at(-1) as { merchant_id: string }).merchant_id)
    } else cursor = last?.number === MERCHANTS_MAX ? behind(last.merchant_id) : ZERO_ID
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

/** The id that follows: what concerns no merchant has the id of zeros, so a round begins with that one, not behind it. */
export function behind(id: string): string {
  const hex = ((BigInt(`0x${id.replaceAll('-', '')}`) + 1n) % (1n << 128n)).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A merchant with something due, or the last one that a statement looked at. */
type Waiting = { merchant_id: string; due: boolean; number: number }

function statementsFor(table: WaitingTable): { waiting: Statement; claim: Statement } {
  const { name, key, returning, lane } = table
  const open = lane === undefined ? '' : ` and c.${lane} <> all($7::text[])`
  return {
    // Steps from merchant to merchant over the index: the cost is the number of merchants that wait, not of rows.
    // A merchant's first entry there is what falls due first. Answers those that have something due, and the last one
    // when the count ends there.
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
    // The last conditions are the compare-and-set: of two processes that saw the same row, one updates it, and the owner
    // before it is the one that was seen. The rows are locked in the order that every other set of this table is locked in.
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
