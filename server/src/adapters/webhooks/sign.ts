// Makes the headers of a delivery: the headers of the platform, and the headers of the Standard Webhooks convention.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const PREFIX = 'whsec_'

/** The two HMAC keys of a signing secret: the text of the secret, and the bytes that its base64 part encodes. */
export type WebhookSigningKey = { text: KeyObject; bytes: KeyObject }

/** The input of a signature. `previous` is the key from before a rotation, while that key still signs. */
export type SignatureInput = {
  id: string
  event: string
  body: string
  sent_at: Date
  key: WebhookSigningKey
  previous: WebhookSigningKey | null
}

/** Makes the two keys of a secret. The text of a secret is `whsec_` and base64. */
export function webhookSigningKey(secret: string): WebhookSigningKey {
  return {
    text: createSecretKey(secret, 'utf8'),
    bytes: createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64')),
  }
}

/** Encodes random bytes as a signing secret. */
export function secretText(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64')
}

/**
 * Makes the function that returns all headers of a delivery as alternating names and values. `brand` is a part of the header
 * names: `service` makes X-Service-Signature.
 */
export function createSigner(brand: string): (delivery: SignatureInput) => string[] {
  const prefix = `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-`
  const signature = `${prefix}Signature`
  const signature_previous = `${prefix}Signature-Previous`
  const event_name = `${prefix}Event`
  const delivery_id = `${prefix}Delivery`
  const timestamp_name = `${prefix}Timestamp`
  const user_agent = `${brand}-webhooks/1`
  return ({ id, event, body, sent_at, key, previous }) => {
    const timestamp = String(Math.floor(sent_at.getTime() / 1000))
    const signed = `${id}.${timestamp}.${body}`
    let standard = standardSignature(key, signed)
    if (previous) standard += ` ${standardSignature(previous, signed)}`
    const headers = [
      'content-type',
      'application/json',
      'user-agent',
      user_agent,
      signature,
      createHmac('sha256', key.text).update(body).digest('hex'),
      event_name,
      event,
      delivery_id,
      id,
      timestamp_name,
      timestamp,
      'webhook-id',
      id,
      'webhook-timestamp',
      timestamp,
      'webhook-signature',
      standard,
    ]
    if (previous) headers.push(signature_previous, createHmac('sha256', previous.text).update(body).digest('hex'))
    return headers
  }
}

function standardSignature(key: WebhookSigningKey, signed: string): string {
  return `v1,${createHmac('sha256', key.bytes).update(signed).digest('base64')}`
}
