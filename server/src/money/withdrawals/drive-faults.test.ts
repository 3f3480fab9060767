// Tests that the server loses no payout and sends no payout twice when an adapter fails, a provider is not configured or
// operators decide.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  A,
  dieAt,
  HOUR,
  hint,
  idle,
  movesOf,
  statusOf,
  waitUntil,
  withPayoutWorld,
} from '../../../test/payout-processes.ts'
import { payoutAnswers, payoutOf, traceOf, type WithdrawalKey } from '../../../test/payouts.ts'
import { CALL_MS_MAX, type PayoutAnswer, type Provider } from '../../adapters/providers/port.ts'
import { payoutReference } from './approve.ts'

/** Returns a scripted provider with a circuit breaker. */
function withCircuits(provider: Provider): Provider {
  const { circuit_breaker: _, ...capabilities } = provider.capabilities
  return { ...provider, capabilities }
}

describe('failures of an adapter', () => {
  test('the worker queries a payout when the adapter threw an error, and never sends the payout again', () =>
    withPayoutWorld(async (stage) => {
      const { hands, script, executions, submitted, world } = stage
      script.payout = () => {
        throw new Error('a bug')
      }
      script.status = () => {
        throw new Error('another bug')
      }
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      assert.deepEqual(await movesOf(stage, key), ['PROCESSING', 'NEEDS_RECONCILIATION: unknown unreadable'])
      world.deps.clock.advance(HOUR)
      await stage.work()
      script.status = () => payoutAnswers.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.equal(await statusOf(stage, key), 'SUCCESS')
      assert.equal(executions(key), 1)
    }))

  test('the server ends an adapter call that gets no answer after the timeout, and makes the later queries', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => new Promise(() => {})
      const keys = [await submitted(), await submitted()]
      for (const key of keys) await hands.approve(key)
      await waitUntil(() => keys.every((key) => executions(key) === 1))
      world.deps.clock.advance(CALL_MS_MAX + 1_000)
      await idle(stage)
      for (const key of keys) assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')

      // In each round no query gets an answer. The server makes the queries of the next round nevertheless.
      script.status = () => new Promise(() => {})
      for (let round = 1; round <= 6; round++) {
        world.deps.clock.advance(HOUR)
        await world.system.payouts.task.runOnce()
        await waitUntil(() => keys.every((key) => questions(key) === round))
        world.deps.clock.advance(CALL_MS_MAX + 1_000)
        await idle(stage)
      }
      script.status = () => payoutAnswers.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      for (const key of keys) assert.deepEqual([await statusOf(stage, key), executions(key)], ['SUCCESS', 1])
    }))

  test('a withdrawal needs reconciliation when the adapter returns no answer, a wrong shape, no amount or an unknown kind', () =>
    withPayoutWorld(async (stage) => {
      const { hands, script, executions, submitted, world } = stage
      const nonsense = [
        undefined,
        null,
        'succeeded',
        7,
        [],
        {},
        { kind: 'paid' },
        { kind: 'succeeded' },
        { kind: 'succeeded', amount_minor: 1000, currency: 'TZS' },
        { kind: 'succeeded', amount_minor: -A, currency: 'TZS' },
        { kind: 'reversed', amount_minor: 0n, currency: 'TZS' },
        { kind: '__proto__' },
      ]
      for (const answer of nonsense) {
        script.payout = () => answer as unknown as PayoutAnswer
        script.status = () => answer as unknown as PayoutAnswer
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION', JSON.stringify(typeof answer))
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.deepEqual([await statusOf(stage, key), executions(key)], ['NEEDS_RECONCILIATION', 1])
      }
    }))

  test('the other withdrawals stay PROCESSING when an adapter answers only some of the queries', () =>
    withPayoutWorld(
      async (stage) => {
        const { hands, submitted, world, executions } = stage
        const keys = [await submitted(), await submitted(), await submitted()]
        for (const key of keys) await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(2_000)
        await stage.work()
        const statuses = await Promise.all(keys.map((key) => statusOf(stage, key)))
        assert.deepEqual(statuses.toSorted(), ['PROCESSING', 'PROCESSING', 'SUCCESS'])
        for (const key of keys) assert.equal(executions(key), 1)
      },
      { adapt: (provider) => ({ ...provider, payoutStatus: async () => [payoutAnswers.paid(A)] }) },
    ))

  test('the server settles a paid payout when the adapter answers all queries about other payouts with ambiguous', () =>
    withPayoutWorld(
      async (stage) => {
        const { hands, script, submitted, world } = stage
        const ambiguous = { kind: 'unknown', why: 'ambiguous', provider_status: 'AMBIGUOUS' } as const
        script.payout = () => ambiguous
        script.status = () => ambiguous
        const keys = await Promise.all(Array.from({ length: 6 }, () => submitted()))
        for (const key of keys) await hands.approve(key)
        await idle(stage)
        for (let i = 0; i < 4; i++) {
          world.deps.clock.advance(HOUR)
          await stage.work()
        }
        const [first] = keys as [WithdrawalKey]
        script.status = ({ reference }) => (reference === payoutReference(first.id) ? payoutAnswers.paid(A) : ambiguous)
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.equal(await statusOf(stage, first), 'SUCCESS')
      },
      { adapt: withCircuits },
    ))

  test('the worker sends the payout of a dead process only after the circuit closes', () =>
    withPayoutWorld(
      async (stage) => {
        const { hands, script, submitted, world, executions, questions } = stage
        const unsent = await submitted()
        await hands.approve(unsent)
        await idle(stage)
        const others = await Promise.all(Array.from({ length: 5 }, () => submitted()))
        for (const key of others) await hands.approve(key)
        await idle(stage)
        // Five failed queries in a row open the circuit.
        script.status = () => ({ kind: 'unknown', why: 'unreachable', provider_status: null })
        for (const key of others) await hint(stage, key)
        await world.rows("update payouts set due_at = $1 where state = 'sending'", [world.deps.clock.now()])
        await stage.work()
        assert.deepEqual([questions(unsent), executions(unsent)], [0, 0], 'the server made no query')
        assert.deepEqual(await movesOf(stage, unsent), ['PROCESSING'])
        assert.equal((await payoutOf(world, unsent))?.state, 'sending')

        script.status = ({ reference }) =>
          script.sent.includes(reference) ? payoutAnswers.accepted : payoutAnswers.not_found
        for (let i = 0; i < 3; i++) {
          world.deps.clock.advance(10_000)
          await stage.work()
        }
        assert.equal(executions(unsent), 1)
        assert.deepEqual(await movesOf(stage, unsent), ['PROCESSING'])
      },
      { point: dieAt('payout.before_send'), adapt: withCircuits },
    ))

  test('the worker sends the payout of a dead process only after a connection is free', () =>
    withPayoutWorld(
      async (stage) => {
        const { hands, script, submitted, world, executions, questions } = stage
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        script.status = () => ({ kind: 'not_sent', busy: true, provider_status: null })
        for (let round = 1; round <= 3; round++) {
          world.deps.clock.advance(60_000)
          await stage.work()
          assert.deepEqual([questions(key), executions(key)], [round, 0])
        }
        assert.equal((await payoutOf(world, key))?.state, 'sending')
        script.status = () => payoutAnswers.not_found
        world.deps.clock.advance(60_000)
        await stage.work()
        assert.equal(executions(key), 1)
        assert.deepEqual(await movesOf(stage, key), ['PROCESSING'])
      },
      { point: dieAt('payout.before_send') },
    ))

  test('payouts wait while no process has their provider, and a worker then sends the unsent payout and queries the sent payout', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted, another } = stage
      const [sent, unsent] = [await submitted(), await submitted()]
      await hands.approve(sent)
      await idle(stage)
      const http = await another({ sends: false })
      await http.hands.approve(unsent)
      await world.rows("update payouts set provider = 'gone'")
      for (let i = 0; i < 3; i++) {
        world.deps.clock.advance(60_000)
        await stage.work()
      }
      assert.deepEqual([executions(sent), executions(unsent)], [1, 0])
      for (const key of [sent, unsent]) assert.equal(await statusOf(stage, key), 'PROCESSING')
      await world.rows("update payouts set provider = 'mock'")
      script.payout = () => payoutAnswers.paid(A)
      script.status = () => payoutAnswers.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      for (const key of [sent, unsent]) assert.deepEqual([await statusOf(stage, key), executions(key)], ['SUCCESS', 1])
    }))
})

describe('decisions of an operator', () => {
  test('a later answer of the provider moves no money after an operator decided about the payout', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      script.payout = () => payoutAnswers.unknown
      script.status = () => payoutAnswers.unknown
      for (const [outcome, agreeing, denying] of [
        ['SUCCESS', payoutAnswers.paid(A), payoutAnswers.declined],
        ['FAILED', payoutAnswers.declined, payoutAnswers.paid(A)],
      ] as const) {
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        await hands.resolve(key, outcome, 'BANK-4711')
        const payout = await payoutOf(world, key)
        assert.deepEqual([payout?.state, payout?.due_at, payout?.provider_id], ['final', null, 'BANK-4711'])
        script.status = () => agreeing
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), outcome)
        const { facts } = await traceOf(world, key)
        script.status = () => denying
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'NEEDS_ADMIN_ATTENTION')
        assert.deepEqual((await traceOf(world, key)).facts, facts)
        world.deps.clock.advance(24 * HOUR)
        await stage.work()
        assert.equal(executions(key), 1)
      }
    }))

  test('a batch of answers settles every payout except the payout whose posting the ledger refuses', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, submitted } = stage
        const keys: WithdrawalKey[] = []
        for (let i = 0; i < 8; i++) keys.push(await submitted())
        for (const key of keys) await hands.approve(key)
        await idle(stage)
        const [poisoned, ...others] = keys as [WithdrawalKey, ...WithdrawalKey[]]
        // The ledger already has the posting of this payout, and refuses a second posting.
        await world.rows(
          `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'sequence', t.sequence + 1000, 'posting', 'withdrawal_paid'))).*
           from ledger_transfers t where source_id = $1`,
          [poisoned.id],
        )
        script.status = () => payoutAnswers.paid(A)
        world.deps.clock.advance(2_000)
        await stage.work()
        assert.equal(await statusOf(stage, poisoned), 'PROCESSING')
        for (const key of others) assert.equal(await statusOf(stage, key), 'SUCCESS')
        const complaints = world.deps.logged.filter((line) => line.includes('the step of a payout failed'))
        assert.equal(complaints.length, 1)
      },
      { sound: false },
    ))
})
