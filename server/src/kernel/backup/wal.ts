/**
 * Moves finished files of the write-ahead log (WAL) from the embedded server into the place of the backups.
 *
 * PostgreSQL copies each finished file into the folder `wal-out` beside its data (basic_archive, with fsync). This program encrypts the
 * file into `PLACE/wal/SYSTEM`, and then removes it from `wal-out`. SYSTEM is the identifier of the database system, so that two
 * databases never mix. If the process dies before the rename, the next run begins again; if it dies after the rename, the next run
 * finds the same content and only removes the file.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import type { Log, Random } from '../lib/index.ts'
import type { Task } from '../work/index.ts'
import { BackupError } from './error.ts'
import { type BackupKey, readSealed, rename, sealFile } from './sealed-file.ts'

/** A finished file of the WAL: its timeline, its log and its segment, each 8 hexadecimal digits. */
export const WAL_FILE = /^[0-9A-F]{24}$/
/** The file that describes a timeline. */
export const HISTORY_FILE = /^[0-9A-F]{8}\.history$/
const ARCHIVED = /^[0-9A-F]{24}(?:\.partial|\.[0-9A-F]{8}\.backup)?$|^[0-9A-F]{8}\.history$/
const EVERY_MS = 5_000

/** Where the WAL of a database goes: the folder of the embedded server, the place of the backups and its key. */
export type WalArchive = { server: string; place: string; key: BackupKey; random: Random }

/** Returns the folder of the archived WAL of a database system. */
export const walFolder = (place: string, system: string): string => join(place, 'wal', system)

/** Returns the name under which a WAL file is encrypted. */
export const walName = (system: string, name: string): string => `wal ${system} ${name}`

/** Returns the identifier of the database system, from the beginning of its control file. */
export async function systemOf(server: string): Promise<string> {
  const bytes = await fs.readFile(join(server, 'data', 'global', 'pg_control'))
  return bytes.readBigUInt64LE(0).toString()
}

/** Moves the finished WAL files into the place of the backups, in their order, and returns their number. */
export async function archiveWal(archive: WalArchive): Promise<number> {
  const out = join(archive.server, 'wal-out')
  const names = (await fs.readdir(out).catch(() => [])).filter((name) => ARCHIVED.test(name)).sort()
  if (names.length === 0) return 0
  await requirePlace(archive.place)
  const system = await systemOf(archive.server)
  for (const name of names) {
    await storeWal(archive, system, name, join(out, name)).catch((error: NodeJS.ErrnoException) => {
      // Another process has stored and removed the file meanwhile.
      if (error.code !== 'ENOENT' || error.path !== join(out, name)) throw error
    })
    await fs.rm(join(out, name), { force: true })
  }
  return names.length
}

/** If the folder of the backups does not exist, throws a BackupError. The program does not make it, because a disk may be missing. */
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

/** Makes the task that moves finished WAL files. It logs a problem once, until a run succeeds again. */
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
              'the process cannot archive the WAL; the files wait beside the database',
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
