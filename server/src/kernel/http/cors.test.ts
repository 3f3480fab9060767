// Tests CORS: browsers allow the checkout pages of merchants, which have other origins, to call only /public/*.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'

let world: World
let slug: string
before(async () => {
  world = await createWorld({ env: { RATE_LIMIT_PAYERS: '9', RATE_LIMIT_PER_ADDRESS: '1000' } })
  slug = (await world.post('/v1/payment-links', { amount: '1000' })).body.data.public_slug
})
after(() => world.close())

const ORIGIN = 'https://duka.example'
const from = (
  method: 'GET' | 'POST' | 'OPTIONS',
  url: string,
  headers: Record<string, string> = {},
  payload?: object,
) => world.call({ method, url, key: null, headers: { origin: ORIGIN, ...headers }, ...(payload ? { payload } : {}) })

function open(reply: Reply): void {
  assert.equal(reply.headers['access-control-allow-origin'], '*', reply.text)
  assert.equal(reply.headers['access-control-allow-credentials'], undefined)
  const exposed = String(reply.headers['access-control-expose-headers']).toLowerCase().split(', ')
  for (const name of [
    'idempotency-replayed',
    'retry-after',
    'ratelimit-limit',
    'ratelimit-remaining',
    'ratelimit-reset',
  ])
    assert.ok(exposed.includes(name), name)
  assert.ok(exposed.includes('x-request-id'))
}

test('the preflight request of a public call returns the allowed methods and headers', async () => {
  const preflight = await from('OPTIONS', `/public/payment-links/${slug}/collect`, {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,idempotency-key,accept-language,x-request-id',
  })
  assert.equal(preflight.status, 204)
  open(preflight)
  const allowed = String(preflight.headers['access-control-allow-headers']).toLowerCase()
  for (const name of ['content-type', 'idempotency-key', 'accept-language', 'x-request-id'])
    assert.ok(allowed.includes(name), name)
  assert.match(String(preflight.headers['access-control-allow-methods']), /GET, POST/)
})

test('a page of another origin can read each answer of a public call, including refusals', async () => {
  const url = `/public/payment-links/${slug}`
  const collect = (headers: Record<string, string>, body: object) => from('POST', `${url}/collect`, headers, body)
  const shown = await from('GET', url)
  assert.equal(shown.status, 200)
  open(shown)
  const payment = { method: 'WALLET_PUSH', customer_phone: '0754123001' }
  const paid = await collect({ 'idempotency-key': 'cors-1' }, payment)
  assert.equal(paid.status, 202, paid.text)
  open(paid)
  for (const [status, reply] of [
    [400, await collect({}, payment)],
    [400, await from('GET', `${url}?x=1`)],
    [404, await from('GET', '/public/payment-links/nothing-here')],
    [404, await from('GET', '/public/nothing')],
    [404, await from('GET', '/public/%zz')],
  ] as const) {
    assert.equal(reply.status, status, reply.text)
    open(reply)
  }
  let limited: Reply | null = null
  for (let i = 0; i < 12 && limited === null; i++) {
    const reply = await collect({ 'idempotency-key': `cors-limit-${i}` }, payment)
    if (reply.status === 429) limited = reply
  }
  assert.ok(limited !== null)
  open(limited)
  assert.ok(limited.headers['retry-after'])
})

test('a page of another origin cannot read the answer of a call outside /public', async () => {
  for (const url of ['/v1/collections', '/v1/me', '/v1/destinations', '/healthz', '/openapi.json', `/pay/${slug}`]) {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const reply = await from(method, url, { 'access-control-request-method': 'GET' })
      assert.equal(reply.headers['access-control-allow-origin'], undefined, `${method} ${url}`)
    }
  }
})
