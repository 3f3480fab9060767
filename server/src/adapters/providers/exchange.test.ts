// Whether a byte was written is known, and an answer that comes late is heard.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { closing, listen, nowhere } from '../../../test/providers/servers.ts'
import { soon } from '../../../test/providers/vodacom.ts'
import { createLine, createWaiting, exchange, type Outgoing, type Sent } from './exchange.ts'

/** A server that answers when the test says so, and a line of one connection to it. */
async function rig(connections = 1) {
  const open: { path: string; response: ServerResponse }[] = []
  const server = createServer((request, response) => open.push({ path: request.url ?? '', response }))
  const line = createLine(await listen(server), connections)
  closing.push(async () => server.closeAllConnections())
  closing.push(() => line.destroy())
  return { open, line }
}
const get = (path: string): Outgoing => ({ method: 'GET', path, headers: {}, body: null })

test('a request that found no connection in time is not sent, not even later', async () => {
  const { open, line } = await rig()
  const first = exchange(line, get('/first'), 5_000)
  await soon(() => assert.equal(open.length, 1))
  assert.deepEqual(await exchange(line, get('/second'), 30), { kind: 'not_sent', busy: true })
  open[0]?.response.end('done')
  assert.deepEqual(await first, { kind: 'answered', status: 200, text: 'done' })
  const third = exchange(line, get('/third'), 5_000)
  await soon(() => assert.equal(open.length, 2))
  open[1]?.response.writeHead(418).end()
  assert.deepEqual(await third, { kind: 'answered', status: 418, text: '' })
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/first', '/third'],
  )
})

test('an address where nobody listens: not sent', async () => {
  const line = createLine(await nowhere(), 1)
  closing.push(() => line.destroy())
  assert.deepEqual(await exchange(line, get('/'), 5_000), { kind: 'not_sent' })
})

test('what was written and not answered is lost', async () => {
  const { open, line } = await rig()
  assert.deepEqual(await exchange(line, get('/silent'), 50), { kind: 'lost', why: 'timeout' })
  const reset = exchange(line, get('/reset'), 5_000)
  await soon(() => assert.equal(open.at(-1)?.path, '/reset'))
  open.at(-1)?.response.socket?.resetAndDestroy()
  assert.deepEqual(await reset, { kind: 'lost', why: 'unreachable' })
  const half = exchange(line, get('/half'), 5_000)
  await soon(() => assert.equal(open.at(-1)?.path, '/half'))
  open
    .at(-1)
    ?.response.writeHead(200, { 'content-length': 100 })
    .write('half', () => open.at(-1)?.response.destroy())
  assert.deepEqual(await half, { kind: 'lost', why: 'unreachable' })
})

test('an answer that comes late is heard once; a connection that breaks instead says nothing', async () => {
  const { open, line } = await rig(2)
  const waiting = createWaiting(2)
  const heard: Sent[] = []
  const late = { ms: 5_000, waiting, hear: (sent: Sent) => void heard.push(sent) }
  const both = await Promise.all([exchange(line, get('/a'), 50, late), exchange(line, get('/b'), 50, late)])
  assert.deepEqual(both, [
    { kind: 'lost', why: 'timeout' },
    { kind: 'lost', why: 'timeout' },
  ])
  assert.equal(waiting.size(), 2)
  open.find(({ path }) => path === '/a')?.response.end('late')
  open.find(({ path }) => path === '/b')?.response.socket?.destroy()
  await soon(() => assert.equal(waiting.size(), 0))
  assert.deepEqual(heard, [{ kind: 'answered', status: 200, text: 'late' }])
})

test('nobody is waited for beyond the time for that, and of too many the oldest is given up', async () => {
  const { open, line } = await rig(3)
  const hear = () => assert.fail('nothing came')
  const waiting = createWaiting(1)
  const late = { ms: 5_000, waiting, hear }
  await exchange(line, get('/oldest'), 50, late)
  await exchange(line, get('/newest'), 50, late)
  assert.equal(waiting.size(), 1)
  const closed = (path: string) => open.find((one) => one.path === path)?.response.destroyed
  await soon(() => assert.equal(closed('/oldest'), true))
  assert.equal(closed('/newest'), false)
  const short = createWaiting(1)
  await exchange(line, get('/short'), 50, { ms: 30, waiting: short, hear })
  await soon(() => assert.deepEqual([short.size(), closed('/short')], [0, true]))
})

test('of more requests than connections the rest waits, first come first served; a place that nobody wants any more is given on', async () => {
  const { open, line } = await rig()
  const waiting = createWaiting(1)
  const late = { ms: 5_000, waiting, hear: () => {} }
  assert.deepEqual(await exchange(line, get('/slow'), 50, late), { kind: 'lost', why: 'timeout' })
  assert.deepEqual(
    await exchange(line, get('/busy'), 30),
    { kind: 'not_sent', busy: true },
    'its connection is waited on',
  )
  const rest = ['/a', '/b', '/c'].map((path) => exchange(line, get(path), 5_000))
  for (let i = 0; i < 4; i++) {
    await soon(() => assert.equal(open.length, i + 1))
    open[i]?.response.end()
  }
  for (const { kind } of await Promise.all(rest)) assert.equal(kind, 'answered')
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/slow', '/a', '/b', '/c'],
  )
})

test('where no connection comes about, none of the requests beyond the first takes that for a lack of connections', async () => {
  const line = createLine(await nowhere(), 1)
  closing.push(() => line.destroy())
  const all = await Promise.all(Array.from({ length: 20 }, () => exchange(line, get('/'), 5_000)))
  for (const sent of all) assert.deepEqual(sent, { kind: 'not_sent' })
})

test('a line that was closed ends thousands of requests at once', async () => {
  const line = createLine(await nowhere(), 1)
  await line.destroy()
  const all = await Promise.all(Array.from({ length: 20_000 }, () => exchange(line, get('/'), 5_000)))
  for (const sent of all) assert.deepEqual(sent, { kind: 'not_sent' })
})
