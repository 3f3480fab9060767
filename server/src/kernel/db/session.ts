// Checks that a database session has the settings on which the statements of the server depend.

import { ConfigError } from '../lib/index.ts'
import { type Reader, sql } from './pool.ts'
import { SESSION_SETTINGS } from './session-settings.ts'

const SETTINGS = sql('session_settings', 'select name, setting from pg_settings where name = any($1)')

/**
 * If the session lacks the settings of the server, throws a ConfigError with a remedy. `is_pooled` is true if the configuration
 * names a pooler, whose own connections must then have these settings.
 */
export async function requireSession(reader: Reader, is_pooled: boolean): Promise<void> {
  const names = Object.keys(SESSION_SETTINGS)
  const rows = await reader.query<{ name: string; setting: string }>(SETTINGS, [names])
  const wrong = rows.find(({ name, setting }) => setting !== SESSION_SETTINGS[name])
  if (wrong === undefined) return
  const found = `${wrong.name} is ${wrong.setting} instead of ${SESSION_SETTINGS[wrong.name]}`
  throw new ConfigError(
    is_pooled
      ? `the sessions behind DATABASE_URL lack the settings of the server (${found}). Copy connect_query of ` +
          'deploy/pgbouncer/pgbouncer.ini to the line of the database in pgbouncer.ini, and restart PgBouncer'
      : `a pooler between the server and PostgreSQL drops the settings of sessions (${found}). For PgBouncer in transaction ` +
          'mode, set DATABASE_POOLER=transaction. Otherwise let DATABASE_URL lead to PostgreSQL itself',
  )
}
