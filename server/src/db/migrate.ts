/**
 * Brings a database to the newest schema: runs the numbered files of db/migrations that it has not seen, forwards only.
 *
 * Each file is one transaction under one advisory lock. Any number of processes may start at once: whichever comes
 * first does the work, the others wait and then find nothing to do.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** Where the migrations of this repository are. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../../../db/migrations', import.meta.url))

/** Any number will do, as long as nothing else in this database uses it. */
const LOCK_KEY = '7165243380915627'
/** A migration that waits for a table lock makes all later readers of that table wait behind it. */
const LOCK_TIMEOUT_MS = 5_000
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/

/** The part of a logger used here; pino's fits. */
export type MigrateLog = { info(message: string): void }

type Migration = { name: string; sql: string; checksum: string }

/**
 * Runs the missing migrations and returns their names. Throws an Error that names the file when one fails (nothing of
 * that file remains), when an applied file has been changed, or when the database is newer than this code.
 */
export async function migrate(url: string, log?: MigrateLog, dir = MIGRATIONS_DIR): Promise<string[]> {
  const migrations = await readMigrations(dir)
  return withClient(url, async (client) => {
    const done: string[] = []
    while (pending(migrations, await readApplied(client)).length > 0) {
      const name = await applyNext(client, migrations)
      if (name === null) break
      log?.info(`applied migration ${name}`)
      done.push(name)
    }
    return done
  })
}

/** The migrations this database still lacks. Throws like `migrate` when code and database do not fit together. */
export async function pendingMigrations(url: string, dir = MIGRATIONS_DIR): Promise<string[]> {
  const migrations = await readMigrations(dir)
  return withClient(url, async (client) => pending(migrations, await readApplied(client)).map(({ name }) => name))
}

/** Applies the first missing migration; null when another process has meanwhile applied the last one. */
async function applyNext(client: pg.Client, migrations: Migration[]): Promise<string | null> {
  await client.query('begin')
  let name: string | null = null
  try {
    // Before the timeout: waiting for another process's migration is no failure.
    await client.query(`select pg_advisory_xact_lock(${LOCK_KEY})`)
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query('set local statement_timeout = 0')
    // Without meaning on a single server; on a sharded one, schema changes must not run in parallel.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'")
    await client.query(`create table if not exists schema_migrations (
      name       text        not null,
      checksum   text        not null,
      applied_at timestamptz not null,
      constraint schema_migrations_pkey primary key (name)
    )`)
    const next = pending(migrations, await readApplied(client))[0]
    if (next !== undefined) {
      name = next.name
      await client.query(next.sql)
      await client.query(
        'insert into schema_migrations (name, checksum, applied_at) values ($1, $2, statement_timestamp())',
        [next.name, next.checksum],
      )
    }
    await client.query('commit')
    return name
  } catch (error) {
    await client.query('rollback').catch(() => {}) // the connection itself may be gone
    if (name === null) throw error
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** Compares files and database. Throws when they contradict each other. */
function pending(migrations: Migration[], applied: Map<string, string>): Migration[] {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new Error(`the database is newer than this program: it has had ${unknown.join(', ')}; start a newer version`)
  }
  const newest = [...applied.keys()].sort().at(-1) ?? ''
  const missing: Migration[] = []
  for (const migration of migrations) {
    const checksum = applied.get(migration.name)
    if (checksum === undefined) {
      if (migration.name < newest) {
        throw new Error(`migration ${migration.name} comes before ${newest}, which is applied: give it a later number`)
      }
      missing.push(migration)
    } else if (checksum !== migration.checksum) {
      throw new Error(`migration ${migration.name} was changed after it was applied: restore it and add a new file`)
    }
  }
  return missing
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const name of names) {
    if (!FILE_NAME.test(name)) throw new Error(`${join(dir, name)}: migrations are named like 0001_what_it_does.sql`)
    const twin = migrations.at(-1)
    if (twin?.name.slice(0, 4) === name.slice(0, 4)) throw new Error(`${twin.name} and ${name} have the same number`)
    const sql = await readFile(join(dir, name), 'utf8')
    migrations.push({ name, sql, checksum: createHash('sha256').update(sql).digest('hex') })
  }
  return migrations
}

/** Name and checksum of what has been applied; empty for a new database. */
async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const table = await client.query<{ found: boolean }>("select to_regclass('schema_migrations') is not null as found")
  if (table.rows[0]?.found !== true) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // a lost connection also rejects the statement under way
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
