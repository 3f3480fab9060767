// Runs a streaming replica of a PostgreSQL of a test. The test may pause, stop, freeze and promote the replica.

import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { type OwnPostgres, programsOf, serverPids } from './own-postgres.ts'

/** A streaming replica that only one test uses. */
export type OwnReplica = {
  /** The URL with the role of the primary's URL. */
  url: string
  /** The name of the replica in `pg_stat_replication` of its upstream server. */
  name: string
  /** Runs one SQL text as the superuser. */
  admin<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
  stop(): Promise<void>
  /** Starts the replica, on `on_port` or on its last port. Resolves when the replica receives the log. */
  start(on_port?: string): Promise<void>
  /** Lets the replica receive the log from the server at `url` from now on. Does not wait for the connection. */
  follow(url: string): Promise<void>
  /** Makes the replica a primary. Resolves when the new primary accepts writes. */
  promote(): Promise<void>
  /** Sends a signal to every process of the replica. */
  signal(name: NodeJS.Signals): void
  close(): Promise<void>
}

const READY_MS_MAX = 60_000
const PROMPT_MS = 5

/** Copies a primary while it is stopped, and starts both. */
export async function startOwnReplica(primary: OwnPostgres): Promise<OwnReplica> {
  const folder = mkdtempSync(join(tmpdir(), 'replica-'))
  // PostgreSQL may run as another user, and that user needs access to the folder.
  chmodSync(folder, 0o711)
  const data = join(folder, 'data')
  await primary.stop('fast')
  execFileSync('cp', ['-a', join(primary.place, 'data'), data])
  await primary.start()
  const { uid, gid } = statSync(data)
  const { admin_password } = JSON.parse(readFileSync(join(primary.place, 'secrets.json'), 'utf8')) as {
    admin_password: string
  }
  let port = String(await freePort())
  const name = `replica_${port}`
  const conninfoOf = (upstream: string) =>
    `host=127.0.0.1 port=${new URL(upstream).port} user=postgres password=${admin_password} application_name=${name}`
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfoOf(primary.url)}'\n`)
  const signal_file = join(data, 'standby.signal')
  writeFileSync(signal_file, '')
  chownSync(signal_file, uid, gid)
  const programs = programsOf(primary.place)
  const url = new URL(primary.url)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  const replica: OwnReplica = {
    url: url.href,
    name,
    async admin(text) {
      const connectionString = `postgres://postgres:${admin_password}@127.0.0.1:${port}/malipo`
      const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
      client.on('error', () => {})
      try {
        await client.connect()
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
    async follow(upstream) {
      await replica.admin(`alter system set primary_conninfo = '${conninfoOf(upstream)}'`)
      await replica.admin('select pg_reload_conf()')
    },
    async promote() {
      await replica.admin('select pg_promote()')
    },
    async stop() {
      replica.signal('SIGCONT')
      const [postmaster] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(postmaster), 'SIGQUIT')
      while (serverPids(folder).length > 0) await sleep(PROMPT_MS)
    },
    async start(on_port = port) {
      port = on_port
      const settings = [
        'listen_addresses=127.0.0.1',
        "unix_socket_directories=''",
        'fsync=off',
        'shared_buffers=16MB',
        'max_connections=100',
        'hot_standby=on',
        'wal_retrieve_retry_interval=200ms',
      ]
      const args = ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting.replace("''", '')])]
      const log = openSync(join(folder, 'postgres.log'), 'a')
      const child = spawn(join(programs, 'postgres'), args, {
        ...(process.getuid?.() === 0 ? { uid, gid } : {}),
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: join(programs, '../lib') },
        stdio: ['ignore', log, log],
      })
      closeSync(log)
      child.unref()
      const end = Date.now() + READY_MS_MAX
      const streams = () =>
        replica.admin("select 1 from pg_stat_wal_receiver where status = 'streaming'").then(
          (rows) => rows.length > 0,
          () => false,
        )
      while (!(await streams())) {
        if (child.exitCode !== null || Date.now() > end)
          throw new Error(
            `the replica of the test did not start:\n${readFileSync(join(folder, 'postgres.log'), 'utf8')}`,
          )
        await sleep(PROMPT_MS)
      }
    },
    signal(name) {
      for (const pid of serverPids(folder)) {
        try {
          process.kill(pid, name)
        } catch {
          // The process ended before the signal arrived.
        }
      }
    },
    async close() {
      if (serverPids(folder).length > 0) await replica.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await replica.start()
  return replica
}
