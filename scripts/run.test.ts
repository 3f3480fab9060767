// Tests that `npm start` installs missing packages first, except in production.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const LOCK = {
  packages: {
    '': {},
    'node_modules/needed': { version: '1.2.3' },
    'node_modules/vite': { version: '8.0.0', dev: true },
    'node_modules/other-machine': { version: '1.0.0', optional: true },
  },
}

test('npm start installs nothing in production', (t) => {
  const { root, start } = checkout(t)
  const { stdout, stderr, status } = start({ NODE_ENV: 'production' })
  assert.deepEqual([status, stdout, stderr], [0, 'started\n', ''])
  assert.equal(existsSync(join(root, 'node_modules/vite')), false)
})

test('npm start installs nothing when only the file .env sets production', (t) => {
  const { root, start } = checkout(t)
  writeFileSync(join(root, '.env'), 'PORT=8080\nNODE_ENV="production"\n')
  assert.deepEqual(start({ NODE_ENV: undefined }).stdout, 'started\n')
})

test('in production, npm start names the missing or different package and the command to run', (t) => {
  const { root, start } = checkout(t)
  writeFileSync(join(root, 'node_modules/needed/package.json'), '{"version":"1.2.2"}')
  const older = start({ NODE_ENV: 'production' })
  rmSync(join(root, 'node_modules/needed'), { recursive: true })
  for (const { status, stderr, stdout } of [older, start({ NODE_ENV: 'production' })]) {
    assert.equal(status, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /needed 1\.2\.3\.\n.*\n {2}npm ci --omit=dev\n$/)
  }
})

test('npm start reports on standard error which packages it installs, and how long the installation took', (t) => {
  const { root, start } = checkout(t)
  writeFileSync(join(root, 'npm.js'), "process.stdout.write('output of npm')")
  const env = { NODE_ENV: 'development', npm_execpath: join(root, 'npm.js') }
  const first = start(env, 'server/src/main.ts')
  assert.deepEqual([first.status, first.stdout], [0, 'started\n'])
  assert.match(
    first.stderr,
    /^Installing the 3 packages of package-lock\.json with npm ci: this takes about a minute.*\nInstalled the packages in \d+ s\.\n$/,
  )
  const second = start(env, 'server/src/main.ts')
  assert.deepEqual([second.status, second.stdout, second.stderr], [0, 'started\n', ''])
})

test('if the installation fails, npm start prints the output of npm and fails', (t) => {
  const { root, start } = checkout(t)
  writeFileSync(join(root, 'npm.js'), "process.stdout.write('output of npm')\nprocess.exitCode = 1")
  const env = { NODE_ENV: 'development', npm_execpath: join(root, 'npm.js') }
  const { status, stdout, stderr } = start(env, 'server/src/main.ts')
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^Installing .*\nnpm ci failed:\noutput of npm\n$/)
})

/** Makes a checkout as after `npm ci --omit=dev`: with runtime packages, without development tools and pages. */
function checkout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'malipo-checkout-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const folder of ['scripts', 'server/src', 'node_modules/needed'])
    mkdirSync(join(root, folder), { recursive: true })
  cpSync(fileURLToPath(new URL('run.mjs', import.meta.url)), join(root, 'scripts/run.mjs'))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK))
  writeFileSync(join(root, 'node_modules/needed/package.json'), '{"version":"1.2.3"}')
  writeFileSync(join(root, 'server/src/main.ts'), "process.stdout.write('started\\n')")
  const start = (env: Record<string, string | undefined>, ...args: string[]) =>
    spawnSync(process.execPath, ['scripts/run.mjs', ...(args.length > 0 ? args : ['--web', 'server/src/main.ts'])], {
      cwd: root,
      encoding: 'utf8',
      // The checkout has no npm. If the test adds no npm, an attempt to install fails.
      env: { ...process.env, npm_execpath: '', ...env, PATH: '' },
    })
  return { root, start }
}
