// Tests the turns of requests: many requests of one caller delay no other caller and no health check. If a client has
// disconnected, the server begins no work for it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { until } from '../../../test/programs.ts'
import { createApp } from './app.ts'
import { type RequestTurns, shareTurns } from './turns.ts'

const BURST = 150
const BUSY_MS = 2

/**
 * Starts a server whose work on each request blocks the thread for BUSY_MS. `begun` lists the paths in the order of the work.
 */
async function startBusyServer(): Promise<{ server: Server; begun: string[]; dropped: string[]; turns: RequestTurns }> {
  const [begun, dropped]: [string[], string[]] = [[], []]
  const server = createServer((request, response) => {
    begun.push(request.url ?? '')
    for (const end = performance.now() + BUSY_MS; performance.now() < end; );
    response.end()
  })
  const turns = shareTurns(server, (request) => {
    dropped.push(request.url ?? '')
    request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, begun, dropped, turns }
}

async function connectTo(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await Promise.all([once(socket, 'connect'), once(server, 'connection')])
  return socket
}

const get = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\n${key === undefined ? '' : `authorization: Bearer ${key}\r\n`}\r\n`

/** Resolves when `count` requests of the burst have begun. */
async function untilBegun(begun: readonly string[], count: number): Promise<void> {
  while (begun.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('behind a burst of one caller, the server begins a health check and requests of other callers before half of the burst', async () => {
  const { server, begun, turns } = await startBusyServer()
  for (const key of ['attacker', 'honest'])
    turns.rememberCredential({ headers: { authorization: `Bearer ${key}` } } as IncomingMessage, false)
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < BURST + 3; i++) sockets.push(await connectTo(server))
    const [health, honest, page, ...burst] = sockets as [Socket, Socket, Socket, ...Socket[]]
    for (const socket of burst) socket.write(get('/v1/payment-links', 'attacker'))
    honest.write(get('/v1/collections', 'honest'))
    page.write(get('/pay/123456'))
    health.write(get('/readyz'))
    await untilBegun(begun, BURST + 3)
    for (const path of ['/readyz', '/v1/collections', '/pay/123456']) {
      const place = begun.indexOf(path)
      assert.ok(place < BURST / 2, `${path} began after ${place} requests of the burst`)
    }
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('behind a burst with invented credentials and paths, the server begins a request with a valid credential before half of the burst', async () => {
  const { server, begun, turns } = await startBusyServer()
  const sockets: Socket[] = []
  try {
    turns.rememberCredential({ headers: { authorization: 'Bearer honest' } } as IncomingMessage, false)
    for (let i = 0; i < BURST + 1; i++) sockets.push(await connectTo(server))
    const [honest, ...burst] = sockets as [Socket, ...Socket[]]
    for (const [i, socket] of burst.entries()) socket.write(get(i % 2 === 0 ? '/v1/me' : `/part-${i}`, `invented-${i}`))
    honest.write(get('/v1/collections', 'honest'))
    await untilBegun(begun, BURST + 1)
    const place = begun.indexOf('/v1/collections')
    assert.ok(place < BURST / 2, `the honest caller began after ${place} requests of the burst`)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('the server closes a connection that sends 150 requests without waiting for their answers', async () => {
  const { server, begun } = await startBusyServer()
  const socket = await connectTo(server)
  try {
    const closed = once(socket, 'close')
    socket.on('error', () => {})
    socket.resume()
    socket.write(get('/v1/me').repeat(BURST))
    await closed
    assert.ok(begun.length < BURST / 2, `${begun.length} requests began`)
  } finally {
    socket.destroy()
    server.close()
  }
})

test('the server drops a waiting request whose caller leaves, and answers all other requests', async () => {
  const { server, begun, dropped } = await startBusyServer()
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < BURST; i++) sockets.push(await connectTo(server))
    for (const [i, socket] of sockets.entries()) {
      const path = i % 2 === 0 ? '/stays' : '/leaves'
      socket.write(get(path))
      if (path === '/leaves') socket.destroy()
    }
    while (begun.length + dropped.length < BURST) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(begun.filter((path) => path === '/stays').length, BURST / 2)
    assert.ok(dropped.length > BURST / 4, `the server dropped ${dropped.length} requests`)
    assert.deepEqual([...new Set(dropped)], ['/leaves'])
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

let world: World
let held: PromiseWithResolvers<void> | null = null
let looked_up = Promise.withResolvers<void>()
let statements: string[] = []
before(async () => {
  world = await createWorld({
    env: { LOG_LEVEL: 'info' },
    before: (name) => {
      statements.push(name)
      if (name !== 'api_keys_by_hash' || held === null) return
      looked_up.resolve()
      return held.promise
    },
  })
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => world.close())

test('the log and the metrics of a request include its wait, and a gauge shows the waiting requests', async () => {
  const { app } = world.system
  const count = 40
  const sockets: Socket[] = []
  for (let i = 0; i < count; i++) sockets.push(await connectTo(app.server))
  let arrived = 0
  const scraped: Promise<string>[] = []
  // Each request blocks the thread when it arrives. All requests arrive in one turn of the event loop.
  const arrive = () => {
    arrived += 1
    for (const end = performance.now() + BUSY_MS; performance.now() < end; );
    if (arrived === count) scraped.push(world.deps.metrics.text())
  }
  app.server.prependListener('request', arrive)
  try {
    const answered = sockets.map((socket) => once(socket, 'data'))
    for (const [i, socket] of sockets.entries()) socket.write(get(`/v1/collections/waits-${i}`))
    await Promise.all(answered)
  } finally {
    app.server.off('request', arrive)
    for (const socket of sockets) socket.destroy()
  }
  const lines = () => world.deps.logged.map((line) => JSON.parse(line) as { path?: string; duration_ms: number })
  const line = () => lines().find(({ path }) => path === '/v1/collections/waits-15')
  while (line() === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  const waited_ms = (count - 16) * BUSY_MS
  assert.ok((line()?.duration_ms ?? 0) >= waited_ms, `${line()?.duration_ms} ms are below ${waited_ms} ms`)
  const value = async (text: string | Promise<string>, name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.*)$`, 'm').exec(await text)?.[1])
  assert.ok((await value(scraped[0] ?? '', 'malipo_http_requests_waiting')) >= count / 2)
  const after = await world.deps.metrics.text()
  assert.equal(await value(after, 'malipo_http_requests_waiting'), 0)
  assert.ok((await value(after, 'malipo_http_request_duration_seconds_sum')) >= (waited_ms * 20) / 2_000)
})

test('the server reads no payments for a caller who leaves while the server looks up the key', async () => {
  /** Lists the payments once. Returns the statements of the list. */
  const list = async (leaves: boolean): Promise<string[]> => {
    held = Promise.withResolvers()
    looked_up = Promise.withResolvers()
    statements = []
    const accepted = once(world.system.app.server, 'connection') as Promise<[Socket]>
    const socket = connect((world.system.app.server.address() as AddressInfo).port, '127.0.0.1')
    const [at_server] = await accepted
    const closed = once(at_server, 'close')
    socket.write(get('/v1/collections', world.sandbox_key))
    await looked_up.promise
    if (leaves) {
      socket.destroy()
      await closed
    }
    held.resolve()
    held = null
    if (!leaves) await once(socket, 'data')
    // This request without a connection takes as many turns as the first request, so the work of the first request is over.
    const reply = await world.get('/v1/me', world.sandbox_key)
    assert.equal(reply.status, 200)
    socket.destroy()
    // The statements of lists have no name.
    return statements.filter((name) => name === '')
  }
  assert.notDeepEqual(await list(false), [])
  assert.deepEqual(await list(true), [])
  await until(async () => /^malipo_http_requests_dropped_total 1$/m.test(await world.deps.metrics.text()))
  assert.deepEqual(
    statements.filter((name) => name === ''),
    [],
    'the server has dropped the request',
  )
})

test('a begun request with a live key and a callback never wait again, so that the payments of a turn share their statements', async () => {
  const { server, turns } = await startBusyServer()
  try {
    for (const [key, is_live] of [
      ['live', true],
      ['sandbox', false],
    ] as const)
      turns.rememberCredential({ headers: { authorization: `Bearer ${key}` } } as IncomingMessage, is_live)
    const step = (url: string, key?: string) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
      return turns.wait({ url, headers } as IncomingMessage)
    }
    // These steps use up the current turn.
    const earlier = Array.from({ length: BURST }, () => step('/v1/collections', 'sandbox'))
    assert.notEqual(earlier.at(-1), null, 'a request with a sandbox key waits')
    assert.equal(step('/v1/collections', 'live'), null)
    assert.equal(step('/callbacks/mock'), null)
    assert.equal(step('/readyz'), null)
    assert.notEqual(step('/v1/collections', 'unknown'), null)
    await Promise.all(earlier)
  } finally {
    server.close()
  }
})

/** The moments at which many requests of one caller continue at the same time. */
const MOMENTS = ['the database finds their keys', 'their bodies arrive', 'their answers are ready'] as const

for (const moment of MOMENTS) {
  test(`a health check comes between many requests that continue at the same time because ${moment}`, async () => {
    const gate = Promise.withResolvers<void>()
    let [arrived, worked, worked_before_health] = [0, 0, 0]
    const work = () => {
      worked += 1
      for (const end = performance.now() + BUSY_MS; performance.now() < end; );
    }
    const app = await createApp(world.deps, {
      authenticate: async () => {
        if (moment === 'the database finds their keys') await gate.promise
        const { id, routing_code, merchant_code: code } = world.merchant
        const merchant = { id, routing_code, code }
        return {
          kind: 'api_key',
          key_id: id,
          key_name: 'Test',
          environment: 'sandbox',
          scopes: ['invoices:write'],
          merchant,
        }
      },
      isKey: () => false,
      onAnswer: (request) => void (request.url !== '/healthz' && moment === 'their answers are ready' && work()),
      routes: [
        (app) => {
          app.get('/healthz', { config: { access: 'public', limit: 'none' } }, async () => {
            worked_before_health = worked
            return 'ok'
          })
          app.post('/v1/work', { config: { access: { scopes: ['invoices:write'] } } }, async () => {
            if (moment === 'their answers are ready') await gate.promise
            else work()
            return 'done'
          })
        },
      ],
    })
    app.server.on('request', () => arrived++)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const sockets: Socket[] = []
    try {
      for (let i = 0; i < BURST + 1; i++) sockets.push(await connectTo(app.server))
      const [health, ...burst] = sockets as [Socket, ...Socket[]]
      const head = 'POST /v1/work HTTP/1.1\r\nhost: x\r\nauthorization: Bearer a\r\ncontent-type: application/json\r\n'
      const body = moment === 'their bodies arrive' ? '' : '{}'
      for (const socket of burst) socket.write(`${head}content-length: 2\r\n\r\n${body}`)
      while (arrived < BURST) await new Promise((resolve) => setTimeout(resolve, 20))
      await new Promise((resolve) => setTimeout(resolve, 50))
      const answered = once(health, 'data')
      if (moment === 'their bodies arrive') for (const socket of burst) socket.write('{}')
      health.write(get('/healthz'))
      gate.resolve()
      await answered
      assert.ok(worked_before_health < BURST / 2, `${worked_before_health} requests continued before the health check`)
      while (worked < BURST) await new Promise((resolve) => setTimeout(resolve, 5))
    } finally {
      for (const socket of sockets) socket.destroy()
      await app.close()
    }
  })
}
