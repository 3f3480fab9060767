// Lists the capabilities of the mock provider, which supports every method. A mock provider in this process cannot be down.

import { METHODS, PAYOUT_METHODS, type Provider } from '../port.ts'
import type { MockSettings } from './settings.ts'

/** Returns the capabilities of the provider in this process, or of the provider process at `url`. */
export function capabilities({ url }: Pick<MockSettings, 'url'>): Provider['capabilities'] {
  const everything = { methods: METHODS, whole_shillings: false, payout_methods: PAYOUT_METHODS }
  return url === '' ? { ...everything, circuit_breaker: false, rehearses: true } : everything
}
