// Verifies the raw bytes of webhooks before the merchant's program parses the body.

import type { WebhookEvent } from './api-types.ts'
import { fromBase64, fromHex, hmacSha256, isSame, utf8 } from './crypto.ts'

/** A received webhook request, and the secrets and the tolerance with which `verifyWebhook` checks it. */
export type VerifyOptions = {
  /**
   * The raw body of the request: the received bytes, or their text. If your program parses and serialises the JSON again, the
   * signature does not match.
   */
  body: string | Uint8Array | ArrayBuffer
  /** The headers of the request, in the form of your framework, or a `Headers` object. */
  headers: Headers | Record<string, string | readonly string[] | undefined>
  /** The signing secret (`whsec_...`), or several secrets, such as the old and the new one of a rotation. */
  secret: string | readonly string[]
  /**
   * The maximum difference in seconds between the time of the delivery and the clock of your server. 0 permits any difference.
   * The default is 300.
   */
  tolerance?: number
  /**
   * If true, also accepts a request with only the header X-<Brand>-Signature. That signature covers neither id nor time, so an
   * attacker with one delivery can replay it under another id. The default is false.
   */
  allowBodySignature?: boolean
  /** The middle part of the header X-<Brand>-Signature, such as 'service'. By default, any brand is valid. */
  brand?: string
  /** The current time. By default, the clock of your server gives the time. */
  now?: Date
}

/** The reason why `verifyWebhook` refused a request. */
export type WebhookRefusal = 'missing_signature' | 'signature_mismatch' | 'timestamp_out_of_tolerance' | 'invalid_event'

/** The request is no valid webhook. Answer 401, and ignore its content. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError'
  /** The reason for the refusal. */
  readonly code: WebhookRefusal
  constructor(code: WebhookRefusal, message: string) {
    super(message)
    this.code = code
  }
}

const PREFIX = 'whsec_'
const SECRET_BYTES_MIN = 24
const TOLERANCE_S = 300
const RAW_BODY_HELP =
  "Pass the raw body, before any JSON parser: express.raw({ type: 'application/json' }) in Express, await request.text() in fetch handlers."

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Verifies the signature of a webhook, and returns its event. If the request is no valid webhook, throws a
 * `WebhookSignatureError`. For a mistake in the program, throws a `TypeError`. The API may deliver an event again, so store the
 * header webhook-id.
 */
export async function verifyWebhook(options: VerifyOptions): Promise<WebhookEvent> {
  const { tolerance = TOLERANCE_S, brand, allowBodySignature } = options
  if (!(tolerance >= 0)) throw new TypeError('tolerance must be a number of seconds, 0 or more.')
  if (brand !== undefined && !/^[a-z][a-z0-9]{1,19}$/i.test(brand)) {
    throw new TypeError("brand must be the middle part of the header name X-<Brand>-Signature, such as 'service'.")
  }
  const secrets = checkedSecrets(options.secret)
  const body = bytesOf(options.body)
  const headers = lowerCase(options.headers)
  const signatures = headers.get('webhook-signature')
  let timestamp: string | undefined
  if (signatures !== undefined) {
    const id = headers.get('webhook-id')
    timestamp = headers.get('webhook-timestamp')
    if (id === undefined || timestamp === undefined) throw missing('webhook-id or webhook-timestamp')
    await checkStandard(secrets, signatures, utf8(`${id}.${timestamp}.`), body)
  } else if (allowBodySignature) {
    const names = brand === undefined ? '[a-z0-9]+' : brand.toLowerCase()
    await checkBranded(secrets, headers, names, body)
    // This signature does not cover the time. So this check finds late deliveries, but an attacker can change the time.
    timestamp = valuesOf(headers, `^x-${names}-timestamp$`)[0]
  } else throw missing('webhook-signature')
  if (timestamp !== undefined) checkAge(timestamp, tolerance, options.now ?? new Date())
  return eventOf(body)
}

function missing(name: string): WebhookSignatureError {
  return new WebhookSignatureError(
    'missing_signature',
    `The request has no header ${name}: it is no webhook, or a proxy removes the header. Answer 401, and check your proxies.`,
  )
}

function checkedSecrets(given: string | readonly string[]): { text: string; bytes: Bytes }[] {
  const secrets = typeof given === 'string' ? [given] : given
  const found = (Array.isArray(secrets) ? secrets : []).map((text: unknown) => {
    const bytes = typeof text === 'string' && text.startsWith(PREFIX) ? fromBase64(text.slice(PREFIX.length)) : null
    return bytes !== null && bytes.length >= SECRET_BYTES_MIN ? { text: text as string, bytes } : null
  })
  if (found.length === 0 || found.includes(null)) {
    throw new TypeError(
      'secret must be the signing secret of your webhook endpoint, unchanged: it begins with whsec_. It is not the API key.',
    )
  }
  return found as { text: string; bytes: Bytes }[]
}

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return utf8(body)
  // The second condition accepts an ArrayBuffer of another realm, such as that of a test runner.
  if (body instanceof ArrayBuffer || Object.prototype.toString.call(body) === '[object ArrayBuffer]') {
    return new Uint8Array(body as ArrayBuffer)
  }
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength)
  const what = body === undefined || body === null ? 'missing' : 'already parsed'
  throw new TypeError(`body is ${what}. ${RAW_BODY_HELP}`)
}

async function checkStandard(
  secrets: readonly { bytes: Bytes }[],
  signatures: string,
  head: Bytes,
  body: Bytes,
): Promise<void> {
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  const given = signatures
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? (fromBase64(part.slice(3)) ?? []) : []))
  for (const { bytes } of secrets) {
    const expected = await hmacSha256(bytes, message)
    if (given.some((one) => isSame(expected, one))) return
  }
  throw mismatch()
}

async function checkBranded(
  secrets: readonly { text: string }[],
  headers: ReadonlyMap<string, string>,
  names: string,
  body: Bytes,
): Promise<void> {
  const given = valuesOf(headers, `^x-${names}-signature(?:-previous)?$`)
  if (given.length === 0) throw missing(`X-${names === '[a-z0-9]+' ? 'Service' : names}-Signature`)
  const decoded = given.flatMap((text) => fromHex(text) ?? [])
  for (const { text } of secrets) {
    const expected = await hmacSha256(utf8(text), body)
    if (decoded.some((one) => isSame(expected, one))) return
  }
  throw mismatch()
}

function mismatch(): WebhookSignatureError {
  return new WebhookSignatureError(
    'signature_mismatch',
    `The signature does not match: the secret is of another endpoint or environment, or the body is not the raw body. ${RAW_BODY_HELP}`,
  )
}

function checkAge(timestamp: string, tolerance: number, now: Date): void {
  const refuse = (message: string) => {
    throw new WebhookSignatureError('timestamp_out_of_tolerance', message)
  }
  if (!/^\d{1,12}$/.test(timestamp)) {
    refuse(
      'The time of the delivery is not a number of seconds. Answer 401, and check whether a proxy changes the header.',
    )
  }
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  if (tolerance === 0 || Math.abs(age) <= tolerance) return
  refuse(
    `The time of the delivery is ${Math.abs(age)} seconds ${age > 0 ? 'behind' : 'ahead of'} the clock of this machine; the tolerance is ${tolerance}. If this happens to every delivery, correct the clock (NTP); otherwise it is a replay.`,
  )
}

function eventOf(body: Bytes): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body))
  } catch {
    event = null
  }
  if (typeof event !== 'object' || event === null || typeof (event as { event?: unknown }).event !== 'string') {
    throw new WebhookSignatureError(
      'invalid_event',
      'The body is signed, but is not an event. Answer 401, and check whether another program signs with this secret.',
    )
  }
  return event as WebhookEvent
}

function valuesOf(headers: ReadonlyMap<string, string>, pattern: string): string[] {
  return [...headers].filter(([name]) => new RegExp(pattern).test(name)).map(([, value]) => value)
}

function lowerCase(headers: VerifyOptions['headers']): Map<string, string> {
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError('headers is missing: pass the headers of the request.')
  }
  const found = new Map<string, string>()
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'string') found.set(name.toLowerCase(), value)
    else if (Array.isArray(value)) found.set(name.toLowerCase(), value.join(','))
  }
  const { forEach } = headers as Headers
  if (typeof forEach === 'function') forEach.call(headers, (value: string, name: string) => add(name, value))
  else for (const [name, value] of Object.entries(headers)) add(name, value)
  return found
}
