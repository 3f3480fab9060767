// Defines the session settings of the server. The pool sets them when it opens a connection. A connection pooler in transaction
// mode sets them itself, and a report changes them within its transaction, because transactions share the connections.

/** The longest time in milliseconds of a statement of a request or of the worker, and of an idle transaction. */
export const STATEMENT_TIMEOUT_MS = 10_000
/** The longest time in milliseconds that a statement waits for a lock. */
export const LOCK_TIMEOUT_MS = 5_000

/**
 * Settings of the planner. PostgreSQL plans each statement once per connection, often while tables are small. Every frequent
 * statement finds its rows by key. With only index scans and nested loops, a plan stays fast at any size of the tables.
 */
const INDEX_PLANS = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' }

/**
 * Each setting of a session of the server, with its value as pg_settings shows it. The time zone is UTC, because the driver
 * parses such times fast.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: String(LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT_MS),
  ...INDEX_PLANS,
}

/** The SQL text with which a pooler sets the settings on a new connection to PostgreSQL. */
export const CONNECT_QUERY = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set ${name} = ${value}`)
  .join('; ')

/** The connection option that makes PostgreSQL send times in UTC. */
export const UTC_OPTION = '-c timezone=UTC'

/** The connection options of the planner for frequent statements. */
export const PLAN_OPTIONS = Object.entries(INDEX_PLANS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

/**
 * Returns the SQL text of the settings of a report on a connection of a pooler. They allow any plan, and set no time limit or
 * `statement_ms` milliseconds. They end with the transaction.
 */
export function reportSettings(statement_ms: number | undefined): string {
  const settings = [
    ...Object.keys(INDEX_PLANS).map((name) => `${name} to default`),
    `statement_timeout = ${statement_ms ?? 0}`,
    'lock_timeout = 0',
    'idle_in_transaction_session_timeout = 0',
    ...(statement_ms === undefined ? [] : ['max_parallel_workers_per_gather = 0']),
  ]
  return settings.map((setting) => `set local ${setting}`).join('; ')
}
