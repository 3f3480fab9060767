// Tests the platform under load (`npm run endurance`). The disk of the embedded PostgreSQL becomes full 20 times, and the clock
// steps a day ahead and back. Needs root for a small disk, and libfaketime. SEED=n repeats the load; FULL_DISKS=n and
// CLOCK_STEPS=n choose other numbers.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../../src/kernel/db/embedded.ts'
import { type Db, sql } from '../../src/kernel/db/index.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { freePort } from '../free-port.ts'
import { factsOf, findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { createClient, type Load, startLoad } from './load.ts'
import {
  type Cashier,
  findPayoutProblems,
  gatherPayoutFacts,
  openCashier,
  totalOf,
  waitPayoutsQuiet,
} from './payouts.ts'
import { type Child, startChild, until } from './processes.ts'
import { createRig, type Rig, type Shop, seededRandom } from './rig.ts'

const FULL_DISKS = Number(process.env.FULL_DISKS ?? 20)
const CLOCK_STEPS = Number(process.env.CLOCK_STEPS ?? 4)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`
const DISK_BYTES = 2 ** 31
const CONCURRENCY = 16
const PER_SECOND = 60
const QUIET_MS_MAX = 120_000
/** The time in milliseconds within which each record that is open at a step of the clock reaches a final status. */
const STUCK_MS_MAX = 180_000
const HOUR_MS = 3_600_000
const DAY_H = 24
/** The share of webhooks that the receiver refuses before each step, so that they wait a minute for their next attempt. */
const REFUSED_SHARE = 0.05
/** The number of payouts that an operator approves right before each step of the clock. */
const PAYOUTS_PER_STEP = 30
const ENDINGS = ['123', '456', '001', '002', '010', '012', '777']

before(() => {
  if (process.getuid?.() !== 0) throw new Error('this test mounts a small disk: run it as root')
  if (!existsSync(FAKETIME)) throw new Error(`${FAKETIME} is missing: install the package libfaketime (Debian)`)
})

/** The functions that release the resources of a test. The hook below calls the newest function first. */
const releases: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release()
})

test(`the platform loses no payment and no process while its disk becomes full ${FULL_DISKS} times`, async (t) => {
  t.diagnostic(`SEED=${SEED} FULL_DISKS=${FULL_DISKS}`)
  const disk = mountDisk()
  const data_dir = join(disk, 'data')
  const embedded = await startEmbedded({ dataDir: data_dir, log: { info: () => {}, warn: () => {} } })
  releases.push(() => embedded.stop())
  await migrate(embedded.url)
  const rig = await createRig({ shops: 3, delay_ms: 50, database: { url: embedded.url, drop: async () => {} } })
  releases.push(() => rig.close())
  const { api, processes } = await startProcesses(rig, { DATABASE_URL: '', DATA_DIR: data_dir })
  // From now on only the processes under test supervise the database.
  await embedded.stop()
  const { load, close } = await startClients(rig, api)
  const back: number[] = []
  let crashes = 0
  await payments(load, PER_SECOND, processes)
  for (let cycle = 0; cycle < FULL_DISKS; cycle++) {
    fill(disk)
    if (cycle % 2 === 1) await fillLog(embedded.url)
    await until('/readyz reports the full disk', async () => isFull(await readyz(api)), 60_000)
    await sleep(500 + (cycle % 4) * 500)
    if (!(await accepts(embedded.url))) crashes++
    execFileSync('mount', ['-o', `remount,size=${DISK_BYTES}`, disk])
    await until('PostgreSQL accepts connections', () => accepts(embedded.url), 120_000)
    const begin = performance.now()
    await payments(load, 1, processes)
    back.push(Math.round(performance.now() - begin))
    await payments(load, CONCURRENCY * 2, processes)
    // If the server answered 500, this assertion prints the log line with the cause. Later, the test has only the text of the
    // answer.
    assertNoFailedRequest(processes)
  }
  await load.stop()
  const { ms, left } = await waitQuiet(rig, QUIET_MS_MAX)
  t.diagnostic(
    `${back.length} full disks, PostgreSQL was down at the end of ${crashes}; first payment at most ${Math.max(...back)} ms after PostgreSQL ` +
      `accepted connections; ${load.acks.length} payments, quiet after ${ms} ms`,
  )
  assertSound(processes)
  assert.deepEqual(load.problems, [])
  assert.equal(load.acks.length, load.orders(), 'the server acknowledged each started payment')
  assert.deepEqual(findProblems(await gatherFacts(rig, load.acks)).slice(0, 20), [], JSON.stringify(left))
  await close()
})

test(`no payment or payout is stuck after ${CLOCK_STEPS} steps of the clock by a day under load`, async (t) => {
  t.diagnostic(`SEED=${SEED} CLOCK_STEPS=${CLOCK_STEPS}`)
  const rig = await createRig({ shops: 3, delay_ms: 400 })
  releases.push(() => rig.close())
  const folder = mkdtempSync(join(tmpdir(), 'clock-'))
  const clock = { file: join(folder, 'offset'), hours: 0 }
  setClock(clock, 0)
  const { api, processes } = await startProcesses(rig, {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: clock.file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  })
  const cashier = await openCashier(rig)
  releases.push(() => cashier.close())
  const [payout_shop, ...shops] = rig.shops as [Shop, ...Shop[]]
  const { load, close } = await startClients({ ...rig, shops }, api)
  const random = seededRandom(SEED)
  const funded = new Map([[payout_shop.merchant.id, 0n]])
  const waits: string[] = []
  for (let step = 0; step < CLOCK_STEPS; step++) {
    // The clocks are 24, 0, -24 and 0 hours ahead in turn, so each step is a day, ahead or back.
    const hours = [DAY_H, 0, -DAY_H, 0][step % 4] as number
    rig.hooks.answer = () => (random() < REFUSED_SHARE ? 500 : 200)
    await payments(load, PER_SECOND, processes)
    await approvePayouts({ payout_shop, cashier, api, funded })
    // If the receiver refused a webhook after the step, the next attempt would wait some minutes more.
    rig.hooks.answer = () => 200
    setClock(clock, hours)
    await until('the process has the new time', async () => Math.abs((await offsetOf(api)) - hours) < 0.1)
    const begin = performance.now()
    const open = await openNow(rig.db)
    await until(
      'nothing of before the step is open',
      async () => (await stillOpen(rig.db, open)) === 0,
      STUCK_MS_MAX,
    ).catch(async (error: Error) =>
      assert.fail(`${error.message}: ${JSON.stringify(await describeOpen(rig.db, open))}`),
    )
    waits.push(`to ${hours} h: ${open.length} open, final after ${Math.round(performance.now() - begin)} ms`)
    await payments(load, PER_SECOND, processes)
  }
  await load.stop()
  const { ms, left } = await waitQuiet(rig, QUIET_MS_MAX)
  await waitPayoutsQuiet(rig)
  for (const wait of waits) t.diagnostic(wait)
  t.diagnostic(`${load.acks.length} payments, ${CLOCK_STEPS * PAYOUTS_PER_STEP} payouts, quiet after ${ms} ms`)
  assertSound(processes)
  assert.deepEqual(load.problems, [])
  const facts = factsOf(await gatherFacts(rig, load.acks), new Set(shops.map(({ merchant }) => merchant.id)))
  assert.deepEqual(findProblems(facts).slice(0, 20), [], JSON.stringify(left))
  assert.deepEqual(findPayoutProblems(await gatherPayoutFacts(rig), funded).slice(0, 20), [])
  await close()
})

// The world of both tests ---------------------------------------------------------------------------------------------

/** Starts an API process with a worker, and a second worker. */
async function startProcesses(rig: Rig, env: Record<string, string>): Promise<{ api: Child; processes: Child[] }> {
  const api = startChild(rig.env(env))
  releases.push(() => api.kill())
  await api.ready()
  // The process is ready before it has made its demo merchant, and logs this text after that.
  await until('the server has started', () => api.output().includes('is ready.'))
  const more = { PROCESS: 'worker', PORT: String(await freePort()), LOG_LEVEL: 'info' }
  const worker = startChild(rig.env({ ...env, ...more }))
  releases.push(() => worker.kill())
  await until('the worker has started', () => worker.output().includes('worker started'))
  await rig.configureWebhooks(api.url)
  return { api, processes: [api, worker] }
}

async function startClients(rig: Pick<Rig, 'shops'>, api: Child): Promise<{ load: Load; close: () => Promise<void> }> {
  const client = createClient(api.url, CONCURRENCY)
  const load = startLoad({
    client,
    shops: rig.shops,
    random: seededRandom(SEED),
    concurrency: CONCURRENCY,
    per_second: PER_SECOND,
    endings: ENDINGS,
  })
  releases.push(() => load.stop())
  return { load, close: () => client.close() }
}

/** Waits until the server has acknowledged `count` more payments. */
async function payments(load: Load, count: number, processes: readonly Child[]): Promise<void> {
  const before = load.acks.length
  await until(
    'the platform accepts payments',
    () => {
      for (const child of processes) assert.ok(child.alive(), `a process has ended:\n${child.output()}`)
      return load.acks.length >= before + count
    },
    60_000,
  )
}

function assertSound(processes: readonly Child[]): void {
  for (const child of processes) {
    assert.ok(child.alive(), child.output())
    assert.deepEqual(child.output().match(/"(uncaughtException|unhandledRejection)".*/g) ?? [], [])
  }
}

/** Asserts that no process has answered a request with status 500. Otherwise, the error contains the log lines with the causes. */
function assertNoFailedRequest(processes: readonly Child[]): void {
  for (const child of processes) assert.deepEqual(child.output().match(/^.*"msg":"a request failed".*$/gm) ?? [], [])
}

// Full disks ----------------------------------------------------------------------------------------------------------

function mountDisk(): string {
  const disk = mkdtempSync(join(tmpdir(), 'disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', disk])
  releases.push(async () => {
    // The watcher of the database ends a moment after the processes.
    for (let attempt = 1; ; attempt++) {
      try {
        execFileSync('umount', [disk], { stdio: 'ignore' })
        break
      } catch (error) {
        if (attempt === 100) throw error
        await sleep(500)
      }
    }
    rmSync(disk, { recursive: true, force: true })
  })
  // PostgreSQL may run as another user, and that user needs access to the folder.
  chmodSync(disk, 0o711)
  mkdirSync(join(disk, 'data'))
  return disk
}

/** Reduces the size of the disk to the size of its content. */
function fill(disk: string): void {
  for (let attempt = 1; ; attempt++) {
    const { blocks, bfree, bsize } = statfsSync(disk)
    try {
      return void execFileSync('mount', ['-o', `remount,size=${(blocks - bfree) * bsize}`, disk], { stdio: 'ignore' })
    } catch (error) {
      // A process has written to the disk between the two calls.
      if (attempt === 100) throw error
    }
  }
}

/**
 * Fills the write-ahead log until PostgreSQL needs another file. The full disk has no space for the file, so PostgreSQL ends.
 */
async function fillLog(url: string): Promise<void> {
  await withClient(url, async (client) => {
    for (let segment = 0; segment < 200; segment++) {
      await client.query("select pg_logical_emit_message(false, 'fill', repeat('x', 8000000))")
    }
  }).catch(() => {})
}

const accepts = (url: string): Promise<boolean> =>
  withClient(url, (client) => client.query('select 1')).then(
    () => true,
    () => false,
  )

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

type Readiness = { status: number; text: string }

async function readyz(api: Child): Promise<Readiness> {
  const answer = await fetch(`${api.url}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

/** Returns true if /readyz reports that the disk of the database is full, or that the database is not ok. */
const isFull = ({ status, text }: Readiness): boolean =>
  status === 503 && (text.includes('the disk of the database is full') || !text.includes('"database":"ok"'))

// Steps of the clock --------------------------------------------------------------------------------------------------

/** Sets the clocks of the processes `hours` ahead of the clock of this machine. */
function setClock(clock: { file: string; hours: number }, hours: number): void {
  const next = `${clock.file}.next`
  writeFileSync(next, `${hours < 0 ? '-' : '+'}${Math.abs(hours)}h\n`)
  renameSync(next, clock.file)
  clock.hours = hours
}

/** Returns how many hours the clock of a process is ahead of the clock of this machine. */
async function offsetOf(api: Child): Promise<number> {
  const { headers } = await fetch(`${api.url}/readyz`)
  return (Date.parse(headers.get('date') ?? '') - Date.now()) / HOUR_MS
}

/** Submits withdrawals and approves them. The worker sends the payouts while the clock steps. */
async function approvePayouts(parts: {
  payout_shop: Shop
  cashier: Cashier
  api: Child
  funded: Map<string, bigint>
}): Promise<void> {
  const { payout_shop, cashier, api, funded } = parts
  const approvals = Array.from({ length: PAYOUTS_PER_STEP }, async (_, at) => {
    const amount = 1_000n + BigInt(at)
    await cashier.fund(payout_shop, totalOf(amount))
    funded.set(payout_shop.merchant.id, (funded.get(payout_shop.merchant.id) ?? 0n) + totalOf(amount))
    const id = await cashier.submit(payout_shop, amount, at % 3 === 0 ? '102' : '001')
    assert.equal(await cashier.approve(api.url, id), 200)
  })
  await Promise.all(approvals)
}

const OPEN_NOW = sql(
  'endurance_open_now',
  `select id from collections where status in ('created', 'processing')
   union all select id from withdrawals where status in ('PENDING_ADMIN_APPROVAL', 'PROCESSING', 'NEEDS_RECONCILIATION')
   union all select id from webhook_deliveries where status = 'pending'`,
)
const STILL_OPEN = sql(
  'endurance_still_open',
  `select 'payment' as kind, id::text, status, null as due_at from collections where id = any($1::uuid[]) and status in ('created', 'processing')
   union all select 'payout', id::text, status, null from withdrawals
     where id = any($1::uuid[]) and status in ('PENDING_ADMIN_APPROVAL', 'PROCESSING', 'NEEDS_RECONCILIATION')
   union all select 'delivery', id::text, status, due_at::text from webhook_deliveries
     where id = any($1::uuid[]) and status = 'pending'`,
)

async function openNow(db: Db): Promise<string[]> {
  return (await db.query<{ id: string }>(OPEN_NOW)).map(({ id }) => id)
}
const describeOpen = async (db: Db, ids: string[]) => (await db.query(STILL_OPEN, [ids])).slice(0, 5)
const stillOpen = async (db: Db, ids: string[]) => (await db.query(STILL_OPEN, [ids])).length
