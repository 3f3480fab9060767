// Tests that a process starts on a database only with the SECRET_KEY of that database.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { PROVIDERS } from '../../src/adapters/providers/registry.ts'
import { readCanary } from '../../src/kernel/db/index.ts'
import { ConfigError, createLog, createVault, keyIdOf, readConfig } from '../../src/kernel/lib/index.ts'
import { realDeps } from '../../src/process.ts'
import { createTestDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { createWorld } from '../harness.ts'
import { type Child, endOf, ROOT, serverEnv, startChild } from './processes.ts'

const CONCURRENCY = 2
const ADMIN = join(ROOT, 'server/src/admin.ts')
/** The secret key that `serverEnv` and the harness use. */
const RIGHT = Buffer.alloc(32, 7)
const WRONG = Buffer.alloc(32, 9)
/** The key that replaces RIGHT. */
const NEW = Buffer.alloc(32, 11)
const SAYS_WHAT_TO_DO = /^SECRET_KEY .*[\s\S]*Set the SECRET_KEY of this database/m

const log = createLog('silent')
const children: Child[] = []
const closers: (() => Promise<void>)[] = []
after(async () => {
  for (const child of children) await child.kill()
  for (const close of closers) await close()
})

describe('the secret key of a database', { concurrency: CONCURRENCY }, () => {
  describe('each kind of process', { concurrency: 1 }, () => {
    let url: string
    before(async () => {
      url = (await newDatabase()).url
      const first = await startServer(url, RIGHT)
      await first.ready()
      await first.kill()
    })
    for (const process_kind of ['all', 'api', 'worker'] as const) {
      test(`a process with PROCESS=${process_kind} refuses a SECRET_KEY that is not the key of its database, and logs instructions`, async () => {
        const second = await startServer(url, WRONG, { PROCESS: process_kind })
        await refuses(second)
        assert.doesNotMatch(second.output(), new RegExp(WRONG.toString('base64')))
      })
    }

    test('a process with the SECRET_KEY of its database starts after refused processes', async () => {
      const last = await startServer(url, RIGHT)
      await last.ready()
      await last.kill()
    })
  })

  test('an admin command refuses the wrong SECRET_KEY, except migrate and verify, which read no encrypted data', async () => {
    const { url } = await newDatabase()
    const key = (value: Buffer) => serverEnv(url, { SECRET_KEY: value.toString('base64') })
    assert.equal((await endOf(admin(key(RIGHT), 'demo'))).code, 0)
    for (const words of [['demo'], ['emails'], ['user', 'disable', '--email', 'a@b.tz']]) {
      const refused = admin(key(WRONG), ...words)
      assert.equal((await endOf(refused)).code, 1, words.join(' '))
      assert.match(refused.output(), SAYS_WHAT_TO_DO)
    }
    for (const word of ['migrate', 'verify']) {
      const done = admin(key(WRONG), word)
      assert.equal((await endOf(done)).code, 0, done.output())
    }
  })

  test('a server accepts only the key that decrypts the webhook secrets in a database without a canary', async () => {
    const { url } = await newDatabase()
    const world = await createWorld({ url })
    const payload = { webhook_url: 'http://127.0.0.1:9/hook' }
    assert.equal((await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload })).status, 200)
    await forgetCanary(url)
    assert.match(await openWith(url, WRONG), SAYS_WHAT_TO_DO)
    assert.deepEqual(await world.rows('select id from vault_canary'), [], 'the refused key leaves no canary')
    assert.equal(await openWith(url, RIGHT), 'open')
    assert.deepEqual(await world.rows('select id from vault_canary'), [{ id: 1 }])
    assert.match(await openWith(url, WRONG), SAYS_WHAT_TO_DO)
    await world.close()
  })

  const sealed: { what: string; plant: string }[] = [
    {
      what: 'the secret of a second step',
      plant: `insert into second_steps select id, $1, 0, created_at from users limit 1`,
    },
    {
      what: 'a key that signs tokens',
      plant: `insert into signing_keys (kid, issuer, public_jwk, private_jwk, created_at) values ('k', 'i', '{}', $1, '2026-01-05')`,
    },
    {
      what: 'a record of the identity provider',
      plant: `insert into identity_records (model, id_hash, payload, expires_at) values ('Session', '\\x00', $1, '2036-01-05')`,
    },
    {
      what: 'a message',
      plant: `insert into outbox_messages (merchant_id, id, kind, recipient, subject, body, created_at)
        values ('00000000-0000-0000-0000-000000000000', '00000000-0000-8000-8000-000000000001', 'x', 'a@b.tz', 's', $1, '2026-01-05')`,
    },
  ]
  for (const { what, plant } of sealed) {
    test(`a server accepts only the key that decrypts ${what} in a database without a canary`, async () => {
      const { url } = await newDatabase()
      const world = await createWorld({ url })
      await world.newSession('VIEWER')
      await query(url, 'delete from signing_keys')
      await forgetCanary(url)
      await query(url, plant, [world.deps.vault.seal('{}')])
      assert.match(await openWith(url, WRONG), SAYS_WHAT_TO_DO)
      assert.equal(await openWith(url, RIGHT), 'open')
      await world.close()
    })
  }

  test('the server refuses a wrong key although that key encrypted a message in a database without a canary', async () => {
    const { url } = await newDatabase()
    const world = await createWorld({ url })
    const payload = { webhook_url: 'http://127.0.0.1:9/hook' }
    await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload })
    await forgetCanary(url)
    const wrong = createVault(WRONG, world.deps.random)
    const plant = sealed.find(({ what }) => what === 'a message')?.plant ?? ''
    await query(url, plant, [wrong.seal('{}')])
    assert.match(await openWith(url, WRONG), SAYS_WHAT_TO_DO)
    await world.close()
  })

  test('if processes with two different keys start at the same time on an empty database, only the processes with one of the keys serve', async () => {
    const { url } = await newDatabase()
    const servers = await Promise.all([RIGHT, WRONG, RIGHT, WRONG].map((key) => startServer(url, key)))
    const outcomes = await Promise.all(
      servers.map((server) =>
        server.ready().then(
          () => 'ready',
          () => (SAYS_WHAT_TO_DO.test(server.output()) ? 'refused' : server.output()),
        ),
      ),
    )
    assert.deepEqual([...outcomes].sort(), ['ready', 'ready', 'refused', 'refused'])
    assert.equal(outcomes[0], outcomes[2])
  })

  test('if a database exists without its secret.key, the server refuses the database and makes no new key', async () => {
    const { url } = await newDatabase()
    const [first, copy] = [newFolder(), newFolder()]
    const server = await startServer(url, '', { DATA_DIR: first })
    await server.ready()
    await server.kill()
    const refused = await startServer(url, '', { DATA_DIR: copy })
    await refuses(refused)
    assert.match(refused.output(), new RegExp(`${join(copy, 'secret.key')}`))
    assert.equal(existsSync(join(copy, 'secret.key')), false, 'no new key')
    writeFileSync(join(copy, 'secret.key'), readFileSync(join(first, 'secret.key')))
    const served = await startServer(url, '', { DATA_DIR: copy })
    await served.ready()
    await served.kill()
  })

  test('admin secrets rotate replaces the key while a server runs, and then a server starts without the old key', async () => {
    const { url } = await newDatabase()
    const keys = (...given: Buffer[]) => ({ SECRET_KEY: given.map((key) => key.toString('base64')).join(',') })
    const demo = admin(serverEnv(url, keys(RIGHT)), 'demo')
    assert.equal((await endOf(demo)).code, 0, demo.output())
    const token = admin(serverEnv(url, keys(RIGHT)), 'token', '--email', 'viewer@demo.malipo.example')
    assert.equal((await endOf(token)).code, 0, token.output())
    const both = await startServer(url, '', keys(NEW, RIGHT))
    await both.ready()
    const rotation = admin(serverEnv(url, keys(NEW, RIGHT)), 'secrets', 'rotate')
    assert.equal((await endOf(rotation)).code, 0, rotation.output())
    assert.match(rotation.output(), new RegExp(`can_be_removed: ${keyIdOf(RIGHT)}\n`))
    assert.doesNotMatch(rotation.output(), new RegExp(RIGHT.toString('base64')))
    await both.ready()
    await both.kill()
    const only = await startServer(url, NEW)
    await only.ready()
    await only.kill()
    const status = admin(serverEnv(url, keys(WRONG)), 'secrets', 'status')
    assert.deepEqual(await endOf(status), { code: 1, signal: null }, status.output())
    assert.match(status.output(), new RegExp(`${keyIdOf(NEW)}  missing  [1-9]`))
  })

  test('readCanary reports whether the vault of a process can decrypt the canary of its database', async () => {
    const { url } = await newDatabase()
    const world = await createWorld({ url })
    const { db, random } = world.deps
    assert.equal(await readCanary(world.deps), true)
    assert.equal(await readCanary({ db, vault: createVault(WRONG, random) }), false)
    await forgetCanary(url)
    assert.equal(await readCanary(world.deps), false)
    await world.close()
  })
})

/**
 * Opens the database with the key, as each process does when it starts. Returns 'open' or the message with which the process would
 * end.
 */
async function openWith(url: string, key: Buffer): Promise<string> {
  const config = readConfig(serverEnv(url, { SECRET_KEY: key.toString('base64') }), PROVIDERS)
  try {
    const deps = await realDeps(config, log, url)
    await deps.db.close()
    return 'open'
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

async function newDatabase(): Promise<{ url: string }> {
  const database = await createTestDatabase()
  closers.push(database.drop)
  return database
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'secret-key-'))
}

async function startServer(url: string, key: Buffer | '', env: Record<string, string> = {}): Promise<Child> {
  const SECRET_KEY = key === '' ? '' : key.toString('base64')
  const child = startChild(serverEnv(url, { PORT: String(await freePort()), SECRET_KEY, ...env }))
  children.push(child)
  return child
}

function admin(env: Record<string, string>, ...words: string[]): Child {
  const child = startChild(env, ADMIN, words)
  children.push(child)
  return child
}

async function refuses(server: Child): Promise<void> {
  assert.deepEqual(await endOf(server), { code: 1, signal: null }, server.output())
  assert.match(server.output(), /The process refuses this configuration/)
  assert.match(server.output(), SAYS_WHAT_TO_DO)
  assert.doesNotMatch(server.output(), /\n\s+at /, 'the output has no stack trace')
}

/**
 * Removes the canary, as in a database from before the canary existed. The owner of the database may grant itself the
 * privilege.
 */
async function forgetCanary(url: string): Promise<void> {
  await query(url, 'grant delete on vault_canary to current_user')
  await query(url, 'delete from vault_canary')
}

async function query(url: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text, values)
  } finally {
    await client.end()
  }
}
