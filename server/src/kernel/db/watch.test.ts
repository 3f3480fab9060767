// Tests the watch for a silent database. If the database answers any statement, the watch must not report it as silent, even
// without an answer to the heartbeat.

import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createDb, type Db, sql } from './index.ts'

const SLOW = sql('', 'select pg_sleep(4)::text as slept')
const HEARTBEAT = 'malipo heartbeat'
const HEARTBEATS = sql(
  '',
  `select 1 from pg_stat_activity where application_name = '${HEARTBEAT}' and datname = current_database()`,
)

const databases: TestDatabase[] = []
after(async () => {
  for (const database of databases) await database.drop()
})

/** Makes a database for one test, so that the test finds only its own heartbeat. Returns its URL. */
async function newDatabase(): Promise<string> {
  const database = await createTestDatabase(null)
  databases.push(database)
  return database.url
}

describe('working databases', { concurrency: 2 }, () => {
  test('the watch does not report a working database as hung when the heartbeat cannot open a connection', async () => {
    const proxy = await startProxy(await newDatabase())
    const { db, silences } = open(proxy.url)
    try {
      await Promise.all([db.ping(), db.ping()])
      db.arm()
      await until('the heartbeat is connected', async () => (await db.query(HEARTBEATS)).length === 1)
      proxy.holdNew(() => true)
      assert.equal((await db.query(SLOW)).length, 1)
      assert.equal(silences(), 0)
    } finally {
      await db.close()
      proxy.close()
    }
  })

  test('the watch opens a new heartbeat connection after the loss of the old connection', async () => {
    const { db } = open(await newDatabase())
    try {
      db.arm()
      const find = sql(
        '',
        `select pid from pg_stat_activity where application_name = '${HEARTBEAT}' and datname = current_database()`,
      )
      const pids = async () => (await db.query<{ pid: number }>(find)).map(({ pid }) => pid)
      await until('the heartbeat is connected', async () => (await pids()).length === 1)
      const [lost] = await pids()
      await db.query(sql('', 'select pg_terminate_backend($1::int)'), [lost])
      await until('the heartbeat is connected again', async () => (await pids()).some((pid) => pid !== lost))
    } finally {
      await db.close()
    }
  })

  const answers: [string, (db: Db) => Promise<unknown>][] = [
    ['statements that it refuses', (db) => assert.rejects(db.query(sql('', 'select 1/0')), { code: '22012' })],
    ['pings', (db) => db.ping()],
  ]
  for (const [kind, ask] of answers) {
    test(`the watch does not report a database as hung while the database answers only ${kind}`, async () => {
      const proxy = await startProxy(await newDatabase())
      proxy.holdNew((text) => text.includes(HEARTBEAT))
      const { db, silences } = open(proxy.url)
      let asking = true
      try {
        await Promise.all([db.ping(), db.ping()])
        db.arm()
        const slow = db.query(SLOW).finally(() => {
          asking = false
        })
        const answered = (async () => {
          while (asking) await ask(db)
        })()
        await Promise.all([slow, answered])
        assert.equal(silences(), 0)
      } finally {
        asking = false
        await db.close()
        proxy.close()
      }
    })
  }
})

test('the watch reports a database as hung when the database answers neither the heartbeat nor a statement', async () => {
  const proxy = await startProxy(await newDatabase())
  proxy.holdNew((text) => text.includes(HEARTBEAT))
  const { db, silences } = open(proxy.url)
  try {
    await db.ping()
    db.arm()
    await assert.rejects(db.query(SLOW), { code: '08006' })
    assert.equal(silences(), 1)
  } finally {
    await db.close()
    proxy.close()
  }
})

function open(url: string): { db: Db; silences(): number } {
  let silences = 0
  const watch = {
    on_silent() {
      silences++
    },
    on_answer() {},
  }
  return { db: createDb({ url, max_connections: 2, watch }), silences: () => silences }
}

type TestProxy = {
  url: string
  /** Makes the proxy hold the answers on new connections whose first bytes `fits` accepts. */
  holdNew(fits: (first: string) => boolean): void
  close(): void
}

/** Starts a proxy in this process that forwards connections to the database. */
async function startProxy(to: string): Promise<TestProxy> {
  const target = new URL(to)
  const folder = target.searchParams.get('host')
  let held = (_first: string) => false
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((socket) => {
    keep(socket)
    socket.once('data', (first: Buffer) => {
      if (held(first.toString('latin1'))) return
      const upstream =
        folder === null
          ? connect(Number(target.port), target.hostname)
          : connect(join(folder, `.s.PGSQL.${target.port}`))
      keep(upstream)
      upstream.write(first)
      socket.pipe(upstream).pipe(socket)
      upstream.on('close', () => socket.destroy())
      socket.on('close', () => upstream.destroy())
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = new URL(to)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    holdNew(fits) {
      held = fits
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`)
    await sleep(25)
  }
}
