// Tests unknown fields of a body: the server ignores unknown fields and names them in a header.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'

const PUSH = '/v1/collections/wallet-push'
const BODY = { amount: '10', phone: '0754123001' }

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const ignored = (reply: Reply) => reply.headers['x-service-ignored-fields']

test('the response names the unknown fields of a body, and names nested fields by their path', async () => {
  const known = await world.post(PUSH, { ...BODY, reference: 'R', merchant_id: 'me', customer_name: 'Asha' })
  assert.equal(known.status, 202, known.text)
  assert.equal(ignored(known), undefined)
  const mistyped = await world.post(PUSH, { ...BODY, refrence: 'X', b: { c: 1 } })
  assert.equal(mistyped.status, 202)
  assert.equal(ignored(mistyped), 'refrence, b')
  const item = { description: 'Maize', quantity: '1', unit_price: '10.00' }
  const invoice = await world.post('/v1/invoices', {
    customer_name: 'Asha',
    customer_phone: '0754123001',
    due_date: '2026-02-01',
    items: [{ ...item, qty: 1 }, item, { ...item, 'unit price': 2 }],
  })
  assert.equal(invoice.status, 201, invoice.text)
  assert.equal(ignored(invoice), 'items[0].qty, items[2].unit%20price')
})

test('replayed answers and refusals name the unknown fields too', async () => {
  const idempotency_key = crypto.randomUUID()
  for (const replayed of [undefined, 'true']) {
    const reply = await world.post(PUSH, { ...BODY, note: 1 }, { idempotency_key })
    assert.equal(reply.headers['idempotency-replayed'], replayed)
    assert.equal(ignored(reply), 'note')
  }
  const reused = await world.post(PUSH, { ...BODY, note: 2 }, { idempotency_key })
  assert.deepEqual([reused.status, ignored(reused)], [422, 'note'])
  const invalid = await world.post(PUSH, { amount: '10', phnoe: '0754123001' })
  assert.deepEqual([invalid.status, ignored(invalid)], [400, 'phnoe'])
  const link = (await world.post('/v1/payment-links', { amount: '1000', amuont: 1 })).body.data
  const collect = `/public/payment-links/${link.public_slug}/collect`
  const paid = await world.post(collect, { method: 'WALLET_PUSH', customer_phone: '0754123001', tip: 5 }, { key: null })
  assert.deepEqual([paid.status, ignored(paid)], [202, 'tip'])
  assert.match(String(paid.headers['access-control-expose-headers']), /X-Service-Ignored-Fields/)
})

test('the response names all fields of a body when the call accepts no body', async () => {
  const { collection_id } = (await world.post(PUSH, BODY)).body.data
  const reply = await world.post(`/v1/collections/${collection_id}/refresh-status`, { force: true })
  assert.deepEqual([reply.status, ignored(reply)], [200, 'force'])
})

test('the header of ignored fields is short and contains only visible ASCII, whatever the field names', async () => {
  for (const name of [
    'jina la mteja',
    'ключ',
    'a\r\nset-cookie: x=1',
    '\u0000',
    '\ud800',
    'a,b',
    '%',
    '',
    'x'.repeat(9_000),
  ]) {
    const reply = await world.post(PUSH, { ...BODY, [name]: 1 })
    assert.equal(reply.status, 202, JSON.stringify(name.slice(0, 20)))
    assert.match(String(ignored(reply)), /^[\x21-\x7e]+$/)
    assert.ok(String(ignored(reply)).length < 700)
    assert.equal(reply.headers['set-cookie'], undefined)
  }
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`field_number_${i}`, 1]))
  const reply = await world.post(PUSH, { ...BODY, ...many })
  assert.equal(reply.status, 202)
  assert.ok(String(ignored(reply)).length < 1_100)
  assert.match(String(ignored(reply)), /, \.\.\.$/)
})

test('the request log shows the ignored fields to developers', async () => {
  const reply = await world.post(PUSH, { ...BODY, refrence: 'X' })
  await world.work()
  const { token } = await world.newSession('DEVELOPER')
  const q = String(reply.headers['x-request-id'])
  const [entry] = (await world.get(`/v1/merchant/requests?environment=sandbox&q=${q}`, token)).body.data.items
  const shown = await world.get(`/v1/merchant/requests/${entry.id}?environment=sandbox`, token)
  assert.equal(shown.body.data.ignored_fields, 'refrence')
  assert.ok(world.deps.logged.some((line) => line.includes('"ignored_fields":"refrence"')))
})

test('no header and no log contains a secret that the caller sent as the name of a field', async () => {
  const secret = `whsec_${'aB3+/='.repeat(7)}`
  for (const body of [
    { [secret]: 1 },
    { [`${'x'.repeat(50)} ${secret}`]: 1 },
    { [world.live_key]: 1 },
    { metadata_: 1, [`a ${secret}`]: { b: 1 } },
  ]) {
    const reply = await world.post(PUSH, { ...BODY, ...body })
    assert.equal(reply.status, 202)
    const named = decodeURIComponent(String(ignored(reply)))
    assert.ok(!named.includes('whsec_') && !named.includes(world.live_key.slice(0, 30)), named)
  }
  assert.ok(!/whsec_aB3/.test(world.deps.logged.join('')))
})
