// Tests four servers on one database, behind a balancer that sends each request to the next server. One server dies, one hangs
// for longer than its leases, and one has a clock that is ten minutes ahead. `npm run servers` runs ten rounds behind HAProxy,
// and `npm test` one round.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeKey } from '../../src/access/api-keys/index.ts'
import { newPerson, openBrowser, refresh, signIn } from '../sign-in.ts'
import { factsOf, findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { createClient, type Load, orderOf, startLoad } from './load.ts'
import {
  type Cashier,
  findPayoutProblems,
  gatherPayoutFacts,
  openCashier,
  totalOf,
  waitPayoutsQuiet,
} from './payouts.ts'
import { type Child, startChild, until, wrongClock } from './processes.ts'
import { createRig, openShop, type Rig, type Shop, seededRandom } from './rig.ts'
import { createBalancer, serveBalancer, startHaproxy } from './steady-load.ts'

const IS_FULL = process.env.SERVERS === 'full'
const SEED = Number(process.env.SEED ?? 17)
const ROUNDS = IS_FULL ? 10 : 1
const PER_SECOND = 12
const TEN_MINUTES_MS = 600_000
/**
 * The time in milliseconds for which a server hangs. The leases of payments, payouts and webhooks are shorter, so other servers
 * take its rows.
 */
const HANG_MS = 17_000
const QUIET_MS_MAX = 120_000
/**
 * The phone endings of payers who approve every payment. An approved prompt does not count towards the limit of prompts.
 */
const APPROVED = ['001', '008', '009', '555']
const PROMPTS_MAX = 60
/** The limit of requests of a key in a minute at one server. The load sends less than half of the smaller limit. */
const REQUESTS_MAX = IS_FULL ? 600 : 250
const PAYOUTS = 6
const SHOWN_MAX = 10

type Server = { env: Record<string, string>; child: Child }

let rig: Rig
let balancer: { usesAll(): Promise<boolean>; close(): unknown }
let base: string
let cashier: Cashier
let load: Load
const servers: Server[] = []
const [AHEAD, MORTAL, HANGING] = [1, 2, 3]

function start(env: Record<string, string>): Child {
  return startChild(rig.env(env))
}

const serverAt = (index: number | undefined): Server => servers[index ?? 0] as Server

before(async () => {
  rig = await createRig({ shops: 4, delay_ms: 100 })
  base = `http://127.0.0.1:${rig.port}`
  cashier = await openCashier(rig)
  const settings = {
    BASE_URL: base,
    TRUST_PROXY: '127.0.0.1',
    PROMPTS_PER_PHONE_HOUR: String(PROMPTS_MAX),
    RATE_LIMIT_PER_KEY: String(REQUESTS_MAX),
  }
  for (let i = 0; i < 4; i++) {
    const env = { ...settings, HOST: `127.0.0.${i + 2}`, ...(i === AHEAD ? wrongClock(TEN_MINUTES_MS) : {}) }
    servers.push({ env, child: start(env) })
  }
  await Promise.all(servers.map(({ child }) => child.ready()))
  const urls = servers.map(({ child }) => child.url)
  balancer = IS_FULL ? await startHaproxy(rig.port, urls) : await serveBalancer(rig.port, createBalancer(urls))
  await until('the balancer uses all servers', balancer.usesAll)
  await rig.configureWebhooks(base)
})
after(async () => {
  // If a test fails, this line ends the load, which would keep the process of the test alive.
  void load?.stop().catch(() => {})
  await balancer?.close()
  for (const { child } of servers) await child.kill()
  await cashier?.close()
  await rig?.close()
})

test('four servers lose no payment and send no payout twice while one dies, one hangs and one has a wrong clock', async (t) => {
  const [payout_shop, ...shops] = rig.shops as [Shop, ...Shop[]]
  const client = createClient(base, 16)
  load = startLoad({
    client,
    shops,
    random: seededRandom(SEED),
    concurrency: 8,
    per_second: PER_SECOND,
    endings: APPROVED,
  })
  const payouts = { count: 0, total_minor: 0n }
  for (let round = 0; round < ROUNDS; round++) {
    await payments(load, 2 * PER_SECOND)
    // The server dies, or hangs, right after its answers to approvals, so that it still holds the leases of these payouts.
    const mortal = serverAt(MORTAL)
    await approvePayouts(payout_shop, mortal.child.url, payouts)
    await mortal.child.kill()
    await payments(load, 2 * PER_SECOND)
    mortal.child = start(mortal.env)
    await mortal.child.ready()
    const hanging = serverAt(HANGING).child
    await approvePayouts(payout_shop, hanging.url, payouts)
    hanging.signal('SIGSTOP')
    await sleep(HANG_MS)
    hanging.signal('SIGCONT')
    await until('the balancer uses all servers', balancer.usesAll)
  }
  await load.stop()
  const { ms, left } = await waitQuiet(rig, QUIET_MS_MAX)
  assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
  await waitPayoutsQuiet(rig)
  assert.deepEqual(load.problems, [])
  const facts = factsOf(await gatherFacts(rig, load.acks), new Set(shops.map(({ merchant }) => merchant.id)))
  assert.deepEqual(findProblems(facts).slice(0, SHOWN_MAX), [])
  const funded = new Map([[payout_shop.merchant.id, payouts.total_minor]])
  assert.deepEqual(findPayoutProblems(await gatherPayoutFacts(rig), funded).slice(0, SHOWN_MAX), [])
  const { length } = load.acks
  t.diagnostic(`SEED=${SEED}: ${length} payments, ${payouts.count} payouts, ${ROUNDS} rounds, quiet after ${ms} ms`)
  await client.close()
})

test('a phone gets no more prompts than the limit of an hour, whichever servers receive the requests', async () => {
  const shop = await openShop(rig.deps, 'Duka la simu')
  const client = createClient(base, 8)
  const answers = await Promise.all(
    Array.from({ length: PROMPTS_MAX + 10 }, (_, i) => client.once(orderOf(shop, `phone-${i}`, 1_000, '003'))),
  )
  const statuses = answers.map((answer) => answer?.status)
  assert.equal(statuses.filter((status) => status === 202).length, PROMPTS_MAX)
  assert.equal(statuses.filter((status) => status === 429).length, 10)
  await client.close()
})

test('a sign-in, its session and its refresh work though each request reaches another server', async () => {
  for (const _ of servers) {
    const person = await newPerson(rig, {})
    const tokens = await signIn({ base }, person, openBrowser(base))
    let { access_token, refresh_token } = tokens
    for (let i = 0; i < servers.length; i++) {
      for (const { child } of servers) assert.equal((await read(child.url, '/v1/me', access_token)).status, 200)
      const next = await refresh(base, refresh_token)
      assert.equal(next.status, 200, JSON.stringify(next.body))
      ;({ access_token, refresh_token } = next.body)
    }
  }
})

test('each server counts the requests of a key by the minute, and immediately refuses a revoked key', async () => {
  const shop = await openShop(rig.deps, 'Duka la maombi')
  for (const { child } of servers) {
    const statuses = new Map<number, number>()
    for (let i = 0; i < REQUESTS_MAX + 5; i += 1) {
      const { status, headers } = await read(child.url, '/v1/collections', shop.key)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status !== 429) continue
      const wait_s = Number(headers.get('retry-after'))
      assert.ok(wait_s >= 1 && wait_s <= 60, `Retry-After is ${wait_s}`)
    }
    assert.deepEqual(Object.fromEntries(statuses), { 200: REQUESTS_MAX, 429: 5 })
  }
  const other = await openShop(rig.deps, 'Duka la ufunguo')
  for (const { child } of servers) assert.equal((await read(child.url, '/v1/collections', other.key)).status, 200)
  await revokeKey(rig.deps, other.merchant.id, other.key_id)
  for (const { child } of servers) assert.equal((await read(child.url, '/v1/collections', other.key)).status, 401)
})

// Helpers -------------------------------------------------------------------------------------------------------------

async function payments(load: Load, count: number): Promise<void> {
  const wanted = load.acks.length + count
  await until('the load goes on', () => load.acks.length >= wanted)
}

/** Submits payouts, approves them at one server, and adds them to `made`. */
async function approvePayouts(
  payout_shop: Shop,
  server_url: string,
  made: { count: number; total_minor: bigint },
): Promise<void> {
  const ids: string[] = []
  for (let i = 0; i < PAYOUTS; i++) {
    const amount = 1_000n + BigInt(i)
    await cashier.fund(payout_shop, totalOf(amount))
    made.total_minor += totalOf(amount)
    ids.push(await cashier.submit(payout_shop, amount, '001'))
  }
  const statuses = await Promise.all(ids.map((id) => cashier.approve(server_url, id)))
  assert.deepEqual(new Set(statuses), new Set([200]))
  made.count += ids.length
}

function read(url: string, path: string, token: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
}
