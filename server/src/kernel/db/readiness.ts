// Checks the readiness of a process for load balancers. Each result is a fixed text that reveals no internal details.

import { statfs } from 'node:fs/promises'
import type { Deps } from './deps.ts'
import { createMissingMigrations } from './migrate.ts'
import { type DbSession, isDiskFull, isUnavailable, oneStatement, sql } from './pool.ts'
import { withinTicks } from './watch.ts'

/** The names of the checks in their displayed order. */
export const READINESS_CHECKS = ['database', 'writable', 'disk', 'key', 'migrations'] as const

/** The result of each check: `ok`, or the problem. */
export type Checks = Record<(typeof READINESS_CHECKS)[number], string>

/** The folders and the check of the secret keys that the readiness check uses. */
export type ReadinessOptions = {
  /** The folders to which this installation writes: DATA_DIR and the folder of the embedded database. */
  folders: readonly string[]
  /** Returns true if the vault decrypts the values of this database. */
  keyFits: (reader: DbSession) => Promise<boolean>
}

/** The timeout of all checks together in milliseconds, even if the database hangs. */
const CHECK_MS_MAX = 2_000
/** The time in milliseconds for which callers share one result. */
const FRESH_MS = 1_000
/**
 * If the result is older than this number of milliseconds, the next caller begins a new check. Until that check ends, callers
 * get the last result for up to FRESH_MS. So frequent callers rarely wait for the database.
 */
const RENEW_MS = 500
const FORGET_MS = 3_600_000
/**
 * The time in milliseconds for which the check reports a full disk after a refused statement. A successful write in a later
 * check ends this time early.
 */
const SPACE_MS = 10_000
const BYTES_PER_MB = 1_048_576

const ANSWER = sql('readiness_answer', 'select 1')
const PROBE = sql(
  'readiness_probe',
  `with old as (delete from readiness_probes where probed_at < $3 and process_id <> $1)
   insert into readiness_probes (process_id, probed_at, clock_ahead_ms) values ($1, $2, $4)
   on conflict (process_id) do update set probed_at = excluded.probed_at, clock_ahead_ms = excluded.clock_ahead_ms`,
)

/**
 * Makes the readiness check. Concurrent callers share one check, and later callers share its result for a second. After a
 * second, callers wait for a new result.
 */
export function createReadiness(deps: Deps, { folders, keyFits }: ReadinessOptions): () => Promise<Checks> {
  const { config, db, clock, clock_ahead_ms, process_id, log } = deps
  const missing = createMissingMigrations()
  let reported_full_at = Number.NEGATIVE_INFINITY
  /**
   * Writes a probe row. If the disk was full since the previous check, this check fails too, because a small write may
   * succeed where a payment does not.
   */
  const probeWrite = async (session: DbSession): Promise<string> => {
    const full_at = db.fullDiskAt()
    const refused = full_at > reported_full_at && performance.now() - full_at < SPACE_MS
    const now = clock.now()
    try {
      const values = [process_id, now, new Date(now.getTime() - FORGET_MS), clock_ahead_ms()]
      await oneStatement(session).query(PROBE, values)
      reported_full_at = full_at
    } catch (error) {
      // The error of the probe itself already reports the full disk.
      if (isDiskFull(error)) reported_full_at = db.fullDiskAt()
      throw error
    }
    return refused ? NO_SPACE : 'ok'
  }
  /**
   * Runs the checks of the database in order. The write is the last check, because a write may wait forever if the database
   * cannot commit.
   */
  const steps: [keyof Checks, (session: DbSession) => Promise<string>][] = [
    ['database', (session) => session.query(ANSWER).then(() => 'ok')],
    ['key', async (session) => ((await keyFits(session)) ? 'ok' : 'the secret key is not the key of the database')],
    ['migrations', async (session) => ((await missing(session)).length === 0 ? 'ok' : 'migrations are pending')],
    ['writable', probeWrite],
  ]
  const askDatabase = async (found: Partial<Checks>): Promise<void> => {
    const ask = async (session: DbSession) => {
      for (const [name, step] of steps) found[name] = await step(session).catch(describeFailure)
    }
    await db.session(ask).catch((error) => {
      for (const [name] of steps) found[name] ??= describeFailure(error)
    })
  }
  const askDisks = async (found: Partial<Checks>): Promise<void> => {
    found.disk = await findSpace(folders, config.disk_free_min_mb * BYTES_PER_MB).catch(describeFailure)
  }
  const askDatabaseOnce = shared(askDatabase)
  const askDisksOnce = shared(askDisks)
  const checkAll = async (): Promise<Checks> => {
    const [database, disks] = await Promise.all([askDatabaseOnce(), askDisksOnce()])
    const found = { ...database, ...disks }
    return Object.fromEntries(
      READINESS_CHECKS.map((name) => [name, found[name] ?? 'the check got no answer in time']),
    ) as Checks
  }
  let last = ''
  const check = async (): Promise<Checks> => {
    const checks = await checkAll()
    const now = JSON.stringify(checks)
    if (now !== last && (last !== '' || !isReady(checks))) {
      if (isReady(checks)) log.info({ component: 'db', checks }, 'the process is ready again')
      else log.warn({ component: 'db', checks }, 'the process is not ready')
    }
    last = now
    return checks
  }
  return keepFresh(check)
}

/** Makes a function that returns the result of `check`, at most FRESH_MS old, and renews the result early: see RENEW_MS. */
function keepFresh(check: () => Promise<Checks>): () => Promise<Checks> {
  let latest: { checks: Checks; at: number } | null = null
  let running: Promise<Checks> | null = null
  const renew = async (): Promise<Checks> => {
    try {
      const checks = await check()
      latest = { checks, at: performance.now() }
      return checks
    } finally {
      running = null
    }
  }
  return async () => {
    const age_ms = latest === null ? Number.POSITIVE_INFINITY : performance.now() - latest.at
    if (latest === null || age_ms >= FRESH_MS) {
      running ??= renew()
      return running
    }
    if (age_ms >= RENEW_MS && running === null) {
      running = renew()
      running.catch(() => {}) // The caller already has a result, and the next check reports the failure.
    }
    return latest.checks
  }
}

/**
 * Makes a function that waits for `ask` within the timeout of a check. If an earlier run of `ask` still runs, the function
 * starts no second run, because hanging runs would soon hold every connection.
 */
function shared(ask: (found: Partial<Checks>) => Promise<void>): () => Promise<Partial<Checks>> {
  let running: { found: Partial<Checks>; done: Promise<void> } | null = null
  return async () => {
    if (running === null) {
      const found: Partial<Checks> = {}
      const done = ask(found).finally(() => {
        running = null
      })
      running = { found, done }
    }
    const { found, done } = running
    await withinTicks(CHECK_MS_MAX, () => done).catch(() => {}) // The caller reports a missing check as late.
    return { ...found }
  }
}

/** Returns true if every check is ok. */
export function isReady(checks: Checks): boolean {
  return READINESS_CHECKS.every((name) => checks[name] === 'ok')
}

const NO_SPACE = 'the disk of the database is full'

/** Describes a failure without secrets, because anyone can read the answer. */
function describeFailure(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (code === '08006') return 'the database does not answer'
  if (code === '25006') return 'the database is read-only'
  if (isDiskFull(error)) return NO_SPACE
  return isUnavailable(error) ? 'the server cannot reach the database' : 'the check failed'
}

async function findSpace(folders: readonly string[], least: number): Promise<string> {
  for (const folder of folders) {
    const free = await freeBytes(folder)
    if (free !== null && free < least) return 'the disk has too little free space'
  }
  return 'ok'
}

/**
 * Returns the free bytes of the disk of a folder. Null means that the folder does not exist, so the server does not write to
 * the folder.
 */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null
    throw error
  }
}
