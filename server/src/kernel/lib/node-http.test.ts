// Tests that a process of the server does not load the WebSocket client of Node, which it never uses.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROGRAM = fileURLToPath(new URL('../../main.ts', import.meta.url))

test('the modules of a server process do not load the WebSocket client of Node, which takes 14 MB of memory', async () => {
  const script = `await import(${JSON.stringify(PROGRAM)})
    console.log(process.moduleLoadList.filter((name) => name.includes('internal/deps/undici')).join())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  assert.equal(stdout.trim(), '')
})
