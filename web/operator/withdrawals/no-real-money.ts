// Says that no real money moves, in the dialogs of one withdrawal and of a batch.

import type { Environment } from '../../ui/data.ts'
import { facts } from '../../ui/facts.ts'
import { texts, useTexts } from '../../ui/language.ts'

const noRealMoneyTexts = texts({
  sw: {
    one: 'Seva inaigiza utoaji huu: hakuna pesa halisi zinazohama.',
    several: 'Seva inaigiza utoaji huu: hakuna pesa halisi zinazohama.',
  },
  en: {
    one: 'The server simulates this payout: no real money moves.',
    several: 'The server simulates these payouts: no real money moves.',
  },
})

/**
 * Returns the text if the server simulates the payouts: in the sandbox, and in an installation that only rehearses. An empty text
 * means that real money moves. All payouts of a batch are of one environment.
 */
export function useNoRealMoneyText(environment: Environment | undefined, count = 1): string {
  const t = useTexts(noRealMoneyTexts)
  if (!facts.rehearses && environment !== 'sandbox') return ''
  return count === 1 ? t.one : t.several
}
