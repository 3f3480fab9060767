// Tests that no process sends a payout again after a late answer, or sends an unsent payout after its deadline.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  dieAt,
  gate,
  HOUR,
  hint,
  idle,
  movesOf,
  statusOf,
  waitUntil,
  withPayoutWorld,
} from '../../../test/payout-processes.ts'
import { payoutAnswers, payoutOf } from '../../../test/payouts.ts'

for (const late of [payoutAnswers.not_sent, payoutAnswers.blocked]) {
  test(`a late answer "${late.kind}" of the provider changes no status after the provider accepted the payout, and no process sends the payout again`, () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      const sending = gate()
      script.payout = () => sending.answer
      script.status = () => payoutAnswers.accepted
      const key = await submitted()
      await hands.approve(key)
      await waitUntil(() => executions(key) === 1)
      await hint(stage, key)
      sending.open(late)
      await idle(stage)
      assert.deepEqual([await statusOf(stage, key), (await payoutOf(world, key))?.state], ['PROCESSING', 'asked'])
      const queries = questions(key)
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.deepEqual([executions(key), questions(key)], [1, queries + 1])
    }))
}

test('no process sends an unsent payout after its deadline, and an operator decides', () =>
  withPayoutWorld(
    async (stage) => {
      const { world, hands, executions, submitted, another } = stage
      const idle_hands = await another({ sends: false })
      const key = await submitted()
      await idle_hands.hands.approve(key)
      world.deps.clock.advance(3 * HOUR)
      await stage.work()
      assert.equal(executions(key), 0)
      assert.deepEqual(await movesOf(stage, key), [
        'PROCESSING',
        'NEEDS_RECONCILIATION: the server could not send the payout in time',
      ])
      await hands.resolve(key, 'FAILED')
      assert.equal(await statusOf(stage, key), 'FAILED')
    },
    { env: { PAYOUT_DEADLINE_H: '2' } },
  ))

test('no process sends a payout after its deadline when the approving process died before the request', () =>
  withPayoutWorld(
    async (stage) => {
      const { script, executions, submitted, another } = stage
      script.status = () => payoutAnswers.not_found
      const dying = await another({ point: dieAt('payout.before_send') })
      const key = await submitted()
      await dying.hands.approve(key)
      await idle(dying)
      stage.world.deps.clock.advance(3 * HOUR)
      await stage.work()
      assert.equal(executions(key), 0)
      assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
    },
    { env: { PAYOUT_DEADLINE_H: '2' } },
  ))
