// Tests that the exchange reports whether the client wrote a byte of a request, and that a late answer reaches the adapter.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { closing, listen, nowhere } from '../../../test/providers/servers.ts'
import { eventually } from '../../../test/providers/vodacom.ts'
import {
  createConnectionQueue,
  createLateRequests,
  type ExchangeResult,
  exchange,
  type ProviderRequest,
} from './exchange.ts'

/** Starts a server whose answers the test sends, and makes a queue to that server. */
async function rig(connections = 1) {
  const open: { path: string; response: ServerResponse }[] = []
  const server = createServer((request, response) => open.push({ path: request.url ?? '', response }))
  const line = createConnectionQueue(await listen(server), connections)
  closing.push(async () => server.closeAllConnections())
  closing.push(() => line.destroy())
  return { open, line }
}
/** A timeout after which a request is lost. A busy machine must connect and write the request within it. */
const SHORT_MS = 1_000
const get = (path: string): ProviderRequest => ({ method: 'GET', path, headers: {}, body: null })

test('the client does not send a request when no connection becomes free before the timeout', async () => {
  const { open, line } = await rig()
  const first = exchange(line, get('/first'), 5_000)
  await eventually(() => assert.equal(open.length, 1))
  assert.deepEqual(await exchange(line, get('/second'), 30), { kind: 'not_sent', busy: true })
  open[0]?.response.end('done')
  assert.deepEqual(await first, { kind: 'answered', status: 200, text: 'done' })
  const third = exchange(line, get('/third'), 5_000)
  await eventually(() => assert.equal(open.length, 2))
  open[1]?.response.writeHead(418).end()
  assert.deepEqual(await third, { kind: 'answered', status: 418, text: '' })
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/first', '/third'],
  )
})

test('the client does not send a request that gets its connection in the last tenth of its timeout', async () => {
  const { open, line } = await rig()
  const first = exchange(line, get('/first'), 2_000)
  const second = exchange(line, get('/second'), 2_100)
  assert.deepEqual(await first, { kind: 'lost', why: 'timeout' })
  assert.deepEqual(await second, { kind: 'not_sent', busy: true })
  const third = exchange(line, get('/third'), 5_000)
  await eventually(() => assert.equal(open.length, 2))
  open[1]?.response.end()
  assert.equal((await third).kind, 'answered')
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/first', '/third'],
  )
})

test('the client does not send a request to an address where no server listens', async () => {
  const line = createConnectionQueue(await nowhere(), 1)
  closing.push(() => line.destroy())
  assert.deepEqual(await exchange(line, get('/'), 5_000), { kind: 'not_sent' })
})

test('the exchange reports a request as lost when the client wrote the request and got no answer', async () => {
  const { open, line } = await rig()
  assert.deepEqual(await exchange(line, get('/silent'), SHORT_MS), { kind: 'lost', why: 'timeout' })
  const reset = exchange(line, get('/reset'), 5_000)
  await eventually(() => assert.equal(open.at(-1)?.path, '/reset'))
  open.at(-1)?.response.socket?.resetAndDestroy()
  assert.deepEqual(await reset, { kind: 'lost', why: 'unreachable' })
  const half = exchange(line, get('/half'), 5_000)
  await eventually(() => assert.equal(open.at(-1)?.path, '/half'))
  open
    .at(-1)
    ?.response.writeHead(200, { 'content-length': 100 })
    .write('half', () => open.at(-1)?.response.destroy())
  assert.deepEqual(await half, { kind: 'lost', why: 'unreachable' })
})

test('the client delivers a late answer once, and delivers no answer when the connection breaks', async () => {
  const { open, line } = await rig(2)
  const waiting = createLateRequests(2)
  const received: ExchangeResult[] = []
  const late = { ms: 30_000, waiting, receive: (sent: ExchangeResult) => void received.push(sent) }
  const both = await Promise.all([exchange(line, get('/a'), SHORT_MS, late), exchange(line, get('/b'), SHORT_MS, late)])
  assert.deepEqual(both, [
    { kind: 'lost', why: 'timeout' },
    { kind: 'lost', why: 'timeout' },
  ])
  assert.equal(waiting.size(), 2)
  await eventually(() => assert.equal(open.length, 2))
  open.find(({ path }) => path === '/a')?.response.end('late')
  open.find(({ path }) => path === '/b')?.response.socket?.destroy()
  await eventually(() => assert.equal(waiting.size(), 0))
  assert.deepEqual(received, [{ kind: 'answered', status: 200, text: 'late' }])
})

test('the client stops the wait for a late answer after a timeout, and aborts the oldest request when too many wait', async () => {
  const { open, line } = await rig(3)
  const receive = () => assert.fail('no answer was expected')
  const waiting = createLateRequests(1)
  const late = { ms: 5_000, waiting, receive }
  await exchange(line, get('/oldest'), SHORT_MS, late)
  await exchange(line, get('/newest'), SHORT_MS, late)
  assert.equal(waiting.size(), 1)
  const closed = (path: string) => open.find((one) => one.path === path)?.response.destroyed
  await eventually(() => assert.equal(closed('/oldest'), true))
  assert.equal(closed('/newest'), false)
  const short = createLateRequests(1)
  await exchange(line, get('/short'), SHORT_MS, { ms: 30, waiting: short, receive })
  await eventually(() => assert.deepEqual([short.size(), closed('/short')], [0, true]))
})

test('the queue sends waiting requests in their order, and a cancelled request frees its place in the queue', async () => {
  const { open, line } = await rig()
  const waiting = createLateRequests(1)
  const late = { ms: 5_000, waiting, receive: () => {} }
  assert.deepEqual(await exchange(line, get('/slow'), SHORT_MS, late), { kind: 'lost', why: 'timeout' })
  assert.deepEqual(
    await exchange(line, get('/busy'), 30),
    { kind: 'not_sent', busy: true },
    'the connection waits for a late answer',
  )
  const rest = ['/a', '/b', '/c'].map((path) => exchange(line, get(path), 5_000))
  for (let i = 0; i < 4; i++) {
    await eventually(() => assert.equal(open.length, i + 1))
    open[i]?.response.end()
  }
  for (const { kind } of await Promise.all(rest)) assert.equal(kind, 'answered')
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/slow', '/a', '/b', '/c'],
  )
})

test('the exchange does not mark a queued request as busy when the client cannot connect', async () => {
  const line = createConnectionQueue(await nowhere(), 1)
  closing.push(() => line.destroy())
  const all = await Promise.all(Array.from({ length: 20 }, () => exchange(line, get('/'), 5_000)))
  for (const sent of all) assert.deepEqual(sent, { kind: 'not_sent' })
})

test('an exchange over a closed queue reports each of 20,000 new requests as not sent', async () => {
  const line = createConnectionQueue(await nowhere(), 1)
  await line.destroy()
  const all = await Promise.all(Array.from({ length: 20_000 }, () => exchange(line, get('/'), 5_000)))
  for (const sent of all) assert.deepEqual(sent, { kind: 'not_sent' })
})
