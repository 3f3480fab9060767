// What a provider of a test answers about payouts when its test is about payments only.

import type { Provider } from '../src/adapters/providers/port.ts'

/** The payouts of a provider that only takes money in. */
export const NO_PAYOUTS: Pick<Provider, 'payout' | 'payoutStatus'> = {
  payout: async () => ({ kind: 'not_sent', provider_status: null }),
  payoutStatus: async (requests) => requests.map(() => ({ kind: 'not_found', provider_status: null })),
}
