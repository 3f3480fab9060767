// Makes the headers of a delivery: the headers of the platform, and those of the Standard Webhooks convention.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const PREFIX = 'whsec_'

/**
 * The two HMAC keys of a signing secret. `text` signs the header of the platform, and `bytes` (the decoded base64) the
 * header of Standard Webhooks.
 */
export type WebhookSigningKey = { text: KeyObject; bytes: KeyObject }

/** The input of the headers. `previous` is the key before a rotation. Null means that no previous key signs. */
export type SignatureInput = {
  id: string
  event: string
  body: string
  sent_at: Date
  key: WebhookSigningKey
  previous: WebhookSigningKey | null
}

/** Makes the two keys of a secret, a text of `whsec_` and base64. */
export function webhookSigningKey(secret: string): WebhookSigningKey {
  return {
    text: createSecretKey(secret, 'utf8'),
    bytes: createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64')),
  }
}

/** Returns the signing secret for random bytes: `whsec_` and base64. */
export function secretText(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64')
}

/**
 * Makes the function that returns the headers of a delivery as alternating names and values. If `brand` is `service`, a header
 * is X-Service-Signature.
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
