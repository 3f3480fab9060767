// Tests query parameters: each documented call declares its parameters and refuses all others.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'

let world: World
let people: string
before(async () => {
  world = await createWorld()
  people = (await world.newSession([{ role: 'MERCHANT_ADMIN' }, { role: 'SUPER_ADMIN' }])).token
})
after(() => world.close())

const fieldsOf = (reply: Reply): { field: string; message: string }[] => reply.body.error?.details?.fields ?? []

const CSV = { payload: 'a,b', headers: { 'content-type': 'text/csv' } }

/** Lists the operations of the document, with an id for each path parameter. */
function operations(): { method: 'GET' | 'POST'; path: string; url: string; keys: boolean; people: boolean }[] {
  const { paths } = world.system.app.swagger() as { paths: Record<string, Record<string, { security?: object[] }>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => ({
      method: method.toUpperCase() as 'GET',
      path,
      url: path.replace('{merchant_id}', world.merchant.id).replaceAll(/\{\w+\}/g, crypto.randomUUID()),
      keys: security.some((one) => 'api_key' in one),
      people: security.some((one) => 'session' in one),
    })),
  )
}

test('every documented call refuses an unknown query parameter and names the parameter', async () => {
  const all = operations()
  assert.ok(all.length > 90, String(all.length))
  for (const { method, path, url, people: takes_people } of all) {
    const reply = await world.call({
      method,
      url: `${url}?stauts=failed`,
      key: takes_people ? people : world.sandbox_key,
      idempotency_key: crypto.randomUUID(),
      ...(method === 'GET' ? {} : path === '/v1/operator/statements' ? CSV : { payload: {} }),
    })
    assert.equal(reply.status, 400, `${method} ${path}: ${reply.text}`)
    assert.equal(reply.body.error.code, 'validation_failed', path)
    assert.deepEqual(
      fieldsOf(reply).map(({ field }) => field),
      ['stauts'],
      path,
    )
  }
})

test('the refusal of a mistyped filter suggests the correct name', async () => {
  for (const [typed, meant] of [
    ['stauts', 'status'],
    ['Status', 'status'],
    ['pageSize', 'page_size'],
    ['page-size', 'page_size'],
    ['refrence', 'reference'],
    ['enviroment', 'environment'],
    ['phon', 'phone'],
  ]) {
    const reply = await world.get(`/v1/collections?${typed}=x`)
    assert.equal(reply.status, 400, reply.text)
    const [{ field, message } = { field: '', message: '' }] = fieldsOf(reply)
    assert.equal(field, typed)
    assert.ok(message.endsWith(`Did you mean ${meant}?`), message)
  }
  const [far] = fieldsOf(await world.get('/v1/collections?zzzzzz=1'))
  assert.match(
    far?.message ?? '',
    /which takes environment, from, merchant_id, metadata\[name\], method, page, page_size/,
  )
})

test('the server answers thousands of unknown parameters with a short refusal', async () => {
  const names = Array.from({ length: 2_000 }, (_, i) => `x${i}=`).join('&')
  const reply = await world.get(`/v1/collections?${names}`)
  assert.equal(reply.status, 400)
  assert.ok(reply.text.length < 8_000, String(reply.text.length))
})

test('the server creates nothing and keeps the Idempotency-Key unused when a POST has an unknown query parameter', async () => {
  const idempotency_key = crypto.randomUUID()
  const body = { amount: '500', phone: '0754123001', reference: 'query-post' }
  const refused = await world.post('/v1/collections/wallet-push?simulate_staus=failed', body, { idempotency_key })
  assert.equal(refused.status, 400)
  assert.equal((await world.post('/v1/collections/wallet-push', body, { idempotency_key })).status, 202)
  assert.equal((await world.get('/v1/collections?reference=query-post')).body.data.pagination.total_items, 1)
})

test('the server refuses a caller without access before the server names any parameter', async () => {
  const unsigned = await world.call({ method: 'GET', url: '/v1/collections?stauts=failed', key: null })
  assert.deepEqual([unsigned.status, unsigned.body.error.code], [401, 'authentication_required'])
  const key = await world.newKey({ scopes: ['invoices:read'] })
  assert.equal((await world.get('/v1/collections?stauts=failed', key)).status, 403)
})

test('a call for a merchant accepts merchant_id and environment in the query', async () => {
  const query = `?merchant_id=${world.merchant.id}&environment=sandbox`
  assert.equal((await world.get(`/v1/balance${query}`)).status, 200)
  const pushed = await world.post(`/v1/collections/wallet-push${query}`, { amount: '500', phone: '0754123001' })
  assert.equal(pushed.status, 202, pushed.text)
})

test('a payer opens a shared link to which another site has added a tracking parameter', async () => {
  const link = await world.post('/v1/payment-links', { amount: '1000' })
  const { public_slug } = link.body.data
  for (const query of ['?utm_source=whatsapp&fbclid=abc', '?gclid=1&lang=en', '?key=1']) {
    const page = await world.call({ method: 'GET', url: `/pay/${public_slug}${query}`, key: null })
    assert.equal(page.status, 200, query)
  }
  for (const url of ['/?utm_source=x', '/docs?utm_source=x', '/openapi.json?x=1'])
    assert.equal((await world.call({ method: 'GET', url, key: null })).status, 200, url)
})

test('the server refuses an API key as the name of a query parameter, with and without a value', async () => {
  const alone = await world.call({ method: 'GET', url: `/v1/collections?${world.sandbox_key}`, key: null })
  assert.deepEqual([alone.status, alone.body.error.code], [401, 'authentication_required'])
  const with_header = await world.get(`/v1/collections?${world.sandbox_key}=1`)
  assert.deepEqual([with_header.status, with_header.body.error.code], [400, 'validation_failed'])
  assert.ok(!with_header.text.includes(world.sandbox_key))
  assert.ok(!world.deps.logged.join('').includes(world.sandbox_key))
})
