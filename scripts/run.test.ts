// Tests that `npm start` installs nothing in production.

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

test('in production npm start starts what npm ci --omit=dev has installed, and installs nothing', (t) => {
  const { root, start } = checkout(t)
  const { stdout, stderr, status } = start({ NODE_ENV: 'production' })
  assert.deepEqual([status, stdout, stderr], [0, 'started\n', ''])
  assert.equal(existsSync(join(root, 'node_modules/vite')), false)
})

test('a production that is set in .env alone installs nothing either', (t) => {
  const { root, start } = checkout(t)
  writeFileSync(join(root, '.env'), 'PORT=8080\nNODE_ENV="production"\n')
  assert.deepEqual(start({ NODE_ENV: undefined }).stdout, 'started\n')
})

test('in production npm start names a package that is missing or has another version, and the command to run', (t) => {
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

/** A checkout after `npm ci --omit=dev`: the runtime packages, without development tools and pages. */
function checkout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'malipo-checkout-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const folder of ['scripts', 'server/src', 'node_modules/needed'])
    mkdirSync(join(root, folder), { recursive: true })
  cpSync(fileURLToPath(new URL('run.mjs', import.meta.url)), join(root, 'scripts/run.mjs'))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK))
  writeFileSync(join(root, 'node_modules/needed/package.json'), '{"version":"1.2.3"}')
  writeFileSync(join(root, 'server/src/main.ts'), "process.stdout.write('started\\n')")
  const start = (env: Record<string, string | undefined>) =>
    spawnSync(process.execPath, ['scripts/run.mjs', '--web', 'server/src/main.ts'], {
      cwd: root,
      encoding: 'utf8',
      // An npm that always fails, so that an attempt to install shows.
      env: { ...process.env, ...env, npm_execpath: '', PATH: '' },
    })
  return { root, start }
}
