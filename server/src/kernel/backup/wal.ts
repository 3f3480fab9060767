/**
 * Encrypts each finished WAL file of the folder `wal-out` into `PLACE/wal/SYSTEM`, then removes the source. PostgreSQL writes
 * to `wal-out` with basic_archive. SYSTEM is the id of the database system. If the process dies, the next run continues.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import type { Log, Random } from '../lib/index.ts'
import type { Task } from '../work/index.ts'
import { BackupError } from './error.ts'
import { type BackupKey, readSealed, rename, sealFile } from './sealed-file.ts'

/** The name of a finished WAL file: its timeline, its log and its segment, each as 8 hexadecimal digits. */
export const WAL_FILE = /^[0-9A-F]{24}$/
/** The name of a file in which PostgreSQL records a change to another timeline. */
export const HISTORY_FILE = /^[0-9A-F]{8}\.history$/
const ARCHIVED = /^[0-9A-F]{24}(?:\.partial|\.[0-9A-F]{8}\.backup)?$|^[0-9A-F]{8}\.history$/
const EVERY_MS = 5_000

/** The archive of a database's WAL: the folder of the embedded server, the folder of the backups, and the key. */
export type WalArchive = { server: string; place: string; key: BackupKey; random: Random }

/** Returns the folder with the archived WAL of a database system. */
export const walFolder = (place: string, system: string): string => join(place, 'wal', system)

/**
 * Returns the name that the encryption of a WAL file uses. With the system id in the name, a WAL file of another database does
 * not decrypt.
 */
export const walName = (system: string, name: string): string => `wal ${system} ${name}`

/** Reads the identifier of the database system from the first 8 bytes of the control file. */
export async function systemOf(server: string): Promise<string> {
  const bytes = await fs.readFile(join(server, 'data', 'global', 'pg_control'))
  return bytes.readBigUInt64LE(0).toString()
}

/**
 * Moves the finished WAL files into the folder of the backups, in the order of their names. Returns the number of files that
 * the function found.
 */
export async function archiveWal(archive: WalArchive): Promise<number> {
  const out = join(archive.server, 'wal-out')
  const names = (await fs.readdir(out).catch(() => [])).filter((name) => ARCHIVED.test(name)).sort()
  if (names.length === 0) return 0
  await requirePlace(archive.place)
  const system = await systemOf(archive.server)
  for (const name of names) {
    await storeWal(archive, system, name, join(out, name)).catch((error: NodeJS.ErrnoException) => {
      // If the source is missing, another process has already stored and removed the file.
      if (error.code !== 'ENOENT' || error.path !== join(out, name)) throw error
    })
    await fs.rm(join(out, name), { force: true })
  }
  return names.length
}

/**
 * If the folder of the backups does not exist, throws a BackupError. The program does not create the folder, because its disk
 * may not be mounted.
 */
export async function requirePlace(place: string): Promise<void> {
  const found = await fs.stat(place).catch(() => null)
  if (found === null || !found.isDirectory())
    throw new BackupError(`${place} is no folder: make the folder, or mount its disk, and try again`)
}

async function storeWal(archive: WalArchive, system: string, name: string, source: string): Promise<void> {
  const { place, key, random } = archive
  const folder = walFolder(place, system)
  await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  const target = join(folder, name)
  if ((await fs.stat(target).catch(() => null)) !== null) {
    const stored = await readSealed(key, walName(system, name), target, async () => {})
    const hash = createHash('sha256').update(await fs.readFile(source))
    if (stored.sha256 === hash.digest('hex')) return
    throw new BackupError(
      `${target} exists with another content: a second copy of this database archives into ${place}. Give this copy a place of its own`,
    )
  }
  const unfinished = `${target}.${Buffer.from(random.bytes(4)).toString('hex')}.unfinished`
  try {
    await sealFile({ key, random }, walName(system, name), source, unfinished)
    await rename(unfinished, target)
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    throw error
  }
}

/**
 * Makes the task that moves finished WAL files. After the first failure, the task logs no further failure until a run succeeds.
 */
export function walTask({ log }: { log: Log }, archive: WalArchive): Task {
  let is_failing = false
  let running: Promise<unknown> = Promise.resolve()
  return {
    name: 'wal_archive',
    every_ms: EVERY_MS,
    async runOnce() {
      const run = archiveWal(archive).then(
        () => {
          if (is_failing) log.warn({ component: 'backup' }, 'the archive of the WAL works again')
          is_failing = false
        },
        (error: Error) => {
          if (!is_failing)
            log.error(
              { component: 'backup', err: error },
              'the process cannot archive the WAL, and the files wait beside the database: check BACKUP_DIR and its disk',
            )
          is_failing = true
        },
      )
      running = run
      await run
      return 0
    },
    async idle() {
      await running
    },
  }
}
