// The PHP SDK conforms to the suite of all SDKs, and works with the real server.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { requirePhp } from '../../../server/test/programs.ts'
import { type SdkWorld, startSdkWorld } from '../../../server/test/sdk-world.ts'
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

test('the PHP SDK makes the calls of a first day on the real server, and verifies its webhooks', async () => {
  assert.deepEqual(await runSmoke(driver.call, world), [])
})
