/**
 * Makes a backup of the running embedded database with the low-level API of PostgreSQL (pg_backup_start, pg_backup_stop). The
 * process renames the folder after it has written the manifest. If the process dies earlier, the next backup removes the
 * unfinished folder.
 */
import * as fs from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import pg from 'pg'
import type { Clock, Random } from '../lib/index.ts'
import { BackupError } from './error.ts'
import { backupsOf, type Manifest, UNFINISHED, writeManifest } from './manifest.ts'
import { type BackupKey, type FileSum, flushFolder, rename, sealFile } from './sealed-file.ts'
import { archiveWal, HISTORY_FILE, requirePlace, systemOf, WAL_FILE } from './wal.ts'

/** The database and the folders of a backup, with the key that encrypts it. */
export type BackupSource = {
  /** The URL of the database with a role that may call pg_backup_start. */
  url: string
  /** The folder of the embedded server, with `data` and `secrets.json`. */
  server: string
  /** The folder of the backups. */
  place: string
  /** DATA_DIR, which must not contain the folder `place`. */
  data_dir: string
  key: BackupKey
  clock: Clock
  random: Random
}

/** A finished backup: its folder, its manifest, and its size on disk in bytes. */
export type MadeBackup = { folder: string; manifest: Manifest; stored_bytes: number }

/** Folders with content of the running server. A backup contains these folders without their files. */
const EMPTIED = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]
const SKIPPED = /^(?:postmaster\.(?:pid|opts)|pg_internal\.init.*|pgsql_tmp.*|current_logfiles|.*\.tmp)$/
const CONTROL_FILE = 'global/pg_control'
const COPIES_AT_ONCE = 8

/** Makes and returns a backup. If the place, the database or its WAL do not allow a backup, throws a BackupError. */
export async function makeBackup(source: BackupSource): Promise<MadeBackup> {
  const place = resolve(source.place)
  const inside = relative(resolve(source.data_dir), place)
  if (inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`)))
    throw new BackupError(
      `${place} is inside DATA_DIR, so the loss of DATA_DIR would destroy the backups too: name a folder on another disk`,
    )
  await requirePlace(place)
  const base = backupsOf(place)
  await fs.mkdir(base, { recursive: true, mode: 0o700 })
  for (const name of await fs.readdir(base))
    if (name.startsWith(UNFINISHED)) await fs.rm(join(base, name), { recursive: true, force: true })

  const started_at = source.clock.now()
  const id = `${started_at.toISOString().replace(/[-:]|\.\d+/g, '')}-${Buffer.from(source.random.bytes(3)).toString('hex')}`
  const folder = join(base, `${UNFINISHED}${id}`)
  await fs.mkdir(folder, { mode: 0o700 })
  try {
    const manifest = await copyDatabase(source, folder, { id, started_at })
    await writeManifest(folder, manifest, source.key)
    await flushFolders(folder)
    await rename(folder, join(base, id))
    const stored_bytes = await bytesIn(join(base, id))
    return { folder: join(base, id), manifest, stored_bytes }
  } catch (error) {
    await fs.rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function copyDatabase(
  source: BackupSource,
  folder: string,
  { id, started_at }: { id: string; started_at: Date },
): Promise<Manifest> {
  const client = new pg.Client({ connectionString: source.url, application_name: 'malipo backup' })
  client.on('error', () => {}) // The listener does nothing, because a lost connection also rejects the current statement.
  await client.connect()
  try {
    const begun = await begin(client)
    const copier = createCopier(source, folder, id)
    const folders = await copier.copyData(join(source.server, 'data'))
    await copier.copy('secrets.json', join(source.server, 'secrets.json'))
    const end = await client.query<Stopped>(STOP)
    const { lsn: stop_lsn, label, stop_wal, timeline } = end.rows[0] as Stopped
    await copier.copy('data/backup_label', Buffer.from(label))
    await copier.copyWal(begun.start_wal, stop_wal)
    return {
      format: 1,
      id,
      key_id: source.key.id,
      postgres_major: begun.major,
      system_identifier: await systemOf(source.server),
      timeline,
      start_lsn: begun.start_lsn,
      stop_lsn,
      start_wal: begun.start_wal,
      stop_wal,
      started_at: started_at.toISOString(),
      ended_at: source.clock.now().toISOString(),
      schema: begun.schema,
      folders,
      files: copier.files,
    }
  } finally {
    await client.end().catch(() => {})
  }
}

type Begun = { start_lsn: string; start_wal: string; major: number; schema: string | null }
type Stopped = { lsn: string; label: string; stop_wal: string; timeline: number }

const STOP = `select s.lsn, s.labelfile as label, pg_walfile_name(s.lsn) as stop_wal,
  ('x' || substr(pg_walfile_name(s.lsn), 1, 8))::bit(32)::int as timeline
  from pg_backup_stop(wait_for_archive => false) s`

/**
 * Begins the backup. A temporary replication slot keeps the WAL until the connection ends, so PostgreSQL does not delete the
 * WAL before the copy.
 */
async function begin(client: pg.Client): Promise<Begun> {
  await client.query('set statement_timeout = 0')
  await client.query("select pg_create_physical_replication_slot('malipo_backup_' || pg_backend_pid(), true, true)")
  const found = await client.query<Omit<Begun, 'schema'>>(
    `select s.lsn as start_lsn, pg_walfile_name(s.lsn) as start_wal, current_setting('server_version_num')::int / 10000 as major
     from pg_backup_start('malipo', true) s(lsn)`,
  )
  const spaces = await client.query("select 1 from pg_tablespace where spcname not in ('pg_default', 'pg_global')")
  if (spaces.rowCount !== 0)
    throw new BackupError(
      'the database has a tablespace outside its data folder: move its tables into pg_default first',
    )
  const has_schema = await client.query("select to_regclass('schema_migrations') is not null as has")
  const newest = has_schema.rows[0]?.has
    ? await client.query<{ name: string | null }>('select max(name) as name from schema_migrations')
    : { rows: [] }
  return { ...(found.rows[0] as Omit<Begun, 'schema'>), schema: newest.rows[0]?.name ?? null }
}

/** Returns the functions that copy files of the database into the backup, and the list of the copied files. */
function createCopier({ server, key, random }: BackupSource, folder: string, id: string) {
  const files: ({ path: string } & FileSum)[] = []
  const copy = async (path: string, from: string | Uint8Array) => {
    const target = join(folder, path)
    await fs.mkdir(join(target, '..'), { recursive: true, mode: 0o700 })
    files.push({ path, ...(await sealFile({ key, random }, `${id} ${path}`, from, target)) })
  }
  /** Copies a file. If the file does not exist, does nothing, because the database may remove files at any time. */
  const copyIfPresent = async (path: string, from: string) => {
    try {
      await copy(path, from)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return {
    files,
    copy,
    /**
     * Copies the data folder, and returns the names of the folders that a restore makes. Copies the control file after all
     * other files of the folder.
     */
    async copyData(data: string): Promise<string[]> {
      const { folders, names } = await listData(data)
      await inParallel(names, (name) => copyIfPresent(`data/${name}`, join(data, name)))
      await copy(`data/${CONTROL_FILE}`, join(data, CONTROL_FILE))
      return folders
    },
    /** Copies the WAL from the start to the end of the backup, and all timeline history files. */
    async copyWal(first: string, last: string): Promise<void> {
      const from = join(server, 'data', 'pg_wal')
      const present = await fs.readdir(from)
      const wanted = present.filter((name) => WAL_FILE.test(name) && name >= first && name <= last)
      if (!wanted.includes(first) || !wanted.includes(last))
        throw new BackupError(`PostgreSQL removed ${first} before the backup copied it: run the backup again`)
      const histories = present.filter((name) => HISTORY_FILE.test(name))
      await inParallel([...wanted, ...histories], (name) => copy(`wal/${name}`, join(from, name)))
    },
  }
}

async function listData(data: string): Promise<{ folders: string[]; names: string[] }> {
  const folders: string[] = []
  const names: string[] = []
  const walk = async (prefix: string): Promise<void> => {
    const entries = await fs.readdir(join(data, prefix), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      if (SKIPPED.test(entry.name) || name === CONTROL_FILE) continue
      if (entry.isFile()) names.push(name)
      if (!entry.isDirectory()) continue
      folders.push(name)
      if (!EMPTIED.includes(name)) await walk(name)
    }
  }
  await walk('')
  return { folders: [...folders, 'pg_wal/archive_status', 'pg_wal/summaries'], names }
}

/**
 * Runs `work` for each item, at most 8 at a time. After the first error, starts no further item, waits for the running items,
 * and throws one of their errors.
 */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  let has_failed = false
  const runners = Array.from({ length: COPIES_AT_ONCE }, async () => {
    for (const item of left) {
      if (has_failed) return
      await work(item).catch((error) => {
        has_failed = true
        throw error
      })
    }
  })
  const ends = await Promise.allSettled(runners)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

async function flushFolders(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory()) await flushFolder(join(entry.parentPath, entry.name))
  await flushFolder(folder)
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await fs.readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await fs.stat(join(entry.parentPath, entry.name))).size
  return bytes
}

/** Archives the WAL files that PostgreSQL has finished. Returns the number of files that the function found. */
export function archiveSource({ server, place, key, random }: BackupSource): Promise<number> {
  return archiveWal({ server, place: resolve(place), key, random })
}
