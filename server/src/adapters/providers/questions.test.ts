// Tests that the platform sends one query per call or many queries in one call, as the provider requires.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'
import { settableClock } from '../../kernel/lib/index.ts'
import { createBreaker } from './breaker.ts'
import type { Answer, Provider } from './port.ts'
import { gatherQuestions } from './questions.ts'

const GOOD: Answer = { kind: 'accepted', provider_status: 'PENDING' }
const DOWN: Answer = { kind: 'unknown', why: 'unreachable', provider_status: null }

/** Makes a provider whose answers the test sends. `calls` has the calls with their queries. */
function setUp(asks_singly?: number) {
  const provider: Provider = {
    name: 'mock',
    capabilities: {
      methods: ['wallet_push'],
      whole_shillings: false,
      payout_methods: [],
      ...(asks_singly === undefined ? {} : { asks_singly }),
    },
    push: async () => GOOD,
    qr: async () => GOOD,
    status: async () => [],
    ...NO_PAYOUTS,
    verifyCallback: () => ({ verified: false }),
  }
  const clock = settableClock(new Date('2026-01-05T09:00:00Z'))
  const breaker = createBreaker(clock)
  const calls: { items: readonly number[]; answer(reply: Answer): void }[] = []
  const ask = gatherQuestions<number, Answer>({ breaker, clock }, provider, 'status', (items) => {
    const { promise, resolve } = Promise.withResolvers<Answer[]>()
    calls.push({ items, answer: (reply) => resolve(items.map(() => reply)) })
    return promise
  })
  const answers = new Map<number, Answer>()
  const ask_all = (items: number[]) => {
    for (const item of items) void ask(item).then((reply) => answers.set(item, reply))
  }
  const settle = async () => {
    for (let i = 0; i < 10; i++) await turn()
  }
  /** Answers all running calls and all later calls with the same answer. */
  const answerAll = async (reply: Answer) => {
    for (let i = 0; i < calls.length; i++) {
      calls[i]?.answer(reply)
      await settle()
    }
    calls.length = 0
  }
  return { clock, breaker, calls, answers, ask_all, settle, answerAll }
}
const to = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

test('the platform sends later queries immediately while a hanging query occupies only one of the concurrent calls', async () => {
  const { calls, answers, ask_all, settle } = setUp(2)
  ask_all([1])
  await settle()
  ask_all([2])
  await settle()
  assert.deepEqual(
    calls.map(({ items }) => items),
    [[1], [2]],
  )
  for (const next of [3, 4, 5]) {
    ask_all([next])
    calls.at(-1)?.answer(GOOD)
    await settle()
    assert.deepEqual(calls.at(-1)?.items, [next])
  }
  assert.deepEqual([...answers.keys()], [2, 3, 4])
})

test('the platform sends one query per call, up to the concurrency limit, when the provider takes single queries', async () => {
  const { calls, answers, ask_all, settle, answerAll } = setUp(3)
  ask_all(to(10))
  await settle()
  assert.deepEqual(
    calls.map(({ items }) => items),
    [[1], [2], [3]],
  )
  await answerAll(GOOD)
  assert.deepEqual(
    [...answers.keys()].sort((a, b) => a - b),
    to(10),
  )
})

test('the platform sends queries in batches when one call of the provider takes many queries', async () => {
  const { calls, ask_all, settle } = setUp()
  ask_all(to(10))
  await settle()
  assert.deepEqual(
    calls.map(({ items }) => items),
    [to(10)],
  )
})

for (const [singly, mode] of [
  [undefined, 'in batches'],
  [4, 'in single queries'],
] as const) {
  test(`the platform sends one query as a probe and postpones the other queries by a second, ${mode}`, async () => {
    const { clock, breaker, calls, answers, ask_all, settle, answerAll } = setUp(singly)
    for (let i = 0; i < 5; i++) {
      const pass = breaker.permit('mock', 'status')
      assert.ok(pass !== null)
      breaker.record(pass, { fault: true, duration_ms: 5_000 })
    }
    ask_all(to(4))
    await settle()
    assert.equal(calls.length, 0, 'an open circuit sends no query')
    assert.ok([...answers.values()].every(({ ask_again_ms }) => ask_again_ms === 2_000))
    clock.advance(2_000)
    answers.clear()
    ask_all(to(9))
    await settle()
    assert.deepEqual(
      calls.map(({ items }) => items),
      [[1]],
    )
    calls[0]?.answer(GOOD)
    await settle()
    assert.equal(answers.get(1), GOOD)
    assert.deepEqual([answers.size, calls.length], [9, 1])
    for (const [item, { ask_again_ms }] of answers) if (item !== 1) assert.equal(ask_again_ms, 1_000, `${item}`)
    calls.length = 0
    ask_all(to(3))
    await settle()
    await answerAll(GOOD)
    assert.deepEqual(
      [1, 2, 3].map((item) => answers.get(item)),
      [GOOD, GOOD, GOOD],
    )
  })

  test(`the breaker keeps the circuit open for twice the pause when a probe failed, ${mode}`, async () => {
    const { clock, breaker, calls, answers, ask_all, settle } = setUp(singly)
    for (let i = 0; i < 5; i++) {
      const pass = breaker.permit('mock', 'status')
      assert.ok(pass !== null)
      breaker.record(pass, { fault: true, duration_ms: 5_000 })
    }
    clock.advance(2_000)
    ask_all([1, 2])
    await settle()
    calls[0]?.answer(DOWN)
    await settle()
    ask_all([3])
    await settle()
    assert.equal(calls.length, 1)
    assert.equal(answers.get(3)?.ask_again_ms, 4_000)
  })
}
