// Checks the database before a server starts in production.

import { connectionRisk, type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { adminCommand, type Config, ConfigError } from '../../kernel/lib/index.ts'
import { demoUsersLeft } from './demo.ts'

/** The settings of PostgreSQL that must not be off, each with the risk and the remedy. */
const DURABLE_SETTINGS: Record<string, string> = {
  fsync: 'a crash of the machine can destroy the database. Set fsync = on in postgresql.conf and reload the server',
  full_page_writes:
    'a crash of the machine can destroy pages of the database. Set full_page_writes = on in postgresql.conf and reload the server. ' +
    'If the storage of the database never leaves a page half written, such as ZFS, set FULL_PAGE_WRITES_NOT_NEEDED=true instead',
  synchronous_commit:
    'a crash can lose payments that the server acknowledged. Remove the setting from postgresql.conf, DATABASE_URL, ' +
    '"alter role ... set" or "alter database ... set"',
}
const SETTINGS = sql(
  'production_settings',
  'select name, setting, source from pg_settings where name = any($1) order by name',
)

/** Returns true if the configuration says that the storage makes this setting unnecessary. */
const isNotNeeded = (config: Config, name: string): boolean =>
  name === 'full_page_writes' && config.full_page_writes_not_needed

/**
 * If the database settings may lose committed data, or if demo users can sign in, throws a ConfigError. Each line of the
 * message describes a problem and the remedy.
 */
export async function requireSafeProduction({ db, config, log }: Pick<Deps, 'db' | 'config' | 'log'>): Promise<void> {
  if (config.full_page_writes_not_needed) {
    log.warn(
      { component: 'admin' },
      'FULL_PAGE_WRITES_NOT_NEEDED=true: the database may run with full_page_writes off. ' +
        'This is safe only on storage that never leaves a page half written',
    )
  }
  const risk = config.database_tls_not_needed ? connectionRisk(config.database_url) : null
  if (risk !== null) {
    log.warn(
      { component: 'admin', host: risk.host },
      `DATABASE_TLS_NOT_NEEDED=true: the connection to the database ${risk.why}`,
    )
  }
  const problems = [...(await settingProblems(db, config)), ...(await demoProblems(db))]
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
}

/** Lists the settings of the database that may lose committed data, each with the remedy. */
export async function settingProblems(reader: Reader, config: Config): Promise<string[]> {
  const rows = await reader.query<{ name: string; setting: string; source: string }>(SETTINGS, [
    Object.keys(DURABLE_SETTINGS),
  ])
  return rows
    .filter(({ name, setting }) => setting === 'off' && !isNotNeeded(config, name))
    .map(({ name, source }) => `${name} of the database is off (source: ${source}): ${DURABLE_SETTINGS[name]}`)
}

async function demoProblems(reader: Reader): Promise<string[]> {
  const emails = await demoUsersLeft(reader)
  if (emails.length === 0) return []
  return [
    'Demo users can sign in, and the server or a command has printed their passwords. Disable each demo user, then start again:',
    ...emails.map((email) => `  ${adminCommand(`user disable --email ${email}`)}`),
  ]
}
