// Tests that many threads, or many tasks, can share one client of the Python SDK.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type LiveWorld, outputOf, startLiveWorld } from '../../../server/test/programs.ts'

const SOURCE = fileURLToPath(new URL('../src', import.meta.url))
const PROGRAM = fileURLToPath(new URL('together.py', import.meta.url))

let world: LiveWorld

before(async () => {
  world = await startLiveWorld()
})
after(() => world.close())

test('each of many threads and tasks that share a client gets the answer to its own call', async () => {
  const env = { MALIPO_URL: world.base_url, MALIPO_API_KEY: world.sandbox_key, PYTHONPATH: SOURCE }
  const seen = JSON.parse(await outputOf('python3', ['-W', 'error', '-B', PROGRAM], { env }))
  for (const [who, prefix] of [
    ['threads', 'THREAD'],
    ['tasks', 'TASK'],
  ] as const) {
    const calls: [string, string, string][] = seen[who]
    assert.deepEqual(
      calls.map(([made, found]) => [made, found]),
      Array.from({ length: 40 }, (_, number) => [`${prefix}-${number}`, `${prefix}-${number}`]),
    )
    assert.equal(new Set(calls.map(([, , id]) => id)).size, 1, 'the same key makes one payment')
  }
  assert.deepEqual([seen.events.length, new Set(seen.events).size], [82, 82], 'each payment has its event')
  const [counted] = await world.rows<{ made: string }>('select count(*)::text as made from collections')
  assert.equal(counted?.made, '82')
})
