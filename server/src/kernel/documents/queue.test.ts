// Tests that the queue of documents has limits, and that one merchant does not delay other merchants.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '../lib/index.ts'
import { createDocumentQueue, QUEUE_LIMITS } from './queue.ts'

/** Makes a queue with tasks that the test ends itself, in the order of their start. */
function createTestQueue() {
  const inTurn = createDocumentQueue()
  const begun: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const ask = (merchant_id: string, environment: string, name: string) => {
    return inTurn({ merchant_id, environment }, () => {
      begun.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      ends.push((error) => (error ? reject(error) : resolve(name)))
      return promise
    })
  }
  const endAll = async (all: Promise<string>[]) => {
    const over = Promise.all(all)
    for (let at = 0; at < all.length; at++) {
      while (ends[at] === undefined) await new Promise(setImmediate)
      ends[at]?.()
    }
    return over
  }
  return { ask, begun, endAll, ends }
}

const isFull = (error: Refusal) => error.code === 'service_unavailable' && (error.retry_after_s ?? 0) > 0

test('the queue serves merchants in turn, and draws live documents before sandbox documents', async () => {
  const { ask, begun, endAll } = createTestQueue()
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => ask('a', 'sandbox', name)),
    ask('b', 'sandbox', 'b1'),
    ...['c1', 'c2'].map((name) => ask('c', 'live', name)),
    ask('a', 'live', 'a-live'),
  ]
  await endAll(all)
  assert.deepEqual(begun, ['a1', 'c1', 'a-live', 'c2', 'a2', 'b1', 'a3'])
})

test('the queue refuses with Retry-After beyond its limits for one merchant, for all sandboxes and for all merchants', async () => {
  const { ask, endAll } = createTestQueue()
  const all: Promise<string>[] = []
  const add = (merchant: string, environment: string, count: number) => {
    for (let at = 0; at < count; at++) all.push(ask(merchant, environment, `${merchant}${at}`))
  }
  // The queue starts the first task immediately. So the test adds one more document than the limit.
  add('a', 'sandbox', QUEUE_LIMITS.of_owner + 1)
  assert.throws(() => ask('a', 'sandbox', 'over the limit of one merchant'), isFull)
  add('b', 'sandbox', QUEUE_LIMITS.of_sandbox - QUEUE_LIMITS.of_owner)
  assert.throws(() => ask('c', 'sandbox', 'over the limit of sandboxes'), isFull)
  let left = QUEUE_LIMITS.of_all - QUEUE_LIMITS.of_sandbox
  for (let merchant = 0; left > 0; merchant++, left -= QUEUE_LIMITS.of_owner)
    add(`live${merchant}`, 'live', Math.min(left, QUEUE_LIMITS.of_owner))
  assert.throws(() => ask('z', 'live', 'over the limit of all merchants'), isFull)
  await endAll(all)
})

test('the queue starts the next document after a document fails', async () => {
  const { ask, ends } = createTestQueue()
  const [first, second] = [ask('a', 'live', 'first'), ask('a', 'live', 'second')]
  ends[0]?.(new Error('no ink'))
  await assert.rejects(first, /no ink/)
  while (ends[1] === undefined) await new Promise(setImmediate)
  ends[1]()
  assert.equal(await second, 'second')
})
