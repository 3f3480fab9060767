// Tests the pool behind a connection pooler in transaction mode: no statement may depend on a session. `npm run pgbouncer`
// tests the product with PgBouncer.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { ConfigError, withPooler } from '../lib/index.ts'
import { createDb, type DbOptions, requireSession, sql } from './index.ts'
import { withClient } from './migrate.ts'
import { CONNECT_QUERY, SESSION_SETTINGS } from './session-settings.ts'

const SOURCES = fileURLToPath(new URL('../../', import.meta.url))
const INI = fileURLToPath(new URL('../../../../deploy/pgbouncer/pgbouncer.ini', import.meta.url))

let database: TestDatabase
const closers: (() => Promise<void>)[] = []
before(async () => {
  database = await createTestDatabase(null)
  closers.push(database.drop)
})
after(async () => {
  for (const close of closers.reverse()) await close()
})

function open(options: Partial<DbOptions> = {}) {
  const db = createDb({ url: withPooler(database.url), max_connections: 1, ...options })
  closers.push(() => db.close())
  return db
}

const PREPARED = sql('prepared', 'select name from pg_prepared_statements where $1::int = 1')
const setting = (name: string) => sql(`show_${name}`, `select current_setting('${name}') as value`)

test('behind a pooler, the pool leaves no prepared statement and no setting in the session', async () => {
  const db = open()
  await db.query(PREPARED, [1])
  await db.transaction((tx) => tx.query(PREPARED, [1]))
  assert.deepEqual(await db.query(PREPARED, [1]), [])
  assert.deepEqual(await db.query(setting('statement_timeout')), [{ value: '0' }])
  const direct = createDb({ url: database.url, max_connections: 1 })
  closers.push(() => direct.close())
  assert.deepEqual(
    await direct.query(PREPARED, [1]),
    [{ name: 'prepared' }],
    'without a pooler, statements are prepared',
  )
})

test('the server refuses to start while the sessions lack its settings, and names the remedy', async () => {
  const refusal = (text: RegExp) => (error: Error) => error instanceof ConfigError && text.test(error.message)
  await assert.rejects(requireSession(open(), true), refusal(/Copy connect_query of deploy\/pgbouncer\/pgbouncer\.ini/))
  await assert.rejects(requireSession(open(), false), refusal(/set DATABASE_POOLER=transaction/))
  const direct = createDb({ url: database.url, max_connections: 1 })
  closers.push(() => direct.close())
  await requireSession(direct, false)
})

test('the file for PgBouncer sets the session settings of the server, and a report changes the settings for its own transaction only', async () => {
  assert.ok(readFileSync(INI, 'utf8').includes(`connect_query='${CONNECT_QUERY}'`), CONNECT_QUERY)
  const name = new URL(database.url).pathname.slice(1)
  await withClient(database.url, async (client) => {
    for (const [setting, value] of Object.entries(SESSION_SETTINGS))
      await client.query(`alter database ${name} set ${setting} to '${value}'`)
  })
  const db = open()
  await requireSession(db, true)
  const report = open({ reporting: true })
  const limited = open({ reporting: true, statement_ms: 60_000 })
  const seen = async (session: typeof db) => [
    ...(await session.query(setting('statement_timeout'))),
    ...(await session.query(setting('enable_seqscan'))),
  ]
  assert.deepEqual(await seen(db), [{ value: '10s' }, { value: 'off' }])
  assert.equal((await report.query<{ value: string }>(setting('statement_timeout')))[0]?.value, '0')
  assert.equal((await limited.query<{ value: string }>(setting('statement_timeout')))[0]?.value, '1min')
  await report.session(async (session) =>
    assert.deepEqual(await session.query(setting('statement_timeout')), [{ value: '10s' }]),
  )
})

test('only migrations, the embedded database and its backup use statements that need a session of their own', () => {
  const bound =
    /pg_(?:try_)?advisory_(?:lock|unlock)|create temp|cursor for|[`'"]listen \w+[`'"]|[`'"](?:re)?set (?!local|transaction)\w+ (?:=|to) /i
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const found = files.filter((file) =>
    readFileSync(join(SOURCES, file), 'utf8')
      .split('\n')
      .some((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && bound.test(line)),
  )
  assert.deepEqual(found.sort(), ['kernel/backup/make.ts', 'kernel/db/embedded.ts', 'kernel/db/migrate.ts'])
})
