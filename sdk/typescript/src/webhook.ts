// Verifies the raw bytes of webhooks, before a program parses the body.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** The fields that every event has. Other fields depend on the event. */
export type WebhookEvent = {
  event: string
  merchant_code: string
  collection_id?: string
  disbursement_id?: string
  reference: string | null
  merchant_reference: string | null
  amount: string
  currency: string
  status: string
  method: string | null
  timestamp: string
  failure_reason_code?: string
  failure_reason_message?: string
  /** True means that a sandbox key made the payment. Never ship an order for such a payment. */
  sandbox?: true
  /** True means that the delivery is a test. Never ship an order for a test. */
  test?: true
  [field: string]: unknown
}

/** The options of `verifyWebhook`. */
export type VerifyOptions = {
  /** The raw body of the request. Pass the received bytes, not JSON that your program has parsed and serialised again. */
  body: Buffer | string
  /** The request's headers, as Node gives them, or a `Headers` object. */
  headers: Record<string, string | string[] | undefined> | Headers
  /** The signing secret (`whsec_...`). */
  secret: string
  /** The maximum age of a delivery in seconds. 0 permits any age. The default is five minutes. */
  tolerance_s?: number
  /**
   * True also accepts a request without the Standard Webhooks headers if X-<Brand>-Signature is valid. That signature covers
   * neither id nor time, so an attacker with one delivery can replay it under another id. The default is false.
   */
  allow_body_signature?: boolean
  /** The current time. By default, the clock of this machine gives the time. */
  now?: Date
}

/**
 * The signature is wrong, the delivery is too old, or the body is not an event. Answer 401, and do not process the delivery.
 */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError'
}

const PREFIX = 'whsec_'
const SECRET_BYTES_MIN = 24
const TOLERANCE_S = 300
const BRANDED = /^x-[a-z0-9]+-signature(?:-previous)?$/

/**
 * Verifies the signature of a webhook with your secret, and returns the event. The Standard Webhooks headers are decisive,
 * because their signature also covers id and time. Throws `WebhookSignatureError`, or a `TypeError` for a wrong secret or
 * tolerance. The API may deliver an event twice: store webhook-id and ignore duplicates.
 */
export function verifyWebhook(options: VerifyOptions): WebhookEvent {
  checkOptions(options)
  const headers = lowerCase(options.headers)
  const body = typeof options.body === 'string' ? Buffer.from(options.body, 'utf8') : options.body
  const id = headers.get('webhook-id')
  const timestamp = headers.get('webhook-timestamp')
  const signatures = headers.get('webhook-signature')
  if (signatures !== undefined) {
    if (id === undefined || timestamp === undefined)
      throw new WebhookSignatureError('the header webhook-id or webhook-timestamp is missing')
    checkStandard(options.secret, { id, timestamp, signatures, body })
    checkAge(timestamp, options)
  } else if (!options.allow_body_signature) {
    throw new WebhookSignatureError('the request carries no webhook-signature')
  } else {
    checkBranded(options.secret, headers, body)
    const sent = [...headers].find(([name]) => /^x-[a-z0-9]+-timestamp$/.test(name))?.[1]
    // This signature does not cover the time. The check therefore finds late deliveries, but stops no attacker.
    if (sent !== undefined) checkAge(sent, options)
  }
  return parseEvent(body)
}

/** If an option is wrong, throws a TypeError, because a wrong option must never make a signature valid. */
function checkOptions({ secret, tolerance_s }: VerifyOptions): void {
  const bytes = typeof secret === 'string' && secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  if (Buffer.from(bytes, 'base64').length < SECRET_BYTES_MIN) {
    throw new TypeError('secret must be the signing secret of your webhook configuration: it begins with whsec_')
  }
  if (tolerance_s !== undefined && !(tolerance_s >= 0)) throw new TypeError('tolerance_s must be a number of seconds')
}

function checkStandard(
  secret: string,
  { id, timestamp, signatures, body }: { id: string; timestamp: string; signatures: string; body: Buffer },
): void {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  for (const part of signatures.split(' ')) {
    const [version, signature = ''] = part.split(',')
    if (version === 'v1' && same(expected, Buffer.from(signature, 'base64'))) return
  }
  throw new WebhookSignatureError('the signature does not match')
}

function checkBranded(secret: string, headers: ReadonlyMap<string, string>, body: Buffer): void {
  const given = [...headers].filter(([name]) => BRANDED.test(name))
  if (given.length === 0) throw new WebhookSignatureError('the request carries no signature')
  const expected = createHmac('sha256', secret).update(body).digest()
  for (const [, signature] of given) {
    if (/^[0-9a-f]{64}$/i.test(signature) && same(expected, Buffer.from(signature, 'hex'))) return
  }
  throw new WebhookSignatureError('the signature does not match')
}

function checkAge(timestamp: string, { tolerance_s = TOLERANCE_S, now = new Date() }: VerifyOptions): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookSignatureError('the timestamp is not a number of seconds')
  if (tolerance_s === 0) return
  const apart_s = Math.abs(now.getTime() / 1000 - Number(timestamp))
  if (apart_s > tolerance_s)
    throw new WebhookSignatureError('the delivery is too old or too new: check the clock of your machine')
}

/** Compares two texts in constant time. */
function same(expected: Buffer, given: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(expected, given)
}

function parseEvent(body: Buffer): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(body.toString('utf8'))
  } catch {
    event = null
  }
  if (typeof event !== 'object' || event === null || typeof (event as { event?: unknown }).event !== 'string') {
    throw new WebhookSignatureError('the body is signed but is not an event')
  }
  return event as WebhookEvent
}

function lowerCase(headers: VerifyOptions['headers']): Map<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const found = new Map<string, string>()
  for (const [name, value] of entries) {
    if (value !== undefined) found.set(name.toLowerCase(), Array.isArray(value) ? value.join(',') : value)
  }
  return found
}
