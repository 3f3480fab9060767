// Tests the recorder thread of the request log as a real process uses the thread.

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
  const recorder = createThreadedRecorder({ url, log_level: 'silent' })
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
  const recorder = createThreadedRecorder({ url: world.url, log_level: 'silent' })
  // If the thread cannot read a message, the thread ends.
  await assert.rejects(recorder.flush(7 as never, 1))
  const next = await recorder.flush([], 1)
  assert.deepEqual(next, { entries: 0, chars: 0, away: false })
  await recorder.close()
})

test('the recorder thread uses less than 19 MB of heap before it writes requests', async () => {
  const workerData: ThreadData = { url: world.url, log_level: 'silent' }
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData })
  const written = once(thread, 'message')
  thread.postMessage({ lost: [], most: 1 })
  await written
  const { total_physical_size } = await thread.getHeapStatistics()
  const ended = once(thread, 'exit')
  thread.postMessage(null)
  await ended
  assert.ok(total_physical_size < 19_000_000, `${total_physical_size} bytes`)
})
