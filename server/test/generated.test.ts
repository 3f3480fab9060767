// Every generated file tells what the code says today.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { generatedFiles, ROOT, SCHEMA_FILE } from '../../scripts/generated.ts'
import { describeSchema } from '../src/db/describe.ts'
import { VERSION } from '../src/http/index.ts'
import { createTestDatabase } from './database.ts'

const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8').catch(() => '')

test('every generated file is current', async () => {
  for (const [path, text] of await generatedFiles()) {
    assert.ok((await read(path)) === text, `${path} is out of date: run "npm run generate" and commit the result`)
  }
})

test('db/schema.md describes the migrated database', async () => {
  const database = await createTestDatabase()
  try {
    const text = await describeSchema(database.url)
    assert.ok((await read(SCHEMA_FILE)) === text, 'db/schema.md is out of date: run "npm run generate"')
  } finally {
    await database.drop()
  }
})

test('the version is the same wherever it is written', async () => {
  for (const path of ['package.json', 'server/package.json', 'sdk/package.json', 'web/package.json']) {
    assert.equal((JSON.parse(await read(path)) as { version: string }).version, VERSION, path)
  }
  assert.ok((await read('CHANGELOG.md')).includes(`## [${VERSION}]`), 'CHANGELOG.md has no section for this version')
})
