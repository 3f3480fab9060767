// Tests backups and restores of a running embedded database. The tests share one database and its backups. A test that changes
// files of a backup changes a copy.

import assert from 'node:assert/strict'
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type EmbeddedDatabase, findEmbedded, startEmbedded } from '../db/embedded.ts'
import { systemClock, systemRandom } from '../lib/index.ts'
import { BackupError } from './error.ts'
import { type MadeBackup, makeBackup } from './make.ts'
import { type RecoveredDatabase, recoverDatabase } from './recover.ts'
import { deleteOldBackups } from './retention.ts'
import { backupKeyOf } from './sealed-file.ts'
import { archiveWal } from './wal.ts'

const KEY = backupKeyOf(Buffer.alloc(32, 1).toString('base64'))
const OTHER_KEY = backupKeyOf(Buffer.alloc(32, 2).toString('base64'))
const SILENT = { info: () => {}, warn: () => {} }
const SCHEMA = '0001_facts.sql'
const random = systemRandom()

const folders: string[] = []
let data_dir: string
let place: string
let server: EmbeddedDatabase
let backup: MadeBackup
/** A copy of the backup folder, for the tests that change files. */
let copy: string
/** A time between the inserts of the second row and the third row. */
let second: Date

before(async () => {
  data_dir = await newFolder()
  place = await newFolder()
  const settings = { fsync: 'off', shared_buffers: '16MB' }
  server = await startEmbedded({ dataDir: data_dir, log: SILENT, archive_wal: true, settings })
  await run('create table schema_migrations (name text)', `insert into schema_migrations values ('${SCHEMA}')`)
  await run(
    'create table facts (id integer)',
    'grant insert, select on facts to malipo_runtime',
    'insert into facts values (1)',
  )
  backup = await makeBackup(await source())
  await run('insert into facts values (2)')
  second = new Date(((await run('select clock_timestamp() as at'))[0] as { at: Date }).at.getTime() + 1)
  await run('select pg_sleep(0.01)', 'insert into facts values (3)')
  for (const id of [4, 5, 6])
    await run(`insert into facts values (${id})`, 'select txid_current()', 'superuser: select pg_switch_wal()')
  await archived(4)
  copy = await copyOfPlace()
})

after(async () => {
  await server?.stop()
  for (const folder of folders) {
    const outside = await readFile(join(folder, 'postgres.json'), 'utf8').then(
      (text) => (JSON.parse(text) as { place: string }).place,
      () => 'postgres',
    )
    await rm(join(folder, outside), { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  }
})

test('a restore into a folder of an unfinished restore begins again, and has every commit up to its time and no later commit', async () => {
  const target = await newFolder()
  await writeFile(join(target, 'restore.unfinished'), '')
  await mkdir(join(target, 'postgres/data'), { recursive: true })
  await writeFile(join(target, 'postgres/data/half'), 'half of a file')
  const recovered = await recover(target, { to: second })
  try {
    assert.ok(recovered.recovered_to !== null && recovered.recovered_to < second)
    assert.equal(recovered.manifest.id, backup.manifest.id)
    const rows = await query(recovered.embedded.url, 'select id from facts order by id')
    assert.deepEqual(rows, [{ id: 1 }, { id: 2 }])
    const rights =
      "select has_table_privilege('malipo_runtime', 'facts', p) as may from unnest(array['insert', 'update']) p"
    assert.deepEqual(await query(recovered.embedded.url, rights), [{ may: true }, { may: false }])
    const opened = startEmbedded({ dataDir: target, log: SILENT })
    await assert.rejects(opened, /the restore into .* has not finished: run "restore" again/)
  } finally {
    await recovered.embedded.stop()
  }
  await recovered.release()
  const opened = await startEmbedded({ dataDir: target, log: SILENT })
  await query(opened.url, 'insert into facts values (7)')
  await opened.stop()
  assert.ok(!(await readdir(opened.place)).includes('wal-in'))
  assert.ok(!(await readdir(join(opened.place, 'data'))).includes('half'))
})

test('a restore refuses a wrong key, a newer schema, a folder without backups, a time before all backups and a target folder in use', async () => {
  const target = await newFolder()
  await refused(
    recover(target, { key: OTHER_KEY }),
    /BACKUP_KEY is not the key of this backup: .* needs the key [0-9a-f]{8}/,
  )
  await refused(recover(target, { migrations: [] }), /has the schema 0001_facts\.sql, which is newer than this program/)
  await refused(
    recover(target, { place: await newFolder() }),
    /has no backups .*name the folder that "backup --to" wrote to/,
  )
  await refused(
    recover(target, { to: new Date('2020-01-01T00:00:00Z') }),
    /every backup .* ended after .*choose a later time/,
  )
  assert.deepEqual(await readdir(target), [])
  await refused(recover(data_dir), /is not empty \(it has .*The restore changes no existing database/)
  await refused(recover(join(place, 'inside')), /is inside the folder of the backups/)
})

test('a restore never uses an unfinished backup', async () => {
  const [finished, unfinished] = ['', 'unfinished-'].map((text) => join(copy, 'base', `${text}${backup.manifest.id}`))
  await rename(finished as string, unfinished as string)
  const message = /has no finished backup, only 1 that did not finish: make one/
  await refused(recover(await newFolder(), { place: copy }), message)
  await rename(unfinished as string, finished as string)
})

/** The options that keep only the backup of `before`. */
const only_made = () => ({ keep: 1, made: backup.manifest.id })

test('a backup deletes no older backup while a file of a kept backup is missing or empty', async () => {
  const own = await copyOfPlace()
  const newest = join(own, 'base', backup.manifest.id)
  const older = join(own, 'base', '20200101T000000Z-000000')
  await mkdir(older)
  await writeFile(join(older, 'manifest.json'), await readFile(join(newest, 'manifest.json')))
  const path = join(newest, backup.manifest.files[0]?.path ?? '')
  const whole = await readFile(path)
  await rm(path)
  await refused(deleteOldBackups(own, KEY, only_made()), /is missing or empty, so the program deleted no older backup/)
  await writeFile(path, '')
  await refused(deleteOldBackups(own, KEY, only_made()), /is missing or empty/)
  assert.equal((await readdir(join(own, 'base'))).length, 2)
  await writeFile(path, whole)
  assert.deepEqual((await deleteOldBackups(own, KEY, only_made())).backups, ['20200101T000000Z-000000'])
  assert.deepEqual(await readdir(join(own, 'base')), [backup.manifest.id])
})

test('a backup deletes an older backup whose name has a later time, and keeps itself', async () => {
  const own = await copyOfPlace()
  const older = join(own, 'base', '29990101T000000Z-000000')
  await mkdir(older)
  const deleted = await deleteOldBackups(own, KEY, only_made())
  assert.deepEqual(deleted.backups, ['29990101T000000Z-000000'])
  assert.deepEqual(await readdir(join(own, 'base')), [backup.manifest.id])
})

test('a restore refuses a cut, changed, exchanged or missing file of a backup, and names the file', async () => {
  const base = join(copy, 'base', backup.manifest.id)
  const [first, other] = backup.manifest.files.map(({ path }) => join(base, path)) as [string, string]
  const whole = await readFile(first)
  const replace = async (bytes: Uint8Array) => {
    await rm(first, { force: true })
    await writeFile(first, bytes)
  }
  const isRefused = async (message: RegExp) => {
    const target = await newFolder()
    await refused(recover(target, { place: copy }), new RegExp(`${first} ${message.source}`))
  }
  await replace(whole.subarray(0, 40))
  await isRefused(/is cut short: copy the whole backup again/)
  await replace(await readFile(other))
  await isRefused(/has changed since the backup, or is a file of another backup/)
  await rm(first)
  await isRefused(/is missing or unreadable \(ENOENT\)/)
  await replace(whole)
  const manifest = join(base, 'manifest.json')
  const text = await readFile(manifest, 'utf8')
  await rm(manifest)
  await writeFile(manifest, text.replace('"timeline":1', '"timeline":2'))
  await refused(recover(await newFolder(), { place: copy }), /manifest\.json has changed since the backup/)
  await writeFile(manifest, text)
})

test('a restore refuses a missing file in the middle of the WAL, and names the file', async () => {
  const wal = join(copy, 'wal', backup.manifest.system_identifier)
  const later = (await readdir(wal)).filter((name) => name.length === 24 && name > backup.manifest.stop_wal).sort()
  await rm(join(wal, later[1] as string))
  const message = new RegExp(`${later[1]} is missing, but later files of the WAL exist: copy the file there again`)
  await refused(recover(await newFolder(), { place: copy }), message)
})

test('a backup refuses a folder inside DATA_DIR and a folder that does not exist as its target', async () => {
  const inside = { ...(await source()), place: join(data_dir, 'backup') }
  await refused(makeBackup(inside), /is inside DATA_DIR, so the loss of DATA_DIR would destroy the backups too/)
  await refused(
    makeBackup({ ...(await source()), place: join(place, 'none') }),
    /is no folder: make the folder, or mount its disk/,
  )
})

test('the program refuses to overwrite an archived WAL file with another content', async () => {
  const out = join(server.place, 'wal-out')
  const [name] = (await readdir(join(copy, 'wal', backup.manifest.system_identifier))).sort()
  await writeFile(join(out, name as string), 'another content')
  await refused(
    archiveWal({ server: server.place, place: copy, key: KEY, random }),
    /exists with another content: .*a place of its own/,
  )
  await rm(join(out, name as string))
})

// Helpers -------------------------------------------------------------------------------------------------------------

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backup-'))
  // PostgreSQL may run as another user, and that user needs access to the folder.
  await chmod(folder, 0o711)
  folders.push(folder)
  return folder
}

/**
 * Returns a copy of the backup folder with hard links. Before a test writes a file of the copy, the test removes the link.
 */
async function copyOfPlace(): Promise<string> {
  const folder = await newFolder()
  for (const entry of await readdir(place, { withFileTypes: true, recursive: true })) {
    const target = join(folder, relative(place, join(entry.parentPath, entry.name)))
    await mkdir(dirname(target), { recursive: true })
    if (entry.isFile()) await link(join(entry.parentPath, entry.name), target)
  }
  return folder
}

async function source() {
  const url = (await findEmbedded(data_dir, 'superuser')) as string
  return { url, server: server.place, place, data_dir, key: KEY, clock: systemClock, random }
}

type Changes = Partial<Parameters<typeof recoverDatabase>[0]>

function recover(target: string, changes: Changes = {}): Promise<RecoveredDatabase> {
  const options = { place, key: KEY, to: null, data_dir: target, outside: tmpdir(), migrations: [SCHEMA] }
  return recoverDatabase({ ...options, log: SILENT, report: () => {}, ...changes })
}

const refused = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error: Error) => {
    assert.match(error.message, message)
    return error instanceof BackupError
  })

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

/**
 * Runs statements in turn, and returns the rows of the last statement. If a statement begins with `superuser: `, the superuser
 * runs the statement.
 */
async function run(...statements: string[]): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = []
  for (const statement of statements) {
    const [, text = statement] = /^superuser: (.*)$/.exec(statement) ?? []
    const url = text === statement ? server.url : ((await findEmbedded(data_dir, 'superuser')) as string)
    rows = await query(url, text)
  }
  return rows
}

/** Archives WAL files until the place contains `files` files from the start of the backup on. */
async function archived(files: number): Promise<void> {
  for (let found = 0; found < files; ) {
    await archiveWal({ server: server.place, place, key: KEY, random })
    const names = await readdir(join(place, 'wal', backup.manifest.system_identifier)).catch(() => [])
    found = names.filter((name) => name.length === 24 && name >= backup.manifest.start_wal).length
    if (found < files) await run('select pg_sleep(0.02)')
  }
}
