/**
 * Decrypts the files of a backup and the archived WAL. Checks each file of the backup against the manifest. PostgreSQL reads
 * the WAL from the folder `wal-in` during recovery. If the process dies, the caller removes the folder and begins again.
 */
import * as fs from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BackupError } from './error.ts'
import { inParallel } from './make.ts'
import { type FoundBackup, findBackup } from './manifest.ts'
import { type BackupKey, unsealFile } from './sealed-file.ts'
import { HISTORY_FILE, WAL_FILE, walFolder, walName } from './wal.ts'

/** The source of a restore. `to` is the time up to which PostgreSQL replays the WAL. Null means all of the WAL. */
export type RestoreSource = { place: string; key: BackupKey; to: Date | null }

/** The name of the folder beside the data from which PostgreSQL reads the WAL during recovery. */
export const WAL_IN = 'wal-in'
/** The number of 16 MiB WAL files with the same log number. */
const SEGMENTS = 256

/** Finds the backup for a restore. If this program cannot open the database of the backup, throws a BackupError. */
export async function findRestorable(
  { place, key, to }: RestoreSource,
  { major, migrations }: { major: number; migrations: readonly string[] },
): Promise<FoundBackup> {
  const found = await findBackup(resolve(place), key, to)
  const { postgres_major, schema, id } = found.manifest
  if (postgres_major !== major) {
    throw new BackupError(
      `the backup ${id} is of PostgreSQL ${postgres_major}, but this program brings PostgreSQL ${major}: restore the backup with the version that made the backup`,
    )
  }
  if (schema !== null && !migrations.includes(schema)) {
    throw new BackupError(
      `the backup ${id} has the schema ${schema}, which is newer than this program. Restore the backup with the version that made the backup, or with a newer version`,
    )
  }
  return found
}

/** The archived WAL files for a restore, and the first missing file. Null as `gap` means that no file is missing. */
export type WalPlan = { names: string[]; gap: string | null }

/**
 * Finds the archived WAL from the start of a backup up to the first gap. If `to` is null and a gap exists, throws a
 * BackupError.
 */
export async function planWal({ place, to }: RestoreSource, { manifest }: FoundBackup): Promise<WalPlan> {
  const { system_identifier, start_wal, stop_wal, timeline } = manifest
  const archive = walFolder(resolve(place), system_identifier)
  const names = await fs.readdir(archive).catch(() => [])
  const wal = names.filter((name) => WAL_FILE.test(name) && walTimeline(name) >= timeline)
  const numbers = new Set(wal.map(segmentOf))
  const last = Math.max(segmentOf(stop_wal), ...numbers)
  let end = segmentOf(stop_wal)
  while (end < last && numbers.has(end + 1)) end += 1
  const gap = end < last ? `${stop_wal.slice(0, 8)}${segmentName(end + 1)}` : null
  if (gap !== null && to === null) {
    throw new BackupError(
      `${join(archive, gap)} is missing, but later files of the WAL exist: copy the file there again, or restore to a time before it with --to-time`,
    )
  }
  const usable = wal.filter((name) => segmentOf(name) <= end && segmentOf(name) >= segmentOf(start_wal))
  return { names: [...usable, ...names.filter((name) => HISTORY_FILE.test(name))], gap }
}

/**
 * Restores the files of a backup into the folder `server`, which must have no data. `own` makes the user of PostgreSQL the
 * owner of a file. If a file is missing or has changed, throws a BackupError.
 */
export async function restoreFiles(
  { place, key }: RestoreSource,
  { manifest, folder }: FoundBackup,
  { names }: WalPlan,
  { server, own }: { server: string; own(path: string): Promise<void> },
): Promise<void> {
  const make = async (path: string) => {
    await fs.mkdir(path, { recursive: true, mode: 0o700 })
    await own(path)
  }
  const wal_in = join(server, WAL_IN)
  for (const path of [server, wal_in, join(server, 'data')]) await make(path)
  for (const name of manifest.folders) await make(join(server, 'data', name))
  await inParallel(manifest.files, async ({ path, size, sha256 }) => {
    const target = path.startsWith('wal/') ? join(wal_in, path.slice(4)) : join(server, path)
    const sum = await unsealFile(key, `${manifest.id} ${path}`, join(folder, path), target)
    if (sum.size !== size || sum.sha256 !== sha256)
      throw new BackupError(`${join(folder, path)} is not the file of the manifest: copy the whole backup again`)
    await own(target)
  })
  const system = manifest.system_identifier
  const present = new Set(await fs.readdir(wal_in))
  const missing = names.filter((name) => !present.has(name))
  await inParallel(missing, async (name) => {
    await unsealFile(key, walName(system, name), join(walFolder(resolve(place), system), name), join(wal_in, name))
    await own(join(wal_in, name))
  })
  const signal = join(server, 'data', 'recovery.signal')
  await fs.writeFile(signal, '', { mode: 0o600 })
  await own(signal)
}

const walTimeline = (name: string): number => Number.parseInt(name.slice(0, 8), 16)

/** Returns the position of a WAL file in the WAL, without its timeline. */
export function segmentOf(name: string): number {
  return Number.parseInt(name.slice(8, 16), 16) * SEGMENTS + Number.parseInt(name.slice(16), 16)
}

function segmentName(segment: number): string {
  const part = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  return `${part(Math.floor(segment / SEGMENTS))}${part(segment % SEGMENTS)}`
}
