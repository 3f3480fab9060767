// Starts the two mock providers for the tests of the provider contract, and has the helpers of these tests.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMockProvider } from '../src/adapters/providers/mock/adapter.ts'
import { createRemoteMockProvider } from '../src/adapters/providers/mock/remote.ts'
import { startMockServer } from '../src/adapters/providers/mock/server-app.ts'
import type { PayoutAnswer, PayoutRequest, Provider } from '../src/adapters/providers/port.ts'
import { systemClock } from '../src/kernel/lib/index.ts'

/** The secret with which the mock providers sign callbacks. */
export const SECRET = 'a secret of the tests'
/** The pause in milliseconds of the mock providers before each outcome. */
export const DELAY_MS = 50
/** A time in milliseconds after which the mock providers have reported every outcome, including the second outcomes. */
export const SETTLED_MS = DELAY_MS + Math.max(DELAY_MS, 300) + 10
/** Options of the mock providers. */
export const PROFILE = { success_default: 'always', seed: 'test', delay_ms: DELAY_MS } as const

type Received = { headers: Record<string, string | undefined>; body: Buffer }
/** A provider adapter under test, with the received callbacks. */
export type Subject = { provider: Provider; received: Received[]; close(): Promise<void> }

/** Starts the mock provider in this process. */
export async function startLocal(): Promise<Subject> {
  const received: Received[] = []
  const sink = async (_name: string, headers: Record<string, string>, body: Buffer) => {
    received.push({ headers, body })
  }
  const provider = createMockProvider({ name: 'mock', profile: PROFILE, clock: systemClock, secret: SECRET, sink })
  return { provider, received, close: async () => {} }
}

/** Starts the mock provider as an HTTP server. */
export async function startRemote(): Promise<Subject> {
  const received: Received[] = []
  const receiver = await listen((headers, body) => received.push({ headers, body }))
  const server = await startMockServer({
    port: 0,
    host: '127.0.0.1',
    profile: PROFILE,
    secret: SECRET,
    callback_url: `${urlOf(receiver)}/callbacks/mock`,
  })
  const provider = createRemoteMockProvider({ name: 'mock', url: server.url, secret: SECRET })
  return {
    provider,
    received,
    async close() {
      await provider.close()
      await server.close()
      receiver.close()
    },
  }
}

/**
 * Starts a receiver that records requests and answers 200. `reply` can choose another response; if `reply` returns null, the
 * receiver never answers.
 */
export async function listen(
  take: (headers: Record<string, string | undefined>, body: Buffer) => void,
  reply: () => [number, string] | null = () => [200, ''],
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    take(request.headers as Record<string, string | undefined>, Buffer.concat(chunks))
    const response_to_send = reply()
    if (response_to_send !== null) response.writeHead(response_to_send[0]).end(response_to_send[1])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Returns the base URL of a server that listens on loopback. */
export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Waits for this number of milliseconds of real time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Repeats the assertion until it succeeds. After 30 seconds, throws its error. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 30_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await pause(5)
    }
  }
}

let last_payout = 0

/** Returns a payout request with a new reference to a destination with this ending. */
export function payoutOf(ending: string, fields: Partial<PayoutRequest> = {}): PayoutRequest {
  return {
    reference: `WCONTRACT${++last_payout}`,
    environment: 'live',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    destination_identifier: `255754123${ending}`,
    destination_name: 'Asha "Duka" Mwinyi\u{1f4b0}',
    bank_name: null,
    amount_minor: 123_450n,
    currency: 'TZS',
    sent_at: null,
    ...fields,
  }
}

/** Describes an answer in one word: its kind, or the reason of an unknown outcome. */
export function describePayoutOutcome(answer: PayoutAnswer | undefined): string | undefined {
  return answer?.kind === 'unknown' ? answer.why : answer?.kind
}
