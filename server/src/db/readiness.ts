// Whether a process can do its work now, for load balancers: each check in fixed words that show nothing of the inside.

import { statfs } from 'node:fs/promises'
import type { Deps } from './deps.ts'
import { createMissingMigrations } from './migrate.ts'
import { isUnavailable, oneStatement, sql } from './pool.ts'
import { LATE, within } from './watch.ts'

/** What is checked, in the order in which it is shown. */
export const READINESS_CHECKS = ['database', 'writable', 'disk', 'key', 'migrations'] as const

/** The outcome of each check: `ok`, or what is wrong. */
export type Checks = Record<(typeof READINESS_CHECKS)[number], string>

/** Options of `createReadiness`. */
export type ReadinessOptions = {
  /** Folders whose disks this installation writes to: DATA_DIR, and where the embedded database is. */
  folders: readonly string[]
  /** Whether the vault reads what this database holds encrypted. */
  keyFits: () => Promise<boolean>
}

/** All checks together answer within this time, however the database hangs. */
const CHECK_MS_MAX = 2_000
/** A result is shared by all who ask meanwhile. */
const FRESH_MS = 1_000
const FORGET_MS = 3_600_000
const BYTES_PER_MB = 1_048_576

const PROBE = sql(
  'readiness_probe',
  `with old as (delete from readiness_probes where probed_at < $3 and process_id <> $1)
   insert into readiness_probes (process_id, probed_at) values ($1, $2)
   on conflict (process_id) do update set probed_at = excluded.probed_at`,
)

/** Makes the function that checks. All who ask at a time share one check, and its result for a second. */
export function createReadiness(deps: Deps, { folders, keyFits }: ReadinessOptions): () => Promise<Checks> {
  const { config, db, clock, process_id, log } = deps
  const missing = createMissingMigrations(db)
  const probes: Record<keyof Checks, () => Promise<string>> = {
    async database() {
      await db.ping()
      return 'ok'
    },
    async writable() {
      if (db.lacksSpace()) return NO_SPACE
      const now = clock.now()
      await oneStatement(db).query(PROBE, [process_id, now, new Date(now.getTime() - FORGET_MS)])
      return 'ok'
    },
    async disk() {
      for (const folder of folders) {
        const free = await freeBytes(folder)
        if (free !== null && free < config.disk_free_min_mb * BYTES_PER_MB) return 'too little free space'
      }
      return 'ok'
    },
    key: async () => ((await keyFits()) ? 'ok' : 'the secret key does not fit the database'),
    migrations: async () => ((await missing()).length === 0 ? 'ok' : 'migrations are pending'),
  }
  // A probe that outlasts its time is not begun a second time: a database that commits nothing would soon hold every connection.
  const running = new Map<keyof Checks, Promise<string>>()
  const probe = (name: keyof Checks): Promise<string> => {
    const begun = running.get(name)
    if (begun !== undefined) return begun
    const made = probes[name]().finally(() => running.delete(name))
    running.set(name, made)
    return made
  }
  const checkAll = async (): Promise<Checks> => {
    const outcomes = await Promise.all(
      READINESS_CHECKS.map(async (name): Promise<readonly [string, string]> => {
        try {
          return [name, await within(CHECK_MS_MAX, () => probe(name))]
        } catch (error) {
          return [name, describeFailure(error)]
        }
      }),
    )
    return Object.fromEntries(outcomes) as Checks
  }
  let last = ''
  let asked: { checks: Promise<Checks>; until: number } | null = null
  const check = async (): Promise<Checks> => {
    const checks = await checkAll()
    const now = JSON.stringify(checks)
    if (now !== last && (last !== '' || !isReady(checks))) {
      if (isReady(checks)) log.info({ checks }, 'ready again')
      else log.warn({ checks }, 'not ready')
    }
    last = now
    return checks
  }
  return () => {
    if (asked === null || performance.now() >= asked.until) {
      const begun = { checks: check(), until: Number.POSITIVE_INFINITY }
      asked = begun
      const ended = () => {
        begun.until = performance.now() + FRESH_MS
      }
      begun.checks.then(ended, ended)
    }
    return asked.checks
  }
}

/** True if every check is ok. */
export function isReady(checks: Checks): boolean {
  return READINESS_CHECKS.every((name) => checks[name] === 'ok')
}

const NO_SPACE = 'the disk of the database is full'

/** A failure in words without secrets: the answer is public. */
function describeFailure(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (error === LATE) return 'no answer in time'
  if (code === '08006') return 'the database does not answer'
  if (code === '25006') return 'the database is read-only'
  if (code === '53100') return NO_SPACE
  return isUnavailable(error) ? 'the database cannot be reached' : 'the check failed'
}

/** Free bytes of the disk of a folder; null if there is no such folder, so that nothing is written to it either. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null
    throw error
  }
}
