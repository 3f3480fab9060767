// Tests the reads of a real streaming replica: each read is fresh or goes to the primary, and never fails because of the
// replica.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWorld, type World } from '../../../test/harness.ts'
import { type OwnPostgres, startOwnPostgres } from '../../../test/own-postgres.ts'
import { type OwnReplica, startOwnReplica } from '../../../test/own-replica.ts'
import { inSteps } from '../../../test/steps.ts'
import { createLog } from '../lib/index.ts'
import { createMetrics } from '../lib/metrics-registry.ts'
import { createDb, type Db, sql } from './pool.ts'
import { compareReplica, openReadReplica, type ReadReplica } from './read-replica.ts'

const LAG_MAX_MS = 2_000
const AWAY_MS = 5_500
/** A busy machine can make each step many times slower, so this bound only ends a test whose replica never answers. */
const RETURN_MS_MAX = 60_000

let primary: OwnPostgres
let server: OwnReplica
let db: Db
const opened: ReadReplica[] = []
before(async () => {
  primary = await startOwnPostgres()
  server = await startOwnReplica(primary)
  db = createDb({ url: primary.url, max_connections: 4 })
  await db.query(sql('', 'create table notes (number int primary key)'))
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})
after(async () => {
  await db?.close()
  await server?.close()
  await primary?.close()
})

type Counts = { replica: number; primary: number }

function open(options: { lag_max_ms?: number; url?: string } = {}) {
  const metrics = createMetrics()
  const logged: string[] = []
  const log = createLog('info', { write: (line) => void logged.push(line) })
  const { lag_max_ms = LAG_MAX_MS, url = server.url } = options
  const replica = openReadReplica(db, { url, max_connections: 4, lag_max_ms, log, metrics })
  replica.arm()
  opened.push(replica)
  const value = async (name: string) => {
    const text = await metrics.text()
    assert.ok(text.includes(`# TYPE ${name.split('{')[0]} `), `there is no metric ${name}`)
    // A counter has no line for a label before its first count.
    return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (.+)$`, 'm').exec(text)?.[1] ?? 0)
  }
  const counts = async (): Promise<Counts> => ({
    replica: await value('malipo_reads_total{database="replica"}'),
    primary: await value('malipo_reads_total{database="primary"}'),
  })
  return { reads: replica.reads, counts, value, logged }
}

let number = 0
/** Writes a note to the primary, and returns true if a read with `reads` finds the note. */
async function seesOwnWrite(reads: Db): Promise<boolean> {
  number += 1
  await db.query(sql('', 'insert into notes values ($1)'), [number])
  return (await reads.query(sql('', 'select 1 as found from notes where number = $1'), [number])).length === 1
}

/**
 * Reads until the replica has answered one more read. On a busy machine, the first reads may come too late for a short limit.
 */
async function readFromReplica({ reads, counts, logged }: ReturnType<typeof open>): Promise<Counts> {
  const { replica } = await counts()
  const end = Date.now() + RETURN_MS_MAX
  for (;;) {
    assert.ok(await seesOwnWrite(reads))
    const now = await counts()
    if (now.replica > replica) return now
    assert.ok(Date.now() < end, `the replica answers no read: ${logged.join('')}`)
  }
}

test('a read of the replica immediately finds the write that the caller has just made, a hundred times', async () => {
  const { reads, counts, value } = open()
  for (let i = 0; i < 100; i++) assert.ok(await seesOwnWrite(reads), `write ${i}`)
  assert.deepEqual(await counts(), { replica: 100, primary: 0 })
  assert.equal(await value('malipo_read_replica_up'), 1)
  assert.ok((await value('malipo_read_replica_lag_seconds')) < LAG_MAX_MS / 1_000)
})

/** Writes to the log until its last record ends at the end of a page. */
async function fillPageOfLog(): Promise<void> {
  const place = sql('', "select mod(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'), 8192)::int as bytes")
  const bytes = async () => (await db.query<{ bytes: number }>(place))[0]?.bytes ?? 0
  const emit = sql('', "select pg_logical_emit_message(true, 'fill', repeat('x', $1::int))")
  let size = 0
  for (;;) {
    const from = await bytes()
    if (from === 24) return
    // PostgreSQL rounds sizes of records up to 8 bytes, and the size of a message with 100 characters is known after the first.
    const length = 100 + 8192 - from - size
    await db.query(emit, [size > 0 && length >= 0 && length < 200 ? length : 100])
    const to = await bytes()
    if (size === 0 && to > from) size = to - from
  }
}

test('a replica that has all changes answers, even when the log ends at the end of a page', async () => {
  const { reads, counts } = open()
  await fillPageOfLog()
  await reads.query(sql('', 'select 1'))
  assert.deepEqual(await counts(), { replica: 1, primary: 0 })
})

test('each of fifty reads at the same time finds the write before it on the replica', async () => {
  const { reads, counts } = open()
  const seen = await Promise.all(Array.from({ length: 50 }, () => seesOwnWrite(reads)))
  assert.ok(seen.every(Boolean))
  assert.deepEqual(await counts(), { replica: 50, primary: 0 })
})

test('the primary answers within 2 seconds while the replica is late, and the replica answers again afterwards', async () => {
  const replica = open({ lag_max_ms: 150 })
  const { reads, counts, value } = replica
  const before_pause = await readFromReplica(replica)
  await server.admin('select pg_wal_replay_pause()')
  try {
    const { result, took_ms } = await inSteps(seesOwnWrite(reads))
    assert.ok(result, 'the primary has the write')
    assert.ok(took_ms < 2_000, `${took_ms} ms`)
    assert.ok(await seesOwnWrite(reads), 'for a second, reads do not wait for the replica')
    assert.deepEqual(await counts(), { ...before_pause, primary: before_pause.primary + 2 })
    // The lag grows while the replica is silent.
    while ((await value('malipo_read_replica_lag_seconds')) <= 0.1) await sleep(10)
  } finally {
    await server.admin('select pg_wal_replay_resume()')
  }
  await readFromReplica(replica)
})

test('reads continue without an error when the server loses the replica, and the replica answers again after its return', async () => {
  const { reads, counts, value, logged } = open()
  assert.ok(await seesOwnWrite(reads))
  const slow = reads.query(sql('', 'select count(*)::int as notes, pg_sleep(1) from notes'))
  await sleep(300)
  await server.stop()
  assert.equal(((await slow) as { notes: number }[])[0]?.notes, number)
  for (let i = 0; i < 5; i++) assert.ok(await seesOwnWrite(reads))
  assert.deepEqual(await counts(), { replica: 1, primary: 6 })
  assert.equal(await value('malipo_read_replica_up'), 0)
  await server.start()
  await sleep(AWAY_MS)
  assert.ok(await seesOwnWrite(reads))
  assert.equal((await counts()).replica, 2)
  assert.match(logged.join(''), /the primary answers all reads[\s\S]*the read replica answers reads again/)
})

test('a silent replica causes no error and delays a read by at most 1.5 seconds', async () => {
  const replica = open({ lag_max_ms: 150 })
  const { reads, counts, value } = replica
  const before_stop = await readFromReplica(replica)
  server.signal('SIGSTOP')
  try {
    const first = await inSteps(seesOwnWrite(reads))
    assert.ok(first.result)
    assert.ok(first.took_ms < 1_500, `the first read took ${first.took_ms} ms`)
    const next = await inSteps(
      (async () => {
        for (let i = 0; i < 5; i++) assert.ok(await seesOwnWrite(reads))
      })(),
    )
    assert.ok(next.took_ms < 2_000, 'further reads do not wait')
    assert.deepEqual(await counts(), { ...before_stop, primary: before_stop.primary + 6 })
    // The lag grows while the replica is silent.
    while ((await value('malipo_read_replica_lag_seconds')) <= 0.1) await sleep(10)
  } finally {
    server.signal('SIGCONT')
  }
})

test('a read of the replica rejects with the error of a wrong or slow statement, and the replica stays in use', async () => {
  const { reads, counts } = open()
  await assert.rejects(reads.query(sql('', 'select 1 from no_such_table')), { code: '42P01' })
  await assert.rejects(reads.query(sql('', "set statement_timeout = '50ms'; select pg_sleep(1)")), { code: '57014' })
  assert.ok(await seesOwnWrite(reads))
  assert.deepEqual(await counts(), { replica: 1, primary: 0 })
})

test('a list from the replica has the payment that the merchant has just requested, and no single record comes from the replica', async () => {
  const world: World = await createWorld({ url: primary.url })
  try {
    const { reads, counts } = open()
    world.deps.reads = reads
    const key = world.live_key
    for (let i = 0; i < 20; i++) {
      // Ids of the same millisecond have no order, so the test moves the clock forward.
      world.deps.clock.advance(1)
      const body = { amount: '500', phone: '0754123001', reference: `R-${i}` }
      const { collection_id } = (await world.post('/v1/collections/wallet-push', body, { key })).body.data
      const listed = await world.get('/v1/collections?page_size=1', key)
      assert.equal(listed.body.data.items[0].collection_id, collection_id)
    }
    const of_lists = await counts()
    assert.equal(of_lists.primary, 0)
    assert.ok(of_lists.replica >= 20)
    const [listed] = (await world.get('/v1/collections', key)).body.data.items
    const before_reads = await counts()
    assert.equal((await world.get(`/v1/collections/${listed.collection_id}`, key)).status, 200)
    assert.equal((await world.get('/v1/me', key)).status, 200)
    assert.deepEqual(await counts(), before_reads)
    for (const path of [
      'payment-links',
      'invoices',
      'merchants/me/transactions',
      'events',
      'merchant/webhook-deliveries',
    ]) {
      const { replica } = await counts()
      assert.equal((await world.get(`/v1/${path}`, key)).status, 200, path)
      assert.ok((await counts()).replica > replica, path)
    }
    assert.equal((await counts()).primary, 0)
  } finally {
    await world.close()
  }
})

test('a replica that was promoted, the primary itself and another database answer no read', async () => {
  const self = open({ url: primary.url })
  assert.ok(await seesOwnWrite(self.reads))
  assert.deepEqual(await self.counts(), { replica: 0, primary: 1 })
  assert.match(self.logged.join(''), /it accepts writes, so it is no replica/)

  const other = await startOwnPostgres()
  try {
    const strange = open({ url: other.url })
    assert.ok(await seesOwnWrite(strange.reads))
    assert.deepEqual(await strange.counts(), { replica: 0, primary: 1 })
    assert.match(strange.logged.join(''), /it is a copy of another database/)
  } finally {
    await other.close()
  }

  const promoted = open()
  const reader = createDb({ url: server.url, max_connections: 1 })
  try {
    assert.equal((await compareReplica(db, reader)).problem, null)
    await server.admin('select pg_promote()')
    assert.match((await compareReplica(db, reader)).problem ?? '', /it accepts writes/)
    await reader.query(sql('', 'insert into notes values (-1)'))
    assert.ok(await seesOwnWrite(promoted.reads))
    assert.deepEqual(await promoted.reads.query(sql('', 'select number from notes where number < 0')), [])
    assert.deepEqual(await promoted.counts(), { replica: 0, primary: 2 })
  } finally {
    await reader.close()
  }
})

test('a replica that has more changes than its primary, because an operator set the primary back to a copy of its disk, answers no read', async () => {
  const ahead = await startOwnReplica(primary)
  const reader = createDb({ url: ahead.url, max_connections: 1 })
  try {
    const [data, copy] = ['data', 'copy'].map((name) => join(primary.place, name)) as [string, string]
    await primary.stop('fast')
    execFileSync('cp', ['-a', data, copy])
    await primary.start()
    const asking = open({ url: ahead.url })
    assert.ok(await seesOwnWrite(asking.reads))
    await db.query(sql('', "select pg_logical_emit_message(false, 'fill', repeat('x', 1000000))"))
    assert.ok(await seesOwnWrite(asking.reads))
    assert.deepEqual(await asking.counts(), { replica: 2, primary: 0 })

    await primary.stop('immediate')
    rmSync(data, { recursive: true })
    renameSync(copy, data)
    await primary.start()
    const starting = open({ url: ahead.url })
    for (const { reads, logged, counts } of [asking, starting]) {
      for (let i = 0; i < 5; i++) assert.ok(await seesOwnWrite(reads))
      assert.match(logged.join(''), /it has changes that the primary does not have/)
      assert.equal((await counts()).primary, 5)
    }
    assert.match((await compareReplica(db, reader)).problem ?? '', /changes that the primary does not have/)
  } finally {
    await reader.close()
    await ahead.close()
  }
})
