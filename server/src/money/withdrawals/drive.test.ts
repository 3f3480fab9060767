// Tests that the processes send a payout once, even if processes die or work at the same time. The tests count the requests at
// the provider.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { A, dieAt, gate, HOUR, idle, statusOf, waitUntil, withPayoutWorld } from '../../../test/payout-processes.ts'
import {
  newPayoutScript,
  payoutAnswers,
  payoutCallsOf,
  payoutOf,
  recordOf,
  scriptedProvider,
  traceOf,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import { CALL_MS_MAX } from '../../adapters/providers/port.ts'
import { findPayouts, PAYOUT_LEASE_MS } from './store.ts'

describe('approved payouts', () => {
  test('the server sends an approved payout immediately, queries the provider and books the paid payout', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      assert.equal(executions(key), 1)
      const { state, lease_owner, sent_at, due_at } = (await payoutOf(world, key)) ?? {}
      assert.deepEqual(
        { state, lease_owner, sent_at },
        { state: 'asked', lease_owner: null, sent_at: world.deps.clock.now() },
      )
      assert.equal(Number(due_at) - Number(world.deps.clock.now()), 2_000)
      script.status = () => payoutAnswers.paid(A)
      await world.pass(2_000)
      const { status, funds, available, reserved, facts } = await traceOf(world, key)
      assert.deepEqual(
        { status, funds, available, reserved, facts },
        { status: 'SUCCESS', funds: 'paid', available: 0n, reserved: 0n, facts: ['reserved 100000', 'paid 100000'] },
      )
      await world.pass((3 * HOUR) / 60)
      assert.equal(executions(key), 1)
    }))

  test('the server sends a payout with the approved fields and the stored provider reference', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, submitted } = stage
      const requests: unknown[] = []
      script.payout = (request) => {
        requests.push(request)
        return payoutAnswers.paid(A)
      }
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      assert.deepEqual(requests, [
        {
          reference: (await recordOf(world, key)).provider_reference,
          environment: 'live',
          method: 'MOBILE_MONEY',
          destination_code: 'MPESA',
          destination_identifier: '255754123456',
          destination_name: 'Asha',
          bank_name: null,
          amount_minor: A,
          currency: 'TZS',
          sent_at: null,
        },
      ])
    }))

  test('one process sends a payout when the approving process and the workers of two processes take its token at the same time', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, executions, submitted, another } = stage
      const other = await another()
      for (let round = 0; round < 15; round++) {
        const key = await submitted()
        // For the other processes, the lease has ended while the approving process still works on the payout.
        const sends = round % 3 === 0
        const operator = sends ? hands : payoutCallsOf(world, scriptedProvider(newPayoutScript()), { sends: false })
        await operator.approve(key)
        if (sends) world.deps.clock.advance(PAYOUT_LEASE_MS)
        other.world.deps.clock.advance(Number(world.deps.clock.now()) - Number(other.world.deps.clock.now()))
        await Promise.all([
          world.system.payouts.task.runOnce(),
          other.world.system.payouts.task.runOnce(),
          world.system.payouts.task.runOnce(),
        ])
        await Promise.all([idle(stage), idle(other)])
        assert.equal(executions(key), 1)
      }
    }))

  test('a worker sends a payout when the approving process only serves HTTP', () =>
    withPayoutWorld(async (stage) => {
      const { world, executions, submitted, another } = stage
      const http = await another({ sends: false })
      const key = await submitted()
      await http.hands.approve(key)
      await idle(http)
      assert.equal(executions(key), 0)
      assert.equal((await payoutOf(world, key))?.lease_owner, null)
      await stage.work()
      assert.equal(executions(key), 1)
    }))

  test('the server sends each payout once when a hundred approvals arrive at the same time', () =>
    withPayoutWorld(async (stage) => {
      const { hands, script, submitted, world } = stage
      script.payout = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
      const keys: WithdrawalKey[] = []
      for (let i = 0; i < 100; i++) keys.push(await submitted(1_000n + BigInt(i)))
      await Promise.all(keys.map((key) => hands.approve(key)))
      await idle(stage)
      assert.equal(script.sent.length, 100)
      assert.equal(new Set(script.sent).size, 100)
      const done = await world.rows("select 1 from withdrawals where status = 'SUCCESS'")
      assert.equal(done.length, 100)
    }))
})

describe('processes that die', () => {
  test('a worker sends the payout of a process that died after it took the send token, after the provider answers not_found', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, executions, questions, submitted, another } = stage
        script.status = () => payoutAnswers.not_found
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        assert.equal((await payoutOf(world, key))?.state, 'sending')
        assert.equal(executions(key), 0)
        const other = await another()
        await stage.work(other)
        assert.equal(executions(key), 0, 'no process acts while the lease lasts')
        other.world.deps.clock.advance(PAYOUT_LEASE_MS)
        await stage.work(other)
        assert.deepEqual([questions(key), executions(key)], [1, 1])
        assert.equal((await payoutOf(world, key))?.state, 'asked')
      },
      { point: dieAt('payout.before_send') },
    ))

  for (const [outcome, answer, status] of [
    ['paid', payoutAnswers.paid(A), 'SUCCESS'],
    ['accepted', payoutAnswers.accepted, 'PROCESSING'],
    ['declined', payoutAnswers.declined, 'FAILED'],
  ] as const) {
    test(`a worker that gets the answer "${outcome}" to its query does not send again the payout of a process that died after sending`, () =>
      withPayoutWorld(
        async (stage) => {
          const { world, hands, script, executions, submitted, another } = stage
          script.status = () => answer
          const key = await submitted()
          await hands.approve(key)
          await idle(stage)
          const { state, sent_at } = (await payoutOf(world, key)) ?? {}
          assert.deepEqual(
            { state, sent_at, executions: executions(key) },
            { state: 'sending', sent_at: null, executions: 1 },
          )
          const other = await another()
          other.world.deps.clock.advance(PAYOUT_LEASE_MS)
          await stage.work(other)
          assert.equal(await statusOf(stage, key), status)
          for (let day = 0; day < 10; day++) {
            other.world.deps.clock.advance(24 * HOUR)
            await stage.work(other)
          }
          assert.equal(executions(key), 1)
        },
        { point: dieAt('payout.after_send') },
      ))
  }

  test('the payout of a process that died after sending needs reconciliation, and no process sends it again, when the provider reports no outcome', () =>
    withPayoutWorld(
      async (stage) => {
        const { hands, script, executions, questions, submitted, another } = stage
        script.status = () => payoutAnswers.unknown
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        const other = await another()
        other.world.deps.clock.advance(PAYOUT_LEASE_MS)
        await stage.work(other)
        assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
        for (const answer of [
          payoutAnswers.not_found,
          payoutAnswers.not_sent,
          payoutAnswers.blocked,
          payoutAnswers.accepted,
          payoutAnswers.unknown,
        ]) {
          script.status = () => answer
          const queries = questions(key)
          other.world.deps.clock.advance(24 * HOUR)
          await stage.work(other)
          assert.equal(questions(key), queries + 1, answer.kind)
        }
        assert.equal(executions(key), 1)
        assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
      },
      { point: dieAt('payout.after_send') },
    ))

  for (const point of ['payout.before_commit', 'payout.after_commit']) {
    test(`two processes settle an answer once when the first process dies at ${point}`, () =>
      withPayoutWorld(
        async (stage) => {
          const { world, hands, script, executions, submitted, another } = stage
          script.payout = () => payoutAnswers.paid(A)
          script.status = () => payoutAnswers.paid(A)
          const key = await submitted()
          await hands.approve(key)
          await idle(stage)
          assert.equal(await statusOf(stage, key), point === 'payout.after_commit' ? 'SUCCESS' : 'PROCESSING')
          const other = await another()
          other.world.deps.clock.advance(PAYOUT_LEASE_MS)
          await stage.work(other)
          const { status, facts } = await traceOf(world, key)
          assert.deepEqual({ status, facts }, { status: 'SUCCESS', facts: ['reserved 100000', 'paid 100000'] })
          assert.equal(executions(key), 1)
        },
        { point: dieAt(point) },
      ))
  }

  test('the processes send a payout once when the process that took its token gets no reply from the database', () => {
    let fails = true
    return withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      script.status = () => payoutAnswers.not_found
      const { query } = world.deps.db
      world.deps.db.query = async (statement, values) => {
        const rows = await query(statement, values)
        if (statement.name !== 'payouts_take_token' || !fails) return rows as never
        fails = false
        throw new Error('the connection is gone')
      }
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      assert.deepEqual([(await payoutOf(world, key))?.state, executions(key)], ['sending', 0])
      await world.pass(PAYOUT_LEASE_MS)
      assert.equal(executions(key), 1)
    })
  })
})

describe('leases of payouts', () => {
  test('a process sends nothing with an old token, even if the process holds the lease', () =>
    withPayoutWorld(async (stage) => {
      const { world, executions, submitted } = stage
      const key = await submitted()
      const operator = payoutCallsOf(world, scriptedProvider(newPayoutScript()), { sends: false })
      await operator.approve(key)
      const due_at = new Date(Number(world.deps.clock.now()) + PAYOUT_LEASE_MS)
      await world.rows('update payouts set lease_owner = $1, due_at = $2', [world.deps.process_id, due_at])
      const [payout] = await findPayouts(world.deps.db, [key])
      assert.ok(payout)
      world.system.payouts.dispatch([{ ...payout, send_token: randomUUID() }])
      await idle(stage)
      assert.equal(executions(key), 0)
      world.system.payouts.dispatch([payout])
      await idle(stage)
      assert.equal(executions(key), 1)
      world.system.payouts.dispatch([payout])
      await idle(stage)
      assert.equal(executions(key), 1)
    }))

  test('a worker that claims a payout after the lease ended waits for the settlement of an earlier answer', () => {
    const writing = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    return withPayoutWorld(
      async (stage) => {
        const { world, hands, script, executions, questions, submitted, another } = stage
        script.payout = () => ({ ...payoutAnswers.accepted, ask_again_ms: HOUR })
        const key = await submitted()
        const other = await another()
        await hands.approve(key)
        await writing.promise
        other.world.deps.clock.advance(PAYOUT_LEASE_MS)
        let done = false
        const claiming = other.world.system.payouts.task.runOnce().finally(() => {
          done = true
        })
        await waitUntil(async () => {
          const waiting = await world.rows(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
          return done || waiting.length > 0
        })
        released.resolve()
        await claiming
        await Promise.all([idle(stage), idle(other)])
        assert.deepEqual([executions(key), questions(key)], [1, 0])
        const { state, lease_owner } = (await payoutOf(world, key)) ?? {}
        assert.deepEqual({ state, lease_owner }, { state: 'asked', lease_owner: null })
      },
      {
        before: async (name) => {
          if (name !== 'payouts_write') return
          writing.resolve()
          await released.promise
        },
      },
    )
  })

  test('during a long request the worker neither sends the payout again nor queries the provider about the payout', () =>
    withPayoutWorld(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      const sending = gate()
      script.payout = () => sending.answer
      const key = await submitted()
      await hands.approve(key)
      await waitUntil(() => executions(key) === 1)
      world.deps.clock.advance(CALL_MS_MAX)
      await world.system.payouts.task.runOnce()
      sending.open(payoutAnswers.accepted)
      await idle(stage)
      assert.deepEqual([executions(key), questions(key)], [1, 0])
      assert.equal((await payoutOf(world, key))?.state, 'asked')
    }))

  test('a process that loses its lease during a query sends no payout and does not end the lease of the next process', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, executions, questions, submitted } = stage
        const asking = gate()
        script.status = () => asking.answer
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(PAYOUT_LEASE_MS)
        await world.system.payouts.task.runOnce()
        await waitUntil(() => questions(key) === 1)
        const other = randomUUID()
        const until_then = new Date(Number(world.deps.clock.now()) + 14_000)
        await world.rows('update payouts set lease_owner = $1, due_at = $2', [other, until_then])
        world.deps.clock.advance(CALL_MS_MAX)
        asking.open(payoutAnswers.not_found)
        await idle(stage)
        assert.equal(executions(key), 0)
        const { lease_owner, due_at, state } = (await payoutOf(world, key)) ?? {}
        assert.deepEqual({ lease_owner, due_at, state }, { lease_owner: other, due_at: until_then, state: 'sending' })
      },
      { point: dieAt('payout.before_send') },
    ))

  test('the process renews its lease after a slow query and before the request', () =>
    withPayoutWorld(
      async (stage) => {
        const { world, hands, script, executions, questions, submitted } = stage
        const asking = gate()
        script.status = () => asking.answer
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(PAYOUT_LEASE_MS)
        const sending = gate()
        script.payout = () => sending.answer
        await world.system.payouts.task.runOnce()
        await waitUntil(() => questions(key) === 1)
        world.deps.clock.advance(CALL_MS_MAX)
        asking.open(payoutAnswers.not_found)
        await waitUntil(() => executions(key) === 1)
        assert.equal(Number((await payoutOf(world, key))?.due_at) - Number(world.deps.clock.now()), PAYOUT_LEASE_MS)
        sending.open(payoutAnswers.accepted)
        await idle(stage)
      },
      { point: dieAt('payout.before_send') },
    ))
})
