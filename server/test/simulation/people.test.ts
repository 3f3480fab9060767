// Tests a long life of an installation in random steps: operators, members, API keys, approvals, corrections, limits and
// pauses. A plain model judges each answer and each payout request that reaches the provider. `npm run model` runs 100,000
// steps; STEPS sets the number, and SEED=n repeats the draws.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { verify } from '../../src/apps/admin/verify.ts'
import { seededRandom } from '../crash/rig.ts'
import { createPeopleRig, type PeopleRig } from './people-rig.ts'
import { createDice, FOUR_EYES, PeopleLife } from './people-steps.ts'

const STEPS = Number(process.env.STEPS ?? 400)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
/**
 * The number of steps from which on several installations run at the same time. The test and PostgreSQL then both use a
 * processor.
 */
const LONG = 5_000
const LIVES = STEPS < LONG ? 1 : 3
const REPORT_MS = 60_000

const rigs: PeopleRig[] = []
before(async () => {
  for (let i = 0; i < LIVES; i++) rigs.push(await createPeopleRig(FOUR_EYES))
})
after(async () => {
  for (const rig of rigs) await rig.close()
})

/**
 * The number of times that each step, answer and event happened. The counts show that the interesting cases happened.
 */
const counts = new Map<string, number>()

test('the server sends no payout that one person alone caused, and sends no paused payout', async (t) => {
  t.diagnostic(`SEED=${SEED} STEPS=${STEPS}`)
  const begun = Date.now()
  let done = 0
  let reported = begun
  const live = async (rig: PeopleRig, place: number) => {
    const life = new PeopleLife(rig, createDice(seededRandom(SEED + place)), counts)
    await life.begin()
    while (done < STEPS) {
      done += 1
      await life.step()
      if (Date.now() - reported < REPORT_MS) continue
      reported = Date.now()
      t.diagnostic(`${done} steps in ${Math.round((reported - begun) / 1000)} s`)
    }
    await life.finish()
  }
  await Promise.all(rigs.map(live))
  const seconds = (Date.now() - begun) / 1000
  t.diagnostic(`${STEPS} steps in ${seconds.toFixed(1)} s: ${(STEPS / seconds).toFixed(0)} a second`)
  const listed = [...counts].sort().map(([name, times]) => `${name} ${times}`)
  t.diagnostic(listed.join(', '))
  for (const { world } of rigs) {
    const { checks } = await verify(world.url)
    const wrong = checks.filter(({ ok }) => !ok)
    assert.deepEqual(wrong, [])
  }
})

/** The least number of times for each thousand steps. A short run may have none of the rarer events. */
const LEAST = {
  'approval: ok': 15,
  'left, caused by two': 5,
  'submitted by a key': 15,
  'submitted by a session': 15,
}
const LEAST_LONG = {
  'approval: first': 5,
  'left, caused by three': 2,
  'correction: ok': 2,
  'end of a pause: ok': 2,
  'approval: conflict_of_interest': 2,
  'approval: forbidden': 0.5,
  'approval: second_operator_required': 2,
  'approval: payout_limit_reached': 2,
  'approval: withdrawal_restricted': 5,
  'approval: confirmation_required': 2,
  'approval: invalid_session': 0.5,
  'correction: first': 1,
  'correction: conflict_of_interest': 0.1,
  'limits: conflict_of_interest': 0.1,
  'end of a pause: conflict_of_interest': 0.1,
  'reactivate: conflict_of_interest': 0.1,
  'retry: payouts_paused': 0.1,
  'retry: conflict_of_interest': 0.1,
  'recall: ok': 0.5,
  retried: 1,
  'an operator became a member': 2,
  'an operator left a merchant': 0.5,
  'a key outlived the membership of its maker': 0.1,
  'a key was rotated': 0.2,
  'submitted by an operator, or with the key of one': 2,
  'paused platform': 1,
  'paused merchant': 1,
  'paused provider': 0.5,
  'paused destination': 1,
  'calls at the same time': 10,
  reclaim: 0.5,
  restart: 1,
  disable: 2,
  'a new operator': 2,
}

test('the model reaches each case that the test lists', () => {
  for (const [name, least] of Object.entries({ ...LEAST, ...(STEPS < LONG ? {} : LEAST_LONG) })) {
    const times = counts.get(name) ?? 0
    assert.ok(times >= (least * STEPS) / 1_000, `${name}: ${times} times`)
  }
})
