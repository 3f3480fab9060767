// Tests the server with DATABASE_READ_URL and several hosts in DATABASE_URL while the servers of PostgreSQL fail. With
// TEST_PG_BIN, the servers are of another version of PostgreSQL: see `npm run replica`.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { settableClock } from '../../src/kernel/lib/index.ts'
import { freePort } from '../free-port.ts'
import { testDeps } from '../harness.ts'
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts'
import { type OwnReplica, startOwnReplica } from '../own-replica.ts'
import { type Client, createClient, orderOf } from './load.ts'
import { type Child, endOf, serverEnv, startChild, until } from './processes.ts'
import { openShop, type Shop } from './rig.ts'

/** The time in milliseconds after which the server checks a lost replica again, with a margin for a busy machine. */
const BACK_MS_MAX = 30_000

let primary: OwnPostgres
/** The host that takes over. */
let standby: OwnReplica
let replica: OwnReplica
/** The replica that an operator starts at the address of the lost replica. */
let replacement: OwnReplica
let shop: Shop
let metrics_url: string
let server: Child
let client: Client
before(async () => {
  primary = await startOwnPostgres()
  standby = await startOwnReplica(primary)
  replica = await startOwnReplica(primary)
  replacement = await startOwnReplica(primary)
  const deps = testDeps(primary.url, { clock: settableClock(new Date()) })
  shop = await openShop(deps, 'Duka')
  await deps.close()
  const [port, metrics_port] = [await freePort(), await freePort()]
  metrics_url = `http://127.0.0.1:${metrics_port}/metrics`
  server = startChild(
    serverEnv(twoHosts(), {
      PORT: String(port),
      METRICS_PORT: String(metrics_port),
      DATABASE_READ_URL: replica.url,
      DATABASE_READ_LAG_MAX_MS: '2000',
      PROCESS: 'all',
      MOCK_DELAY_MS: '0',
    }),
  )
  await server.ready()
  client = createClient(server.url, 1)
})
after(async () => {
  await client?.close()
  await server?.kill()
  standby?.signal('SIGCONT')
  for (const one of [replacement, replica, standby]) await one?.close()
  await primary?.close()
})

/** Returns the URL with the hosts of the primary and the standby. */
function twoHosts(): string {
  const url = new URL(primary.url)
  const hosts = [url.port, new URL(standby.url).port].map((port) => `127.0.0.1:${port}`)
  const [before_host] = primary.url.split('@')
  return `${before_host}@${hosts.join(',')}${url.pathname}?target_session_attrs=read-write`
}

let number = 0
/** Makes a payment: repeats the request until the server accepts the payment. Returns the id. */
async function pay(): Promise<string> {
  number += 1
  const ack = await client.order(orderOf(shop, `order-${number}`, 100_000, '001'))
  return ack.collection_id
}

/** Lists the payments with the last reference. Returns the status and the text of the response, and the ids. */
async function list(): Promise<{ status: number; text: string; ids: string[] }> {
  const url = `${server.url}/v1/collections?reference=order-${number}`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${shop.key}` } })
  const text = await answer.text()
  const items = answer.status === 200 ? JSON.parse(text).data.items : []
  return { status: answer.status, text, ids: items.map((item: { collection_id: string }) => item.collection_id) }
}

/** Makes payments, and asserts that the list has each payment immediately afterwards. */
async function payAndList(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const id = await pay()
    const { status, text, ids } = await list()
    assert.equal(status, 200, text)
    assert.deepEqual(ids, [id], text)
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(metrics_url)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}
const fromReplica = () => metric('malipo_reads_total{database="replica"}')
const fromPrimary = () => metric('malipo_reads_total{database="primary"}')

/** Makes payments and lists until the replica has answered `times` lists. Each list must contain the newest payment. */
async function readFromReplica(times: number): Promise<void> {
  const begin = await fromReplica()
  await until(
    'the replica answers reads',
    async () => {
      await payAndList(1)
      return (await fromReplica()) >= begin + times
    },
    BACK_MS_MAX,
  )
}

/** Makes payments and lists, and asserts that the primary has answered all lists. */
async function readFromPrimary(times: number): Promise<void> {
  const begin = { replica: await fromReplica(), primary: await fromPrimary() }
  await payAndList(times)
  assert.equal(await fromReplica(), begin.replica)
  assert.ok((await fromPrimary()) >= begin.primary + times)
}

test('a server reads its lists from a replica of the same version of PostgreSQL', async (t) => {
  const version = async (of: { admin: OwnReplica['admin'] }) =>
    (await of.admin<{ server_version: string }>('show server_version'))[0]?.server_version
  assert.equal(await version(replica), await version(primary))
  t.diagnostic(`PostgreSQL ${await version(primary)}`)
  await readFromReplica(10)
})

test('no list fails while the replica disappears and returns', async () => {
  await replica.stop()
  await readFromPrimary(10)
  await replica.start()
  await readFromReplica(5)
})

test('after a failover, the server never reads from a replica of the lost primary, even if the replica has more of the log', async (t) => {
  // The replacement stops before the standby replays the log, so it has no more of the log than the standby.
  await replacement.follow(standby.url)
  await replacement.stop()
  // The standby lacks the end of the log, which contains no payment. The replica has the whole log.
  await waitReplayed(primary, standby)
  standby.signal('SIGSTOP')
  await primary.admin("select pg_logical_emit_message(false, 'fill', repeat('x', 1000000))")
  await primary.admin('select pg_switch_wal()')
  await waitReplayed(primary, replica)
  const acknowledged = await list()
  await primary.stop('immediate')
  standby.signal('SIGCONT')
  assert.equal(acknowledged.ids.length, 1)

  const away = await list()
  assert.equal(away.status, 503, away.text)
  const statuses: number[] = []
  let running = true
  const asking = (async () => {
    while (running) {
      statuses.push((await list()).status)
      await sleep(50)
    }
  })()
  await until('a list is answered without a primary', () => statuses.includes(503))
  await standby.promote()
  const promoted_at = performance.now()
  await payAndList(1)
  t.diagnostic(`first payment ${Math.round(performance.now() - promoted_at)} ms after the promotion`)
  await readFromPrimary(10)
  running = false
  await asking
  assert.deepEqual([...new Set(statuses)].sort(), [200, 503])
  assert.equal(
    statuses.indexOf(200),
    statuses.lastIndexOf(503) + 1,
    'no list fails after the first answer of the new primary',
  )
  assert.ok(server.alive(), server.output())
  await until('the server has checked the replica again', async () => {
    await payAndList(1)
    return /it follows another timeline|it has changes that the primary does not have/.test(server.output())
  })
})

test('a replica of the new primary answers reads again', async () => {
  await replica.close()
  await replacement.start(new URL(replica.url).port)
  await readFromPrimary(5)
  // The replica records its new timeline with a restart point, which needs a checkpoint of the new primary.
  await standby.admin('checkpoint')
  await waitReplayed(standby, replacement)
  await replacement.admin('checkpoint')
  await readFromReplica(5)
})

test('no list fails after an operator promotes the replica by mistake, and no list has the rows of that replica', async () => {
  await replacement.promote()
  await replacement.admin('update collections set reference = null')
  await readFromPrimary(10)
  assert.match(server.output(), /it accepts writes, so it is no replica/)
})

test('after the failures of PostgreSQL, the server still runs, has answered no request with 500, and stops with code 0', async () => {
  assert.doesNotMatch(server.output(), /"status":500|unhandled/)
  server.signal('SIGTERM')
  assert.deepEqual(await endOf(server, 60_000), { code: 0, signal: null }, server.output())
})

/** Waits until a standby has replayed everything that its primary has written. */
async function waitReplayed(of: { admin: OwnReplica['admin'] }, one: OwnReplica): Promise<void> {
  const [position] = await of.admin<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
  await until('the standby has replayed the log', async () => {
    const [row] = await one.admin<{ done: boolean }>(`select pg_last_wal_replay_lsn() >= '${position?.lsn}' as done`)
    return row?.done === true
  })
}
