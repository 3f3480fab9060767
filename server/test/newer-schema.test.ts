// Tests that the previous version of the product starts on a database that the newer version has migrated. An operator can thus
// return to the previous version.

import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { MIGRATIONS_DIR, migrate, pendingMigrations } from '../src/kernel/db/migrate.ts'
import { createTestDatabase } from './database.ts'
import { createWorld } from './harness.ts'

const NEWER = '9998_newer.sql'
const CHANGES = `create table notes (id uuid not null, constraint notes_pkey primary key (id));
  alter table collections add column note text;
  alter table collection_attempts add column weight int not null default 1;
  create index collections_note_idx on collections (merchant_id, note) where note is not null;`

test('this version starts and settles a payment on a compatible schema of a newer version', async (t) => {
  const { url } = await migratedByNewer(t, `-- Why.\n-- oldest program: ${await newestNumber()}\n${CHANGES}`)
  const lines: string[] = []
  assert.deepEqual(await migrate(url, { info: (line) => void lines.push(line) }), [])
  assert.deepEqual(await pendingMigrations(url), [])
  assert.match(lines.join('\n'), /^a newer program migrated this database \(9998_newer\.sql\); this program runs/)

  const world = await createWorld({ url })
  try {
    assert.equal((await world.call({ method: 'GET', url: '/readyz', key: null })).status, 200)
    const made = await world.post('/v1/collections/wallet-push', { amount: '1500', phone: '0754123001' })
    assert.equal(made.status, 202)
    await world.pass(3_000)
    const read = await world.get(`/v1/collections/${made.body.data.collection_id}`)
    assert.equal(read.body.data.status, 'successful')
  } finally {
    await world.close()
  }
})

test('migrate and pendingMigrations refuse an incompatible schema of a newer version, and state the reason', async (t) => {
  const refusal =
    /the database has migrations that this version does not support: 9998_newer\.sql.*start a newer version/
  for (const oldest of [String(Number(await newestNumber()) + 1).padStart(4, '0'), '9998']) {
    const { url } = await migratedByNewer(t, `-- Why.\n-- oldest program: ${oldest}\n${CHANGES}`)
    await assert.rejects(migrate(url), refusal)
    await assert.rejects(pendingMigrations(url), refusal)
  }
})

test('migrate refuses a new migration that does not name the oldest program for its schema', async (t) => {
  const { url, dir } = await migratedByNewer(t, `-- Why.\n-- oldest program: ${await newestNumber()}\n${CHANGES}`)
  const file = '9999_silent.sql'
  await writeFile(join(dir, file), '-- Why.\ncreate table silent (id uuid);')
  await assert.rejects(migrate(url, undefined, dir), /9999_silent\.sql needs a line "-- oldest program: NNNN"/)
  await writeFile(join(dir, file), '-- Why.\n-- oldest program: 0012\ncreate table silent (id uuid);')
  assert.deepEqual(await migrate(url, undefined, dir), [file])
})

test('no migration adds a required column that an older version, which may still run, does not fill', async (t) => {
  assert.deepEqual(await requiredOfOlder(t, MIGRATIONS_DIR), [])
})

test('the check finds each required column that the oldest program of a migration does not fill', async (t) => {
  const { dir } = await newerDir(
    t,
    '-- Why.\n-- oldest program: 0012\nalter table collections add column a text not null;\n' +
      "alter table collections add column b text not null default '';\ncreate table c (d text not null);",
  )
  assert.deepEqual(await requiredOfOlder(t, dir), [
    '9998_newer.sql: collections.a is required, and 0012 does not fill it',
    '9998_newer.sql: webhook_configs.environment is required, and 0012 does not fill it',
  ])
})

/** Returns the required columns without a default that newer migrations add to the tables of the oldest permitted program. */
async function requiredOfOlder(t: TestContext, dir: string): Promise<string[]> {
  const database = await createTestDatabase(null)
  const step = await mkdtemp(join(tmpdir(), 'malipo-steps-'))
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
    await rm(step, { recursive: true })
  })
  const schemas = new Map<string, Map<string, boolean>>()
  const problems: string[] = []
  for (const name of (await readdir(dir)).sort()) {
    await cp(join(dir, name), join(step, name))
    await migrate(database.url, undefined, step)
    const columns = await readColumns(client)
    const number = name.slice(0, 4)
    schemas.set(number, columns)
    const oldest = /^-- oldest program: (\d{4})$/m.exec(await readFile(join(dir, name), 'utf8'))?.[1] ?? number
    const before = schemas.get(
      [...schemas.keys()].filter((known) => known <= oldest).at(-1) as string,
    ) as typeof columns
    const tables = new Set([...before.keys()].map((column) => column.split('.')[0]))
    for (const [column, required] of columns) {
      if (required && !before.has(column) && tables.has(column.split('.')[0]))
        problems.push(`${name}: ${column} is required, and ${oldest} does not fill it`)
    }
  }
  return problems
}

/** Returns each column as table.column, with true if an insert must name the column. */
async function readColumns(client: pg.Client): Promise<Map<string, boolean>> {
  const { rows } = await client.query<{ name: string; required: boolean }>(
    `select c.relname || '.' || a.attname as name,
       a.attnotnull and not a.atthasdef and a.attidentity = '' as required
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
     order by name`,
  )
  return new Map(rows.map(({ name, required }) => [name, required]))
}

const newestNumber = async () => ((await readdir(MIGRATIONS_DIR)).sort().at(-1) as string).slice(0, 4)

/** Makes a folder with the migrations of this version and of a newer version. */
async function newerDir(t: TestContext, text: string): Promise<{ dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'malipo-newer-'))
  t.after(() => rm(dir, { recursive: true }))
  await cp(MIGRATIONS_DIR, dir, { recursive: true })
  await writeFile(join(dir, NEWER), text)
  return { dir }
}

/** Makes a database that a program with one additional migration has migrated. */
async function migratedByNewer(t: TestContext, text: string): Promise<{ url: string; dir: string }> {
  const { dir } = await newerDir(t, text)
  const database = await createTestDatabase(null)
  t.after(database.drop)
  await migrate(database.url, undefined, dir)
  return { url: database.url, dir }
}
