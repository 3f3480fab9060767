// Tests how operators decide about held payments, and how the server refuses invalid decisions.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { codeOf } from '../../../test/harness.ts'
import {
  answerWithAmount,
  DECISIONS,
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
let receiver: HeldPaymentWorld['receiver']
before(async () => {
  stage = await openHeldPaymentWorld()
  ;({ world, other, operator, review, receiver } = stage)
})
after(() => stage.close())
beforeEach(() => {
  receiver.received.length = 0
})

const DECLINED: Answer = { kind: 'declined', reason: 'user_cancelled', provider_status: 'FAILED' }

describe('decisions about held payments', () => {
  for (const environment of ['live', 'sandbox'] as const) {
    test(`an approval in ${environment} credits the held amount and sends collection.success to the merchant`, async () => {
      const shop = await review.shop()
      const id = await review.hold(shop, '014', environment)
      assert.deepEqual(await operator.book(shop, environment), {
        held: REQUESTED_MINOR,
        provider_float: -REQUESTED_MINOR,
      })
      receiver.received.length = 0
      const { status, body } = await review.clear(id, 'approve')
      assert.deepEqual([status, body.data.status, body.data.amount_received], [200, 'successful', 1000])
      assert.equal(body.data.decided_at, world.deps.clock.now().toISOString())
      assert.deepEqual(await operator.book(shop, environment), {
        available: REQUESTED_MINOR,
        provider_float: -REQUESTED_MINOR,
      })
      await world.work()
      const record = await review.shown(shop, id, environment)
      assert.deepEqual([record.status, record.amount, record.failure_reason_code], ['successful', 1000, null])
      const [event] = receiver.received.map((request) => JSON.parse(request.body))
      assert.equal(receiver.received.length, 1)
      const at = world.deps.clock.now().toISOString()
      assert.deepEqual(event, {
        event: 'collection.success',
        merchant_code: shop.merchant.merchant_code,
        collection_id: id,
        reference: 'ORDER-1',
        merchant_reference: 'ORDER-1',
        metadata: {},
        amount: '1000.00',
        currency: 'TZS',
        status: 'successful',
        method: 'wallet_push',
        customer_phone: '255754123014',
        completed_at: at,
        timestamp: at,
        ...(environment === 'sandbox' ? { sandbox: true } : {}),
      })
    })

    test(`a decline in ${environment} removes the money from the books and sends collection.failed to the merchant`, async () => {
      const shop = await review.shop()
      const id = await review.hold(shop, '014', environment)
      receiver.received.length = 0
      const { status, body } = await review.clear(id, 'decline')
      assert.deepEqual([status, body.data.status, body.data.failure_reason_code], [200, 'failed', 'review_declined'])
      assert.deepEqual(await operator.book(shop, environment), {})
      await world.work()
      const record = await review.shown(shop, id, environment)
      assert.deepEqual([record.status, record.failure_reason_code], ['failed', 'review_declined'])
      assert.equal(
        record.failure_reason_message,
        'The platform held the payment for a review and declined the payment.',
      )
      const [event] = receiver.received.map((request) => JSON.parse(request.body))
      assert.deepEqual(
        [event.event, event.status, event.failure_reason_code, event.failed_at],
        ['collection.failed', 'failed', 'review_declined', world.deps.clock.now().toISOString()],
      )
    })
  }

  test('if the provider took another amount, an approval credits that amount, and the responses and the event show both amounts', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop, '011')
    assert.deepEqual(await operator.book(shop), { held: EXCESS_MINOR, provider_float: -EXCESS_MINOR })
    receiver.received.length = 0
    const { data } = (await review.clear(id, 'approve')).body
    assert.deepEqual([data.amount, data.amount_received, data.status], [1000, 1100, 'successful'])
    assert.deepEqual(await operator.book(shop), { available: EXCESS_MINOR, provider_float: -EXCESS_MINOR })
    const record = await review.shown(shop, id)
    assert.deepEqual([record.amount, record.amount_received], [1000, 1100])
    await world.work()
    const event = JSON.parse(receiver.received[0]?.body ?? '')
    assert.deepEqual([event.event, event.amount, event.amount_received], ['collection.success', '1000.00', '1100.00'])
  })

  test('if the provider took another amount, a decline removes that amount from the books', async () => {
    const shop = await review.shop()
    await review.clear(await review.hold(shop, '011'), 'decline')
    assert.deepEqual(await operator.book(shop), {})
  })

  test('an approval takes the fee that the server stored with the payment, and takes no fee above the received amount', async () => {
    const shop = await review.shop({ rules: [{ flow: 'collection', percentage: '2.00', flat_fee: '5.00' }] })
    const whole = await review.hold(shop, '011')
    await world.call({
      method: 'PUT',
      url: `/v1/operator/merchants/${shop.merchant.id}/pricing`,
      payload: { rules: [{ flow: 'collection', percentage: '90.00' }] },
      key: await operator.session(),
    })
    assert.equal((await review.clear(whole, 'approve')).body.data.fee, 25)
    assert.deepEqual(await operator.book(shop), {
      available: EXCESS_MINOR - 2_500n,
      fee_income: 2_500n,
      provider_float: -EXCESS_MINOR,
    })
    // The fee for 1000.00 is now 900.00, but the payer paid only 9.00.
    const tiny = await review.pay(shop, '007')
    await review.say(shop, tiny, answerWithAmount('succeeded', 900n))
    assert.equal((await review.clear(tiny, 'approve')).status, 200)
    assert.deepEqual(await operator.book(shop), {
      available: EXCESS_MINOR - 1_600n,
      fee_income: 2_500n,
      provider_float: -EXCESS_MINOR - 900n,
    })
    await review.say(shop, tiny, answerWithAmount('reversed', 900n))
    await review.say(shop, whole, answerWithAmount('reversed', EXCESS_MINOR))
    assert.deepEqual(await operator.book(shop), {}, 'a reversal returns the taken money, and no more')
  })

  test('an operator can approve a held payment of a suspended merchant', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    await world.rows("update merchants set status = 'SUSPENDED' where id = $1", [shop.merchant.id])
    assert.equal((await review.clear(id, 'approve')).body.data.status, 'successful')
    await world.rows("update merchants set status = 'ACTIVE' where id = $1", [shop.merchant.id])
  })

  test('the history shows the answers of the provider and the decision, and the audit log shows the operator and the reason', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop, '011')
    await review.say(shop, id, DECLINED)
    const { history } = (await review.clear(id, 'approve')).body.data
    assert.deepEqual(
      history.map((row: Record<string, string>) => [row.from_status, row.to_status, row.actor, row.reason, row.event]),
      [
        ['processing', 'pending_clearance', 'provider', 'succeeded 1100.00 TZS', 'collection.pending_review'],
        ['pending_clearance', 'pending_clearance', 'provider', 'declined user_cancelled', null],
        ['pending_clearance', 'successful', `operator ${operator.user_id}`, REASON, 'collection.success'],
      ],
    )
    const url = `/v1/operator/audit-log?merchant_id=${shop.merchant.id}`
    const [entry] = (await world.get(url, await operator.session())).body.data.items
    assert.deepEqual(
      [entry.action, entry.target_type, entry.target_id, entry.reason],
      ['collection.clear', 'collection', id, REASON],
    )
    assert.deepEqual(entry.actor, { kind: 'operator', id: operator.user_id, name: operator.email })
    assert.deepEqual(entry.before, { status: 'pending_clearance' })
    assert.deepEqual(entry.after, {
      status: 'successful',
      decision: 'approve',
      environment: 'live',
      amount: '1000.00',
      amount_received: '1100.00',
      fee: '0.00',
      currency: 'TZS',
    })
    assert.ok(!(await world.get(`/v1/collections/${id}`, shop.live)).text.includes(operator.user_id))
  })

  test('an operator can decide about a sandbox payment that the field simulate_status put under review', async () => {
    const shop = await review.shop()
    const body = { amount: '1000', phone: '0754123456', simulate_status: 'pending_clearance' }
    const made = await world.post('/v1/collections/wallet-push', body, { key: shop.sandbox })
    await world.work()
    assert.equal((await review.clear(made.body.data.collection_id, 'approve')).body.data.status, 'successful')
    assert.deepEqual(await operator.book(shop, 'sandbox'), {
      available: REQUESTED_MINOR,
      provider_float: -REQUESTED_MINOR,
    })
  })
})

describe('refused decisions about held payments', () => {
  for (const first of DECISIONS) {
    for (const second of DECISIONS) {
      test(`the server refuses the decision ${second} after the decision ${first}, and changes nothing`, async () => {
        const shop = await review.shop()
        const id = await review.hold(shop)
        const { status } = (await review.clear(id, first)).body.data
        await world.work()
        const refused = await review.untouched(() => review.clear(id, second))
        assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
        assert.deepEqual(refused.body.error.details, { status })
      })
    }
  }

  const ENDS: Record<string, string> = { processing: '007', successful: '001', failed: '002', reversed: '012' }
  for (const [status, ending] of Object.entries(ENDS)) {
    test(`the server refuses a decision about a payment with the status ${status}, and changes nothing`, async () => {
      const shop = await review.shop()
      const id = await review.pay(shop, ending)
      if (status === 'reversed') await world.pass(3_000)
      assert.equal((await review.shown(shop, id)).status, status)
      for (const decision of DECISIONS) {
        for (const idempotency_key of [undefined, randomUUID()]) {
          const options = idempotency_key === undefined ? {} : { idempotency_key }
          const refused = await review.untouched(() => review.clear(id, decision, options))
          assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
          assert.deepEqual(refused.body.error.details, { status })
        }
      }
    })
  }

  test('the server refuses a decision without a reason and an unknown decision, and names the field', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    for (const [field, body] of [
      ['reason', { decision: 'approve' }],
      ['reason', { decision: 'approve', reason: '' }],
      ['reason', { decision: 'decline', reason: ' \u200d ' }],
      ['reason', { decision: 'decline', reason: 'x'.repeat(501) }],
      ['reason', { decision: 'decline', reason: 'two\nlines' }],
      ['decision', { reason: REASON }],
      ['decision', { decision: 'clear', reason: REASON }],
    ] as const) {
      const refused = await review.untouched(() => review.clear(id, 'approve', { body }))
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], JSON.stringify(body))
      assert.equal(refused.body.error.details.fields[0].field, field)
    }
  })

  test('the server answers 404 for a decision about a payment that does not exist', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    for (const unknown of [randomUUID(), 'nothing', id.replace(/.{4}$/, '0000'), shop.merchant.id]) {
      assert.deepEqual(codeOf(await review.clear(unknown, 'approve')), [404, 'not_found'])
    }
    assert.equal((await review.clear(id.toUpperCase(), 'approve')).status, 200, 'the server accepts an id in capitals')
  })
})

describe('idempotency keys of decisions', () => {
  test('a repeated Idempotency-Key applies a decision once and returns the same response, and the server refuses the key for another decision', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop)
    const idempotency_key = randomUUID()
    const first = await review.clear(id, 'approve', { idempotency_key })
    assert.equal(first.status, 200)
    await world.work()
    const again = await review.untouched(() => review.clear(id, 'approve', { idempotency_key, world: other }))
    assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
    const changed = await review.untouched(() => review.clear(id, 'decline', { idempotency_key }))
    assert.deepEqual(codeOf(changed), [422, 'idempotency_key_reused'])
  })
})
