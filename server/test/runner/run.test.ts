// Tests the runner of `npm test`: its exit code, the hooks of files without a matching test, and files that share a process.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
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
/** A test file that handles SIGTERM and whose test never ends. It writes its process id to the file PID_FILE. After five minutes, the process exits. */
const ENDLESS = `import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
process.on('SIGTERM', () => {})
setTimeout(() => process.exit(1), 300_000)
test('the fifth file has a test', async () => {
  writeFileSync(process.env.PID_FILE, String(process.pid))
  await new Promise(() => {})
})
`
/** Seven files, which the runner divides among four processes. */
const SHARED: Record<string, string> = {
  a: `test('a succeeds', () => {})`,
  b: `test('b succeeds', async () => {
    setTimeout(() => { throw new Error('a stray error') }, 10)
    await new Promise((done) => setTimeout(done, 100))
  })`,
  c: `test('c succeeds', () => {})`,
  d: `test('d ends its process', () => { process.kill(process.pid, 'SIGKILL') })`,
  e: `createServer().listen(0, '127.0.0.1')
    after(async () => { throw new Error('the hook failed') })
    test('e succeeds', () => {})`,
  f: `test('f takes more time than a failed hook leaves', () => new Promise((done) => setTimeout(done, 6_000)))`,
  g: `// Own process: the file fails.
    throw new Error('the file g failed')`,
}

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malipo-runner-'))
  for (const name of ['files', 'open', 'shared', 'endless']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'files', 'slow.test.ts'), SLOW_BEFORE)
  await writeFile(
    join(folder, 'files', 'other.test.ts'),
    "import { test } from 'node:test'\ntest('the second file has a test', () => {})\n",
  )
  await writeFile(join(folder, 'files', 'stray.test.ts'), STRAY_ERROR)
  await writeFile(join(folder, 'open', 'open.test.ts'), OPEN_SERVER)
  await writeFile(join(folder, 'endless', 'endless.test.ts'), ENDLESS)
  const imports = "import { after, test } from 'node:test'\nimport { createServer } from 'node:net'\n"
  for (const [name, text] of Object.entries(SHARED))
    await writeFile(join(folder, 'shared', `${name}.test.ts`), imports + text)
})
after(() => rm(folder, { recursive: true }))

/** Returns the environment without NODE_TEST_CONTEXT. If it is set, Node refuses to run tests inside a test. */
function runnerEnv(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return env
}

/** Runs the tests of a folder: all tests, or only the tests whose names contain the pattern. */
function runTests(pattern: string | null, name = 'files') {
  return spawnSync(
    process.execPath,
    [RUNNER, ...(pattern === null ? [] : [`--test-name-pattern=${pattern}`]), join(folder, name)],
    {
      encoding: 'utf8',
      env: runnerEnv(),
    },
  )
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

test('the process of a test file ends when someone stops the runner, even if the file handles SIGTERM', async () => {
  const PID_FILE = join(folder, 'pid')
  const runner = spawn(process.execPath, [RUNNER, join(folder, 'endless')], {
    env: { ...runnerEnv(), PID_FILE },
    stdio: 'ignore',
  })
  const ended = new Promise((done) => runner.once('exit', done))
  const pidOf = () => readFile(PID_FILE, 'utf8').catch(() => '')
  const limit = Date.now() + 120_000
  while ((await pidOf()) === '' && Date.now() < limit) await sleep(50)
  const pid = Number(await pidOf())
  runner.kill('SIGINT')
  await ended
  assert.ok(pid > 0, 'the test file did not start')
  while (runs(pid) && Date.now() < limit) await sleep(50)
  const is_left = runs(pid)
  if (is_left) process.kill(pid, 'SIGKILL')
  assert.equal(is_left, false)
})

/** Returns true if a process with this id runs. */
function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the runner names the files of a process that fails because of a stray error, a signal, a hook or an import', () => {
  const { status, stdout, stderr } = runTests(null, 'shared')
  assert.equal(status, 1, stdout + stderr)
  assert.match(stdout + stderr, /Error that no test awaits, while \S+\/b\.test\.ts ran: Error: a stray error/)
  assert.match(stderr, /failed\. It ran these test files: \S+\/a\.test\.ts, \S+\/b\.test\.ts$/m)
  assert.match(stderr, /failed\. It ran these test files: \S+\/c\.test\.ts, \S+\/d\.test\.ts$/m)
  assert.match(stdout, /the hook failed/)
  assert.match(stdout, /✔ f takes more time than a failed hook leaves/)
  assert.match(stderr, /failed\. It ran these test files: \S+\/g\.test\.ts$/m)
  assert.match(stdout, /Error: the file g failed/)
  // A killed process may lose the reports that the runner has not read, so c is missing here.
  for (const name of ['a', 'b', 'e']) assert.match(stdout, new RegExp(`✔ ${name} succeeds`))
})

test('only test files, the runner and the named files have hooks outside of functions, because files that share a process load a helper once', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const found: string[] = []
  for (const folder of ['server/src', 'server/test', 'server/twins', 'sdk'])
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      const path = join(folder, name)
      if (!name.endsWith('.ts') || name.endsWith('.test.ts') || path.includes('node_modules')) continue
      if (/^(before|after)(Each)?\(/m.test(await readFile(join(root, path), 'utf8'))) found.push(path)
    }
  // `npm run endurance`, `pgbackrest`, `pgbouncer`, `upgrade-test` and `woocommerce` run their file of this list alone.
  const allowed = [
    'server/test/crash/endurance.ts',
    'server/test/crash/pgbackrest.ts',
    'server/test/crash/pgbouncer.ts',
    'server/test/crash/upgrade.ts',
    'server/test/runner/closing.ts',
    'server/test/runner/no-async-hook.ts',
    'server/test/woocommerce.ts',
  ]
  assert.deepEqual(found.sort(), allowed)
})
