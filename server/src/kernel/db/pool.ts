// Opens the database pool: statements, transactions that repeat after deadlocks, and hooks for tests.

import pg from 'pg'
import type { Metrics } from '../lib/index.ts'
import { createHosts, type DatabaseHosts } from './hosts.ts'
import { LOCK_TIMEOUT_MS, PLAN_OPTIONS, reportSettings, STATEMENT_TIMEOUT_MS, UTC_OPTION } from './session-settings.ts'
import { statementTimes } from './statement-times.ts'
import { createWatch, type DbWatch, destroyConnection } from './watch.ts'

/**
 * One SQL text. PostgreSQL prepares a named statement once per connection, so each name must have one text. PostgreSQL plans an
 * unnamed statement each time for its actual values. Behind a connection pooler in transaction mode, every statement is
 * unnamed.
 */
export type Statement = { readonly name: string; readonly text: string }

/** Makes a statement. Pass values as parameters ($1, $2), and never build SQL from values. */
export function sql(name: string, text: string): Statement {
  return { name, text }
}

/**
 * Returns SQL for a batch of input rows in one JSON parameter. `key` is a uuid column that is never null. The condition in the
 * SQL is always true. It makes the planner expect one row and use the whole key, even after the table has grown.
 */
export function inputRows(parameter: string, key: string, columns: string): string {
  return `(select * from json_to_recordset(${parameter}::json) as input(${columns})
       where coalesce(input.${key}, input.${key}) = input.${key})`
}

/**
 * Sorts the rows of a batch in the lock order of their table: by merchant, then by `key`. `key` is the rest of the primary key
 * as a sortable text. All batches lock the table in this order, so they do not deadlock on its rows.
 */
export function inLockOrder<Row extends { merchant_id: string }>(
  rows: readonly Row[],
  key: (row: Row) => string,
): Row[] {
  return rows
    .map((row) => ({ row, place: `${row.merchant_id} ${key(row)}` }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ row }) => row)
}

/** A source of reads: the pool, one of its connections, or an open transaction. */
export type Reader = { query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> }

/** An open transaction, which every write requires. Only `inTransaction` and `oneStatement` make a transaction. */
export type Tx = Reader & {
  readonly kind: 'tx'
  /**
   * Runs `work` once after the commit. After a rollback, `work` never runs. If `work` throws, the pool reports the error, and
   * the transaction stays committed.
   */
  afterCommit(work: () => void): void
}

/** Runs the functions of `afterCommit`. Never throws, because the transaction has committed. */
type RunAfterCommit = (works: readonly (() => void)[]) => void

/** One connection of the pool. Each statement on the connection commits by itself. */
export type DbSession = Reader & { readonly kind: 'db'; readonly runAfterCommit: RunAfterCommit }

/** The pool of one database. */
export type Db = DbSession & {
  readonly url: string
  /** Runs `work` in one transaction on one connection: see `inTransaction`. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Resolves when a connection works. If no connection works, throws. */
  ping(): Promise<void>
  /**
   * Runs `work` on one connection without a transaction. If one of its statements fails, the pool closes the connection.
   */
  session<Result>(work: (session: DbSession) => Promise<Result>): Promise<Result>
  /**
   * The last time, as `performance.now()`, at which the database had no disk space for a statement of this process. Minus
   * infinity means never.
   */
  fullDiskAt(): number
  /**
   * If the options have a `watch`, starts the watch for a silent database. Call this function after the start of the process.
   */
  arm(): void
  close(): Promise<void>
}

/** The URL, the size, the hooks and the kind of statements of a pool. */
export type DbOptions = {
  url: string
  max_connections: number
  application_name?: string
  /** The hook that the pool calls before every statement. A test may throw, wait or end the process in the hook. */
  before?: (name: string) => void | Promise<void>
  /** The function that the pool calls when an idle connection breaks. */
  on_error?: (error: Error) => void
  /** The function that the pool calls after a function of `afterCommit` has thrown. This function must not throw. */
  on_after_commit_error?: (error: unknown) => void
  /** Detects a silent database by a heartbeat, and rejects all statements that wait for that database. */
  watch?: { on_silent: () => void; on_answer: () => void }
  /** Counts the statements and connections of the pool. */
  metrics?: Metrics
  /**
   * True for reports over whole tables, such as `verify`. Without `statement_ms`, their statements have no time limit. The
   * planner may choose any plan.
   */
  reporting?: boolean
  /**
   * The time limit of a statement of a report in milliseconds. With a limit, the report uses no parallel workers of the
   * database.
   */
  statement_ms?: number | undefined
}

/**
 * After this time in milliseconds, the client ends a statement, because a stopped or disconnected server cannot end the
 * statement.
 */
const ANSWER_TIMEOUT_MS = 12_000
const PING_TIMEOUT_MS = 2_000
const CONNECT_TIMEOUT_MS = 2_500
const ATTEMPTS_MAX = 5

const ONE_CORE = '-c max_parallel_workers_per_gather=0'

const types = new pg.TypeOverrides()
types.setTypeParser(20, (text: string) => BigInt(text)) // The id of the type int8. Amounts are bigint.
types.setTypeParser(1184, parseTimestamp) // The id of the type timestamptz.

/** Parses a timestamptz. Connections use UTC, so nearly all values look like 2026-01-05 09:00:00.123+00. */
function parseTimestamp(text: string): Date {
  return new Date(text.endsWith('+00') ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text)
}

/** Opens a pool of connections. When the first statement needs a connection, the pool connects. */
export function createDb(options: DbOptions): Db {
  const connections = createConnections(options)
  const { run, watch } = connections
  return {
    kind: 'db',
    url: options.url,
    query: <Row>(statement: Statement, values?: readonly unknown[]) =>
      connections.needs_transaction
        ? runTransaction(connections, (tx) => tx.query<Row>(statement, values))
        : withConnection(connections, (client) => run<Row>(client, statement, values)),
    transaction: (work) => runTransaction(connections, work),
    async ping() {
      if (options.before) await options.before(PING.name)
      const ping = { text: PING.text, query_timeout: PING_TIMEOUT_MS } as pg.QueryConfig
      await withConnection(connections, async (client) => (await connections.watched(() => client.query(ping))).rows)
      watch?.answered()
    },
    session: (work) => runSession(connections, work),
    runAfterCommit: connections.runAfterCommit,
    fullDiskAt: connections.fullDiskAt,
    arm: () => watch?.arm(),
    close: connections.close,
  }
}

/** The pool with its watch, and the functions that send statements over the connections of the pool. */
type Connections = {
  watch: DbWatch | null
  /** True if a test hook may delay statements. */
  has_hook: boolean
  /** The statement that begins a transaction. */
  begin: Statement
  /**
   * True for reports through a connection pooler, because each of their statements needs the settings of its own transaction.
   */
  needs_transaction: boolean
  /** Waits for `begin` until the watch finds that the database is silent. */
  watched<Result>(begin: () => Promise<Result>): Promise<Result>
  borrow(): Promise<pg.PoolClient>
  send(client: pg.ClientBase, statement: Statement, values?: readonly unknown[]): Promise<pg.QueryResult>
  run<Row>(client: pg.ClientBase, statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  runAfterCommit: RunAfterCommit
  fullDiskAt(): number
  close(): Promise<void>
}

function createConnections(options: DbOptions): Connections {
  const hosts = createHosts(options.url)
  const { is_pooled } = hosts
  const pool = createPool(options, hosts)
  let closing = false
  // While the pool closes, the server may end a connection first. The pool does not report this end as an error.
  pool.on('error', (error) => closing || options.on_error?.(error))
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    watch?.answered()
  })
  pool.on('remove', (client) => clients.delete(client))
  const watch = options.watch
    ? createWatch({
        hosts,
        on_silent() {
          options.watch?.on_silent()
          // From this moment on, the pool cannot determine the state of statements on the connections. So it closes the
          // connections, and no caller waits for these statements.
          for (const client of clients) destroyConnection(client)
        },
        on_answer: options.watch.on_answer,
      })
    : null
  let full_disk_at = Number.NEGATIVE_INFINITY

  const measure = options.metrics
    ? statementTimes(options.metrics, () => ({
        open: pool.totalCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      }))
    : null
  const watched = <Result>(begin: () => Promise<Result>): Promise<Result> => (watch ? watch.over(begin) : begin())
  const send = async (client: pg.ClientBase, { name, text }: Statement, values?: readonly unknown[]) => {
    if (options.before) await options.before(name)
    const begin = measure === null ? 0 : performance.now()
    try {
      const query = { text, values: (values ?? []) as unknown[] }
      const result = await watched(() => client.query(is_pooled ? query : { name, ...query }))
      watch?.answered()
      measure?.(name, (performance.now() - begin) / 1_000, true)
      return result
    } catch (error) {
      measure?.(name, (performance.now() - begin) / 1_000, false)
      if (isDiskFull(error)) full_disk_at = performance.now()
      throw error
    }
  }
  return {
    watch,
    has_hook: options.before !== undefined,
    begin:
      is_pooled && options.reporting
        ? sql('begin_report', `${BEGIN.text}; ${reportSettings(options.statement_ms)}`)
        : BEGIN,
    needs_transaction: is_pooled && options.reporting === true,
    watched,
    borrow: () => borrowClient(pool, hosts, watched),
    send,
    run: async <Row>(client: pg.ClientBase, statement: Statement, values?: readonly unknown[]) =>
      (await send(client, statement, values)).rows as Row[],
    runAfterCommit: (works) => runEach(works, options.on_after_commit_error),
    fullDiskAt: () => full_disk_at,
    close() {
      closing = true
      watch?.close()
      return pool.end()
    },
  }
}

/** Runs each function. If a function throws, reports the error and runs the remaining functions. */
function runEach(works: Parameters<RunAfterCommit>[0], onError: DbOptions['on_after_commit_error']): void {
  for (const work of works) {
    try {
      work()
    } catch (error) {
      onError?.(error)
    }
  }
}

function createPool(options: DbOptions, { Client, is_pooled }: DatabaseHosts): pg.Pool {
  return new pg.Pool({
    Client,
    max: options.max_connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    application_name: options.application_name ?? 'malipo',
    types,
    keepAlive: true,
    // A transaction sends independent statements one after another, without a wait for the answers in between.
    pipeline: true,
    ...(options.reporting ? {} : { query_timeout: ANSWER_TIMEOUT_MS }),
    // A pooler refuses session settings from a client. The pooler sets them itself: see CONNECT_QUERY.
    ...(is_pooled ? {} : sessionOptions(options)),
  })
}

function sessionOptions({ reporting, statement_ms }: DbOptions): pg.PoolConfig {
  if (!reporting) {
    return {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      options: `${UTC_OPTION} ${PLAN_OPTIONS}`,
    }
  }
  if (statement_ms === undefined) return { options: UTC_OPTION }
  return { options: `${UTC_OPTION} ${ONE_CORE}`, statement_timeout: statement_ms }
}

/**
 * Returns a connection of the pool. If the connection arrives after the caller has stopped waiting, the pool gets the
 * connection back.
 */
async function borrowClient(
  pool: pg.Pool,
  hosts: DatabaseHosts,
  watched: Connections['watched'],
): Promise<pg.PoolClient> {
  const requested: Promise<pg.PoolClient>[] = []
  try {
    return await watched(() => {
      const connecting = hosts.inTurn(() => pool.connect())
      requested.push(connecting)
      return connecting
    })
  } catch (error) {
    requested[0]?.then(
      (client) => client.release(),
      () => {},
    )
    throw error
  }
}

/** Runs one statement, which commits by itself. After an error, the pool closes the connection. */
async function withConnection<Result>(
  { borrow }: Connections,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await borrow()
  let failed: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    failed = error as Error
    throw error
  } finally {
    client.release(failed)
  }
}

/** Runs `work` on one connection. After an error of a statement, the pool closes the connection. */
async function runSession<Result>(
  { borrow, run, runAfterCommit }: Connections,
  work: (session: DbSession) => Promise<Result>,
): Promise<Result> {
  const client = await borrow()
  let failed: Error | undefined
  const session: DbSession = {
    kind: 'db',
    runAfterCommit,
    query: (statement, values) =>
      run<never>(client, statement, values).catch((error: Error) => {
        failed ??= error
        throw error
      }),
  }
  try {
    return await work(session)
  } finally {
    client.release(failed)
  }
}

/**
 * Runs `work` in a transaction. After a deadlock or a serialization failure, runs the transaction again, up to ATTEMPTS_MAX
 * times in total. After any other error, throws.
 */
async function runTransaction<Result>(connections: Connections, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const { borrow, run } = connections
  const finish = (client: pg.PoolClient, statement: Statement, values?: readonly unknown[]) =>
    run(client, statement, values).then(
      () => undefined,
      (failure: Error) => failure,
    )
  for (let attempt = 1; ; attempt++) {
    const client = await borrow()
    let broken: Error | undefined
    try {
      const attempted = await attemptTransaction(connections, client, work)
      if ('result' in attempted) {
        connections.runAfterCommit(attempted.after_commit)
        return attempted.result
      }
      const { error } = attempted
      broken = await finish(client, ROLLBACK)
      // After a deadlock or a serialization failure, PostgreSQL has undone everything, so the transaction may run again.
      if (broken || attempt === ATTEMPTS_MAX || !mayRunAgain(error)) throw error
      broken = await finish(client, PAUSE, [attempt])
    } finally {
      client.release(broken)
    }
  }
}

/**
 * Runs `work` and commits its statements. Returns the result, or the error after which the caller must roll back. Never
 * throws.
 */
async function attemptTransaction<Result>(
  { run, send, has_hook, begin }: Connections,
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<Result>,
): Promise<{ result: Result; after_commit: readonly (() => void)[] } | { error: unknown }> {
  let first_error: unknown
  let is_over = false
  const after_commit: (() => void)[] = []
  try {
    // The transaction sends its first statements right after BEGIN, because the connection keeps their order. If a test hook
    // may delay statements, the transaction first waits for the answer to BEGIN.
    const begun = run(client, begin)
    if (has_hook) await begun
    const tx: Tx = {
      kind: 'tx',
      afterCommit: (then) => void after_commit.push(then),
      query: (statement, values) => {
        // A branch of `work` may continue after another branch has failed. That branch must not write outside of the
        // transaction.
        if (is_over) return Promise.reject(new Error('the transaction is over: no branch may send another statement'))
        const answer = run<never>(client, statement, values).catch((error) => {
          first_error ??= error
          throw error
        })
        // `work` may await this promise later or never. This handler prevents an unhandled rejection.
        answer.catch(() => {})
        return answer
      },
    }
    const working = async () => work(tx) // If `work` throws synchronously, the wrapper makes a rejection of the error.
    const [result] = await Promise.all([working(), begun])
    is_over = true
    // After a failed statement, PostgreSQL answers COMMIT with ROLLBACK and reports no error, even if `work` ignored the
    // failed statement.
    const { command } = await send(client, COMMIT)
    if (command !== 'COMMIT') throw first_error ?? new Error('PostgreSQL rolled the transaction back')
    return { result, after_commit }
  } catch (caught) {
    is_over = true
    // The statements after the failed statement fail too, and `work` may await only these. Their errors do not name the cause.
    return { error: AFTER_FAILURE.includes(codeOf(caught)) ? (first_error ?? caught) : caught }
  }
}

const BEGIN = sql('begin', 'begin')
const COMMIT = sql('commit', 'commit')
const ROLLBACK = sql('rollback', 'rollback')
const PING = sql('ping', 'select 1')
// After a rollback, the pool waits before it repeats the transaction. Without the pause, the transaction could lock the same
// rows again and cause the next deadlock.
const PAUSE = sql('pause', 'select pg_sleep(0.05 * $1::int)')

/**
 * Runs `work` in one transaction: the database commits all statements or none. `work` must never call the network. If a
 * statement fails, the transaction fails, unless `work` rolls back to an earlier savepoint.
 */
export function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction(work)
}

/** Makes a transaction for a use case whose only write is one statement. Each statement commits by itself. */
export function oneStatement(db: DbSession): Tx {
  // When the statement returns, it has committed.
  let is_committed = false
  const after_commit: (() => void)[] = []
  return {
    kind: 'tx',
    afterCommit: (then) => (is_committed ? db.runAfterCommit([then]) : void after_commit.push(then)),
    async query(statement, values) {
      for (let attempt = 1; ; attempt++) {
        try {
          const rows = await db.query<never>(statement, values)
          is_committed = true
          db.runAfterCommit(after_commit.splice(0))
          return rows
        } catch (error) {
          if (attempt === ATTEMPTS_MAX || !mayRunAgain(error)) throw error
          await db.query(PAUSE, [attempt]).catch(() => {})
        }
      }
    },
  }
}

/**
 * The codes of later statements of a failed transaction. PostgreSQL refuses the statement, or has no prepared statement with
 * its name, because PostgreSQL also refused to prepare the statement.
 */
const AFTER_FAILURE = ['25P02', '26000']
const DISK_FULL = '53100'
const LOCK_TIMEOUT = '55P03'
/** The messages of the driver about connections that it lost or could not open. */
const NO_CONNECTION =
  /Connection terminated|Client was closed|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|SSL connection/

/** The codes of Node for a connection that failed or broke, also if the machine of the database is unreachable. */
const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAGAIN',
]

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/**
 * Returns true for a serialization failure or a deadlock. PostgreSQL has undone the transaction, so the caller may run the
 * transaction again.
 */
function mayRunAgain(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/**
 * Returns true if the database was unavailable, full, read-only or too busy, so that the caller may retry. If a COMMIT was
 * running, its outcome is unknown. Only a unique key that the transaction wrote, the Idempotency-Key, shows that outcome.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (/^(08|53|57|58)/.test(code) || [LOCK_TIMEOUT, '25006', '25P03', '40001', '40P01'].includes(code)) return true
  if (NETWORK_CODES.includes(code)) return true
  // TLS with the database failed, for example because its certificate has expired.
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/.test(code)) return true
  // ENOENT of `connect` means a missing socket. Any other ENOENT is an error about another file.
  if (code === 'ENOENT' && (error as { syscall?: unknown }).syscall === 'connect') return true
  const message = error instanceof Error ? error.message : ''
  return NO_CONNECTION.test(message)
}

/** Returns true if a statement waited too long for a lock that another transaction holds. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_TIMEOUT
}

/** Returns true if the database had no disk space for a statement. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL
}

/**
 * Returns the name of the constraint that a statement violated, such as a unique key or a check. Null means any other error.
 */
export function violatedConstraint(error: unknown): string | null {
  const found = (error as { constraint?: unknown } | null)?.constraint
  // A sharded database appends the number of the shard to the name.
  return typeof found === 'string' ? found.replace(/_\d+$/, '') : null
}

const SUPERUSER = sql('is_superuser', 'select rolsuper from pg_roles where rolname = current_user')

/**
 * Returns true if the database role bypasses all privileges. Such a role also bypasses the protection of append-only tables.
 */
export async function isSuperuser(reader: Reader): Promise<boolean> {
  const [role] = await reader.query<{ rolsuper: boolean }>(SUPERUSER)
  return role?.rolsuper === true
}
