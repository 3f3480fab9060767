// Tests that the platform loses no payment while the test kills the server at random moments under load. KILLS=20 selects the
// long test, and SEED=n repeats the same moments.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kernel/db/index.ts'
import { type Facts, findProblems, gatherFacts, waitQuiet } from './facts.ts'
import { createClient, orderOf, startLoad } from './load.ts'
import { type Child, startChild, until } from './processes.ts'
import { createRig, type Rig, seededRandom } from './rig.ts'

const KILLS = Number(process.env.KILLS ?? 4)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
const CONCURRENCY = 32
const PER_SECOND = 300
const QUIET_MS_MAX = 120_000
/** Phone endings of payers with different outcomes. */
const ENDINGS = ['123', '456', '001', '002', '006', '008', '009', '010', '011', '012', '014', '777']

let rig: Rig
const servers: Child[] = []
after(async () => {
  for (const server of servers) await server.kill()
  await rig?.close()
})

test('the platform loses no payment, makes no payment twice and sends every webhook while the test kills the server at random', async (t) => {
  t.diagnostic(`SEED=${SEED} KILLS=${KILLS}`)
  const random = seededRandom(SEED)
  const start = () => {
    const server = startChild(rig.env())
    servers.push(server)
    return server
  }
  rig = await createRig({ shops: 4, delay_ms: 150 })
  let server = start()
  await server.ready()
  await rig.configureWebhooks(server.url)
  rig.hooks.answer = () => {
    const chance = random()
    return chance < 0.08 ? 500 : chance < 0.1 ? 'cut' : 200
  }
  const client = createClient(server.url, CONCURRENCY)
  const load = startLoad({
    client,
    shops: rig.shops,
    random,
    concurrency: CONCURRENCY,
    per_second: PER_SECOND,
    endings: ENDINGS,
  })
  try {
    for (let kill = 1; kill <= KILLS; kill++) {
      // The test kills every fourth process during its start.
      if (kill % 4 !== 0) await server.ready()
      await sleep(100 + random() * 1_900)
      await server.kill()
      server = start()
    }
    await server.ready()
    const acknowledged = load.acks.length
    await until('the server accepts payments again', () => load.acks.length >= acknowledged + PER_SECOND)
  } finally {
    await load.stop()
  }
  rig.hooks.answer = () => 200
  const { ms, left } = await waitQuiet(rig, QUIET_MS_MAX)
  const facts = await gatherFacts(rig, load.acks)
  report(t.diagnostic.bind(t), facts, { ms, lost: client.lost() })

  assert.deepEqual(load.problems, [])
  assert.equal(load.acks.length, load.orders(), 'the server acknowledged each started payment')
  assert.ok(load.acks.length > KILLS * 20, `the clients made only ${load.acks.length} payments`)
  assert.deepEqual(findProblems(facts).slice(0, 20), [], `still open: ${JSON.stringify(left)}`)

  for (const ack of load.acks.slice(-200)) {
    const shop = rig.shops.find(({ merchant }) => merchant.id === ack.merchant_id)
    assert.ok(shop)
    const other = await client.once(orderOf(shop, ack.key, ack.amount_minor + 1, '001'))
    assert.equal(other?.status, 422, 'the key stays bound to its request')
  }
  await client.close()
  assert.deepEqual(server.output().match(/"level":"error".*/g) ?? [], [])
  await plantLosses(facts)
})

/** Asserts that the comparison finds each loss that this function plants. */
async function plantLosses(sound: Facts): Promise<void> {
  const plant = (change: (facts: Facts) => void): string => {
    const facts = structuredClone(sound)
    change(facts)
    return findProblems(facts).join('\n')
  }
  const first = sound.deliveries[0]
  const settled = sound.collections.findIndex((row) => row.status === 'successful')
  assert.ok(first && settled >= 0)
  assert.match(
    plant((facts) => facts.collections.splice(0, 1)),
    /lacks the acknowledged payment/,
  )
  assert.match(
    plant((facts) => facts.acks.splice(0, 1)),
    /no client got its id/,
  )
  assert.match(
    plant((facts) => Object.assign(facts.collections[0] ?? {}, { status: 'processing' })),
    /stays in processing/,
  )
  assert.match(
    plant((facts) => Object.assign(facts.collections[settled] ?? {}, { credits: 2 })),
    /credited \S+ 2 times/,
  )
  assert.match(
    plant((facts) => Object.assign(facts.collections[settled] ?? {}, { net_minor: 1n })),
    /moved 1; the provider has/,
  )
  assert.match(
    plant((facts) => facts.book.splice(0, 1)),
    /never reached the provider/,
  )
  assert.match(
    plant((facts) => Object.assign(facts.book[0] ?? {}, { prompts: 2 })),
    /prompted its payer 2 times/,
  )
  assert.match(
    plant((facts) => facts.attempts.splice(0, 1)),
    /and the platform does not/,
  )
  assert.match(
    plant((facts) => facts.deliveries.splice(0, 1)),
    /not exactly one delivery of collection/,
  )
  assert.match(
    plant((facts) => {
      facts.arrivals = facts.arrivals.filter((arrival) => arrival.id !== first.id)
    }),
    /never arrived/,
  )
  assert.match(
    plant((facts) => Object.assign(facts.arrivals[0] ?? {}, { id: 'other' })),
    /the platform has no such delivery/,
  )
  assert.match(
    plant((facts) => facts.arrivals.push({ ...(facts.arrivals[0] as Facts['arrivals'][number]), id: 'second' })),
    /under 2 ids/,
  )
  assert.match(
    plant((facts) => {
      const [arrival] = facts.arrivals
      if (arrival) arrival.body = arrival.body.replace(/"timestamp":"[^"]*"/, '"timestamp":"later"')
    }),
    /other bytes/,
  )

  // The test plants a contradiction in the real database: one cent in a balance that no posting explains.
  await rig.db.query(
    sql(
      'crash_plant',
      `update ledger_accounts set balance_minor = balance_minor + 1
    where environment = 'live' and code = 'available' and merchant_id = $1`,
    ),
    [rig.shops[0]?.merchant.id],
  )
  const found = findProblems(await gatherFacts(rig, sound.acks)).join('\n')
  assert.match(found, /owns \d+; the provider has \d+/)
  assert.match(found, /verify: Every book sums to zero/)
}

function report(say: (line: string) => void, facts: Facts, { ms, lost }: { ms: number; lost: number }): void {
  const statuses = Map.groupBy(facts.collections, (row) => row.status)
  const counts = [...statuses].map(([status, rows]) => `${rows.length} ${status}`).join(', ')
  const refused = facts.arrivals.filter((arrival) => arrival.answer !== 200).length
  say(`${facts.acks.length} payments (${counts}), ${lost} requests lost their connection`)
  say(`${facts.deliveries.length} events, ${facts.arrivals.length} arrivals, ${refused} refused, quiet after ${ms} ms`)
}
