import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOnce, createReferenceMemory } from './memory.ts'

/** Work that counts how often it was done. */
const counting = () => {
  let times = 0
  return { work: async () => ++times, times: () => times }
}

describe('what is done once', () => {
  it('does the work of a reference once, also for those who ask while it is done', async () => {
    const once = createOnce<number>(() => true)
    const { work, times } = counting()
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => once('A', work))), [1, 1, 1])
    assert.equal(await once('A', work), 1)
    assert.equal(await once('B', work), 2)
    assert.equal(times(), 2)
  })

  it('does it again when the result is not to be kept, or when it failed', async () => {
    const once = createOnce<number>((value) => value > 1)
    const { work } = counting()
    assert.equal(await once('A', work), 1)
    assert.equal(await once('A', work), 2)
    assert.equal(await once('A', work), 2)
    const failing = () => Promise.reject(new Error('no'))
    await assert.rejects(once('B', failing))
    assert.equal(await once('B', work), 3)
  })

  it('forgets the oldest when it is full', async () => {
    const once = createOnce<number>(() => true, 2)
    const { work } = counting()
    for (const reference of ['A', 'B', 'C']) await once(reference, work)
    assert.equal(await once('C', work), 3)
    assert.equal(await once('B', work), 2)
    assert.equal(await once('A', work), 4)
  })
})

it('a memory keeps the newest values, and none that was forgotten', () => {
  const memory = createReferenceMemory<number>(2)
  for (const [i, reference] of ['A', 'B', 'C'].entries()) memory.set(reference, i)
  assert.deepEqual(['A', 'B', 'C'].map(memory.get), [undefined, 1, 2])
  memory.forget('C')
  assert.equal(memory.get('C'), undefined)
})
