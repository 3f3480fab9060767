// Tests that a timeline shows the events of a record in order, and hides from the merchant the facts for operators.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { answerWithAmount, createHeldPaymentCalls, type HeldPaymentCalls, REASON } from '../../../test/held-payments.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import type { FoundRequest } from './timeline.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests read items of every kind
type AnyItem = any
type TimelineData = { items: AnyItem[]; complete: boolean }

let receiver: Receiver
let world: World
let operator: TestOperator
let review: HeldPaymentCalls
let shop: ShopWithKeys
let member: string
/** The requests that the request log would find, by merchant and record. */
const log = new Map<string, FoundRequest[]>()
before(async () => {
  receiver = await startReceiver()
  world = await createWorld({
    compose: { requestsOf: async (merchant_id, id) => log.get(`${merchant_id} ${id}`) ?? [] },
  })
  operator = await createTestOperator(world)
  review = createHeldPaymentCalls(world, operator, receiver.url)
  const prices = {
    rules: [
      { flow: 'collection', flat_fee: '10.00' },
      { flow: 'withdrawal', flat_fee: '500.00' },
    ],
  }
  shop = await review.shop(prices)
  member = (await world.newSession([{ role: 'VIEWER', merchant: shop.merchant }])).token
  for (const environment of ['live', 'sandbox']) {
    const body = { environment, direction: 'credit', against: 'provider_float', amount: '100000.00', reason: 'Opening' }
    assert.equal((await operator.adjust(shop, body)).status, 201)
  }
})
beforeEach(async () => {
  receiver.reply = { kind: 'status', status: 200, body: 'ok' }
  member = (await world.newSession([{ role: 'VIEWER', merchant: shop.merchant }])).token
})
after(async () => {
  await world.close()
  await receiver.close()
})

const readTimeline = async (path: string, key: string, query = ''): Promise<TimelineData> => {
  const reply = await world.get(`${path}/timeline${query}`, key)
  assert.equal(reply.status, 200, reply.text)
  const { items } = reply.body.data
  const times = items.map(({ at }: AnyItem) => at)
  assert.deepEqual(times, [...times].sort(), 'oldest first')
  return reply.body.data
}
const paymentTimeline = (id: string, key = shop.live) => readTimeline(`/v1/collections/${id}`, key)
const withdrawalTimeline = (id: string) => readTimeline(`/v1/merchant/withdrawals/${id}`, member)

/** Returns an item as one line of text, to compare whole timelines. */
function describeItem(item: AnyItem): string {
  switch (item.kind) {
    case 'request':
      return `request ${item.method} ${item.path} ${item.status}`
    case 'attempt':
      return `attempt ${item.number} ${item.what}${item.provider_status === null ? '' : ` ${item.provider_status}`}`
    case 'status':
      return `${item.from ?? 'nothing'} to ${item.to} by ${item.actor}${item.reason === null ? '' : `: ${item.reason}`}`
    case 'transfer':
      return `${item.amount} from ${item.debit} to ${item.credit}${item.reference === null ? '' : ' TXN'}`
    default:
      return `${item.event} ${item.number} ${item.delivered ? 'delivered' : (item.error ?? 'queued')}`
  }
}
const describeItems = ({ items }: TimelineData) => items.map(describeItem)

describe('the timeline of a collection', () => {
  test('the timeline of a paid collection shows request, attempt, answer, transfers and webhook in order', async () => {
    const id = await review.pay(shop, '001')
    const at = world.deps.clock.now()
    const entry = { id: 'r', request_id: 'q', at, method: 'POST', path: '/v1/collections/wallet-push', status: 202 }
    log.set(`${shop.merchant.id} ${id}`, [{ ...entry, duration_ms: 7 }])
    const timeline = await paymentTimeline(id)
    assert.deepEqual(describeItems(timeline), [
      'request POST /v1/collections/wallet-push 202',
      'nothing to processing by merchant',
      'attempt 1 created',
      'attempt 1 sent',
      'attempt 1 answered COMPLETED',
      'processing to successful by provider: succeeded 1000.00 TZS',
      '1000.00 from provider_float to available TXN',
      '10.00 from available to fee_income TXN',
      'collection.success 1 delivered',
    ])
    assert.equal(timeline.complete, true)
    const [request] = timeline.items
    assert.deepEqual([request.id, request.request_id, request.duration_ms, request.at], ['r', 'q', 7, at.toISOString()])
    const transfers = timeline.items.filter(({ kind }) => kind === 'transfer')
    for (const { reference, posting } of transfers) {
      const found = await world.get(`/v1/transactions/${reference}`, shop.live)
      assert.deepEqual([found.status, posting], [200, 'collection_settled'])
      assert.equal(found.body.data.collection_id, id)
    }
    const webhook = timeline.items.at(-1)
    const delivery = await world.get(`/v1/merchant/webhook-deliveries/${webhook.delivery_id}`, shop.live)
    assert.equal(delivery.body.data.attempts[0].number, webhook.number)
    assert.deepEqual([webhook.status_code, webhook.next_attempt_at], [200, null])
  })

  test('a collection timeline keeps the time of a repeated answer, and shows the newest provider status in the last step', async () => {
    const id = await review.pay(shop, '001')
    const first = await paymentTimeline(id)
    world.deps.clock.advance(60_000)
    await review.say(shop, id, { ...answerWithAmount('succeeded', 100_000n), provider_status: 'COMPLETED' })
    assert.deepEqual(await paymentTimeline(id), first)
    world.deps.clock.advance(60_000)
    await review.say(shop, id, answerWithAmount('reversed', 100_000n))
    const attempts = (await paymentTimeline(id)).items.filter(({ kind }) => kind === 'attempt')
    assert.deepEqual(attempts.map(describeItem), [
      'attempt 1 created',
      'attempt 1 sent',
      'attempt 1 answered',
      'attempt 1 answered REVERSED',
    ])
    const apart = Date.parse(attempts[3].at) - Date.parse(attempts[2].at)
    assert.equal(apart, 120_000)
  })

  test('when an operator decides about held money, the collection timeline hides the operator and the reason', async () => {
    const id = await review.hold(shop)
    world.deps.clock.advance(1_000)
    assert.equal((await review.clear(id, 'approve')).status, 200)
    await world.work()
    const reply = await world.get(`/v1/collections/${id}/timeline`, shop.live)
    assert.ok(describeItems(reply.body.data).includes('pending_clearance to successful by platform'))
    assert.ok(
      describeItems(reply.body.data).includes('1000.00 from provider_float to held'),
      'held money is not a transaction',
    )
    for (const secret of [operator.user_id, operator.email, REASON]) assert.ok(!reply.text.includes(secret), secret)
  })

  test("the timeline of a collection hides a provider's answer that did not change the status", async () => {
    const id = await review.pay(shop, '001')
    await review.say(shop, id, { kind: 'declined', reason: 'provider_declined', provider_status: 'FAILED' })
    const statuses = (await paymentTimeline(id)).items.filter(({ kind }) => kind === 'status')
    assert.deepEqual(
      statuses.map(({ to }) => to),
      ['processing', 'successful'],
    )
  })

  test('for a payment link, the timeline names the payer as creator; for a hosted page, the timeline shows both attempts and their answers', async () => {
    const collect = async (slug: string, ending: string) => {
      const path = `/public/payment-links/${slug}/collect`
      const made = await world.post(path, { method: 'WALLET_PUSH', customer_phone: `0754123${ending}` }, { key: null })
      assert.equal(made.status, 202, made.text)
      await world.work()
      world.deps.clock.advance(1_000)
      return made.body.data.collection_id as string
    }
    const slugOf = (url: string) => new URL(url).pathname.split('/').at(-1) as string
    const link = await world.post('/v1/payment-links', { amount: '1000.00' }, { key: shop.live })
    const id_on_link = await collect(link.body.data.public_slug, '001')
    assert.equal(describeItem((await paymentTimeline(id_on_link)).items[0]), 'nothing to processing by payer')

    const hosted = await world.post('/v1/collections', { amount: '1000.00' }, { key: shop.live })
    world.deps.clock.advance(1_000)
    const slug = slugOf(hosted.body.data.payment_url)
    const id = await collect(slug, '002')
    assert.equal(await collect(slug, '001'), id)
    const timeline = describeItems(await paymentTimeline(id)).filter(
      (line) => line.startsWith('attempt') || line.includes(' to '),
    )
    assert.deepEqual(
      timeline.filter((line) => !line.includes('from')),
      [
        'nothing to created by merchant',
        'attempt 1 created',
        'attempt 1 sent',
        'attempt 1 answered FAILED',
        'created to processing by payer',
        'processing to failed by provider: wrong_pin',
        'attempt 2 created',
        'attempt 2 sent',
        'attempt 2 answered COMPLETED',
        'failed to processing by payer',
        'processing to successful by provider: succeeded 1000.00 TZS',
      ],
    )
  })

  test('when a webhook fails, the timeline of a collection shows the time of the next attempt', async () => {
    receiver.reply = { kind: 'status', status: 500 }
    const id = await review.pay(shop, '001')
    await world.pass(61_000)
    const webhooks = (await paymentTimeline(id)).items.filter(({ kind }) => kind === 'webhook')
    assert.deepEqual(
      webhooks.map(({ number, status_code, delivered }) => [number, status_code, delivered]),
      [
        [1, 500, false],
        [2, 500, false],
      ],
    )
    assert.equal(webhooks[0].next_attempt_at, null)
    assert.equal(Date.parse(webhooks[1].next_attempt_at) - Date.parse(webhooks[1].at), 300_000)
  })

  test('the timeline of a collection shows the newest 200 webhook attempts and states that older attempts exist', async () => {
    const id = await review.pay(shop, '001')
    await world.rows(
      `insert into webhook_attempts (merchant_id, delivery_id, number, at, duration_ms, status_code, error, response_body)
       select d.merchant_id, d.id, n, d.created_at + n * interval '1 second', 1, 500, 'status_500', null
       from webhook_deliveries d, generate_series(2, 250) n where d.merchant_id = $1 and d.source_id = $2`,
      [shop.merchant.id, id],
    )
    const { items, complete } = await paymentTimeline(id)
    const numbers = items.filter(({ kind }) => kind === 'webhook').map(({ number }) => number)
    assert.deepEqual([complete, numbers.length, numbers[0], numbers.at(-1)], [false, 200, 51, 250])
  })

  test('a member of the merchant can read the timeline of a collection; a sandbox key and a key of another merchant get 404', async () => {
    const id = await review.pay(shop, '001')
    assert.equal((await paymentTimeline(id, member)).items.length > 0, true)
    const path = `/v1/collections/${id}/timeline`
    for (const key of [shop.sandbox, world.live_key]) {
      assert.deepEqual(codeOf(await world.get(path, key)), [404, 'not_found'])
    }
    assert.deepEqual(codeOf(await world.get('/v1/collections/nonsense/timeline', shop.live)), [404, 'not_found'])
  })
})

describe('the timeline of a withdrawal', () => {
  test('the timeline of a withdrawal shows messages, status changes and transfers, but hides the operator who approved it', async () => {
    const id = await operator.submit(shop)
    world.deps.clock.advance(1_000)
    await operator.act(id, 'request-info', { message: 'Who is Asha?' })
    world.deps.clock.advance(1_000)
    const finance = (await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])).token
    await world.post(`/v1/merchant/withdrawals/${id}/respond`, { message: 'A supplier' }, { key: finance })
    world.deps.clock.advance(1_000)
    await operator.approve(id)
    const timeline = await withdrawalTimeline(id)
    const lines = describeItems(timeline)
    const steps = [
      'nothing to PENDING_ADMIN_APPROVAL by merchant',
      'PENDING_ADMIN_APPROVAL to INFO_REQUESTED by platform: Who is Asha?',
      'INFO_REQUESTED to PENDING_ADMIN_APPROVAL by merchant: A supplier',
      'PENDING_ADMIN_APPROVAL to PROCESSING by platform',
      '10500.00 from available to reserved TXN',
      'attempt 1 created',
      'attempt 1 sent',
      'PROCESSING to SUCCESS by provider',
      'attempt 1 answered',
      'disbursement.success 1 delivered',
    ]
    for (const step of steps) assert.ok(lines.includes(step), `${step}\nis not in\n${lines.join('\n')}`)
    const times = timeline.items.slice(3).map(({ at }) => at)
    assert.equal(new Set(times).size, 1, 'all steps from the approval on have one time')
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('disbursement.')),
      [
        ...steps.slice(0, 7),
        'attempt 1 answered',
        'PROCESSING to SUCCESS by provider',
        '10000.00 from reserved to provider_float',
        '500.00 from reserved to fee_income',
      ],
    )
    const text = JSON.stringify(timeline)
    for (const secret of [operator.user_id, operator.email]) assert.ok(!text.includes(secret), secret)
  })

  test('the timeline of a withdrawal shows transfers with equal times in the order of their booking', async () => {
    const payOut = async (outcome: string) => {
      const id = await operator.submit(shop, { environment: 'sandbox' })
      const path = `/v1/sandbox/disbursements/${id}/simulate`
      const done = await world.post(path, { outcome }, { key: shop.sandbox })
      assert.equal(done.status, 200, done.text)
      return id
    }
    // After these payouts, the version of reserved is above the version of available.
    for (let i = 0; i < 3; i++) await payOut('SUCCESS')
    const id = await payOut('REVERSED')
    const { items } = await readTimeline(`/v1/merchant/withdrawals/${id}`, member, '?environment=sandbox')
    const transfers = items.filter(({ kind }) => kind === 'transfer')
    assert.equal(new Set(transfers.map(({ at }) => at)).size, 1)
    assert.deepEqual(transfers.map(describeItem), [
      '10500.00 from available to reserved TXN',
      '10000.00 from reserved to provider_float',
      '500.00 from reserved to fee_income',
      '10000.00 from provider_float to available TXN',
      '500.00 from fee_income to available TXN',
    ])
  })

  test('when an operator rejects a withdrawal, the timeline of the withdrawal shows the reason', async () => {
    const id = await operator.submit(shop)
    await operator.act(id, 'reject', { reason: 'The name does not fit' })
    assert.deepEqual(describeItems(await withdrawalTimeline(id)), [
      'nothing to PENDING_ADMIN_APPROVAL by merchant',
      'PENDING_ADMIN_APPROVAL to REJECTED by platform: The name does not fit',
    ])
  })

  test('the timeline of a withdrawal shows that the provider declined the payout, but hides the provider status', async () => {
    const id = await operator.submit(shop, { ending: '102' })
    world.deps.clock.advance(1_000)
    await operator.approve(id)
    await world.rows(`update payouts set provider_status = 'THEIR WORD' where withdrawal_id = $1`, [id])
    const timeline = await withdrawalTimeline(id)
    const lines = describeItems(timeline)
    assert.ok(lines.includes('attempt 1 answered'), lines.join('\n'))
    assert.ok(lines.includes('PROCESSING to FAILED by provider'), lines.join('\n'))
    assert.ok(lines.includes('10500.00 from reserved to available TXN'), lines.join('\n'))
    assert.ok(!JSON.stringify(timeline).includes('THEIR WORD'))
  })

  test('the server answers 404 for the timeline of a withdrawal of another merchant or environment', async () => {
    const id = await operator.submit(shop)
    const path = `/v1/merchant/withdrawals/${id}/timeline`
    const stranger = (await world.newSession('MERCHANT_ADMIN')).token
    assert.deepEqual(codeOf(await world.get(path, stranger)), [404, 'not_found'])
    assert.deepEqual(codeOf(await world.get(`${path}?environment=sandbox`, member)), [404, 'not_found'])
  })
})
