// Tests the memory limit of threads in a process with the memory flags of `npm start`.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const THREADS = fileURLToPath(new URL('./threads.ts', import.meta.url))

test('the young generation of the heap of a thread has at most 6 MB, although the flag of the process allows 48 MB', async () => {
  const script = `const { startWorkerThread } = await import(${JSON.stringify(THREADS)})
    const waits = new URL('data:text/javascript,setInterval(() => {}, 1000)')
    const thread = startWorkerThread(waits, { resourceLimits: { maxOldGenerationSizeMb: 64 } })
    await new Promise((resolve) => thread.once('online', resolve))
    const { heap_size_limit } = await thread.getHeapStatistics()
    console.log(heap_size_limit / 2 ** 20)
    await thread.terminate()`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-semi-space-size=16',
    '--input-type=module',
    '--eval',
    script,
  ])
  assert.ok(Number(stdout) > 0 && Number(stdout) <= 64 + 6, `the limit of the thread is ${stdout.trim()} MB`)
})
