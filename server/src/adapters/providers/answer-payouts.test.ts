// Tests that the server can store every answer about a payout, whatever its texts, amounts and times. An answer with an
// impossible amount never settles a payout.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  booksHold,
  fund,
  insertWithdrawal,
  newPayoutScript,
  type PayoutCalls,
  payoutAnswers,
  payoutCallsOf,
  payoutOf,
  scriptedProvider,
  traceOf,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import { readPayoutAnswer } from './answer.ts'
import type { PayoutAnswer } from './port.ts'

const AMOUNT_MINOR = 100_000n
const paid = payoutAnswers.paid(AMOUNT_MINOR)
const UNREADABLE = { kind: 'unknown', why: 'unreadable', provider_status: null }

const STRANGE: [string, Partial<PayoutAnswer>][] = [
  ['NUL in the status', { provider_status: 'DO\0NE' }],
  ['NUL in the id', { provider_id: '\0' }],
  ['a lone surrogate', { provider_status: 'x\ud83d' }],
  ['a status of a megabyte', { provider_status: 'x\0'.repeat(500_000) }],
  ['a pause of 250,000 years', { ask_again_ms: 8e15 }],
  ['an infinite pause', { ask_again_ms: Number.POSITIVE_INFINITY }],
  ['a pause of a microsecond', { ask_again_ms: 0.001 }],
  ['a pause that is no number', { ask_again_ms: Number.NaN }],
]

/** Answers from which the server can book no amount. */
const UNBOOKABLE: [string, unknown][] = [
  ['no amount', { ...paid, amount_minor: undefined }],
  ['an amount that is a number', { ...paid, amount_minor: 100_000 }],
  ['an amount that is a text', { ...paid, amount_minor: '100000' }],
  ['an amount of zero', { ...paid, amount_minor: 0n }],
  ['a negative amount', { ...paid, amount_minor: -AMOUNT_MINOR }],
  ['an amount above the safe integers', { ...paid, amount_minor: 2n ** 53n + 1n }],
  ['no currency', { ...paid, currency: undefined }],
  ['a kind that does not exist', { ...paid, kind: 'executed' }],
  ['a text instead of fields', 'COMPLETED'],
  ['null instead of fields', null],
  ['undefined instead of fields', undefined],
]

describe('payouts of a provider with strange answers', () => {
  let world: World
  let hands: PayoutCalls
  const script = newPayoutScript()
  before(async () => {
    const provider = scriptedProvider(script)
    world = await createWorld({ compose: { providers: [provider] } })
    hands = payoutCallsOf(world, provider)
    await fund(world, 10_000_000n)
  })
  after(async () => {
    await booksHold(world)
    await world.close()
  })

  /** Creates an approved payout, gives these answers to the calls of the server, and runs all due work. */
  const send = async (answers: { payout: unknown; status: unknown }): Promise<WithdrawalKey> => {
    script.payout = () => answers.payout as PayoutAnswer
    script.status = () => answers.status as PayoutAnswer
    const key = await insertWithdrawal(world, { amount_minor: AMOUNT_MINOR })
    await hands.approve(key)
    await world.system.payouts.task.idle()
    return key
  }

  for (const [name, fields] of STRANGE) {
    test(`the server settles a payout after an hour and with few queries when the provider's answers have ${name}`, async () => {
      const key = await send({ payout: { ...payoutAnswers.accepted, ...fields }, status: { ...paid, ...fields } })
      const queries_before = script.asked.length
      world.deps.clock.advance(3_600_000)
      await world.pass(3_000)
      const { status, moves } = await traceOf(world, key)
      assert.equal(status, 'SUCCESS')
      assert.deepEqual(moves, ['PROCESSING', 'SUCCESS: succeeded 1000.00 TZS'])
      assert.ok(
        script.asked.length - queries_before <= 12,
        `${script.asked.length - queries_before} queries in three seconds`,
      )
      script.status = () => paid
      world.deps.clock.advance(3_600_000)
      await world.work()
      assert.equal((await payoutOf(world, key))?.state, 'final')
    })
  }

  for (const [name, answer] of UNBOOKABLE) {
    test(`the server neither pays nor releases a payout after an answer with ${name} until a clear answer comes`, async () => {
      const key = await send({ payout: answer, status: answer })
      world.deps.clock.advance(60_000)
      await world.work()
      const doubtful = await traceOf(world, key)
      assert.deepEqual(doubtful.moves, ['PROCESSING', 'NEEDS_RECONCILIATION: unknown unreadable'])
      assert.deepEqual(doubtful.facts, ['reserved 100000'])
      script.status = () => paid
      world.deps.clock.advance(60_000)
      await world.work()
      const { status, facts } = await traceOf(world, key)
      assert.equal(status, 'SUCCESS')
      assert.deepEqual(facts.map((fact) => fact.split(' ')[0]).sort(), ['paid', 'reserved'])
      assert.equal(script.sent.filter((reference) => reference === script.sent.at(-1)).length, 1)
    })
  }
})

describe('readPayoutAnswer', () => {
  const read = (answer: unknown) => readPayoutAnswer(answer as PayoutAnswer)

  test('readPayoutAnswer returns a valid answer unchanged', () => {
    const plain: PayoutAnswer[] = [
      { kind: 'accepted', provider_status: 'PENDING', provider_id: 'P-1', ask_again_ms: 1_500 },
      { ...paid, provider_id: null },
      { ...payoutAnswers.reversed(AMOUNT_MINOR, true), provider_id: 'P-1 \u{1f4b0}' },
      { ...payoutAnswers.reversed(AMOUNT_MINOR, false), provider_id: null },
      { ...payoutAnswers.declined, provider_id: null },
      { ...payoutAnswers.blocked, provider_id: null },
      {
        ...payoutAnswers.blocked,
        because: 'float',
        provider_id: null,
        provider_message: '990 FAIL: the float is empty',
      },
      { ...payoutAnswers.not_sent, provider_id: null },
      { ...payoutAnswers.not_sent, provider_id: null, busy: true },
      { ...payoutAnswers.unknown, provider_id: null, why: 'busy' },
      { ...payoutAnswers.not_found, provider_id: null },
      { ...payoutAnswers.unknown, provider_id: null },
    ]
    for (const answer of plain) assert.deepEqual(read(answer), answer)
  })

  test('readPayoutAnswer shortens the message for operators, removes its secrets and replaces unstorable characters', () => {
    assert.equal(
      read({ ...payoutAnswers.blocked, provider_message: `a\0b${'\u{1f4b0}'.repeat(400)}` }).provider_message,
      `a\ufffdb${'\u{1f4b0}'.repeat(297)}`,
    )
    assert.equal(
      read({ ...payoutAnswers.blocked, provider_message: 'FAIL {"pin": "1234"}' }).provider_message?.includes('1234'),
      false,
    )
    for (const provider_message of [null, undefined, 5, {}])
      assert.ok(!('provider_message' in read({ ...payoutAnswers.blocked, provider_message })))
  })

  test('readPayoutAnswer returns an unknown outcome for an unreadable answer', () => {
    for (const [, answer] of UNBOOKABLE) assert.deepEqual(read(answer), UNREADABLE)
    for (const answer of [{}, [], 5, { kind: 'held', amount_minor: 1n, currency: 'TZS' }]) {
      assert.deepEqual(read(answer), UNREADABLE)
    }
  })

  test('readPayoutAnswer replaces an unlisted failure reason with unknown_provider_error', () => {
    for (const reason of ['toString', '__proto__', 'wrong_pin', undefined, 5]) {
      const answer = read({ ...payoutAnswers.declined, reason })
      assert.equal(answer.kind === 'declined' && answer.reason, 'unknown_provider_error')
    }
  })

  test('readPayoutAnswer removes an unlisted cause of a block', () => {
    for (const because of ['toString', '__proto__', 'weather', '', null, 5, {}]) {
      assert.deepEqual(read({ ...payoutAnswers.blocked, because }), { ...payoutAnswers.blocked, provider_id: null })
    }
  })

  test('readPayoutAnswer counts a charge as returned only when the answer has charge_returned: true', () => {
    for (const charge_returned of [undefined, null, 'true', 1, {}]) {
      const answer = read({ ...payoutAnswers.reversed(AMOUNT_MINOR), charge_returned })
      assert.equal(answer.kind === 'reversed' && answer.charge_returned, false)
    }
  })

  test('readPayoutAnswer cuts texts between characters and keeps pauses between a quarter of a second and an hour', () => {
    const { provider_status, provider_id, ask_again_ms } = read({
      ...paid,
      provider_status: '\u{1f4b0}'.repeat(70),
      provider_id: 'a\0b\ud800',
      ask_again_ms: 8e15,
    })
    assert.equal(provider_status, '\u{1f4b0}'.repeat(64))
    assert.equal(provider_id, 'a\ufffdb\ufffd')
    assert.equal(ask_again_ms, 3_600_000)
    const answer = read({ ...paid, currency: 'T\0S', ask_again_ms: 0.001 })
    assert.equal(answer.ask_again_ms, 250)
    assert.equal(answer.kind === 'succeeded' && answer.currency, 'T\ufffdS')
    for (const ms of [0, -5, Number.NaN, '5']) assert.equal(read({ ...paid, ask_again_ms: ms }).ask_again_ms, undefined)
  })
})
