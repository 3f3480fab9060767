// Tests connections to the hosts of a database URL in turn: a host may be absent, hang, be read-only, or change its role.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../../../test/tls-server.ts'
import { openClient } from './hosts.ts'
import { createDb, isUnavailable, sql } from './index.ts'
import { withClient } from './migrate.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase(null)
  await withClient(database.url, (client) => client.query('create table written (n int)'))
})
const cleanups: (() => unknown)[] = []
after(async () => {
  for (const clean of cleanups.reverse()) await clean()
  await database.drop()
})

const SSL_REQUEST = 80_877_103
const WRITE = sql('', 'insert into written values (1)')
const HEARTBEATS = sql(
  '',
  "select 1 from pg_stat_activity where application_name = 'malipo heartbeat' and datname = current_database()",
)

type State = 'primary' | 'standby' | 'hangs' | 'refuses' | 'ends at once'

/**
 * A host of the test: an address of this process that forwards connections to the database of the test, in one of five states.
 */
type TestHost = { port: number; connections(): number; become(state: State): Promise<void> }

/** Starts a host. A standby is a real session of PostgreSQL that accepts no writes. With `tls`, the host accepts only TLS. */
async function startHost(first: State, { tls = false } = {}): Promise<TestHost> {
  const target = new URL(database.url)
  const folder = target.searchParams.get('host')
  const sockets = new Set<Socket>()
  let state = first
  let connections = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const pass = (socket: Socket, startup: Buffer) => {
    const upstream =
      folder === null ? connect(Number(target.port), target.hostname) : connect(join(folder, `.s.PGSQL.${target.port}`))
    keep(upstream)
    upstream.write(state === 'standby' ? readOnly(startup) : startup)
    socket.pipe(upstream)
    if (state === 'ends at once') upstream.pipe(endAtOnce()).pipe(socket)
    else upstream.pipe(socket)
    upstream.on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  }
  const accept = (socket: Socket) => {
    keep(socket)
    connections += 1
    if (state === 'hangs') return
    socket.once('data', (begin: Buffer) => {
      if (!tls) return pass(socket, begin)
      assert.equal(begin.readInt32BE(4), SSL_REQUEST)
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE })
      secure.on('error', () => {})
      secure.once('data', (startup: Buffer) => pass(secure, startup))
    })
  }
  const server: Server = createServer(accept)
  // The host first listens in any case, because the system must choose its port.
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const silenceConnections = () => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = async () => {
    closeConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  if (state === 'refuses') await stop()
  cleanups.push(stop)
  return {
    port,
    connections: () => connections,
    async become(next) {
      state = next
      if (next === 'hangs') return void silenceConnections()
      // If the next state is `refuses`, the host stops listening. In other states the host listens on, because a new connection
      // between two states would otherwise fail.
      if (next === 'refuses') return stop()
      closeConnections()
      if (!server.listening) await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    },
  }
}

const READY = Buffer.from('Z\0\0\0\x05I')
const ENDED_FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'

/** Makes a stream that adds the end of the connection to the packet in which PostgreSQL accepts the connection. */
function endAtOnce(): Transform {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + ENDED_FIELDS.length)
  const ended = Buffer.concat([Buffer.from('E'), length, Buffer.from(ENDED_FIELDS)])
  return new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, chunk.subarray(-READY.length).equals(READY) ? Buffer.concat([chunk, ended]) : chunk)
    },
  })
}

/** Adds a parameter to a startup packet, so that PostgreSQL makes a session that accepts no writes, as a standby does. */
function readOnly(startup: Buffer): Buffer {
  const longer = Buffer.concat([startup.subarray(0, -1), Buffer.from('default_transaction_read_only\0on\0\0')])
  longer.writeInt32BE(longer.length)
  return longer
}

function urlOf(hosts: readonly TestHost[], more = ''): string {
  const { username, password, pathname } = new URL(database.url)
  const user = password === '' ? username : `${username}:${password}`
  const authority = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return `postgres://${user}@${authority}${pathname}?target_session_attrs=read-write${more}`
}

function openDb(url: string, watch?: { on_silent: () => void; on_answer: () => void }) {
  const db = createDb({ url, max_connections: 3, ...(watch ? { watch } : {}) })
  cleanups.push(() => db.close())
  return db
}

test('the pool writes to the one host that accepts writes, and the next connection begins with that host', async () => {
  const hosts = await Promise.all([startHost('refuses'), startHost('standby'), startHost('primary')])
  const db = openDb(urlOf(hosts))
  // Three transactions at the same time need three connections.
  const all_wrote = Promise.withResolvers<void>()
  let writes = 0
  const write = () =>
    db.transaction(async (tx) => {
      await tx.query(WRITE)
      if (++writes === 3) all_wrote.resolve()
      await all_wrote.promise
    })
  await Promise.all([write(), write(), write()])
  const [, standby, primary] = hosts
  const tried = standby?.connections() ?? 0
  assert.ok(tried > 0 && (primary?.connections() ?? 0) === 3)
  await primary?.become('primary')
  await assert.doesNotReject(async () => db.query(WRITE).catch(() => db.query(WRITE)))
  assert.equal(standby?.connections(), tried, 'a new connection begins with the last good host')
})

test('after two hosts have changed their roles, the pool writes to the new primary without a restart', async () => {
  const [a, b] = [await startHost('primary'), await startHost('standby')]
  const db = openDb(urlOf([a, b]))
  await db.transaction((tx) => tx.query(WRITE))
  await a.become('standby')
  const failure: unknown = await db.query(WRITE).then(
    () => null,
    (error) => error,
  )
  assert.ok(failure === null || isUnavailable(failure), 'the loss of the host is a lost database: 503')
  await assert.rejects(db.query(WRITE), (error: Error) => {
    assert.equal((error as { code?: string }).code, '25006')
    assert.match(error.message, /127\.0\.0\.1:\d+: the host is read-only.*; 127\.0\.0\.1:\d+: the host is read-only/)
    return isUnavailable(error)
  })
  await b.become('primary')
  await db.query(WRITE)
  assert.equal(
    (await withClient(urlOf([a, b]), (client) => client.query('insert into written values (2)'))).command,
    'INSERT',
  )
})

test('the pool and the heartbeat change to the next host when a host hangs', async () => {
  const [a, b] = [await startHost('primary'), await startHost('primary')]
  let silences = 0
  let answers = 0
  const db = openDb(urlOf([a, b]), { on_silent: () => silences++, on_answer: () => answers++ })
  await db.query(WRITE)
  db.arm()
  while ((await db.query(HEARTBEATS)).length === 0);
  await a.become('hangs')
  while (answers === 0) {
    await db.query(WRITE).catch((error) => assert.ok(isUnavailable(error), String(error)))
    await setImmediate()
  }
  await db.query(WRITE)
  assert.equal(silences, 1)
  assert.ok(b.connections() >= 2, 'the heartbeat and the pool use the other host')
})

test('the pool reports a lost database when PostgreSQL ends a connection in the packet that accepts the connection', async () => {
  const host = await startHost('ends at once')
  const one_host = urlOf([host]).replace('?target_session_attrs=read-write', '')
  for (const url of [one_host, urlOf([host])]) {
    const db = openDb(url)
    await host.become('ends at once')
    await assert.rejects(db.query(WRITE), (error) => isUnavailable(error))
    await assert.rejects(openClient(url), (error) => isUnavailable(error))
    await host.become('primary')
    await db.query(WRITE)
  }
})

test('the pool tries no other host after a wrong role, because the other hosts have the same roles', async () => {
  const [a, b] = [await startHost('primary'), await startHost('primary')]
  const url = urlOf([a, b]).replace(/\/\/[^@]*@/, '//no_such_role:wrong@')
  await assert.rejects(openDb(url).ping(), ({ code }: { code: string }) => code.startsWith('28'))
  await assert.rejects(openClient(url), ({ code }: { code: string }) => code.startsWith('28'))
  assert.equal(b.connections(), 0)
})

test('with sslmode=verify-full, the pool accepts only a certificate of the configured authority for the name of the host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'root.crt')
  writeFileSync(file, LOCALHOST_CERTIFICATE)
  const [a, b] = [await startHost('refuses'), await startHost('primary', { tls: true })]
  const by_name = (url: string) => url.replaceAll('127.0.0.1', 'localhost')
  const verified = by_name(urlOf([a, b], `&sslmode=verify-full&sslrootcert=${file}`))
  await openDb(verified).query(WRITE)
  for (const [why, url] of [
    [/does not match certificate/, urlOf([b], `&sslmode=verify-full&sslrootcert=${file}`)],
    [/self-signed certificate/, by_name(urlOf([b], '&sslmode=verify-full'))],
    [/does not support SSL/, by_name(urlOf([await startPlainHost()], `&sslmode=verify-full&sslrootcert=${file}`))],
  ] as const) {
    await assert.rejects(openDb(url).ping(), (error: Error) => {
      assert.match(error.message, why)
      return isUnavailable(error)
    })
  }
})

/** Starts a host that refuses TLS. */
async function startPlainHost(): Promise<TestHost> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.write('N')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => server.close(resolve)))
  return { port: (server.address() as AddressInfo).port, connections: () => 0, become: async () => {} }
}
