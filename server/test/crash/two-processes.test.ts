// Tests that several processes on one database give the same results as one process, whichever process receives a request.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { revokeKey } from '../../src/access/api-keys/index.ts'
import { sql } from '../../src/kernel/db/index.ts'
import { freePort } from '../free-port.ts'
import { type Facts, findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { type Ack, createClient, orderOf } from './load.ts'
import { type Child, startChild, until } from './processes.ts'
import { createRig, type Rig } from './rig.ts'

const PAYMENTS = 120
const CONCURRENCY = 16
const DELAY_MS = 200
/**
 * The phone number of payment i decides the outcome, so every run has the same outcomes. The payments omit the ending 010,
 * which fails and then succeeds, because only timing decides whether the platform gets the failure.
 */
const ENDINGS = ['001', '002', '004', '006', '008', '009', '011', '012', '013', '014', '555']
/**
 * The number of milliseconds by which a hanging receiver of another merchant may delay a delivery. A busy machine adds the time that a
 * delivery needs without that receiver, at most ALONE_MS_MAX.
 */
const FAIR_MS_MAX = 1_500
const ALONE_MS_MAX = 1_500
/**
 * The number of events of the merchant whose receiver hangs. The number is larger than the number that a process sends at the
 * same time.
 */
const FLOOD = 600

const rigs: Rig[] = []
const children: Child[] = []
after(async () => {
  for (const child of children) await child.kill()
  for (const rig of rigs) await rig.close()
})

function start(env: Record<string, string>): Child {
  const child = startChild(env)
  children.push(child)
  return child
}

/** Starts two processes that serve HTTP and two workers. The provider sends its callbacks to the first process. */
async function startFour(rig: Rig): Promise<[Child, Child]> {
  const apis: [Child, Child] = [
    start(rig.env({ PROCESS: 'api' })),
    start(rig.env({ PROCESS: 'api', PORT: String(await freePort()) })),
  ]
  const workers = [1, 2].map(() => start(rig.env({ PROCESS: 'worker', LOG_LEVEL: 'info' })))
  await Promise.all(apis.map((api) => api.ready()))
  await until('the workers have started', () => workers.every((worker) => worker.output().includes('worker started')))
  await rig.configureWebhooks(apis[0].url)
  return apis
}

async function newRig(shops: number, delay_ms: number): Promise<Rig> {
  const rig = await createRig({ shops, delay_ms })
  rigs.push(rig)
  return rig
}

/** Makes the same payments in each run. Alternates between the addresses of the servers. */
async function workload(rig: Rig, urls: readonly string[]): Promise<Ack[]> {
  const clients = urls.map((url) => createClient(url, CONCURRENCY))
  const acks: Ack[] = []
  let next = 0
  const loop = async () => {
    for (let i = next++; i < PAYMENTS; i = next++) {
      const shop = rig.shops[i % rig.shops.length]
      const client = clients[i % clients.length]
      const ending = ENDINGS[i % ENDINGS.length]
      assert.ok(shop && client && ending)
      const order = orderOf(shop, `order-${i}`, 1_000 + i * 37, ending)
      const ack = await client.order(order)
      acks.push(ack)
      // Each process gives the same response to a repeated request.
      const other = clients[(i + 1) % clients.length] ?? client
      assert.equal((await other.order(order)).text, ack.text)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loop))
  await Promise.all(clients.map((client) => client.close()))
  return acks
}

/** Returns the results of a run without the ids, which differ between runs. */
function resultsOf(rig: Rig, facts: Facts) {
  const events = Map.groupBy(facts.deliveries, (row) => row.source_id)
  const payments = facts.collections
    .map(({ id, key, status, amount_minor, net_minor, credits }) => {
      const reported = (events.get(id) ?? []).sort((a, b) => a.source_seq - b.source_seq).map((row) => row.event)
      return `${key} ${status} ${amount_minor} ${net_minor} ${credits} ${reported.join('+')}`
    })
    .sort()
  const balances = rig.shops.map(
    ({ merchant }) => facts.balances.find((row) => row.merchant_id === merchant.id)?.owned_minor,
  )
  return { payments, balances, prompts: facts.book.length, events: facts.deliveries.length }
}

/**
 * Checks that each request that arrived has a recorded attempt, and that the receiver accepted each event exactly once, because
 * no process died.
 */
function checkDeliveries(facts: Facts): void {
  const arrived = Map.groupBy(facts.arrivals, (arrival) => arrival.id)
  for (const { id, event, attempts } of facts.deliveries) {
    const came = arrived.get(id) ?? []
    assert.equal(came.length, attempts, `${event} arrived ${came.length} times in ${attempts} attempts`)
    assert.equal(
      came.filter((arrival) => arrival.answer === 200).length,
      1,
      `the receiver accepted ${event} more than once`,
    )
  }
}

test('two API processes and two workers give the same results as one process', async () => {
  const run = async (startAll: (rig: Rig) => Promise<string[]>) => {
    const rig = await newRig(3, DELAY_MS)
    let arrivals = 0
    // In both runs the receiver refuses the same share of events, but not the same events.
    rig.hooks.answer = () => (++arrivals % 20 === 0 ? 500 : 200)
    const acks = await workload(rig, await startAll(rig))
    const { left } = await waitQuiet(rig)
    assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
    const facts = await gatherFacts(rig, acks)
    assert.deepEqual(findProblems(facts), [])
    checkDeliveries(facts)
    return resultsOf(rig, facts)
  }
  const of_four = await run(async (rig) => (await startFour(rig)).map((api) => api.url))
  for (const child of children) await child.kill()
  const of_one = await run(async (rig) => {
    const server = start(rig.env())
    await server.ready()
    await rig.configureWebhooks(server.url)
    return [server.url]
  })
  assert.equal(of_one.prompts, PAYMENTS)
  assert.deepEqual(of_four, of_one)
})

describe('four processes on one database', () => {
  const get = async (api: Child, key: string) => {
    const answer = await fetch(`${api.url}/v1/collections`, { headers: { authorization: `Bearer ${key}` } })
    return { status: answer.status, text: await answer.text() }
  }

  test('every process refuses a revoked key on the next request, even if another process revoked the key', async () => {
    const rig = await newRig(3, 0)
    const apis = await startFour(rig)
    for (const { key, key_id, merchant } of rig.shops) {
      for (const api of apis) for (let i = 0; i < 3; i++) assert.equal((await get(api, key)).status, 200)
      await revokeKey(rig.deps, merchant.id, key_id)
      for (const api of apis) {
        const answer = await get(api, key)
        assert.equal(answer.status, 401)
        assert.match(answer.text, /api_key_revoked/)
      }
    }
    for (const child of children) await child.kill()
  })

  test('a receiver that hangs delays the webhooks of no other merchant', async (t) => {
    const rig = await newRig(3, 0)
    const apis = await startFour(rig)
    const [slow, quick, earlier] = rig.shops
    assert.ok(slow && quick && earlier)
    rig.hooks.answer = (path) => (path === `/${slow.merchant.id}` ? 'hang' : 200)
    const clients = apis.map((api) => createClient(api.url, CONCURRENCY))
    const [first, second] = clients
    assert.ok(first && second)
    const arrivalsOf = (shop: typeof quick) =>
      rig.hooks.arrivals.filter((arrival) => arrival.path === `/${shop.merchant.id}`)
    /** Pays a merchant ten times, and returns the milliseconds from each event to its arrival. */
    const pay = async (shop: typeof quick): Promise<number[]> => {
      const acks: Ack[] = []
      for (let i = 0; i < 10; i++)
        acks.push(await (i % 2 ? first : second).order(orderOf(shop, `${shop.merchant.id}-${i}`, 2_000, '001')))
      await until('the merchant has its events', () => arrivalsOf(shop).length >= acks.length)
      const born = await rig.db.query<{ id: string; created_at: Date }>(
        sql('crash_born', 'select id, created_at from webhook_deliveries where merchant_id = $1'),
        [shop.merchant.id],
      )
      return born.map(({ id, created_at }) => {
        const arrival = arrivalsOf(shop).find((came) => came.id === id)
        return arrival ? arrival.at - created_at.getTime() : Number.POSITIVE_INFINITY
      })
    }
    // The quick merchant is paid only during the flood, because a receiver that has answered before is served first.
    const alone_ms = Math.min(ALONE_MS_MAX, Math.max(...(await pay(earlier))))
    const flood = Array.from({ length: FLOOD }, (_, i) =>
      (i % 2 ? first : second).order(orderOf(slow, `slow-${i}`, 1_000, '001')),
    )
    await Promise.all(flood)
    const settled = sql(
      'crash_settled',
      'select count(*)::int as events from webhook_deliveries where merchant_id = $1',
    )
    await until('the payments of the slow merchant are settled', async () => {
      const [row] = await rig.db.query<{ events: number }>(settled, [slow.merchant.id])
      return row?.events === FLOOD
    })
    // No process has called this receiver before, so each process sends the receiver one delivery at a time.
    await until('the slow receiver is busy', () => arrivalsOf(slow).length >= 2)

    const waits = await pay(quick)
    t.diagnostic(`first deliveries after ${waits.sort((a, b) => a - b).join(', ')} ms, ${arrivalsOf(slow).length} hang`)
    assert.equal(waits.length, 10)
    const longest = Math.max(...waits)
    assert.ok(longest < FAIR_MS_MAX + alone_ms, `a delivery waited ${longest} ms, and ${alone_ms} ms before the flood`)
    await Promise.all(clients.map((client) => client.close()))
  })
})
