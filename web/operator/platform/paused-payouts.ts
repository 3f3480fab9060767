// Describes the payouts that a pause stops. The banner of every page imports only this file, so that the first load does not
// contain the page of pauses.

import type { Calls } from '../../ui/api-types.ts'
import { useTexts } from '../../ui/language.ts'
import { useProviderName } from '../provider-names.ts'
import { pausesTexts } from './pauses-texts.ts'

/** A pause of payouts, as the API lists pauses. */
export type PauseRow = Calls['GET /v1/operator/payout-pauses']['data']['items'][number]

/** Returns the function that describes in words which payouts a pause stops. */
export function usePausedPayouts(): (row: Pick<PauseRow, 'scope' | 'target' | 'target_name'>) => string {
  const t = useTexts(pausesTexts)
  const providerName = useProviderName()
  return ({ scope, target, target_name }) => {
    const name = target_name ?? (scope === 'provider' && target !== null ? providerName(target) : target)
    return name === null ? (t.scopes[scope] ?? scope) : `${t.scopes[scope] ?? scope}: ${name}`
  }
}
