// Tests Swahili texts of the consoles: the name of the audit log, and the agreement of an age with its number.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { agoInSwahili } from '../../../web/ui/ago.ts'

const WEB = join(import.meta.dirname, '../../../web')

test('no source file of the consoles has the rejected Swahili name of the audit log: kumbukumbu za', () => {
  const sources = ['dashboard', 'operator', 'ui'].flatMap((folder) =>
    readdirSync(join(WEB, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(WEB, folder, name)),
  )
  assert.ok(sources.length > 50)
  const others = sources.filter((path) => /kumbukumbu (za|zake|hizi)/i.test(readFileSync(path, 'utf8')))
  assert.deepEqual(others, [])
})

test('an age in Swahili agrees with its number: saa 1 iliyopita, saa 2 zilizopita', () => {
  const ages = ['chini ya dakika', 'dakika 1', 'dakika 5', 'saa 1', 'saa 11', 'saa 21', 'siku 1', 'siku 2']
  assert.deepEqual(ages.map(agoInSwahili), [
    ...['chini ya dakika iliyopita', 'dakika 1 iliyopita', 'dakika 5 zilizopita', 'saa 1 iliyopita'],
    ...['saa 11 zilizopita', 'saa 21 zilizopita', 'siku 1 iliyopita', 'siku 2 zilizopita'],
  ])
})
