// Tests the start and the stop of the server as an operator causes them.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROVIDERS } from '../../src/adapters/providers/registry.ts'
import { createDb, sql } from '../../src/kernel/db/index.ts'
import { ConfigError, readConfig } from '../../src/kernel/lib/index.ts'
import { createTestDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { createClient, startLoad } from './load.ts'
import { type Child, endOf, ROOT, serverEnv, startChild, until } from './processes.ts'
import { createRig, type Rig, seededRandom } from './rig.ts'

const STOP_MS_MAX = 8_000
/** The longest time in milliseconds of a stop, although one connection never sends a request. */
const STOP_SILENT_MS_MAX = 15_000
/**
 * The number of tests that run at the same time. The number may exceed the number of cores, because the tests often wait for a
 * process.
 */
const CONCURRENCY = 3
/**
 * The address of a database that does not exist: no process listens on its port. If a program opens a connection to this
 * database, its error message contains the port.
 */
const NO_DATABASE = 'postgres://nobody:nothing@127.0.0.1:9/none'

const LEASED = sql(
  'crash_leased',
  `select (select count(*)::int from collection_attempts where lease_owner is not null) as attempts,
     (select count(*)::int from webhook_deliveries where lease_owner is not null) as deliveries`,
)

const children: Child[] = []
const closers: (() => Promise<void>)[] = []
after(async () => {
  for (const child of children) await child.kill()
  for (const close of closers) await close()
})

function start(
  env: Record<string, string>,
  entry?: string,
  args?: readonly string[],
  options?: { ipc: boolean },
): Child {
  const child = startChild(env, entry, args, options)
  children.push(child)
  return child
}

async function newRig(): Promise<Rig> {
  const rig = await createRig({ shops: 2, delay_ms: 50 })
  closers.push(rig.close)
  return rig
}

// The tests that wait longest come first, so that the other tests run at the same time.
describe('the start and the stop of processes', { concurrency: CONCURRENCY }, () => {
  test('a process with PROCESS=api records that a merchant used an API key', async () => {
    const rig = await newRig()
    const api = start(rig.env({ PROCESS: 'api' }), undefined, [], { ipc: false })
    await api.ready()
    const [shop] = rig.shops
    const answer = await fetch(`${api.url}/v1/collections`, { headers: { authorization: `Bearer ${shop?.key}` } })
    assert.equal(answer.status, 200)
    const used = sql('crash_used', 'select key_id from api_key_usage')
    await until('the use of the key is recorded', async () => (await rig.db.query(used)).length > 0, 45_000)
    assert.deepEqual(await rig.db.query(used), [{ key_id: shop?.key_id }])
    api.signal('SIGTERM')
    assert.deepEqual(await endOf(api), { code: 0, signal: null })
  })

  test('the server stops within 15 seconds despite idle keep-alive connections and a connection that never sends a request', async () => {
    const rig = await newRig()
    const server = start(rig.env())
    await server.ready()
    await rig.configureWebhooks(server.url)
    const silent = connect({ port: rig.port, host: '127.0.0.1' })
    silent.on('error', () => {})
    const client = createClient(server.url, 4)
    const load = startLoad({
      client,
      shops: rig.shops,
      random: seededRandom(2),
      concurrency: 4,
      per_second: 100,
      endings: ['001'],
    })
    await until('connections are open', () => load.acks.length >= 8)
    await load.stop()
    // At this point the provider sends callbacks, on connections that the provider keeps open.
    const begin = Date.now()
    server.signal('SIGTERM')
    assert.deepEqual(await endOf(server), { code: 0, signal: null })
    const took = Date.now() - begin
    assert.ok(took < STOP_SILENT_MS_MAX, `the stop took ${took} ms`)
    silent.destroy()
    await client.close()
  })

  describe('an invalid configuration', { concurrency: 1 }, () => {
    const production = { NODE_ENV: 'production', DATABASE_URL: '', SECRET_KEY: '', WEBHOOK_ALLOW_PRIVATE: '' }
    const refused: { what: string; env: Record<string, string>; named: string[] }[] = [
      { what: 'several wrong settings', env: { PORT: '-1', LOG_LEVEL: 'loud' }, named: ['PORT', 'LOG_LEVEL'] },
      {
        what: 'production without its settings',
        env: production,
        named: ['DATABASE_URL', 'SECRET_KEY', 'MOCK_SECRET', 'BASE_URL', 'PROVIDER'],
      },
    ]
    for (const { what, env, named } of refused) {
      test(`a server that starts with ${what} exits and names each of these settings`, async () => {
        const child = start(serverEnv(NO_DATABASE, env))
        assert.deepEqual(await endOf(child), { code: 1, signal: null })
        const output = child.output()
        assert.match(output, /The process refuses this configuration/)
        for (const name of named) assert.match(output, new RegExp(`^${name} `, 'm'))
        assert.doesNotMatch(output, /\n\s+at /, 'the output has no stack trace')
      })
    }

    const wrong: { what: string; env: Record<string, string>; named: string }[] = [
      { what: 'a port that is no number', env: { PORT: 'abc' }, named: 'PORT' },
      { what: 'a port out of range', env: { PORT: '70000' }, named: 'PORT' },
      { what: 'an unknown kind of process', env: { PROCESS: 'both' }, named: 'PROCESS' },
      { what: 'a key of the wrong length', env: { SECRET_KEY: 'c2hvcnQ=' }, named: 'SECRET_KEY' },
      { what: 'a database of another kind', env: { DATABASE_URL: 'mysql://127.0.0.1/malipo' }, named: 'DATABASE_URL' },
      {
        what: 'production that delivers to private addresses',
        env: { ...production, WEBHOOK_ALLOW_PRIVATE: 'true' },
        named: 'WEBHOOK_ALLOW_PRIVATE',
      },
    ]
    for (const { what, env, named } of wrong) {
      test(`readConfig refuses ${what} and names the setting`, () => {
        assert.throws(
          () => readConfig(serverEnv(NO_DATABASE, env), PROVIDERS),
          (error) => error instanceof ConfigError && new RegExp(`^${named} `, 'm').test(error.message),
        )
      })
    }

    test('the server exits with code 1 and logs no password when it cannot reach the database', async () => {
      const child = start(
        serverEnv('postgres://nobody:pass-word-here@127.0.0.1:9/none', { PORT: String(await freePort()) }),
      )
      assert.deepEqual(await endOf(child), { code: 1, signal: null })
      assert.match(child.output(), /This process cannot reach the database: .*ECONNREFUSED.*\nCheck DATABASE_URL/)
      assert.doesNotMatch(child.output(), /\n\s+at /, 'the output has no stack trace')
      assert.doesNotMatch(child.output(), /pass-word-here/)
    })

    test('the server exits with code 1 when another process uses its port', async () => {
      const rig = await newRig()
      await start(rig.env()).ready()
      const second = start(rig.env())
      assert.deepEqual(await endOf(second), { code: 1, signal: null })
      assert.match(second.output(), /EADDRINUSE/)
    })
  })

  test('npm start prints its usage for --help and for an unknown argument', async () => {
    const child = start({}, undefined, ['--help'])
    assert.deepEqual(await endOf(child), { code: 0, signal: null })
    assert.match(child.output(), /^Usage: npm start/)
    const unknown = start({}, undefined, ['--bogus'])
    assert.deepEqual(await endOf(unknown), { code: 2, signal: null })
    assert.match(unknown.output(), /^the argument --bogus is unknown\nUsage: npm start/)
  })

  test('the command verify reports that the database is unreachable, and names the setting to check', async () => {
    const child = start(serverEnv(NO_DATABASE), join(ROOT, 'server/src/admin.ts'), ['verify'])
    assert.deepEqual(await endOf(child), { code: 1, signal: null })
    assert.match(child.output(), /^This process cannot reach the database: .*ECONNREFUSED.*\nCheck DATABASE_URL/)
  })

  test('in production, the message about an unreachable database does not suggest the embedded database', async () => {
    const secrets = { SECRET_KEY: Buffer.alloc(32, 1).toString('base64'), MOCK_SECRET: 'a secret of the tests' }
    const env = {
      NODE_ENV: 'production',
      ALLOW_MOCK_IN_PRODUCTION: 'true',
      FOUR_EYES_AMOUNT: 'off',
      BASE_URL: 'https://api.example.tz',
      WEBHOOK_ALLOW_PRIVATE: '',
      ...secrets,
    }
    const child = start(serverEnv(NO_DATABASE, env))
    assert.deepEqual(await endOf(child), { code: 1, signal: null })
    assert.match(
      child.output(),
      /This process cannot reach the database: .*\nCheck DATABASE_URL and that the server runs\.\n/,
    )
    assert.doesNotMatch(child.output(), /embedded/)
  })

  test('an incomplete admin command prints its help and exits with code 2', async () => {
    const child = start(serverEnv(NO_DATABASE), join(ROOT, 'server/src/admin.ts'), ['statement'])
    assert.deepEqual(await endOf(child), { code: 2, signal: null })
    assert.match(child.output(), /^Usage: npm run -s admin -- statement import --provider[\s\S]*Example/)
    const help = start(serverEnv(NO_DATABASE), join(ROOT, 'server/src/admin.ts'), ['statement', 'import', '--help'])
    assert.deepEqual(await endOf(help), { code: 0, signal: null })
    assert.equal(help.output(), child.output())
  })

  test('a running server answers /healthz and /readyz', async () => {
    const rig = await newRig()
    const server = start(rig.env())
    await server.ready()
    const get = async (path: string) => {
      const answer = await fetch(server.url + path)
      return [answer.status, await answer.json()]
    }
    assert.deepEqual(await get('/healthz'), [200, { status: 'ok' }])
    const checks = { database: 'ok', writable: 'ok', disk: 'ok', key: 'ok', migrations: 'ok' }
    assert.deepEqual(await get('/readyz'), [200, { status: 'ready', checks }])
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`on ${signal} under load, the server answers each started request, loses no payment, and exits with code 0`, async (t) => {
      const rig = await newRig()
      const server = start(rig.env())
      await server.ready()
      await rig.configureWebhooks(server.url)
      const client = createClient(server.url, 16)
      const load = startLoad({
        client,
        shops: rig.shops,
        random: seededRandom(1),
        concurrency: 16,
        per_second: 400,
        endings: ['001', '009'],
      })
      await until('the load runs', () => load.acks.length >= 100)
      const asked_at = Date.now()
      // A terminal and npm can both send the signal, so the server gets the signal twice at the same time. A later second
      // signal would end the server.
      server.signal(signal)
      server.signal(signal)
      const takesNoMore = () =>
        fetch(`${server.url}/readyz`).then(
          (answer) => answer.status !== 200,
          () => true,
        )
      await until('the server has begun to stop', takesNoMore)
      assert.deepEqual(await endOf(server), { code: 0, signal: null }, server.output())
      const took = Date.now() - asked_at
      t.diagnostic(`stopped after ${took} ms with ${load.acks.length} payments acknowledged`)
      assert.ok(took < STOP_MS_MAX, `the stop took ${took} ms`)

      // The server has finished its started work: the response to each accepted payment arrived, and no lease remains.
      const accepted = await rig.db.query<{ id: string }>(sql('crash_accepted', 'select id from collections'))
      const isAnswered = ({ id }: { id: string }) => load.acks.some((ack) => ack.collection_id === id)
      await until('every accepted payment was answered', () => accepted.every(isAnswered), 5_000)
      assert.deepEqual(await rig.db.query(LEASED), [{ attempts: 0, deliveries: 0 }])

      const next = start(rig.env())
      await next.ready()
      await load.stop()
      assert.deepEqual(load.problems, [])
      const { left } = await waitQuiet(rig)
      assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
      assert.deepEqual(findProblems(await gatherFacts(rig, load.acks)), [])
      await client.close()
      next.signal(signal)
      assert.deepEqual(await endOf(next), { code: 0, signal: null })
    })
  }

  test("npm start forwards a stop signal to the server and exits with the server's exit code", async () => {
    const rig = await newRig()
    const runner = start(rig.env(), join(ROOT, 'scripts/run.mjs'), ['server/src/main.ts'])
    await runner.ready()
    runner.signal('SIGTERM')
    runner.signal('SIGTERM')
    assert.deepEqual(await endOf(runner), { code: 0, signal: null }, runner.output())
  })

  test('a worker exits with code 0 on SIGTERM', async () => {
    const rig = await newRig()
    const worker = start(rig.env({ PROCESS: 'worker', LOG_LEVEL: 'info' }))
    await until('the worker has started', () => worker.output().includes('worker started'))
    worker.signal('SIGTERM')
    assert.deepEqual(await endOf(worker), { code: 0, signal: null })
  })

  test('a worker survives the loss of the database, continues when the database is back, and exits only on a signal', async () => {
    const rig = await newRig()
    const gate = await startGate(rig.url)
    closers.push(gate.close)
    // Without an IPC channel, only the timers of the worker keep the process alive.
    const worker = start(rig.env({ PROCESS: 'worker', LOG_LEVEL: 'info', DATABASE_URL: gate.url }), undefined, [], {
      ipc: false,
    })
    await until('the worker has started', () => worker.output().includes('worker started'))
    await gate.shut()
    await until('the worker has logged the failure', () => worker.output().includes('task failed'))
    // This wait exceeds the worker's pauses. After all timers have fired, the process still runs.
    await sleep(3_000)
    assert.ok(worker.alive(), worker.output())
    await gate.open()
    const api = start(rig.env({ PROCESS: 'api' }))
    await api.ready()
    const [shop] = rig.shops
    const pushed = await fetch(`${api.url}/v1/collections/wallet-push`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop?.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'after-the-cut',
      },
      body: JSON.stringify({ amount: '10', phone: '0754123001' }),
    })
    assert.equal(pushed.status, 202)
    const statuses = sql('crash_statuses', 'select status from collections')
    await until('the payment is made', async () => {
      const [row] = await rig.db.query<{ status: string }>(statuses)
      return row?.status === 'successful'
    })
    assert.ok(worker.alive())
    for (const child of [worker, api]) child.signal('SIGTERM')
    for (const child of [worker, api]) assert.deepEqual(await endOf(child), { code: 0, signal: null }, child.output())
  })

  test('processes that start at the same time on an empty folder share one complete secret key', async () => {
    const database = await createTestDatabase()
    closers.push(database.drop)
    const folder = mkdtempSync(join(tmpdir(), 'secret-'))
    const env = async () =>
      serverEnv(database.url, { DATA_DIR: folder, SECRET_KEY: '', PORT: String(await freePort()) })
    const servers = [start(await env()), start(await env()), start(await env())]
    await Promise.all(servers.map((server) => server.ready()))
    // Each server also writes the file with its port. Outside production, it stores the passwords of the demo users soon after it is ready.
    const kept = readdirSync(folder).filter((name) => !/^(?:demo-people|server)\.json/.test(name))
    assert.deepEqual(kept, ['secret.key'])
    const file = join(folder, 'secret.key')
    assert.equal(Buffer.from(readFileSync(file, 'utf8'), 'base64').length, 32)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    for (const server of servers) server.signal('SIGTERM')
    for (const server of servers) assert.deepEqual(await endOf(server), { code: 0, signal: null })
  })

  test('the server refuses an invalid secret key and names the file of the key', async () => {
    const database = await createTestDatabase()
    closers.push(database.drop)
    const folder = mkdtempSync(join(tmpdir(), 'secret-'))
    writeFileSync(join(folder, 'secret.key'), '')
    const server = start(serverEnv(database.url, { DATA_DIR: folder, SECRET_KEY: '', PORT: String(await freePort()) }))
    assert.deepEqual(await endOf(server), { code: 1, signal: null })
    assert.match(server.output(), /The process refuses this configuration:\n.*secret\.key/)
    assert.equal(readFileSync(join(folder, 'secret.key'), 'utf8'), '', 'the server never overwrites the file')
  })

  test('four processes start at the same time on an empty database, and make one demo merchant', async () => {
    const database = await createTestDatabase(null)
    closers.push(database.drop)
    const servers: Child[] = []
    for (let i = 0; i < 4; i++) {
      // As on a developer's machine, each process also tries to make the demo merchant.
      servers.push(start(serverEnv(database.url, { NODE_ENV: 'development', PORT: String(await freePort()) })))
    }
    await Promise.all(servers.map((server) => server.ready()))
    await until('all servers are ready', () => servers.every((server) => server.output().includes('is ready.')))
    const db = createDb({ url: database.url, max_connections: 1 })
    const applied = await db.query<{ name: string }>(
      sql('crash_applied', 'select name from schema_migrations order by name'),
    )
    assert.ok(applied.length >= 1)
    const [demo] = await db.query<{ merchants: number }>(
      sql('crash_demo', 'select count(*)::int as merchants from merchants'),
    )
    await db.close()
    for (const server of servers) server.signal('SIGTERM')
    for (const server of servers) assert.deepEqual(await endOf(server), { code: 0, signal: null })
    assert.equal(demo?.merchants, 1, 'the database has one demo merchant')
  })
})

/** Starts a TCP proxy in front of the database. While the proxy is closed, the worker cannot reach the database. */
async function startGate(url: string) {
  const target = new URL(url)
  const socket_folder = target.searchParams.get('host')
  const to = socket_folder
    ? { path: join(socket_folder, `.s.PGSQL.${target.port || target.searchParams.get('port') || '5432'}`) }
    : { host: target.hostname, port: Number(target.port) }
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const there = connect(to)
    for (const [one, other] of [
      [from, there],
      [there, from],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const port = await freePort()
  const open = () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const shut = async () => {
    const closed = new Promise((done) => server.close(done))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await open()
  const through = new URL(`postgres://127.0.0.1:${port}`)
  through.username = target.username
  through.password = target.password
  through.pathname = target.pathname
  return { url: through.href, open, shut, close: async () => (server.listening ? shut() : undefined) }
}
