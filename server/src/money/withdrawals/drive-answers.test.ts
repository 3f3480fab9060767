// Tests that a provider's answers to requests and status queries change a payout as expected, and that a callback only causes a
// query.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  A,
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
import { payoutAnswers, payoutOf, traceOf, type WithdrawalKey } from '../../../test/payouts.ts'
import { BLOCK_CAUSES } from '../../adapters/providers/port.ts'
import { PAYOUT_LEASE_MS } from './store.ts'

describe('answers of the provider', () => {
  test('when the adapter reports not_sent, the worker sends the payout again after growing pauses, with the same reference', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => payoutAnswers.not_sent
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const tokens = new Set<string>()
      const pauses: number[] = []
      for (let i = 0; i < 4; i++) {
        const { state, send_token, due_at, sent_at } = (await payoutOf(world, key)) ?? {}
        assert.deepEqual(
          { state, sent_at, executions: executions(key) },
          { state: 'to_send', sent_at: null, executions: i + 1 },
        )
        tokens.add(send_token ?? '')
        pauses.push(Number(due_at) - Number(world.deps.clock.now()))
        world.deps.clock.advance(pauses.at(-1) ?? 0)
        if (i === 3) script.payout = () => payoutAnswers.accepted
        await stage.work()
      }
      assert.deepEqual(pauses, [2_000, 5_000, 10_000, 20_000])
      assert.equal(tokens.size, 4)
      assert.equal(await statusOf(stage, key), 'PROCESSING')
      assert.equal(new Set(script.sent).size, 1)
      assert.equal(questions(key), 0)
      assert.equal((await payoutOf(world, key))?.state, 'asked')
    }))

  test('when the adapter reports not_sent, the worker stops sending the payout at its deadline, and an operator decides', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, executions, submitted } = stage
        script.payout = () => payoutAnswers.not_sent
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(2 * HOUR)
        await stage.work()
        assert.deepEqual(await movesOf(stage, key), [
          'PROCESSING',
          'NEEDS_RECONCILIATION: the server could not send the payout in time',
        ])
        script.payout = () => payoutAnswers.accepted
        script.status = () => payoutAnswers.not_found
        const before = executions(key)
        world.deps.clock.advance(24 * HOUR)
        await stage.work()
        assert.equal(executions(key), before)
        await hands.resolve(key, 'FAILED')
        const { status, available, reserved } = await traceOf(world, key)
        assert.deepEqual({ status, available, reserved }, { status: 'FAILED', available: A, reserved: 0n })
      },
      { env: { PAYOUT_DEADLINE_H: '2' } },
    ))

  test('when the adapter reports unknown, the money stays reserved, and the worker queries after growing pauses until a final answer', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => payoutAnswers.unknown
      script.status = () => payoutAnswers.unknown
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const { status, reserved, moves } = await traceOf(world, key)
      assert.deepEqual(
        { status, reserved, moves },
        { status: 'NEEDS_RECONCILIATION', reserved: A, moves: ['PROCESSING', 'NEEDS_RECONCILIATION: unknown timeout'] },
      )
      const pauses: number[] = []
      for (let i = 0; i < 13; i++) {
        pauses.push((Number((await payoutOf(world, key))?.due_at) - Number(world.deps.clock.now())) / 1_000)
        world.deps.clock.advance((pauses.at(-1) ?? 0) * 1_000)
        await stage.work()
      }
      assert.deepEqual(pauses, [2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600, 3_600, 3_600])
      assert.deepEqual([executions(key), questions(key)], [1, 13])
      script.status = () => payoutAnswers.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.deepEqual((await movesOf(stage, key)).slice(2), ['SUCCESS: succeeded 1000.00 TZS'])
      assert.equal(executions(key), 1)
    }))

  test('when the provider blocks a payout, the money stays reserved, the worker sends no query, and a retry by an operator sends the same reference', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => payoutAnswers.blocked
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const { status, reserved } = await traceOf(world, key)
      assert.deepEqual({ status, reserved }, { status: 'BLOCKED_IP_WHITELIST', reserved: A })
      world.deps.clock.advance(48 * HOUR)
      await stage.work()
      assert.deepEqual([executions(key), questions(key)], [1, 0])

      // The provider blocks the first retry. Days after the approval, the provider accepts the second retry within a new
      // deadline.
      await hands.retry(key)
      await idle(stage)
      assert.equal(await statusOf(stage, key), 'BLOCKED_IP_WHITELIST')
      world.deps.clock.advance(48 * HOUR)
      script.payout = () => payoutAnswers.accepted
      await hands.retry(key)
      await idle(stage)
      assert.equal(await statusOf(stage, key), 'PROCESSING')
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.equal(await statusOf(stage, key), 'PROCESSING')
      script.status = () => payoutAnswers.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.equal(await statusOf(stage, key), 'SUCCESS')
      assert.equal(executions(key), 3)
      assert.equal(new Set(script.sent).size, 1)
      assert.deepEqual(await movesOf(stage, key), [
        'PROCESSING',
        'BLOCKED_IP_WHITELIST: blocked',
        'PROCESSING',
        'BLOCKED_IP_WHITELIST: blocked',
        'PROCESSING',
        'SUCCESS: succeeded 1000.00 TZS',
      ])
    }))

  test('the status reason of a blocked payout has the cause and the provider’s text until an operator retries the payout', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, submitted } = stage
      const statusReasonOf = async ({ id }: WithdrawalKey) => {
        return (await world.rows('select status_reason from withdrawals where id = $1', [id]))[0]?.status_reason
      }
      const next_step = 'The provider paid no money. An operator corrects the cause and retries the payout.'
      for (const [because, sentence, why] of [
        ['address', BLOCK_CAUSES.address, 'blocked address'],
        ['access', BLOCK_CAUSES.access, 'blocked access'],
        ['float', BLOCK_CAUSES.float, 'blocked float'],
        [undefined, "The provider refused the platform's address or access.", 'blocked'],
      ] as const) {
        script.payout = () => ({ ...payoutAnswers.blocked, ...(because && { because }) })
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        assert.equal(await statusReasonOf(key), `${sentence} ${next_step} ${payoutAnswers.blocked.provider_status}`)
        assert.equal((await movesOf(stage, key)).at(-1), `BLOCKED_IP_WHITELIST: ${why}`)
        script.payout = () => payoutAnswers.paid(A)
        await hands.retry(key)
        await idle(stage)
        assert.deepEqual([await statusOf(stage, key), await statusReasonOf(key)], ['SUCCESS', null])
      }
    }))

  test('a worker sends a retried payout when the process of the retry dies', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted, another } = stage
      script.payout = () => payoutAnswers.blocked
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      script.payout = () => payoutAnswers.accepted
      const dying = await another({ point: dieAt('payout.before_send') })
      await dying.hands.retry(key)
      await idle(dying)
      script.status = () => payoutAnswers.not_found
      world.deps.clock.advance(PAYOUT_LEASE_MS)
      await stage.work()
      assert.equal(executions(key), 2)
      assert.equal(await statusOf(stage, key), 'PROCESSING')
    }))

  test('a withdrawal needs reconciliation after the deadline when the provider accepted its payout, and the worker keeps querying', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, executions, submitted } = stage
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(3 * HOUR - 1)
        await stage.work()
        assert.equal(await statusOf(stage, key), 'PROCESSING')
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.deepEqual(await movesOf(stage, key), ['PROCESSING', 'NEEDS_RECONCILIATION: no final answer in time'])
        script.status = () => payoutAnswers.declined
        world.deps.clock.advance(HOUR)
        await stage.work()
        const { status, available } = await traceOf(world, key)
        assert.deepEqual(
          { status, available, executions: executions(key) },
          { status: 'FAILED', available: A, executions: 1 },
        )
      },
      { env: { PAYOUT_DEADLINE_H: '3' } },
    ))

  test('a status query that fails, that the provider refuses or that gets no answer does not change the state of the payout', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      for (const [i, answer] of [payoutAnswers.not_sent, payoutAnswers.blocked, payoutAnswers.unknown].entries()) {
        script.status = () => answer
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.deepEqual([questions(key), executions(key)], [i + 1, 1])
        assert.deepEqual(await movesOf(stage, key), ['PROCESSING'])
        assert.equal((await payoutOf(world, key))?.state, 'asked')
      }
    }))

  test('a withdrawal needs reconciliation when the provider no longer finds its accepted payout, and no process sends the payout again', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      script.status = () => payoutAnswers.not_found
      for (let day = 0; day < 3; day++) {
        world.deps.clock.advance(24 * HOUR)
        await stage.work()
      }
      assert.deepEqual(await movesOf(stage, key), ['PROCESSING', 'NEEDS_RECONCILIATION: not_found'])
      assert.equal(executions(key), 1)
    }))

  test('the worker queries at the time that ask_again_ms announces, and ignores ask_again_ms after the deadline', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, questions, submitted } = stage
        script.payout = () => ({ ...payoutAnswers.paid(A), ask_again_ms: 1_000 })
        script.status = () => ({ ...payoutAnswers.paid(A), ask_again_ms: 1_000 })
        const paid = await submitted()
        await hands.approve(paid)
        await idle(stage)
        assert.equal(await statusOf(stage, paid), 'SUCCESS')
        for (let second = 0; second < 5; second++) {
          world.deps.clock.advance(1_000)
          await stage.work()
        }
        assert.equal(questions(paid), 5)
        script.status = () => ({ ...payoutAnswers.reversed(A), ask_again_ms: 1_000 })
        world.deps.clock.advance(1_000)
        await stage.work()
        assert.equal(await statusOf(stage, paid), 'REVERSED')
        world.deps.clock.advance(2 * HOUR)
        await stage.work()
        const queries = questions(paid)
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.equal(questions(paid), queries)

        script.payout = () => ({ ...payoutAnswers.accepted, ask_again_ms: 300 })
        script.status = () => ({ ...payoutAnswers.accepted, ask_again_ms: 300 })
        const open = await submitted()
        await hands.approve(open)
        await idle(stage)
        world.deps.clock.advance(2 * HOUR)
        await stage.work()
        assert.equal(await statusOf(stage, open), 'NEEDS_RECONCILIATION')
        const { due_at } = (await payoutOf(world, open)) ?? {}
        assert.ok(Number(due_at) - Number(world.deps.clock.now()) >= 2_000, 'the server uses its own pauses')
      },
      { env: { PAYOUT_DEADLINE_H: '2' } },
    ))

  test('a late reversal returns the money to the merchant once, even if the callback repeats', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      script.payout = () => payoutAnswers.paid(A)
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      world.deps.clock.advance(30 * 24 * HOUR)
      script.status = () => payoutAnswers.reversed(A)
      for (let i = 0; i < 3; i++) assert.equal(await hint(stage, key), 'taken')
      const { status, funds, available, moves } = await traceOf(world, key)
      assert.deepEqual(
        { status, funds, available, moves },
        {
          status: 'REVERSED',
          funds: 'returned',
          available: A,
          moves: ['PROCESSING', 'SUCCESS: succeeded 1000.00 TZS', 'REVERSED: reversed 1000.00 TZS'],
        },
      )
      assert.equal(executions(key), 1)
    }))
})

describe('callbacks about a payout', () => {
  test('the server queries the provider after a callback, and settles only a final answer to that query, once', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const before = await payoutOf(world, key)
      for (const answer of [
        payoutAnswers.accepted,
        payoutAnswers.unknown,
        payoutAnswers.not_found,
        payoutAnswers.blocked,
        payoutAnswers.not_sent,
      ]) {
        script.status = () => answer
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'PROCESSING', answer.kind)
        assert.deepEqual((await payoutOf(world, key))?.due_at, before?.due_at)
      }
      script.status = () => payoutAnswers.paid(A)
      await Promise.all(Array.from({ length: 10 }, () => hint(stage, key)))
      const { status, facts } = await traceOf(world, key)
      assert.deepEqual({ status, facts }, { status: 'SUCCESS', facts: ['reserved 100000', 'paid 100000'] })
      assert.equal(executions(key), 1)
    }))

  test('a callback before the answer to the request settles the payout, and the late answer moves no money', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      for (const late of [
        payoutAnswers.accepted,
        payoutAnswers.unknown,
        payoutAnswers.blocked,
        payoutAnswers.not_sent,
        payoutAnswers.paid(A),
      ]) {
        const sending = gate()
        script.payout = () => sending.answer
        script.status = () => payoutAnswers.paid(A)
        const key = await submitted()
        await hands.approve(key)
        await waitUntil(() => executions(key) === 1)
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'SUCCESS')
        sending.open(late)
        await idle(stage)
        const { status, facts, moves } = await traceOf(world, key)
        assert.deepEqual(
          { status, facts, moves: moves.length, state: (await payoutOf(world, key))?.state },
          { status: 'SUCCESS', facts: ['reserved 100000', 'paid 100000'], moves: 2, state: 'final' },
          late.kind,
        )
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.equal(executions(key), 1)
      }
    }))

  test('a callback changes at most the provider status of a payout whose request is in progress when the query gets no final answer', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const sending = gate()
      script.payout = () => sending.answer
      const key = await submitted()
      await hands.approve(key)
      await waitUntil(() => executions(key) === 1)
      const before = await payoutOf(world, key)
      for (const answer of [payoutAnswers.not_found, payoutAnswers.unknown, payoutAnswers.blocked]) {
        script.status = () => answer
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'PROCESSING')
        const { provider_status: _, ...now } = (await payoutOf(world, key)) ?? {}
        const { provider_status: __, ...was } = before ?? {}
        assert.deepEqual(now, was)
      }
      sending.open(payoutAnswers.blocked)
      await idle(stage)
      assert.equal(await statusOf(stage, key), 'BLOCKED_IP_WHITELIST')
      assert.equal((await payoutOf(world, key))?.state, 'blocked')
    }))
})
