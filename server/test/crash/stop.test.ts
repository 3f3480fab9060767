// Tests that a stopping process first reports to the load balancer that it is not ready, and then finishes its started work.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kernel/db/index.ts'
import { freePort } from '../free-port.ts'
import { createClient, orderOf } from './load.ts'
import { type Child, endOf, startChild, until } from './processes.ts'
import { createRig, type Rig, type Shop } from './rig.ts'

let rig: Rig
const children: Child[] = []
before(async () => {
  rig = await createRig({ shops: 1, delay_ms: 50 })
})
after(async () => {
  for (const child of children) await child.kill()
  await rig?.close()
})

function start(more: Record<string, string>): Child {
  const child = startChild(rig.env(more))
  children.push(child)
  return child
}

test('soon after SIGTERM the server answers 503 on /readyz, still answers other requests, and ends after STOP_DELAY_S seconds', async () => {
  const server = start({ STOP_DELAY_S: '4' })
  await server.ready()
  await until('the server has started', () => server.output().includes('is ready.'))
  const begin = performance.now()
  server.signal('SIGTERM')
  let ready_answers = 0
  await until('/readyz is 503', async () => {
    const { status } = await fetch(`${server.url}/readyz`)
    if (status === 200) ready_answers += 1
    return status === 503
  })
  assert.ok(ready_answers < 20, `${ready_answers} answers of /readyz after the signal said that the server is ready`)
  const closing = await fetch(`${server.url}/healthz`)
  assert.deepEqual([closing.status, closing.headers.get('connection')], [200, 'close'])
  const client = createClient(server.url, 1)
  const order = orderOf(rig.shops[0] as Shop, 'while-stopping', 4_200, '123')
  assert.equal((await client.once(order))?.status, 202)
  assert.deepEqual(await endOf(server), { code: 0, signal: null }, server.output())
  assert.ok(performance.now() - begin >= 4_000)
  await client.close()
})

test('a stopping process with PROCESS=api finishes each webhook delivery that it has started', async () => {
  const held: ServerResponse[] = []
  const receiver = createServer((request, response) => {
    request.resume()
    held.push(response)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    const api = start({ PROCESS: 'api' })
    await api.ready()
    await until('the server has started', () => api.output().includes('is ready.'))
    const worker = start({ PROCESS: 'worker', PORT: String(await freePort()) })
    const { key } = rig.shops[0] as Shop
    const { port } = receiver.address() as AddressInfo
    const configured = await fetch(`${api.url}/v1/merchant/webhook-config`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_url: `http://127.0.0.1:${port}/` }),
    })
    assert.equal(configured.status, 200)
    const client = createClient(api.url, 1)
    await client.order(orderOf(rig.shops[0] as Shop, 'delivered-late', 4_200, '123'))
    await client.close()
    await until('the delivery has begun', () => held.length > 0)
    // The worker dies, so that it cannot finish this delivery.
    await worker.kill()
    api.signal('SIGTERM')
    const refuses = () =>
      fetch(`${api.url}/healthz`).then(
        () => false,
        () => true,
      )
    await until('the listener is closed', refuses)
    assert.ok(api.alive(), "the process waits for the receiver's response")
    for (const response of held) response.end('ok')
    assert.deepEqual(await endOf(api), { code: 0, signal: null }, api.output())
    const deliveries = await rig.db.query<{ status: string }>(
      sql('stop_deliveries', `select distinct status from webhook_deliveries where event = 'collection.success'`),
    )
    assert.deepEqual(deliveries, [{ status: 'delivered' }])
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

test('a second SIGTERM ends the process immediately; the process logs its unfinished work, and another process can take the work', async () => {
  let held: ServerResponse | null = null
  const arrived: string[] = []
  const receiver = createServer((request, response) => {
    request.resume()
    arrived.push(String(request.headers['webhook-id']))
    // The first request gets no answer.
    if (held === null) held = response
    else response.end('ok')
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    const server = start({ WEBHOOK_TIMEOUT_MS: '8000' })
    await server.ready()
    await until('the server has started', () => server.output().includes('is ready.'))
    const { key } = rig.shops[0] as Shop
    const { port } = receiver.address() as AddressInfo
    const configured = await fetch(`${server.url}/v1/merchant/webhook-config`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_url: `http://127.0.0.1:${port}/` }),
    })
    assert.equal(configured.status, 200)
    const client = createClient(server.url, 1)
    await client.order(orderOf(rig.shops[0] as Shop, 'unfinished', 4_200, '123'))
    await client.close()
    await until('the delivery has begun', () => held !== null)
    server.signal('SIGTERM')
    await sleep(1_200)
    assert.ok(server.alive(), 'the process waits for the delivery')
    server.signal('SIGTERM')
    assert.deepEqual(await endOf(server), { code: 1, signal: null })
    const line =
      server
        .output()
        .split('\n')
        .find((text) => text.includes('unfinished work')) ?? server.output()
    // The process did not wait for the delivery: the lease of the delivery was still open.
    const { reason, open_requests, leases } = JSON.parse(line)
    const expected = { reason: 'second signal: SIGTERM', open_requests: 0, leases: { webhooks: 1 } }
    assert.deepEqual({ reason, open_requests, leases }, expected)
    const freed = await rig.db.query<{ is_due: boolean }>(
      sql('stop_unfinished', `select due_at <= now() as is_due from webhook_deliveries where status <> 'delivered'`),
    )
    assert.deepEqual(freed, [{ is_due: true }], 'the process gave the lease back')
    const worker = start({ PROCESS: 'worker', PORT: String(await freePort()), LOG_LEVEL: 'info' })
    await until('the worker has started', () => worker.output().includes('worker started'))
    await until('the worker delivers', () => arrived.length === 2)
    assert.equal(arrived[0], arrived[1])
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})
