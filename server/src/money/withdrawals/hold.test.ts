// Tests that no process sends a payout that must wait, that the history has the reason, and that a process sends the payout
// later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestOperator, type TestOperator } from '../../../test/operator.ts'
import {
  A,
  dieAt,
  idle,
  type PayoutProcess,
  type PayoutWorld,
  statusOf,
  withPayoutWorld,
} from '../../../test/payout-processes.ts'
import { payoutAnswers, payoutOf, type WithdrawalKey } from '../../../test/payouts.ts'
import { HOLD_CHECK_MS } from './hold.ts'
import { PAYOUT_LEASE_MS } from './store.ts'

/** Suspends or reactivates the merchant of the world. */
async function decide({ world }: PayoutProcess, operator: TestOperator, verb: 'suspend' | 'reactivate'): Promise<void> {
  const url = `/v1/operator/merchants/${world.merchant.id}/${verb}`
  const done = await world.post(url, {}, { key: await operator.session(), idempotency_key: null })
  assert.equal(done.status, 200, done.text)
}

/** Approves a withdrawal in a process that sends no payouts, so that its payout waits for a worker. */
async function approvedUnsent(stage: PayoutWorld): Promise<WithdrawalKey> {
  const key = await stage.submitted()
  const api = await stage.another({ sends: false })
  await api.hands.approve(key)
  return key
}

/** Moves the clock and lets the worker do all due work. */
async function later(stage: PayoutWorld, ms: number): Promise<void> {
  stage.world.deps.clock.advance(ms)
  await stage.work()
}

const SUSPENDED = 'The payout waits: its merchant is suspended.'

/** Reads the notes of the server about a payout that waits. */
async function notesOf(operator: TestOperator, { id }: WithdrawalKey): Promise<string[]> {
  const { history } = await operator.show(id)
  return history
    .filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'system')
    .map(({ reason }: { reason: string }) => reason)
}

test('an approved payout of a suspended merchant waits, its history has the reason once, and the worker sends it after the reactivation', () =>
  withPayoutWorld(async (stage) => {
    const { world, script, executions } = stage
    const operator = await createTestOperator(world)
    const key = await approvedUnsent(stage)
    await decide(stage, operator, 'suspend')
    for (let check = 0; check < 3; check++) await later(stage, HOLD_CHECK_MS)
    assert.equal(executions(key), 0)
    const waiting = await operator.show(key.id)
    assert.deepEqual([waiting.status, waiting.payout.state], ['PROCESSING', 'to_send'])
    assert.deepEqual(waiting.payout.waits_for, { what: 'merchant_suspended', text: SUSPENDED, pause_id: null })
    assert.deepEqual(await notesOf(operator, key), [SUSPENDED])
    await decide(stage, operator, 'reactivate')
    script.status = () => payoutAnswers.paid(A)
    await later(stage, HOLD_CHECK_MS)
    assert.equal(executions(key), 1)
    await later(stage, 2_000)
    const sent = await operator.show(key.id)
    assert.deepEqual([sent.status, sent.payout.waits_for], ['SUCCESS', null])
    assert.deepEqual(await notesOf(operator, key), [SUSPENDED])
  }))

test('the worker queries and settles a payout during the suspension if a process sent the payout before', () =>
  withPayoutWorld(async (stage) => {
    const { world, script, executions, submitted } = stage
    const operator = await createTestOperator(world)
    const key = await submitted()
    await stage.hands.approve(key)
    await idle(stage)
    await decide(stage, operator, 'suspend')
    script.status = () => payoutAnswers.paid(A)
    await later(stage, 5_000)
    assert.deepEqual([executions(key), await statusOf(stage, key)], [1, 'SUCCESS'])
  }))

test('after a process died with the token of a payout, no process sends the payout while its merchant is suspended', () =>
  withPayoutWorld(
    async (stage) => {
      const { world, script, executions, questions, submitted } = stage
      const operator = await createTestOperator(world)
      const key = await submitted()
      script.status = () => payoutAnswers.not_found
      await stage.hands.approve(key)
      await idle(stage)
      assert.equal((await payoutOf(world, key))?.state, 'sending')
      await decide(stage, operator, 'suspend')
      for (let lease = 0; lease < 3; lease++) await later(stage, PAYOUT_LEASE_MS)
      assert.equal(executions(key), 0)
      assert.ok(questions(key) >= 2, 'the worker queries the provider')
      await decide(stage, operator, 'reactivate')
      await later(stage, PAYOUT_LEASE_MS)
      assert.equal(executions(key), 1)
      script.status = () => payoutAnswers.paid(A)
      await later(stage, 10_000)
      assert.equal(await statusOf(stage, key), 'SUCCESS')
    },
    { point: dieAt('payout.before_send') },
  ))

test('after a process died between the token and the history, the worker writes the reason at the next check', () => {
  let dies = true
  return withPayoutWorld(
    async (stage) => {
      const { world } = stage
      const operator = await createTestOperator(world)
      const key = await approvedUnsent(stage)
      await decide(stage, operator, 'suspend')
      await stage.work()
      assert.deepEqual(await notesOf(operator, key), [])
      assert.equal((await operator.show(key.id)).payout.waits_for.text, SUSPENDED)
      dies = false
      await later(stage, HOLD_CHECK_MS)
      assert.deepEqual(await notesOf(operator, key), [SUSPENDED])
    },
    {
      before: (name) => {
        if (name === 'payouts_mark_held' && dies) throw new Error('the process dies here')
      },
    },
  )
})
