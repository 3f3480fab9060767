// Tests the hosted page of one collection.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import type { Answer, Provider } from '../../adapters/providers/port.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' } })
})
after(() => world.close())

const PAGE = {
  amount: 25_000,
  reference: 'ORDER-1',
  description: 'Viatu',
  redirect_url: 'https://duka.example.co.tz/asante?a=1',
  cancel_url: 'https://duka.example.co.tz/rudi',
  webhook_url: 'https://ignored.example',
}

async function newPage(body: object = {}, key = world.sandbox_key) {
  const made = await world.post('/v1/collections', { ...PAGE, ...body }, { key })
  assert.equal(made.status, 202, made.text)
  const { collection_id, payment_url, ...rest } = made.body.data
  return { collection_id: collection_id as string, slug: String(payment_url).split('/pay/')[1] as string, rest }
}
const pay = (slug: string, phone: string, method = 'WALLET_PUSH') =>
  world.post(`/public/payment-links/${slug}/collect`, { method, customer_phone: phone }, { key: null })
const show = async (id: string) => (await world.get(`/v1/collections/${id}`)).body.data
const link = async (slug: string) =>
  (await world.call({ method: 'GET', url: `/public/payment-links/${slug}`, key: null })).body.data
const applyAnswer = (collection_id: string, number: number, answer: Answer) =>
  world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number, answer })
const SUCCESS: Answer = { kind: 'succeeded', amount_minor: 2_500_000n, currency: 'TZS', provider_status: 'COMPLETED' }

describe('a hosted page', () => {
  test('the collection of a new hosted page is created without a method, and a refresh does not change its status', async () => {
    const { collection_id, slug, rest } = await newPage()
    assert.deepEqual(rest, { reference: 'ORDER-1', status: 'created' })
    const shown = await show(collection_id)
    assert.deepEqual(
      [shown.status, shown.method, shown.provider_payment_status, shown.environment],
      ['created', null, null, 'sandbox'],
    )
    assert.ok(shown.payment_url.endsWith(`/pay/${slug}`))
    const refreshed = await world.call({ method: 'POST', url: `/v1/collections/${collection_id}/refresh-status` })
    assert.deepEqual([refreshed.status, refreshed.body.data.status], [200, 'created'])
  })

  test('the public view of a hosted page has neither the name nor the phone of its customer', async () => {
    const { slug } = await newPage({ customer_name: 'Rehema Said', customer_phone: '0754123001' })
    const view = await link(slug)
    assert.deepEqual([view.customer_name, view.customer_phone, view.status], [null, null, 'ACTIVE'])
  })

  test('a request with a repeated Idempotency-Key gets the hosted page of the first request, with the same answer', async () => {
    const key = randomUUID()
    const first = await world.post('/v1/collections', PAGE, { idempotency_key: key })
    const again = await world.post('/v1/collections', { ...PAGE, amount: '25000.00' }, { idempotency_key: key })
    assert.equal(again.text, first.text)
    const other = await world.post('/v1/collections', { ...PAGE, amount: 1 }, { idempotency_key: key })
    assert.deepEqual(codeOf(other), [422, 'idempotency_key_reused'])
    assert.deepEqual(codeOf(await world.post('/v1/collections', PAGE, { idempotency_key: null })), [
      400,
      'idempotency_key_required',
    ])
  })

  test('a payment on a hosted page pays its collection once and closes the page', async () => {
    const { collection_id, slug } = await newPage()
    const paid = await pay(slug, '0754123001')
    assert.equal(paid.body.data.collection_id, collection_id)
    const shown = await show(collection_id)
    assert.deepEqual([shown.status, shown.method], ['successful', 'wallet_push'])
    assert.equal((await link(slug)).status, 'PAID')
    assert.deepEqual(codeOf(await pay(slug, '0754123001')), [409, 'payment_link_not_active'])
  })

  test('a failed collection of a hosted page becomes processing again when the payer pays again', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123002')
    assert.deepEqual(
      [(await show(collection_id)).status, (await show(collection_id)).failure_reason_code],
      ['failed', 'wrong_pin'],
    )
    const again = await pay(slug, '0754123007', 'PROVIDER_PESA')
    assert.equal(again.body.data.collection_id, collection_id)
    const shown = await show(collection_id)
    assert.deepEqual([shown.status, shown.method, shown.failure_reason_code], ['processing', 'provider_pesa', null])
    await applyAnswer(collection_id, 2, SUCCESS)
    assert.equal((await show(collection_id)).status, 'successful')
    const history = await world.rows(
      'select from_status, to_status, actor from collection_history where collection_id = $1 order by seq',
      [collection_id],
    )
    assert.deepEqual(history, [
      { from_status: 'created', to_status: 'processing', actor: 'payer' },
      { from_status: 'processing', to_status: 'failed', actor: 'provider' },
      { from_status: 'failed', to_status: 'processing', actor: 'payer' },
      { from_status: 'processing', to_status: 'successful', actor: 'provider' },
    ])
  })

  test('a collection stays processing when an earlier attempt fails after the payer started a new attempt', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123002')
    await pay(slug, '0754123007')
    await applyAnswer(collection_id, 1, { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' })
    await applyAnswer(collection_id, 1, { kind: 'declined', reason: 'expired', provider_status: 'FAILED' })
    assert.equal((await show(collection_id)).status, 'processing')
  })

  test('the first of two attempts that take money pays the collection, and the money of the second attempt waits for an operator', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123002')
    await pay(slug, '0754123007')
    const before_balance = (await world.get('/v1/balance')).body.data
    // The provider reports each success several times, and reports two successes of the second attempt at the same time.
    await applyAnswer(collection_id, 1, SUCCESS)
    await applyAnswer(collection_id, 1, SUCCESS)
    await Promise.all([applyAnswer(collection_id, 2, SUCCESS), applyAnswer(collection_id, 2, SUCCESS)])
    await applyAnswer(collection_id, 2, SUCCESS)
    await applyAnswer(collection_id, 2, { kind: 'declined', reason: 'wrong_pin', provider_status: 'FAILED' })
    const paid = await show(collection_id)
    assert.deepEqual([paid.status, paid.customer_phone], ['successful', '255754123002'], 'the payer of the money')
    const after_balance = (await world.get('/v1/balance')).body.data
    assert.equal(Number(after_balance.available) - Number(before_balance.available), 25_000)
    assert.equal(Number(after_balance.held) - Number(before_balance.held), 25_000)
    const others = await world.rows<{ id: string; status: string }>(
      `select c.id, c.status from collections c join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id
       where l.slug = $1 and c.id <> $2`,
      [slug, collection_id],
    )
    assert.equal(others.length, 1)
    const [duplicate] = others
    assert.equal(duplicate?.status, 'pending_clearance')
    assert.equal((await show(duplicate?.id as string)).customer_phone, '255754123007')
    // A reversal of the second attempt reverses only the money of the second attempt.
    const reversed: Answer = { ...SUCCESS, kind: 'reversed', provider_status: 'REVERSED' }
    await applyAnswer(collection_id, 2, reversed)
    await applyAnswer(collection_id, 2, reversed)
    assert.deepEqual(
      [(await show(collection_id)).status, (await show(duplicate?.id as string)).status],
      ['successful', 'reversed'],
    )
    assert.deepEqual((await world.get('/v1/balance')).body.data.held, before_balance.held)
  })

  test('one of two attempts that succeed in one batch pays the collection, and the money of the other attempt waits for an operator', async () => {
    const { collection_id, slug } = await newPage()
    await pay(slug, '0754123002')
    await pay(slug, '0754123007')
    await Promise.all([applyAnswer(collection_id, 2, SUCCESS), applyAnswer(collection_id, 1, SUCCESS)])
    const all = await world.rows<{ status: string }>(
      'select c.status from collections c join payment_links l on l.id = c.payment_link_id where l.slug = $1 order by c.status',
      [slug],
    )
    assert.deepEqual(all, [{ status: 'pending_clearance' }, { status: 'successful' }])
  })

  test('the server accepts only http and https addresses as return addresses of a hosted page', async () => {
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://user:pass@duka.example',
      '//duka.example',
      'https:duka.example',
      'https://',
      'java\nscript:alert(1)',
      'https://duka.example/"><script>',
      'ftp://duka.example',
    ]) {
      for (const field of ['redirect_url', 'cancel_url']) {
        const refused = await world.post('/v1/collections', { ...PAGE, [field]: url })
        assert.deepEqual(codeOf(refused), [400, 'validation_failed'], url)
        assert.equal(refused.body.error.details.fields[0].field, field)
      }
    }
  })

  test('in production, the server refuses return addresses without TLS for live payments only', async () => {
    const plain = { redirect_url: 'http://duka.example/asante', cancel_url: 'HTTP://duka.example/rudi' }
    const create = (body: object, key: string) => world.post('/v1/collections', { ...PAGE, ...body }, { key })
    assert.equal((await create(plain, world.live_key)).status, 202, 'outside production')
    Object.assign(world.deps.config, { node_env: 'production' })
    try {
      const refused = await create(plain, world.live_key)
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
      const message = 'must begin with https:// for live payments'
      assert.deepEqual(refused.body.error.details.fields, [
        { field: 'redirect_url', message },
        { field: 'cancel_url', message },
      ])
      assert.equal((await create({}, world.live_key)).status, 202)
      assert.equal((await create(plain, world.sandbox_key)).status, 202)
    } finally {
      Object.assign(world.deps.config, { node_env: 'test' })
    }
  })

  test('only an approved merchant can create a hosted page for live money, with a key of either environment', async () => {
    const made = await world.post('/v1/collections', PAGE, { key: world.live_key })
    assert.equal(
      (await world.get(`/v1/collections/${made.body.data.collection_id}`, world.live_key)).body.data.environment,
      'live',
    )
    const real: Provider = {
      name: 'mock',
      capabilities: { methods: ['wallet_push'], whole_shillings: true, payout_methods: [] },
      push: async () => ({ kind: 'accepted', provider_status: 'PENDING' }),
      qr: async () => ({ kind: 'accepted', provider_status: 'PENDING' }),
      status: async (requests) => requests.map(() => ({ kind: 'accepted', provider_status: 'PENDING' })),
      payout: async () => ({ kind: 'accepted', provider_status: 'PENDING' }),
      payoutStatus: async (requests) => requests.map(() => ({ kind: 'accepted', provider_status: 'PENDING' })),
      verifyCallback: () => ({ verified: false }),
    }
    const live = await createWorld({ compose: { providers: [real] } })
    try {
      const unchecked = await live.newMerchant({ approved: false })
      const sandbox = await live.newKey({ merchant: unchecked })
      assert.deepEqual(codeOf(await live.post('/v1/collections', PAGE, { key: sandbox })), [
        403,
        'production_access_restricted',
      ])
      assert.deepEqual(codeOf(await live.post('/v1/payment-links', { amount: 1 }, { key: sandbox })), [
        403,
        'production_access_restricted',
      ])
      // The merchant is approved, so its sandbox key creates a live page and can read that page.
      const page = await live.post('/v1/collections', PAGE)
      const shown = await live.get(`/v1/collections/${page.body.data.collection_id}`)
      assert.equal(shown.body.data.environment, 'live')
      const seen = await live.get(`/v1/collections/${page.body.data.collection_id}`, live.live_key)
      assert.equal(seen.status, 200)
      assert.deepEqual(codeOf(await live.post('/v1/collections', { ...PAGE, amount: '1.50' })), [
        422,
        'amount_not_supported',
      ])
    } finally {
      await live.close()
    }
  })
})
