// Tests several webhook endpoints in one environment: changes, separate deliveries, and the deletion of an endpoint.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { type ReceivedRequest, type Receiver, startReceiver } from '../../../test/receiver.ts'
import { workBeforeCommit } from '../../../test/running-change.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { addEndpoint } from './endpoint-config.ts'
import { deleteConfigs } from './index.ts'

const CONFIG = '/v1/merchant/webhook-config'
const ENDPOINTS = '/v1/merchant/webhook-endpoints'
const DELIVERIES = '/v1/merchant/webhook-deliveries'
const SCOPES = ['webhooks:manage', 'collections:write'] as const

let world: World
let receiver: Receiver
let merchant: Merchant
let key: string
before(async () => {
  world = await createWorld()
  receiver = await startReceiver()
})
after(async () => {
  await world.close()
  await receiver.close()
})
beforeEach(async () => {
  await world.work()
  receiver.received.length = 0
  receiver.reply = { kind: 'status', status: 200 }
  merchant = await world.newMerchant()
  key = await world.newKey({ merchant, scopes: SCOPES })
})

const hook = (path: string) => `${receiver.url}/${path}`
const configure = (payload: object, as = key) => world.call({ method: 'PATCH', url: CONFIG, payload, key: as })
const add = (body: object, as = key) => world.post(ENDPOINTS, body, { key: as })
const change = (id: string, payload: object, as = key) =>
  world.call({ method: 'PATCH', url: `${ENDPOINTS}/${id}`, payload, key: as })
const remove = (id: string, as = key) => world.call({ method: 'DELETE', url: `${ENDPOINTS}/${id}`, key: as })
const sendTest = (id: string, as = key) => world.post(`${ENDPOINTS}/${id}/test`, {}, { key: as })
const deliveries = async (query = '', as = key) => (await world.get(`${DELIVERIES}${query}`, as)).body.data.items

async function pay(simulate_status: 'successful' | 'failed') {
  const body = { amount: 1000, phone: '0754123001', simulate_status }
  const { body: answer } = await world.post('/v1/collections/wallet-push', body, { key })
  await world.work()
  return answer.data.collection_id as string
}

const isSignedBy = ({ headers, body }: ReceivedRequest, secret: string) =>
  headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex')
const arrived = (path: string) => receiver.received.filter((request) => request.path === `/hook/${path}`)

test('each of two endpoints gets its chosen events, as separate deliveries that the server signs with the secret of the endpoint', async () => {
  const shop = (await configure({ webhook_url: hook('shop') })).body.data
  const books = await add({ webhook_url: hook('books'), events: ['collection.failed'], description: 'Hesabu' })
  assert.equal(books.status, 201)
  const { id, secret, ...record } = books.body.data
  const { created_at: _, ...shown } = record
  assert.deepEqual(shown, {
    environment: 'sandbox',
    description: 'Hesabu',
    webhook_url: hook('books'),
    events: ['collection.failed'],
    secret_last4: secret.slice(-4),
  })
  await pay('successful')
  assert.deepEqual([arrived('shop').length, arrived('books').length], [1, 0])
  await pay('failed')
  assert.deepEqual([arrived('shop').length, arrived('books').length], [2, 1])
  const [to_shop, to_books] = [arrived('shop')[1], arrived('books')[0]]
  assert.ok(to_shop && to_books)
  assert.equal(to_shop.body, to_books.body)
  assert.notEqual(to_shop.headers['webhook-id'], to_books.headers['webhook-id'])
  assert.deepEqual([isSignedBy(to_shop, shop.secret), isSignedBy(to_books, secret)], [true, true])
  assert.equal(isSignedBy(to_books, shop.secret), false)
  const idsOf = async (query: string) => (await deliveries(query)).map((row: { id: string }) => row.id)
  assert.deepEqual(await idsOf(`?endpoint_id=${id}`), [to_books.headers['webhook-id']])
  assert.equal((await idsOf('?endpoint_id=default')).length, 2)
  assert.deepEqual(codeOf(await world.get(`${DELIVERIES}?endpoint_id=x`, key)), [400, 'validation_failed'])
})

test('a failing endpoint delays no other endpoint, and a replay for this endpoint sends only the deliveries of this endpoint', async () => {
  await configure({ webhook_url: hook('shop') })
  const { id } = (await add({ webhook_url: `http://127.0.0.1:1/down` })).body.data
  await pay('successful')
  assert.equal(arrived('shop').length, 1)
  for (const minutes of [1, 5, 15, 30]) {
    world.deps.clock.advance(minutes * 60_000)
    await world.work()
  }
  const [[failed], [delivered]] = [await deliveries(`?endpoint_id=${id}`), await deliveries('?endpoint_id=default')]
  assert.deepEqual([failed.status, failed.attempts.length, delivered.attempts.length], ['failed', 5, 1])
  const { token } = await world.newSession([{ role: 'DEVELOPER', merchant }])
  const { failing } = (await world.get('/v1/merchant/webhook-status', token)).body.data
  assert.deepEqual(
    failing.map((row: { environment: string; endpoint_id: string; failed: number }) => [
      row.environment,
      row.endpoint_id,
      row.failed,
    ]),
    [['sandbox', id, 1]],
  )
  await change(id, { webhook_url: hook('up') })
  const since = new Date(world.deps.clock.now().getTime() - 3_600_000).toISOString()
  const again = await world.post(`${DELIVERIES}/replay`, { since, status: 'all', endpoint_id: id }, { key })
  assert.deepEqual([again.status, again.body.data.queued], [202, 1])
  await world.work()
  assert.deepEqual([arrived('up').length, arrived('shop').length], [1, 1])
})

describe('the management of endpoints', () => {
  test('the server shows a secret in one answer only, and after a rotation signs with the previous secret too', async () => {
    const { id, secret } = (await add({ webhook_url: hook('a') })).body.data
    const read = (await world.get(`${ENDPOINTS}/${id}`, key)).body.data
    assert.deepEqual([read.secret, read.secret_last4, read.description], [undefined, secret.slice(-4), null])
    const rotated = (await change(id, { rotate_secret: true, description: 'ERP' })).body.data
    assert.equal(rotated.description, 'ERP')
    assert.equal((await change(id, { description: null })).body.data.description, null)
    assert.equal((await sendTest(id)).body.data.endpoint_id, id)
    await world.work()
    const [request] = arrived('a')
    assert.ok(request && isSignedBy(request, rotated.secret))
    const previous = createHmac('sha256', secret).update(request.body).digest('hex')
    assert.equal(request.headers['x-service-signature-previous'], previous)
  })

  test('the list shows the default endpoint, and only webhook-config changes that endpoint', async () => {
    await configure({ webhook_url: hook('shop') })
    const { id } = (await add({ webhook_url: hook('a') })).body.data
    const { items, limit } = (await world.get(ENDPOINTS, key)).body.data
    assert.deepEqual([items.map((row: { id: string }) => row.id), limit], [['default', id], 10])
    for (const name of ['default', '00000000-0000-0000-0000-000000000000']) {
      assert.deepEqual(codeOf(await change(name, { events: ['collection.failed'] })), [404, 'not_found'], name)
      assert.deepEqual(codeOf(await remove(name)), [404, 'not_found'], name)
    }
    assert.equal((await world.get(CONFIG, key)).body.data.webhook_url, hook('shop'))
    await configure({ rotate_secret: true, events: ['collection.failed'], webhook_url: hook('other') })
    const read = (await world.get(`${ENDPOINTS}/${id}`, key)).body.data
    assert.deepEqual([read.webhook_url, read.events.length], [hook('a'), 6])
  })

  test('twelve concurrent requests make nine endpoints beside the default endpoint', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => add({ webhook_url: hook(String(i)) })))
    const codes = made.map(codeOf)
    assert.equal(codes.filter(([status]) => status === 201).length, 9)
    assert.equal(codes.filter(([, code]) => code === 'webhook_endpoint_limit_reached').length, 3)
    assert.equal((await configure({ webhook_url: hook('shop') })).status, 200, 'the default endpoint has its place')
    const live_key = await world.newKey({ merchant, environment: 'live', scopes: SCOPES })
    assert.equal((await add({ webhook_url: hook('live') }, live_key)).status, 201, 'live has its own limit')
    const [first] = made.filter(({ status }) => status === 201)
    assert.equal((await remove(first?.body.data.id)).status, 200)
    assert.equal((await add({ webhook_url: hook('next') })).status, 201)
  })

  test('the server does not find the endpoint of another merchant or environment, and changes nothing', async () => {
    const live_key = await world.newKey({ merchant, environment: 'live', scopes: SCOPES })
    const live = (await add({ webhook_url: hook('live') }, live_key)).body.data
    const other_key = await world.newKey({ merchant: await world.newMerchant(), environment: 'live', scopes: SCOPES })
    for (const as of [key, other_key]) {
      assert.deepEqual(codeOf(await world.get(`${ENDPOINTS}/${live.id}`, as)), [404, 'not_found'])
      assert.deepEqual(codeOf(await change(live.id, { webhook_url: hook('stolen') }, as)), [404, 'not_found'])
      assert.deepEqual(codeOf(await sendTest(live.id, as)), [404, 'not_found'])
      assert.deepEqual(codeOf(await remove(live.id, as)), [404, 'not_found'])
      assert.deepEqual((await world.get(ENDPOINTS, as)).body.data.items, [])
    }
    const { secret: _, ...stored } = live
    assert.deepEqual((await world.get(`${ENDPOINTS}/${live.id}`, live_key)).body.data, stored)
    const limited = await world.newKey({ merchant, scopes: ['collections:write'] })
    assert.deepEqual(codeOf(await add({ webhook_url: hook('a') }, limited)), [403, 'insufficient_scope'])
  })

  test('the server refuses a bad address, an unknown event and a missing address, and stores nothing', async () => {
    const bad: [object, string][] = [
      [{ webhook_url: 'ftp://shop.example/hook' }, 'webhook_url'],
      [{ webhook_url: hook('a'), events: ['collection.paid'] }, 'events'],
      [{ webhook_url: hook('a'), events: [] }, 'events'],
      [{ events: ['collection.failed'] }, 'webhook_url'],
      [{ webhook_url: hook('a'), description: 'x'.repeat(201) }, 'description'],
    ]
    for (const [body, field] of bad) {
      const refused = await add(body)
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], JSON.stringify(body))
      assert.ok(JSON.stringify(refused.body.error.details).includes(field))
    }
    assert.deepEqual((await world.get(ENDPOINTS, key)).body.data.items, [])
  })

  test('a developer manages the endpoints of both environments, and the audit log contains each change without a secret', async () => {
    const { token } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    const addIn = (environment: Environment) =>
      world.post(`${ENDPOINTS}?environment=${environment}`, { webhook_url: hook(environment) }, { key: token })
    const [live, sandbox] = [(await addIn('live')).body.data, (await addIn('sandbox')).body.data]
    const listed = (await world.get(ENDPOINTS, token)).body.data.items.map((row: { id: string }) => row.id)
    assert.deepEqual(listed, [live.id, sandbox.id])
    assert.equal((await change(live.id, { events: ['collection.failed'] }, token)).status, 200)
    assert.deepEqual((await remove(sandbox.id, token)).body.data, { id: sandbox.id, deleted: true })
    const viewer = (await world.newSession([{ role: 'VIEWER', merchant }])).token
    assert.deepEqual(codeOf(await world.get(ENDPOINTS, viewer)), [403, 'insufficient_role'])
    const entries = await world.rows<{ action: string; target_id: string; text: string }>(
      'select action, target_id, l::text as text from audit_log l where merchant_id = $1 and action like $2 order by seq',
      [merchant.id, 'webhook_endpoint%'],
    )
    assert.deepEqual(
      entries.map(({ action, target_id }) => [action, target_id]),
      [
        ['webhook_endpoint.create', live.id],
        ['webhook_endpoint.create', sandbox.id],
        ['webhook_endpoint.update', live.id],
        ['webhook_endpoint.delete', sandbox.id],
      ],
    )
    for (const { text } of entries) assert.ok(!text.includes('whsec_') && !text.includes(live.secret))
  })
})

describe('a deleted endpoint', () => {
  test('the deletion of all endpoints also deletes an endpoint that a running transaction has added', async () => {
    const owner = { id: merchant.id, routing_code: merchant.routing_code, code: merchant.merchant_code }
    const late = { webhook_url: hook('late'), rotate_secret: false }
    const deleted = await workBeforeCommit(
      world,
      (tx) => addEndpoint(world.deps, tx, owner, 'sandbox', late),
      () => inTransaction(world.deps.db, (tx) => deleteConfigs(tx, merchant.id)),
    )
    assert.deepEqual(
      deleted.map(({ webhook_url }) => webhook_url),
      [late.webhook_url],
    )
  })

  test('the server cancels the pending deliveries of a deleted endpoint without a request, and a replay names the reason', async () => {
    const { id } = (await add({ webhook_url: hook('gone') })).body.data
    receiver.reply = { kind: 'status', status: 503 }
    await pay('successful')
    assert.equal(arrived('gone').length, 1)
    assert.equal((await remove(id)).status, 200)
    receiver.reply = { kind: 'status', status: 200 }
    world.deps.clock.advance(60_000)
    await world.work()
    const [row] = await deliveries(`?endpoint_id=${id}&status=cancelled`)
    assert.deepEqual(
      [row.status, row.next_attempt_at, row.attempts.map(({ error }: { error: string | null }) => error)],
      ['cancelled', null, ['unexpected_status', 'endpoint_deleted']],
    )
    assert.equal(arrived('gone').length, 1)
    const again = await world.post(`${DELIVERIES}/${row.id}/replay`, {}, { key })
    assert.deepEqual(codeOf(again), [409, 'invalid_state'])
    assert.match(again.body.error.message, /deleted the webhook endpoint/)
    const since = new Date(world.deps.clock.now().getTime() - 3_600_000).toISOString()
    const all = await world.post(`${DELIVERIES}/replay`, { since, status: 'all' }, { key })
    assert.equal(all.body.data.queued, 0)
  })

  test('when a merchant deletes an endpoint during an attempt, the attempt counts, and no second request follows', async () => {
    const { id } = (await add({ webhook_url: hook('gone') })).body.data
    const { promise: until, resolve: release } = Promise.withResolvers<void>()
    receiver.reply = { kind: 'status', status: 500, until }
    await sendTest(id)
    const working = world.work()
    await receiver.waitFor(1)
    assert.equal((await remove(id)).status, 200)
    release()
    await working
    world.deps.clock.advance(60_000)
    await world.work()
    const [row] = await deliveries(`?endpoint_id=${id}`)
    assert.deepEqual([row.status, row.attempts.length, arrived('gone').length], ['cancelled', 2, 1])
  })
})
