/**
 * Tests the admin commands about people. On a fresh installation the test runs `npm run -s admin`. Later it runs the script
 * directly, because npm takes as long as the command.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDb, sql } from '../src/kernel/db/index.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { MERCHANT_ROLES } from '../src/kernel/http/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createWorld, type World } from './harness.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/**
 * The address of a database that does not exist: no process listens on its port. If a command opens a connection to this
 * database, its error message contains the port.
 */
const NO_DATABASE = 'postgres://nobody:nothing@127.0.0.1:9/none'
const NO_ID = '00000000-0000-8000-8000-000000000000'
const PRODUCTION = {
  NODE_ENV: 'production',
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  MOCK_SECRET: 'a secret of this test that is long enough',
  BASE_URL: 'https://api.example.tz',
  ALLOW_MOCK_IN_PRODUCTION: 'true',
  FOUR_EYES_AMOUNT: '1000000',
}

type Env = Record<string, string>
// biome-ignore lint/suspicious/noExplicitAny: tests read the answers of every command
type Outcome = { code: number | null; json: any; errors: string }

const NPM = ['npm', 'run', '-s', 'admin', '--']
const SCRIPT: string[] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.admin.split(' ')

/** Runs `npm run -s admin -- ARGS --json`, or runs the script of that command directly. */
function admin(args: readonly string[], url: string, env = PRODUCTION as Env, command = NPM): Promise<Outcome> {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env
  const [program = '', ...given] = [...command, ...args, '--json']
  const child = spawn(program, given, {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, ...env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, json: output === '' ? null : JSON.parse(output), errors }))
  })
}

describe('a fresh production installation', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase(null)
  })
  after(() => database.drop())

  test('one admin command creates the first operator of a fresh installation without demo data, and the operator can use the operators API', async () => {
    const { code, json, errors } = await admin(
      ['user', 'create', '--email', 'Boss@Example.tz', '--role', 'SUPER_ADMIN', '--name', 'Neema', '--language', 'en'],
      database.url,
    )
    assert.equal(code, 0, errors)
    assert.deepEqual(Object.keys(json), ['user_id', 'email', 'password'])
    assert.equal(json.email, 'boss@example.tz')
    assert.ok(json.password.length >= 16)

    const token = await admin(['token', '--email', 'boss@example.tz'], database.url)
    assert.equal(token.code, 0, token.errors)
    assert.deepEqual(Object.keys(token.json), ['access_token', 'expires_in'])
    assert.equal(token.json.expires_in, 900)

    const db = createDb({ url: database.url, max_connections: 2 })
    const all = sql('people_all', 'select email, name, language, super_admin, issuer, email_verified from users')
    assert.deepEqual(await db.query(all), [
      {
        email: 'boss@example.tz',
        name: 'Neema',
        language: 'en',
        super_admin: true,
        issuer: 'embedded',
        email_verified: true,
      },
    ])
    const first = await db.query(sql('people_first_password', 'select is_first from credentials'))
    assert.deepEqual(first, [{ is_first: true }], 'the first sign-in must replace the printed password')
    assert.deepEqual(await db.query(sql('people_merchants', 'select id from merchants')), [])
    const log = sql(
      'people_log',
      'select actor_kind, action, target_id, after::text as after from audit_log order by seq',
    )
    const entries = await db.query<{ actor_kind: string; action: string; target_id: string; after: string }>(log)
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['user.create', 'user.token'],
    )
    for (const entry of entries) {
      assert.deepEqual([entry.actor_kind, entry.target_id], ['command', json.user_id])
      assert.ok(!entry.after.includes(json.password) && !entry.after.includes(token.json.access_token))
    }
    await db.close()

    const world = await createWorld({ url: database.url, env: PRODUCTION_WORLD })
    world.deps.clock.advance(Date.now() - world.deps.clock.now().getTime())
    const reply = await world.get('/v1/operator/merchants', token.json.access_token)
    assert.equal(reply.status, 200, reply.text)
    await world.close()
  })

  test('the command that makes demo data refuses to run in production', async () => {
    const { code, json } = await admin(['demo'], database.url)
    assert.deepEqual([code, json.error.code], [1, 'forbidden'])
  })
})

/** The environment variables of the same installation, for an app inside the test process. */
const PRODUCTION_WORLD = { ...PRODUCTION, WEBHOOK_ALLOW_PRIVATE: 'false' }

test('if a command lacks an argument, the command exits with 2, names the argument and does not open the database', async () => {
  const { code, json, errors } = await admin(['user', 'create', '--email', 'a@b.tz', '--role', 'VIEWER'], NO_DATABASE)
  assert.deepEqual([code, json], [2, null])
  assert.match(errors, /^--merchant is required\n/)
})

describe('people of a merchant', () => {
  let world: World
  let data_dir: string
  before(async () => {
    world = await createWorld()
    data_dir = await mkdtemp(join(tmpdir(), 'malipo-people-'))
  })
  after(async () => {
    await world.close()
    await rm(data_dir, { recursive: true, force: true })
  })
  const test_env = { NODE_ENV: 'test', SECRET_KEY: PRODUCTION.SECRET_KEY }
  const run = (args: readonly string[], env: Env = {}) =>
    admin(args, world.url, { ...test_env, DATA_DIR: data_dir, ...env }, SCRIPT)
  /** Runs a command. If the command fails, the test fails. */
  const done = async (args: readonly string[]) => {
    const outcome = await run(args)
    assert.equal(outcome.code, 0, outcome.errors)
    return outcome.json
  }
  const create = (email: string, role: string, ...more: string[]) =>
    run(['user', 'create', '--email', email, '--role', role, ...more])
  const inMerchant = (id = world.merchant.id) => ['--merchant', id]
  const codeOf = ({ code, json }: Outcome) => [code, json?.error?.code]

  test('the user command gives a new person a password and a role, and writes the audit log', async () => {
    const { json } = await create('asha@example.tz', 'DEVELOPER', ...inMerchant())
    assert.equal(typeof json.password, 'string')
    const members = await world.rows('select role from members where user_id = $1', [json.user_id])
    assert.deepEqual(members, [{ role: 'DEVELOPER' }])
    const entries = await world.rows(
      "select action, actor_kind from audit_log where after::text like '%asha@example.tz%' order by action",
    )
    assert.deepEqual(entries, [
      { action: 'member.invite', actor_kind: 'command' },
      { action: 'user.create', actor_kind: 'command' },
    ])
  })

  test('the user command gives an existing user another membership and keeps the password', async () => {
    const second = await world.newMerchant()
    const first = await create('juma@example.tz', 'VIEWER', ...inMerchant())
    const { json } = await create('juma@example.tz', 'FINANCE', ...inMerchant(second.id))
    assert.deepEqual([json.user_id, json.password], [first.json.user_id, null])
    assert.match(json.note, /The user existed already/)
    assert.deepEqual(codeOf(await create('juma@example.tz', 'VIEWER', ...inMerchant())), [1, 'invalid_state'])
    const operator = await create('juma@example.tz', 'SUPER_ADMIN')
    assert.equal(operator.json.password, null)
    const roles = await world.rows(
      'select role, u.super_admin from members m join users u on u.id = m.user_id where u.email = $1 order by role',
      ['juma@example.tz'],
    )
    assert.deepEqual(roles, [
      { role: 'FINANCE', super_admin: true },
      { role: 'VIEWER', super_admin: true },
    ])
  })

  test('the commands refuse an unknown merchant, an unknown person and a disabled person', async () => {
    assert.deepEqual(codeOf(await create('new@example.tz', 'VIEWER', ...inMerchant(NO_ID))), [1, 'not_found'])
    assert.deepEqual(await world.rows("select 1 from users where email = 'new@example.tz'"), [])
    const { json } = await create('gone@example.tz', 'VIEWER', ...inMerchant())
    await world.rows('update users set disabled_at = $2 where id = $1', [json.user_id, world.deps.clock.now()])
    assert.deepEqual(codeOf(await create('gone@example.tz', 'SUPER_ADMIN')), [1, 'invalid_state'])
    assert.deepEqual(codeOf(await run(['token', '--email', 'gone@example.tz'])), [1, 'invalid_state'])
    assert.deepEqual(codeOf(await run(['token', '--email', 'nobody@example.tz'])), [1, 'not_found'])
  })

  test('with an external issuer, the command identifies a person by subject or by e-mail address, and sets no password', async () => {
    const foreign = { OIDC_ISSUER: 'https://id.example.tz' }
    const make = (email: string, ...more: string[]) =>
      run(['user', 'create', '--email', email, '--role', 'SUPER_ADMIN', ...more], foreign)
    const bound = await make('s@example.tz', '--subject', 'abc|7')
    assert.equal(bound.json.password, null)
    assert.match(bound.json.note, /https:\/\/id\.example\.tz/)
    await make('waits@example.tz')
    const identities = () =>
      world.rows('select email, issuer, subject, email_verified from users where email = any($1) order by email', [
        ['s@example.tz', 'waits@example.tz'],
      ])
    const issuer = 'https://id.example.tz'
    const first = { email: 's@example.tz', issuer, subject: 'abc|7', email_verified: true }
    assert.deepEqual(await identities(), [
      first,
      { email: 'waits@example.tz', issuer: null, subject: null, email_verified: false },
    ])
    assert.deepEqual(codeOf(await make('waits@example.tz', '--subject', 'abc|7')), [1, 'invalid_state'])
    assert.deepEqual(codeOf(await make('s@example.tz', '--subject', 'other')), [1, 'invalid_state'])
    assert.equal((await make('s@example.tz', '--subject', 'abc|7')).code, 0)
    assert.equal((await make('waits@example.tz', '--subject', 'xyz')).code, 0)
    assert.deepEqual(await identities(), [
      first,
      { email: 'waits@example.tz', issuer, subject: 'xyz', email_verified: true },
    ])
  })

  test('the demo has a super admin and a user for each merchant role; without its file of passwords, the command sets new passwords', async () => {
    const once = await done(['demo'])
    const again = await done(['demo'])
    assert.deepEqual(again.users, once.users)
    assert.equal((await stat(join(data_dir, 'demo-people.json'))).mode & 0o777, 0o600)
    await rm(join(data_dir, 'demo-people.json'))
    const anew = await done(['demo'])
    // biome-ignore lint/suspicious/noExplicitAny: tests read the answers of every command
    const roles = (answer: any) => answer.users.map(({ role }: { role: string }) => role)
    assert.deepEqual(roles(once), [...MERCHANT_ROLES, 'SUPER_ADMIN'])
    assert.deepEqual(roles(again), roles(once))
    for (const [i, { email, password }] of once.users.entries()) {
      assert.equal(anew.users[i].email, email)
      assert.notEqual(anew.users[i].password, password)
      const { access_token } = await done(['token', '--email', email])
      world.deps.clock.advance(Math.max(0, Date.now() - world.deps.clock.now().getTime()))
      const me = await world.get('/v1/me', access_token)
      assert.equal(me.status, 200, me.text)
      const [membership] = me.body.data.memberships
      assert.equal(membership?.role ?? 'SUPER_ADMIN', again.users[i].role)
      assert.equal(me.body.data.super_admin, membership === undefined)
    }
    const text = JSON.stringify(await world.rows('select after from audit_log'))
    for (const { password } of [...once.users, ...anew.users]) assert.ok(!text.includes(password))
    for (const key of [once.live_key, again.sandbox_key]) assert.ok(!text.includes(key))
  })
})

test('the command user create first migrates the database of a fresh installation', async () => {
  const database = await createTestDatabase(null)
  const { code, errors } = await admin(['user', 'create', '--email', 'a@b.tz', '--role', 'SUPER_ADMIN'], database.url)
  assert.equal(code, 0, errors)
  assert.deepEqual(await migrate(database.url), [])
  await database.drop()
})
