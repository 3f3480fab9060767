// Tests the upgrade of a data directory with one database role. The next start makes the second role and uses it, even while a
// program of the older version uses the same server.

import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { ROLE_SEPARATED } from '../../src/apps/admin/verify-privileges.ts'
import { startEmbedded } from '../../src/kernel/db/embedded.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { freePort } from '../free-port.ts'
import { endOf, ROOT, serverEnv, startChild } from './processes.ts'

const ADMIN = join(ROOT, 'server/src/admin.ts')

test('a server upgrades a data directory with one role to two roles, and an admin command beside it finds both', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'roles-'))
  await chmod(dataDir, 0o711)
  const settings = { fsync: 'off', shared_buffers: '16MB' }
  const older = await startEmbedded({ dataDir, log: { info() {}, warn() {} }, settings })
  t.after(() => older.stop())
  await migrate(older.url)
  const admin = await connectAsAdmin(older.url, older.place)
  t.after(() => admin.end())
  await admin.query('drop role malipo_runtime')

  const env = serverEnv('', { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'info' })
  const server = startChild(env)
  t.after(() => server.kill())
  await server.ready()
  const { rows } = await admin.query(
    "select distinct usename from pg_stat_activity where datname = 'malipo' and application_name like 'malipo%' order by 1",
  )
  assert.deepEqual(rows, [{ usename: 'malipo_runtime' }], 'every connection of the server has the role of the server')
  assert.doesNotMatch(server.output(), /owns the tables/)

  const command = startChild(env, ADMIN, ['verify', '--json'])
  assert.deepEqual(await endOf(command), { code: 0, signal: null }, command.output())
  const { checks } = JSON.parse(
    command
      .output()
      .split('\n')
      .find((line) => line.startsWith('{"ok"')) ?? '',
  )
  const check = checks.find(({ name }: { name: string }) => name === ROLE_SEPARATED)
  assert.deepEqual(check, { name: ROLE_SEPARATED, ok: true, detail: 'holds' })

  // The program of the older version still works with its role.
  const owner = new pg.Client({ connectionString: older.url })
  await owner.connect()
  assert.equal((await owner.query('select from schema_migrations limit 1')).rowCount, 1)
  await owner.end()
  server.signal('SIGTERM')
  assert.deepEqual(await endOf(server), { code: 0, signal: null })
})

async function connectAsAdmin(url: string, place: string): Promise<pg.Client> {
  const { admin_password } = JSON.parse(await readFile(join(place, 'secrets.json'), 'utf8')) as {
    admin_password: string
  }
  const client = new pg.Client({
    connectionString: `postgres://postgres:${admin_password}@127.0.0.1:${new URL(url).port}/malipo`,
  })
  client.on('error', () => {}) // When the last program ends, it stops PostgreSQL, and this connection breaks.
  await client.connect()
  return client
}
