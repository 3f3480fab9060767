// Tests random lives of withdrawals: random events in random order, with dying processes and false answers of the provider.
// After each life, the books equal those of an independent model. `npm run simulate` runs more lives, RUNS sets the number, and
// SEED=n repeats a run.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { verify } from '../../src/apps/admin/verify.ts'
import { type Event, events, prices } from './events.ts'
import { Life } from './life.ts'
import type { Price } from './model.ts'
import { createSimulation, type Rig } from './rig.ts'

const RUNS = Number(process.env.RUNS ?? 100)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
/** The number of lives between two checks of the whole database. */
const CHUNK = 50

let rig: Rig
before(async () => {
  rig = await createSimulation()
})
after(() => rig?.close())

/**
 * The number of times that each event happened, and that a withdrawal reached each status with its money. The counts show the
 * coverage of the simulation.
 */
const counts = new Map<string, number>()
const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)

let lives = 0

async function live(given: Price[], happenings: Event[]): Promise<void> {
  // Each life has a destination of its own, because payouts to one destination count over all merchants.
  lives += 1
  const destination = `0754${String(lives).padStart(6, '0')}`
  const shops = await Promise.all(given.map((price) => rig.open(price, destination)))
  const life = new Life(rig, shops, given)
  for (const merchant of shops.keys()) await life.happen({ what: 'collect', merchant, amount: 60_000n })
  const places = new Map<number, string>()
  for (const event of happenings) {
    await life.happen(event)
    count(event.what)
    for (const [i, { status, funds }] of life.model.withdrawals.entries()) {
      if (places.get(i) !== `${status} ${funds}`) count(`${status} ${funds}`)
      places.set(i, `${status} ${funds}`)
    }
  }
  await life.compare()
  await life.heal()
  await life.compare()
}

async function booksHold(): Promise<void> {
  const { checks } = await verify(rig.url)
  assert.deepEqual(
    checks.filter((check) => !check.ok),
    [],
  )
}

test('each withdrawal gets its expected status and book in any order of events, and the provider executes no payout twice or during a pause', async (t) => {
  t.diagnostic(`SEED=${SEED} RUNS=${RUNS}`)
  const begun = Date.now()
  for (let done = 0; done < RUNS; done += CHUNK) {
    await fc.assert(fc.asyncProperty(prices, events, live), {
      seed: SEED + done,
      numRuns: Math.min(CHUNK, RUNS - done),
    })
    await booksHold()
  }
  const happened = [...counts].sort().map(([name, times]) => `${name} ${times}`)
  t.diagnostic(`${RUNS} lives in ${Math.round((Date.now() - begun) / 1000)} s: ${happened.join(', ')}`)
})

test('the simulation reaches each status of a withdrawal with its funds, and draws each kind of event', () => {
  const places = [
    ...['PENDING_ADMIN_APPROVAL none', 'INFO_REQUESTED none', 'REJECTED none', 'PROCESSING reserved'],
    ...['CANCELLED none', 'CANCELLED released'],
    ...['NEEDS_RECONCILIATION reserved', 'BLOCKED_IP_WHITELIST reserved', 'SUCCESS paid', 'FAILED released'],
    ...['REVERSED returned', 'NEEDS_ADMIN_ATTENTION reserved'],
  ]
  // A short run may not reach these events, because each of these events needs several steps before.
  const rare = RUNS < 500 ? [] : ['NEEDS_ADMIN_ATTENTION paid', 'NEEDS_ADMIN_ATTENTION released', 'FAILED returned']
  const kinds = [
    'collect',
    'take_back',
    'submit',
    'approve',
    'retry',
    'cancel',
    'recall',
    'pause',
    'end_pause',
    'suspend',
    'reactivate',
    'review',
    'resolve',
    'hint',
    'tick',
    'adjust',
    'race',
  ]
  for (const name of [...places, ...rare, ...kinds]) assert.ok((counts.get(name) ?? 0) > 0, `${name} never came`)
})
