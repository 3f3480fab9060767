// Tests that each generated file matches the code. db/describe.test.ts checks the file that `npm run generate` makes from a
// database.
// Own process: a module of the scripts awaits at its top, which files that share a process cannot load.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { generatedFiles, ROOT } from '../../scripts/generated.ts'
import { sdkVersions } from '../../scripts/release.ts'
import { VERSION } from '../src/kernel/http/index.ts'

const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8').catch(() => '')

test('each generated file matches its source', async () => {
  for (const [path, text] of await generatedFiles()) {
    assert.ok((await read(path)) === text, `${path} is out of date: run "npm run generate" and commit the result`)
  }
})

test('the package files and the SDKs have the version of the product, and the changelog names the version or unreleased changes', async () => {
  for (const path of ['package.json', 'server/package.json', 'sdk/typescript/package.json', 'web/package.json']) {
    assert.equal((JSON.parse(await read(path)) as { version: string }).version, VERSION, path)
  }
  for (const [path, version] of Object.entries(sdkVersions())) assert.equal(version, VERSION, path)
  const sections = [...(await read('CHANGELOG.md')).matchAll(/^## \[(.+?)\]/gm)].map(([, name]) => name)
  assert.ok(
    sections.includes(VERSION) || sections.includes('Unreleased'),
    'CHANGELOG.md has no section for this version',
  )
})
