// Runs the contract tests of every provider for the Selcom adapter, against the twin of its gateway.

import { testProviderContract } from '../../../../test/provider-contract.ts'
import { type AnySubject, startReceiver } from '../../../../test/provider-subjects.ts'
import { startSimulator } from '../../../../twins/selcom/index.ts'
import { createLog, systemClock, systemRandom } from '../../../kernel/lib/index.ts'
import { createSelcomProvider } from './adapter.ts'

testProviderContract('selcom', startSelcom)

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
      log: createLog('silent'),
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
