// Tests that the money comes back after a recall of an unsent payout. Of a recall and a sending process, exactly one takes
// effect.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, MONEY, RESERVED, type TestOperator, UNTOUCHED } from '../../../test/operator.ts'
import { A, dieAt, idle, statusOf, withPayoutWorld } from '../../../test/payout-processes.ts'
import { booksHold, newPayoutScript, payoutAnswers, payoutOf, scriptedProvider } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'
import { settlePayouts } from './settle.ts'
import { findPayouts } from './store.ts'

const script = newPayoutScript()
/** Two processes that send payouts, and a process that only serves HTTP. */
let world: World
let other: World
let front: World
let operator: TestOperator
let onStatement: (name: string) => void = () => {}
before(async () => {
  const compose = { providers: [scriptedProvider(script)] }
  world = await createWorld({ compose, before: (name) => onStatement(name) })
  const more = { compose, url: world.url, clock: world.deps.clock }
  other = await createWorld(more)
  front = await createWorld({ ...more, env: { PROCESS: 'api' } })
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  for (const process of [front, other, world]) await process.close()
})
beforeEach(() => {
  script.status = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
  script.sent.length = 0
})

/** Submits and approves a withdrawal in the process that sends nothing. */
async function approvedUnsent() {
  const shop = await operator.shop(MONEY)
  const id = await operator.submit(shop)
  assert.equal((await operator.act(id, 'approve', {}, { world: front })).status, 200)
  return { shop, id }
}

/** Moves the clock and lets both sending processes do all due work. */
async function later(ms: number): Promise<void> {
  for (const { system } of [world, other]) await system.payouts.task.idle()
  world.deps.clock.advance(ms)
  for (const { system } of [world, other]) {
    await system.payouts.task.runOnce()
    await system.payouts.task.idle()
  }
}

const auditOf = (id: string) =>
  world.rows<{ reason: string; before: object; status: string }>(
    `select reason, before, after ->> 'status' as status from audit_log
     where target_id = $1 and action = 'withdrawal.recall'`,
    [id],
  )

test('when an operator recalls an unsent payout, the money is available again, the server sends no request, and the merchant reads the reason', async () => {
  const { shop, id } = await approvedUnsent()
  const { email } = await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
  assert.deepEqual(await operator.book(shop), RESERVED)
  const reason = 'The recipient is on a list of frauds'
  const recalled = await operator.act(id, 'recall', { reason })
  assert.deepEqual([recalled.status, recalled.body.data?.status], [200, 'CANCELLED'], recalled.text)
  assert.deepEqual(await operator.book(shop), UNTOUCHED)
  const { payout, history } = await operator.show(id)
  assert.deepEqual([payout.state, payout.due_at], ['final', null])
  assert.deepEqual([history.at(-1).from_status, history.at(-1).to_status], ['PROCESSING', 'CANCELLED'])
  assert.deepEqual(await auditOf(id), [{ reason, before: { status: 'PROCESSING' }, status: 'CANCELLED' }])
  const seen = (await world.get(`/v1/disbursements/${id}`, shop.live)).body.data
  assert.deepEqual([seen.status, seen.status_reason, seen.history.at(-1).message], ['CANCELLED', reason, reason])
  const mails = await world.rows<{ recipient: string }>(
    "select recipient from outbox_messages where merchant_id = $1 and kind = 'withdrawal.recalled'",
    [shop.merchant.id],
  )
  assert.deepEqual(mails, [{ recipient: email }])
  await later(3_000)
  assert.deepEqual(script.sent, [])
  const again = await unchanged(world, () => operator.act(id, 'recall'))
  assert.deepEqual([codeOf(again), again.body.error.details], [[409, 'invalid_state'], { status: 'CANCELLED' }])
})

test('an operator cannot recall a payout that the server has sent, and the refusal changes nothing', async () => {
  script.status = () => payoutAnswers.accepted
  const shop = await operator.shop(MONEY)
  const id = await operator.submit(shop)
  await operator.act(id, 'approve')
  await world.system.payouts.task.idle()
  const refused = await unchanged(world, () => operator.act(id, 'recall'))
  assert.deepEqual([codeOf(refused), refused.body.error.details], [[409, 'invalid_state'], { status: 'PROCESSING' }])
  assert.match(
    refused.body.error.message,
    /The server has sent or may have sent the payout, so an operator cannot recall it\./,
  )
})

test('of a recall and two sending processes exactly one takes effect: one process sends the payout, or the money returns', async () => {
  const won = { recall: 0, send: 0 }
  for (let round = 0; round < 16; round++) {
    script.sent.length = 0
    const { shop, id } = await approvedUnsent()
    // Over the rounds, the recall comes before, during or after the claim and the token.
    const delay_ms = 4 * (round % 8)
    const [recall_ms, send_ms] = round < 8 ? [0, delay_ms] : [delay_ms, 0]
    const [recalled] = await Promise.all([
      sleep(recall_ms).then(() => operator.act(id, 'recall', undefined, { world: round % 2 === 0 ? front : other })),
      ...[world, other].map(({ system }) => sleep(send_ms).then(() => system.payouts.task.runOnce())),
    ])
    await later(3_000)
    const { status, provider_reference } = await operator.show(id)
    const winner = recalled.status === 200 ? 'recall' : 'send'
    won[winner]++
    if (winner === 'send') assert.deepEqual(codeOf(recalled), [409, 'invalid_state'], recalled.text)
    assert.equal(status, winner === 'recall' ? 'CANCELLED' : 'SUCCESS')
    assert.deepEqual(script.sent, winner === 'recall' ? [] : [provider_reference])
    assert.equal((await operator.book(shop)).available, winner === 'recall' ? UNTOUCHED.available : RESERVED.available)
  }
  assert.ok(won.recall > 0 && won.send > 0, JSON.stringify(won))
})

test('a process that dies before a statement of a recall changes nothing, and a repetition with the same key recalls', async () => {
  const names: string[] = []
  onStatement = (name) => void names.push(name)
  const first = await approvedUnsent()
  names.length = 0
  await operator.act(first.id, 'recall', undefined, { idempotency_key: randomUUID() })
  onStatement = () => {}
  const statements = [...new Set(names)].filter((name) => /^(?:idempotency|withdrawal|payout|ledger|audit)/.test(name))
  for (const name of ['withdrawals_lock', 'payouts_close', 'withdrawals_write', 'audit_append'])
    assert.ok(statements.includes(name), statements.join())
  const { shop, id } = await approvedUnsent()
  const idempotency_key = randomUUID()
  for (const dies_at of statements) {
    onStatement = (name) => {
      if (name === dies_at) throw new Error('the process dies here')
    }
    const dead = await unchanged(world, () => operator.act(id, 'recall', undefined, { idempotency_key }), dies_at)
    onStatement = () => {}
    assert.equal(dead.status, 500, dies_at)
    world.deps.clock.advance(30_000)
  }
  assert.deepEqual(await operator.book(shop), RESERVED)
  const done = await operator.act(id, 'recall', undefined, { idempotency_key })
  assert.deepEqual([done.status, done.body.data?.status], [200, 'CANCELLED'], done.text)
  assert.deepEqual(await operator.book(shop), UNTOUCHED)
})

describe('recalls after the death of a process', () => {
  test('an operator can recall a payout whose approving process died before the token, and no process sends that payout', () =>
    withPayoutWorld(
      async (stage) => {
        const { world: first, hands, executions, submitted } = stage
        const key = await submitted()
        await assert.rejects(hands.approve(key), /dies here/)
        await hands.recall(key)
        await first.pass(20_000)
        assert.deepEqual([await statusOf(stage, key), executions(key)], ['CANCELLED', 0])
      },
      { point: dieAt('approve.after_commit') },
    ))

  for (const point of ['payout.before_send', 'payout.after_send'] as const) {
    test(`an operator cannot recall a payout whose process died at ${point}, and the provider executes the payout once`, () =>
      withPayoutWorld(
        async (stage) => {
          const { world: first, hands, script: answers, executions, submitted } = stage
          const key = await submitted()
          answers.status = () => (executions(key) > 0 ? payoutAnswers.paid(A) : payoutAnswers.not_found)
          await hands.approve(key)
          await idle(stage)
          await assert.rejects(hands.recall(key), { code: 'invalid_state' })
          await first.pass(20_000)
          assert.deepEqual([await statusOf(stage, key), executions(key)], ['SUCCESS', 1])
        },
        { point: dieAt(point) },
      ))
  }

  test('a process that still has the token of a recalled payout in memory sends nothing', () =>
    withPayoutWorld(async (stage) => {
      const { world: first, executions, submitted } = stage
      const key = await submitted()
      const api = await stage.another({ sends: false })
      await api.hands.approve(key)
      const due_at = new Date(first.deps.clock.now().getTime() + 10_000)
      await first.rows('update payouts set lease_owner = $1, due_at = $2', [first.deps.process_id, due_at])
      const held = await findPayouts(first.deps.db, [key])
      await stage.hands.recall(key)
      first.system.payouts.dispatch(held)
      await idle(stage)
      assert.deepEqual([await statusOf(stage, key), executions(key)], ['CANCELLED', 0])
    }))

  test('if a provider reports the payment of a recalled payout, the withdrawal is NEEDS_ADMIN_ATTENTION until an operator decides', () =>
    withPayoutWorld(async (stage) => {
      const { world: first, submitted } = stage
      const key = await submitted()
      const api = await stage.another({ sends: false })
      await api.hands.approve(key)
      await stage.hands.recall(key)
      const outcome = { ...key, answer: payoutAnswers.paid(A), holds_lease: false }
      await settlePayouts(first.deps, [outcome], () => false)
      assert.equal(await statusOf(stage, key), 'NEEDS_ADMIN_ATTENTION')
      await stage.hands.resolve(key, 'SUCCESS')
      assert.equal(await statusOf(stage, key), 'SUCCESS')
      assert.equal((await payoutOf(first, key))?.state, 'final')
    }))
})
