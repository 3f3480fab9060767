// Tests that in production the server refuses a database that may lose committed payments. It also refuses a database with demo
// users, and a connection that other machines can read.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { startEmbedded } from '../../src/kernel/db/embedded.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { createTestDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { type Child, endOf, ROOT, serverEnv, startChild } from './processes.ts'

const CONCURRENCY = 2
const ADMIN = join(ROOT, 'server/src/admin.ts')
const PRODUCTION = {
  NODE_ENV: 'production',
  MOCK_SECRET: 'a secret of this test that is long enough',
  BASE_URL: 'https://api.example.tz',
  ALLOW_MOCK_IN_PRODUCTION: 'true',
  FOUR_EYES_AMOUNT: '1000000',
  WEBHOOK_ALLOW_PRIVATE: '',
  HOST: '127.0.0.1',
}

/**
 * A PostgreSQL server with durable settings for this file. The PostgreSQL server of the other tests is fast and may lose data.
 */
let durable: Awaited<ReturnType<typeof startEmbedded>>
const children: Child[] = []
before(async () => {
  const settings = { shared_buffers: '16MB' }
  durable = await startEmbedded({ dataDir: await newFolder(), log: { info() {}, warn() {} }, settings })
})
after(async () => {
  for (const child of children) await child.kill()
  await durable.stop()
})

describe('databases in production', { concurrency: CONCURRENCY }, () => {
  test('the server refuses a database with fsync and full_page_writes off, and names both settings', async () => {
    const { url, drop } = await createTestDatabase()
    for (const kind of ['api', 'worker']) {
      const output = await refused(url, { PROCESS: kind })
      assert.match(output, /^fsync of the database is off .*Set fsync = on/m)
      assert.match(output, /^full_page_writes of the database is off .*Set full_page_writes = on/m)
    }
    await drop()
  })

  test('if FULL_PAGE_WRITES_NOT_NEEDED is true, the server accepts a database with full_page_writes off and logs a warning', async () => {
    const settings = { shared_buffers: '16MB', full_page_writes: 'off' }
    const whole_pages = await startEmbedded({ dataDir: await newFolder(), log: { info() {}, warn() {} }, settings })
    try {
      const { url } = await newDatabase(whole_pages.url)
      const output = await refused(url)
      assert.match(output, /^full_page_writes of the database is off .*FULL_PAGE_WRITES_NOT_NEEDED=true/m)
      assert.match(await refused(url, { FULL_PAGE_WRITES_NOT_NEEDED: 'false' }), /^full_page_writes of the database/m)
      const server = await serves(url, { FULL_PAGE_WRITES_NOT_NEEDED: 'true' })
      assert.match(server.output(), /"level":"warn".*FULL_PAGE_WRITES_NOT_NEEDED=true/)
    } finally {
      await whole_pages.stop()
    }
  })

  test('FULL_PAGE_WRITES_NOT_NEEDED permits neither fsync off nor synchronous_commit off', async () => {
    const { url, drop } = await createTestDatabase()
    const output = await refused(url, { FULL_PAGE_WRITES_NOT_NEEDED: 'true' })
    assert.match(output, /^fsync of the database is off /m)
    assert.match(output, /^synchronous_commit of the database is off /m)
    assert.doesNotMatch(output, /^full_page_writes of the database/m)
    await drop()
  })

  const ways: { where: string; set: (name: string) => string; unset: (name: string) => string }[] = [
    {
      where: 'its database',
      set: (name) => `alter database ${name} set synchronous_commit = off`,
      unset: (name) => `alter database ${name} reset synchronous_commit`,
    },
    {
      where: 'its role in this database',
      set: (name) => `alter role current_user in database ${name} set synchronous_commit = off`,
      unset: (name) => `alter role current_user in database ${name} reset synchronous_commit`,
    },
  ]
  for (const { where, set, unset } of ways) {
    test(`the server does not start while synchronous_commit is off for ${where}, and starts after a reset`, async () => {
      const { url, name } = await newDatabase()
      await query(url, set(name))
      const output = await refused(url)
      assert.match(output, /^synchronous_commit of the database is off .*alter role/m)
      assert.doesNotMatch(output, /^(fsync|full_page_writes) /m)
      await query(url, unset(name))
      await serves(url)
    })
  }

  test('the server does not start while demo users can sign in, and starts after the command in its message has disabled them', async () => {
    const { url } = await newDatabase()
    const demo = run(serverEnv(url, { NODE_ENV: 'development' }), ADMIN, ['demo', '--json'])
    assert.equal((await endOf(demo)).code, 0, demo.output())
    const output = await refused(url)
    const commands = [...output.matchAll(/npm run -s admin -- (user disable --email (\S+))/g)]
    assert.deepEqual(commands.map(([, , email]) => email).sort(), [
      'developer@demo.malipo.example',
      'finance@demo.malipo.example',
      'merchant-admin@demo.malipo.example',
      'super-admin@demo.malipo.example',
      'viewer@demo.malipo.example',
    ])
    for (const [, command = ''] of commands) {
      const disable = run(serverEnv(url, PRODUCTION), ADMIN, command.split(' '))
      assert.equal((await endOf(disable)).code, 0, disable.output())
    }
    await serves(url)
  })
})

describe('the connection to the database in production', { concurrency: CONCURRENCY }, () => {
  test('the server and the admin command refuse another machine without TLS before they connect, and name the remedy', async () => {
    // No machine has this name, so a server that tried to connect would fail with another message.
    const url = 'postgres://malipo:a-password@db.invalid/malipo'
    const command = run(serverEnv(url, PRODUCTION), ADMIN, ['verify'])
    assert.equal((await endOf(command)).code, 1)
    for (const output of [await refused(url), await refused(url, { PROCESS: 'worker' }), command.output()]) {
      assert.match(output, /^DATABASE_URL: the connection to db\.invalid has no TLS.*sslmode=verify-full/m)
      assert.match(output, /DATABASE_TLS_NOT_NEEDED=true/)
      assert.doesNotMatch(output, /a-password/)
    }
    assert.match(await refused(`${url}?sslmode=no-verify`), /^DATABASE_URL: .*without a check of the certificate/m)
  })

  test('if DATABASE_TLS_NOT_NEEDED is true, the server connects without TLS and logs a warning', async () => {
    const { url } = await newDatabase()
    const other = new URL(url)
    other.hostname = '0.0.0.0' // An address of this machine without its usual name.
    other.searchParams.delete('host')
    assert.match(await refused(other.href), /^DATABASE_URL: the connection to 0\.0\.0\.0 has no TLS/m)
    const server = await serves(other.href, { DATABASE_TLS_NOT_NEEDED: 'true' })
    assert.match(server.output(), /"level":"warn".*"host":"0\.0\.0\.0".*DATABASE_TLS_NOT_NEEDED=true/)
    const local = await serves(url, { DATABASE_TLS_NOT_NEEDED: 'true' })
    assert.doesNotMatch(local.output(), /DATABASE_TLS_NOT_NEEDED/)
  })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'production-'))
  await chmod(folder, 0o711)
  return folder
}

async function newDatabase(on = durable.url): Promise<{ url: string; name: string }> {
  const name = `production_${randomBytes(4).toString('hex')}`
  await query(on, `create database ${name}`)
  const url = new URL(on)
  url.pathname = `/${name}`
  await migrate(url.href)
  return { url: url.href, name }
}

function run(env: Record<string, string>, entry?: string, args?: readonly string[]): Child {
  const child = startChild(env, entry, args)
  children.push(child)
  return child
}

async function production(url: string, env: Record<string, string> = {}): Promise<Child> {
  return run(serverEnv(url, { ...PRODUCTION, PORT: String(await freePort()), ...env }))
}

async function refused(url: string, env: Record<string, string> = {}): Promise<string> {
  const server = await production(url, env)
  assert.deepEqual(await endOf(server), { code: 1, signal: null }, server.output())
  assert.match(server.output(), /The process refuses this configuration/)
  assert.doesNotMatch(server.output(), /\n\s+at /, 'the output has no stack trace')
  return server.output()
}

async function serves(url: string, env: Record<string, string> = {}): Promise<Child> {
  const server = await production(url, env)
  await server.ready()
  await server.kill()
  return server
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
