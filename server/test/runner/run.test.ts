// The runner of `npm test`: its exit code, and the hooks of files without a matching test.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malipo-runner-'))
  await writeFile(join(folder, 'slow.test.ts'), SLOW_BEFORE)
  await writeFile(
    join(folder, 'other.test.ts'),
    "import { test } from 'node:test'\ntest('the second file has a test', () => {})\n",
  )
  await writeFile(join(folder, 'stray.test.ts'), STRAY_ERROR)
})
after(() => rm(folder, { recursive: true }))

function runTests(pattern: string) {
  // Node refuses a test runner inside a test runner by this variable.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, [RUNNER, `--test-name-pattern=${pattern}`, folder], { encoding: 'utf8', env })
}

test('the runner fails and reports that no test ran when no test matches the name pattern', () => {
  const { status, stdout, stderr } = runTests('the fourth')
  assert.equal(status, 1, stdout)
  assert.match(stderr, /^no test ran: no test matches --test-name-pattern=the fourth /m)
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
