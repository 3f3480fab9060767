import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOnce, createReferenceMemory } from './memory.ts'

/** Makes a function that counts its runs. */
const counting = () => {
  let times = 0
  return { work: async () => ++times, times: () => times }
}

describe('createOnce', () => {
  it('createOnce runs the work once for each reference, even for callers that come while the work runs', async () => {
    const once = createOnce<number>(() => true)
    const { work, times } = counting()
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => once('A', work))), [1, 1, 1])
    assert.equal(await once('A', work), 1)
    assert.equal(await once('B', work), 2)
    assert.equal(times(), 2)
  })

  it('createOnce runs the work again after a failure or a result that `keep` rejects', async () => {
    const once = createOnce<number>((value) => value > 1)
    const { work } = counting()
    assert.equal(await once('A', work), 1)
    assert.equal(await once('A', work), 2)
    assert.equal(await once('A', work), 2)
    const failing = () => Promise.reject(new Error('no'))
    await assert.rejects(once('B', failing))
    assert.equal(await once('B', work), 3)
  })

  it('createOnce runs the work again for the oldest reference when the memory is full', async () => {
    const once = createOnce<number>(() => true, 2)
    const { work } = counting()
    for (const reference of ['A', 'B', 'C']) await once(reference, work)
    assert.equal(await once('C', work), 3)
    assert.equal(await once('B', work), 2)
    assert.equal(await once('A', work), 4)
  })
})

it('a reference memory keeps the newest values, and the function forget removes a value', () => {
  const memory = createReferenceMemory<number>(2)
  for (const [i, reference] of ['A', 'B', 'C'].entries()) memory.set(reference, i)
  assert.deepEqual(['A', 'B', 'C'].map(memory.get), [undefined, 1, 2])
  memory.forget('C')
  assert.equal(memory.get('C'), undefined)
})
