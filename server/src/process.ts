// Builds the dependencies of a real process: its configuration, its database and its secret key.

import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PROVIDERS } from './adapters/providers/registry.ts'
import { startEmbedded } from './kernel/db/embedded.ts'
import {
  connectionRisk,
  createDb,
  type Deps,
  FIND_THE_KEY,
  holdsSealed,
  openVault,
  type Reader,
} from './kernel/db/index.ts'
import { migrate } from './kernel/db/migrate.ts'
import {
  type Config,
  ConfigError,
  createVault,
  type Log,
  noPoint,
  parseSecretKeys,
  readConfig,
  SECRET_KEY_BYTES,
  systemClock,
  systemRandom,
  type Vault,
} from './kernel/lib/index.ts'

/**
 * Reads the configuration of this process from environment variables, and from a file .env for missing variables. With
 * the embedded database, webhooks may go to this machine by default. `options` are those of `readConfig`.
 */
export function configFromEnvironment(options: Parameters<typeof readConfig>[2] = {}): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env, PROVIDERS, options)
  if (config.node_env === 'production') requireSafeConnection(config)
  return { ...config, webhook_allow_private: config.webhook_allow_private ?? config.database_url === '' }
}

/**
 * If other machines can read or change the connections to the database, throws a ConfigError, before the first connection
 * sends a password.
 */
function requireSafeConnection({ database_url, database_tls_not_needed }: Config): void {
  const risk = connectionRisk(database_url)
  if (risk === null || database_tls_not_needed) return
  throw new ConfigError(
    `DATABASE_URL: the connection to ${risk.host} ${risk.why}. Add sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE ` +
      'for a certificate of your own authority. If something else encrypts the whole way, such as a tunnel, set ' +
      'DATABASE_TLS_NOT_NEEDED=true instead',
  )
}

/** Functions that release the resources of a started process. The process runs them in reverse order. */
export type Releases = (() => Promise<unknown>)[]

/** The URL of an open database, and the folders of this machine that the database writes to. */
export type OpenDatabase = { url: string; folders: string[] }

/**
 * Opens and migrates the configured database. If the configuration names none, opens the embedded database of DATA_DIR.
 */
export async function openDatabase(config: Config, log: Log, releases: Releases): Promise<OpenDatabase> {
  let url = config.database_url
  const folders: string[] = []
  if (url === '') {
    const embedded = await startEmbedded({ dataDir: resolve(config.data_dir), log, outside: config.embedded_dir })
    releases.push(() => embedded.stop())
    url = embedded.url
    folders.push(embedded.place)
  }
  const applied = await migrate(url, log)
  if (applied.length > 0) log.info({ applied }, 'the process migrated the database')
  return { url, folders }
}

/**
 * Builds the dependencies of a real process over the migrated database at `url`. Throws a ConfigError if the secret keys
 * do not match the database. `vault` replaces the vault of the secret keys, and the function does not check it.
 * 'unchecked' means the vault of the secret keys without the check.
 */
export async function realDeps(config: Config, log: Log, url: string, vault?: Vault | 'unchecked'): Promise<Deps> {
  const random = systemRandom()
  const db = createDb({
    url,
    max_connections: config.database_connections,
    on_error: (error) => log.warn({ err: error }, 'the process lost a database connection'),
    watch: {
      on_silent: () => log.error('the database does not answer; the server refuses requests that wait for it'),
      on_answer: () => log.warn('the database answers again'),
    },
  })
  const base = { config, log, random, clock: systemClock, db, point: noPoint, process_id: randomUUID() }
  if (vault !== undefined && vault !== 'unchecked') return { ...base, vault }
  try {
    const keys = await loadSecretKeys(config, db)
    if (vault === 'unchecked') return { ...base, vault: createVault(keys, random, { writes_ids: true }) }
    return { ...base, vault: await openVault(base, keys) }
  } catch (error) {
    await db.close()
    throw error
  }
}

/**
 * Returns the keys of SECRET_KEY, or else of the file in DATA_DIR. If the file is missing, the function makes a key, but
 * throws a ConfigError for a database with encrypted values.
 */
async function loadSecretKeys(config: Config, db: Reader): Promise<Uint8Array[]> {
  if (config.secret_key !== '') return parseSecretKeys(config.secret_key)
  const file = join(resolve(config.data_dir), 'secret.key')
  // The function reads the database before the file, because a process that starts now makes the file before it
  // encrypts any value.
  const is_used = await holdsSealed(db)
  if (!existsSync(file)) {
    if (is_used) {
      throw new ConfigError(
        `SECRET_KEY is not set and ${file} is missing, but this database is in use.\n${FIND_THE_KEY}`,
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
    `${file} does not hold a key${problem}: restore the file, or remove the file if this database has no encrypted values`,
  )
}

/**
 * Writes a new key file, whose name appears only when its content is on disk. If several processes make a key, the
 * first one wins.
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

/** The message for an operator if the program cannot reach the database. */
export function databaseUnreachable(error: unknown): string {
  // Production refuses the embedded database.
  const production = process.env.NODE_ENV === 'production'
  // If a host name has several addresses, the error has one cause for each address and no message.
  const why = (error as Error).message || (error as { code?: string }).code
  return `This process cannot reach the database: ${why}
Check DATABASE_URL and that the server runs${production ? '' : ', or leave DATABASE_URL empty for the embedded one'}.
`
}
