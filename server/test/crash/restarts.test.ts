// Tests that the processes of the platform continue when PostgreSQL loses connections under load. The test kills backends,
// restarts the server and makes commits wait for a missing standby. LOSSES=100,50,50 selects the long test (`npm run
// restarts`), over the Unix socket and over TCP. SEED=n repeats the moments.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { afterEach, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kernel/db/index.ts'
import { freePort } from '../free-port.ts'
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts'
import { findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { createClient, type Load, orderOf, startLoad } from './load.ts'
import { type Child, startChild, until } from './processes.ts'
import { createRig, type Rig, seededRandom } from './rig.ts'

const SHORT = '8,2,2'
const LOSSES = process.env.LOSSES ?? SHORT
const IS_LONG = LOSSES !== SHORT
const [KILLS = 0, FAST = 0, IMMEDIATE = 0] = LOSSES.split(',').map(Number)
const WAYS = IS_LONG ? (['the Unix socket', 'TCP'] as const) : (['the Unix socket'] as const)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
/**
 * The longest recovery time that the test accepts, in milliseconds. A busy test machine may be slower than a server of
 * production.
 */
const BACK_MS_MAX = IS_LONG ? 2_000 : 10_000
const CONCURRENCY = 16
const PER_SECOND = 100
const QUIET_MS_MAX = 60_000
const ENDINGS = ['123', '456', '001', '002', '010', '012', '777']

type Loss = 'terminate' | 'sigkill' | 'fast' | 'immediate'

let own: OwnPostgres
let rig: Rig
const processes: Child[] = []
afterEach(async () => {
  for (const child of processes.splice(0)) await child.kill()
  await rig?.close()
  await own?.close()
})

const PIDS = sql(
  'restarts_pids',
  `select pid from pg_stat_activity where application_name like 'malipo%' order by state <> 'active', pid`,
)
const TERMINATE = sql('restarts_terminate', 'select pg_terminate_backend($1::int)')
const HELD_BACK = sql(
  'restarts_held_back',
  `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`,
)
const SEEN = sql('restarts_seen', 'select id from collections where id = any($1::uuid[])')

for (const way of WAYS) {
  test(`no process ends when PostgreSQL loses connections over ${way}, and the platform accepts payments again within seconds`, (t) =>
    loseAll(t, way))
}

async function loseAll(t: TestContext, way: (typeof WAYS)[number]): Promise<void> {
  t.diagnostic(`SEED=${SEED} LOSSES=${LOSSES}`)
  const random = seededRandom(SEED)
  own = await startOwnPostgres()
  const url = way === 'TCP' ? overTcp(own.url) : own.url
  rig = await createRig({ shops: 3, delay_ms: 50, database: { url, drop: async () => {} } })
  const api = startChild(rig.env())
  processes.push(api)
  await api.ready()
  // Until the process logs this text, it still makes its demo merchant.
  await until('the server has started', () => api.output().includes('is ready.'))
  const worker = startChild(rig.env({ PROCESS: 'worker', PORT: String(await freePort()), LOG_LEVEL: 'info' }))
  processes.push(worker)
  await until('the worker has started', () => worker.output().includes('worker started'))
  await rig.configureWebhooks(api.url)
  const client = createClient(api.url, CONCURRENCY)
  const load = startLoad({
    client,
    shops: rig.shops,
    random,
    concurrency: CONCURRENCY,
    per_second: PER_SECOND,
    endings: ENDINGS,
  })
  const back: Record<Loss, number[]> = { terminate: [], sigkill: [], fast: [], immediate: [] }
  try {
    await payments(load, PER_SECOND)
    for (const loss of plan(random)) {
      await sleep(random() * 500)
      await lose(loss, random)
      back[loss].push(await backAfter(load))
      for (const child of processes) assert.ok(child.alive(), `after ${loss} a process has ended:\n${child.output()}`)
    }
    assert.equal(client.lost(), 0, 'the server answered every request')
    await missingStandby(load, client)
  } finally {
    await load.stop()
  }
  const { ms, left } = await waitQuiet(rig, QUIET_MS_MAX)
  const facts = await gatherFacts(rig, load.acks)
  for (const [loss, times] of Object.entries(back))
    t.diagnostic(`${loss}: ${times.length} times, first payment after at most ${Math.max(0, ...times)} ms`)
  t.diagnostic(`${load.acks.length} payments, quiet after ${ms} ms`)

  for (const child of processes) {
    assert.ok(child.alive(), child.output())
    assert.deepEqual(child.output().match(/"(uncaughtException|unhandledRejection)".*/g) ?? [], [])
  }
  assert.deepEqual(load.problems, [])
  assert.equal(load.acks.length, load.orders() + 1, 'the server acknowledged each started payment')
  assert.deepEqual(findProblems(facts).slice(0, 20), [], `still open: ${JSON.stringify(left)}`)
  for (const [loss, times] of Object.entries(back))
    for (const time of times) assert.ok(time <= BACK_MS_MAX, `${loss}: the first payment came after ${time} ms`)
  await client.close()
}

/** Returns the URL of the same database without the folder of the Unix socket. */
function overTcp(url: string): string {
  const tcp = new URL(url)
  tcp.hostname = '127.0.0.1'
  tcp.searchParams.delete('host')
  return tcp.href
}

/** Returns all losses in random order. Every eighth killed backend dies by SIGKILL, after which PostgreSQL restarts itself. */
function plan(random: () => number): Loss[] {
  const kills = Array.from({ length: KILLS }, (_, at): Loss => (at % 8 === 7 ? 'sigkill' : 'terminate'))
  const all: Loss[] = [...kills, ...Array<Loss>(FAST).fill('fast'), ...Array<Loss>(IMMEDIATE).fill('immediate')]
  return all
    .map((loss) => ({ loss, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ loss }) => loss)
}

/** Makes PostgreSQL lose its connections. Resolves when PostgreSQL accepts connections again. */
async function lose(loss: Loss, random: () => number): Promise<void> {
  if (loss === 'fast' || loss === 'immediate') {
    await own.stop(loss)
    // A restart by an operator also takes a moment. Meanwhile no process can open a connection.
    await sleep(random() * 500)
    return own.start()
  }
  const pids = await rig.db.query<{ pid: number }>(PIDS)
  // The test prefers active backends, so that more kills interrupt a query.
  const { pid } = pids[Math.floor(random() * random() * pids.length)] as { pid: number }
  if (loss === 'terminate') return void (await rig.db.query(TERMINATE, [pid]))
  process.kill(pid, 'SIGKILL')
  const accepts = () =>
    own.admin('select 1').then(
      () => true,
      () => false,
    )
  await until('PostgreSQL accepts no connections', async () => !(await accepts()), 500).catch(() => {})
  await until('PostgreSQL accepts connections', accepts)
}

/**
 * Returns the milliseconds until the server acknowledges the next payment. Resolves after twice CONCURRENCY more payments.
 */
async function backAfter(load: Load): Promise<number> {
  const begin = performance.now()
  await payments(load, 1)
  const first = Math.round(performance.now() - begin)
  await payments(load, CONCURRENCY * 2)
  return first
}

async function payments(load: Load, count: number): Promise<void> {
  const before = load.acks.length
  const end = Date.now() + 30_000
  while (load.acks.length < before + count) {
    for (const child of processes) if (!child.alive()) throw new Error(`a process has ended:\n${child.output()}`)
    if (Date.now() > end)
      throw new Error(`the platform accepted no payment for 30 s:\n${processes[0]?.output().slice(-4_000)}`)
    await sleep(2)
  }
}

/** Makes commits wait for a standby that does not exist, until the function changes the setting again. */
async function missingStandby(load: Load, client: ReturnType<typeof createClient>): Promise<void> {
  await own.admin(`alter system set synchronous_standby_names = 'missing'`)
  await own.admin('select pg_reload_conf()')
  const heldBack = async () => (await rig.db.query<{ count: number }>(HELD_BACK))[0]?.count ?? 0
  await until('commits wait for the standby', async () => (await heldBack()) > 0)
  const [shop] = rig.shops
  assert.ok(shop)
  const order = orderOf(shop, 'during-standby', 4_200, '123')
  const during = await client.once(order)
  // Null means that the client closed the connection first.
  assert.ok(during === null || during.status === 503, during?.text)
  const ids = load.acks.map(({ collection_id }) => collection_id)
  assert.equal((await rig.db.query(SEEN, [ids])).length, ids.length, 'the database has each acknowledged payment')
  await own.admin('alter system reset synchronous_standby_names')
  await own.admin('select pg_reload_conf()')
  load.acks.push(await client.order(order))
  await payments(load, CONCURRENCY * 2)
}
