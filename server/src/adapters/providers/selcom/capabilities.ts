// Lists the capabilities of Selcom's gateway.

import { METHODS, PAYOUT_METHODS, type Provider } from '../port.ts'
import { SELCOM_DESTINATIONS } from './destinations.ts'
import type { SelcomSettings } from './settings.ts'

/** Returns the capabilities. Without a prepaid account of payouts, the provider only takes payments. */
export function capabilities({
  float_vendor,
  connections,
}: Pick<SelcomSettings, 'float_vendor' | 'connections'>): Provider['capabilities'] {
  const pays_out = float_vendor !== ''
  return {
    methods: METHODS,
    whole_shillings: true,
    payout_methods: pays_out ? PAYOUT_METHODS : [],
    destinations: pays_out ? SELCOM_DESTINATIONS : [],
    concurrency_limits: { payments: connections, payouts: connections },
    // A bank compares the recipient's name with the name on the account, so bank payouts require the name.
    needs: { BANK_ACCOUNT: ['destination_name'] },
    // Payments and payouts share the connections for queries. Each kind may use half, so hanging queries of one kind do not
    // delay the other kind.
    asks_singly: Math.ceil(connections / 2),
  }
}
