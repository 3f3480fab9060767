// Provides payout functions for the providers of tests that accept only payments.

import type { Provider } from '../src/adapters/providers/port.ts'

/** The payout functions of such a provider: `payout` sends nothing, and `payoutStatus` finds no payout. */
export const NO_PAYOUTS: Pick<Provider, 'payout' | 'payoutStatus'> = {
  payout: async () => ({ kind: 'not_sent', provider_status: null }),
  payoutStatus: async (requests) => requests.map(() => ({ kind: 'not_found', provider_status: null })),
}
