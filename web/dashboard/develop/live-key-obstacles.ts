// Finds the reasons why a business may not have a live key yet.

import { useTexts } from '../../ui/language.ts'
import { useMerchantAccess } from '../merchant.ts'
import { keysTexts } from './keys-texts.ts'

/**
 * Returns the reasons why this business may not have a live key yet. An empty list means that it may have a live key.
 */
export function useLiveKeyObstacles(): string[] {
  const t = useTexts(keysTexts)
  const { status, verified, priced } = useMerchantAccess().membership
  return [
    ...(status === 'ACTIVE' ? [] : [t.reasons[status]]),
    ...(verified ? [] : [t.reasons.verified]),
    ...(priced ? [] : [t.reasons.priced]),
  ]
}
