/**
 * Sends reads of lists, exports and reports to a replica. Before a read, the process reads the log position of the primary, and
 * waits until the replica has replayed it. So a client reads its own writes. If the replica is late, lost or wrong, the primary
 * answers. Reads during a check share the next check.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, Metrics } from '../lib/index.ts'
import { gather } from '../lib/index.ts'
import type { Deps } from './deps.ts'
import { createDb, type Db, type Reader, type Statement, sql } from './pool.ts'

/** The URL and the limits of the replica, with the log and the metrics of the process. */
export type ReadReplicaOptions = {
  url: string
  max_connections: number
  /** The longest time in milliseconds for which a read waits for the replica. */
  lag_max_ms: number
  log: Log
  metrics: Metrics
}

/**
 * The reads of a process: a database whose single statements go to the replica or to the primary. Transactions and sessions go
 * to the primary.
 */
export type ReadReplica = {
  reads: Db
  /** The replica itself, for checks of its state. */
  replica: Reader
  /** Starts the watch for a silent replica. */
  arm(): void
  close(): Promise<void>
}

const POLL_MS = 3
/**
 * For these times in milliseconds, the primary answers all reads after the loss of the replica, or after a check that reached
 * its time limit.
 */
const AWAY_MS = { lost: 5_000, late: 1_000 }
const READS_MAX = 1_000
const CHECKS_RUNNING_MAX = 2
/** If no read has checked the replica for this time in milliseconds, a scrape checks the replica. */
const FRESH_MS = 10_000

// A log file's name begins with the timeline, which changes if a standby becomes the primary. At the beginning of a page, the
// insert position is behind the page header (24 bytes, or 40 in a segment's first page). The replayed position is before the
// header, so the query returns the beginning of the page.
const POSITION = sql(
  '',
  `select lsn::text, lsn < $1::pg_lsn as is_behind, system, timeline from (
     select lsn - case when pg_wal_lsn_diff(lsn, '0/0') % pg_size_bytes(current_setting('wal_segment_size')) = 40 then 40
         when pg_wal_lsn_diff(lsn, '0/0') % current_setting('wal_block_size')::int = 24 then 24 else 0 end::numeric as lsn,
       system_identifier::text as system, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int as timeline
     from pg_control_system(), pg_current_wal_insert_lsn() as at(lsn)) now`,
)
// A replica records a new timeline with its next restart point. Until then, the query returns the timeline before.
const REPLAYED = sql(
  '',
  `select pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn()::text as lsn, pg_last_wal_replay_lsn() >= $1::pg_lsn as is_fresh,
     greatest(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 0)::float8 as behind_bytes, system_identifier::text as system,
     timeline_id as timeline
   from pg_control_system(), pg_control_checkpoint()`,
)
/** The position before every other position. */
const NO_LSN = '0/0'

/** `is_behind` is true if the primary has not yet reached the position that the query names. */
type LogPosition = { lsn: string; is_behind: boolean; system: string; timeline: number }
type ReplayedLog = {
  is_standby: boolean
  lsn: string | null
  is_fresh: boolean | null
  behind_bytes: number | null
  system: string
  timeline: number
}

/** Returns the dependencies of reads that may come from the replica: lists, exports, statements, searches and dashboards. */
export function forReads(deps: Deps): Deps {
  return deps.reads === undefined ? deps : { ...deps, db: deps.reads }
}

/**
 * The problem of a replica that has replayed more than its primary has written. The primary was set back, for example to a
 * snapshot of its disk, or the replica was a primary for some time.
 */
const AHEAD = 'it has changes that the primary does not have'

/** Describes why a server is no replica of this primary. Null means that the server is a replica of this primary. */
export function replicaProblem(primary: LogPosition, { is_standby, system, timeline }: ReplayedLog): string | null {
  if (system !== primary.system) return 'it is a copy of another database'
  if (!is_standby) return 'it accepts writes, so it is no replica: a failover promoted it, or it is the primary'
  if (timeline !== primary.timeline) return 'it follows another timeline, as after a failover'
  return null
}

/**
 * Reads the state of a replica for an operator: its problem, and the number of bytes of the log that it has not replayed. Null
 * means that the replica has no problem.
 */
export async function compareReplica(
  primary: Reader,
  replica: Reader,
): Promise<{ problem: string | null; behind_bytes: number }> {
  const position = await readPosition(primary, NO_LSN)
  const [replayed] = await replica.query<ReplayedLog>(REPLAYED, [position.lsn])
  if (replayed === undefined) throw new Error('the database returned no position')
  const { is_behind } = await readPosition(primary, replayed.lsn)
  const problem = replicaProblem(position, replayed) ?? (is_behind ? AHEAD : null)
  return { problem, behind_bytes: replayed.behind_bytes ?? 0 }
}

/** Reads the position of the primary, and compares it with a position of its replica. */
async function readPosition(primary: Reader, replayed_lsn: string | null): Promise<LogPosition> {
  const [position] = await primary.query<LogPosition>(POSITION, [replayed_lsn ?? NO_LSN])
  if (position === undefined) throw new Error('the database returned no position')
  return position
}

/**
 * Makes the reads over the replica of `primary`. The function waits for no connection, so that a lost replica prevents no
 * start.
 */
export function openReadReplica(primary: Db, options: ReadReplicaOptions): ReadReplica {
  const { url, max_connections, metrics } = options
  const replica = createDb({
    url,
    max_connections,
    application_name: 'malipo reads',
    // The functions do nothing, because the read in progress reports the loss.
    watch: { on_silent: () => {}, on_answer: () => {} },
  })
  const measured = measureReads(metrics)
  const { catchUp, leave, checked_at } = createReplicaCheck(primary, replica, options, measured)
  const isFresh = gather<'now', boolean>(
    async (reads) => {
      const is_fresh = await catchUp()
      return reads.map(() => is_fresh)
    },
    { max_items: READS_MAX, max_running: CHECKS_RUNNING_MAX },
  )
  metrics.beforeScrape(() => {
    // A scrape does not wait for the check.
    if (performance.now() - checked_at() > FRESH_MS) catchUp().catch(() => measured.up.set(0))
  })
  const query = async <Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> => {
    if (await isFresh('now')) {
      try {
        const rows = await replica.query<Row>(statement, values)
        measured.from_replica.inc()
        return rows
      } catch (error) {
        if (isFaultOfRead(error)) throw error
        // The primary can answer, because a read may run twice.
        leave((error as Error).message)
      }
    }
    measured.from_primary.inc()
    return primary.query<Row>(statement, values)
  }
  return { reads: { ...primary, query }, replica, arm: () => replica.arm(), close: () => replica.close() }
}

/**
 * Makes the functions that check the replica, return the time of the last check, and stop the use of a failed replica.
 */
function createReplicaCheck(
  primary: Reader,
  replica: Reader,
  { lag_max_ms, log }: ReadReplicaOptions,
  measured: ReturnType<typeof measureReads>,
) {
  let away_until = Number.NEGATIVE_INFINITY
  let fresh_at = performance.now()
  let checked_at = Number.NEGATIVE_INFINITY
  let problem: string | null = null
  /** The position of the replica at its last good check. The log of its primary never ends before this position. */
  let replayed_lsn: string | null = null
  const leave = (why: string) => {
    away_until = performance.now() + AWAY_MS.lost
    replayed_lsn = null
    measured.up.set(0)
    if (problem === why) return
    problem = why
    log.warn(
      { component: 'db', problem: why },
      'the primary answers all reads, because the read replica cannot: check DATABASE_READ_URL and its machine',
    )
  }
  const stay = (waited_ms: number) => {
    fresh_at = performance.now()
    measured.up.set(1)
    measured.lag.set(waited_ms / 1_000)
    if (problem !== null) log.info({ component: 'db' }, 'the read replica answers reads again')
    problem = null
  }
  /** Checks the replica until it has replayed the log up to `position`, at most `lag_max_ms` after `begin`. */
  const awaitReplay = async (position: LogPosition, begin: number): Promise<boolean> => {
    for (;;) {
      const [replayed] = await replica.query<ReplayedLog>(REPLAYED, [position.lsn])
      const wrong = replayed === undefined ? 'it returned no position' : replicaProblem(position, replayed)
      if (wrong !== null) {
        leave(wrong)
        return false
      }
      const waited_ms = performance.now() - begin
      if (replayed?.is_fresh === true) {
        // Later checks compare the positions without a query of their own.
        if (replayed_lsn === null && (await readPosition(primary, replayed.lsn)).is_behind) {
          leave(AHEAD)
          return false
        }
        replayed_lsn = replayed.lsn
        stay(waited_ms)
        return true
      }
      if (waited_ms >= lag_max_ms) return false
      await sleep(POLL_MS)
    }
  }
  return {
    leave,
    checked_at: () => checked_at,
    /** Returns true if the replica has all changes that the primary has at the time of the call. */
    async catchUp(): Promise<boolean> {
      const begin = performance.now()
      checked_at = begin
      if (begin < away_until) return false
      const position = await readPosition(primary, replayed_lsn)
      if (position.is_behind) {
        leave(AHEAD)
        return false
      }
      const replayed = awaitReplay(position, begin).catch((error: Error & { code?: string }) => {
        leave(error.message || String(error.code))
        return false
      })
      const is_fresh = await withinLimit(replayed, lag_max_ms - (performance.now() - begin))
      if (!is_fresh) {
        away_until = Math.max(away_until, performance.now() + AWAY_MS.late)
        measured.lag.set((performance.now() - fresh_at) / 1_000)
      }
      return is_fresh
    },
  }
}

/** Returns the result of a check. If the replica does not answer within the time in milliseconds, returns false. */
async function withinLimit(check: Promise<boolean>, ms: number): Promise<boolean> {
  const limit = new AbortController()
  const late = sleep(Math.max(0, ms) + POLL_MS, false, { signal: limit.signal })
  const is_fresh = await Promise.race([check, late.catch(() => false)])
  limit.abort()
  return is_fresh
}

/**
 * The classes of SQLSTATE whose cause can be the replica: a lost connection, a refused write, few resources, a stopping server,
 * and internal errors.
 */
const CLASSES_OF_REPLICA = ['08', '25', '53', '57', '58', 'XX']
const CANCELLED = '57014'

/**
 * Returns true if the primary would fail in the same way: the statement or its data are wrong, or the read takes too long. A
 * conflict with the replay, and an error without SQLSTATE, come from the replica.
 */
function isFaultOfRead(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || /conflict with recovery/.test(message)) return false
  return code === CANCELLED || !CLASSES_OF_REPLICA.includes(code.slice(0, 2))
}

function measureReads(metrics: Metrics) {
  const reads = metrics.counter({
    name: 'malipo_reads_total',
    help: 'Reads of lists, exports and reports, by the database that answered.',
    labels: ['database'],
    series_max: 3,
  })
  return {
    from_replica: reads('replica'),
    from_primary: reads('primary'),
    up: metrics.gauge({
      name: 'malipo_read_replica_up',
      help: '1 if the read replica answered the last check of this process and follows its primary, else 0.',
    })(),
    lag: metrics.gauge({
      name: 'malipo_read_replica_lag_seconds',
      help: 'Time that the read replica needed to have all changes of the primary. Above DATABASE_READ_LAG_MAX_MS: time since it last had them.',
    })(),
  }
}
