// Helpers for the tests of Vodacom's adapter: the twin with an adapter for it, and a server that follows a script.

import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { Answer, PaymentRequest, PayoutAnswer, PayoutRequest } from '../../src/adapters/providers/port.ts'
import {
  createVodacomProvider,
  type VodacomOptions,
  type VodacomProvider,
} from '../../src/adapters/providers/vodacom/adapter.ts'
import { createLog, idToBase32, newId, seededRandom, settableClock, systemClock } from '../../src/kernel/lib/index.ts'
import { startVodacomTwin, type VodacomTwin, type VodacomTwinOptions } from '../../twins/vodacom/index.ts'
import { closing, listen } from './servers.ts'

/** The secret part of the callback address in the tests. The secret protects nothing. */
export const CALLBACK_SECRET = 'the-callback-secret-of-the-tests'
/** The API key of the tests. The key protects nothing. */
export const API_KEY = 'the-api-key-of-the-tests'

// The tests derive references from a seed, so the twin draws the same faults for the references in each run.
const random = seededRandom('vodacom')
const clock = settableClock(new Date('2026-03-01T09:00:00Z'))
let adapters = 0

/** Returns a payment request with a new reference. `ending` chooses the outcome. */
export function payment(ending = '001', fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    reference: `${idToBase32(newId({ clock, random }, 7))}01`,
    method: 'wallet_push',
    phone: `255754000${ending}`,
    amount_minor: 500_000n,
    currency: 'TZS',
    simulate_status: null,
    sent_at: null,
    ...fields,
  }
}

/** Returns a payout request with a new reference. */
export function payout(ending = '001', fields: Partial<PayoutRequest> = {}): PayoutRequest {
  return {
    reference: `W${idToBase32(newId({ clock, random }, 7))}`,
    environment: 'live',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    destination_identifier: `255754000${ending}`,
    destination_name: 'ASHA JUMA',
    bank_name: null,
    amount_minor: 1_500_000n,
    currency: 'TZS',
    sent_at: null,
    ...fields,
  }
}

/** An adapter, with the lines that it logs. */
export type Adapter = { provider: VodacomProvider; logged: string[] }

/** Makes an adapter for a gateway. */
export function adapterFor(
  gateway: Pick<VodacomOptions, 'url' | 'public_key'>,
  options: Partial<VodacomOptions> = {},
): Adapter {
  const logged: string[] = []
  const provider = createVodacomProvider({
    name: 'vodacom',
    origin: '*',
    api_key: API_KEY,
    service_provider_code: '123456',
    callback_secret: CALLBACK_SECRET,
    clock: systemClock,
    // Each adapter has its own seed, because the ids of status queries must be unique across processes.
    random: seededRandom(`questions ${++adapters}`),
    log: createLog('debug', { write: (line) => void logged.push(line) }),
    timeout_ms: 1_500,
    ...gateway,
    ...options,
  })
  closing.push(() => provider.close())
  return { provider, logged }
}

/** Starts a twin and makes an adapter for the twin. */
export async function start(
  twin_options: VodacomTwinOptions = {},
  options: Partial<VodacomOptions> = {},
): Promise<Adapter & { twin: VodacomTwin }> {
  const account = { api_key: API_KEY, service_provider_code: '123456' }
  const twin = await startVodacomTwin({ account, key_bits: 1024, ...twin_options })
  closing.push(() => twin.close())
  return { ...adapterFor(twin, options), twin }
}

/** A request that the server received. */
export type VodacomRequest = { method: string; path: string; body: string; headers: Record<string, string | undefined> }
/** The reaction of a scripted server to a request: a response, no response, or a closed connection. */
export type VodacomReaction = { status?: number; content: object | string } | 'hang' | 'reset'

/** The response with which the gateway opens a session. */
export const SESSION: VodacomReaction = {
  status: 200,
  content: { output_ResponseCode: 'INS-0', output_SessionID: 'the-session-of-the-tests' },
}

/**
 * Starts a server that opens sessions and answers every other request by `act`, and makes an adapter for it. If `options` has a
 * name, `act` also answers the session requests.
 */
export async function script(
  act: (received: VodacomRequest, count: number) => VodacomReaction,
  options: Partial<VodacomOptions> = {},
): Promise<Adapter & { received: VodacomRequest[] }> {
  const received: VodacomRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const call = {
      method,
      path: url,
      body: Buffer.concat(chunks).toString(),
      headers: headers as VodacomRequest['headers'],
    }
    received.push(call)
    const said = url.includes('getSession') && !options.name ? SESSION : act(call, received.length)
    if (said === 'hang') return
    if (said === 'reset') return void request.socket.resetAndDestroy()
    const { status = 200, content } = said
    response.writeHead(status).end(typeof content === 'string' ? content : JSON.stringify(content))
  })
  const url = await listen(server)
  closing.push(async () => server.closeAllConnections())
  return { ...adapterFor({ url: `${url}/x`, public_key: PUBLIC_KEY }, options), received }
}

/** The public key of scripted servers. The code discards the private key. */
export const PUBLIC_KEY: string = generateKeyPairSync('rsa', { modulusLength: 1024 })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64')

/** A response delay of the twin that exceeds the adapter's timeout but not the test's timeout. */
export const SLOW = { twin: { settings: { decide_ms: 1_400 } }, adapter: { timeout_ms: 800 } }

/** The answer about a payment whose payer got no prompt. */
export const NO_PROMPT = { kind: 'declined', reason: 'provider_unavailable', provider_status: null }

/** Describes the important part of an answer as a short text. */
export const shortly = (answer: Answer | PayoutAnswer | null | undefined): string => {
  if (answer === null || answer === undefined) return 'not prompted'
  if (answer.kind === 'declined') return `declined ${answer.reason}`
  if (answer.kind === 'unknown') return `unknown ${answer.why}`
  if (answer.kind === 'blocked' && answer.because !== undefined) return `blocked ${answer.because}`
  return 'amount_minor' in answer ? `${answer.kind} ${answer.amount_minor} ${answer.currency}` : answer.kind
}

const WAIT_MS = 30_000

/** Repeats the assertion until it succeeds. After the time limit, throws the last error. */
export async function eventually(holds: () => void | Promise<void>): Promise<void> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    try {
      return await holds()
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
