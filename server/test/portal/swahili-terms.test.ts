// Tests that both consoles use one Swahili term for each meaning.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const WEB = join(import.meta.dirname, '../../../web')

test('every screen uses the same Swahili name for the audit log: historia ya shughuli', () => {
  const sources = ['dashboard', 'operator', 'ui'].flatMap((folder) =>
    readdirSync(join(WEB, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(WEB, folder, name)),
  )
  assert.ok(sources.length > 50)
  const others = sources.filter((path) => /kumbukumbu (za|zake|hizi)/i.test(readFileSync(path, 'utf8')))
  assert.deepEqual(others, [])
})
