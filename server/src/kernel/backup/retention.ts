/**
 * Deletes old backups, and the WAL files before the oldest kept backup of each database. Before the function deletes a backup,
 * it renames the folder with the prefix of unfinished backups. So if the process dies, no restore uses a backup with missing
 * files.
 */
import * as fs from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BackupError } from './error.ts'
import { backupsOf, type Manifest, readManifest, UNFINISHED } from './manifest.ts'
import { segmentOf } from './restore.ts'
import type { BackupKey } from './sealed-file.ts'
import { WAL_FILE, walFolder } from './wal.ts'

/** The name of a finished backup: its start time and six random hexadecimal digits. */
const BACKUP_NAME = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/

/**
 * Keeps `keep` backups of a place: `made`, the backup that the caller has just made, and the newest others. If a file of a kept
 * backup is missing or empty, throws a BackupError and deletes nothing. Returns the names of the deleted backups and the number
 * of deleted WAL files.
 */
export async function deleteOldBackups(
  place: string,
  key: BackupKey,
  { keep, made }: { keep: number; made: string },
): Promise<{ backups: string[]; wal_files: number }> {
  const base = backupsOf(resolve(place))
  const others = (await fs.readdir(base)).filter((name) => BACKUP_NAME.test(name) && name !== made)
  // If the clock was ahead, an older backup can have a later name.
  const names = [...others.sort(), made]
  const old = names.slice(0, Math.max(0, names.length - keep))
  const kept: Manifest[] = []
  for (const name of names.slice(old.length)) {
    const manifest = await readManifest(join(base, name), key)
    await requireFiles(join(base, name), manifest)
    kept.push(manifest)
  }
  for (const name of old) {
    const doomed = join(base, `${UNFINISHED}${name}`)
    await fs.rename(join(base, name), doomed)
    await fs.rm(doomed, { recursive: true, force: true })
  }
  let wal_files = 0
  for (const [system, backups] of Map.groupBy(kept, ({ system_identifier }) => system_identifier))
    wal_files += await deleteWalBefore(walFolder(resolve(place), system), backups)
  return { backups: old, wal_files }
}

/**
 * If a file of the backup is missing or empty, throws a BackupError. The function reads no content: the daily check restores
 * the newest backup.
 */
async function requireFiles(folder: string, { files }: Manifest): Promise<void> {
  for (const { path } of files) {
    const found = await fs.stat(join(folder, path)).catch(() => null)
    if (found === null || found.size === 0)
      throw new BackupError(
        `${join(folder, path)} is missing or empty, so the program deleted no older backup: make a new backup, and remove the broken backup`,
      )
  }
}

/** Deletes the WAL files of any timeline before the first WAL file of the oldest of these backups. */
async function deleteWalBefore(folder: string, backups: readonly Manifest[]): Promise<number> {
  const first = Math.min(...backups.map(({ start_wal }) => segmentOf(start_wal)))
  const names = (await fs.readdir(folder).catch(() => [])).filter((name) => WAL_FILE.test(name))
  const unneeded = names.filter((name) => segmentOf(name) < first)
  for (const name of unneeded) await fs.rm(join(folder, name), { force: true })
  return unneeded.length
}
