// Tests that the registry lists the folder of each provider, and that each folder has the required exports and files.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog, readConfig, settingsOf, systemClock, systemRandom } from '../../kernel/lib/index.ts'
import { PROVIDERS } from './registry.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const FILES = [
  'adapter.ts',
  'capabilities.ts',
  'contract.test.ts',
  'create.ts',
  'index.ts',
  'settings.test.ts',
  'settings.ts',
]

test('the registry lists each provider folder by its name, and each folder has the required files', () => {
  const folders = readdirSync(HERE, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.deepEqual(folders.map(({ name }) => name).sort(), PROVIDERS.map(({ name }) => name).sort())
  for (const { name } of folders) {
    const files = readdirSync(`${HERE}/${name}`)
    assert.deepEqual(
      FILES.filter((file) => !files.includes(file)),
      [],
      name,
    )
  }
})

test('each provider exports a definition, and its environment variables are unique and begin with its name', () => {
  const seen = new Set<string>()
  for (const provider of PROVIDERS) {
    for (const name of ['name', 'settings', 'problems', 'capabilities', 'create', 'statementForm']) {
      assert.ok(name in provider, `${provider.name} exports no ${name}`)
    }
    for (const { env, help } of Object.values(provider.settings)) {
      assert.ok(env.startsWith(`${provider.name.toUpperCase()}_`), env)
      assert.ok(help.length > 0 && !seen.has(env), env)
      seen.add(env)
    }
    const gateways = Object.values(provider.settings).filter(({ gateway }) => gateway)
    assert.equal(gateways.length, provider.simulated ? 0 : 1, `${provider.name}: one setting is the gateway`)
  }
})

test('the mock provider built from the default settings has the name and the capabilities of its definition', () => {
  const config = readConfig({}, PROVIDERS)
  const [mock] = PROVIDERS
  assert.ok(mock?.simulated, 'the default provider moves no money')
  const settings = settingsOf(config, mock)
  const built = mock.create({
    settings,
    callback_url: null,
    sink: async () => {},
    clock: systemClock,
    random: systemRandom(),
    log: createLog('silent'),
  })
  assert.deepEqual([built.name, built.capabilities], [mock.name, mock.capabilities(settings)])
})
