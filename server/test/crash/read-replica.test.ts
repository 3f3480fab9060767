// Tests the server with DATABASE_READ_URL and a real replica. The server reads from the replica. If the replica is lost, even
// before the start, no request fails.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settableClock } from '../../src/kernel/lib/index.ts'
import { freePort } from '../free-port.ts'
import { testDeps } from '../harness.ts'
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts'
import { type OwnReplica, startOwnReplica } from '../own-replica.ts'
import { createClient, orderOf } from './load.ts'
import { type Child, endOf, serverEnv, startChild } from './processes.ts'
import { openShop, type Shop } from './rig.ts'

let primary: OwnPostgres
let replica: OwnReplica
let shop: Shop
let env: Record<string, string>
const children: Child[] = []
before(async () => {
  primary = await startOwnPostgres()
  replica = await startOwnReplica(primary)
  const deps = testDeps(primary.url, { clock: settableClock(new Date()) })
  shop = await openShop(deps, 'Duka')
  await deps.close()
  const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) }
  env = serverEnv(primary.url, {
    ...ports,
    DATABASE_READ_URL: replica.url,
    DATABASE_READ_LAG_MAX_MS: '2000',
    PROCESS: 'all',
    MOCK_DELAY_MS: '0',
  })
})
after(async () => {
  for (const child of children) await child.kill()
  await replica?.close()
  await primary?.close()
})

async function start(): Promise<Child> {
  const child = startChild(env)
  children.push(child)
  await child.ready()
  return child
}

async function stop(child: Child): Promise<void> {
  child.signal('SIGTERM')
  assert.deepEqual(await endOf(child, 60_000), { code: 0, signal: null }, child.output())
}

let number = 0
/** Makes payments, and asserts that the list has each payment immediately afterwards. */
async function payAndList(server: Child, times: number): Promise<void> {
  const client = createClient(server.url, 1)
  for (let i = 0; i < times; i++) {
    number += 1
    const ack = await client.order(orderOf(shop, `order-${number}`, 100_000, '001'))
    const url = `${server.url}/v1/collections?reference=order-${number}`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${shop.key}` } })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    const { data } = JSON.parse(text) as { data: { items: { collection_id: string }[] } }
    assert.ok(
      data.items.some(({ collection_id }) => collection_id === ack.collection_id),
      text,
    )
  }
  await client.close()
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text()
  assert.ok(text.includes(`# TYPE ${name.split('{')[0]} `), `the server has no metric ${name}`)
  // A counter has no line for a label before its first count.
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}
const REPLICA = 'malipo_reads_total{database="replica"}'
const PRIMARY = 'malipo_reads_total{database="primary"}'

test('a server reads its lists from the replica, and no list fails when the server loses the replica', async () => {
  const server = await start()
  await payAndList(server, 10)
  assert.ok((await metric(REPLICA)) >= 10)
  assert.equal(await metric(PRIMARY), 0)
  assert.equal(await metric('malipo_read_replica_up'), 1)
  await replica.stop()
  await payAndList(server, 10)
  assert.ok((await metric(PRIMARY)) >= 10)
  assert.equal(await metric('malipo_read_replica_up'), 0)
  await stop(server)
})

test('a server starts and answers without its replica', async () => {
  const server = await start()
  await payAndList(server, 5)
  assert.deepEqual([await metric(REPLICA), await metric('malipo_read_replica_up')], [0, 0])
  assert.ok((await metric(PRIMARY)) >= 5)
  await stop(server)
})
