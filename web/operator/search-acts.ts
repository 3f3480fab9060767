// Lists the actions that an operator can find with the search of the console.

import { texts, useTexts } from '../ui/language.ts'
import type { SearchPlace } from '../ui/search-match.ts'
import { useMay } from './operator.ts'

const actTexts = texts({
  sw: {
    approve: 'Amua utoaji pesa unaosubiri',
    held: 'Amua malipo yaliyozuiwa',
    merchant: 'Sajili biashara',
    pause: 'Simamisha utoaji pesa',
    statement: 'Leta taarifa ya mtoa huduma',
  },
  en: {
    approve: 'Decide withdrawals that wait',
    held: 'Decide held payments',
    merchant: 'Register a merchant',
    pause: 'Pause payouts',
    statement: 'Import a provider statement',
  },
})

/** Returns the actions that the duties of the operator allow. */
export function useOperatorActs(): SearchPlace[] {
  const t = useTexts(actTexts)
  const decides = useMay('money')
  const acts: (SearchPlace | false)[] = [
    decides && {
      to: 'withdrawals?status=PENDING_ADMIN_APPROVAL',
      label: t.approve,
      icon: 'payout',
      words: 'approve approval reject idhinisha idhini kubali kataa',
    },
    decides && { to: 'collections', label: t.held, icon: 'held', words: 'approve release review kubali' },
    useMay('merchants') && {
      to: 'merchants',
      label: t.merchant,
      icon: 'shop',
      words: 'new add create register invite owner tengeneza alika mpya',
    },
    useMay('pause') && { to: 'pauses', label: t.pause, icon: 'pause', words: 'stop freeze zuia' },
    decides && {
      to: 'reconciliation',
      label: t.statement,
      icon: 'balance',
      words: 'upload csv reconcile pakia linganisha',
    },
  ]
  return acts.filter((act) => act !== false).map((act) => ({ ...act, is_act: true }))
}
