// Tests the drill of docs/operate/backup.md with the programs of an installation. The test backs up, checks the backup, makes a
// payment, and destroys the data directory. It then restores the backup into a new directory and finds the payment.

import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { startBackupCheck } from '../../src/apps/admin/backup-check-task.ts'
import { findEmbedded } from '../../src/kernel/db/embedded.ts'
import { systemClock } from '../../src/kernel/lib/index.ts'
import { freePort } from '../free-port.ts'
import { type Child, endOf, ROOT, serverEnv, startChild, until } from './processes.ts'

const ADMIN = join(ROOT, 'server/src/admin.ts')
const COMMAND_MS_MAX = 180_000

const folder = mkdtempSync(join(tmpdir(), 'drill-'))
const place = join(folder, 'backups')
const data_dir = join(folder, 'data')
const status_file = join(folder, 'last-backup')
const wal = () => join(place, 'wal', readdirSync(join(place, 'wal'))[0] as string)

let env: Record<string, string>
let server: Child
let key: string
before(async () => {
  // PostgreSQL may run as another user, and that user needs access to the folder.
  chmodSync(folder, 0o711)
  mkdirSync(place)
  const { SECRET_KEY: _, ...settings } = serverEnv('', {
    DATA_DIR: data_dir,
    PORT: String(await freePort()),
    BACKUP_DIR: place,
    BACKUP_KEY: Buffer.alloc(32, 3).toString('base64'),
    BACKUP_STATUS_FILE: status_file,
    MALIPO_EMBEDDED_DIR: join(folder, 'outside'),
    MOCK_DELAY_MS: '0',
    DISK_FREE_MIN_MB: '1',
  })
  env = settings
  server = await startServer()
  ;({ live_key: key } = await admin<{ live_key: string }>(['demo']))
})
after(async () => {
  await server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

test('the backup check restores a backup beside the running server, and refuses the data directory and a folder that is not empty', async () => {
  const paid = await pay('before')
  const made = await admin<{ backup: string; ended_at: string }>(['backup', '--to', place])
  const scratch = join(folder, 'scratch')
  const checked = await admin<Record<string, unknown>>(['backup', 'check', '--from', place, '--scratch', scratch])
  assert.equal(checked.ok, true)
  assert.equal(checked.backup, made.backup.split('/').at(-1))
  assert.equal(checked.ended_at, made.ended_at)
  assert.equal(existsSync(scratch), false, 'the folder of the check is gone')
  assert.equal((await read(paid)).status, 'successful')

  const refusal = await admin(['backup', 'check', '--from', place, '--scratch', data_dir], 1)
  assert.match(String(refusal), /has a secret\.key, and the check removes its folder: name a new folder/)
  const full = join(folder, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'mine'), 'kept')
  assert.match(String(await admin(['backup', 'check', '--from', place, '--scratch', full], 1)), /is not empty/)
  assert.deepEqual(readdirSync(full), ['mine'])
  assert.equal((await read(paid)).status, 'successful')
})

test('the backup check refuses to run twice in one folder, with the remedy, and a killed check frees the folder', async () => {
  const scratch = join(folder, 'shared')
  const args = ['backup', 'check', '--from', place, '--scratch', scratch]
  const begin = async () => {
    const child = startChild(env, ADMIN, [...args, '--json'])
    await until('the check has its folder', () => existsSync(join(scratch, 'restore.unfinished')) || !child.alive())
    assert.ok(child.alive(), child.output())
    return child
  }
  const refused =
    /another restore or backup check uses \S+ now: wait until it has ended, or name another folder with --scratch/
  const first = await begin()
  assert.match(String(await admin(args, 1)), refused)
  assert.deepEqual(await endOf(first, COMMAND_MS_MAX), { code: 0, signal: null }, first.output())
  assert.equal(existsSync(scratch), false)

  await (await begin()).kill()
  // PostgreSQL may still run for some seconds after its program has died. The check then fails with this message.
  const next = startChild(env, ADMIN, args)
  const { code } = await endOf(next, COMMAND_MS_MAX)
  if (code !== 0) assert.match(next.output(), /PostgreSQL still runs on/)
  assert.doesNotMatch(next.output(), /another restore or backup check/)
})

test('the check of a damaged backup fails and names the file, even when an older backup is good', async () => {
  const { backup } = await admin<{ backup: string }>(['backup', '--to', place])
  const victim = join(backup, 'data/global/pg_control')
  cpSync(victim, `${victim}.good`)
  writeFileSync(victim, 'x')
  const scratch = join(folder, 'scratch')
  const text = String(await admin(['backup', 'check', '--from', place, '--scratch', scratch], 1))
  assert.match(text, /pg_control (?:is cut short|has changed)/)
  assert.equal(existsSync(scratch), false)
  renameSync(`${victim}.good`, victim)
})

test('a backup with --keep deletes older backups and the files of the write-ahead log that no kept backup needs', async () => {
  const files = () => readdirSync(wal()).filter((name) => name.length === 24)
  const before_wal = files()
  const made = await admin<{ deleted_backups: string[]; deleted_wal_files: number; backup: string }>([
    'backup',
    '--to',
    place,
    '--keep',
    '1',
  ])
  assert.equal(made.deleted_backups.length, 2)
  assert.ok(made.deleted_wal_files > 0)
  assert.deepEqual(readdirSync(join(place, 'base')), [made.backup.split('/').at(-1)])
  assert.ok(before_wal.length > 0)
  // The worker runs this check each day, in a process of its own.
  const { PATH, HOME, TMPDIR } = process.env
  const checked = startBackupCheck(
    { config: { backup_dir: place }, clock: systemClock },
    { PATH, HOME, TMPDIR, ...env },
  )
  const { ok, backup, error } = await checked.result
  assert.deepEqual({ ok, backup, error }, { ok: true, backup: made.backup.split('/').at(-1), error: null })
  assert.equal(existsSync(join(data_dir, 'backup-check')), false)
  assert.match(String(await admin(['backup', '--to', place, '--keep', '0'], 2)), /--keep must be a whole number from 1/)
})

test('an administrator destroys the data directory, restores it, and finds the last payment', async (t) => {
  const paid = await pay('last')
  // PostgreSQL ends the current file of the log within a minute. The test ends the file itself, so that it does not wait.
  const file = await finishLogFile()
  await until('the log of the payment is archived', () => readdirSync(wal()).includes(file))
  await server.kill()
  const begin = performance.now()
  const restored_dir = join(folder, 'restored')
  mkdirSync(restored_dir)
  chmodSync(restored_dir, 0o711)
  const without_key = String(await admin(['restore', '--from', place, '--data-dir', restored_dir], 1))
  assert.match(without_key, /copy the key file first: install -D -m 600 secret\.key/)
  assert.deepEqual(readdirSync(restored_dir), [], 'the restore has copied nothing')
  cpSync(join(data_dir, 'secret.key'), join(restored_dir, 'secret.key'))
  renameSync(data_dir, join(folder, 'dead disk'))
  const restored = await admin<Record<string, unknown>>(['restore', '--from', place, '--data-dir', restored_dir])
  assert.equal(restored.ok, true)
  env.DATA_DIR = restored_dir
  server = await startServer()
  assert.equal((await read(paid)).status, 'successful')
  t.diagnostic(`in business ${Math.round(performance.now() - begin)} ms after the loss of the disk`)
  const { ok } = await admin<{ ok: boolean }>(['verify'])
  assert.equal(ok, true)
})

// Helpers -------------------------------------------------------------------------------------------------------------

async function startServer(): Promise<Child> {
  const child = startChild(env)
  await child.ready()
  return child
}

/** Runs a command that must end with `code`. Returns its result if `code` is 0, otherwise its output. */
async function admin<Result>(args: readonly string[], code = 0): Promise<Result> {
  const child = startChild(env, ADMIN, [...args, ...(code === 0 ? ['--json'] : [])])
  const end = await endOf(child, COMMAND_MS_MAX)
  assert.deepEqual(end, { code, signal: null }, child.output())
  return (code === 0 ? JSON.parse(child.output()) : child.output()) as Result
}

/** Ends the current file of the write-ahead log, and returns its name. */
async function finishLogFile(): Promise<string> {
  const client = new pg.Client({ connectionString: (await findEmbedded(data_dir, 'superuser')) as string })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')
    return rows[0]?.name ?? ''
  } finally {
    await client.end()
  }
}

async function pay(name: string): Promise<string> {
  const answer = await fetch(`${server.url}/v1/collections/wallet-push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name },
    body: JSON.stringify({ amount: 1500, phone: '0754123001', reference: name }),
  })
  assert.equal(answer.status, 202, await answer.clone().text())
  const { data } = (await answer.json()) as { data: { collection_id: string } }
  await until('the payment is successful', async () => (await read(data.collection_id)).status === 'successful')
  return data.collection_id
}

async function read(id: string): Promise<{ status: string }> {
  const answer = await fetch(`${server.url}/v1/collections/${id}`, { headers: { authorization: `Bearer ${key}` } })
  return ((await answer.json()) as { data: { status: string } }).data
}
