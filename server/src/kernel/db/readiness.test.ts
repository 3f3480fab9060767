// Tests the readiness of a process, and the number of connections that a check takes.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { testDeps } from '../../../test/harness.ts'
import { type Checks, createDb, createReadiness, type Db, type DbOptions, sql } from './index.ts'

const OK: Checks = { database: 'ok', writable: 'ok', disk: 'ok', key: 'ok', migrations: 'ok' }
const FULL = sql('', "do $$ begin raise exception 'no space' using errcode = 'disk_full'; end $$")
const CANARY = sql('', 'select 1 from vault_canary')
/** The time in milliseconds for which a process reports a refused write, unless a later check writes successfully. */
const REMEMBERED_MS = 10_000

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Makes a process with a separate pool. The test reads the number of connections that the pool has opened. */
async function open(before?: DbOptions['before']): Promise<{
  db: Db
  check: () => Promise<Checks>
  connections: () => Promise<number>
  close: () => Promise<void>
}> {
  const application_name = `readiness ${randomBytes(6).toString('hex')}`
  const deps = testDeps(database.url)
  const db = createDb({ url: database.url, max_connections: 6, application_name, ...(before ? { before } : {}) })
  const check = createReadiness(
    { ...deps, db },
    { folders: [], keyFits: async (reader) => (await reader.query(CANARY)).length >= 0 },
  )
  const connections = async () => {
    const [row] = await deps.db.query<{ count: number }>(
      sql('', 'select count(*)::int as count from pg_stat_activity where application_name = $1'),
      [application_name],
    )
    return row?.count ?? 0
  }
  const close = async () => {
    await db.close()
    await deps.close()
  }
  return { db, check, connections, close }
}

test('a process is ready again at the next check with a successful write after a full disk refused one write', async () => {
  const { db, check, close } = await open()
  try {
    await assert.rejects(db.query(FULL), { code: '53100' })
    const refused_at = performance.now()
    assert.deepEqual(await check(), { ...OK, writable: 'the disk of the database is full' })
    while ((await check()).writable !== 'ok') await sleep(25)
    const ms = Math.round(performance.now() - refused_at)
    assert.ok(ms < REMEMBERED_MS, `the process was ready again after ${ms} ms`)
    assert.deepEqual(await check(), OK)
  } finally {
    await close()
  }
})

test('a process stays unready while a full disk refuses its writes between two checks', async () => {
  const { db, check, close } = await open()
  try {
    let last: Checks | null = null
    for (let seen = 0; seen < 3; ) {
      await assert.rejects(db.query(FULL), { code: '53100' })
      const checks = await check()
      assert.equal(checks.writable, 'the disk of the database is full')
      if (checks !== last) seen++
      last = checks
    }
  } finally {
    await close()
  }
})

test('a readiness check uses one connection of the pool', async () => {
  const { check, connections, close } = await open()
  try {
    assert.deepEqual(await check(), OK)
    assert.equal(await connections(), 1)
  } finally {
    await close()
  }
})

test('while no write ends, readiness checks report only the write as late, and share one connection', async () => {
  const write = Promise.withResolvers<void>()
  const { check, connections, close } = await open((name) => (name === 'readiness_probe' ? write.promise : undefined))
  try {
    let last: Checks | null = null
    for (let seen = 0; seen < 2; ) {
      const checks = await check()
      if (checks !== last) {
        seen++
        assert.deepEqual(checks, { ...OK, writable: 'the check got no answer in time' })
        assert.equal(await connections(), 1)
      }
      last = checks
    }
    write.resolve()
    while ((await check()).writable !== 'ok') await sleep(25)
  } finally {
    write.resolve()
    await close()
  }
})

test('a caller gets the fresh result while the next readiness check waits for the database', async (t) => {
  let probes = 0
  const write = Promise.withResolvers<void>()
  const { check, close } = await open((name) => {
    if (name === 'readiness_probe' && ++probes > 1) return write.promise
  })
  try {
    assert.deepEqual(await check(), OK)
    const begin = performance.now()
    let passed_ms = 600
    t.mock.method(performance, 'now', () => begin + passed_ms)
    assert.deepEqual(await check(), OK)
    while (probes < 2) await sleep(5)
    assert.deepEqual(await check(), OK)
    passed_ms = 1_600
    const late = check()
    write.resolve()
    assert.deepEqual(await late, OK)
    assert.equal(probes, 2, 'the late caller waits for the check that runs')
  } finally {
    write.resolve()
    await close()
  }
})
