// Tests that the PHP SDK conforms to the suite of all SDKs, and works with the real server.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { requirePhp } from '../../../server/test/programs.ts'
import { type SdkWorld, startSdkWorld } from '../../../server/test/sdk-world.ts'
import { startTlsServer } from '../../../server/test/tls-server.ts'
import { type DriverProcess, runCases, startDriver } from '../../conformance/run.ts'
import { runSmoke } from '../../conformance/smoke.ts'

let driver: DriverProcess
let world: SdkWorld

before(async () => {
  await requirePhp(['curl'])
  driver = startDriver('php', [fileURLToPath(new URL('driver.php', import.meta.url))])
  world = await startSdkWorld()
})
after(async () => {
  await driver.close()
  await world.close()
})

test('the PHP SDK conforms to every case of the suite', async () => {
  const results = await runCases(driver.call)
  assert.ok(results.length >= 180, `the suite has ${results.length} cases`)
  assert.deepEqual(
    results.filter(({ problems }) => problems.length > 0),
    [],
  )
})

test('the PHP SDK makes the first calls of a new merchant on the real server, and verifies its webhooks', async () => {
  assert.deepEqual(await runSmoke(driver.call, world), [])
})

test('the PHP SDK reports that it sent nothing to a server whose certificate no authority signed', async () => {
  const server = await startTlsServer()
  const client = { base_url: `https://localhost:${server.port}`, api_key: world.api_key, max_retries: 0 }
  const args = { input: { amount: '1.00', phone: '0754123001' } }
  const { error } = await driver.call({ do: 'call', client, call: 'collections.createWalletPush', args })
  server.close()
  assert.deepEqual([error?.kind, error?.outcome_unknown], ['no_answer', false])
  assert.match(String(error?.message), /certificate.*so nothing was sent/)
})
