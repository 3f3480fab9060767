// Runs the contract tests of every provider for the mock provider, in this process and over HTTP.

import { PROFILE, SECRET } from '../../../../test/mock-providers.ts'
import { testProviderContract } from '../../../../test/provider-contract.ts'
import { type AnySubject, type ArrivedCallback, startReceiver } from '../../../../test/provider-subjects.ts'
import { systemClock } from '../../../kernel/lib/index.ts'
import { createMockProvider } from './adapter.ts'
import { createRemoteMockProvider } from './remote.ts'
import { startMockServer } from './server-app.ts'

const MOCK = { payers: { pays: '001', declines: '005' }, payees: { pays: '456', declines: '102' } }

testProviderContract('mock in this process', startLocal)
testProviderContract('mock over HTTP', startRemote)

async function startLocal(): Promise<AnySubject> {
  const received: ArrivedCallback[] = []
  const sink = async (_name: string, headers: Record<string, string>, body: Buffer) => {
    received.push({ headers, body })
  }
  const provider = createMockProvider({ name: 'mock', profile: PROFILE, clock: systemClock, secret: SECRET, sink })
  const times = () => null
  return { provider, another: null, received, payers: MOCK.payers, payees: MOCK.payees, times, close: async () => {} }
}

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
