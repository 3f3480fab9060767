// Tests the OpenAPI document, the start with a wrong access of a route, and the compression of answers.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createWorld, type World } from '../../../test/harness.ts'
import { createApp } from './app.ts'
import { inlineRefs } from './openapi-share.ts'

type Operation = {
  parameters?: { in: string; name: string }[]
  security?: object[]
  responses: Record<string, unknown>
}

let world: World
let paths: Record<string, Record<string, Operation>>
before(async () => {
  world = await createWorld()
  const document = JSON.parse((await world.get('/openapi.json')).text)
  paths = inlineRefs(document).paths as typeof paths
})
after(() => world.close())

test('every documented call declares the refusals that follow from its access, path, method and Idempotency-Key', () => {
  const missing: string[] = []
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [], security = [], responses }] of Object.entries(methods)) {
      const expected = [400, 500, 503]
      if (security.length > 0) expected.push(401, 403, 429)
      if (!['/healthz', '/readyz'].includes(path)) expected.push(429)
      if (path.includes('{')) expected.push(404)
      if (method !== 'get') expected.push(413, 415)
      if (parameters.some((one) => one.in === 'header' && /^idempotency-key$/i.test(one.name))) expected.push(409, 422)
      const lacking = expected.filter((status) => !(String(status) in responses))
      if (lacking.length > 0) missing.push(`${method} ${path}: ${[...new Set(lacking)].join(' ')}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('the app does not start with a route that names no access or an unknown access', async () => {
  const withConfig = (config: object) =>
    createApp(world.deps, {
      authenticate: () => Promise.reject(new Error('no request comes')),
      isKey: () => false,
      routes: [(app) => void app.get('/v1/secret', { config }, async () => 'secret')],
    })
  await assert.rejects(withConfig({}), /route GET \/v1\/secret names no access/)
  for (const access of ['operator', 'operator:', 'operator:everything', 'operator:toString', 'sessions']) {
    await assert.rejects(withConfig({ access }), new RegExp(`route GET /v1/secret names an unknown access: ${access}`))
  }
})

/** The sums in every record: the first field is the sum of the second and third fields. */
const SUMS = [
  ['amount', 'fee', 'net_amount'],
  ['amount', 'fee', 'net'],
  ['total_reserved_amount', 'amount', 'total_charges'],
  ['total_reserved_amount', 'withdrawal_amount', 'total_charges'],
  ['infinity_fee', 'percentage_fee', 'flat_fee'],
  ['total_charges', 'infinity_fee', 'processor_charge'],
] as const

test('the amounts in the examples of the OpenAPI document are correct sums', () => {
  let compared = 0
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const example = (name: string) => {
      const found = (value as Record<string, unknown>)[name]
      return typeof found === 'string' && /^[0-9.]+$/.test(found) ? Number(found) : null
    }
    for (const [total, one, other] of SUMS) {
      const [sum, first, second] = [example(total), example(one), example(other)]
      if (sum === null || first === null || second === null) continue
      assert.equal(sum, first + second, `${total} = ${one} + ${other}`)
      compared += 1
    }
    const [net, amount] = [example('recipient_net_amount'), example('amount')]
    if (net !== null && amount !== null) assert.equal(net, amount)
    for (const inner of Object.values(value)) look(inner)
  }
  look(paths)
  assert.ok(compared > 0)
})

test('the server compresses the documentation, and answers 304 to a browser that has the current version', async () => {
  for (const url of ['/docs', '/openapi.json', '/openapi.merchant.json']) {
    const ask = async (headers: Record<string, string>) => {
      const reply = await world.system.app.inject({ method: 'GET', url, headers })
      return { status: reply.statusCode, headers: reply.headers, text: reply.body, bytes: reply.rawPayload }
    }
    const plain = await ask({})
    assert.equal(plain.status, 200)
    assert.equal(plain.headers['content-encoding'], undefined)
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const reply = await ask({ 'accept-encoding': encoding })
      assert.equal(reply.headers['content-encoding'], encoding, url)
      assert.match(String(reply.headers.vary), /^accept-encoding/i)
      assert.ok(unpack(reply.bytes).equals(plain.bytes))
      assert.ok(reply.bytes.length < plain.bytes.length / 5, `${url} ${reply.bytes.length} of ${plain.bytes.length}`)
      const again = await ask({ 'accept-encoding': encoding, 'if-none-match': String(reply.headers.etag) })
      assert.deepEqual([again.status, again.text], [304, ''])
    }
    assert.equal((await ask({ 'accept-encoding': 'br;q=0, identity' })).headers['content-encoding'], undefined)
  }
})

test('the server compresses a large list when the client accepts compression, but no small list and no new API key', async () => {
  for (let i = 0; i < 30; i++)
    await world.post('/v1/collections/wallet-push', { amount: '500', phone: '0754123001', description: `Order ${i}` })
  const { token } = await world.newSession('MERCHANT_ADMIN')
  const headers = { 'accept-encoding': 'gzip, br' }
  const get = (url: string, more: object = headers) =>
    world.system.app.inject({ url, headers: { authorization: `Bearer ${world.sandbox_key}`, ...more } })
  const plain = await get('/v1/collections?page_size=100', {})
  assert.equal(plain.headers['content-encoding'], undefined)
  const packed = await get('/v1/collections?page_size=100')
  assert.equal(packed.headers['content-encoding'], 'br')
  assert.equal(packed.headers.vary, 'Accept-Encoding')
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), plain.body)
  const zipped = await get('/v1/collections?page_size=100', { 'accept-encoding': 'gzip' })
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body)
  assert.equal((await get('/v1/collections?page_size=1')).headers['content-encoding'], undefined)
  const made = await world.system.app.inject({
    method: 'POST',
    url: '/v1/merchant/api-keys',
    payload: { name: 'x'.repeat(90), environment: 'sandbox', scopes: ['invoices:read'] },
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  assert.equal(made.statusCode, 201)
  assert.equal(made.headers['content-encoding'], undefined)
})
