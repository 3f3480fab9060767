// Tests the batches of calls: many calls share few statements, and an invalid item fails alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { createSharedDelay, gather, runSplitting } from './batch.ts'
import { InvariantError } from './errors.ts'

function withCode(code: string): Error {
  return Object.assign(new Error(`failed with ${code}`), { code })
}

test('an idle gatherer runs one batch with all items of the same turn of the event loop', async () => {
  const batches: number[][] = []
  const double = gather<number, number>(
    async (items) => {
      batches.push([...items])
      return items.map((item) => item * 2)
    },
    { max_items: 10, max_running: 1 },
  )
  assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6])
  assert.deepEqual(batches, [[1, 2, 3]])
})

test('the gatherer puts items that arrive while a batch runs into the next batch, in their order', async () => {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const run = gather<number, number>(
    async (items) => {
      batches.push([...items])
      await new Promise<void>((done) => gates.push(done))
      return items
    },
    { max_items: 100, max_running: 1 },
  )
  const first = run(0)
  while (gates.length < 1) await turn()
  const rest = [1, 2, 3, 4].map((item) => run(item))
  for (let i = 0; i < 5; i++) await turn()
  assert.deepEqual(batches, [[0]], 'the second batch waits for the first')
  gates[0]?.()
  assert.equal(await first, 0)
  while (gates.length < 2) await turn()
  gates[1]?.()
  assert.deepEqual(await Promise.all(rest), [1, 2, 3, 4])
  assert.deepEqual(batches, [[0], [1, 2, 3, 4]])
})

test('the gatherer immediately starts batches of one item, up to the concurrency limit, even when another batch is slow', async () => {
  const begun: number[] = []
  const gates: (() => void)[] = []
  const run = gather<number, number>(
    async ([item]) => {
      begun.push(item as number)
      await new Promise<void>((done) => gates.push(done))
      return [item as number]
    },
    { max_items: 1, max_running: 3 },
  )
  const all = [1, 2, 3, 4].map((item) => run(item))
  for (let i = 0; i < 3; i++) await turn()
  assert.deepEqual(begun, [1, 2, 3])
  gates[1]?.()
  assert.equal(await all[1], 2)
  for (let i = 0; i < 3; i++) await turn()
  assert.deepEqual(begun, [1, 2, 3, 4])
  for (const open of gates) open()
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4])
})

test('the gatherer never exceeds the limits of batch size and of concurrent batches', async () => {
  let running = 0
  let most = 0
  const sizes: number[] = []
  const run = gather<number, number>(
    async (items) => {
      running++
      most = Math.max(most, running)
      sizes.push(items.length)
      await turn()
      running--
      return items
    },
    { max_items: 7, max_running: 2 },
  )
  const items = Array.from({ length: 100 }, (_, i) => i)
  assert.deepEqual(await Promise.all(items.map((item) => run(item))), items)
  assert.ok(most <= 2 && Math.max(...sizes) <= 7, `${most} at once, sizes ${sizes}`)
})

test('the gatherer rejects one caller when the results contain an error for the item of that caller', async () => {
  const run = gather<number, number>(async (items) => items.map((item) => (item === 2 ? new Error('two') : item)), {
    max_items: 10,
    max_running: 1,
  })
  const results = await Promise.allSettled([run(1), run(2), run(3)])
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('the gatherer runs an item twice when two callers send the item, because the gatherer has no cache', async () => {
  let count = 0
  const run = gather<number, number>(async (items) => items.map(() => ++count), { max_items: 10, max_running: 1 })
  assert.deepEqual([...(await Promise.all([run(1), run(1)])), await run(1)], [1, 2, 3])
})

for (const failure of ['22001', '23505']) {
  test(`runSplitting splits a batch that fails because of its data (${failure}) until each bad item is alone`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (items) => {
        const results = await runSplitting(
          items.map((poisoned, place) => ({ poisoned, place })),
          async (batch) => {
            if (batch.some((item) => item.poisoned)) throw withCode(failure)
            return batch.map((item) => item.place)
          },
        )
        assert.deepEqual(
          results.map((result) => (result instanceof Error ? 'refused' : result)),
          items.map((poisoned, place) => (poisoned ? 'refused' : place)),
        )
      }),
    )
  })
}

test('runSplitting rejects one item alone when that item breaks an invariant', async () => {
  const results = await runSplitting([1, 2, 3, 4, 5], async (batch) => {
    if (batch.includes(4)) throw new InvariantError('four')
    return batch
  })
  assert.deepEqual(
    results.map((result) => (result instanceof Error ? null : result)),
    [1, 2, 3, null, 5],
  )
})

test('runSplitting runs a batch once, and not once for each item, when the database is unreachable', async () => {
  let runs = 0
  const results = await runSplitting([1, 2, 3, 4], async (): Promise<number[]> => {
    runs++
    throw withCode('57P01')
  })
  assert.equal(runs, 1)
  assert.ok(results.every((result) => result instanceof Error))
})

test('the gatherer runs the next batch after a failed batch', async () => {
  let fail = true
  const run = gather<number, number>(
    async (items) => {
      if (fail) throw withCode('08006')
      return items
    },
    { max_items: 10, max_running: 1 },
  )
  await assert.rejects(run(1))
  fail = false
  assert.equal(await run(2), 2)
})

test('callers within the shared delay continue together, and a later caller starts another delay', async () => {
  const together = createSharedDelay(5)
  const first = together()
  assert.equal(together(), first)
  await first
  const second = together()
  assert.notEqual(second, first)
  await second
})
