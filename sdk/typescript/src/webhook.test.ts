// Tests which webhook deliveries verifyWebhook accepts and refuses.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { verifyWebhook, WebhookSignatureError } from './index.ts'

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 6).toString('base64')}`
const now = new Date('2026-01-05T09:00:00.000Z')
const timestamp = String(now.getTime() / 1000)
const body = Buffer.from('{"event":"collection.success","amount":"25000.00","reference":"Kahawa ☕","sandbox":true}')
const id = '0190a5b0-0000-8000-8000-000000000001'

const brandedSignature = (key: string, bytes = body) => createHmac('sha256', key).update(bytes).digest('hex')
function standardSignature(key: string, at = timestamp, delivery = id): string {
  const bytes = Buffer.from(key.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', bytes).update(`${delivery}.${at}.${body}`).digest('base64')}`
}
const standard = (key: string, at = timestamp) => ({
  'webhook-id': id,
  'webhook-timestamp': at,
  'webhook-signature': standardSignature(key, at),
})

test('verifyWebhook accepts a signed delivery as bytes and as text, and returns its event', () => {
  for (const given of [body, body.toString()]) {
    const event = verifyWebhook({ body: given, headers: standard(secret), secret, now })
    assert.equal(event.event, 'collection.success')
    assert.equal(event.reference, 'Kahawa ☕')
    assert.equal(event.sandbox, true)
  }
})

test('verifyWebhook refuses a captured delivery under a new id if only the body signature is present', () => {
  const headers = { 'webhook-id': 'fresh', 'X-Service-Signature': brandedSignature(secret) }
  assert.throws(() => verifyWebhook({ body, headers, secret, now }), /carries no webhook-signature/)
})

test('verifyWebhook throws a TypeError when the secret is empty or the tolerance is not a number', () => {
  for (const empty of ['', 'whsec_', '   ', 'whsec_AAAA', undefined as unknown as string]) {
    const key = Buffer.from((empty ?? '').replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = { ...standard(secret), 'webhook-signature': `v1,${signature}` }
    assert.throws(() => verifyWebhook({ body, headers, secret: empty, now }), /secret must be/)
  }
  assert.throws(
    () => verifyWebhook({ body, headers: standard(secret), secret, now, tolerance_s: Number.NaN }),
    /tolerance_s must be/,
  )
})

test('if the caller sets the option, verifyWebhook accepts the branded signature alone, for any brand and header case', () => {
  const allow_body_signature = true
  for (const name of ['X-Service-Signature', 'x-duka-signature']) {
    const headers = { [name]: brandedSignature(secret), 'X-Service-Timestamp': timestamp }
    assert.equal(verifyWebhook({ body, headers, secret, now, allow_body_signature }).amount, '25000.00')
  }
  const headers = new Headers({ 'X-Service-Signature': brandedSignature(secret) })
  assert.ok(verifyWebhook({ body, headers, secret, now, allow_body_signature }))
})

test('verifyWebhook refuses a changed byte, a signature by another secret, and a missing signature', () => {
  const changed = Buffer.from(body.toString().replace('25000', '95000'))
  const pretty = JSON.stringify(JSON.parse(body.toString()), null, 1)
  const cases = [
    { body: changed, headers: standard(secret) },
    { body: pretty, headers: standard(secret) },
    { body, headers: standard(other) },
    { body: changed, headers: { 'x-service-signature': brandedSignature(secret) } },
    { body, headers: { 'x-service-signature': brandedSignature(other) } },
    { body, headers: { 'x-service-signature': '' } },
    { body, headers: { 'x-service-signature': 'zz'.repeat(32) } },
    { body, headers: {} },
    { body, headers: { ...standard(secret), 'webhook-id': 'another' } },
    { body, headers: { ...standard(secret), 'webhook-id': undefined } },
    // A valid branded signature must not replace a wrong Standard Webhooks signature.
    { body, headers: { ...standard(other), 'x-service-signature': brandedSignature(secret) } },
  ]
  for (const given of cases) {
    for (const allow_body_signature of [false, true]) {
      const check = () => verifyWebhook({ ...given, secret, now, allow_body_signature })
      assert.throws(check, WebhookSignatureError, JSON.stringify(given.headers))
    }
  }
})

test('verifyWebhook refuses a body that is signed but is not an event', () => {
  for (const text of ['', 'ok', '{', 'null', '[]', '{"event":5}']) {
    const signed = { 'x-service-signature': createHmac('sha256', secret).update(text).digest('hex') }
    const check = () => verifyWebhook({ body: text, headers: signed, secret, now, allow_body_signature: true })
    assert.throws(check, /not an event/, text)
  }
})

test('verifyWebhook refuses an old delivery that an attacker replays', () => {
  const old = String(now.getTime() / 1000 - 301)
  assert.throws(() => verifyWebhook({ body, headers: standard(secret, old), secret, now }), /too old/)
  assert.throws(() =>
    verifyWebhook({ body, headers: { ...standard(secret, old), 'webhook-timestamp': timestamp }, secret, now }),
  )
  assert.ok(verifyWebhook({ body, headers: standard(secret, old), secret, now, tolerance_s: 600 }))
  assert.ok(verifyWebhook({ body, headers: standard(secret, old), secret, now, tolerance_s: 0 }))
})

test('verifyWebhook accepts the old and the new secret during the rotation of a secret', () => {
  const headers = {
    ...standard(secret),
    'webhook-signature': `${standardSignature(other)} ${standardSignature(secret)}`,
  }
  for (const either of [secret, other]) assert.ok(verifyWebhook({ body, headers, secret: either, now }))
  const branded = {
    'x-service-signature': brandedSignature(other),
    'x-service-signature-previous': brandedSignature(secret),
  }
  for (const either of [secret, other])
    assert.ok(verifyWebhook({ body, headers: branded, secret: either, now, allow_body_signature: true }))
})
