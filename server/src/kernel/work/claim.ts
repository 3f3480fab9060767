// Claims due rows by lease, in batches that are fair between merchants, or between the queues of a table. `lease_owner` is the
// process that holds the lease of a row. `due_at` is the end of the lease, so the row of a dead process becomes due again.

import { type Deps, oneStatement, type Statement, sql } from '../db/index.ts'
import { createClockCheck } from './clock-check.ts'
import { nextPosition, positionOf, type QueuePosition, queueColumns, type WaitingTable } from './waiting-table.ts'

/**
 * Claims at most `max` due rows for `lease_ms`, at most `allowance(merchant_id, queue)` rows of one queue, and no row of the
 * `closed` lanes. `queue` contains the values of the columns of `WaitingTable.queue`.
 */
export type Claimer<Row> = Claim<Row> & {
  /**
   * Ends the leases that this process still holds, and returns the number of ended leases. The rows keep `lease_owner`. So the
   * next process treats these rows as if this process had died.
   */
  giveBack(): Promise<number>
}

type Claim<Row> = (
  max: number,
  lease_ms: number,
  allowance: (merchant_id: string, queue: readonly string[]) => number,
  closed?: readonly string[],
) => Promise<Claimed<Row>[]>

/** A claimed row. `previous_owner` is the process whose lease has ended. Null means that no process held a lease. */
export type Claimed<Row> = Row & { previous_owner: string | null }

/** The greatest number of queues that one statement reads. */
const QUEUES_MAX = 500
/** The greatest number of rounds in one claim. Each round reads queues, and claims rows of the due queues. */
const ROUNDS_MAX = 20
/**
 * The longest lease in milliseconds. Because of this limit, a process finds its own leases with the index on due_at.
 */
const LEASE_MS_MAX = 10 * 60_000

/**
 * Makes the claimer of a table with an index on (merchant_id, the columns of `queue`, due_at). No queue gets a second turn
 * before every due queue had one. A claim can exclude rows by the text column `lane`. clock-check.ts frees rows that are due
 * too late.
 */
export function createClaimer<Row>(deps: Deps, table: WaitingTable): Claimer<Row> {
  const statements = claimStatements(table)
  const checkClock = createClockCheck(deps, table)
  const leasesLost = deps.metrics.counter({
    name: 'malipo_leases_lost_total',
    help: 'Rows that this process claimed after the lease of another process had ended, by table. That process stopped, died or was too slow.',
    labels: ['table'],
    series_max: 9,
  })(table.name)
  leasesLost.inc(0)
  const columns = queueColumns(table)
  const only = deps.only_merchant
  const start: QueuePosition = only === undefined ? columns.start : [only, ...columns.start.slice(1)]
  let cursor = start
  /** Returns the next due queues with an allowance, at most `max`, and moves the cursor past these queues. */
  const nextDue = async (max: number, now: Date, allowance: Parameters<Claimer<Row>>[2]) => {
    const waiting = await deps.db.query<WaitingQueueRow>(statements.waiting, [now, QUEUES_MAX, ...cursor])
    const due = waiting
      .filter((row) => row.due)
      .map((row) => positionOf(columns, row))
      .filter(([merchant_id]) => only === undefined || merchant_id === only)
      .map((position) => ({ position, allowed: allowance(position[0] as string, position.slice(1)) }))
      .filter(({ allowed }) => allowed > 0)
    const last = waiting.at(-1)
    if (due.length > max) {
      due.length = max
      cursor = nextPosition(columns, (due.at(-1) as { position: QueuePosition }).position)
    } else cursor = last?.number === QUEUES_MAX ? nextPosition(columns, positionOf(columns, last)) : start
    return due
  }
  const claim: Claim<Row> = async (max, lease_ms, allowance, closed = []) => {
    const now = deps.clock.now()
    // The check frees rows of every merchant that are due too late for this clock. A simulated clock must free none.
    if (only === undefined) await checkClock(now, lease_ms)
    const begin = cursor
    let wrapped = begin === start
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const due = await nextDue(max, now, allowance)
      if (due.length > 0) {
        const share = Math.ceil(max / due.length)
        const limits = due.map(({ allowed }) => Math.min(share, allowed))
        const until = new Date(now.getTime() + lease_ms)
        const queues = columns.names.map((_, i) => due.map(({ position }) => position[i]))
        const values = [limits, max, now, until, deps.process_id, ...queues, ...(table.lane ? [closed] : [])]
        const rows = await oneStatement(deps.db).query<Claimed<Row>>(statements.claim, values)
        if (rows.length > 0) {
          leasesLost.inc(rows.filter((row) => isLost(row.previous_owner, deps.process_id)).length)
          return rows
        }
      }
      if (cursor === start) {
        if (wrapped) return []
        wrapped = true
      } else if (wrapped && begin !== start && cursor.join(' ') >= begin.join(' ')) return []
    }
    return []
  }
  const giveBack = async () => {
    const now = deps.clock.now()
    const latest = new Date(now.getTime() + LEASE_MS_MAX)
    return (await oneStatement(deps.db).query(statements.giveBack, [deps.process_id, now, latest])).length
  }
  return Object.assign(claim, { giveBack })
}

const isLost = (previous_owner: string | null, process_id: string) =>
  previous_owner !== null && previous_owner !== process_id

/** A queue with due rows, or the last queue that the statement read. The row also contains the columns of the queue. */
type WaitingQueueRow = { due: boolean; number: number }

function claimStatements(table: WaitingTable): { waiting: Statement; claim: Statement; giveBack: Statement } {
  const { name, key, returning, lane } = table
  const { names, types } = queueColumns(table)
  const list = (alias: string) => names.map((column) => `${alias}.${column}`).join(', ')
  const from = types.map((type, i) => `$${i + 3}::${type}`).join(', ')
  const arrays = types.map((type, i) => `$${i + 6}::${type}[]`).join(', ')
  const open = lane === undefined ? '' : ` and c.${lane} <> all($${types.length + 6}::text[])`
  return {
    // For each queue, the statement reads one index entry. So the cost grows with the waiting queues, not with their rows. If
    // the statement reaches its limit, the result also contains the last queue.
    waiting: sql(
      `waiting_${name}`,
      `with recursive waiting as (
         (select ${list('t')}, t.due_at, 1 as number from ${name} t where t.due_at is not null and (${list('t')}) >= (${from})
          order by ${list('t')}, t.due_at limit 1)
         union all
         select following.*, w.number + 1
         from waiting w cross join lateral (
           select ${list('t')}, t.due_at from ${name} t where t.due_at is not null and (${list('t')}) > (${list('w')})
           order by ${list('t')}, t.due_at limit 1) following
         where w.number < $2
       )
       select ${names.join(', ')}, due_at <= $1 as due, number from waiting where due_at <= $1 or number = $2 order by number`,
    ),
    // The last conditions are a compare-and-set: if two processes read the same row, only one process updates the row. All
    // batches of this table lock rows in the same order.
    claim: sql(
      `claim_${name}`,
      `update ${name} t set lease_owner = $5, due_at = $4
       from (select * from (
         select due.* from unnest($1::int[], ${arrays}) as m(allowed, ${names.join(', ')})
         cross join lateral (
           select c.merchant_id, ${key.map((column) => `c.${column}`).join(', ')}, c.lease_owner as previous_owner
           from ${name} c
           where ${names.map((column) => `c.${column} = m.${column}`).join(' and ')} and c.due_at <= $3${open}
           order by c.due_at limit m.allowed
         ) due
         limit $2
       ) found order by merchant_id, ${key.join(', ')} offset 0) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.due_at <= $3 and t.lease_owner is not distinct from d.previous_owner
       returning ${returning.map((column) => `t.${column}`).join(', ')}, d.previous_owner`,
    ),
    // The statement locks rows in the same order as a claim. The update checks the owner again, because another process may
    // have claimed the row after the lease ended.
    giveBack: sql(
      `give_back_${name}`,
      `update ${name} t set due_at = $2
       from (select c.merchant_id, ${key.map((column) => `c.${column}`).join(', ')} from ${name} c
         where c.due_at > $2 and c.due_at <= $3 and c.lease_owner = $1
         order by c.merchant_id, ${key.map((column) => `c.${column}`).join(', ')} offset 0) d
       where t.merchant_id = d.merchant_id and ${key.map((column) => `t.${column} = d.${column}`).join(' and ')}
         and t.lease_owner = $1 and t.due_at > $2
       returning 1 as given_back`,
    ),
  }
}
