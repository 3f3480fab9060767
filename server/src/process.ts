// Builds the dependencies of a real process from its settings, its database and its secret keys. Also migrates databases, opens
// restored databases, and gathers the input of `admin doctor`.

import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PROVIDERS } from './adapters/providers/registry.ts'
import type { Restored } from './apps/admin/backup.ts'
import type { RestoreRequest } from './apps/admin/commands.ts'
import type { DoctorInput } from './apps/admin/doctor-result.ts'
import type { ConfigCheck } from './apps/admin/standalone.ts'
import { backupKeyOf, isUnreleased, recoverDatabase, removeUnreleased } from './kernel/backup/index.ts'
import { findEmbedded, startEmbedded } from './kernel/db/embedded.ts'
import {
  connectionRisk,
  createDb,
  type DatabaseVersion,
  type Db,
  type Deps,
  FIND_THE_KEY,
  followDatabase,
  grantRuntime,
  holdsSealed,
  judgeVersion,
  openReadReplica,
  openVault,
  type Reader,
  type ReadReplica,
  realFolder,
  tryLockFolder,
  uncheckedVault,
} from './kernel/db/index.ts'
import { MIGRATIONS_DIR, migrate, pendingMigrations, readMigrations, withClient } from './kernel/db/migrate.ts'
import { createTracing, findServerPort } from './kernel/http/index.ts'
import {
  adminCommand,
  applyReload,
  type Config,
  ConfigError,
  effectiveSettings,
  fileSettings,
  type GivenSettings,
  gatherSettings,
  type Log,
  type Metrics,
  noPoint,
  parseSecretKeys,
  readConfig,
  SECRET_KEY_BYTES,
  splitDatabaseUrl,
  systemClock,
  systemRandom,
  textLog,
  unknownSettings,
  type Vault,
  withPooler,
} from './kernel/lib/index.ts'
import { createMetrics } from './kernel/lib/metrics-registry.ts'

/** The file of DATA_DIR with the secret keys. If SECRET_KEY is set, the process does not read the file. */
const KEY_FILE = 'secret.key'

/** The environment at the start of this process. Later changes of `process.env` do not change this copy. */
const OWN_ENVIRONMENT = { ...process.env }

/**
 * Reads the settings of this process from its environment and from the file of settings, and sets NODE_ENV of the process to
 * the read value. If the file is invalid, throws a ConfigError.
 */
export function givenSettings(): GivenSettings {
  try {
    const given = gatherSettings(OWN_ENVIRONMENT, '.')
    const { NODE_ENV } = given.values
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
    return given
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/**
 * Reads the configuration of this process from its environment, and from the file of settings for missing variables. With the
 * embedded database, webhooks may by default go to private addresses. `options` are those of `readConfig`. If the settings are
 * invalid or their file is exposed, throws a ConfigError.
 */
export function configFromEnvironment(options: Parameters<typeof readConfig>[2] = {}): Config {
  const given = givenSettings()
  const exposed = exposedFile(given)
  if (exposed !== null) throw new ConfigError(exposed)
  const config = readConfig(given.values, PROVIDERS, options)
  if (config.node_env === 'production') requireSafeConnection(config)
  return { ...config, webhook_allow_private: config.webhook_allow_private ?? config.database_url === '' }
}

/**
 * Returns the configuration of a command with the port of the server that runs with the same DATA_DIR. If no server runs, or
 * the settings name a PORT other than 0, returns the configuration unchanged.
 */
export async function atServerPort(config: Config): Promise<Config> {
  const { PORT = '' } = givenSettings().values
  if (PORT !== '' && PORT !== '0') return config
  const port = await findServerPort(resolve(config.data_dir))
  return port === null ? config : { ...config, port }
}

/**
 * Describes a file of settings with secrets that every user of the machine can read or change. Null means that there is no such
 * file. A file .env is for development, so the function does not check it.
 */
function exposedFile({ path, exposure, from_file, values }: GivenSettings): string | null {
  if (path === null || exposure === null || basename(path) === '.env') return null
  const secret = fileSettings(PROVIDERS).find((name) => from_file.has(name) && values[name])
  if (secret === undefined) return null
  return `${secret} must not be in a file that every user can read or change: ${path} has the permissions ${exposure}. Run: chmod 640 ${path}`
}

/** Returns one line for each name that looks like a setting but has no effect. */
export function unknownNameLines(given: GivenSettings): string[] {
  return unknownSettings(given, PROVIDERS).map(({ name, where, nearest, of_driver }) => {
    if (of_driver)
      return `${name} of ${where} has no effect, because the database driver reads it only from the environment. Write its value into DATABASE_URL, or set ${name} in the environment of the process`
    return `${name} of ${where} is no setting and has no effect${nearest === null ? ': remove it' : `; the nearest setting is ${nearest}`}`
  })
}

/** Gathers the input of `admin doctor`. The caller calls `close`, which closes the connections to the database. */
export async function gatherDoctorInput(
  send_test_to: string | null,
): Promise<DoctorInput & { close(): Promise<void> }> {
  const input = { unknown_names: [], send_test_to, clock: systemClock, must_separate: false, folders: [] }
  const none = { reader: null, replica: null, pending: async () => [], close: async () => {} }
  let config: Config
  try {
    config = await atServerPort(configFromEnvironment())
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { ...input, ...none, config: null, config_problems: error.message.split('\n'), no_database: '' }
  }
  const is_embedded = config.database_url === ''
  const found = {
    ...input,
    config,
    config_problems: [],
    unknown_names: unknownNameLines(givenSettings()),
    must_separate: is_embedded || config.migration_database_url !== '',
    no_database: `the embedded database in ${resolve(config.data_dir)} does not run: start the server`,
  }
  const url = is_embedded ? await findEmbedded(config.data_dir, 'runtime').catch(() => null) : serverUrl(config)
  if (url === null) return { ...found, ...none }
  const reader = createDb({ url, max_connections: 1, application_name: 'malipo doctor' })
  const read_url = config.database_read_url
  const replica =
    read_url === '' ? null : createDb({ url: read_url, max_connections: 1, application_name: 'malipo doctor' })
  const close = async () => void (await Promise.all([reader.close(), replica?.close()]))
  return { ...found, reader, replica, pending: () => pendingMigrations(url), close }
}

/**
 * Returns the effective settings of the server with their sources, and the problems. The function opens no connection.
 */
export function reportConfig(): ConfigCheck {
  let given: GivenSettings
  try {
    given = givenSettings()
  } catch (error) {
    return { ok: false, file: null, settings: [], problems: [(error as Error).message] }
  }
  const problems: string[] = []
  try {
    configFromEnvironment()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.message.split('\n'))
  }
  problems.push(...unknownNameLines(given))
  return { ok: problems.length === 0, file: given.path, settings: effectiveSettings(given, PROVIDERS), problems }
}

/**
 * Reads the settings again, and applies the settings that need no restart. If the settings are invalid, logs the problems and
 * changes nothing.
 */
export function reloadSettings(config: Config, log: Log & { level: string }): void {
  let next: Config
  try {
    next = configFromEnvironment()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problem = error.message
    log.error({ component: 'process', problem }, 'the process keeps its settings, because the new settings are invalid')
    return
  }
  for (const problem of unknownNameLines(givenSettings())) {
    log.warn(
      { component: 'process', problem },
      'a name looks like a setting, but is no setting of the server: correct or remove the name',
    )
  }
  const { applied, needs_restart } = applyReload(config, next, PROVIDERS)
  log.level = config.log_level
  log.info({ component: 'process', settings: applied }, 'the process read its settings again and applied these')
  if (needs_restart.length > 0) {
    log.warn(
      { component: 'process', settings: needs_restart },
      'these settings have changed: restart the process to apply them',
    )
  }
}

/**
 * Returns true if SIGHUP reloads the settings: in production, or with a file of settings other than .env. In other cases SIGHUP
 * means that the terminal has closed, and the process stops.
 */
export function reloadsOnHangup(config: Config): boolean {
  const { path } = givenSettings()
  return config.node_env === 'production' || (path !== null && basename(path) !== '.env')
}

/**
 * If other machines can read or change the traffic to the database, throws a ConfigError. The check comes before the first
 * connection, which sends a password.
 */
function requireSafeConnection(config: Config): void {
  const { database_url, migration_database_url, database_read_url } = config
  if (config.database_tls_not_needed) return
  for (const [name, url] of Object.entries({
    DATABASE_URL: database_url,
    MIGRATION_DATABASE_URL: migration_database_url,
    DATABASE_READ_URL: database_read_url,
  })) {
    const risk = connectionRisk(url)
    if (risk === null) continue
    throw new ConfigError(
      `${name}: the connection to ${risk.host} ${risk.why}. Add sslmode=verify-full to ${name}, and sslrootcert=FILE ` +
        'for a certificate of your own authority. If a tunnel or another program encrypts the whole way, set ' +
        'DATABASE_TLS_NOT_NEEDED=true instead',
    )
  }
}

/** Functions that release the resources of a started process. The process runs them in reverse order. */
export type Releases = (() => Promise<unknown>)[]

/** An open database, and the folders of this machine in which the database writes. */
export type OpenDatabase = {
  /** The URL with the role of the server. */
  url: string
  /** The URL with the role that migrates and owns the tables. With one role, both URLs are the same. */
  owner_url: string
  folders: string[]
}

/**
 * Returns DATABASE_URL for the server's own connections. If DATABASE_POOLER is `transaction`, the URL has the mark of a pooler.
 * An empty text means the embedded database.
 */
function serverUrl({ database_url, database_pooler }: Config): string {
  return database_url !== '' && database_pooler === 'transaction' ? withPooler(database_url) : database_url
}

/**
 * If migrations are pending and the owner's URL names a pooler, throws a ConfigError, because a pooler cannot run migrations.
 */
async function requireDirectMigration(owner_url: string): Promise<void> {
  if (!splitDatabaseUrl(owner_url).is_pooled) return
  const missing = await pendingMigrations(owner_url)
  if (missing.length === 0) return
  throw new ConfigError(
    `pending migrations: ${missing.length}. A pooler cannot run a migration, because a migration needs its own session. Set ` +
      'MIGRATION_DATABASE_URL to the address of PostgreSQL, with the role that owns the tables',
  )
}

/**
 * Opens the configured database. If DATABASE_URL is empty, opens the embedded database of DATA_DIR, which always has two roles.
 * If `must_exist` is true and the embedded database is missing, throws a ConfigError and makes no database.
 */
export async function openDatabase(
  config: Config,
  log: Log,
  releases: Releases,
  { must_exist = false }: { must_exist?: boolean } = {},
): Promise<OpenDatabase> {
  const url = serverUrl(config)
  if (url === '' && config.migration_database_url !== '') {
    throw new ConfigError(
      'MIGRATION_DATABASE_URL is set, but DATABASE_URL is empty. Set DATABASE_URL to the same database with the role of the ' +
        'server, or remove MIGRATION_DATABASE_URL, because the embedded database makes its own roles',
    )
  }
  if (url !== '') return { url, owner_url: config.migration_database_url || url, folders: [] }
  if (must_exist && !existsSync(join(resolve(config.data_dir), 'postgres.json'))) {
    throw new ConfigError(
      `${resolve(config.data_dir)} has no database, and DATABASE_URL is empty. Set DATA_DIR or DATABASE_URL to those of the server, or start the server first`,
    )
  }
  const embedded = await startEmbedded({
    dataDir: resolve(config.data_dir),
    log: textLog(log, 'db'),
    outside: config.embedded_dir,
    archive_wal: config.backup_dir !== '',
  })
  releases.push(() => embedded.stop())
  return { url: embedded.runtime_url, owner_url: embedded.url, folders: [embedded.place] }
}

/**
 * A restored database. If the caller does not call `release` before the releases of the process run, DATA_DIR stays closed for
 * other programs.
 */
export type OpenRestored = OpenDatabase & { restored: Restored & { release(): void } }

/** The share of a disk that the check of a backup leaves free: one tenth. */
const SPARED_SHARE = 0.1
/**
 * The settings of a database that exists only for a check. They save resources, and the data need not survive a crash.
 */
const SCRATCH_SETTINGS = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_wal_size: '1GB' }

/**
 * Locks the folder of a restore or of a check until the releases of the process run or the process dies. If another restore or
 * check uses the folder, throws a ConfigError.
 */
export async function lockRestored({ data_dir, check_of }: RestoreRequest, releases: Releases): Promise<void> {
  const lock = await tryLockFolder('restore', await realFolder(data_dir))
  if (lock === null) {
    const option = check_of === null ? '--data-dir' : '--scratch'
    throw new ConfigError(
      `another restore or backup check uses ${resolve(data_dir)} now: wait until it has ended, or name another folder with ${option}`,
    )
  }
  releases.push(async () => void lock.close())
}

/**
 * If the folder for a check has a secret key and no unreleased restore, throws a ConfigError, because the check removes the
 * folder.
 */
export async function requireScratch(scratch: string): Promise<void> {
  const folder = resolve(scratch)
  if (!existsSync(join(folder, KEY_FILE)) || (await isUnreleased(folder))) return
  throw new ConfigError(`${folder} has a ${KEY_FILE}, and the check removes its folder: name a new folder`)
}

/**
 * Returns the options of a restore that is a check. At the end, the check removes its folder, even if a step fails. The
 * PostgreSQL of the check takes few resources of the machine.
 */
function checkOptions(config: Config, key_file: string, releases: Releases) {
  return {
    spares: { bytes: config.disk_free_min_mb * 1_048_576, share: SPARED_SHARE },
    settings: SCRATCH_SETTINGS,
    async begun() {
      const folder = resolve(config.data_dir)
      releases.push(() => removeUnreleased(folder))
      if (config.secret_key === '' && existsSync(key_file)) await cp(key_file, join(folder, KEY_FILE), { force: true })
    },
  }
}

/**
 * Requires secret keys before a restore copies any file: those of SECRET_KEY, or else of the file. If the file is missing or
 * holds no key, throws a ConfigError. A later step compares the keys with the restored database.
 */
async function requireKeyOfBackup(config: Config, key_file: string): Promise<void> {
  if (config.secret_key !== '') return
  if (existsSync(key_file)) return void (await readKeyFile(key_file))
  throw new ConfigError(
    `SECRET_KEY is not set and ${key_file} is missing, but a backup does not contain the key of its database. Set SECRET_KEY, or ` +
      `copy the key file first: install -D -m 600 ${KEY_FILE} ${key_file}`,
  )
}

/** Restores a backup into the DATA_DIR of the configuration, and opens the restored database. */
export async function openRestored(
  config: Config,
  { place, to, check_of }: RestoreRequest,
  releases: Releases,
  report: (line: string) => void,
): Promise<OpenRestored> {
  const key_file = join(resolve(check_of ?? config.data_dir), KEY_FILE)
  await requireKeyOfBackup(config, key_file)
  const recovered = await recoverDatabase({
    ...(check_of === null ? {} : checkOptions(config, key_file, releases)),
    place,
    to,
    key: backupKeyOf(config.backup_key),
    data_dir: config.data_dir,
    outside: config.embedded_dir,
    migrations: (await readMigrations(MIGRATIONS_DIR)).map(({ name }) => name),
    log: { info: () => {}, warn: report },
    report,
  })
  const { embedded, manifest, recovered_to } = recovered
  let released = false
  // The process stops the database before it opens DATA_DIR for other programs.
  releases.push(async () => (released ? recovered.release() : undefined))
  releases.push(() => embedded.stop())
  return {
    url: embedded.runtime_url,
    owner_url: embedded.url,
    folders: [embedded.place],
    restored: {
      backup: manifest.id,
      ended_at: manifest.ended_at,
      to,
      recovered_to,
      release: () => {
        released = true
      },
    },
  }
}

/**
 * Migrates an open database with the role of the owner. If the server has another role, grants that role its rights. Returns
 * the applied migrations. If PostgreSQL is too old, or if no URL can run the pending migrations, throws a ConfigError.
 */
export async function migrateDatabase({ url, owner_url }: OpenDatabase, log?: Log): Promise<string[]> {
  await requireVersion(owner_url)
  await requireDirectMigration(owner_url)
  const lines = log && textLog(log, 'db')
  const applied = await migrate(owner_url, lines).catch(
    (error: Error & { code?: string; cause?: { code?: string } }) => {
      const is_forbidden = [error.code, error.cause?.code].includes(INSUFFICIENT_PRIVILEGE)
      if (!is_forbidden || owner_url !== url) throw error
      throw new ConfigError(
        `migrations are pending, and the role of DATABASE_URL may not migrate. Run "${adminCommand('migrate')}" with ` +
          'MIGRATION_DATABASE_URL, the same database with the role that owns its tables, then start again',
      )
    },
  )
  if (owner_url !== url) await grantRuntime(owner_url, url, lines)
  return applied
}

async function requireVersion(url: string): Promise<void> {
  const statement =
    "select current_setting('server_version_num')::int as version, current_setting('server_version') as name"
  const { rows } = await withClient(url, (client) => client.query<DatabaseVersion>(statement))
  const too_old = rows[0] === undefined ? null : judgeVersion(rows[0]).too_old
  if (too_old !== null) throw new ConfigError(too_old)
}

const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Applies the pending migrations with short waits for locks and with retries, and returns them. The caller calls
 * `migrateDatabase` afterwards.
 */
export async function migratePatiently(
  { owner_url }: OpenDatabase,
  patience: Parameters<typeof migrate>[3],
): Promise<string[]> {
  await requireDirectMigration(owner_url)
  return migrate(owner_url, patience && { info: patience.report }, undefined, patience)
}

/**
 * Builds the dependencies of a real process over the migrated database at `url`. If the secret keys do not match the database,
 * throws a ConfigError. A given `vault` replaces that of the secret keys, without a check. With 'unchecked', the function reads
 * the secret keys without a check.
 */
export async function realDeps(config: Config, log: Log, url: string, vault?: Vault | 'unchecked'): Promise<Deps> {
  const random = systemRandom()
  const process_id = randomUUID()
  const metrics = createMetrics()
  const db = createDb({
    metrics,
    url,
    max_connections: config.database_connections,
    on_error: (error) => log.warn({ component: 'process', err: error }, 'the process lost a database connection'),
    on_after_commit_error: (error) =>
      log.error(
        { component: 'process', err: error },
        'a function after a commit failed; the transaction stays committed',
      ),
    watch: {
      on_silent: () =>
        log.error(
          { component: 'process' },
          'the database does not answer; the server refuses requests that wait for it',
        ),
      on_answer: () => log.warn({ component: 'process' }, 'the database answers again'),
    },
  })
  const replica = config.database_read_url === '' ? null : openReplica(config, log, metrics, db)
  const tracer = createTracing({ config, log, random, clock: systemClock, process_id })
  const clock = followDatabase(log, db, systemClock)
  const of_process = { config, log, tracer, metrics, random, point: noPoint, process_id }
  const close = async () => {
    clock.close()
    await Promise.all([db.close(), replica?.close()])
  }
  const arm = () => {
    db.arm()
    replica?.arm()
  }
  const reads = replica === null ? {} : { reads: replica.reads, replica: replica.replica }
  const base = { ...of_process, clock, clock_ahead_ms: clock.ahead_ms, db: { ...db, arm, close }, ...reads }
  try {
    await clock.start()
    if (vault !== undefined && vault !== 'unchecked') return { ...base, vault }
    const keys = await loadSecretKeys(config, db)
    if (vault === 'unchecked') return { ...base, vault: await uncheckedVault(db, random, keys) }
    return { ...base, vault: await openVault(base, keys) }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens the read replica of DATABASE_READ_URL. The replica is another server, so its connections do not count towards
 * DATABASE_CONNECTIONS.
 */
function openReplica(config: Config, log: Log, metrics: Metrics, db: Db): ReadReplica {
  const { database_read_url: url, database_connections: max_connections, database_read_lag_max_ms: lag_max_ms } = config
  return openReadReplica(db, { url, max_connections, lag_max_ms, log, metrics })
}

/**
 * Returns the keys of SECRET_KEY, or else of the file in DATA_DIR. If the file is missing and the database has encrypted
 * values, throws a ConfigError. If the file is missing and the database has none, makes a key.
 */
async function loadSecretKeys(config: Config, db: Reader): Promise<Uint8Array[]> {
  if (config.secret_key !== '') return parseSecretKeys(config.secret_key)
  const file = join(resolve(config.data_dir), KEY_FILE)
  // The function reads the database before the file, because a process that starts at the same time makes the file before it
  // encrypts any value.
  const is_used = await holdsSealed(db)
  if (!existsSync(file)) {
    if (is_used) {
      throw new ConfigError(
        `SECRET_KEY is not set and ${file} is missing, but this database has encrypted values.\n${FIND_THE_KEY}`,
      )
    }
    await makeSecretKey(file)
  }
  return readKeyFile(file)
}

async function readKeyFile(file: string): Promise<Uint8Array[]> {
  const text = (await readFile(file, 'utf8')).trim()
  let problem = ''
  try {
    const keys = parseSecretKeys(text)
    if (keys.length > 0) return keys
  } catch (error) {
    problem = ` (it ${(error as Error).message})`
  }
  throw new ConfigError(
    `${file} does not hold a key${problem}: restore the file. If this database has no encrypted values, remove the file instead`,
  )
}

/**
 * Writes a new key file. The file gets its name only when its content is on disk. If several processes make a key, all of them
 * use the first file.
 */
async function makeSecretKey(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${randomUUID()}`
  try {
    await writeFile(unfinished, randomBytes(SECRET_KEY_BYTES).toString('base64'), {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    await link(unfinished, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Returns the message that tells an operator why the program cannot reach the database, and what to check. */
export function databaseUnreachable(error: unknown): string {
  // In production, the server refuses the embedded database.
  const production = process.env.NODE_ENV === 'production'
  // If a host name has several addresses, the error has one cause for each address and no message.
  const why = (error as Error).message || (error as { code?: string }).code
  return `This process cannot reach the database: ${why}
${/unsupported startup parameter/.test(why ?? '') ? 'DATABASE_URL leads to PgBouncer: set DATABASE_POOLER=transaction (docs/operate/database.md).\n' : ''}Check DATABASE_URL and that the server runs${production ? '' : ', or leave DATABASE_URL empty for the embedded database'}.
`
}
