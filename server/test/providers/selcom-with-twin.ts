// Starts Selcom's adapter together with the twin of Selcom's gateway, for tests.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer, PayoutAnswer } from '../../src/adapters/providers/port.ts'
import {
  createSelcomProvider,
  type SelcomOptions,
  type SelcomProvider,
} from '../../src/adapters/providers/selcom/adapter.ts'
import { createLog, seededRandom, systemClock } from '../../src/kernel/lib/index.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../twins/selcom/index.ts'
import { closing } from './servers.ts'

const QUICK = { pay_after_ms: 20, settle_after_ms: 20, fault_delay_ms: 50, callback_late_ms: 100 }
/** The time limit of a wait, in milliseconds. It only ends a test that hangs, because the machine may be busy. */
const PATIENCE_MS = 120_000
/** The pause between two questions of a wait, in milliseconds. Many payments wait at once, and a busy machine must answer each in time. */
const ASK_EVERY_MS = 200

/** The listener for verified callbacks, with the order, the headers and the body of the callback. */
export type CallbackListener = (order_id: string, headers: Record<string, string | undefined>, body: Buffer) => void

/** A twin, an adapter, and a listener for callbacks. */
export type TwinWithAdapter = { twin: Simulator; provider: SelcomProvider; callback(received: CallbackListener): void }

/** Starts a twin and an adapter for it. */
export async function startWithTwin(
  options: SimulatorOptions = {},
  adapter: Partial<SelcomOptions> = {},
): Promise<TwinWithAdapter> {
  const twin = await startSimulator({ ...options, settings: { ...QUICK, ...options.settings } })
  closing.push(() => twin.close())
  let received: CallbackListener = () => {}
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string | undefined>
    const body = Buffer.concat(chunks)
    const verdict = provider.verifyCallback(headers, body)
    if (verdict.verified) received(verdict.reference, headers, body)
    response.writeHead(verdict.verified ? 200 : 403).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  closing.push(
    async () => void receiver.close(),
    async () => receiver.closeAllConnections(),
  )
  const { port } = receiver.address() as AddressInfo
  const provider = adapterOf(twin, { callback_url: `http://127.0.0.1:${port}/callbacks/selcom`, ...adapter })
  return {
    twin,
    provider,
    callback(take) {
      received = take
    },
  }
}

/** Makes another adapter for the same twin, as another process does. */
export function adapterOf({ url, account }: Simulator, options: Partial<SelcomOptions>): SelcomProvider {
  const provider = createSelcomProvider({
    name: 'selcom',
    url,
    api_key: account.api_key,
    api_secret: account.api_secret,
    vendor: account.vendor,
    float: { vendor: account.float_vendor, pin: account.pin },
    callback_url: null,
    buyer: { name: 'Customer', email: 'payments@example.com', phone: '255740000000' },
    sender: { account: 'M0001', name: 'DUKA LTD', phone: '255740000002' },
    clock: systemClock,
    random: seededRandom('twin'),
    log: createLog('silent'),
    connections: 500,
    ...options,
  })
  closing.push(() => provider.close())
  return provider
}

/** Returns true if the answer decides the payment or payout. */
export const isFinal = ({ kind }: Answer | PayoutAnswer) => kind === 'succeeded' || kind === 'declined'

/** Repeats `work` until `isDone` returns true. After the time limit, returns without an error. */
export async function repeatUntil(isDone: () => boolean, work: () => Promise<void>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!isDone()) {
    if (performance.now() > end) return
    await work()
    await new Promise<void>((resolve) => systemClock.after(ASK_EVERY_MS, resolve))
  }
}
