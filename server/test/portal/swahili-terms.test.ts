// Tests texts of the consoles: rejected Swahili phrases, English counts of one, and the agreement of an age with its number.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { agoInSwahili } from '../../../web/ui/ago.ts'

const WEB = join(import.meta.dirname, '../../../web')

/** Swahili phrases that readers found wrong or unclear: the name of the audit log, and sentences of the operators' console. */
const REJECTED = [
  /kumbukumbu (za|zake|hizi)/i,
  /\bni muda tangu/i,
  /Hakuna inayotoka/,
  /Ambazo seva itatuma/,
  /['`]Mara ya kwanza kulipa hapa['`]/,
  /`Mara \$\{times\} ya/,
  /kwa \$\{age\}/,
]

const sourcesOfConsoles = () =>
  ['dashboard', 'operator', 'ui'].flatMap((folder) =>
    readdirSync(join(WEB, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(WEB, folder, name)),
  )

test('no source file of the consoles has a rejected Swahili phrase', () => {
  const sources = sourcesOfConsoles()
  assert.ok(sources.length > 50)
  const found = sources.flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    return REJECTED.filter((phrase) => phrase.test(text)).map((phrase) => `${path}: ${phrase}`)
  })
  assert.deepEqual(found, [])
})

test('no English text says "1 times": each text with a count of times has a form for one', () => {
  const lines = sourcesOfConsoles().flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  const counted = lines.filter((line) => /\$\{count\} times/.test(line))
  assert.ok(counted.length > 1)
  // The dashboard has the text paid_once for one payout to a recipient.
  const wrong = counted.filter((line) => !/count === 1 \?/.test(line) && !line.includes("'100 times or more'"))
  assert.deepEqual(wrong, [])
})

test('an age in Swahili agrees with its number: saa 1 iliyopita, saa 2 zilizopita', () => {
  const ages = ['chini ya dakika', 'dakika 1', 'dakika 5', 'saa 1', 'saa 11', 'saa 21', 'siku 1', 'siku 2']
  assert.deepEqual(ages.map(agoInSwahili), [
    ...['chini ya dakika iliyopita', 'dakika 1 iliyopita', 'dakika 5 zilizopita', 'saa 1 iliyopita'],
    ...['saa 11 zilizopita', 'saa 21 zilizopita', 'siku 1 iliyopita', 'siku 2 zilizopita'],
  ])
})
