// Tests two servers, of which one has a clock that is ten minutes ahead or behind. The payments of both servers settle as
// usual.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freePort } from '../free-port.ts'
import { findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { type Ack, createClient, orderOf } from './load.ts'
import { type Child, startChild, until, wrongClock } from './processes.ts'
import { createRig, type Rig } from './rig.ts'

const TEN_MINUTES_MS = 600_000
const PAYMENTS = 24
/**
 * The phone ending of payments about which the provider sends no callback, so that the worker must query when they are due.
 */
const ENDING = '008'
/**
 * The time in milliseconds within which the payments must settle. The first pauses of an open payment last 5 and 10 seconds.
 */
const SETTLED_MS_MAX = 60_000

const rigs: Rig[] = []
const children: Child[] = []
after(async () => {
  for (const child of children) await child.kill()
  for (const rig of rigs) await rig.close()
})

for (const ahead_ms of [TEN_MINUTES_MS, -TEN_MINUTES_MS]) {
  const side = ahead_ms > 0 ? 'ahead' : 'behind'
  test(`the payments of two servers settle within a minute while the clock of one server is ten minutes ${side}`, async () => {
    const rig = await createRig({ shops: 2, delay_ms: 300 })
    rigs.push(rig)
    const start = (env: Record<string, string>) => {
      const child = startChild(rig.env(env))
      children.push(child)
      return child
    }
    const wrong = start({ PROCESS: 'api', ...wrongClock(ahead_ms) })
    const right = start({ PROCESS: 'all', PORT: String(await freePort()) })
    await Promise.all([wrong.ready(), right.ready()])
    await rig.configureWebhooks(right.url)
    const clients = [wrong, right].map(({ url }) => createClient(url, 4))
    const acks: Ack[] = []
    for (let i = 0; i < PAYMENTS; i++) {
      const [shop, client] = [rig.shops[i % 2], clients[i % 2]]
      assert.ok(shop && client)
      acks.push(await client.order(orderOf(shop, `order-${i}`, 1_000 + i, ENDING)))
    }
    const { left } = await waitQuiet(rig, SETTLED_MS_MAX)
    assert.deepEqual(left, { open: 0, due: 0, pending: 0 })
    const facts = await gatherFacts(rig, acks)
    assert.deepEqual(findProblems(facts), [])
    assert.ok(facts.collections.every(({ status }) => status === 'successful'))
    await until('the process reports its clock', () => wrong.output().includes('the clocks of this machine'))
    await Promise.all(clients.map((client) => client.close()))
    for (const child of [wrong, right]) await child.kill()
  })
}
