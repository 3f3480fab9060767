// Tests that no request fails while the test restarts each process of an installation in turn under load. `npm run rolling`
// restarts two API processes and a worker behind HAProxy, under 200 requests a second. The short test restarts two processes
// that do all work, behind a balancer of the test.

import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Installation, startInstallation } from './installation.ts'
import { createRig, type Rig } from './rig.ts'

const IS_FULL = process.env.ROLLING === 'full'
const ROUNDS = IS_FULL ? 3 : 1
const PAUSE_MS = IS_FULL ? 3_000 : 200

let rig: Rig
let installation: Installation
after(async () => {
  await installation?.close()
  await rig?.close()
})

test('a restart of each process in turn, under load, fails no request and loses no event', async (t) => {
  rig = await createRig({ shops: 3, delay_ms: 50 })
  installation = await startInstallation(rig, {
    shape: IS_FULL ? 'haproxy' : 'balancer',
    per_second: IS_FULL ? 200 : 8,
    stop_delay_s: IS_FULL ? 4 : 2,
  })
  const { members, load, replace, assertNothingLost } = installation
  for (let round = 0; round < ROUNDS; round++) {
    for (const member of members) {
      await replace(member)
      await sleep(PAUSE_MS)
    }
  }
  const { deliveries, checks } = await assertNothingLost()
  t.diagnostic(
    `${load.sent()} requests, ${load.failures.length} failed, slowest ${load.slowest_ms()} ms, ${ROUNDS * members.length} restarts`,
  )
  t.diagnostic(`${deliveries.length} events, ${checks.length} checks of verify`)
})
