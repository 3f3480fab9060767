// Tests that the TypeScript SDK conforms to the suite of all SDKs, and works with the real server.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type SdkWorld, startSdkWorld } from '../../server/test/sdk-world.ts'
import { Malipo } from '../typescript/src/index.ts'
import { type DriverProcess, runCases, startDriver } from './run.ts'
import { runSmoke } from './smoke.ts'

const DRIVER = fileURLToPath(new URL('../typescript/tests/conformance-driver.mjs', import.meta.url))
const SOURCE = new URL('../typescript/src/index.ts', import.meta.url).href

let driver: DriverProcess
let world: SdkWorld

before(async () => {
  driver = startDriver(process.execPath, [DRIVER, SOURCE])
  world = await startSdkWorld()
})
after(async () => {
  await driver.close()
  await world.close()
})

test('the TypeScript SDK conforms to every case of the suite', async () => {
  const results = await runCases(driver.call)
  assert.ok(results.length >= 180, `the suite has ${results.length} cases`)
  assert.deepEqual(
    results.filter(({ problems }) => problems.length > 0),
    [],
  )
})

test('the TypeScript SDK makes the first calls of a new merchant on the real server, and verifies its webhooks', async () => {
  assert.deepEqual(await runSmoke(driver.call, world), [])
})

test('the TypeScript SDK lists each event of a successful payout once', async () => {
  const malipo = new Malipo({ apiKey: world.api_key, baseUrl: world.base_url })
  const found: string[] = []
  for await (const { id, event, data } of malipo.events.list({ event: 'disbursement.success', page_size: 1 })) {
    assert.equal(data.event, event)
    found.push(id)
  }
  assert.deepEqual([found.length > 0, new Set(found).size], [true, found.length])
})

test('the suite reports an SDK whose request, number of requests or verification of a signature differs from the case', async () => {
  const files = [
    {
      call: 'balance.get',
      exchange: [{ request: { method: 'GET', path: '/v1/other' }, answer: { status: 200, data: {} } }],
    },
    { call: 'balance.get', exchange: [], expect: { ok: {} } },
    { do: 'verify' as const, webhook: { body: '{}', headers: {}, secret: '' }, expect: { ok: {} } },
  ].map((one) => ({ file: 'wrong', cases: [{ name: 'wrong', expect: { ok: {} }, ...one }] }))
  const results = await runCases(driver.call, files)
  assert.deepEqual(
    results.map(({ problems }) => problems.length > 0),
    [true, true, true],
  )
})
