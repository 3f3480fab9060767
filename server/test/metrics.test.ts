// Tests /metrics of the whole system: the values, and the limit of the number of series. If the database does not answer, the
// scrape ends all the same. If the port is in use, the process continues.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exposeMachineGauges } from '../src/apps/admin/machine-gauges.ts'
import { createDb, exposeDatabaseGauges, inTransaction, oneStatement, sql, type Tx } from '../src/kernel/db/index.ts'
import { serveMetrics } from '../src/kernel/http/index.ts'
import { createLog } from '../src/kernel/lib/index.ts'
import { createMetrics } from '../src/kernel/lib/metrics-registry.ts'
import { queueReader } from '../src/kernel/work/index.ts'
import { createWorld, testDeps, type World } from './harness.ts'
import { CERTIFICATE_END_S, startTlsServer } from './tls-server.ts'

const SERIES_MAX = 3_000
const MINUTE_MS = 60_000

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

/** Returns the samples of a text: values by name with labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

const scrape = async () => samplesOf(await world.deps.metrics.text())

const pay = (phone: string, key = world.sandbox_key) =>
  world.post('/v1/collections/wallet-push', { amount: 1000, phone }, { key })

test('the metrics count requests, payments, provider calls, statements and batches, and show the queues', async () => {
  for (const phone of ['0754123001', '0754123002', '0688123001']) assert.equal((await pay(phone)).status, 202)
  // The provider sends no callback for this payment, so the server stores the acceptance before it finds the success.
  assert.equal((await pay('0754123008', world.live_key)).status, 202)
  await world.work()
  await world.pass(30_000)
  world.deps.clock.advance(MINUTE_MS)
  const samples = await scrape()
  const value = (name: string) => samples.get(name) ?? 0
  assert.equal(value('malipo_http_requests_total{method="POST",route="/v1/collections/wallet-push",status="202"}'), 4)
  assert.equal(value('malipo_http_request_duration_seconds_count{route="/v1/collections"}'), 4)
  const label = (network: string, environment = 'sandbox') =>
    `malipo_payments_total{environment="${environment}",method="wallet_push",network="${network}",outcome="successful"}`
  assert.equal(value(label('MPESA', 'live')), 1)
  assert.ok(value(label('MPESA')) + value(label('AIRTEL')) >= 2)
  assert.equal(value('malipo_payment_confirm_seconds_count{method="wallet_push"}'), 1)
  assert.ok(value('malipo_provider_calls_total{provider="mock",operation="push",outcome="accepted"}') >= 1)
  assert.ok(value('malipo_db_statements_total{statement="collections_write"}') >= 1)
  assert.ok(value('malipo_db_statement_seconds_total{statement="collections_write"}') > 0)
  assert.ok(value('malipo_db_pool_connections{state="idle"}') >= 1)
  assert.ok(value('malipo_batch_size_count{batch="accept"}') >= 1)
  assert.ok(value('malipo_batch_size_count{batch="settle"}') >= 1)
  assert.ok(samples.has('malipo_leases_lost_total{table="collection_attempts"}'))
  assert.equal(value('malipo_database_up'), 1)
  assert.ok(samples.has('malipo_audit_anchors'))
  for (const queue of ['payments', 'payouts', 'webhooks', 'messages', 'invoice_reminders']) {
    assert.ok(samples.has(`malipo_queue_rows{queue="${queue}",state="due"}`), queue)
    assert.ok(samples.has(`malipo_queue_oldest_due_seconds{queue="${queue}"}`), queue)
    assert.equal(samples.get(`malipo_queue_cut{queue="${queue}"}`), 0)
  }
})

test('a gauge without a reading has no value, and a reset removes its value', async () => {
  const metrics = createMetrics()
  const level = metrics.gauge({ name: 'malipo_test', help: 'A test.' })
  assert.equal(samplesOf(await metrics.text()).size, 0)
  level().set(5)
  assert.equal(samplesOf(await metrics.text()).get('malipo_test'), 5)
  level.reset()
  assert.equal(samplesOf(await metrics.text()).size, 0)
  const samples = await scrape()
  assert.equal(samples.has('malipo_verify_good_timestamp_seconds'), false, 'no verify has run')
})

test('a histogram counts each value in its bucket and in all larger buckets, and a second scrape shows the same counts', async () => {
  const metrics = createMetrics()
  const times = metrics.histogram({
    name: 'malipo_test',
    help: 'A test.',
    labels: ['of'],
    series_max: 4,
    buckets: [1, 2],
  })
  const calls = metrics.counter({ name: 'malipo_test_total', help: 'A test.', labels: ['of'], series_max: 4 })
  times('silent')
  for (const value of [0.5, 1, 1.5, 9]) {
    times('a').observe(value)
    calls('a').inc(2)
  }
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(Object.fromEntries(samplesOf(await metrics.text())), {
      'malipo_test_bucket{le="1",of="a"}': 2,
      'malipo_test_bucket{le="2",of="a"}': 3,
      'malipo_test_bucket{le="+Inf",of="a"}': 4,
      'malipo_test_sum{of="a"}': 12,
      'malipo_test_count{of="a"}': 4,
      'malipo_test_total{of="a"}': 8,
    })
  }
  assert.throws(() => times('a').observe(Number.NaN), TypeError)
})

test('a function after the commit runs once after a commit, and not after a rollback', async () => {
  let counted = 0
  const run = (fails: boolean) =>
    inTransaction(world.deps.db, async (tx) => {
      tx.afterCommit(() => counted++)
      await tx.query(sql('', 'select 1'))
      if (fails) throw new Error('no')
    })
  await assert.rejects(run(true))
  assert.equal(counted, 0)
  await run(false)
  assert.equal(counted, 1)
})

test('a transaction stays committed when a function after its commit throws, and the next function runs', async () => {
  const failed: string[] = []
  const db = createDb({
    url: world.url,
    max_connections: 1,
    on_after_commit_error: (error) => failed.push((error as Error).message),
  })
  let ran = 0
  const addWorks = (tx: Tx) => {
    tx.afterCommit(() => {
      throw new Error('broken counter')
    })
    tx.afterCommit(() => ran++)
  }
  const rows = await inTransaction(db, async (tx) => {
    addWorks(tx)
    return tx.query(sql('', 'select 1 as one'))
  })
  assert.deepEqual(rows, [{ one: 1 }])
  const tx = oneStatement(db)
  addWorks(tx)
  assert.deepEqual(await tx.query(sql('', 'select 2 as two')), [{ two: 2 }])
  addWorks(tx)
  assert.deepEqual([failed.length, ran], [3, 3])
  await db.close()
})

test('the reading of a queue counts due rows behind many scheduled rows, and marks figures that are lower bounds', async () => {
  const now = new Date('2026-03-01T09:00:00Z')
  await world.deps.db.session(async (session) => {
    const run = (text: string, values: readonly unknown[] = []) => session.query(sql('', text), values)
    await run('create temp table queue_of_test (merchant_id uuid, due_at timestamptz)')
    await run('create index on queue_of_test (merchant_id, due_at) where due_at is not null')
    const [first, second, third] = ['1', '2', '3'].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
    const rows = [
      ...[1, 2, 3, 4].map((hours) => [first, hours]),
      ...[-1, -2].map((hours) => [second, hours]),
      ...[-3, 5].map((hours) => [third, hours]),
    ]
    for (const [merchant, hours] of rows)
      await run('insert into queue_of_test values ($1, $2)', [
        merchant,
        new Date(now.getTime() + Number(hours) * 60 * MINUTE_MS),
      ])
    await run('insert into queue_of_test values ($1, null)', [third])
    const read = (rows_max: number, queues_max: number) =>
      queueReader({ queue: 'test', table: 'queue_of_test' }, { rows_max, queues_max })(session, now)
    const whole = { queue: 'test', due: 3, scheduled: 5, oldest_due_s: 10_800, is_cut: false }
    assert.deepEqual(await read(9, 9), whole)
    assert.deepEqual(await read(4, 9), { ...whole, scheduled: 4, is_cut: true })
    assert.deepEqual(await read(9, 2), { ...whole, due: 2, scheduled: 4, oldest_due_s: 7_200, is_cut: true })
    await run('drop table queue_of_test')
  })
})

test('the gauges of the machine show the disk, the last backup and the end of the certificate', async () => {
  const server = await startTlsServer()
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  const file = join(folder, 'last-backup')
  const metrics = createMetrics()
  const config = { ...world.deps.config, backup_status_file: file, base_url: `https://localhost:${server.port}` }
  exposeMachineGauges({ ...world.deps, config, metrics }, [folder])
  const read = async () => samplesOf(await metrics.text())
  const first = await read()
  assert.equal(first.get('malipo_backup_timestamp_seconds'), 0, 'no backup has ended')
  const [free, size] = ['free', 'size'].map((name) => first.get(`malipo_disk_${name}_bytes{folder="${folder}"}`) ?? 0)
  assert.ok(Number(free) > 0 && Number(free) < Number(size), `${free} of ${size} bytes`)
  const name = `malipo_certificate_expires_timestamp_seconds{host="localhost:${server.port}"}`
  let certificate: number | undefined
  while (certificate === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    certificate = (await read()).get(name)
  }
  assert.equal(certificate, CERTIFICATE_END_S)
  server.close()
  writeFileSync(file, '')
  utimesSync(file, 1_000_000, 1_000_000)
  const later = createMetrics()
  exposeMachineGauges({ ...world.deps, config, metrics: later }, [])
  assert.equal(samplesOf(await later.text()).get('malipo_backup_timestamp_seconds'), 1_000_000)
})

test('hostile paths, methods, merchants and label values leave fewer than 3,000 series and no personal data', async () => {
  const secrets = [world.sandbox_key, world.merchant.id]
  for (let i = 0; i < 40; i++) {
    const path = `/v1/collections/${randomUUID()}/${'x'.repeat(i)}`
    await world.call({ method: (['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const)[i % 5] ?? 'GET', url: path })
    await world.call({
      method: 'GET',
      url: `/v1/collections/${randomUUID()}`,
      headers: { 'x-request-id': `hostile-${i}` },
    })
  }
  for (let i = 0; i < 12; i++) {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    secrets.push(key, merchant.id)
    await pay(`07${10 + i}123001`, key)
  }
  await world.work()
  const { metrics } = world.deps
  const payments = metrics.counter({ name: 'malipo_payments_total', help: '' })
  const statements = metrics.counter({ name: 'malipo_db_statements_total', help: '' })
  for (let i = 0; i < 5_000; i++) {
    payments('live', `method ${i}`, `network ${i}`, 'successful').inc()
    statements(`statement ${i}`).inc()
  }
  metrics.addProcessMetrics()
  const text = await metrics.text()
  const samples = samplesOf(text)
  assert.ok(samples.size < SERIES_MAX, `${samples.size} series`)
  assert.ok(metrics.seriesMax() < SERIES_MAX, `the declared limits allow ${metrics.seriesMax()} series`)
  assert.ok((samples.get('malipo_db_statements_total{statement="other"}') ?? 0) > 4_000)
  for (const secret of secrets) assert.ok(!text.includes(secret), 'a label holds a merchant id or a key')
  const labels = [...samples.keys()].filter((name) => /255\d{9}|07\d{8}|[0-9a-f]{8}-[0-9a-f]{4}-|hostile-/.test(name))
  assert.deepEqual(labels, [])
  const routes = [...text.matchAll(/malipo_http_requests_total\{method="([^"]*)",route="([^"]*)"/g)]
  assert.ok(routes.some(([, , route]) => route === 'none'))
  assert.ok(routes.every(([, , route = '']) => !route.includes('xxx')))
})

test('while the database is down, a scrape ends within 5 seconds and reports the failure', async () => {
  const deps = testDeps('postgresql://nobody@127.0.0.1:1/none')
  let resets = 0
  exposeDatabaseGauges(deps, [
    {
      read: async (reader) => {
        await reader.query(sql('', 'select 1'))
        return () => {}
      },
      reset: () => void resets++,
    },
  ])
  const begin = performance.now()
  const samples = samplesOf(await deps.metrics.text())
  assert.ok(performance.now() - begin < 5_000)
  assert.equal(samples.get('malipo_database_up'), 0)
  assert.ok(resets > 0)
  await deps.close()
})

test('a database that does not answer does not block a scrape', async () => {
  const deps = testDeps(world.url)
  const answer = Promise.withResolvers<void>()
  exposeDatabaseGauges(deps, [{ read: () => answer.promise.then(() => () => {}), reset: () => {} }])
  const text = deps.metrics.text()
  await new Promise((resolve) => setTimeout(resolve, 50))
  deps.clock.advance(1_500)
  assert.equal(samplesOf(await text).get('malipo_database_up'), 0)
  answer.resolve()
  await deps.close()
})

test('a process whose port of /metrics is in use logs one sentence and continues', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const logged: string[] = []
  const log = createLog('info', { write: (line) => void logged.push(line) })
  const metrics = createMetrics()
  assert.equal(await serveMetrics({ metrics, log }, { host: '127.0.0.1', port }), null)
  assert.equal(logged.length, 1)
  assert.match(logged[0] as string, new RegExp(`another program uses port ${port} on 127.0.0.1: set METRICS_PORT`))
  other.close()
})

test('the port of /metrics answers only GET /metrics', async () => {
  const metrics = createMetrics()
  metrics.counter({ name: 'malipo_test_total', help: 'A test.' })().inc()
  const server = await serveMetrics({ metrics, log: createLog('silent') }, { host: '127.0.0.1', port: 0 })
  assert.ok(server)
  const at = `http://127.0.0.1:${server.port}`
  const answer = await fetch(`${at}/metrics?x=1`)
  assert.equal(answer.headers.get('content-type'), metrics.content_type)
  assert.match(await answer.text(), /^malipo_test_total 1$/m)
  for (const [path, method, status] of [
    ['/', 'GET', 404],
    ['/v1/collections', 'GET', 404],
    ['/metrics', 'POST', 405],
  ] as const)
    assert.equal((await fetch(`${at}${path}`, { method })).status, status)
  await server.close()
})
