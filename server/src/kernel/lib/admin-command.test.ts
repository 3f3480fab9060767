// Tests the name of the admin command in messages.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { adminCommand } from './admin-command.ts'

test('a message names malipo-admin in the Debian package, node in the image, and npm in a checkout', (t) => {
  const program = mkdtempSync(join(tmpdir(), 'malipo-admin-'))
  t.after(() => rmSync(program, { recursive: true }))
  assert.equal(adminCommand('verify', program), 'npm run -s admin -- verify')
  mkdirSync(join(program, 'bin'))
  writeFileSync(join(program, 'bin/health.mjs'), '')
  assert.equal(adminCommand('verify', program), 'node server/src/admin.ts verify')
  writeFileSync(join(program, 'bin/malipo-admin.mjs'), '')
  assert.equal(adminCommand('verify', program), 'malipo-admin verify')
  assert.equal(adminCommand('verify'), 'npm run -s admin -- verify')
})

test('of the sources of the server, only admin-command.ts contains the admin command of a checkout', () => {
  const sources = fileURLToPath(new URL('../../', import.meta.url))
  const found = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') &&
      !path.endsWith('.test.ts') &&
      readFileSync(join(sources, path), 'utf8').includes('npm run -s admin'),
  )
  assert.deepEqual(found, ['kernel/lib/admin-command.ts'])
})
