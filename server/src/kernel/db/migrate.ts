// Updates a database to the newest schema: runs the numbered files of db/migrations that the database lacks, forwards only. Each file is
// one transaction under one advisory lock. If several processes start at once, one migrates, and the others find no missing file.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Reader, sql } from './pool.ts'

/** The folder of the migrations. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../../../../db/migrations', import.meta.url))

/** The key of the advisory lock: an arbitrary number that no other code uses in this database. */
export const LOCK_KEY = '7165243380915627'
/**
 * The longest wait of a migration for a table lock. During the wait, every later reader of the table waits behind the
 * migration.
 */
const LOCK_TIMEOUT_MS = 5_000
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/
/**
 * The line of a migration that names the oldest compatible program. Programs with this number or a later number can use the
 * schema.
 */
const OLDEST_PROGRAM = /^-- oldest program: (\d{4})$/m
/**
 * Each migration from this number on must name the oldest compatible program. Programs before this number never ran on a
 * newer schema.
 */
const FIRST_WITH_OLDEST_PROGRAM = '0013'

/**
 * Statements that run before a migration, in the same transaction. A file that a database has applied must keep its text, so
 * a correction of such a file is here. PostgreSQL 15 and 16 refuse `lock table` in 0013 to an owner without the UPDATE
 * privilege, which 0001 revoked. 0013 itself revokes the privilege again.
 */
const BEFORE: Readonly<Record<string, string>> = {
  '0013_booking_order.sql': 'grant update on ledger_transfers to current_user',
}

/** The part of a pino logger that migrations use. */
export type MigrateLog = { info(message: string): void }

type Migration = { name: string; sql: string; checksum: string; oldest_program: string | null }

/** An applied migration as the database stores it. */
type AppliedMigration = { checksum: string; oldest_program: string | null }

/**
 * Runs the missing migrations and returns their names. If a file fails, the database undoes that file and the function
 * throws. If an applied file has changed, or a newer program made the schema incompatible, throws.
 */
export async function migrate(url: string, log?: MigrateLog, dir = MIGRATIONS_DIR): Promise<string[]> {
  const migrations = await readMigrations(dir)
  return withClient(url, async (client) => {
    const done: string[] = []
    let applied = await readApplied(client)
    const newer = newerThan(migrations, applied)
    while (pending(migrations, applied).length > 0) {
      const name = await applyNext(client, migrations)
      if (name === null) break
      log?.info(`applied migration ${name}`)
      done.push(name)
      applied = await readApplied(client)
    }
    if (newer.length > 0) {
      log?.info(`a newer program migrated this database (${newer.join(', ')}); this program runs on that schema too`)
    }
    return done
  })
}

/** Returns the migrations that this database lacks. If program and database are incompatible, throws like `migrate`. */
export async function pendingMigrations(url: string, dir = MIGRATIONS_DIR): Promise<string[]> {
  const migrations = await readMigrations(dir)
  return withClient(url, async (client) => pending(migrations, await readApplied(client)).map(({ name }) => name))
}

const APPLIED = sql('applied_migrations', 'select name from schema_migrations')

/**
 * Makes a function that returns the migrations that the database lacks. A newer database lacks no migration. The function
 * reads the files once, because the files may later belong to another program.
 */
export function createMissingMigrations(): (reader: Reader) => Promise<string[]> {
  let known: string[] | null = null
  return async (reader) => {
    known ??= (await readdir(MIGRATIONS_DIR)).filter((name) => FILE_NAME.test(name)).sort()
    const applied = new Set((await reader.query<{ name: string }>(APPLIED)).map(({ name }) => name))
    return known.filter((name) => !applied.has(name))
  }
}

/** Applies the first missing migration. If another process has already applied the last migration, returns null. */
async function applyNext(client: pg.Client, migrations: Migration[]): Promise<string | null> {
  await client.query('begin')
  let name: string | null = null
  try {
    // The function takes the lock before it sets the timeout. So a long migration of another process causes no timeout.
    await client.query(`select pg_advisory_xact_lock(${LOCK_KEY})`)
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query('set local statement_timeout = 0')
    // Only a sharded database uses this setting, because schema changes must not run in parallel there.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'")
    await client.query(`create table if not exists schema_migrations (
      name       text        not null,
      checksum   text        not null,
      applied_at timestamptz not null,
      constraint schema_migrations_pkey primary key (name)
    )`)
    await client.query('alter table schema_migrations add column if not exists oldest_program text')
    const next = pending(migrations, await readApplied(client))[0]
    if (next !== undefined) {
      name = next.name
      const statement = BEFORE[next.name]
      if (statement !== undefined) await client.query(statement)
      await client.query(next.sql)
      await client.query(
        `insert into schema_migrations (name, checksum, applied_at, oldest_program)
         values ($1, $2, statement_timestamp(), $3)`,
        [next.name, next.checksum, next.oldest_program],
      )
    }
    await client.query('commit')
    return name
  } catch (error) {
    await client.query('rollback').catch(() => {}) // The connection itself may be lost.
    if (name === null) throw error
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** Returns the applied migrations of a newer program, which this program does not have. */
function newerThan(migrations: Migration[], applied: Map<string, AppliedMigration>): string[] {
  const known = new Set(migrations.map(({ name }) => name))
  return [...applied.keys()].filter((name) => !known.has(name)).sort()
}

/** Compares the files with the database. If the files contradict the database, throws. */
function pending(migrations: Migration[], applied: Map<string, AppliedMigration>): Migration[] {
  const own = migrations.at(-1)?.name.slice(0, 4) ?? ''
  const refused = newerThan(migrations, applied).filter((name) => (applied.get(name)?.oldest_program ?? '9999') > own)
  if (refused.length > 0) {
    throw new Error(
      `the database is newer than this program: this version cannot run on ${refused.join(', ')}; start a newer version`,
    )
  }
  const newest = [...applied.keys()].sort().at(-1) ?? ''
  const missing: Migration[] = []
  for (const migration of migrations) {
    const checksum = applied.get(migration.name)?.checksum
    if (checksum === undefined) {
      if (migration.name < newest) {
        throw new Error(
          `migration ${migration.name} comes before ${newest}, which this database already has: give the new file a later number`,
        )
      }
      missing.push(migration)
    } else if (checksum !== migration.checksum) {
      throw new Error(
        `migration ${migration.name} changed after a program applied it: restore the file and add a new file for the change`,
      )
    }
  }
  return missing
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const name of names) {
    if (!FILE_NAME.test(name)) throw new Error(`${join(dir, name)}: rename the file like 0001_what_it_does.sql`)
    const twin = migrations.at(-1)
    if (twin?.name.slice(0, 4) === name.slice(0, 4))
      throw new Error(`${twin.name} and ${name} have the same number: give one of the two files a new number`)
    const sql = await readFile(join(dir, name), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    migrations.push({ name, sql, checksum, oldest_program: oldestProgram(name, sql) })
  }
  return migrations
}

/**
 * Returns the oldest program that a migration names. Null means that the migration is older than this rule. If a later
 * migration names no program, throws.
 */
function oldestProgram(name: string, sql: string): string | null {
  const number = name.slice(0, 4)
  const oldest = OLDEST_PROGRAM.exec(sql)?.[1] ?? null
  if (oldest === null && number >= FIRST_WITH_OLDEST_PROGRAM) {
    throw new Error(
      `${name} needs a line "-- oldest program: NNNN": the newest migration of the last release if that release runs on this schema, otherwise ${number}`,
    )
  }
  if (oldest !== null && oldest > number)
    throw new Error(
      `${name} names ${oldest}, which is later than the file, as its oldest program: name an earlier number`,
    )
  return oldest
}

/**
 * Returns the applied migrations by name. A new database has no applied migration. Programs before 0013 stored no
 * `oldest_program`.
 */
async function readApplied(client: pg.Client): Promise<Map<string, AppliedMigration>> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = to_regclass('schema_migrations') and attname in ('name', 'oldest_program')`,
  )
  if (columns.length === 0) return new Map()
  const oldest = columns.length === 2 ? 'oldest_program' : 'null'
  const { rows } = await client.query<AppliedMigration & { name: string }>(
    `select name, checksum, ${oldest} as oldest_program from schema_migrations order by name`,
  )
  return new Map(rows.map(({ name, ...migration }) => [name, migration]))
}

/** Runs `work` on a connection of its own, and closes the connection. If the database is unreachable, throws. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // A lost connection also rejects the statement in progress.
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
