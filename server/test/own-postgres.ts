// Runs a separate PostgreSQL server for one test. The test may restart, stop, freeze and change this server without an effect
// on other tests.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../src/kernel/db/embedded.ts'
import { migrate } from '../src/kernel/db/migrate.ts'

/**
 * The way in which the test stops the server: `fast` closes all connections, `immediate` is a crash from which the server
 * recovers.
 */
export type StopMode = 'fast' | 'immediate'

/** A migrated server that only one test uses. */
export type OwnPostgres = {
  /** The URL for the role that owns the database. Restarts do not change the URL. */
  url: string
  /** The folder that contains `data`, the sockets and the log. */
  place: string
  /** Runs one SQL text as the superuser. */
  admin<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  stop(mode: StopMode): Promise<void>
  /**
   * Starts the server after `stop`. Resolves when the server accepts connections. A standby stays in recovery and answers only
   * reads.
   */
  start(role?: 'primary' | 'standby'): Promise<void>
  /** Sends a signal to every process of the server. */
  signal(name: NodeJS.Signals): void
  /** Stops the server and removes its data. */
  close(): Promise<void>
}

const STOP_SIGNALS: Record<StopMode, NodeJS.Signals> = { fast: 'SIGINT', immediate: 'SIGQUIT' }

const PROMPT_MS = 5
const READY_MS_MAX = 60_000

/** Makes a server with the current schema. After `stop`, only `start` starts the server. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'own-'))
  // PostgreSQL may run as another user, and that user needs access to the folder.
  chmodSync(folder, 0o711)
  const made = await startEmbedded({
    dataDir: folder,
    log: { info: () => {}, warn: () => {} },
    settings: { fsync: 'off', shared_buffers: '16MB' },
    binDir: process.env.TEST_PG_BIN || undefined,
  })
  const { url, place } = made
  await migrate(url)
  await made.stop()

  const { admin_password } = JSON.parse(readFileSync(join(place, 'secrets.json'), 'utf8')) as { admin_password: string }
  const data = join(place, 'data')
  const { uid, gid } = statSync(data)
  const programs = programsOf(place)
  const { port } = new URL(url)
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: new URL(url).searchParams.get('host') ?? '',
    // Without fsync, a crash of the machine loses data, but a crash of PostgreSQL does not.
    fsync: 'off',
    shared_buffers: '16MB',
    max_connections: '100',
    timezone: 'UTC',
  }
  const standby = join(data, 'standby.signal')
  const own: OwnPostgres = {
    url,
    place,
    async admin(text, values = []) {
      const connectionString = `postgres://postgres:${admin_password}@127.0.0.1:${port}/malipo`
      // Even if a test has made the database read-only, the superuser may write.
      const options = '-c default_transaction_read_only=off'
      const client = new pg.Client({ connectionString, options, connectionTimeoutMillis: 5_000 })
      client.on('error', () => {})
      try {
        await client.connect()
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    },
    async stop(mode) {
      const [postmaster] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(postmaster), STOP_SIGNALS[mode])
      while (serverPids(place).length > 0) await sleep(PROMPT_MS)
    },
    async start(role = 'primary') {
      if (role === 'standby') {
        writeFileSync(standby, '')
        chownSync(standby, uid, gid)
      } else rmSync(standby, { force: true })
      const args = ['-D', data, '-p', port]
      for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
      const child = spawn(join(programs, 'postgres'), args, {
        ...(process.getuid?.() === 0 ? { uid, gid } : {}),
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: join(programs, '../lib') },
        stdio: 'ignore',
      })
      child.unref()
      const end = Date.now() + READY_MS_MAX
      const accepts = () =>
        own.admin('select 1').then(
          () => true,
          () => false,
        )
      while (!(await accepts())) {
        if (child.exitCode !== null || Date.now() > end) throw new Error('PostgreSQL of the test did not start')
        await sleep(PROMPT_MS)
      }
    },
    signal(name) {
      for (const pid of serverPids(place)) {
        try {
          process.kill(pid, name)
        } catch {
          // The process ended before the signal arrived.
        }
      }
    },
    async close() {
      own.signal('SIGCONT')
      if (serverPids(place).length > 0) await own.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
      rmSync(place, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

/** Returns the folder of the programs of PostgreSQL: those of TEST_PG_BIN, or the packaged programs in the folder of the server. */
export function programsOf(place: string): string {
  if (process.env.TEST_PG_BIN) return process.env.TEST_PG_BIN
  return join(place, readdirSync(place).find((name) => name.startsWith('programs-')) as string, 'bin')
}

/** Returns the process ids of the server with files in `folder`. */
export function serverPids(folder: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder) ? [Number(name)] : []
    } catch {
      return [] // The process ended, or the process belongs to another user.
    }
  })
}
