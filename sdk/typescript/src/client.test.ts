// Tests the client against the real API over a real port, and tests verifyWebhook with a real delivery.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../server/test/harness.ts'
import { startReceiver } from '../../../server/test/receiver.ts'
import { type Client, createClient, MalipoError, verifyWebhook } from './index.ts'

let world: World
let base_url: string
let client: Client

before(async () => {
  world = await createWorld()
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  base_url = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  client = createClient({ base_url: `${base_url}/`, api_key: world.sandbox_key })
})
after(() => world.close())

const failureOf = (call: Promise<unknown>): Promise<MalipoError> =>
  call.then(
    () => assert.fail('the call went through'),
    (error: unknown) => {
      assert.ok(error instanceof MalipoError)
      return error
    },
  )

test('the client sends a push, and reads, refreshes and lists the successful collection', async () => {
  const made = await client.walletPush({ amount: '25000.00', phone: '0754 123 001', reference: 'ORDER-1' })
  assert.equal(made.status, 'processing')
  await world.work()
  const found = await client.getCollection(made.collection_id)
  assert.deepEqual([found.status, found.amount, found.reference], ['successful', 25000, 'ORDER-1'])
  assert.equal((await client.refreshStatus(made.collection_id)).status, 'successful')
  const { items, pagination } = await client.listCollections({
    status: 'successful',
    reference: 'ORDER-1',
    page_size: 5,
  })
  assert.deepEqual(
    items.map((item) => item.collection_id),
    [made.collection_id],
  )
  assert.equal(pagination.total_items, 1)
})

test('the client starts a Provider Pesa payment and creates a QR code', async () => {
  assert.equal((await client.providerPesa({ amount: 100, phone: '0754123001' })).status, 'processing')
  const qr = await client.qr({ amount: 100 })
  assert.ok(qr.payment_token.length > 0 && qr.qr_payload.length > 0)
})

test('each call makes a new payment, but two calls with one idempotency key make one payment', async () => {
  const input = { amount: 500, phone: '0754123001' }
  const first = await client.walletPush(input)
  assert.notEqual((await client.walletPush(input)).collection_id, first.collection_id)
  const once = await client.walletPush(input, { idempotency_key: 'order-7' })
  assert.deepEqual(await client.walletPush(input, { idempotency_key: 'order-7' }), once)
  const other = await failureOf(client.walletPush({ ...input, amount: 501 }, { idempotency_key: 'order-7' }))
  assert.equal(other.code, 'idempotency_key_reused')
})

test('the error of a refusal has its code, message, details, status and request id', async () => {
  const refusal = await failureOf(client.walletPush({ amount: 'many', phone: '12' }))
  assert.deepEqual([refusal.status, refusal.code], [400, 'validation_failed'])
  assert.ok(Array.isArray(refusal.details?.fields))
  assert.ok(refusal.request_id)
  assert.ok(refusal.idempotency_key)
  const unknown = await failureOf(client.getCollection('../../healthz'))
  assert.deepEqual([unknown.status, unknown.code, unknown.details], [404, 'not_found', null])
  const stranger = createClient({ base_url, api_key: 'service_sandbox_nonsense' })
  assert.equal((await failureOf(stranger.listCollections())).code, 'invalid_api_key')
})

test('a call without a readable response fails with no_answer and gives the idempotency key for a retry', async () => {
  const unreachable_client = createClient({ base_url: 'http://127.0.0.1:1', api_key: 'k' })
  const unreachable = await failureOf(
    unreachable_client.walletPush({ amount: 1, phone: '0754123001' }, { idempotency_key: 'again-1' }),
  )
  assert.deepEqual([unreachable.code, unreachable.status, unreachable.idempotency_key], ['no_answer', 0, 'again-1'])

  const proxy = createServer((_request, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'))
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const behind = createClient({ base_url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, api_key: 'k' })
  const bad_gateway = await failureOf(behind.getCollection('x'))
  assert.deepEqual([bad_gateway.code, bad_gateway.status], ['no_answer', 502])
  proxy.close()
})

test('verifyWebhook accepts a real delivery with the right secret and refuses the delivery with another secret', async () => {
  await world.work() // completes the payments of earlier tests before this test configures the webhook
  const receiver = await startReceiver()
  try {
    const config = await world.call({
      method: 'PATCH',
      url: '/v1/merchant/webhook-config',
      payload: { webhook_url: receiver.url },
    })
    const secret: string = config.body.data.secret
    const other_secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    const { collection_id } = await client.walletPush({ amount: 700, phone: '0754123001', reference: 'Café ☕' })
    await world.work()
    await receiver.waitFor(1)
    const [delivery] = receiver.received
    assert.ok(delivery)
    const now = world.deps.clock.now()
    const event = verifyWebhook({ body: delivery.body, headers: delivery.headers, secret, now })
    assert.deepEqual([event.event, event.collection_id, event.amount], ['collection.success', collection_id, '700.00'])
    assert.deepEqual([event.sandbox, event.test], [true, undefined])

    const { 'webhook-signature': _signature, ...branded } = delivery.headers
    const by_body = verifyWebhook({ body: delivery.body, headers: branded, secret, now, allow_body_signature: true })
    assert.equal(by_body.collection_id, collection_id)
    assert.throws(() => verifyWebhook({ body: delivery.body, headers: delivery.headers, secret: other_secret, now }))
  } finally {
    await receiver.close()
  }
})

test('the client adds, lists, changes, tests and removes a webhook endpoint, and rotates its secret', async () => {
  const receiver = await startReceiver()
  try {
    const input = { webhook_url: receiver.url, events: ['collection.failed'], description: 'Bookkeeping' }
    const added = await client.addWebhookEndpoint(input, { idempotency_key: 'endpoint-1' })
    const { secret, ...endpoint } = added
    assert.match(secret ?? '', /^whsec_/)
    assert.deepEqual(
      [endpoint.environment, endpoint.events, endpoint.description],
      ['sandbox', input.events, 'Bookkeeping'],
    )
    assert.deepEqual(await client.addWebhookEndpoint(input, { idempotency_key: 'endpoint-1' }), endpoint)
    const { items, limit } = await client.listWebhookEndpoints()
    assert.deepEqual([items.filter(({ id }) => id !== 'default'), limit], [[endpoint], 10])
    assert.deepEqual(await client.getWebhookEndpoint(endpoint.id), endpoint)

    const changed = await client.changeWebhookEndpoint(endpoint.id, {
      events: ['collection.success'],
      description: null,
    })
    assert.deepEqual(changed, { ...endpoint, events: ['collection.success'], description: null })
    const rotated = await client.rotateWebhookSecret(endpoint.id)
    assert.ok(
      rotated.secret !== undefined && rotated.secret !== secret && rotated.secret.endsWith(rotated.secret_last4),
    )

    const queued = await client.testWebhookEndpoint(endpoint.id)
    assert.equal(queued.endpoint_id, endpoint.id)
    await world.work()
    await receiver.waitFor(1)
    const [delivery] = receiver.received
    assert.ok(delivery)
    const now = world.deps.clock.now()
    for (const one of [rotated.secret, secret ?? '']) {
      const event = verifyWebhook({ body: delivery.body, headers: delivery.headers, secret: one, now })
      assert.equal(event.test, true)
    }

    assert.deepEqual(await client.removeWebhookEndpoint(endpoint.id), { id: endpoint.id, deleted: true })
    const gone = await failureOf(client.changeWebhookEndpoint(endpoint.id, { description: 'x' }))
    assert.deepEqual([gone.code, gone.status], ['not_found', 404])
    const refused = await failureOf(client.getWebhookEndpoint('default'))
    assert.equal(refused.code, 'not_found')
  } finally {
    await receiver.close()
  }
})
