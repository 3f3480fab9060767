// Connects to the hosts of a database URL in turn. If the URL requires a host that accepts writes, skips the other hosts.

import pg from 'pg'
import { splitDatabaseUrl } from '../lib/index.ts'

/** The time in milliseconds for which a single connection waits for one host. */
const CONNECT_TIMEOUT_MS = 10_000

/** The failure of one host, with its address. */
type HostFailure = { host: string; error: Error }

/** The hosts of one database. The pool and the heartbeat of a process share them, so that both use the same host. */
export type DatabaseHosts = {
  readonly count: number
  /** True if the connections go through a connection pooler in transaction mode. */
  readonly is_pooled: boolean
  /** The class of connections that the pool makes. Each new connection uses the current host. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client
  /**
   * Records that the host of `client` does not answer. If it is the current host, the next connection uses the next host.
   */
  leave(client: pg.Client): void
  /**
   * Calls `connect` until it succeeds, at most once for each host. If `connect` throws an error that is no failure of a host,
   * the attempts end.
   */
  inTurn<Result>(connect: () => Promise<Result>): Promise<Result>
}

/** Reads the hosts of a database URL. If the URL is wrong, throws an error that contains no secret of the URL. */
export function createHosts(url: string): DatabaseHosts {
  const { urls, must_accept_writes, options, is_pooled } = splitDatabaseUrl(url)
  const failures = new WeakMap<object, HostFailure>()
  let current = 0
  const places = new WeakMap<pg.Client, number>()
  const leave = (client: pg.Client) => {
    if (places.get(client) === current) current = (current + 1) % urls.length
  }

  class HostClient extends pg.Client {
    /** The first error of the connection. Null means that the process has seen no error of the connection. */
    private broken: Error | null = null

    constructor(config: pg.ClientConfig = {}) {
      const merged = [options, config.options].filter(Boolean).join(' ')
      super({ ...config, connectionString: urls[current] as string, ...(merged === '' ? {} : { options: merged }) })
      places.set(this, current)
      // Without a listener, a lost connection would end the process. A statement of a broken connection rejects in any case.
      this.on('error', (error: Error) => {
        this.broken ??= error
      })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.connectToWritable()
      if (callback === undefined) return connected
      connected.then(() => callback(null as unknown as Error), callback)
      return undefined
    }

    async connectToWritable(): Promise<pg.Client> {
      const reported = reportedSettings(this)
      try {
        await super.connect()
        if (must_accept_writes) await requireWritable(this, reported)
        // PostgreSQL may end a connection in the same packet in which it accepts the connection.
        if (this.broken !== null) throw this.broken
        return this
      } catch (error) {
        leave(this)
        failures.set(error as Error, { host: `${this.host}:${this.port}`, error: error as Error })
        throw error
      }
    }
  }

  return {
    count: urls.length,
    is_pooled,
    Client: HostClient,
    leave,
    async inTurn(connect) {
      if (urls.length === 1) return connect()
      const failed: HostFailure[] = []
      for (;;) {
        try {
          return await connect()
        } catch (error) {
          // If a timeout ends an attempt, the pool throws its own error with the original error as the cause.
          const failure = failures.get(error as Error) ?? failures.get((error as { cause?: object }).cause ?? {})
          if (failure === undefined || isRoleRefusal(error)) throw error
          failed.push(failure)
          if (failed.length === urls.length) throw noHost(failed)
        }
      }
    },
  }
}

/**
 * Opens one connection to the first host of a database URL that works and, if the URL requires it, accepts writes. The caller
 * must end the connection.
 */
export async function openClient(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const hosts = createHosts(url)
  return hosts.inTurn(async () => {
    const client = new hosts.Client({ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...config })
    await client.connect()
    return client
  })
}

const READ_ONLY = '25006'

/** Collects the settings that PostgreSQL reports while a connection opens. PgBouncer does not report all of them. */
function reportedSettings(client: pg.Client): Map<string, string> {
  const reported = new Map<string, string>()
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('parameterStatus', (message: { parameterName: string; parameterValue: string }) =>
    reported.set(message.parameterName, message.parameterValue),
  )
  return reported
}

const ACCEPTS_WRITES =
  "select pg_is_in_recovery() as is_standby, current_setting('default_transaction_read_only')::bool as is_read_only"

/** If the host accepts no writes, ends the connection and throws an error with the SQLSTATE of a read-only database. */
async function requireWritable(client: pg.Client, reported: ReadonlyMap<string, string>): Promise<void> {
  let is_standby = reported.get('in_hot_standby') === 'on'
  let is_read_only = reported.get('default_transaction_read_only') === 'on'
  if (!reported.has('in_hot_standby') || !reported.has('default_transaction_read_only')) {
    const { rows } = await client.query<{ is_standby: boolean; is_read_only: boolean }>(ACCEPTS_WRITES)
    is_standby = rows[0]?.is_standby === true
    is_read_only = rows[0]?.is_read_only === true
  }
  if (!is_standby && !is_read_only) return
  client.end().catch(() => {})
  const why = is_standby ? 'is a standby' : 'is read-only'
  throw Object.assign(new Error(`the host ${why} and accepts no writes`), { code: READ_ONLY })
}

/** Returns true if PostgreSQL refused the role or the database. The other hosts have the same roles and databases. */
function isRoleRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^(28|3D|42)/.test(code)
}

function noHost(failed: readonly HostFailure[]): Error {
  const texts = failed.map(({ host, error }) => `${host}: ${error.message || (error as { code?: string }).code}`)
  const code = failed.every(({ error }) => (error as { code?: string }).code === READ_ONLY) ? READ_ONLY : '08001'
  return Object.assign(new Error(`no host of the database accepts writes (${texts.join('; ')})`), { code })
}
