// Defines the manifest of a backup: its files with lengths and checksums, and its first and last positions in the WAL. The
// manifest contains no secret. A keyed hash with BACKUP_KEY protects the manifest from changes.

import { timingSafeEqual } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError } from './error.ts'
import { type BackupKey, type FileSum, macOf } from './sealed-file.ts'

/** The content of the manifest. Paths are relative to the folder of the backup. */
export type Manifest = {
  format: 1
  id: string
  /** The id of BACKUP_KEY. The id does not reveal the key. */
  key_id: string
  postgres_major: number
  system_identifier: string
  timeline: number
  start_lsn: string
  stop_lsn: string
  /** The first file of the WAL in the backup; `stop_wal` is the last. */
  start_wal: string
  stop_wal: string
  started_at: string
  ended_at: string
  /** The newest migration of the database. Null means that the database had none. */
  schema: string | null
  folders: string[]
  files: ({ path: string } & FileSum)[]
}

/** A finished backup: its folder and its manifest. */
export type FoundBackup = { folder: string; manifest: Manifest }

/** The prefix of the folder name of an unfinished backup. */
export const UNFINISHED = 'unfinished-'
const FILE = 'manifest.json'

/** Returns the folder with all backups of a place. */
export const backupsOf = (place: string): string => join(place, 'base')

/** Writes the manifest into the folder of a backup, and flushes the file to disk. */
export async function writeManifest(folder: string, manifest: Manifest, key: BackupKey): Promise<void> {
  const text = JSON.stringify(manifest)
  const file = { manifest, mac: macOf(key, text) }
  await fs.writeFile(join(folder, FILE), `${JSON.stringify(file)}\n`, { flag: 'wx', mode: 0o600, flush: true })
}

/**
 * Returns the newest finished backup that ended at or before `before`. Null as `before` means the newest backup. If no such
 * backup exists, the key is wrong, or the manifest has changed, throws a BackupError.
 */
export async function findBackup(place: string, key: BackupKey, before: Date | null): Promise<FoundBackup> {
  const names = await fs.readdir(backupsOf(place)).catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`${place} has no backups (${error.code}): name the folder that "backup --to" wrote to`)
  })
  const finished = names.filter((name) => !name.startsWith(UNFINISHED)).sort()
  const unfinished = names.length - finished.length
  if (finished.length === 0) {
    const cut = unfinished === 0 ? '' : `, only ${unfinished} that did not finish`
    throw new BackupError(`${place} has no finished backup${cut}: make one with "backup --to", or name another folder`)
  }
  for (const name of finished.reverse()) {
    const folder = join(backupsOf(place), name)
    const manifest = await readManifest(folder, key)
    if (before === null || Date.parse(manifest.ended_at) <= before.getTime()) return { folder, manifest }
  }
  throw new BackupError(
    `every backup in ${place} ended after ${before?.toISOString()}: choose a later time, or use an older place of backups`,
  )
}

/**
 * Reads the manifest of a backup. If the key is wrong, or the manifest is missing, has changed or has an unknown format, throws
 * a BackupError.
 */
export async function readManifest(folder: string, key: BackupKey): Promise<Manifest> {
  const path = join(folder, FILE)
  const text = await fs.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`${path} is missing or unreadable (${error.code}): copy the whole backup again`)
  })
  let file: { manifest: Manifest; mac: string }
  try {
    file = JSON.parse(text) as typeof file
  } catch {
    throw new BackupError(`${path} is cut short or has changed: copy the whole backup again, or use another backup`)
  }
  const { manifest, mac } = file
  if (manifest?.format !== 1)
    throw new BackupError(`${path} has a format that this program cannot read: use the version that made the backup`)
  if (manifest.key_id !== key.id) {
    throw new BackupError(
      `BACKUP_KEY is not the key of this backup: the backup needs the key ${manifest.key_id}, and BACKUP_KEY is the key ${key.id}. Set BACKUP_KEY to the key of the backup`,
    )
  }
  const [expected, given] = [Buffer.from(macOf(key, JSON.stringify(manifest))), Buffer.from(String(mac))]
  if (expected.length !== given.length || !timingSafeEqual(expected, given))
    throw new BackupError(`${path} has changed since the backup: copy the whole backup again, or use another backup`)
  return manifest
}
