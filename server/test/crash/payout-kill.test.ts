// Tests that the provider's book has each payout exactly once after the test has killed the server at random moments. Meanwhile
// an operator approves withdrawals and the worker sends payouts. KILLS=20 selects the long test, and SEED=n repeats the
// moments.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  askAgain,
  type Cashier,
  findPayoutProblems,
  gatherPayoutFacts,
  openCashier,
  type PayoutFacts,
  totalOf,
  waitPayoutsQuiet,
} from './payouts.ts'
import { type Child, startChild } from './processes.ts'
import { createRig, type Rig, seededRandom } from './rig.ts'

const KILLS = Number(process.env.KILLS ?? 3)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
const PER_KILL = 60
const AT_ONCE = 12
/**
 * The number of queries that the platform may send about a payout in doubt. If the payout is then still in doubt, it counts as
 * a problem.
 */
const ROUNDS_OF_DOUBT = 5
/** Phone endings by the outcome of the payout: paid, declined, in doubt, refused, reversed, and known only after a query. */
const ENDINGS = ['001', '001', '001', '102', '103', '104', '105', '106']

let rig: Rig
let cashier: Cashier
const servers: Child[] = []
after(async () => {
  for (const server of servers) await server.kill()
  await cashier?.close()
  await rig?.close()
})

test('the platform loses no approved withdrawal and pays no withdrawal twice while the test kills the server at random', async (t) => {
  t.diagnostic(`SEED=${SEED} KILLS=${KILLS}`)
  const random = seededRandom(SEED)
  const draw = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  rig = await createRig({ shops: 3, delay_ms: 100 })
  cashier = await openCashier(rig)
  const funded = new Map<string, bigint>()
  const ids: string[] = []
  for (const shop of rig.shops) {
    funded.set(shop.merchant.id, 0n)
    for (let i = 0; i < (KILLS * PER_KILL) / rig.shops.length; i++) {
      const amount = 1_000n + BigInt(Math.floor(random() * 1_000_000))
      funded.set(shop.merchant.id, (funded.get(shop.merchant.id) ?? 0n) + totalOf(amount))
      ids.push(await cashier.submit(shop, amount, draw(ENDINGS)))
    }
    await cashier.fund(shop, funded.get(shop.merchant.id) ?? 0n)
  }
  const start = () => {
    const server = startChild(rig.env())
    servers.push(server)
    return server
  }
  let server = start()
  await server.ready()
  await rig.configureWebhooks(server.url)
  rig.hooks.answer = () => (random() < 0.1 ? 500 : 200)

  // The operator repeats each approval until the server reports that the withdrawal is approved.
  const waiting = ids.toSorted(() => random() - 0.5)
  let lost = 0
  const approveAll = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (;;) {
        const status = await cashier.approve(server.url, id)
        if (status === 200 || status === 409) break
        if (status !== null) assert.ok(status === 503, `answered ${status}`)
        lost++
        await sleep(50)
      }
      await sleep(random() * 120)
    }
  }
  const approving = Promise.all(Array.from({ length: AT_ONCE }, approveAll))
  for (let kill = 1; kill <= KILLS; kill++) {
    await server.ready()
    await sleep(100 + random() * 900)
    await server.kill()
    server = start()
  }
  await server.ready()
  await approving
  rig.hooks.answer = () => 200
  let left = await waitPayoutsQuiet(rig, 60_000)
  let facts = await gatherPayoutFacts(rig)
  for (let round = 0; round < ROUNDS_OF_DOUBT && findPayoutProblems(facts, funded).length > 0; round++) {
    await askAgain(rig)
    left = await waitPayoutsQuiet(rig, 60_000)
    facts = await gatherPayoutFacts(rig)
  }
  const statuses = Map.groupBy(facts.withdrawals, (row) => row.status)
  const repeated = facts.entries.filter((entry) => entry.requests > 1).length
  t.diagnostic(
    `${[...statuses].map(([status, rows]) => `${rows.length} ${status}`).join(', ')}; ${lost} requests lost, ${repeated} sent again`,
  )
  assert.deepEqual(findPayoutProblems(facts, funded).slice(0, 20), [], `still open: ${JSON.stringify(left)}`)
  assert.equal(facts.withdrawals.length, ids.length)
  assert.deepEqual(server.output().match(/"level":"error".*/g) ?? [], [])
  plantProblems(facts, funded)
})

/** Asserts that the comparison finds each problem that this function plants. */
function plantProblems(sound: PayoutFacts, funded: ReadonlyMap<string, bigint>): void {
  const plant = (change: (facts: PayoutFacts) => void): string => {
    const facts = structuredClone(sound)
    change(facts)
    return findPayoutProblems(facts, funded).join('\n')
  }
  const paid = sound.withdrawals.findIndex((row) => row.status === 'SUCCESS')
  assert.ok(paid >= 0)
  assert.match(
    plant((facts) => Object.assign(facts.entries[0] ?? {}, { executions: 2 })),
    /executed \S+ 2 times/,
  )
  assert.match(
    plant((facts) => facts.entries.splice(0, 1)),
    /should be sent/,
  )
  assert.match(
    plant((facts) => facts.withdrawals.splice(paid, 1)),
    /the provider has W\S+, and the platform does not/,
  )
  assert.match(
    plant((facts) => Object.assign(facts.withdrawals[paid] ?? {}, { status: 'FAILED' })),
    /is FAILED, and should be SUCCESS/,
  )
  assert.match(
    plant((facts) =>
      Object.assign(facts.books.find(({ merchant_id }) => funded.has(merchant_id)) ?? {}, { available: 1n }),
    ),
    /has 1 and/,
  )
  assert.match(
    plant((facts) => facts.deliveries.splice(0, 1)),
    /with the events $|with the events \n/m,
  )
  assert.match(
    plant((facts) => Object.assign(facts.deliveries[0] ?? {}, { status: 'pending' })),
    /is pending/,
  )
}
