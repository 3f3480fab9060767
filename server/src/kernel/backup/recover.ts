/**
 * Restores a backup into DATA_DIR and makes PostgreSQL replay the WAL. While the file `restore.unfinished` exists, no other
 * program opens the database. If the process dies, the next restore into the same DATA_DIR starts again.
 */
import * as fs from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import pg from 'pg'
import {
  type EmbeddedDatabase,
  type EmbeddedLog,
  findEmbedded,
  MAJOR,
  prepareEmbedded,
  startEmbedded,
} from '../db/embedded.ts'
import { findPlace, restoreMarker } from '../db/embedded-place.ts'
import { BackupError } from './error.ts'
import type { FoundBackup, Manifest } from './manifest.ts'
import { findRestorable, planWal, type RestoreSource, restoreFiles, WAL_IN, type WalPlan } from './restore.ts'

/** The backup, the target folders, and the functions that `recoverDatabase` calls during the restore. */
export type RecoverOptions = RestoreSource & {
  data_dir: string
  /** If the user of PostgreSQL cannot access DATA_DIR, this folder contains the data. */
  outside: string
  /** The names of the migrations of this program. */
  migrations: readonly string[]
  log: EmbeddedLog
  /** Shows the progress to the operator. */
  report(line: string): void
  /** The restore calls this function after it has marked DATA_DIR as unfinished and before it writes the backup. */
  begun?: () => Promise<void>
  /**
   * The free space that the restore must leave on the disk: the larger of `bytes` and `share` of the disk. Null means no limit.
   */
  spares?: { bytes: number; share: number } | null
  /** Settings of PostgreSQL that replace or extend those of the restore. */
  settings?: Record<string, string>
}

/** A running database that PostgreSQL has recovered. Before `release`, no other program may open the database. */
export type RecoveredDatabase = {
  embedded: EmbeddedDatabase
  manifest: Manifest
  /** The time of the last replayed commit or rollback. Null means that the replayed WAL has none. */
  recovered_to: Date | null
  /** Lets other programs open DATA_DIR. Before the call, the caller must stop the database. */
  release(): Promise<void>
}

/** A file with a secret key. DATA_DIR may contain this file before a restore. */
const ALLOWED = 'secret.key'

/**
 * Restores and recovers a database. If the backup or the target does not allow the restore, throws a BackupError with the next
 * step of the operator.
 */
export async function recoverDatabase(options: RecoverOptions): Promise<RecoveredDatabase> {
  const { to, report } = options
  const data_dir = resolve(options.data_dir)
  const backup = await findRestorable(options, { major: MAJOR, migrations: options.migrations })
  const { manifest } = backup
  const wal = await planWal(options, backup)
  const marker = await closeFolder(data_dir, options.place)
  await options.begun?.()
  report(`restores the backup ${manifest.id} of ${manifest.files.length} files into ${data_dir}`)
  const { place, own } = await prepareEmbedded(data_dir, options.outside)
  if (options.spares) await requireSpace(place, sizeOf(backup, wal), options.spares)
  await restoreFiles(options, backup, wal, { server: place, own })
  report('PostgreSQL replays the write-ahead log')
  const embedded = await startEmbedded({
    dataDir: data_dir,
    log: options.log,
    outside: options.outside,
    restoring: true,
    settings: {
      restore_command: `test -f ../${WAL_IN}/%f && cp ../${WAL_IN}/%f "%p"`,
      ...(to === null ? {} : { recovery_target_time: to.toISOString().replace('T', ' ').replace('Z', '+00') }),
      recovery_target_action: 'promote',
      hot_standby: 'off',
      max_wal_size: '8GB',
      ...options.settings,
    },
  }).catch((error: Error) => {
    throw recoveryError(error, to, wal.gap)
  })
  try {
    const recovered_to = await readRecoveredTo(data_dir)
    await fs.rm(join(place, WAL_IN), { recursive: true, force: true })
    return { embedded, manifest, recovered_to, release: () => fs.rm(marker) }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

/** The size of a WAL file in bytes (16 MiB). */
const WAL_BYTES = 16_777_216

/**
 * Returns an upper estimate of the disk space of the restored files, in bytes. Counts each archived file as a full WAL file.
 */
function sizeOf({ manifest }: FoundBackup, { names }: WalPlan): number {
  return manifest.files.reduce((sum, { size }) => sum + size, names.length * WAL_BYTES)
}

async function requireSpace(folder: string, needed: number, { bytes, share }: { bytes: number; share: number }) {
  const { bavail, blocks, bsize } = await fs.statfs(folder)
  const spared = Math.max(bytes, blocks * bsize * share)
  if (bavail * bsize - needed >= spared) return
  const mb = (value: number) => Math.ceil(value / 1_048_576)
  throw new BackupError(
    `the disk of ${folder} has ${mb(bavail * bsize)} MB free. The check needs ${mb(needed)} MB and leaves ${mb(spared)} MB free: name a folder on another disk`,
  )
}

/**
 * Removes the files of an unfinished restore, and marks the folder as unfinished. If the folder has other files, is inside
 * `place` or has a running PostgreSQL, throws a BackupError.
 */
async function closeFolder(data_dir: string, place: string): Promise<string> {
  const inside = relative(resolve(place), data_dir)
  if (inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`)))
    throw new BackupError(`${data_dir} is inside the folder of the backups: name a new folder outside of it`)
  await fs.mkdir(data_dir, { recursive: true })
  const marker = restoreMarker(data_dir)
  const names = (await fs.readdir(data_dir)).filter((name) => name !== ALLOWED)
  const is_unfinished = (await fs.stat(marker).catch(() => null)) !== null
  if (names.length > 0 && !is_unfinished) {
    throw new BackupError(
      `${data_dir} is not empty (it has ${names.slice(0, 3).join(', ')}): name a new folder. The restore changes no existing database`,
    )
  }
  if (is_unfinished) {
    if ((await findEmbedded(data_dir).catch(() => null)) !== null)
      throw new BackupError(
        `PostgreSQL still runs on ${data_dir}: wait a minute, until it stops without its program, and try again`,
      )
    const server = await findPlace(data_dir).catch(() => null)
    if (server !== null) await fs.rm(server, { recursive: true, force: true })
    for (const name of names)
      if (join(data_dir, name) !== marker) await fs.rm(join(data_dir, name), { recursive: true, force: true })
  }
  await fs.writeFile(marker, 'A restore into this folder has not finished.\n', { flush: true })
  return marker
}

function recoveryError(error: Error, to: Date | null, gap: string | null): Error {
  if (!/recovery ended before configured recovery target/.test(error.message)) return error
  const last = /last completed transaction was at log time (\S+ \S+)/.exec(error.message)?.[1]
  const reached = last === undefined ? '' : ` The last change is of ${last} UTC.`
  const why =
    gap === null
      ? `the archived WAL ends before ${to?.toISOString()}.${reached} Choose an earlier time, or leave --to-time out`
      : `the file ${gap} of the WAL is missing, so that the restore cannot reach ${to?.toISOString()}.${reached} Copy the file there again, or choose an earlier time`
  return new BackupError(`${why}, and run the command again; it clears the unfinished folder`)
}

async function readRecoveredTo(data_dir: string): Promise<Date | null> {
  const url = await findEmbedded(data_dir, 'superuser')
  const client = new pg.Client({ connectionString: url as string })
  client.on('error', () => {}) // The listener does nothing, because a lost connection also rejects the current statement.
  await client.connect()
  try {
    const { rows } = await client.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at')
    return rows[0]?.at ?? null
  } finally {
    await client.end()
  }
}

/**
 * Removes the folder and the PostgreSQL data of an unreleased restore. If no such restore exists, changes nothing. Before the
 * call, the caller must stop the database.
 */
export async function removeUnreleased(data_dir: string): Promise<void> {
  if (!(await isUnreleased(data_dir))) return
  const server = await findPlace(data_dir).catch(() => null)
  if (server !== null) await fs.rm(server, { recursive: true, force: true })
  await fs.rm(data_dir, { recursive: true, force: true })
}

/** Returns true if the folder has a restore that no process has released. */
export async function isUnreleased(data_dir: string): Promise<boolean> {
  return (await fs.stat(restoreMarker(data_dir)).catch(() => null)) !== null
}
