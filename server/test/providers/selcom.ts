// Helpers for the tests of Selcom's adapter: a small server that follows a script and checks every signature.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { ExchangeResult } from '../../src/adapters/providers/exchange.ts'
import type { Answer, PaymentRequest, PayoutAnswer, PayoutRequest } from '../../src/adapters/providers/port.ts'
import {
  createSelcomProvider,
  type SelcomOptions,
  type SelcomProvider,
} from '../../src/adapters/providers/selcom/adapter.ts'
import { classifySelcomExchange, type SelcomVerdict } from '../../src/adapters/providers/selcom/envelope.ts'
import { createLog, seededRandom, systemClock } from '../../src/kernel/lib/index.ts'
import { closing, listen } from './servers.ts'

/** The API key of the tests. The key protects nothing. */
export const KEY = 'the-api-key-of-the-tests'
/** The API secret of the tests. The secret protects nothing. */
export const SECRET = 'the-api-secret-of-the-tests'
/** The float's PIN in the tests. The PIN protects nothing. */
export const PIN = '4343'

/** A request that the server received. */
export type SignedRequest = {
  method: string
  path: string
  fields: Record<string, unknown>
  names: string[]
  body: string
}
/** The server's reaction to a request: a response, no response, or a closed connection. */
export type ServerReaction = { status?: number; content?: object | string } | 'hang' | 'reset' | 'half'
/** Chooses the server's reaction to a request. */
export type SelcomScript = (received: SignedRequest) => ServerReaction

/** The response for an order in progress. */
export const PENDING: ServerReaction = { content: { resultcode: '111', result: 'PENDING', reference: '0289999288' } }
/** A response that reports success. */
export const SUCCESS = { resultcode: '000', result: 'SUCCESS', reference: '0289999288' }
/** The response to a new order, with a payment token and a QR code. */
export const MADE: ServerReaction = { content: { ...SUCCESS, data: [{ payment_token: '80008000', qr: '0002 é&' }] } }
/** A failure response without a reason. */
export const FAIL: ServerReaction = { content: { resultcode: '400', result: 'FAIL' } }
/** One of the responses that mean "no such order". */
export const NO_ORDER: ServerReaction = { content: { resultcode: '651', result: 'FAIL', message: 'Invalid order' } }
/** Returns the response about an existing order. */
export const existingOrder = ({ fields }: SignedRequest, payment_status = 'PENDING'): ServerReaction => ({
  content: { ...SUCCESS, data: [{ order_id: fields.order_id, amount: '5000', payment_status }] },
})

let last_reference = 0

/** Returns a payment request with a new reference. */
export function payment(fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    reference: `01ARZ3NDEKTSV4RRFFQ69G${String(++last_reference).padStart(6, '0')}`,
    method: 'wallet_push',
    phone: '255740000001',
    amount_minor: 500_000n,
    currency: 'TZS',
    simulate_status: null,
    sent_at: null,
    ...fields,
  }
}

/** Returns a payout request with a new reference. */
export function payout(fields: Partial<PayoutRequest> = {}): PayoutRequest {
  return {
    reference: `01ARZ3NDEKTSV4RRFFQ69H${String(++last_reference).padStart(5, '0')}`,
    environment: 'live',
    method: 'MOBILE_MONEY',
    destination_code: 'MIXX',
    destination_identifier: '255680000001',
    destination_name: 'ASHA JUMA',
    bank_name: null,
    amount_minor: 1_500_000n,
    currency: 'TZS',
    sent_at: null,
    ...fields,
  }
}

/** Makes an adapter for `url`. Returns the adapter and the lines that it logs. */
export function adapterFor(
  url: string,
  options: Partial<SelcomOptions> = {},
): { provider: SelcomProvider; logged: string[] } {
  const logged: string[] = []
  const provider = createSelcomProvider({
    name: 'selcom',
    url: `${url}/v1`,
    api_key: KEY,
    api_secret: SECRET,
    vendor: 'TILL1',
    float: { vendor: 'FLOAT1', pin: PIN },
    callback_url: 'https://pay.example.com/callbacks/selcom',
    buyer: { name: 'Customer', email: 'payments@example.com', phone: '255740000009' },
    sender: { account: 'M0001', name: 'DUKA LTD', phone: '255740000002' },
    clock: systemClock,
    random: seededRandom('selcom'),
    log: createLog('debug', { write: (line) => void logged.push(line) }),
    timeout_ms: 2_000,
    ...options,
  })
  closing.push(() => provider.close())
  return { provider, logged }
}

/** Starts a server that follows a script and checks every signature, and makes an adapter for the server. */
export async function start(script: SelcomScript, options: Partial<SelcomOptions> = {}) {
  const received: SignedRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = readSigned(request, Buffer.concat(chunks).toString())
    received.push(call)
    const act = script(call)
    if (act === 'hang') return
    if (act === 'reset') return void request.socket.resetAndDestroy()
    if (act === 'half') {
      response.writeHead(200, { 'content-length': 1000 }).write('{"resultcode":"000","result":"SUCC')
      setImmediate(() => request.socket.destroy())
      return
    }
    const { status = 200, content = SUCCESS } = act
    const text = typeof content === 'string' ? content : JSON.stringify({ message: '', data: [], ...content })
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  const url = await listen(server)
  closing.push(async () => server.closeAllConnections())
  return { ...adapterFor(url, options), received, paths: () => received.map(({ path }) => path), url }
}

/** Parses a request. If the signature does not cover exactly the fields, the test fails. */
function readSigned({ method = '', url = '', headers }: IncomingMessage, body: string): SignedRequest {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const fields: Record<string, unknown> = method === 'POST' ? JSON.parse(body) : Object.fromEntries(searchParams)
  const names = String(headers['signed-fields']).split(',')
  const signed = names.map((name) => `&${name}=${fields[name]}`).join('')
  const mac = createHmac('sha256', SECRET).update(`timestamp=${headers.timestamp}${signed}`).digest('base64')
  assert.equal(headers.digest, mac, `the signature of ${pathname}`)
  assert.deepEqual(names, Object.keys(fields), 'the signature covers every field, in order')
  assert.equal(headers['digest-method'], 'HS256')
  assert.equal(headers.authorization, `SELCOM ${Buffer.from(KEY).toString('base64')}`)
  assert.match(String(headers.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/)
  assert.ok(Math.abs(Date.parse(String(headers.timestamp)) - systemClock.now().getTime()) < 5_000)
  if (method !== 'GET') assert.equal(headers['content-type'], 'application/json')
  return { method, path: pathname, fields, names, body }
}

/** The answer about a payment whose payer got no prompt. */
export const NO_PROMPT = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }
/** Returns the reason of an unknown answer, or the kind of any other answer. */
export const why = (answer: { kind: string; why?: string } | undefined) => answer?.why ?? answer?.kind

/** The fields of a response envelope in a test. */
export type Text = {
  resultcode?: unknown
  result?: unknown
  message?: unknown
  data?: unknown
  [more: string]: unknown
}
/** Returns the text of an envelope with this content. */
export const text = (content: Text) => JSON.stringify({ reference: '0289999288', message: '', data: [], ...content })
/** Returns an exchange that ended with a response. */
export const answered = (status: number, content: Text | string): ExchangeResult => ({
  kind: 'answered',
  status,
  text: typeof content === 'string' ? content : text(content),
})
/** Returns the adapter's verdict about a response with this result code and result. */
export const verdictOfWords = (resultcode: string, result: string, message = '', status = 200): SelcomVerdict =>
  classifySelcomExchange(answered(status, { resultcode, result, message }))

/** Describes the important part of an answer as a short text. */
export const shortly = (answer: Answer | PayoutAnswer | null): string => {
  if (answer === null) return 'not prompted'
  if (answer.kind === 'declined') return `declined ${answer.reason}`
  if (answer.kind === 'unknown') return `unknown ${answer.why}`
  if (answer.kind === 'blocked' && answer.because !== undefined) return `blocked ${answer.because}`
  return 'amount_minor' in answer ? `${answer.kind} ${answer.amount_minor} ${answer.currency}` : answer.kind
}
