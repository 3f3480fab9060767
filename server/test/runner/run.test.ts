// The runner of `npm test`: its exit code, and the hooks of files without a matching test.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const RUNNER = fileURLToPath(new URL('../run.ts', import.meta.url))
/** A test file whose `after` hook fails unless its `before` hook has ended. */
const SLOW_BEFORE = `import { after, before, test } from 'node:test'
let world: { close(): void }
before(async () => {
  await new Promise((done) => setTimeout(done, 200))
  world = { close() {} }
})
after(() => world.close())
test('the first file has a test', () => {})
`
/** A test file whose only test succeeds, although an error that no test awaits occurs. */
const STRAY_ERROR = `import { test } from 'node:test'
test('the third file has a test', async () => {
  setTimeout(() => { throw new Error('a stray error') }, 10)
  await new Promise((done) => setTimeout(done, 100))
})
`
/** A test file whose `after` hook fails and leaves a server open. */
const OPEN_SERVER = `import { createServer } from 'node:net'
import { after, test } from 'node:test'
const server = createServer().listen(0, '127.0.0.1')
after(async () => {
  throw new Error('the hook failed')
})
test('the fourth file has a test', () => {})
`

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malipo-runner-'))
  for (const name of ['files', 'open']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'files', 'slow.test.ts'), SLOW_BEFORE)
  await writeFile(
    join(folder, 'files', 'other.test.ts'),
    "import { test } from 'node:test'\ntest('the second file has a test', () => {})\n",
  )
  await writeFile(join(folder, 'files', 'stray.test.ts'), STRAY_ERROR)
  await writeFile(join(folder, 'open', 'open.test.ts'), OPEN_SERVER)
})
after(() => rm(folder, { recursive: true }))

/** Runs the tests of a folder whose names contain the pattern. */
function runTests(pattern: string, name = 'files') {
  // Node refuses a test runner inside a test runner by this variable.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, [RUNNER, `--test-name-pattern=${pattern}`, join(folder, name)], {
    encoding: 'utf8',
    env,
  })
}

test('the runner fails and reports that no test ran when no test matches the name pattern', () => {
  const { status, stdout, stderr } = runTests('the fifth')
  assert.equal(status, 1, stdout)
  assert.match(stderr, /^no test ran: no test matches --test-name-pattern=the fifth /m)
  assert.doesNotMatch(stdout, /TypeError/)
})

test('the runner succeeds when one file of a folder has a test that matches the name pattern', () => {
  const { status, stdout, stderr } = runTests('the second')
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /the second/)
})

test('the runner fails and prints the error when an error occurs that no test awaits', () => {
  const { status, stdout, stderr } = runTests('the third')
  assert.equal(status, 1, stdout)
  assert.match(stdout + stderr, /a stray error/)
})

test('the runner fails and ends when an `after` hook fails and leaves a server open', () => {
  const { status, stdout, stderr } = runTests('the fourth', 'open')
  assert.equal(status, 1, stdout + stderr)
  assert.match(stdout + stderr, /the hook failed/)
})
