// Tests the operators' list of held payments.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf } from '../../../test/harness.ts'
import {
  answerWithAmount,
  type HeldPaymentWorld,
  openHeldPaymentWorld,
  REQUESTED_MINOR,
} from '../../../test/held-payments.ts'

let stage: HeldPaymentWorld
let world: HeldPaymentWorld['world']
let operator: HeldPaymentWorld['operator']
let review: HeldPaymentWorld['review']
before(async () => {
  stage = await openHeldPaymentWorld()
  ;({ world, operator, review } = stage)
})
after(() => stage.close())

describe("the operators' list of held payments", () => {
  const list = async (query: string) => {
    const { status, body, text } = await world.get(`/v1/operator/collections?${query}`, await operator.session())
    assert.equal(status, 200, text)
    return body.data as { items: Record<string, string>[]; pagination: { total_items: number } }
  }
  const ids = async (query: string) => (await list(query)).items.map((item) => item.collection_id)

  test('the list of waiting payments shows all merchants, the longest waiting payment first', async () => {
    const [first, second] = [await review.shop(), await review.shop()]
    const late = await review.pay(first, '007')
    const expected: string[] = []
    for (const shop of [first, second, first]) {
      world.deps.clock.advance(1_000)
      expected.push(await review.hold(shop))
    }
    world.deps.clock.advance(1_000)
    await review.say(first, late, answerWithAmount('held', REQUESTED_MINOR))
    expected.push(late)
    const all = await ids('page_size=100')
    assert.deepEqual(all.slice(-4), expected)
    assert.deepEqual(await ids('status=pending_clearance&page_size=100'), all)
    assert.deepEqual(await ids(`merchant_id=${first.merchant.id}`), [expected[0], expected[2], late])
    assert.deepEqual(await ids(`merchant_id=${first.merchant.id}&page=2&page_size=2`), [late])
    assert.deepEqual(await ids(`merchant_id=${first.merchant.id}&environment=sandbox`), [])
    assert.equal((await list('page_size=1')).pagination.total_items, all.length)
    const pages: string[] = []
    for (let page = 1; pages.length < all.length; page++) {
      const found = await ids(`page=${page}&page_size=3`)
      assert.ok(found.length > 0)
      pages.push(...(found as string[]))
    }
    assert.deepEqual(pages, all)
  })

  test('the list of decided payments shows only payments that were under review, newest first', async () => {
    const shop = await review.shop()
    const other_shop = await review.shop()
    const ends: Record<string, string[]> = { successful: [], failed: [], reversed: [] }
    for (let i = 0; i < 9; i++) {
      world.deps.clock.advance(5)
      const of = i % 2 === 0 ? shop : other_shop
      const id = await review.hold(of)
      if (i % 3 === 2) await review.say(of, id, answerWithAmount('reversed', REQUESTED_MINOR))
      else await review.clear(id, i % 3 === 0 ? 'approve' : 'decline')
      ends[['successful', 'failed', 'reversed'][i % 3] as string]?.unshift(id)
    }
    await review.pay(shop, '001')
    await review.pay(shop, '002')
    for (const [status, expected] of Object.entries(ends)) {
      const found = await ids(`held=true&status=${status}&page_size=100`)
      assert.deepEqual(found.slice(0, expected.length), expected, status)
      assert.deepEqual((await ids(`held=true&status=${status}&page_size=2`)).length, 2)
      assert.deepEqual(await ids(`held=true&status=${status}&page=2&page_size=2`), found.slice(2, 4))
      const own = await list(`held=true&status=${status}&merchant_id=${shop.merchant.id}`)
      for (const item of own.items) {
        assert.deepEqual([item.merchant_id, item.status], [shop.merchant.id, status])
        assert.ok(expected.includes(item.collection_id as string) && item.decided_at)
      }
      assert.equal(own.pagination.total_items, own.items.length)
    }
  })

  test('the list of held payments shows the facts that an operator needs to contact the provider and the payer', async () => {
    const shop = await review.shop()
    const id = await review.hold(shop, '011')
    const { items } = await list(`merchant_id=${shop.merchant.id}`)
    const { held_at, history, provider_reference, created_at, updated_at, ...item } = items[0] as Record<
      string,
      unknown
    >
    assert.deepEqual(item, {
      merchant_id: shop.merchant.id,
      merchant_code: shop.merchant.merchant_code,
      merchant_name: shop.merchant.name,
      collection_id: id,
      reference: 'ORDER-1',
      merchant_reference: 'ORDER-1',
      metadata: {},
      status: 'pending_clearance',
      amount: 1000,
      amount_received: 1100,
      foreign_amount: null,
      foreign_currency: null,
      currency: 'TZS',
      method: 'wallet_push',
      environment: 'live',
      provider_payment_status: 'COMPLETED',
      payment_url: null,
      failure_reason_code: null,
      failure_reason_message: null,
      failure_reason_message_sw: null,
      fee: 0,
      net_amount: null,
      customer_name: null,
      customer_phone: '255754123011',
      description: null,
      provider: 'mock',
      decided_at: null,
    })
    assert.equal(held_at, updated_at)
    assert.ok(created_at && String(provider_reference).length === 28 && (history as object[]).length === 1)
  })

  test('the list of held payments refuses wrong values of filters, and pages beyond the limit', async () => {
    const key = await operator.session()
    for (const query of ['status=gone', 'held=x', 'environment=x', 'merchant_id=x', 'page=101&page_size=100'])
      assert.deepEqual(codeOf(await world.get(`/v1/operator/collections?${query}`, key)), [400, 'validation_failed'])
  })
})
