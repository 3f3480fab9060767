// Tests the migrations at the start and at an upgrade of the program.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase } from '../../../test/database.ts'
import { LOCK_KEY, MIGRATIONS_DIR, migrate, type Patience, pendingMigrations } from './migrate.ts'
import { planMigrations } from './migration-plan.ts'

const clearUp: (() => Promise<void>)[] = []
after(async () => {
  for (const step of clearUp) await step()
})

const PEOPLE = { '0001_people.sql': 'create table people (name text not null);' }
const TOWNS = { '0002_towns.sql': 'create table towns (name text not null); create index on towns (name);' }

test('a program applies the missing migrations in order, and applies no migration in its second run', async () => {
  const { url, dir } = await setUp({ ...TOWNS, ...PEOPLE })
  assert.deepEqual(await pendingMigrations(url, dir), ['0001_people.sql', '0002_towns.sql'])
  assert.deepEqual(await migrate(url, undefined, dir), ['0001_people.sql', '0002_towns.sql'])
  assert.deepEqual(await migrate(url, undefined, dir), [])
  assert.deepEqual(await pendingMigrations(url, dir), [])

  await writeFile(join(dir, '0003_streets.sql'), 'create table streets (name text);')
  assert.deepEqual(await pendingMigrations(url, dir), ['0003_streets.sql'])
  assert.deepEqual(await migrate(url, undefined, dir), ['0003_streets.sql'])
})

test('twenty processes that start at the same time apply each migration exactly once', async () => {
  const { url, dir } = await setUp({ ...PEOPLE, ...TOWNS })
  const runs = await Promise.all(Array.from({ length: 20 }, () => migrate(url, undefined, dir)))
  assert.deepEqual(runs.flat().sort(), ['0001_people.sql', '0002_towns.sql'])
})

test('the migrations of the repository update an empty database to the newest schema', async () => {
  const database = await createTestDatabase(null)
  clearUp.push(database.drop)
  const applied = await migrate(database.url)
  assert.equal(applied[0], '0001_init.sql')
  assert.deepEqual(await migrate(database.url), [])
})

test('an owner without the right to lock an append-only table migrates, as on PostgreSQL 15', async () => {
  const database = await createTestDatabase(null)
  clearUp.push(database.drop)
  const earlier = await mkdtemp(join(tmpdir(), 'malipo-migrations-'))
  clearUp.push(() => rm(earlier, { recursive: true }))
  for (const name of await readdir(MIGRATIONS_DIR))
    if (name < '0013') await copyFile(join(MIGRATIONS_DIR, name), join(earlier, name))
  await migrate(database.url, undefined, earlier)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    // From PostgreSQL 17 on, MAINTAIN also permits the lock. Without MAINTAIN, the owner has the rights of PostgreSQL 15.
    const { rows: version } = await client.query('show server_version_num')
    if (Number(version[0].server_version_num) >= 170_000)
      await client.query('revoke maintain on ledger_transfers from current_user')
    assert.equal((await migrate(database.url))[0], '0013_booking_order.sql')
    const { rows } = await client.query("select has_table_privilege('ledger_transfers', 'UPDATE') as may_update")
    assert.deepEqual(rows, [{ may_update: false }])
  } finally {
    await client.end()
  }
})

test('a failed migration changes nothing, its error names the file, and the corrected file runs later', async () => {
  const { url, dir } = await setUp({ ...PEOPLE, '0002_broken.sql': 'create table half (a text); select 1/0;' })
  await assert.rejects(migrate(url, undefined, dir), /^Error: migration 0002_broken.sql failed: division by zero$/)
  assert.deepEqual(await tables(url), ['people', 'schema_migrations'])
  assert.deepEqual(await pendingMigrations(url, dir), ['0002_broken.sql'])

  await writeFile(join(dir, '0002_broken.sql'), 'create table half (a text);')
  assert.deepEqual(await migrate(url, undefined, dir), ['0002_broken.sql'])
})

test('a program refuses a changed migration file that a program has already applied', async () => {
  const { url, dir } = await setUp(PEOPLE)
  await migrate(url, undefined, dir)
  await writeFile(join(dir, '0001_people.sql'), 'create table people (name text);')
  const refusal = /0001_people.sql changed after a program applied it/
  await assert.rejects(migrate(url, undefined, dir), refusal)
  await assert.rejects(pendingMigrations(url, dir), refusal)
})

test('a program refuses to start on a database with a newer schema', async () => {
  const { url, dir } = await setUp({ ...PEOPLE, ...TOWNS })
  await migrate(url, undefined, dir)
  await rm(join(dir, '0002_towns.sql'))
  const refusal = /the database has migrations that this version does not support: 0002_towns.sql/
  await assert.rejects(migrate(url, undefined, dir), refusal)
  await assert.rejects(pendingMigrations(url, dir), refusal)
})

test('a program refuses a new migration with a lower number than an applied migration', async () => {
  const { url, dir } = await setUp(TOWNS)
  await migrate(url, undefined, dir)
  await writeFile(join(dir, '0001_people.sql'), 'create table people (name text);')
  await assert.rejects(migrate(url, undefined, dir), /0001_people.sql comes before 0002_towns.sql/)
})

test('a program refuses two migrations with one number, and a migration without a number, before it applies any', async () => {
  const twins = await setUp({ ...PEOPLE, '0001_towns.sql': 'create table towns (name text);' })
  await assert.rejects(migrate(twins.url, undefined, twins.dir), /have the same number/)
  const unnumbered = await setUp({ ...PEOPLE, 'towns.sql': 'create table towns (name text);' })
  await assert.rejects(migrate(unnumbered.url, undefined, unnumbered.dir), /rename the file like/)
  assert.deepEqual(await tables(twins.url), [])
})

test('a migration times out when another transaction locks its table, so that no statement waits long behind the migration', async () => {
  const { url, dir } = await setUp(PEOPLE)
  await migrate(url, undefined, dir)
  await writeFile(join(dir, '0002_age.sql'), "set local lock_timeout = '50ms'; alter table people add column age int;")
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  try {
    await reader.query('begin')
    await reader.query('select * from people')
    await assert.rejects(migrate(url, undefined, dir), /0002_age.sql failed: canceling statement due to lock timeout/)
  } finally {
    await reader.end()
  }
  assert.deepEqual(await migrate(url, undefined, dir), ['0002_age.sql'])
})

/** Makes an empty database and a folder with these migrations. */
async function setUp(files: Record<string, string>): Promise<{ url: string; dir: string }> {
  const database = await createTestDatabase(null)
  const dir = await mkdtemp(join(tmpdir(), 'malipo-migrations-'))
  clearUp.push(database.drop, () => rm(dir, { recursive: true }))
  for (const [name, sql] of Object.entries(files)) await writeFile(join(dir, name), sql)
  return { url: database.url, dir }
}

async function tables(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  )
  await client.end()
  return rows.map(({ name }) => name)
}

const patience = (lines: string[]): Patience => ({
  ...{ lock_timeout_ms: 60, retry_for_ms: 20_000, pause_ms: 20 },
  report: (line) => void lines.push(line),
})

test('a program that repeats migrations waits only shortly for a lock, and names the transaction that holds the lock', async () => {
  const { url, dir } = await setUp(PEOPLE)
  await migrate(url, undefined, dir)
  await writeFile(join(dir, '0002_age.sql'), 'alter table people add column age int;')
  const reader = new pg.Client({ connectionString: url, application_name: 'a-slow-report' })
  await reader.connect()
  const lines: string[] = []
  try {
    await reader.query('begin')
    await reader.query('select * from people')
    const applied = migrate(url, undefined, dir, patience(lines))
    while (!lines.some((line) => line.includes('it waited for process'))) await sleep(20)
    assert.deepEqual(await pendingMigrations(url, dir), ['0002_age.sql'])
    await reader.query('commit')
    assert.deepEqual(await applied, ['0002_age.sql'])
  } finally {
    await reader.end()
  }
  const named = lines.find((line) => line.includes('it waited for')) ?? ''
  assert.match(
    named,
    /^migration 0002_age\.sql failed: canceling statement due to lock timeout \(it waited for process \d+/,
  )
  assert.match(
    named,
    /a-slow-report, in its transaction since [\d:]{8}\): select \* from people\); .* repeats .* in 20 ms$/,
  )
})

const INDEXES = {
  ...PEOPLE,
  '0002_index.sql': `-- outside a transaction
    create unique index concurrently people_name_key on people (lower(name)) where name <> 'X;';`,
}

test('four processes at the same time build the index of a migration exactly once, outside of a transaction', async () => {
  const { url, dir } = await setUp(INDEXES)
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(url, undefined, dir)))
  assert.deepEqual(runs.flat().sort(), ['0001_people.sql', '0002_index.sql'])
})

test('a process that waited while another process applied a migration builds the next index outside of a transaction', async () => {
  const { url, dir } = await setUp(PEOPLE)
  await migrate(url, undefined, dir)
  const age = 'alter table people add column age int;'
  await writeFile(join(dir, '0002_age.sql'), age)
  await writeFile(join(dir, '0003_index.sql'), INDEXES['0002_index.sql'])
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  const lines: string[] = []
  const reported = async (text: string) => {
    while (!lines.some((line) => line.includes(text))) await sleep(5)
  }
  try {
    await other.query('begin')
    await other.query('select * from people')
    const applied = migrate(url, undefined, dir, { ...patience(lines), pause_ms: 1_000 })
    await reported('the program repeats the migration')
    await other.query('select pg_advisory_lock($1)', [LOCK_KEY])
    await reported('another process migrates this database')
    await other.query(age)
    const checksum = createHash('sha256').update(age).digest('hex')
    await other.query(`insert into schema_migrations values ('0002_age.sql', $1, now())`, [checksum])
    await other.query('commit')
    await other.query('select pg_advisory_unlock($1)', [LOCK_KEY])
    assert.deepEqual(await applied, ['0003_index.sql'])
  } finally {
    await other.end()
  }
})

test('a process that waits for its turn keeps no transaction open, so it does not block an index build of another process', async () => {
  const { url, dir } = await setUp({ ...PEOPLE, ...TOWNS })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  try {
    await other.query('select pg_advisory_lock($1)', [LOCK_KEY])
    const lines: string[] = []
    const applied = migrate(url, undefined, dir, patience(lines))
    while (!lines.some((line) => line.includes('another process migrates this database'))) await sleep(5)
    const waiting = `select count(*) filter (where xact_start is null)::int as idle from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query ~ 'pg_try_advisory|rollback'`
    for (let tries = 1; (await other.query(waiting)).rows[0].idle === 0; tries += 1) {
      assert.ok(tries < 1_000, 'the waiting process has a transaction at every look')
      await sleep(5)
    }
    await other.query('select pg_advisory_unlock($1)', [LOCK_KEY])
    assert.deepEqual(await applied, ['0001_people.sql', '0002_towns.sql'])
  } finally {
    await other.end()
  }
})

test('after a failure outside of a transaction, the plan names the half-applied migration, and the next run completes the migration', async () => {
  const { url, dir } = await setUp(PEOPLE)
  await migrate(url, undefined, dir)
  await writeFile(join(dir, '0002_index.sql'), INDEXES['0002_index.sql'])
  await query(url, `insert into people values ('Asha'), ('asha')`)
  await assert.rejects(
    migrate(url, undefined, dir),
    /^Error: migration 0002_index\.sql failed: could not create unique index/,
  )
  const plan = await planMigrations(url, dir)
  assert.deepEqual(plan.half_applied, ['0002_index.sql'])
  assert.deepEqual(plan.pending, ['0002_index.sql'])
  await query(url, `delete from people where name = 'asha'`)
  const lines: string[] = []
  assert.deepEqual(await migrate(url, undefined, dir, patience(lines)), ['0002_index.sql'])
  assert.match(lines.join('\n'), /0002_index\.sql is half applied: the program drops the invalid index people_name_key/)
  assert.deepEqual((await planMigrations(url, dir)).pending, [])
})

test('a program refuses a migration outside of a transaction that does more than build indexes', async () => {
  const { url, dir } = await setUp({ ...PEOPLE, '0002_index.sql': '-- outside a transaction\ndrop table people;' })
  await assert.rejects(migrate(url, undefined, dir), /0002_index\.sql runs outside a transaction, so it may hold only/)
})

test('a plan describes each pending migration and changes nothing', async () => {
  const { url, dir } = await setUp(PEOPLE)
  assert.equal((await planMigrations(url, dir)).previous_version, 'continues', 'no program runs on an empty database')
  assert.deepEqual(await tables(url), [])
  await migrate(url, undefined, dir)
  await writeFile(join(dir, '0013_age.sql'), '-- oldest program: 0001\nalter table people add column age int;')
  assert.deepEqual(await planMigrations(url, dir), {
    pending: ['0013_age.sql'],
    previous_version: 'continues',
    half_applied: [],
    steps: [
      {
        ...{ migration: '0013_age.sql', kind: 'expand', oldest_program: '0001', table: 'people', rows: null },
        ...{ does: 'adds a column', locks: 'blocks reads and writes for a moment' },
      },
    ],
  })
  await writeFile(join(dir, '0014_no_name.sql'), '-- oldest program: 0013\nalter table people drop column name;')
  const plan = await planMigrations(url, dir)
  assert.equal(plan.previous_version, 'must stop first')
  assert.deepEqual(
    plan.steps.map(({ kind }) => kind),
    ['expand', 'contract'],
  )
  assert.deepEqual(await pendingMigrations(url, dir), ['0013_age.sql', '0014_no_name.sql'])
})

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
