// Tests the recorder thread of the request log in the same setup as a real process.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createWorld, type World } from '../../../test/harness.ts'
import { createThreadedRecorder, type ThreadData } from './threaded.ts'

let world: World
let token: string

before(async () => {
  const first = await createWorld()
  const { url } = first
  const recorder = createThreadedRecorder(url, () => 'silent')
  world = await createWorld({ url, compose: { recorder } })
  const { close } = world
  world.close = async () => {
    await close()
    await first.close()
  }
  token = (await world.newSession('DEVELOPER')).token
})
after(() => world.close())

test('the recorder thread writes 150 requests before its task reports idle', async () => {
  for (let n = 0; n < 150; n++) assert.equal((await world.get(`/v1/collections?page=${n + 1}`)).status, 200)
  await world.system.own_tasks.find(({ name }) => name === 'request_log')?.idle()
  const list = await world.get('/v1/merchant/requests?environment=sandbox', token)
  assert.equal(list.body.data.pagination.total_items, 150)
  const [{ id }] = list.body.data.items
  const shown = await world.get(`/v1/merchant/requests/${id}?environment=sandbox`, token)
  assert.match(shown.body.data.query, /^page=\d+$/)
  assert.match(shown.body.data.response_body, /^\{"success":true/)
})

test('when a recorder thread dies, the recorder rejects the pending round and starts another thread', async () => {
  const recorder = createThreadedRecorder(world.url, () => 'silent')
  // If the thread cannot read a message, the thread ends.
  await assert.rejects(recorder.flush(7 as never, 1))
  const next = await recorder.flush([], 1)
  assert.deepEqual(next, { entries: 0, chars: 0, away: false })
  await recorder.close()
})

/** Runs in a thread. Sends the log lines of the recorder thread to the test, in the order of its responses. */
const LISTENING_THREAD = `
  const fs = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  fs.writeSync = (fd, line) => (parentPort.postMessage(String(line)), line.length)
  require('node:module').syncBuiltinESMExports()
  import(workerData.file)
`

test('the recorder thread takes over a changed log level with the next round', async () => {
  const file = new URL('./thread.ts', import.meta.url).href
  const workerData = { url: world.url, log_level: 'error', file }
  const thread = new Worker(LISTENING_THREAD, { eval: true, workerData })
  const messages: unknown[] = []
  thread.on('message', (message) => messages.push(message))
  // The database refuses this id, so the recorder logs a warning in each round. The log level `error` hides the warning.
  const wrong = { merchant_id: 'no id', routing_code: 'x', environment: 'live', count: 1, from: 1, until: 1 }
  for (const log_level of ['error', 'warn']) {
    thread.postMessage({ lost: log_level === 'error' ? [wrong] : [], most: 1, log_level })
    const rounds = messages.filter((message) => typeof message === 'object').length
    while (messages.filter((message) => typeof message === 'object').length === rounds) await once(thread, 'message')
  }
  await thread.terminate()
  const kinds = messages.map((message) => (typeof message === 'string' ? JSON.parse(message).level : 'round'))
  assert.deepEqual(kinds, ['round', 'warn', 'round'])
})

test('the recorder thread uses less than 19 MB of heap before it writes requests', async () => {
  const workerData: ThreadData = { url: world.url, log_level: 'silent' }
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData })
  const written = once(thread, 'message')
  thread.postMessage({ lost: [], most: 1, log_level: 'silent' })
  await written
  const { total_physical_size } = await thread.getHeapStatistics()
  const ended = once(thread, 'exit')
  thread.postMessage(null)
  await ended
  assert.ok(total_physical_size < 19_000_000, `${total_physical_size} bytes`)
})
