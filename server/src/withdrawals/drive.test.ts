// Who sends a payout, and when: once, whatever dies, hangs, lies or is asked twice. The provider's own list says so.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { createWorld, type World } from '../../test/harness.ts'
import {
  booksHold,
  fund,
  type Hands,
  handsOf,
  insertWithdrawal,
  type Key,
  newScript,
  payoutOf,
  recordOf,
  type Script,
  said,
  scriptedProvider,
  storyOf,
} from '../../test/payouts.ts'
import type { DbOptions } from '../db/index.ts'
import { CALL_MS_MAX, type PayoutAnswer, type Provider } from '../providers/port.ts'
import { payoutReference } from './approve.ts'
import { PAYOUT_LEASE_MS } from './store.ts'

const A = 100_000n
const HOUR = 3_600_000

/** One process: a world, its desk, and what its copy of the provider heard. */
type Process = { world: World; hands: Hands }
type Stage = Process & {
  script: Script
  /** How often the provider was asked to execute a payout. */
  executions(key: Key): number
  questions(key: Key): number
  /** A withdrawal that waits for approval, and is covered. */
  submitted(amount_minor?: bigint): Promise<Key>
  /** Another process on the same database, which talks to the same provider. */
  another(options?: { point?: (name: string) => void; sends?: boolean }): Promise<Process>
  /** Does what is due now. */
  work(process?: Process): Promise<void>
}

type Options = {
  env?: Record<string, string>
  point?: (name: string) => void
  before?: DbOptions['before']
  adapt?: (provider: Provider) => Provider
  /** False where the test breaks the books itself. */
  sound?: boolean
}

/** A world whose live provider follows a script that may take its time. */
async function stage(work: (stage: Stage) => Promise<void>, options: Options = {}): Promise<void> {
  const { env, point, before, adapt = (provider) => provider } = options
  const script = newScript()
  const provider = adapt(scriptedProvider(script))
  const compose = { providers: [provider] }
  const worlds: World[] = []
  const open = async (more: Parameters<typeof createWorld>[0], sends = true): Promise<Process> => {
    const world = await createWorld({ compose, ...(env ? { env } : {}), ...more })
    worlds.unshift(world)
    return { world, hands: handsOf(world, provider, { sends }) }
  }
  try {
    const first = await open({ ...(point ? { point } : {}), ...(before ? { before } : {}) })
    const count = (list: readonly string[], { id }: Key) => list.filter((name) => name === payoutReference(id)).length
    await work({
      ...first,
      script,
      executions: (key) => count(script.sent, key),
      questions: (key) => count(script.asked, key),
      async submitted(amount_minor = A) {
        await fund(first.world, amount_minor)
        return insertWithdrawal(first.world, { amount_minor })
      },
      another: ({ sends = true, ...more } = {}) => open({ url: first.world.url, ...more }, sends),
      async work({ world } = first) {
        await world.system.payouts.task.runOnce()
        await world.system.payouts.task.idle()
      },
    })
    if (options.sound !== false) await booksHold(first.world)
  } finally {
    // A test that failed leaves nobody waiting.
    for (const release of gates.splice(0)) release(said.unknown)
    for (const world of worlds) await world.close()
  }
}

const gates: ((answer: PayoutAnswer) => void)[] = []

/** Something that a provider answers when the test says so. */
function gate() {
  const { promise: answer, resolve: open } = Promise.withResolvers<PayoutAnswer>()
  gates.push(open)
  return { answer, open }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it never happened')
    await new Promise((done) => setTimeout(done, 2))
  }
}

/** Ends a process at a named place, once. */
function dieAt(point: string): (name: string) => void {
  let alive = true
  return (name) => {
    if (name !== point || !alive) return
    alive = false
    throw new Error('the process dies here')
  }
}

const idle = ({ world }: Process) => world.system.payouts.task.idle()
const statusOf = async ({ world }: Process, key: Key) => (await recordOf(world, key)).status
/** The provider calls back about a payout. */
const hint = ({ world }: Process, key: Key) => world.system.receive('mock', {}, Buffer.from(payoutReference(key.id)))
const movesOf = async ({ world }: Process, key: Key) => (await storyOf(world, key)).moves

describe('sent once', () => {
  test('an approval is sent at once, accepted, asked about, and paid', () =>
    stage(async (stage) => {
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
      script.status = () => said.paid(A)
      await world.pass(2_000)
      const { status, funds, available, reserved, facts } = await storyOf(world, key)
      assert.deepEqual(
        { status, funds, available, reserved, facts },
        { status: 'SUCCESS', funds: 'paid', available: 0n, reserved: 0n, facts: ['reserved 100000', 'paid 100000'] },
      )
      await world.pass((3 * HOUR) / 60)
      assert.equal(executions(key), 1)
    }))

  test('the request says what was approved, under the reference that was stored before', () =>
    stage(async (stage) => {
      const { world, hands, script, submitted } = stage
      const requests: unknown[] = []
      script.payout = (request) => {
        requests.push(request)
        return said.paid(A)
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

  test('of the button and the workers of two processes, at the same moment, one takes the token', () =>
    stage(async (stage) => {
      const { world, hands, executions, submitted, another } = stage
      const other = await another()
      for (let round = 0; round < 15; round++) {
        const key = await submitted()
        // The lease has ended in the eyes of the others while the button still holds its row.
        const sends = round % 3 === 0
        const desk = sends ? hands : handsOf(world, scriptedProvider(newScript()), { sends: false })
        await desk.approve(key)
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

  test('a process that only serves HTTP leaves it to a worker', () =>
    stage(async (stage) => {
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

  test('a hundred approvals at once are each sent once', () =>
    stage(async (stage) => {
      const { hands, script, submitted, world } = stage
      script.payout = ({ amount_minor }) => said.paid(amount_minor)
      const keys: Key[] = []
      for (let i = 0; i < 100; i++) keys.push(await submitted(1_000n + BigInt(i)))
      await Promise.all(keys.map((key) => hands.approve(key)))
      await idle(stage)
      assert.equal(script.sent.length, 100)
      assert.equal(new Set(script.sent).size, 100)
      const done = await world.rows("select 1 from withdrawals where status = 'SUCCESS'")
      assert.equal(done.length, 100)
    }))
})

describe('a process that dies', () => {
  test('with the token taken and nothing sent: another one asks, hears that there is no such payout, and sends it', () =>
    stage(
      async (stage) => {
        const { world, hands, script, executions, questions, submitted, another } = stage
        script.status = () => said.not_found
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        assert.equal((await payoutOf(world, key))?.state, 'sending')
        assert.equal(executions(key), 0)
        const other = await another()
        await stage.work(other)
        assert.equal(executions(key), 0, 'while the lease holds nobody touches it')
        other.world.deps.clock.advance(PAYOUT_LEASE_MS)
        await stage.work(other)
        assert.deepEqual([questions(key), executions(key)], [1, 1])
        assert.equal((await payoutOf(world, key))?.state, 'asked')
      },
      { point: dieAt('payout.before_send') },
    ))

  for (const [what, answer, status] of [
    ['paid', said.paid(A), 'SUCCESS'],
    ['taken, and still open', said.accepted, 'PROCESSING'],
    ['declined', said.declined, 'FAILED'],
  ] as const) {
    test(`after it was sent: another one asks, hears that it was ${what}, and never sends it`, () =>
      stage(
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

  test('after it was sent, and nobody can say what became of it: people decide, and it is never sent again', () =>
    stage(
      async (stage) => {
        const { hands, script, executions, questions, submitted, another } = stage
        script.status = () => said.unknown
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        const other = await another()
        other.world.deps.clock.advance(PAYOUT_LEASE_MS)
        await stage.work(other)
        assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
        for (const answer of [said.not_found, said.not_sent, said.blocked, said.accepted, said.unknown]) {
          script.status = () => answer
          const asked = questions(key)
          other.world.deps.clock.advance(24 * HOUR)
          await stage.work(other)
          assert.equal(questions(key), asked + 1, answer.kind)
        }
        assert.equal(executions(key), 1)
        assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
      },
      { point: dieAt('payout.after_send') },
    ))

  for (const point of ['payout.before_commit', 'payout.after_commit']) {
    test(`at ${point}: the answer counts once`, () =>
      stage(
        async (stage) => {
          const { world, hands, script, executions, submitted, another } = stage
          script.payout = () => said.paid(A)
          script.status = () => said.paid(A)
          const key = await submitted()
          await hands.approve(key)
          await idle(stage)
          assert.equal(await statusOf(stage, key), point === 'payout.after_commit' ? 'SUCCESS' : 'PROCESSING')
          const other = await another()
          other.world.deps.clock.advance(PAYOUT_LEASE_MS)
          await stage.work(other)
          const { status, facts } = await storyOf(world, key)
          assert.deepEqual({ status, facts }, { status: 'SUCCESS', facts: ['reserved 100000', 'paid 100000'] })
          assert.equal(executions(key), 1)
        },
        { point: dieAt(point) },
      ))
  }

  test('while the token is being taken, and its answer is lost: it is asked about, and sent once', () => {
    let fails = true
    return stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      script.status = () => said.not_found
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

describe('leases', () => {
  test('a send that takes long keeps its payout: nobody sends beside it, and nobody asks', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      const sending = gate()
      script.payout = () => sending.answer
      const key = await submitted()
      await hands.approve(key)
      await until(() => executions(key) === 1)
      world.deps.clock.advance(CALL_MS_MAX)
      await world.system.payouts.task.runOnce()
      sending.open(said.accepted)
      await idle(stage)
      assert.deepEqual([executions(key), questions(key)], [1, 0])
      assert.equal((await payoutOf(world, key))?.state, 'asked')
    }))

  test('whoever lost the lease while asking sends nothing, and gives nothing back', () =>
    stage(
      async (stage) => {
        const { world, hands, script, executions, questions, submitted } = stage
        const asking = gate()
        script.status = () => asking.answer
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(PAYOUT_LEASE_MS)
        await world.system.payouts.task.runOnce()
        await until(() => questions(key) === 1)
        const other = randomUUID()
        const until_then = new Date(Number(world.deps.clock.now()) + 14_000)
        await world.rows('update payouts set lease_owner = $1, due_at = $2', [other, until_then])
        world.deps.clock.advance(CALL_MS_MAX)
        asking.open(said.not_found)
        await idle(stage)
        assert.equal(executions(key), 0)
        const { lease_owner, due_at, state } = (await payoutOf(world, key)) ?? {}
        assert.deepEqual({ lease_owner, due_at, state }, { lease_owner: other, due_at: until_then, state: 'sending' })
      },
      { point: dieAt('payout.before_send') },
    ))

  test('a slow question is followed by a request under a lease that is whole again', () =>
    stage(
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
        await until(() => questions(key) === 1)
        world.deps.clock.advance(CALL_MS_MAX)
        asking.open(said.not_found)
        await until(() => executions(key) === 1)
        assert.equal(Number((await payoutOf(world, key))?.due_at) - Number(world.deps.clock.now()), PAYOUT_LEASE_MS)
        sending.open(said.accepted)
        await idle(stage)
      },
      { point: dieAt('payout.before_send') },
    ))
})

describe('what the provider answers', () => {
  test('not sent: it is sent later, again and again after growing pauses, with the same reference', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => said.not_sent
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
        if (i === 3) script.payout = () => said.accepted
        await stage.work()
      }
      assert.deepEqual(pauses, [2_000, 5_000, 10_000, 20_000])
      assert.equal(tokens.size, 4)
      assert.equal(await statusOf(stage, key), 'PROCESSING')
      assert.equal(new Set(script.sent).size, 1)
      assert.equal(questions(key), 0)
      assert.equal((await payoutOf(world, key))?.state, 'asked')
    }))

  test('never sent until the deadline: people decide whether that money should still leave, and it does not by itself', () =>
    stage(
      async (stage) => {
        const { world, hands, script, executions, submitted } = stage
        script.payout = () => said.not_sent
        const key = await submitted()
        await hands.approve(key)
        await idle(stage)
        world.deps.clock.advance(2 * HOUR)
        await stage.work()
        assert.deepEqual(await movesOf(stage, key), ['PROCESSING', 'NEEDS_RECONCILIATION: could not be sent in time'])
        script.payout = () => said.accepted
        script.status = () => said.not_found
        const before = executions(key)
        world.deps.clock.advance(24 * HOUR)
        await stage.work()
        assert.equal(executions(key), before)
        await hands.resolve(key, 'FAILED')
        const { status, available, reserved } = await storyOf(world, key)
        assert.deepEqual({ status, available, reserved }, { status: 'FAILED', available: A, reserved: 0n })
      },
      { env: { PAYOUT_DEADLINE_H: '2' } },
    ))

  test('ambiguous: NEEDS_RECONCILIATION, the money stays set aside, asked with growing pauses, ended by the provider’s word', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => said.unknown
      script.status = () => said.unknown
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const { status, reserved, moves } = await storyOf(world, key)
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
      script.status = () => said.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.deepEqual((await movesOf(stage, key)).slice(2), ['SUCCESS: succeeded 1000.00 TZS'])
      assert.equal(executions(key), 1)
    }))

  test('blocked: the money stays set aside, nothing is asked, and a retry sends the same reference', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => said.blocked
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const { status, reserved } = await storyOf(world, key)
      assert.deepEqual({ status, reserved }, { status: 'BLOCKED_IP_WHITELIST', reserved: A })
      world.deps.clock.advance(48 * HOUR)
      await stage.work()
      assert.deepEqual([executions(key), questions(key)], [1, 0])

      // Blocked again; then, days after the approval, it is taken: it has all its time before it.
      await hands.retry(key)
      await idle(stage)
      assert.equal(await statusOf(stage, key), 'BLOCKED_IP_WHITELIST')
      world.deps.clock.advance(48 * HOUR)
      script.payout = () => said.accepted
      await hands.retry(key)
      await idle(stage)
      assert.equal(await statusOf(stage, key), 'PROCESSING')
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.equal(await statusOf(stage, key), 'PROCESSING')
      script.status = () => said.paid(A)
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

  test('a retry whose process dies is sent by a worker', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted, another } = stage
      script.payout = () => said.blocked
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      script.payout = () => said.accepted
      const dying = await another({ point: dieAt('payout.before_send') })
      await dying.hands.retry(key)
      await idle(dying)
      script.status = () => said.not_found
      world.deps.clock.advance(PAYOUT_LEASE_MS)
      await stage.work()
      assert.equal(executions(key), 2)
      assert.equal(await statusOf(stage, key), 'PROCESSING')
    }))

  test('taken, and never ended: NEEDS_RECONCILIATION after the deadline, and still asked', () =>
    stage(
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
        script.status = () => said.declined
        world.deps.clock.advance(HOUR)
        await stage.work()
        const { status, available } = await storyOf(world, key)
        assert.deepEqual(
          { status, available, executions: executions(key) },
          { status: 'FAILED', available: A, executions: 1 },
        )
      },
      { env: { PAYOUT_DEADLINE_H: '3' } },
    ))

  test('taken, and then unknown to the provider: somebody is wrong, people look, and it is never sent again', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      script.status = () => said.not_found
      for (let day = 0; day < 3; day++) {
        world.deps.clock.advance(24 * HOUR)
        await stage.work()
      }
      assert.deepEqual(await movesOf(stage, key), ['PROCESSING', 'NEEDS_RECONCILIATION: not_found'])
      assert.equal(executions(key), 1)
    }))

  test('that it will change: it is asked when the provider said so, but not for ever', () =>
    stage(
      async (stage) => {
        const { world, hands, script, questions, submitted } = stage
        script.payout = () => ({ ...said.paid(A), ask_again_ms: 1_000 })
        script.status = () => ({ ...said.paid(A), ask_again_ms: 1_000 })
        const paid = await submitted()
        await hands.approve(paid)
        await idle(stage)
        assert.equal(await statusOf(stage, paid), 'SUCCESS')
        for (let second = 0; second < 5; second++) {
          world.deps.clock.advance(1_000)
          await stage.work()
        }
        assert.equal(questions(paid), 5)
        script.status = () => ({ ...said.reversed(A), ask_again_ms: 1_000 })
        world.deps.clock.advance(1_000)
        await stage.work()
        assert.equal(await statusOf(stage, paid), 'REVERSED')
        world.deps.clock.advance(2 * HOUR)
        await stage.work()
        const asked = questions(paid)
        world.deps.clock.advance(HOUR)
        await stage.work()
        assert.equal(questions(paid), asked)

        script.payout = () => ({ ...said.accepted, ask_again_ms: 300 })
        script.status = () => ({ ...said.accepted, ask_again_ms: 300 })
        const open = await submitted()
        await hands.approve(open)
        await idle(stage)
        world.deps.clock.advance(2 * HOUR)
        await stage.work()
        assert.equal(await statusOf(stage, open), 'NEEDS_RECONCILIATION')
        const { due_at } = (await payoutOf(world, open)) ?? {}
        assert.ok(Number(due_at) - Number(world.deps.clock.now()) >= 2_000, 'our own pauses')
      },
      { env: { PAYOUT_DEADLINE_H: '2' } },
    ))

  test('a reversal, long after: amount and fee come back, and the merchant is asked for nothing', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      script.payout = () => said.paid(A)
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      world.deps.clock.advance(30 * 24 * HOUR)
      script.status = () => said.reversed(A)
      for (let i = 0; i < 3; i++) assert.equal(await hint(stage, key), 'taken')
      const { status, funds, available, moves } = await storyOf(world, key)
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

describe('callbacks', () => {
  test('a hint settles what the provider then says, and only that', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const key = await submitted()
      await hands.approve(key)
      await idle(stage)
      const before = await payoutOf(world, key)
      for (const answer of [said.accepted, said.unknown, said.not_found, said.blocked, said.not_sent]) {
        script.status = () => answer
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'PROCESSING', answer.kind)
        assert.deepEqual((await payoutOf(world, key))?.due_at, before?.due_at)
      }
      script.status = () => said.paid(A)
      await Promise.all(Array.from({ length: 10 }, () => hint(stage, key)))
      const { status, facts } = await storyOf(world, key)
      assert.deepEqual({ status, facts }, { status: 'SUCCESS', facts: ['reserved 100000', 'paid 100000'] })
      assert.equal(executions(key), 1)
    }))

  test('one that overtakes the answer to the request settles it, and the answer that comes late changes nothing', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      for (const late of [said.accepted, said.unknown, said.blocked, said.not_sent, said.paid(A)]) {
        const sending = gate()
        script.payout = () => sending.answer
        script.status = () => said.paid(A)
        const key = await submitted()
        await hands.approve(key)
        await until(() => executions(key) === 1)
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'SUCCESS')
        sending.open(late)
        await idle(stage)
        const { status, facts, moves } = await storyOf(world, key)
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

  test('one that knows nothing yet leaves the request that is under way alone', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      const sending = gate()
      script.payout = () => sending.answer
      const key = await submitted()
      await hands.approve(key)
      await until(() => executions(key) === 1)
      const before = await payoutOf(world, key)
      for (const answer of [said.not_found, said.unknown, said.blocked]) {
        script.status = () => answer
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'PROCESSING')
        const { provider_status: _, ...now } = (await payoutOf(world, key)) ?? {}
        const { provider_status: __, ...was } = before ?? {}
        assert.deepEqual(now, was)
      }
      sending.open(said.blocked)
      await idle(stage)
      assert.equal(await statusOf(stage, key), 'BLOCKED_IP_WHITELIST')
      assert.equal((await payoutOf(world, key))?.state, 'blocked')
    }))
})

describe('an adapter that fails', () => {
  test('one that throws may have sent it: it is doubted, asked about, and never sent again', () =>
    stage(async (stage) => {
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
      script.status = () => said.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      assert.equal(await statusOf(stage, key), 'SUCCESS')
      assert.equal(executions(key), 1)
    }))

  test('one that never answers is given up, doubted, and holds up no other question', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, questions, submitted } = stage
      script.payout = () => new Promise(() => {})
      const keys = [await submitted(), await submitted()]
      for (const key of keys) await hands.approve(key)
      await until(() => keys.every((key) => executions(key) === 1))
      world.deps.clock.advance(CALL_MS_MAX + 1_000)
      await idle(stage)
      for (const key of keys) assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')

      // As many questions hang as may run at once, again and again: the next ones are asked all the same.
      script.status = () => new Promise(() => {})
      for (let round = 1; round <= 6; round++) {
        world.deps.clock.advance(HOUR)
        await world.system.payouts.task.runOnce()
        await until(() => keys.every((key) => questions(key) === round))
        world.deps.clock.advance(CALL_MS_MAX + 1_000)
        await idle(stage)
      }
      script.status = () => said.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      for (const key of keys) assert.deepEqual([await statusOf(stage, key), executions(key)], ['SUCCESS', 1])
    }))

  test('answers that are none: missing, of another shape, without an amount, of a kind nobody knows', () =>
    stage(async (stage) => {
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

  test('one that answers fewer questions than were asked has said nothing about the others', () =>
    stage(
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
      { adapt: (provider) => ({ ...provider, payoutStatus: async () => [said.paid(A)] }) },
    ))

  test('a provider that is no longer configured: what was not sent waits with its token, what was sent is asked when it is back', () =>
    stage(async (stage) => {
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
      script.payout = () => said.paid(A)
      script.status = () => said.paid(A)
      world.deps.clock.advance(HOUR)
      await stage.work()
      for (const key of [sent, unsent]) assert.deepEqual([await statusOf(stage, key), executions(key)], ['SUCCESS', 1])
    }))
})

describe('people', () => {
  test('whatever they resolve is final: a late word of the provider moves no money', () =>
    stage(async (stage) => {
      const { world, hands, script, executions, submitted } = stage
      script.payout = () => said.unknown
      script.status = () => said.unknown
      for (const [outcome, agreeing, denying] of [
        ['SUCCESS', said.paid(A), said.declined],
        ['FAILED', said.declined, said.paid(A)],
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
        const { facts } = await storyOf(world, key)
        script.status = () => denying
        await hint(stage, key)
        assert.equal(await statusOf(stage, key), 'NEEDS_ADMIN_ATTENTION')
        assert.deepEqual((await storyOf(world, key)).facts, facts)
        world.deps.clock.advance(24 * HOUR)
        await stage.work()
        assert.equal(executions(key), 1)
      }
    }))

  test('one poisoned payout refuses none of its neighbours', () =>
    stage(
      async (stage) => {
        const { world, hands, script, submitted } = stage
        const keys: Key[] = []
        for (let i = 0; i < 8; i++) keys.push(await submitted())
        for (const key of keys) await hands.approve(key)
        await idle(stage)
        const [poisoned, ...others] = keys as [Key, ...Key[]]
        // As if its money had moved before: the ledger lets no fact happen twice.
        await world.rows(
          `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'posting', 'withdrawal_paid'))).*
           from ledger_transfers t where source_id = $1`,
          [poisoned.id],
        )
        script.status = () => said.paid(A)
        world.deps.clock.advance(2_000)
        await stage.work()
        assert.equal(await statusOf(stage, poisoned), 'PROCESSING')
        for (const key of others) assert.equal(await statusOf(stage, key), 'SUCCESS')
        const complaints = world.deps.logged.filter((line) => line.includes('payout not finished'))
        assert.equal(complaints.length, 1)
      },
      { sound: false },
    ))
})
