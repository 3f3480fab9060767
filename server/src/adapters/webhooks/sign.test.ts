// Tests the headers of a delivery with the checks of a receiver.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createSigner, secretText, webhookSigningKey } from './sign.ts'

const secret = secretText(Buffer.alloc(32, 7))
const old_secret = secretText(Buffer.alloc(32, 8))
const body = '{"event":"collection.success","reference":"Ünïcode ✓"}'

function headersOf(brand: string, previous: string | null): Record<string, string> {
  const list = createSigner(brand)({
    id: '018f-id',
    event: 'collection.success',
    body,
    sent_at: new Date(),
    key: webhookSigningKey(secret),
    previous: previous === null ? null : webhookSigningKey(previous),
  })
  const headers: Record<string, string> = {}
  for (let i = 0; i < list.length; i += 2) headers[list[i] as string] = list[i + 1] as string
  return headers
}

const hex = (key: string) => createHmac('sha256', key).update(body).digest('hex')

test('a receiver can verify the signature over the raw bytes with the secret from the dashboard', () => {
  const headers = headersOf('service', null)
  assert.equal(headers['X-Service-Signature'], hex(secret))
  assert.equal(headers['X-Service-Event'], 'collection.success')
  assert.equal(headers['X-Service-Delivery'], '018f-id')
  assert.match(headers['X-Service-Timestamp'] ?? '', /^\d{10}$/)
  assert.equal(headers['X-Service-Signature-Previous'], undefined)
})

test('the signer puts the brand of the platform into the header names of a delivery', () => {
  assert.equal(headersOf('pesa', null)['X-Pesa-Signature'], hex(secret))
})

test('a Standard Webhooks library accepts a delivery and refuses an altered delivery', () => {
  const headers = headersOf('service', null)
  assert.equal(headers['webhook-id'], headers['X-Service-Delivery'])
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
  assert.throws(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'another' }))
})

test('receivers with the old or the new secret can verify a delivery that the server signed with both secrets', () => {
  const headers = headersOf('service', old_secret)
  assert.equal(headers['X-Service-Signature'], hex(secret))
  assert.equal(headers['X-Service-Signature-Previous'], hex(old_secret))
  for (const known of [secret, old_secret]) assert.deepEqual(new Webhook(known).verify(body, headers), JSON.parse(body))
})
