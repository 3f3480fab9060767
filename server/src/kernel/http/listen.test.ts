// Tests how the server accepts connections: many in one turn of its event loop, on a port that no other process shares. After
// its close, it accepts none.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import type { App } from './app-types.ts'
import { type OpenPort, openPort } from './listen.ts'

const HOST = '127.0.0.1'
const CONNECTIONS = 160
/**
 * Connects to a port many times, and notifies the waiting thread after each connection. The kernel makes the connections
 * without the server.
 */
const CLIENTS = `
const { workerData: { port, count, state } } = require('node:worker_threads')
for (let i = 0; i < count; i++) {
  require('node:net').connect(port, '${HOST}', () => { Atomics.add(state, 0, 1); Atomics.notify(state, 0) })
}`

async function open(): Promise<{ app: App; opened: OpenPort }> {
  const app = Fastify() as unknown as App
  return { app, opened: await openPort(app, { host: HOST, port: 0 }) }
}

test('after a slow turn of the event loop, the server accepts many waiting connections in a few turns', async () => {
  const { app, opened } = await open()
  const state = new Int32Array(new SharedArrayBuffer(4))
  const clients = new Worker(CLIENTS, { eval: true, workerData: { port: opened.port, count: CONNECTIONS, state } })
  try {
    let accepted = 0
    const all = new Promise<void>((resolve) => {
      app.server.on('connection', () => ++accepted === CONNECTIONS && resolve())
    })
    await new Promise((resolve) => clients.once('online', resolve))
    // This thread blocks until all clients have connected, so the server accepts no connection in this time.
    for (let made = 0; made < CONNECTIONS; made = Atomics.load(state, 0)) Atomics.wait(state, 0, made, 1_000)
    const accepted_before = accepted
    const before = performance.nodeTiming.uvMetricsInfo.loopCount
    await all
    const turns = performance.nodeTiming.uvMetricsInfo.loopCount - before
    const left = CONNECTIONS - accepted_before
    assert.ok(left > CONNECTIONS / 2, `the server accepted ${accepted_before} connections before the measurement`)
    assert.ok(turns < left / 3, `the server needed ${turns} turns for ${left} connections`)
  } finally {
    await clients.terminate()
    await Promise.all([app.close(), opened.close()])
  }
})

test('a second server fails with EADDRINUSE on the port of the first server', async () => {
  const { app, opened } = await open()
  const second = Fastify() as unknown as App
  try {
    await assert.rejects(openPort(second, { host: HOST, port: opened.port }), { code: 'EADDRINUSE' })
  } finally {
    await Promise.all([app.close(), second.close(), opened.close()])
  }
})

test('a server that closes answers its open requests on each socket, and accepts no further connection', async () => {
  const app = Fastify() as unknown as App
  const held = Promise.withResolvers<void>()
  let begun = 0
  const all = Promise.withResolvers<void>()
  app.get('/held', { config: { access: 'public' } }, async () => {
    if (++begun === 48) all.resolve()
    await held.promise
    return { ok: true }
  })
  const opened = await openPort(app, { host: HOST, port: 0 })
  const answers = Array.from({ length: 48 }, () => ask(opened.port))
  await all.promise
  const closed = Promise.all([app.close(), opened.close()])
  for (let i = 0; i < 48; i++) {
    assert.equal(await connectionError(opened.port), 'ECONNREFUSED')
  }
  held.resolve()
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*\{"ok":true\}$/)
  await closed
})

/** Sends a request on a new connection. Returns everything that the server sends until it closes the connection. */
function ask(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket: Socket = connect(port, HOST)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write('GET /held HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  })
}

function connectionError(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.on('error', (error: Error & { code?: string }) => resolve(error.code))
  })
}
