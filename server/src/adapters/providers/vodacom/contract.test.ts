// Runs the contract tests of every provider for the Vodacom adapter, against the twin of the gateway.

import { testProviderContract } from '../../../../test/provider-contract.ts'
import { type AnySubject, startReceiver } from '../../../../test/provider-subjects.ts'
import { startVodacomTwin } from '../../../../twins/vodacom/index.ts'
import { createLog, systemClock, systemRandom } from '../../../kernel/lib/index.ts'
import { createVodacomProvider } from './adapter.ts'

const SAMPLE_CALLBACK_SECRET = 'the-callback-secret-of-the-tests'

testProviderContract('vodacom', startVodacom)

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
      log: createLog('silent'),
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
