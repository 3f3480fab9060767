// Tests GET /v1/me, and `me` in place of a merchant id in a path.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('an API key with only the scope invoices:read can read its merchant, environment, scopes and name', async () => {
  for (const environment of ['sandbox', 'live'] as const) {
    const key = await world.newKey({ environment, scopes: ['invoices:read'] })
    const { status, body } = await world.get('/v1/me', key)
    assert.equal(status, 200)
    const { key_id, ...rest } = body.data
    assert.match(key_id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, {
      merchant_id: world.merchant.id,
      merchant_name: 'Duka la Asha',
      merchant_code: world.merchant.merchant_code,
      environment,
      scopes: ['invoices:read'],
      key_name: 'Test',
    })
  }
})

test('the endpoint /v1/me returns only the memberships of the user', async () => {
  const { token, email } = await world.newSession('VIEWER')
  const { data } = (await world.get('/v1/me', token)).body
  assert.deepEqual([data.email, data.memberships.length], [email, 1])
})

test('the server accepts "me" in path, query and body as the merchant of the key', async () => {
  for (const url of [
    '/v1/merchants/me/transactions',
    '/v1/merchants/me/transactions/export',
    '/v1/merchants/me/statements/2026-01-05',
    '/v1/disbursements?merchant_id=me',
    '/v1/collections?merchant_id=me',
    '/v1/invoices?merchant_id=me',
    '/v1/payment-links?merchant_id=me',
    '/v1/balance?merchant_id=me',
  ])
    assert.equal((await world.get(url)).status, 200, url)
  for (const [path, body] of [
    ['/v1/collections', { amount: '500' }],
    ['/v1/collections/wallet-push', { amount: '500', phone: '0754123001' }],
    ['/v1/collections/qr', { amount: '500' }],
    ['/v1/payment-links', { amount: '500' }],
  ] as const) {
    const reply = await world.post(path, { ...body, merchant_id: 'me' })
    assert.ok(reply.status < 300, `${path}: ${reply.text}`)
  }
})

test('the server treats a request with the merchant id as a replay of a request with "me" when both have one Idempotency-Key', async () => {
  const idempotency_key = crypto.randomUUID()
  const body = { amount: '500', phone: '0754123001' }
  const push = (merchant_id: string) =>
    world.post('/v1/collections/wallet-push', { ...body, merchant_id }, { idempotency_key })
  const first = await push('me')
  assert.equal(first.status, 202)
  assert.equal((await push(world.merchant.id)).text, first.text)
})

test('a key can list the disbursements of its merchant without a merchant id', async () => {
  assert.equal((await world.get('/v1/disbursements')).status, 200)
  const other = await world.newMerchant()
  assert.deepEqual(codeOf(await world.get(`/v1/disbursements?merchant_id=${other.id}`)), [403, 'merchant_mismatch'])
})

test('the server accepts "me" from a user with one merchant, and refuses "me" with a reason when a user has several merchants', async () => {
  const one = (await world.newSession('MERCHANT_ADMIN')).token
  for (const url of ['/v1/merchants/me/transactions', '/v1/merchant/api-keys?merchant_id=me', '/v1/disbursements'])
    assert.equal((await world.get(url, one)).status, 200, url)
  const key = { name: 'Mine', environment: 'sandbox', scopes: ['invoices:read'] }
  assert.equal((await world.post('/v1/merchants/me/api-keys', key, { key: one })).status, 201)

  const merchant = await world.newMerchant()
  const several = (await world.newSession([{ role: 'MERCHANT_ADMIN' }, { role: 'MERCHANT_ADMIN', merchant }])).token
  for (const url of ['/v1/merchants/me/transactions', '/v1/merchant/api-keys?merchant_id=me']) {
    const reply = await world.get(url, several)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], url)
    assert.deepEqual(reply.body.error.details.fields[0].field, 'merchant_id')
    assert.match(reply.body.error.details.fields[0].message, /several merchants/)
  }
  assert.deepEqual(codeOf(await world.get('/v1/disbursements', several)), [400, 'validation_failed'])
})
