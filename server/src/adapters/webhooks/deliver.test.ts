// Tests that the worker delivers events to merchants even if receivers or server processes fail.

import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type ReceivedRequest, type Receiver, startReceiver } from '../../../test/receiver.ts'
import {
  type Bench,
  configure,
  deliverDue,
  endDeliveries,
  merchantWith,
  queue,
  startBench,
} from '../../../test/webhooks.ts'
import { inTransaction, sql } from '../../kernel/db/index.ts'
import { checkConfig } from './config.ts'
import { getDelivery, replayDelivery } from './deliveries.ts'
import { addEndpoint } from './endpoint-config.ts'
import { DEFAULT_ENDPOINT_ID, subscriptionKey, subscriptionsOf } from './enqueue.ts'
import { failingEndpoints, troubledEndpoints } from './failing.ts'

const MINUTE = 60_000

let bench: Bench
let receiver: Receiver
before(async () => {
  bench = await startBench()
})
after(() => bench.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await receiver.close()
  await endDeliveries(bench.deps.db)
})

const LEASE = sql(
  'test_lease',
  'update webhook_deliveries set lease_owner = $3, due_at = $4 where merchant_id = $1 and id = $2',
)

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')
const header = (request: ReceivedRequest | undefined, name: string) => String(request?.headers[name])
const show = (merchant: { id: string }, delivery: { id: string }) =>
  getDelivery(bench.deps.db, merchant.id, 'sandbox', delivery.id)

describe('deliveries', () => {
  test('the worker sends a delivery with both signatures and the exact queued bytes', async () => {
    const { deps, deliverer } = bench
    const merchant = await merchantWith(deps, receiver.url)
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    assert.equal(await deliverDue(deliverer), 1)
    const [request] = receiver.received
    assert.equal(request?.body, delivery.body)
    assert.equal(header(request, 'content-type'), 'application/json')
    assert.equal(header(request, 'x-service-signature'), hex(merchant.secret, delivery.body))
    assert.equal(header(request, 'x-service-event'), 'collection.success')
    assert.equal(header(request, 'x-service-delivery'), delivery.id)
    assert.equal(header(request, 'x-service-timestamp'), String(Math.floor(bench.clock.now().getTime() / 1000)))
    assert.equal(header(request, 'webhook-id'), delivery.id)
    new Webhook(merchant.secret).verify(delivery.body, request?.headers as Record<string, string>)
    const shown = await show(merchant, delivery)
    assert.equal(shown.status, 'delivered')
    assert.equal(shown.next_attempt_at, null)
    assert.deepEqual(
      shown.attempts.map(({ number, status_code, error, response_body }) => ({
        number,
        status_code,
        error,
        response_body,
      })),
      [{ number: 1, status_code: 200, error: null, response_body: 'ok' }],
    )
    assert.equal(await deliverDue(deliverer), 0, 'a delivered event is not sent again')
  })

  test('a process immediately sends the deliveries that it has leased, without a claim', async () => {
    const merchant = await merchantWith(bench.deps, receiver.url)
    const deliveries = await queue(bench.deps, merchant, { count: 40, leased: true })
    assert.equal(await bench.deliverer.task.runOnce(), 0, 'no other process claims it')
    bench.deliverer.dispatch(deliveries)
    bench.deliverer.dispatch(deliveries)
    await bench.deliverer.task.idle()
    assert.equal(receiver.received.length, 40, 'a delivery that is dispatched twice is sent once')
    for (const delivery of deliveries) assert.equal((await show(merchant, delivery)).status, 'delivered')
  })

  test('the worker retries a delivery 1, 5, 15 and 30 minutes after the end of the previous attempt, then marks the delivery failed', async () => {
    const { deps, deliverer, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    for (const [index, pause] of [1, 5, 15, 30].entries()) {
      const { promise: until, resolve: release } = Promise.withResolvers<void>()
      receiver.reply = { kind: 'status', status: 500, body: 'oops', until }
      assert.equal(await deliverer.task.runOnce(), 1)
      await receiver.waitFor(index + 1)
      // The receiver answers after 3 seconds, and the pause begins at the end of the attempt.
      clock.advance(3_000)
      release()
      await deliverer.task.idle()
      const end = clock.now().getTime()
      const { status, attempts, next_attempt_at } = await show(merchant, delivery)
      assert.equal(status, 'pending')
      assert.equal(attempts.length, index + 1)
      assert.equal(Date.parse(next_attempt_at ?? '') - end, pause * MINUTE)
      clock.advance(pause * MINUTE - 1)
      assert.equal(await deliverDue(deliverer), 0, 'not before the retry is due')
      clock.advance(1)
    }
    assert.equal(await deliverDue(deliverer), 1)
    const shown = await show(merchant, delivery)
    assert.equal(shown.status, 'failed')
    assert.equal(shown.next_attempt_at, null)
    assert.deepEqual(
      shown.attempts.map((attempt) => [attempt.number, attempt.status_code, attempt.error, attempt.response_body]),
      [1, 2, 3, 4, 5].map((number) => [number, 500, 'unexpected_status', 'oops']),
    )
    clock.advance(24 * 60 * MINUTE)
    assert.equal(await deliverDue(deliverer), 0)
    assert.equal(new Set(receiver.received.map((request) => request.headers['x-service-delivery'])).size, 1)
    assert.equal(new Set(receiver.received.map((request) => request.body)).size, 1)
  })

  test('the worker sends a failed delivery once more with the same id and bytes after a replay', async () => {
    const { deps, deliverer, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    receiver.reply = { kind: 'status', status: 410 }
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    const again = () => inTransaction(deps.db, (tx) => replayDelivery(deps, tx, merchant.id, 'sandbox', delivery.id))
    await assert.rejects(again(), { code: 'invalid_state' })
    for (let attempt = 1; attempt <= 5; attempt++) {
      await deliverDue(deliverer)
      clock.advance(30 * MINUTE)
    }
    assert.equal((await again()).status, 'pending')
    await assert.rejects(again(), { code: 'invalid_state' })
    await deliverDue(deliverer)
    assert.equal(
      (await show(merchant, delivery)).status,
      'failed',
      'after a failed replay the delivery is failed again',
    )
    receiver.reply = { kind: 'status', status: 204 }
    for (const number of [7, 8]) {
      await again()
      await deliverDue(deliverer)
      const shown = await show(merchant, delivery)
      assert.equal(shown.status, 'delivered')
      assert.equal(shown.attempts.at(-1)?.number, number)
    }
    assert.equal(receiver.received.length, 8)
    for (const request of receiver.received) {
      assert.equal(request.body, delivery.body)
      assert.equal(request.headers['x-service-delivery'], delivery.id)
    }
  })

  test('five concurrent requests make a waiting retry due once, and the retry is the next of the five attempts', async () => {
    const { deps, deliverer, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    receiver.reply = { kind: 'status', status: 500 }
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    const send = () => inTransaction(deps.db, (tx) => replayDelivery(deps, tx, merchant.id, 'sandbox', delivery.id))
    await assert.rejects(send(), { code: 'invalid_state' }, 'without an attempt, no retry waits')
    await deliverDue(deliverer)
    for (const [index, pause] of [5, 15, 30].entries()) {
      clock.advance(10_000)
      const results = await Promise.allSettled(Array.from({ length: 5 }, send))
      const accepted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      assert.equal(accepted.length, 1)
      assert.deepEqual([accepted[0]?.status, accepted[0]?.attempts.length], ['pending', index + 1])
      assert.equal(accepted[0]?.next_attempt_at, clock.now().toISOString())
      for (const result of results) if (result.status === 'rejected') assert.match(`${result.reason}`, /still pending/)
      assert.equal(await deliverDue(deliverer), 1)
      assert.equal(await deliverDue(deliverer), 0)
      const shown = await show(merchant, delivery)
      assert.deepEqual([shown.status, shown.attempts.length], ['pending', index + 2])
      assert.equal(Date.parse(shown.next_attempt_at ?? '') - clock.now().getTime(), pause * MINUTE)
    }
    await send()
    assert.equal(await deliverDue(deliverer), 1)
    const ended = await show(merchant, delivery)
    assert.deepEqual([ended.status, ended.attempts.length], ['failed', 5], 'the fifth attempt stays the last')
    assert.equal(receiver.received.length, 5)
    for (const request of receiver.received) assert.equal(request.body, delivery.body)
  })

  test('the server refuses the replay of a delivery that is in flight, under a lease or due, and sends each attempt once', async () => {
    const { deps, deliverer, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    receiver.reply = { kind: 'status', status: 500 }
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    const send = () => inTransaction(deps.db, (tx) => replayDelivery(deps, tx, merchant.id, 'sandbox', delivery.id))
    const refused = { code: 'invalid_state' }
    await deliverDue(deliverer)
    await send()
    const { promise: until, resolve: release } = Promise.withResolvers<void>()
    receiver.reply = { kind: 'status', status: 500, until }
    assert.equal(await deliverer.task.runOnce(), 1)
    await receiver.waitFor(2)
    await assert.rejects(send(), refused, 'in flight')
    assert.equal(await bench.anotherProcess().deliverer.task.runOnce(), 0)
    release()
    await deliverer.task.idle()
    assert.equal(receiver.received.length, 2)
    // A process took the lease and died: the row keeps this owner, also after the lease has ended.
    const lease_end = new Date(clock.now().getTime() + 12_000)
    await deps.db.query(LEASE, [merchant.id, delivery.id, randomUUID(), lease_end])
    await assert.rejects(send(), refused, 'under a lease')
    clock.advance(12_001)
    await assert.rejects(send(), refused, 'after the lease')
    receiver.reply = { kind: 'status', status: 200 }
    assert.equal(await deliverDue(deliverer), 1)
    const shown = await show(merchant, delivery)
    assert.deepEqual([shown.status, shown.attempts.length, receiver.received.length], ['delivered', 3, 3])
  })

  test('an endpoint that works again stays out of the failing endpoints when a member sends a waiting delivery, or repeats a delivered one in vain', async () => {
    const { deps, deliverer, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    receiver.reply = { kind: 'status', status: 500 }
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    await deliverDue(deliverer)
    clock.advance(MINUTE)
    await deliverDue(deliverer)
    const failing = () => failingEndpoints(deps, deps.db, merchant.id)
    assert.equal((await failing()).length, 1)
    receiver.reply = { kind: 'status', status: 200 }
    clock.advance(1_000)
    const [delivered] = await queue(deps, merchant)
    assert.ok(delivered)
    await deliverDue(deliverer)
    assert.equal((await failing()).length, 0)
    receiver.reply = { kind: 'status', status: 500 }
    clock.advance(1_000)
    await inTransaction(deps.db, (tx) => replayDelivery(deps, tx, merchant.id, 'sandbox', delivered.id))
    await deliverDue(deliverer)
    const { status, attempts } = await show(merchant, delivered)
    assert.deepEqual([status, attempts.map(({ status_code }) => status_code)], ['failed', [200, 500]])
    assert.deepEqual(await failing(), [], 'a delivered event is not missed')
    const missed = (await troubledEndpoints(deps, deps.db, merchant.id)).map((row) => [row.state, row.failed])
    assert.deepEqual(missed, [['waiting', 1]], 'only the first delivery waits')
    clock.advance(1_000)
    await inTransaction(deps.db, (tx) => replayDelivery(deps, tx, merchant.id, 'sandbox', delivery.id))
    assert.equal((await failing()).length, 0)
  })

  const failures = [
    ['hangs', { kind: 'hang' }, null, 'timeout'],
    ['drips its answer byte by byte', { kind: 'drip' }, 200, 'timeout'],
    ['redirects', { kind: 'status', status: 302, headers: { location: '/elsewhere' } }, 302, 'redirect_not_followed'],
    ['answers 404', { kind: 'status', status: 404 }, 404, 'unexpected_status'],
    ['closes the connection', { kind: 'reset' }, null, 'connection_reset'],
  ] as const
  for (const [what, reply, status_code, error] of failures) {
    test(`the worker counts an attempt as failed and keeps the delivery pending when the receiver ${what}`, async () => {
      const merchant = await merchantWith(bench.deps, receiver.url)
      receiver.reply = reply
      const [delivery] = await queue(bench.deps, merchant)
      assert.ok(delivery)
      await deliverDue(bench.deliverer)
      const shown = await show(merchant, delivery)
      assert.equal(shown.status, 'pending')
      assert.equal(shown.attempts[0]?.status_code, status_code)
      assert.equal(shown.attempts[0]?.error, error)
      assert.equal(receiver.received.length, 1)
    })
  }

  test('the worker counts an attempt as failed when the receiver is unreachable, and when the configuration is missing', async () => {
    const { deps, deliverer } = bench
    const merchant = await merchantWith(deps, receiver.url)
    await receiver.close()
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    await deliverDue(deliverer)
    assert.equal((await show(merchant, delivery)).attempts[0]?.error, 'connection_refused')
    await deps.db.query(sql('test_unconfigure', 'delete from webhook_configs where merchant_id = $1'), [merchant.id])
    bench.clock.advance(MINUTE)
    await deliverDue(deliverer)
    assert.equal((await show(merchant, delivery)).attempts[1]?.error, 'not_configured')
    receiver = await startReceiver()
  })

  test('the worker sends the next attempt to a changed address, with the same id and bytes', async (t) => {
    const merchant = await merchantWith(bench.deps, receiver.url)
    receiver.reply = { kind: 'status', status: 503 }
    const [delivery] = await queue(bench.deps, merchant)
    await deliverDue(bench.deliverer)
    const moved = await startReceiver()
    t.after(() => moved.close())
    await configure(bench.deps, merchant, { webhook_url: moved.url })
    bench.clock.advance(MINUTE)
    await deliverDue(bench.deliverer)
    assert.equal(receiver.received.length, 1)
    assert.equal(moved.received[0]?.headers['x-service-delivery'], delivery?.id)
    assert.equal(moved.received[0]?.body, delivery?.body)
  })

  test('the server signs a delivery with the new and the old secret for 24 hours after a rotation', async () => {
    const { deps, deliverer, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    const deliver = async () => {
      await queue(deps, merchant)
      await deliverDue(deliverer)
      return receiver.received.at(-1) as ReceivedRequest
    }
    await deliver()
    const next = await configure(deps, merchant, { rotate_secret: true })
    assert.ok(next && next !== merchant.secret)
    clock.advance(24 * 60 * MINUTE - 1)
    const during = await deliver()
    assert.equal(header(during, 'x-service-signature'), hex(next, during.body))
    assert.equal(header(during, 'x-service-signature-previous'), hex(merchant.secret, during.body))
    assert.equal(header(during, 'webhook-signature').split(' ').length, 2)
    clock.advance(1)
    const afterwards = await deliver()
    assert.equal(header(afterwards, 'x-service-signature'), hex(next, afterwards.body))
    assert.equal(afterwards.headers['x-service-signature-previous'], undefined)
    assert.equal(header(afterwards, 'webhook-signature').split(' ').length, 1)
  })

  test('the worker sends no delivery to a private address when the settings forbid private addresses', async () => {
    const merchant = await merchantWith(bench.deps, receiver.url)
    const { createOutgoing } = await import('../../kernel/http/index.ts')
    const { createDeliverer } = await import('./deliver.ts')
    const guarded = createOutgoing({ allow_private: false })
    const [delivery] = await queue(bench.deps, merchant)
    assert.ok(delivery)
    await deliverDue(createDeliverer(bench.deps, guarded))
    await guarded.close()
    assert.equal((await show(merchant, delivery)).attempts[0]?.error, 'blocked_destination')
    assert.equal(receiver.received.length, 0)
  })
})

describe('a process that dies or hangs with leased deliveries', () => {
  test('another process sends a leased delivery after the lease ends when the first process dies before it sends', async () => {
    const merchant = await merchantWith(bench.deps, receiver.url)
    const other = bench.anotherProcess()
    const [delivery] = await queue(bench.deps, merchant, { leased: true })
    assert.ok(delivery)
    bench.clock.advance(11_999)
    assert.equal(await deliverDue(other.deliverer), 0)
    bench.clock.advance(1)
    assert.equal(await deliverDue(other.deliverer), 1)
    assert.equal((await show(merchant, delivery)).status, 'delivered')
  })

  test('another process sends the same bytes when a process dies between sending and recording, and one attempt counts', async () => {
    const merchant = await merchantWith(bench.deps, receiver.url)
    const dying = bench.anotherProcess()
    let reached = false
    dying.deps.point = (name) => {
      if (name !== 'webhook.after_send') return
      reached = true
      throw new Error('dead')
    }
    const [delivery] = await queue(bench.deps, merchant)
    assert.ok(delivery)
    await deliverDue(dying.deliverer)
    assert.ok(reached)
    assert.equal((await show(merchant, delivery)).attempts.length, 0)
    bench.clock.advance(12_000)
    assert.equal(await deliverDue(bench.deliverer), 1)
    assert.equal(receiver.received.length, 2)
    assert.equal(receiver.received[0]?.body, receiver.received[1]?.body)
    assert.equal(receiver.received[0]?.headers['webhook-id'], receiver.received[1]?.headers['webhook-id'])
    const shown = await show(merchant, delivery)
    assert.equal(shown.status, 'delivered')
    assert.equal(shown.attempts.length, 1)
  })

  test('the late result of a hanging process changes nothing after another process took the lease of the delivery', async () => {
    const { deps, clock } = bench
    const merchant = await merchantWith(deps, receiver.url)
    const slow = bench.anotherProcess()
    receiver.reply = { kind: 'hang' }
    const [delivery] = await queue(deps, merchant)
    assert.ok(delivery)
    await slow.deliverer.task.runOnce()
    await receiver.waitFor(1)
    clock.advance(12_000)
    receiver.reply = { kind: 'status', status: 200 }
    assert.equal(await deliverDue(bench.deliverer), 1)
    await slow.deliverer.task.idle()
    const shown = await show(merchant, delivery)
    assert.equal(shown.status, 'delivered')
    assert.equal(shown.attempts.length, 1)
  })

  test('two workers that claim at the same time send each delivery once', async () => {
    const merchant = await merchantWith(bench.deps, receiver.url)
    const other = bench.anotherProcess()
    await queue(bench.deps, merchant, { count: 60 })
    await Promise.all([deliverDue(bench.deliverer), deliverDue(other.deliverer)])
    assert.equal(receiver.received.length, 60)
    assert.equal(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size, 60)
  })
})

test('the worker sends the deliveries of one merchant within 2 seconds while the receiver of another merchant hangs', async (t) => {
  const timeout_ms = 4_000
  const patient = await startBench({ WEBHOOK_TIMEOUT_MS: String(timeout_ms) })
  t.after(() => patient.close())
  const { deps, deliverer } = patient
  const hanging = await merchantWith(deps, receiver.url)
  receiver.reply = { kind: 'hang' }
  const healthy_receiver = await startReceiver()
  t.after(() => healthy_receiver.close())
  const healthy = await merchantWith(deps, healthy_receiver.url)
  await queue(deps, hanging, { count: 600 })
  await deliverer.task.runOnce()
  await receiver.waitFor(1)
  const start = performance.now()
  await queue(deps, healthy, { count: 20 })
  deliverer.dispatch(await queue(deps, healthy, { count: 20, leased: true }))
  await deliverer.task.runOnce()
  await healthy_receiver.waitFor(40)
  const took = performance.now() - start
  assert.ok(took < timeout_ms / 2, `while the other's sends still hang (${timeout_ms} ms): ${took} ms`)
  // The process drops queued deliveries when their leases end. Running attempts end at their timeout.
  patient.clock.advance(12_000)
  await deliverer.task.idle()
  assert.ok(receiver.most_open <= 16, `${receiver.most_open} concurrent sends hung`)
})

test('the worker sends to one endpoint of a merchant within 2 seconds while another endpoint of the merchant hangs', async (t) => {
  const timeout_ms = 4_000
  const patient = await startBench({ WEBHOOK_TIMEOUT_MS: String(timeout_ms) })
  t.after(() => patient.close())
  const { deps, deliverer } = patient
  const merchant = await merchantWith(deps, receiver.url)
  receiver.reply = { kind: 'hang' }
  const healthy_receiver = await startReceiver()
  t.after(() => healthy_receiver.close())
  const change = await checkConfig(deps, { webhook_url: healthy_receiver.url })
  const owner = { ...merchant, code: merchant.merchant_code }
  const added = { ...change, webhook_url: healthy_receiver.url }
  const { endpoint } = await inTransaction(deps.db, (tx) => addEndpoint(deps, tx, owner, 'sandbox', added))
  await queue(deps, merchant, { count: 600 })
  await deliverer.task.runOnce()
  await receiver.waitFor(1)
  const start = performance.now()
  const endpoint_id = endpoint.id
  await queue(deps, merchant, { count: 20, endpoint_id })
  deliverer.dispatch(await queue(deps, merchant, { count: 20, leased: true, endpoint_id }))
  await deliverer.task.runOnce()
  await healthy_receiver.waitFor(40)
  const took = performance.now() - start
  assert.ok(took < timeout_ms / 2, `while the other endpoint's sends still hang (${timeout_ms} ms): ${took} ms`)
})

test('the hanging receivers of 400 merchants delay the deliveries to an answering receiver by less than half a second', async (t) => {
  const patient = await startBench({ WEBHOOK_TIMEOUT_MS: '6000' })
  const healthy_receiver = await startReceiver()
  t.after(async () => {
    await healthy_receiver.close()
    await patient.close()
  })
  const { deps, deliverer, clock } = patient
  const healthy = await merchantWith(deps, healthy_receiver.url)
  deliverer.dispatch(await queue(deps, healthy, { leased: true }))
  await deliverer.task.idle()
  /** Sends 20 events to the answering receiver, and returns the time in milliseconds. */
  const send20 = async () => {
    const before = healthy_receiver.received.length
    const start = performance.now()
    deliverer.dispatch(await queue(deps, healthy, { count: 10, leased: true }))
    await queue(deps, healthy, { count: 10 })
    await deliverer.task.runOnce()
    await healthy_receiver.waitFor(before + 20)
    return performance.now() - start
  }
  // The time without a receiver that hangs: a busy machine needs longer for the work itself.
  const alone_ms = Math.min(1_500, Math.max(await send20(), await send20()))
  receiver.reply = { kind: 'hang' }
  for (let i = 0; i < 400; i++) await queue(deps, await merchantWith(deps, receiver.url), { count: 4 })
  for (const round of [1, 2]) {
    const before = receiver.received.length
    while ((await deliverer.task.runOnce()) > 0);
    // The test first waits until the process has opened its connections: hundreds in the first round.
    await receiver.waitFor(before + (round === 1 ? 300 : 100))
    await new Promise((done) => setTimeout(done, 500))
    const { open } = receiver
    assert.ok(round === 1 ? open >= 300 : open >= 1 && open <= 200, `${open} are open`)
    const took = await send20()
    t.diagnostic(`${open} sends hung; the other merchant's 20 took ${Math.round(took)} ms`)
    assert.ok(took < 500 + alone_ms, `while ${open} others' sends hang: ${took} ms, alone ${alone_ms} ms`)
    clock.advance(12_000)
    await deliverer.task.idle()
    clock.advance(MINUTE)
  }
})

test('a second rotation within 24 hours ends the oldest secret, and only the newest two secrets sign', async () => {
  const { deps, deliverer, clock } = bench
  const merchant = await merchantWith(deps, receiver.url)
  const second = await configure(deps, merchant, { rotate_secret: true })
  clock.advance(60 * MINUTE)
  const third = await configure(deps, merchant, { rotate_secret: true })
  clock.advance(24 * 60 * MINUTE - 1)
  await queue(deps, merchant)
  await deliverDue(deliverer)
  const [request] = receiver.received
  assert.ok(request && second && third)
  assert.equal(header(request, 'x-service-signature'), hex(third, request.body))
  assert.equal(header(request, 'x-service-signature-previous'), hex(second, request.body))
  assert.equal(header(request, 'webhook-signature').split(' ').length, 2)
})

test('subscriptionsOf returns the events of each merchant with a configuration and accepts the alias of collection.success', async () => {
  const first = await merchantWith(bench.deps, receiver.url)
  const second = await merchantWith(bench.deps, receiver.url)
  await configure(bench.deps, second, { events: ['collection.successful', 'disbursement.reversed'] })
  const unknown = '018f0000-0000-8000-8000-000000000000'
  const found = await subscriptionsOf(bench.deps.db, [first.id, second.id, unknown])
  const eventsOf = (merchant: { id: string }, environment: string) =>
    found.get(subscriptionKey({ merchant_id: merchant.id, environment }))
  assert.equal(found.size, 4)
  assert.equal(eventsOf(first, 'live')?.size, 6)
  assert.equal(eventsOf(first, 'sandbox')?.has('disbursement.reversed'), false)
  assert.deepEqual(
    [...(eventsOf(second, 'live') ?? [])],
    [
      ['collection.success', [DEFAULT_ENDPOINT_ID]],
      ['disbursement.reversed', [DEFAULT_ENDPOINT_ID]],
    ],
  )
})
