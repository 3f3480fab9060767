// Updates a database to the newest schema. Runs the numbered files of db/migrations that the database lacks, one process at a
// time under an advisory lock. Each file is one transaction, except files that build indexes outside of a transaction.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { openClient } from './hosts.ts'
import { splitStatements } from './migration-locks.ts'
import { watchWaits } from './migration-waits.ts'
import { type Reader, sql } from './pool.ts'

/** The absolute path of db/migrations in the program. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../../../../db/migrations', import.meta.url))

/** The key of the advisory lock of migrations. `grantRuntime` takes the same lock. */
export const LOCK_KEY = '7165243380915627'
/**
 * The default of the longest wait of a migration for a table lock in milliseconds. During the wait, later transactions may wait
 * behind the migration.
 */
const LOCK_TIMEOUT_MS = 5_000
/** The pause in milliseconds between two attempts to take the advisory lock. */
const LOCK_EVERY_MS = 100
/**
 * The line of a migration that builds indexes concurrently, outside of a transaction. Such a file has only statements CREATE
 * INDEX CONCURRENTLY. After a failure, the next run drops the invalid indexes and builds the missing indexes.
 */
const OUTSIDE = /^-- outside a transaction$/m
const INDEX_NAME = /^create (?:unique )?index concurrently ([a-z_][a-z0-9_]*) on /i
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
 * Statements that run before a migration, in the same transaction, because an applied file must keep its text. PostgreSQL 15
 * and 16 refuse `lock table` in 0013 to an owner without the UPDATE privilege, which 0001 revoked. 0013 revokes the privilege
 * again.
 */
const BEFORE: Readonly<Record<string, string>> = {
  '0013_booking_order.sql': 'grant update on ledger_transfers to current_user',
}

/** The part of a pino logger that migrations use. */
export type MigrateLog = { info(message: string): void }

/**
 * A migration of a folder. Null as `oldest_program` means that the file is older than that line. Null as `indexes` means that
 * the file is one transaction; otherwise the list has its statements, which run outside of a transaction.
 */
export type Migration = {
  name: string
  sql: string
  checksum: string
  oldest_program: string | null
  indexes: readonly { name: string; statement: string }[] | null
}

/** The limits and pauses of a program that waits for locks while it migrates. */
export type Patience = {
  /** The longest wait for a lock in milliseconds. During the wait, later transactions may wait behind the migration. */
  lock_timeout_ms: number
  /** The longest time in milliseconds for which the program repeats a migration that did not get its lock. */
  retry_for_ms: number
  /** The pause in milliseconds before each repetition of a migration. */
  pause_ms: number
  /** Receives one line about progress, or about the transactions that hold a lock. */
  report(line: string): void
}

/** The limits of a process that starts: one attempt, without reports. */
const AT_START: Patience = { lock_timeout_ms: LOCK_TIMEOUT_MS, retry_for_ms: 0, pause_ms: 0, report: () => {} }

/** An applied migration as the database stores it. Null as `oldest_program` means that the migration names none. */
export type AppliedMigration = { checksum: string; oldest_program: string | null }

/**
 * Runs the missing migrations and returns their names. If a file fails, throws, and the database undoes the file, except
 * indexes that are already built outside of a transaction. If an applied file has changed, or if a newer program made the
 * schema incompatible, throws.
 */
export async function migrate(
  url: string,
  log?: MigrateLog,
  dir = MIGRATIONS_DIR,
  patience = AT_START,
): Promise<string[]> {
  const migrations = await readMigrations(dir)
  return withClient(url, async (client) => {
    const done: string[] = []
    let applied = await readApplied(client)
    const is_new = applied.size === 0
    const newer = newerThan(migrations, applied)
    if (pending(migrations, applied).length > 0) await createList(client, patience)
    while (pending(migrations, applied).length > 0) {
      const name = await applyPatiently(url, client, migrations, patience)
      if (name === null) break
      // For a new database, one line reports all migrations together, because no user waits for a single migration.
      if (!is_new) log?.info(`applied migration ${name}`)
      done.push(name)
      applied = await readApplied(client)
    }
    if (is_new && done.length > 0) log?.info(`made the schema of a new database with ${done.length} migrations`)
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
 * Makes a function that returns the migrations that the database lacks. A newer database lacks no migration. The function reads
 * the file names once, because an upgrade may later replace the files.
 */
export function createMissingMigrations(): (reader: Reader) => Promise<string[]> {
  let known: string[] | null = null
  return async (reader) => {
    known ??= (await readdir(MIGRATIONS_DIR)).filter((name) => FILE_NAME.test(name)).sort()
    const applied = new Set((await reader.query<{ name: string }>(APPLIED)).map(({ name }) => name))
    return known.filter((name) => !applied.has(name))
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Applies the first missing migration. If the migration does not get its locks, repeats it as `patience` allows. Null means
 * that another process has already applied the last migration.
 */
async function applyPatiently(
  url: string,
  client: pg.Client,
  migrations: Migration[],
  patience: Patience,
): Promise<string | null> {
  const give_up = performance.now() + patience.retry_for_ms
  for (;;) {
    const watch = patience.retry_for_ms > 0 ? await watchWaits(url, client) : null
    try {
      return await applyNext(client, migrations, patience)
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } }
      if (cause?.code !== LOCK_NOT_AVAILABLE || performance.now() > give_up) throw error
      const holders = watch?.holders() ?? ''
      patience.report(
        `${(error as Error).message}${holders}; the program repeats the migration in ${patience.pause_ms} ms`,
      )
    } finally {
      await watch?.stop()
    }
    await sleep(patience.pause_ms)
  }
}

/** Applies the first missing migration. Null means that another process has already applied the last migration. */
async function applyNext(client: pg.Client, migrations: Migration[], patience: Patience): Promise<string | null> {
  for (;;) {
    const next = pending(migrations, await readApplied(client))[0]
    if (next === undefined) return null
    const apply = next.indexes === null ? applyInTransaction : applyOutside
    try {
      if (await apply(client, migrations, next, patience)) return next.name
    } catch (error) {
      throw new Error(`migration ${next.name} failed: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
}

/** Under the advisory lock, makes the table of applied migrations. */
async function createList(client: pg.Client, patience: Patience): Promise<void> {
  await transactionOfMigration(client, patience, async () => {
    await client.query(`create table if not exists schema_migrations (
      name       text        not null,
      checksum   text        not null,
      applied_at timestamptz not null,
      constraint schema_migrations_pkey primary key (name)
    )`)
    await client.query('alter table schema_migrations add column if not exists oldest_program text')
  })
}

/** Applies `migration` in one transaction. False means that another process has already applied the migration. */
async function applyInTransaction(
  client: pg.Client,
  migrations: Migration[],
  migration: Migration,
  patience: Patience,
): Promise<boolean> {
  return transactionOfMigration(client, patience, async () => {
    // If another process has applied this migration, the function returns false. The caller then decides how to apply the next
    // migration, because some migrations cannot run in a transaction.
    if (pending(migrations, await readApplied(client))[0] !== migration) return false
    const statement = BEFORE[migration.name]
    if (statement !== undefined) await client.query(statement)
    await client.query(migration.sql)
    await record(client, migration)
    return true
  })
}

/** Runs `work` in one transaction under the advisory lock, with a bounded wait for the locks of tables. */
async function transactionOfMigration<T>(client: pg.Client, patience: Patience, work: () => Promise<T>): Promise<T> {
  try {
    // The function takes the lock before it sets the timeout. So a long migration of another process causes no timeout.
    await beginInTurn(client, patience.report)
    await client.query(`set local lock_timeout = ${patience.lock_timeout_ms}`)
    await client.query('set local statement_timeout = 0')
    // Only a sharded database uses this setting, because schema changes must not run in parallel in such a database.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'")
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {}) // The connection may be lost, and then the rollback fails too.
    throw error
  }
}

/**
 * Begins a transaction with the advisory lock of migrations. While another process has the lock, each attempt is a transaction
 * of its own. CREATE INDEX CONCURRENTLY waits until an older transaction ends, so a waiting transaction would block it.
 */
export async function beginInTurn(client: pg.Client, report: (line: string) => void): Promise<void> {
  await untilTaken(report, async () => {
    await client.query('begin')
    const is_taken = await tryLock(client, 'pg_try_advisory_xact_lock')
    if (!is_taken) await client.query('rollback')
    return is_taken
  })
}

async function tryLock(
  client: pg.Client,
  take: 'pg_try_advisory_lock' | 'pg_try_advisory_xact_lock',
): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${take}(${LOCK_KEY}) as taken`)
  return rows[0]?.taken === true
}

async function untilTaken(report: (line: string) => void, take: () => Promise<boolean>): Promise<void> {
  for (let reported = false; !(await take()); reported = true) {
    if (!reported) report('another process migrates this database; this process waits for it')
    await sleep(LOCK_EVERY_MS)
  }
}

/**
 * Builds the indexes of a migration while writes run. First drops the invalid indexes that a failure left. False means that
 * another process has already applied the migration.
 */
async function applyOutside(
  client: pg.Client,
  migrations: Migration[],
  migration: Migration,
  patience: Patience,
): Promise<boolean> {
  await untilTaken(patience.report, () => tryLock(client, 'pg_try_advisory_lock'))
  try {
    if (pending(migrations, await readApplied(client))[0] !== migration) return false
    await client.query(`set lock_timeout = ${patience.lock_timeout_ms}`)
    await client.query('set statement_timeout = 0')
    for (const { name, statement } of migration.indexes ?? []) {
      const state = await indexState(client, name)
      if (state === 'invalid') {
        patience.report(
          `${migration.name} is half applied: the program drops the invalid index ${name} and builds it again`,
        )
        await client.query(`drop index concurrently ${name}`)
      }
      if (state === 'valid') continue
      patience.report(`${migration.name}: builds the index ${name}`)
      await client.query(statement)
    }
    await record(client, migration)
    return true
  } finally {
    await client.query('reset lock_timeout').catch(() => {}) // The connection may be lost, and then the statement fails too.
    await client.query(`select pg_advisory_unlock(${LOCK_KEY})`).catch(() => {})
  }
}

/** Returns the state of an index. An interrupted CREATE INDEX CONCURRENTLY leaves an invalid index. */
export async function indexState(client: pg.Client, name: string): Promise<'missing' | 'valid' | 'invalid'> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'select indisvalid from pg_index where indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0] === undefined) return 'missing'
  return rows[0].indisvalid ? 'valid' : 'invalid'
}

async function record(client: pg.Client, { name, checksum, oldest_program }: Migration): Promise<void> {
  await client.query(
    `insert into schema_migrations (name, checksum, applied_at, oldest_program)
     values ($1, $2, statement_timestamp(), $3)`,
    [name, checksum, oldest_program],
  )
}

/** Returns the applied migrations of a newer program, which this program does not have. */
function newerThan(migrations: Migration[], applied: Map<string, AppliedMigration>): string[] {
  const known = new Set(migrations.map(({ name }) => name))
  return [...applied.keys()].filter((name) => !known.has(name)).sort()
}

/**
 * Compares the files with the database, and returns the migrations that the database lacks. If the files contradict the
 * database, throws.
 */
export function pending(migrations: Migration[], applied: Map<string, AppliedMigration>): Migration[] {
  const own = migrations.at(-1)?.name.slice(0, 4) ?? ''
  const refused = newerThan(migrations, applied).filter((name) => (applied.get(name)?.oldest_program ?? '9999') > own)
  if (refused.length > 0) {
    throw new Error(
      `the database has migrations that this version does not support: ${refused.join(', ')}; start a newer version`,
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

/** Reads the migrations of a folder in their order. If a file breaks a rule, throws. */
export async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const name of names) {
    if (!FILE_NAME.test(name))
      throw new Error(
        `${join(dir, name)} has a name without the form of a migration: rename the file like 0001_what_it_does.sql`,
      )
    const twin = migrations.at(-1)
    if (twin?.name.slice(0, 4) === name.slice(0, 4))
      throw new Error(`${twin.name} and ${name} have the same number: give one of the two files a new number`)
    const sql = await readFile(join(dir, name), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    migrations.push({ name, sql, checksum, oldest_program: oldestProgram(name, sql), indexes: indexesOf(name, sql) })
  }
  return migrations
}

/**
 * Returns the statements of a file that builds indexes outside of a transaction. Null means that the file is one transaction.
 */
function indexesOf(file: string, sql: string): Migration['indexes'] {
  if (!OUTSIDE.test(sql)) return null
  return splitStatements(sql).map((statement) => {
    const name = INDEX_NAME.exec(statement)?.[1]
    if (name === undefined)
      throw new Error(
        `${file} runs outside a transaction, so it may hold only statements "create index concurrently NAME on ...": move other statements to another file`,
      )
    return { name, statement }
  })
}

/**
 * Returns the oldest program that a migration names. Null means that the migration is older than this rule. If a newer
 * migration names none, or a migration names a later program than itself, throws.
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
export async function readApplied(client: pg.Client): Promise<Map<string, AppliedMigration>> {
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

/** Runs `work` on a separate connection, and closes the connection. If the database is unreachable, throws. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
