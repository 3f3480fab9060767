// Tests verifyWebhook with the types of JavaScript. The conformance suite contains the good and the bad signatures.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { isPaid, unknownEventNotice, verifyWebhook, type WebhookEvent, WebhookSignatureError } from './index.ts'

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const now = new Date('2026-01-05T09:00:00.000Z')
const timestamp = String(now.getTime() / 1000)
const text = '{"event":"collection.success","amount":"25000.00","reference":"Kahawa ☕","sandbox":true}'

function headersOf(body: string): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`id-1.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': 'id-1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

test('verifyWebhook accepts text, a Buffer, a part of a larger buffer and an ArrayBuffer', async () => {
  const bytes = Buffer.from(text)
  const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')])
  const part = new Uint8Array(larger.buffer, larger.byteOffset + 'before'.length, bytes.length)
  const copy = new ArrayBuffer(bytes.length)
  new Uint8Array(copy).set(bytes)
  for (const body of [text, bytes, part, copy]) {
    const event = await verifyWebhook({ body, headers: headersOf(text), secret, now })
    assert.deepEqual(event, JSON.parse(text))
  }
})

test('verifyWebhook accepts a Headers object', async () => {
  const event = await verifyWebhook({ body: text, headers: new Headers(headersOf(text)), secret, now })
  assert.equal(event.event, 'collection.success')
})

test('verifyWebhook throws a TypeError that names the mistake for a parsed body, a missing body or missing headers', async () => {
  const headers = headersOf(text)
  const wrong = [
    [{ body: JSON.parse(text), headers }, /already parsed.*raw body.*express\.raw/],
    [{ body: undefined, headers }, /body is missing.*raw body/],
    [{ body: null, headers }, /body is missing/],
    [{ body: text, headers: undefined }, /headers is missing/],
  ] as const
  for (const [options, message] of wrong) {
    await assert.rejects(
      verifyWebhook({ ...(options as never as { body: string; headers: Headers }), secret, now }),
      (error) => {
        assert.ok(error instanceof TypeError && !(error instanceof WebhookSignatureError))
        assert.match(error.message, message)
        return true
      },
    )
  }
})

test('isPaid is true only for a success that is neither a test nor of the sandbox', async () => {
  const event = await verifyWebhook({ body: text, headers: headersOf(text), secret, now })
  assert.equal(isPaid(event), false)
  const { sandbox: _sandbox, ...live } = event
  assert.equal(isPaid(live as typeof event), true)
  assert.equal(isPaid({ ...live, test: true } as typeof event), false)
  assert.equal(isPaid({ ...live, event: 'collection.failed' } as typeof event), false)
})

test('verifyWebhook accepts an event of a newer server, and unknownEventNotice states what to do', async () => {
  const body = '{"event":"loan.granted","loan":{"id":"x"}}'
  const event = await verifyWebhook({ body, headers: headersOf(body), secret, now })
  assert.match(unknownEventNotice(event) ?? '', /^The event loan\.granted is newer than this SDK .*answer 200/)
  assert.equal(unknownEventNotice({ event: 'collection.success' }), null)
  assert.match(unknownEventNotice({ event: 'constructor' }) ?? '', /newer/)
})

test('the newer events have types with their own fields', () => {
  const fieldOf = (event: WebhookEvent): string | undefined => {
    switch (event.event) {
      case 'payment_link.paid':
        return event.payment_link_id
      case 'invoice.paid':
        return event.invoice_id
      case 'invoice.overdue':
        return event.invoice_id
      case 'balance.low':
        return event.balance_below
      case 'disbursement.approved':
        return event.approved_at
      case 'disbursement.info_requested':
        return event.disbursement_id
      default:
        return undefined
    }
  }
  for (const [event, field] of [
    ['payment_link.paid', 'payment_link_id'],
    ['invoice.paid', 'invoice_id'],
    ['invoice.overdue', 'invoice_id'],
    ['balance.low', 'balance_below'],
    ['disbursement.approved', 'approved_at'],
    ['disbursement.info_requested', 'disbursement_id'],
  ] as const) {
    assert.equal(fieldOf({ event, [field]: 'x' } as never), 'x')
    assert.equal(unknownEventNotice({ event }), null)
  }
})
