// Tests `admin doctor` on a real database, with one problem after the other.

import assert from 'node:assert/strict'
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, runtimeUrlOf, type TestDatabase } from '../../../test/database.ts'
import { SELCOM_SETTINGS } from '../../../test/providers/settings.ts'
import { startMailServer } from '../../../test/smtp.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { createDb, type Db, grantRuntime } from '../../kernel/db/index.ts'
import { readConfig } from '../../kernel/lib/index.ts'
import type { SystemCheck } from '../operators/index.ts'
import { formatDoctor, runDoctor } from './doctor.ts'
import type { DoctorInput } from './doctor-result.ts'

let database: TestDatabase
let owner: pg.Client
let reader: Db
let health: Server
before(async () => {
  database = await createTestDatabase()
  await grantRuntime(database.url, runtimeUrlOf(database))
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  reader = createDb({ url: runtimeUrlOf(database), max_connections: 1 })
  health = createServer((_request, response) => response.end('{"status":"ok"}')).listen(0, '127.0.0.1')
  await new Promise((resolve) => health.once('listening', resolve))
})
after(async () => {
  await owner.end()
  await reader.close()
  health.close()
  await database.drop()
})

const portOf = (server: Server) => (server.address() as AddressInfo).port

/** Runs doctor beside a running server, with these settings and conditions. */
async function check(
  env: Record<string, string> = {},
  conditions: Partial<DoctorInput> = {},
): Promise<Map<string, SystemCheck>> {
  const here = { PORT: String(portOf(health)), BASE_URL: `http://127.0.0.1:${portOf(health)}`, DATA_DIR: tmpdir() }
  const { ok, checks } = await runDoctor({
    config: readConfig({ ...here, ...env }, PROVIDERS),
    config_problems: [],
    unknown_names: [],
    reader,
    no_database: '',
    replica: null,
    must_separate: true,
    pending: async () => [],
    folders: [],
    clock: { now: () => new Date() },
    send_test_to: null,
    ...conditions,
  })
  assert.equal(
    ok,
    checks.every(({ status }) => status !== 'fail'),
  )
  for (const one of checks) {
    assert.deepEqual(Object.keys(one).sort(), ['message', 'name', 'status'])
    assert.doesNotMatch(one.message, /\n| at .*\.ts/)
  }
  return new Map(checks.map((one) => [one.name, one]))
}

function assertCheck(checks: Map<string, SystemCheck>, name: string, status: string, message: RegExp): void {
  const found = checks.get(name)
  assert.equal(found?.status, status, JSON.stringify(found))
  assert.match(found?.message ?? '', message)
}

describe('admin doctor', { concurrency: 1 }, () => {
  test('on a good installation, no check of doctor except durability fails, and each check prints one line', async () => {
    const checks = await check({ DISK_FREE_MIN_MB: '1' })
    const bad = [...checks.values()].filter(({ name, status }) => status === 'fail' && name !== 'durability')
    assert.deepEqual(bad, [])
    for (const name of ['database', 'schema', 'roles', 'clock', 'connections', 'port', 'callbacks', 'providers'])
      assertCheck(checks, name, 'ok', /./)
    const text = formatDoctor({ ok: true, checks: [...checks.values()] })
    assert.equal(text.trim().split('\n').length, checks.size + 2)
    assert.match(text, /^ok {4}database +PostgreSQL 1\d/m)
  })

  test('doctor fails for a clock that is wrong by minutes, with the difference and the remedy', async () => {
    const ahead = await check({}, { clock: { now: () => new Date(Date.now() + 180_000) } })
    assertCheck(ahead, 'clock', 'fail', /3 minutes ahead of the clock of the database: synchronise/)
    const behind = await check({}, { clock: { now: () => new Date(Date.now() - 10_000) } })
    assertCheck(behind, 'clock', 'warn', /10 seconds behind/)
    const id = '00000000-0000-4000-8000-000000000001'
    const probe = 'insert into readiness_probes (process_id, probed_at, clock_ahead_ms) values ($1, $2, $3)'
    await owner.query(probe, [id, new Date(), -240_000])
    assertCheck(await check(), 'clock', 'fail', /clock of the machine of a process of the server is 4 minutes behind/)
    await owner.query('update readiness_probes set probed_at = $2 where process_id = $1', [
      id,
      new Date(Date.now() - 900_000),
    ])
    assertCheck(await check(), 'clock', 'ok', /differ by \d+ ms/)
    await owner.query('delete from readiness_probes where process_id = $1', [id])
  })

  test('doctor warns about a read replica that does not answer or that accepts writes, with the remedy', async () => {
    assertCheck(await check(), 'replica', 'ok', /DATABASE_READ_URL is empty/)
    assertCheck(
      await check({}, { replica: reader }),
      'replica',
      'warn',
      /accepts writes, so it is no replica.*Correct it/,
    )
    const replica = { query: () => Promise.reject(new Error('connect ECONNREFUSED')) }
    assertCheck(
      await check({}, { replica }),
      'replica',
      'warn',
      /does not answer \(connect ECONNREFUSED\): check DATABASE_READ_URL/,
    )
  })

  test('doctor fails for a role with too many rights, with the statement that revokes the right', async () => {
    await owner.query(`grant truncate on collections to ${pg.escapeIdentifier(new URL(reader.url).username)}`)
    assertCheck(await check(), 'roles', 'fail', /a role has too many rights: .*TRUNCATE on collections: revoke it/)
    await owner.query(`revoke truncate on collections from ${pg.escapeIdentifier(new URL(reader.url).username)}`)
    assertCheck(await check(), 'roles', 'ok', /cannot rewrite history/)
  })

  test('doctor fails for a half-applied migration and for pending migrations, with the command', async () => {
    await owner.query('create table doctor_half (a integer)')
    await owner.query('insert into doctor_half values (1), (1)')
    await assert.rejects(owner.query('create unique index concurrently doctor_half_index on doctor_half (a)'))
    assertCheck(
      await check(),
      'schema',
      'fail',
      /half applied: the index doctor_half_index .*reindex index concurrently/,
    )
    await owner.query('drop table doctor_half')
    const pending = async () => ['0071_a.sql', '0072_b.sql']
    assertCheck(
      await check({}, { pending }),
      'schema',
      'fail',
      /2 migrations are pending \(0071_a.sql, 0072_b.sql\): run/,
    )
    const changed = async () =>
      Promise.reject(new Error('migration 0001 changed after a program applied it: restore the file'))
    assertCheck(
      await check({}, { pending: changed }),
      'schema',
      'fail',
      /^migration 0001 changed .*: restore the file$/,
    )
  })

  test('doctor fails for a disk with less free space than DISK_FREE_MIN_MB, with the free space', async () => {
    const checks = await check({ DISK_FREE_MIN_MB: '1000000' })
    assertCheck(
      checks,
      'disk',
      'fail',
      /MB free, less than DISK_FREE_MIN_MB \(1000000\).*free space, or enlarge the disk/,
    )
  })

  test('doctor fails when another program uses the port, and warns when the port is free', async () => {
    const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const PORT = String(portOf(other))
    assertCheck(await check({ PORT }), 'port', 'fail', /another program uses port \d+: .*set PORT to a free port/)
    await new Promise((resolve) => other.close(resolve))
    const stopped = await check({ PORT, BASE_URL: `http://127.0.0.1:${PORT}` })
    assertCheck(stopped, 'port', 'warn', /no server listens at http:\/\/127\.0\.0\.1:\d+: .* set PORT and HOST/)
    assertCheck(stopped, 'callbacks', 'warn', /does not answer \(ECONNREFUSED\)/)
  })

  test('doctor fails if the running processes need more connections than PostgreSQL allows, and names the needed number', async () => {
    const DATABASE_CONNECTIONS = '200'
    assertCheck(await check({ DATABASE_CONNECTIONS }), 'connections', 'ok', /one process needs 202/)
    const heartbeat = { connectionString: runtimeUrlOf(database), application_name: 'malipo heartbeat' }
    const processes = [new pg.Client(heartbeat), new pg.Client(heartbeat)]
    await Promise.all(processes.map((one) => one.connect()))
    const { rows } = await owner.query('show max_connections')
    assert.ok(Number(rows[0].max_connections) < 404, 'the test needs a PostgreSQL with fewer than 404 connections')
    const checks = await check({ DATABASE_CONNECTIONS })
    await Promise.all(processes.map((one) => one.end()))
    assertCheck(checks, 'connections', 'fail', /2 processes need 404 .*: raise max_connections/)
  })

  test('when the database does not answer, the check of the database fails, and doctor runs the checks that need no database', async () => {
    const gone = createDb({ url: 'postgres://nobody:hidden@127.0.0.1:9/none', max_connections: 1 })
    const checks = await check({}, { reader: gone })
    await gone.close()
    assertCheck(
      checks,
      'database',
      'fail',
      /does not answer .*ECONNREFUSED.*check DATABASE_URL, and that PostgreSQL runs/,
    )
    assertCheck(checks, 'schema', 'warn', /not checked/)
    assertCheck(checks, 'disk', 'ok', /MB free/)
    assert.doesNotMatch(JSON.stringify([...checks]), /hidden/)
  })

  test('for an invalid configuration, doctor shows its problems and runs only the checks of versions and settings', async () => {
    const checks = await check(
      {},
      { config: null, config_problems: ['SECRET_KEY must be set in production'], reader: null },
    )
    assert.deepEqual([...checks.keys()], ['versions', 'settings'])
    assertCheck(checks, 'settings', 'fail', /^SECRET_KEY must be set in production$/)
  })

  test('doctor warns about dangerous settings and mistyped names', async () => {
    const checks = await check({ FOUR_EYES_AMOUNT: 'off' }, { unknown_names: ['FOUR_EYE_AMOUNT is no setting'] })
    assertCheck(checks, 'settings', 'warn', /^FOUR_EYE_AMOUNT is no setting; .*FOUR_EYES_AMOUNT is off: one operator/)
  })

  test('doctor reads the age of the last backup from BACKUP_STATUS_FILE', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'backup-')), 'last')
    assertCheck(await check(), 'backups', 'warn', /not known: set BACKUP_STATUS_FILE/)
    assertCheck(await check({ BACKUP_STATUS_FILE: file }), 'backups', 'fail', /does not exist/)
    writeFileSync(file, '')
    assertCheck(await check({ BACKUP_STATUS_FILE: file }), 'backups', 'ok', /ended 0 seconds ago/)
    const old = Date.now() / 1_000 - 30 * 3_600
    utimesSync(file, old, old)
    assertCheck(await check({ BACKUP_STATUS_FILE: file }), 'backups', 'fail', /ended 1 day ago: check the backup job/)
  })

  test('doctor fails for an unreachable gateway of a provider, with the reason', async () => {
    const checks = await check({ ...SELCOM_SETTINGS, SELCOM_URL: 'http://127.0.0.1:9/v1' })
    assertCheck(
      checks,
      'providers',
      'fail',
      /cannot connect to selcom \(ECONNREFUSED\): check the address of the gateway/,
    )
  })

  test('doctor sends one e-mail for --send-test-to, and fails when the mail server is unreachable', async (t) => {
    const smtp = await startMailServer()
    t.after(() => smtp.close())
    const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'pay@example.tz' }
    assertCheck(await check(mail, { send_test_to: 'asha@example.tz' }), 'mail', 'ok', /accepted a test e-mail to asha/)
    assert.equal(smtp.mails.length, 1)
    assertCheck(await check(mail), 'mail', 'ok', /answers/)
    assert.equal(smtp.mails.length, 1, 'without --send-test-to, doctor sends no e-mail')
    assertCheck(await check({ ...mail, SMTP_URL: 'smtp://127.0.0.1:9' }), 'mail', 'fail', /ECONNREFUSED/)
  })

  test('doctor fails for a failed scheduled verify, with the names of the broken invariants', async () => {
    assertCheck(
      await check(),
      'books',
      'warn',
      /no worker has verified the books yet.*first 10 minutes after its start: .* check the books now with/,
    )
    const insert = `insert into verify_runs (period_start, process_id, lease_until, started_at, finished_at, ok, checks, problems, duration_ms, broken)
      values ($1, gen_random_uuid(), $1, $1, $1, $2, 5, $3, 10, $4)`
    await owner.query(insert, [new Date(Date.now() - 7_200_000), true, 0, '[]'])
    assertCheck(await check(), 'books', 'ok', /the last good verify ended 2 hours ago/)
    await owner.query(insert, [new Date(), false, 1, '[{"name":"Every book is balanced","detail":"x"}]'])
    assertCheck(await check(), 'books', 'fail', /found 1 contradictions \(Every book is balanced\)/)
  })

  test('doctor warns about an anchor of the audit log that is late, unwritten or unsent, with the reason', async () => {
    const settings = { AUDIT_ANCHOR_URL: 'https://anchors.example.tz/' }
    assertCheck(await check(settings), 'anchors', 'warn', /has no anchor yet: check that a worker runs/)
    const insert = (number: number, age_ms: number) => {
      const at = new Date(Date.now() - age_ms).toISOString()
      const anchor = { number, at, previous: 'x', entries: 41 + number, heads: [], key: 'k' }
      const line = JSON.stringify({ ...anchor, signature: `${'A'.repeat(86)}==` })
      return owner.query('insert into audit_anchors (number, at, line) values ($1, $2, $3)', [number, at, line])
    }
    await insert(1, 4 * 3_600_000)
    assertCheck(
      await check(settings),
      'anchors',
      'warn',
      /^anchor 1, of .*, covers 42 entries .* no newer anchor exists/,
    )
    await insert(2, 60_000)
    assertCheck(await check(settings), 'anchors', 'ok', /^anchor 2, of .*, covers 43 entries of the audit log$/)
    await owner.query("update audit_anchor_state set sent_number = 1, send_error = 'status 500'")
    assertCheck(await check(settings), 'anchors', 'warn', /AUDIT_ANCHOR_URL has only anchor 1: status 500: see docs/)
    assertCheck(await check(), 'anchors', 'ok', /^anchor 2/)
    await owner.query("update audit_anchor_state set file_error = 'ENOSPC: no space left on device'")
    assertCheck(
      await check(),
      'anchors',
      'warn',
      /cannot write AUDIT_ANCHOR_FILE: ENOSPC: no space left on device: see docs/,
    )
    assertCheck(await check({ AUDIT_ANCHOR_FILE: 'off' }), 'anchors', 'ok', /^anchor 2/)
  })
})
