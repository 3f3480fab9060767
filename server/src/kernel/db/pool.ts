// The database port: a pool, transactions that retry what may be retried, and the seams a test needs.

import pg from 'pg'
import { createWatch, cut } from './watch.ts'

/**
 * One SQL text. The name lets PostgreSQL prepare it once per connection: one name, one text. With an empty name it is
 * planned anew each time, for the values at hand.
 */
export type Statement = { readonly name: string; readonly text: string }

/** Writes a statement. Values are parameters ($1, $2): never build SQL from values. */
export function sql(name: string, text: string): Statement {
  return { name, text }
}

/**
 * A set of rows that is handed in as one JSON parameter, for statements that look up or change a row for each of them
 * by its key. The condition is always true; its only purpose is that the planner expects one row, so that it always
 * finds the table's rows by their whole key. Expecting a hundred, it may read through a small table instead, and keep
 * doing so when the table has grown. `key` is a column of type uuid that is never null.
 */
export function inputRows(parameter: string, key: string, columns: string): string {
  return `(select * from json_to_recordset(${parameter}::json) as input(${columns})
       where coalesce(input.${key}, input.${key}) = input.${key})`
}

/**
 * The rows of a set in the order in which every set of their table locks them: by merchant, then by `key`, the rest of
 * the primary key as a text that sorts alike. Two sets then never deadlock.
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

/** Whatever can read: the pool, or an open transaction. */
export type Reader = { query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> }

/** An open transaction: required by whatever writes. Made only by `inTransaction` and `oneStatement`. */
export type Tx = Reader & { readonly kind: 'tx' }

/** One connection of the pool: each statement on it commits by itself. */
export type Session = Reader & { readonly kind: 'db' }

/** The database. */
export type Db = Reader & {
  readonly kind: 'db'
  readonly url: string
  /** Runs `work` in one transaction on one connection; see `inTransaction`. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Answers once a connection works, or throws what is wrong. */
  ping(): Promise<void>
  /** Runs `work` on one connection without a transaction. The connection is not used again if one of its statements failed. */
  session<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /** When, as `performance.now()`, the database last had no disk space left for a statement of this process. */
  fullDiskAt(): number
  /** Begins to watch whether the database answers, where `watch` is given: once the process has started. */
  arm(): void
  close(): Promise<void>
}

/** Options of `createDb`. */
export type DbOptions = {
  url: string
  max_connections: number
  application_name?: string
  /** Called before every statement; a test may throw, wait or end the process in it. */
  before?: (name: string) => void | Promise<void>
  /** Called when an idle connection breaks. */
  on_error?: (error: Error) => void
  /** Ends at once what waits for a database that has stopped answering, told by a heartbeat on a connection of its own. */
  watch?: { on_silent: () => void; on_answer: () => void }
  /** For reports over whole tables, such as `verify`: no time limit, and the planner chooses freely. */
  reporting?: boolean
}

const STATEMENT_TIMEOUT_MS = 10_000
/** A server that is stopped or cut off ends no statement itself: then we do. */
const ANSWER_TIMEOUT_MS = 12_000
const PING_TIMEOUT_MS = 2_000
const LOCK_TIMEOUT_MS = 5_000
const CONNECT_TIMEOUT_MS = 2_500
const ATTEMPTS_MAX = 5

/** Times are sent as UTC, which is quick to read. */
const UTC = '-c timezone=UTC'

/**
 * Plans are made once per connection, often while tables are still small, and every statement on the hot path finds
 * its rows by key. With only nested loops over indexes to choose from, a plan stays right at any size of the data.
 */
const INDEX_PLANS = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off'

const types = new pg.TypeOverrides()
types.setTypeParser(20, (text: string) => BigInt(text)) // int8: amounts are bigint
types.setTypeParser(1184, parseTimestamp) // timestamptz

/** Reads a timestamptz. Connections speak UTC, so nearly all look like 2026-01-05 09:00:00.123+00. */
function parseTimestamp(text: string): Date {
  return new Date(text.endsWith('+00') ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text)
}

/** Opens a pool of connections. */
export function createDb(options: DbOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max_connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    application_name: options.application_name ?? 'malipo',
    types,
    keepAlive: true,
    // Statements of one transaction that do not wait for each other travel together.
    pipeline: true,
    ...(options.reporting
      ? { options: UTC }
      : {
          statement_timeout: STATEMENT_TIMEOUT_MS,
          query_timeout: ANSWER_TIMEOUT_MS,
          lock_timeout: LOCK_TIMEOUT_MS,
          idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
          options: `${UTC} ${INDEX_PLANS}`,
        }),
  })
  let closing = false
  // While we close, the server may end a connection first: nobody needs to know.
  pool.on('error', (error) => closing || options.on_error?.(error))
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    watch?.answered()
    // The pool listens to idle connections only. If a connection in use breaks, the statement under way, or else the next one, is
    // rejected and tells its caller; without a listener the event itself would end the process.
    client.on('error', () => {})
  })
  pool.on('remove', (client) => clients.delete(client))
  const watch = options.watch
    ? createWatch({
        url: options.url,
        on_silent() {
          options.watch?.on_silent()
          // What they still carry is unknown from here on, and nothing may wait for them.
          for (const client of clients) cut(client)
        },
        on_answer: options.watch.on_answer,
      })
    : null
  let full_disk_at = Number.NEGATIVE_INFINITY

  const over = <Result>(begin: () => Promise<Result>): Promise<Result> => (watch ? watch.over(begin) : begin())
  /** A connection of the pool. One that comes after its caller was refused goes back. */
  const borrow = async (): Promise<pg.PoolClient> => {
    const asked: Promise<pg.PoolClient>[] = []
    try {
      return await over(() => {
        const connecting = pool.connect()
        asked.push(connecting)
        return connecting
      })
    } catch (error) {
      asked[0]?.then(
        (client) => client.release(),
        () => {},
      )
      throw error
    }
  }
  const send = async (client: pg.ClientBase, { name, text }: Statement, values?: readonly unknown[]) => {
    if (options.before) await options.before(name)
    try {
      const result = await over(() => client.query({ name, text, values: (values ?? []) as unknown[] }))
      watch?.answered()
      return result
    } catch (error) {
      if (isDiskFull(error)) full_disk_at = performance.now()
      throw error
    }
  }
  const run = async <Row>(client: pg.ClientBase, statement: Statement, values?: readonly unknown[]) =>
    (await send(client, statement, values)).rows as Row[]
  /** One statement that commits by itself. After an error its connection is not used again. */
  const alone = async (work: (client: pg.PoolClient) => Promise<unknown[]>): Promise<unknown[]> => {
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

  return {
    kind: 'db',
    url: options.url,
    query: <Row>(statement: Statement, values?: readonly unknown[]) =>
      alone((client) => run(client, statement, values)) as Promise<Row[]>,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        const client = await borrow()
        let broken: Error | undefined
        let first: unknown
        let over = false
        try {
          // The first statements are sent right behind the BEGIN, without waiting for its answer: the connection keeps
          // their order. A hook may hold any statement back before it is sent, so with one the BEGIN is awaited, or the
          // first statement could overtake it.
          const begun = run(client, BEGIN)
          if (options.before) await begun
          const tx: Tx = {
            kind: 'tx',
            query: (statement, values) => {
              // A branch of `work` that goes on after another one failed must not write outside of the transaction.
              if (over) return Promise.reject(new Error('the transaction is over'))
              const answer = run<never>(client, statement, values).catch((error) => {
                first ??= error
                throw error
              })
              // `work` may await it later, or never: the transaction fails with `first` either way.
              answer.catch(() => {})
              return answer
            },
          }
          const working = async () => work(tx) // also a `work` that throws before its first await is rejected
          const [result] = await Promise.all([working(), begun])
          over = true
          // After a statement that failed, whoever swallowed it, PostgreSQL takes a COMMIT for a ROLLBACK and calls it no error.
          const { command } = await send(client, COMMIT)
          if (command !== 'COMMIT') throw first ?? new Error('the transaction was rolled back')
          return result
        } catch (caught) {
          over = true
          // Statements that travelled behind the one that failed fail as well, and may be heard of first: they do not say why.
          const error = codeOf(caught) === TRANSACTION_ABORTED ? (first ?? caught) : caught
          broken = await run(client, ROLLBACK).then(
            () => undefined,
            (failure: Error) => failure,
          )
          // A deadlock or serialization failure undid everything: the whole transaction may run again.
          if (broken || attempt === ATTEMPTS_MAX || !mayRunAgain(error)) throw error
          broken = await run(client, PAUSE, [attempt]).then(
            () => undefined,
            (failure: Error) => failure,
          )
        } finally {
          client.release(broken)
        }
      }
    },
    async ping() {
      if (options.before) await options.before(PING.name)
      const ping = { name: PING.name, text: PING.text, query_timeout: PING_TIMEOUT_MS } as pg.QueryConfig
      await alone(async (client) => (await over(() => client.query(ping))).rows)
      watch?.answered()
    },
    async session(work) {
      const client = await borrow()
      let failed: Error | undefined
      const session: Session = {
        kind: 'db',
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
    },
    fullDiskAt: () => full_disk_at,
    arm: () => watch?.arm(),
    close() {
      closing = true
      watch?.close()
      return pool.end()
    },
  }
}

const BEGIN = sql('begin', 'begin')
const COMMIT = sql('commit', 'commit')
const ROLLBACK = sql('rollback', 'rollback')
const PING = sql('ping', 'select 1')
// Whoever was undone lets the others through first: run again at once, it may take the very rows that they have just been given,
// and meet them in the next deadlock.
const PAUSE = sql('pause', 'select pg_sleep(0.05 * $1::int)')

/**
 * Runs `work` in one transaction: all of it is committed, or none. Never call the network inside. A statement that failed
 * fails all of it, even when `work` swallows its error, unless `work` goes back to a savepoint from before it.
 */
export function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction(work)
}

/** A transaction for a use case whose whole write is one statement: every statement commits by itself. */
export function oneStatement(db: Session): Tx {
  return {
    kind: 'tx',
    async query(statement, values) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.query(statement, values)
        } catch (error) {
          if (attempt === ATTEMPTS_MAX || !mayRunAgain(error)) throw error
          await db.query(PAUSE, [attempt]).catch(() => {})
        }
      }
    },
  }
}

const TRANSACTION_ABORTED = '25P02'
const DISK_FULL = '53100'

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** Serialization failure and deadlock: PostgreSQL undid the transaction and asks for another try. */
function mayRunAgain(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/**
 * True when the database could not answer: the caller may try again. What a COMMIT in flight did is then unknown,
 * and only a unique key written with it (the Idempotency-Key) tells.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (/^(08|53|57|58)/.test(code) || ['55P03', '25006', '25P03', '40001', '40P01'].includes(code)) return true
  if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) return true
  // A socket that is not there; a missing file of another kind is no database.
  if (code === 'ENOENT' && (error as { syscall?: unknown }).syscall === 'connect') return true
  const message = error instanceof Error ? error.message : ''
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    message,
  )
}

/** True for a statement for which the database had no disk space left. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL
}

/** The constraint that a unique or check violation names, or null. */
export function violatedConstraint(error: unknown): string | null {
  const found = (error as { constraint?: unknown } | null)?.constraint
  // A sharded database appends its shard's number to the name.
  return typeof found === 'string' ? found.replace(/_\d+$/, '') : null
}

const SUPERUSER = sql('is_superuser', 'select rolsuper from pg_roles where rolname = current_user')

/** True when this connection's role is exempt from every privilege, and so from what makes tables append-only. */
export async function isSuperuser(reader: Reader): Promise<boolean> {
  const [role] = await reader.query<{ rolsuper: boolean }>(SUPERUSER)
  return role?.rolsuper === true
}
