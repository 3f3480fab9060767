// Tests that both clients of the Python SDK conform to the suite of all SDKs, and work with the real server.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { outputOf } from '../../../server/test/programs.ts'
import { type SdkWorld, startSdkWorld } from '../../../server/test/sdk-world.ts'
import { startTlsServer } from '../../../server/test/tls-server.ts'
import { type DriverProcess, runCases, startDriver } from '../../conformance/run.ts'
import { runSmoke } from '../../conformance/smoke.ts'

const DRIVER = fileURLToPath(new URL('driver.py', import.meta.url))
const SOURCE = fileURLToPath(new URL('../src', import.meta.url))

const SECRETS = `
import typing
from malipo import _async_resources, _resources, types
for module in (_resources, _async_resources):
    for calls, name in (("WebhookEndpoints", "create"), ("WebhookEndpoints", "rotate_secret"), ("WebhookConfig", "rotate_secret")):
        answer = typing.get_type_hints(getattr(getattr(module, calls), name))["return"]
        print(answer.__name__, "secret" in answer.__required_keys__)
print("secret" in types.UpdateWebhookEndpointAnswer.__required_keys__)
`

test('the Python types require a webhook secret in the answers that always have one, and only there', async () => {
  const printed = await outputOf('python3', ['-W', 'error', '-B', '-c', SECRETS], { env: { PYTHONPATH: SOURCE } })
  const answers = ['CreateWebhookEndpoint', 'UpdateWebhookEndpoint', 'UpdateWebhookConfig']
  const lines = answers.map((name) => `${name}AnswerWithSecret True\n`).join('')
  assert.equal(printed, `${lines}${lines}False\n`)
})

for (const [name, options] of [
  ['client for threads', []],
  ['client for asyncio', ['--async']],
] as const) {
  describe(`the Python SDK, ${name}`, () => {
    let driver: DriverProcess
    let world: SdkWorld

    before(async () => {
      await outputOf('python3', ['--version'])
      driver = startDriver('python3', ['-W', 'error', '-B', DRIVER, SOURCE, ...options])
      world = await startSdkWorld()
    })
    after(async () => {
      await driver.close()
      await world.close()
    })

    test(`the ${name} conforms to every case of the suite`, async () => {
      const results = await runCases(driver.call)
      assert.ok(results.length >= 180, `the suite has ${results.length} cases`)
      assert.deepEqual(
        results.filter(({ problems }) => problems.length > 0),
        [],
      )
    })

    test(`the ${name} makes the first calls of a new merchant on the real server, and verifies its webhooks`, async () => {
      assert.deepEqual(await runSmoke(driver.call, world), [])
    })

    test(`the ${name} reports that it sent nothing to a server whose certificate no authority signed`, async () => {
      const server = await startTlsServer()
      const client = { base_url: `https://localhost:${server.port}`, api_key: world.api_key, max_retries: 0 }
      const args = { input: { amount: '1.00', phone: '0754123001' } }
      const { error } = await driver.call({ do: 'call', client, call: 'collections.createWalletPush', args })
      server.close()
      assert.deepEqual([error?.kind, error?.outcome_unknown], ['no_answer', false])
      assert.match(String(error?.message), /certificate.*so nothing was sent/)
    })
  })
}
