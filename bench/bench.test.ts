// Tests that small runs of the benchmark finish and lose no payment, and that the benchmark refuses unknown options and cases.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { testServer } from '../server/test/database.ts'
import type { Results } from './report.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))
const TINY =
  '--seconds 0.5 --warmup 0.1 --rounds 1 --merchants 3 --connections 8 --outstanding 50 --status-ids 10 --withdrawals 12'

function bench(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}

test('if the command names no case, the benchmark runs each short case, prints JSON and loses no payment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const { code, stdout, stderr } = await bench([...TINY.split(' '), '--results', folder, '--json'], {
    DATABASE_URL: testServer().adminUrl,
  })
  assert.equal(code, 0, stderr)
  const { environment, cases } = JSON.parse(stdout) as Results
  const [file] = await readdir(folder)
  assert.equal(await readFile(join(folder, file as string), 'utf8'), stdout)
  await rm(folder, { recursive: true })

  assert.match(environment.postgresql.version, /^\d+/)
  assert.equal(environment.node, process.version)
  const { baseline, accept, life, life_one, status, empty, approve, approve_one } = cases
  for (const rate of [baseline, accept, life, life_one, status, empty, approve, approve_one]) {
    assert.ok(rate && rate.per_second > 0, JSON.stringify(rate))
    assert.equal(rate.refused, 0, rate.first_refusal ?? '')
  }
  assert.ok(cases.latency && cases.latency.webhook_ms.p99 >= cases.latency.webhook_ms.p50)
  assert.ok(cases.memory && cases.memory.most_rss_mb > 0)
  assert.equal(cases.accept?.lost, 0)
  const { check } = cases
  assert.ok(check && check.accepted > 0)
  assert.equal(check.lost, 0)
  assert.equal(check.in_database, check.accepted)
  assert.ok(check.stored_bytes > 100, `${check.stored_bytes} bytes a payment`)
  assert.ok(check.wal_bytes > 100, `${check.wal_bytes} bytes of WAL a payment`)
  assert.ok((check.table_bytes.collections ?? 0) > 100, JSON.stringify(check.table_bytes))
  assert.ok(check.connections > 0)
  assert.equal(check.not_successful, 0)
  assert.equal(check.deliveries_open, 0)
  assert.equal(check.signatures_forged, 0)
  assert.deepEqual(check.verify_broken, [])
  // The two cases, with many merchants and with one merchant, each have a warm-up round and a measured round.
  const no_loss = { lost: 0, not_successful: 0, sent_again: 0, verify_ok: true, verify_broken: [] }
  assert.deepEqual(cases.approve_check, { approved: 4 * 12, taken: 4 * 12, ...no_loss })
})

test('if the command names the case transactions, the benchmark compares many transactions with few', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const args = ['transactions', '--transactions', '20000', '--reads', '5', '--results', folder, '--json']
  const { code, stdout, stderr } = await bench(args, { DATABASE_URL: testServer().adminUrl })
  await rm(folder, { recursive: true })
  assert.equal(code, 0, stderr)
  const { transactions, ...others } = (JSON.parse(stdout) as Results).cases
  assert.deepEqual(others, {})
  assert.ok(transactions)
  assert.deepEqual([transactions.few, transactions.many], [10_000, 20_000])
  for (const { few, many, ratio } of Object.values(transactions.reads)) {
    assert.equal(few.samples + many.samples, 10)
    assert.ok(ratio > 0)
  }
  assert.ok(transactions.month.count > 1_000, 'a month of the many has its share of a year')
})

test('the case lists measures five lists, both searches and the queue of operators', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const args = ['lists', '--rows', '2000', '--reads', '1', '--results', folder, '--json']
  const { code, stdout, stderr } = await bench(args, { DATABASE_URL: testServer().adminUrl })
  await rm(folder, { recursive: true })
  assert.equal(code, 0, stderr)
  const { lists, ...others } = (JSON.parse(stdout) as Results).cases
  assert.deepEqual(others, {})
  assert.deepEqual([lists?.few, lists?.many], [2_000, 2_000])
  for (const list of ['collections', 'payment-links', 'invoices', 'disbursements', 'webhook-deliveries'])
    assert.ok(lists?.reads.some(({ path, many_ms }) => path.includes(list) && many_ms > 0))
  for (const path of ['/v1/search?q=0004', '/v1/operator/search?q=0004', '/v1/operator/queue'])
    assert.ok(lists?.reads.some((read) => read.path === path && read.many_p95_ms >= read.many_ms))
  assert.ok((lists?.many_p95_ms ?? 0) >= Math.min(...(lists?.reads ?? []).map(({ many_ms }) => many_ms)))
})

test('the case reconcile imports a statement twice and matches every line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const args = ['reconcile', '--results', folder, '--json']
  const { code, stdout, stderr } = await bench(args, { DATABASE_URL: testServer().adminUrl, LINES: '2500' })
  await rm(folder, { recursive: true })
  assert.equal(code, 0, stderr)
  const { reconcile, ...others } = (JSON.parse(stdout) as Results).cases
  assert.deepEqual(others, {})
  assert.ok(reconcile)
  assert.deepEqual([reconcile.lines, reconcile.matched, reconcile.opened], [2_500, 5_000, 0])
  assert.ok(reconcile.first.lines_per_second > 0 && reconcile.again.lines_per_second > 0)
})

test('the case flood measures payments during forged callbacks; the server refuses the callbacks and loses no payment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  // This round is longer than the rounds of TINY, because the flood must continue while the benchmark counts payments.
  const sizes = '--seconds 0.7 --warmup 0.2 --rounds 1 --merchants 3 --connections 8 --outstanding 50 --forged 500'
  const args = ['flood', ...sizes.split(' '), '--results', folder, '--json']
  const { code, stdout, stderr } = await bench(args, { DATABASE_URL: testServer().adminUrl })
  await rm(folder, { recursive: true })
  assert.equal(code, 0, stderr)
  const { flood } = (JSON.parse(stdout) as Results).cases
  assert.ok(flood)
  for (const { per_second } of [flood.quiet, flood.flooded, flood.paced_flooded]) assert.ok(per_second > 0)
  assert.deepEqual(Object.keys(flood.by_status), ['403'])
  assert.ok(flood.sent_per_second.saturated > 0 && flood.sent_per_second.saturated <= 1_000)
  assert.ok(flood.kept > 0 && flood.kept <= 20, 'the server keeps ten forged callbacks of a minute')
  const { lost, verify_broken, in_database, accepted } = flood.check
  assert.deepEqual({ lost, verify_broken, in_database }, { lost: 0, verify_broken: [], in_database: accepted })
})

test('the benchmark refuses an unknown option, names the option, and prints no stack trace', async () => {
  const { code, stdout, stderr } = await bench(['--bogus'])
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /--bogus[\s\S]*See: npm run bench -- --help/)
  assert.doesNotMatch(stderr, /\n\s+at /)
})

test('the benchmark refuses an unknown case and names the case', async () => {
  const { code, stderr } = await bench(['--only', 'speed'])
  assert.equal(code, 1)
  assert.match(stderr, /no case "speed"/)
})
