// Tests held payments after an operator's decision: later answers of the provider, and simultaneous decisions.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf } from '../../../test/harness.ts'
import {
  answerWithAmount,
  DECISIONS,
  type Decision,
  EXCESS_MINOR,
  type HeldPaymentWorld,
  openHeldPaymentWorld,
  REASON,
  REQUESTED_MINOR,
} from '../../../test/held-payments.ts'
import type { Answer } from '../../adapters/providers/port.ts'

let stage: HeldPaymentWorld
let world: HeldPaymentWorld['world']
/** Another process of the same installation. */
let other: HeldPaymentWorld['other']
let operator: HeldPaymentWorld['operator']
let review: HeldPaymentWorld['review']
before(async () => {
  stage = await openHeldPaymentWorld()
  ;({ world, other, operator, review } = stage)
})
after(() => stage.close())

const DECLINED: Answer = { kind: 'declined', reason: 'user_cancelled', provider_status: 'FAILED' }

describe('later answers of the provider', () => {
  test('a later reversal of an approved payment debits the money, and the balance may become negative', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    await review.clear(id, 'approve')
    const debit = { environment: 'live', direction: 'debit', against: 'provider_float', amount: '400', reason: 'Spent' }
    assert.equal((await operator.adjust(shop, debit)).status, 201)
    await review.say(shop, id, answerWithAmount('reversed', REQUESTED_MINOR))
    assert.equal((await review.shown(shop, id)).status, 'reversed')
    assert.deepEqual(await operator.book(shop), { available: -40_000n, provider_float: 40_000n })
    assert.deepEqual((await review.historyOf(id)).map(({ to_status, event }) => [to_status, event]).slice(-2), [
      ['successful', 'collection.success'],
      ['reversed', 'collection.reversed'],
    ])
  })

  test('a later answer that repeats an approved payment changes nothing', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    await review.clear(id, 'approve')
    await world.work()
    const length = (await review.historyOf(id)).length
    for (const answer of [answerWithAmount('held', REQUESTED_MINOR), answerWithAmount('succeeded', REQUESTED_MINOR)])
      await review.say(shop, id, answer)
    const url = `/v1/collections/${id}/refresh-status`
    assert.equal((await world.call({ method: 'POST', url, key: shop.live })).body.data.status, 'successful')
    assert.equal((await review.historyOf(id)).length, length)
    assert.deepEqual(await operator.book(shop), { available: REQUESTED_MINOR, provider_float: -REQUESTED_MINOR })
  })

  test('each different answer that contradicts an approved payment adds one row to the history, and moves no money', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    await review.clear(id, 'approve')
    for (const answer of [DECLINED, answerWithAmount('succeeded', 5n), DECLINED]) await review.say(shop, id, answer)
    assert.deepEqual(
      (await review.historyOf(id))
        .slice(2)
        .map(({ from_status, to_status, reason }) => [from_status, to_status, reason]),
      [
        ['successful', 'successful', 'declined user_cancelled'],
        ['successful', 'successful', 'succeeded 0.05 TZS'],
      ],
    )
    assert.deepEqual(await operator.book(shop), { available: REQUESTED_MINOR, provider_float: -REQUESTED_MINOR })
  })

  test('each different answer about a declined payment adds at most one row to the history, and never credits, holds or reverses money', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop, '011')
    await review.clear(id, 'decline')
    await world.work()
    const words = [
      answerWithAmount('succeeded', REQUESTED_MINOR),
      answerWithAmount('held', REQUESTED_MINOR),
      answerWithAmount('reversed', EXCESS_MINOR),
      DECLINED,
    ]
    for (const answer of [...words, ...words, answerWithAmount('succeeded', EXCESS_MINOR)])
      await review.say(shop, id, answer)
    assert.deepEqual(
      (await review.historyOf(id)).map(({ to_status, reason }) => [to_status, reason]),
      [
        ['pending_clearance', 'succeeded 1100.00 TZS'],
        ['failed', REASON],
        ['failed', 'succeeded 1000.00 TZS'],
        ['failed', 'held 1000.00 TZS'],
        ['failed', 'reversed 1100.00 TZS'],
      ],
    )
    assert.deepEqual(await operator.book(shop), {})
    const url = `/v1/collections/${id}/refresh-status`
    assert.equal((await world.call({ method: 'POST', url, key: shop.live })).body.data.status, 'failed')
    assert.equal((await world.rows('select 1 from webhook_deliveries where source_id = $1', [id])).length, 2)
  })

  test('a reversal ends the review of a held payment, and the server refuses a later decision', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    await review.say(shop, id, answerWithAmount('reversed', REQUESTED_MINOR))
    assert.deepEqual(codeOf(await review.clear(id, 'approve')), [409, 'invalid_state'])
    assert.deepEqual(await operator.book(shop), {})
    const [row] = await world.rows<{ decided_at: Date | null }>(
      'select decided_at from held_collections where collection_id = $1',
      [id],
    )
    assert.deepEqual(row?.decided_at, world.deps.clock.now())
  })
})

describe('decisions at the same moment', () => {
  test('of simultaneous decisions about a held payment on two processes, one decision succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const shop = await review.shop()
      const id = await review.hold(shop, round % 2 === 0 ? '011' : '014')
      const answers = await Promise.all([
        review.clear(id, 'approve'),
        review.clear(id, 'decline', { world: other }),
        review.clear(id, 'approve', { world: other, idempotency_key: randomUUID() }),
        review.clear(id, 'decline', { idempotency_key: randomUUID() }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
      const { status, amount_received } = answers.find((answer) => answer.status === 200)?.body.data ?? {}
      const received = BigInt(amount_received * 100)
      const paid = { available: received, provider_float: -received }
      assert.deepEqual(await operator.book(shop), status === 'successful' ? paid : {})
      assert.equal((await review.historyOf(id)).length, 2)
      const entries = await world.rows('select 1 from audit_log where target_id = $1', [id])
      assert.equal(entries.length, 1)
    }
  })

  test('when an operator decides while the provider reverses the payment, the books stay correct', async () => {
    for (let round = 0; round < 10; round++) {
      const shop = await review.shop()
      const id = await review.hold(shop)
      const decision = DECISIONS[round % 2] as Decision
      const [decided] = await Promise.all([
        review.clear(id, decision, { world: round % 3 === 0 ? other : world }),
        review.say(shop, id, answerWithAmount('reversed', REQUESTED_MINOR)),
      ])
      assert.ok([200, 409].includes(decided.status), decided.text)
      assert.deepEqual(await operator.book(shop), {})
      const { status } = await review.shown(shop, id)
      assert.equal(status, decided.status === 200 && decision === 'decline' ? 'failed' : 'reversed')
    }
  })
})
