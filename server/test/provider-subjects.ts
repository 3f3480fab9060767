// Every provider for the contract tests that all providers must pass: the mocks, and the real adapters with their twins.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMockProvider, createRemoteMockProvider } from '../src/adapters/providers/mock/index.ts'
import { startMockServer } from '../src/adapters/providers/mock/server-app.ts'
import {
  CALLBACK_PATH,
  type PaymentRequest,
  type PayoutRequest,
  type Provider,
} from '../src/adapters/providers/port.ts'
import { createSelcomProvider } from '../src/adapters/providers/selcom/index.ts'
import { createVodacomProvider } from '../src/adapters/providers/vodacom/index.ts'
import { createLog, idToBase32, newId, seededRandom, systemClock, systemRandom } from '../src/kernel/lib/index.ts'
import { startSimulator } from '../twins/selcom/index.ts'
import { startVodacomTwin } from '../twins/vodacom/index.ts'
import { PROFILE, SECRET } from './mock-providers.ts'

type Headers = Record<string, string | undefined>
/** A callback as it arrived. */
export type Received = { headers: Headers; body: Buffer }

/** A provider under test. */
export type AnySubject = {
  provider: Provider
  /** The provider as another process uses it; the one in this process has no other. */
  another: Provider | null
  received: Received[]
  /** Endings of phone numbers by their outcome. */
  payers: { pays: string; declines: string }
  payees: { pays: string; declines: string }
  /** How often the provider's books show a prompt or a payout for a reference. Null: the provider keeps no books. */
  times(reference: string): number | null
  close(): Promise<void>
}

const SAMPLE_CALLBACK_SECRET = 'the-callback-secret-of-the-tests'
const log = createLog('silent')

/** Every provider, by name. */
export const SUBJECTS: readonly (readonly [name: string, start: () => Promise<AnySubject>])[] = [
  ['mock in this process', startLocal],
  ['mock over HTTP', startRemote],
  ['selcom', startSelcom],
  ['vodacom', startVodacom],
]

async function startLocal(): Promise<AnySubject> {
  const received: Received[] = []
  const sink = async (_name: string, headers: Record<string, string>, body: Buffer) => {
    received.push({ headers, body })
  }
  const provider = createMockProvider({ name: 'mock', profile: PROFILE, clock: systemClock, secret: SECRET, sink })
  const times = () => null
  return { provider, another: null, received, payers: MOCK.payers, payees: MOCK.payees, times, close: async () => {} }
}

const MOCK = { payers: { pays: '001', declines: '005' }, payees: { pays: '456', declines: '102' } }

async function startRemote(): Promise<AnySubject> {
  const receiver = await startReceiver()
  const server = await startMockServer({
    port: 0,
    host: '127.0.0.1',
    profile: PROFILE,
    secret: SECRET,
    callback_url: `${receiver.url}/callbacks/mock`,
  })
  const [provider, another] = [1, 2].map(() =>
    createRemoteMockProvider({ name: 'mock', url: server.url, secret: SECRET }),
  ) as [ReturnType<typeof createRemoteMockProvider>, ReturnType<typeof createRemoteMockProvider>]
  return {
    provider,
    another,
    received: receiver.received,
    ...MOCK,
    times: (reference) =>
      server.book({ full: true }).entries?.find((entry) => entry.reference === reference)?.prompts ?? null,
    async close() {
      await Promise.all([provider.close(), another.close()])
      await server.close()
      await receiver.close()
    },
  }
}

async function startSelcom(): Promise<AnySubject> {
  const receiver = await startReceiver()
  const twin = await startSimulator({ settings: { pay_after_ms: 20, settle_after_ms: 20 } })
  const { account } = twin
  const adapter = () =>
    createSelcomProvider({
      name: 'selcom',
      url: twin.url,
      api_key: account.api_key,
      api_secret: account.api_secret,
      vendor: account.vendor,
      float: { vendor: account.float_vendor, pin: account.pin },
      callback_url: `${receiver.url}/callbacks/selcom`,
      buyer: { name: 'Customer', email: 'payments@example.com', phone: '255740000500' },
      sender: { account: 'M0001', name: 'DUKA LTD', phone: '255740000002' },
      clock: systemClock,
      random: systemRandom(),
      log,
    })
  const [provider, another] = [adapter(), adapter()]
  return {
    provider,
    another,
    received: receiver.received,
    payers: { pays: '001', declines: '005' },
    payees: { pays: '101', declines: '102' },
    times: (reference) => twin.order(reference)?.prompts ?? twin.payout('walletcashin', reference)?.executions ?? null,
    async close() {
      await Promise.all([provider.close(), another.close()])
      await twin.close()
      await receiver.close()
    },
  }
}

async function startVodacom(): Promise<AnySubject> {
  const receiver = await startReceiver()
  const callback_url = `${receiver.url}/callbacks/vodacom?secret=${SAMPLE_CALLBACK_SECRET}`
  const twin = await startVodacomTwin({ key_bits: 1024, settings: { mode: 'async', decide_ms: 20, callback_url } })
  const adapter = () =>
    createVodacomProvider({
      name: 'vodacom',
      url: twin.url,
      origin: '*',
      api_key: twin.account.api_key,
      public_key: twin.public_key,
      service_provider_code: twin.account.service_provider_code,
      callback_secret: SAMPLE_CALLBACK_SECRET,
      clock: systemClock,
      random: systemRandom(),
      log,
      pending_states: ['Pending'],
      failed_states: { Failed: 'provider_declined' },
      failed_payout_states: ['Failed'],
    })
  const [provider, another] = [adapter(), adapter()]
  return {
    provider,
    another,
    received: receiver.received,
    payers: { pays: '001', declines: '002' },
    payees: { pays: '001', declines: '002' },
    times: (reference) => {
      const transaction = twin.transaction(reference)
      return transaction && (transaction.prompts || transaction.executions)
    },
    async close() {
      await Promise.all([provider.close(), another.close()])
      await twin.close()
      await receiver.close()
    },
  }
}

/** Receives callbacks and answers 200. */
async function startReceiver() {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    // The adapter gets the callback as the platform passes it on: with the address at which it arrived.
    const headers = { ...(request.headers as Headers), [CALLBACK_PATH]: request.url }
    received.push({ headers, body: Buffer.concat(chunks) })
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const seams = { clock: systemClock, random: seededRandom('subjects') }

/** A payment of 5,000 shillings from a number with this ending, under a reference of the platform's form. */
export function paymentBy(ending: string, fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    reference: `${idToBase32(newId(seams, 7))}01`,
    method: 'wallet_push',
    phone: `255754000${ending}`,
    amount_minor: 500_000n,
    currency: 'TZS',
    simulate_status: null,
    sent_at: null,
    ...fields,
  }
}

/** A payout of 15,000 shillings to a number with this ending, under a reference of the platform's form. */
export function payoutTo(ending: string, fields: Partial<PayoutRequest> = {}): PayoutRequest {
  return {
    reference: `W${idToBase32(newId(seams, 7))}`,
    environment: 'live',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    destination_identifier: `255754000${ending}`,
    destination_name: 'Asha Juma',
    bank_name: null,
    amount_minor: 1_500_000n,
    currency: 'TZS',
    sent_at: null,
    ...fields,
  }
}
