// The queue of documents: it is limited and fair, so that one merchant does not delay others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '../lib/index.ts'
import { createDocumentQueue, QUEUE_LIMITS } from './queue.ts'

/** A queue whose tasks the test ends one by one, in the order of their start. */
function stage() {
  const inTurn = createDocumentQueue()
  const begun: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const ask = (merchant_id: string, environment: string, name: string) => {
    const asked = inTurn({ merchant_id, environment }, () => {
      begun.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      ends.push((error) => (error ? reject(error) : resolve(name)))
      return promise
    })
    return asked
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

test('a merchant with many documents waits behind others, and live documents are drawn before sandbox ones', async () => {
  const { ask, begun, endAll } = stage()
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => ask('a', 'sandbox', name)),
    ask('b', 'sandbox', 'b1'),
    ...['c1', 'c2'].map((name) => ask('c', 'live', name)),
    ask('a', 'live', 'a-live'),
  ]
  await endAll(all)
  assert.deepEqual(begun, ['a1', 'c1', 'a-live', 'c2', 'a2', 'b1', 'a3'])
})

test('a full queue refuses with Retry-After: for one merchant, for all sandboxes, and for all merchants', async () => {
  const { ask, endAll } = stage()
  const all: Promise<string>[] = []
  const add = (merchant: string, environment: string, count: number) => {
    for (let at = 0; at < count; at++) all.push(ask(merchant, environment, `${merchant}${at}`))
  }
  // One more than the queue takes, because the first runs at once.
  add('a', 'sandbox', QUEUE_LIMITS.of_owner + 1)
  assert.throws(() => ask('a', 'sandbox', 'too many of one'), isFull)
  add('b', 'sandbox', QUEUE_LIMITS.of_sandbox - QUEUE_LIMITS.of_owner)
  assert.throws(() => ask('c', 'sandbox', 'too many of sandboxes'), isFull)
  let left = QUEUE_LIMITS.of_all - QUEUE_LIMITS.of_sandbox
  for (let merchant = 0; left > 0; merchant++, left -= QUEUE_LIMITS.of_owner)
    add(`live${merchant}`, 'live', Math.min(left, QUEUE_LIMITS.of_owner))
  assert.throws(() => ask('z', 'live', 'too many of all'), isFull)
  await endAll(all)
})

test('a failed document delays no other', async () => {
  const { ask, ends } = stage()
  const [first, second] = [ask('a', 'live', 'first'), ask('a', 'live', 'second')]
  ends[0]?.(new Error('no ink'))
  await assert.rejects(first, /no ink/)
  while (ends[1] === undefined) await new Promise(setImmediate)
  ends[1]()
  assert.equal(await second, 'second')
})
