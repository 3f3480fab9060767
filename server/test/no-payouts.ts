// Makes the payout functions of a test's provider that accepts only payments.

import type { Provider } from '../src/adapters/providers/port.ts'

/** The payout functions of a provider that accepts only payments. */
export const NO_PAYOUTS: Pick<Provider, 'payout' | 'payoutStatus'> = {
  payout: async () => ({ kind: 'not_sent', provider_status: null }),
  payoutStatus: async (requests) => requests.map(() => ({ kind: 'not_found', provider_status: null })),
}
