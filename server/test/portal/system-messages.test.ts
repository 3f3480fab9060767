// Tests that the Swahili console translates the messages of the checks of the installation.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { checkInSwahili } from '../../../web/operator/platform/system-messages.ts'
import { createWorld, type World } from '../harness.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('the Swahili console translates each message of the checks of a running server', async () => {
  const { token } = await world.newSession('SUPPORT')
  const reply = await world.get('/v1/operator/system', token)
  const messages = (reply.body.data.checks as { message: string }[]).map(({ message }) => message)
  assert.ok(messages.length > 20, `${messages.length} messages`)
  assert.deepEqual(
    messages.filter((message) => checkInSwahili(message) === null),
    [],
  )
})

test('each message that the checks write in one piece has a translation', () => {
  const sources = globSync('server/src/apps/admin/doctor-{database,machine,network}.ts').map((path) =>
    readFileSync(path, 'utf8'),
  )
  const written = sources.flatMap((text) =>
    [...text.matchAll(/\b(?:ok|warn|fail|bad)\(\s*(['`])(.+?)\1,?\s*\)/g)].map(([, , message = '']) => message),
  )
  const messages = written
    .map((message) => message.replaceAll(/\$\{[^{}]*\}/g, '7'))
    .filter((message) => !/^7|\$\{/.test(message))
  assert.ok(messages.length > 45, `${messages.length} messages`)
  assert.deepEqual(
    messages.filter((message) => checkInSwahili(message) === null),
    [],
  )
})

test('a Swahili message has the values of the English message, and an age agrees with its number', () => {
  for (const [english, swahili] of [
    ['the last backup ended 1 hour ago', 'nakala ya mwisho ilikamilika saa 1 iliyopita'],
    ['the last backup ended 2 days ago', 'nakala ya mwisho ilikamilika siku 2 zilizopita'],
    [
      '/srv has 40 MB free; /var has 7 MB free. The check does not include the disk of a database on another machine',
      '',
    ],
    ['not a message of a check', null],
  ] as const) {
    const translated = checkInSwahili(english)
    if (swahili === '') assert.match(translated ?? '', /^\/srv ina MB 40 wazi; \/var ina MB 7 wazi\. Ukaguzi huu/)
    else assert.equal(translated, swahili)
  }
})
