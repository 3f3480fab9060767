import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemory } from './memory.ts'

describe('a memory', () => {
  /** Work that counts how often it was done. */
  const counting = () => {
    let times = 0
    return { work: async () => ++times, times: () => times }
  }
  const always = () => true

  it('does the work of a reference once, also for those who ask while it is done', async () => {
    const memory = createMemory<number>()
    const { work, times } = counting()
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => memory.once('A', work, always))), [1, 1, 1])
    assert.equal(await memory.once('A', work, always), 1)
    assert.equal(await memory.once('B', work, always), 2)
    assert.equal(times(), 2)
  })

  it('does it again when the result is not to be kept, or when it failed', async () => {
    const memory = createMemory<number>()
    const { work } = counting()
    assert.equal(await memory.once('A', work, () => false), 1)
    assert.equal(await memory.once('A', work, always), 2)
    const failing = () => Promise.reject(new Error('no'))
    await assert.rejects(memory.once('B', failing, always))
    assert.equal(await memory.once('B', work, always), 3)
  })

  it('forgets the oldest when it is full', async () => {
    const memory = createMemory<number>(2)
    const { work } = counting()
    for (const reference of ['A', 'B', 'C']) await memory.once(reference, work, always)
    assert.equal(await memory.once('C', work, always), 3)
    assert.equal(await memory.once('B', work, always), 2)
    assert.equal(await memory.once('A', work, always), 4)
  })
})
