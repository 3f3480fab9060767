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
  const files = await generatedFiles()
  for (const path of ['openapi.json', 'openapi.merchant.json', 'docs/commands.md', 'web/ui/api-types.ts'])
    assert.ok(files.has(path), `no generated file is ${path}`)
  for (const [path, text] of files) {
    assert.ok(
      text !== '' && (await read(path)) === text,
      `${path} is out of date: run "npm run generate" and commit the result`,
    )
  }
})

test('the package files and the SDKs have the version of the product, and the changelog begins with it or with unreleased changes', async () => {
  for (const path of ['package.json', 'server/package.json', 'sdk/typescript/package.json', 'web/package.json']) {
    assert.equal((JSON.parse(await read(path)) as { version: string }).version, VERSION, path)
  }
  const versions = sdkVersions()
  assert.deepEqual([...new Set(Object.values(versions))], [VERSION], JSON.stringify(versions))
  const sections = [...(await read('CHANGELOG.md')).matchAll(/^## \[(.+?)\]/gm)].map(([, name]) => name)
  assert.ok([VERSION, 'Unreleased'].includes(sections[0] ?? ''), `CHANGELOG.md begins with ${sections[0]}`)
})
