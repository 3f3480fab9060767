// Lists the capabilities of Vodacom's M-Pesa OpenAPI.

import type { Provider } from '../port.ts'
import { concurrencyLimit } from './client.ts'
import type { VodacomSettings } from './settings.ts'

/** The networks of prompts and payouts: the gateway reaches M-Pesa only. */
const REACHABLE = ['MPESA'] as const

/** Returns the capabilities: prompts to M-Pesa numbers, and payouts to M-Pesa wallets. */
export function capabilities({
  act_connections,
  ask_connections,
}: Pick<VodacomSettings, 'act_connections' | 'ask_connections'>): Provider['capabilities'] {
  const limit = concurrencyLimit(act_connections)
  return {
    methods: ['wallet_push'],
    whole_shillings: true,
    payout_methods: ['MOBILE_MONEY'],
    destinations: REACHABLE,
    concurrency_limits: { payments: limit, payouts: limit },
    prompts: REACHABLE,
    slow_pushes: true,
    // Payments and payouts share the connections for queries. Each kind may use half, so hanging queries of one kind do not
    // delay the other kind.
    asks_singly: Math.ceil(ask_connections / 2),
  }
}
