// Contains the reasons that the console offers for an action for which the platform has saved no reasons.

import type { Calls } from '../ui/api-types.ts'
import { texts } from '../ui/language.ts'

/** An action for which the platform can save reasons. */
export type ReasonAction = Calls['GET /v1/operator/reasons']['data']['items'][number]['action']

/** The actions whose reason the merchant reads. */
export const READ_BY_MERCHANTS: ReadonlySet<ReasonAction> = new Set<ReasonAction>([
  'withdrawal.reject',
  'withdrawal.recall',
  'withdrawal.resolve',
  'ip_address.reject',
])

/** The cause of a rejection, for which the console has a built-in reason. */
export type RejectionCause = 'name' | 'recipient' | 'fraud' | 'amount' | 'stopped' | 'duplicate'

/** The built-in reason of a rejection for each cause, in both languages. */
export const rejectionReasons = texts<Record<RejectionCause, string>>({
  sw: {
    name: 'Jina la mpokeaji halilingani na namba',
    recipient: 'Hatutambui mpokeaji huyu; wasiliana nasi',
    fraud: 'Tunashuku udanganyifu; wasiliana nasi',
    amount: 'Kiasi ni kikubwa kuliko kawaida; wasiliana nasi',
    stopped: 'Biashara imeomba ombi lisitishwe',
    duplicate: 'Ombi hili limerudiwa',
  },
  en: {
    name: 'The name of the recipient does not match the number',
    recipient: 'We do not know this recipient; please contact us',
    fraud: 'We suspect fraud; please contact us',
    amount: 'The amount is unusually large; please contact us',
    stopped: 'The merchant asked to stop this withdrawal',
    duplicate: 'This withdrawal is a duplicate',
  },
})

/** The built-in reasons for each action, in both languages. */
export const builtInReasons = texts<Record<ReasonAction, readonly string[]>>({
  sw: {
    'withdrawal.approve': ['Nimeangalia taarifa na tahadhari', 'Biashara imethibitisha kwa simu'],
    'withdrawal.reject': Object.values(rejectionReasons.sw),
    'withdrawal.recall': ['Biashara imeomba pesa zirudishwe', 'Mpokeaji si sahihi'],
    'withdrawal.resolve': ['Imeonekana kwenye taarifa ya mtoa huduma', 'Mtoa huduma amethibitisha kwa maandishi'],
    'collection.clear': ['Mlipaji ametuma risiti', 'Mtoa huduma amethibitisha malipo', 'Mlipaji ameomba pesa zirudi'],
    'adjustment.create': ['Marekebisho baada ya ulinganisho', 'Kosa la mtoa huduma'],
    'payouts.pause': ['Mtoa huduma hafanyi kazi', 'Tunachunguza utoaji wenye shaka'],
    'payouts.resume': ['Mtoa huduma amerudi', 'Uchunguzi umekamilika'],
    'merchant.suspend': ['Malalamiko mengi ya walipaji', 'Muda wa nyaraka umeisha', 'Biashara yenyewe imeomba'],
    'ip_address.reject': ['Anwani si ya biashara hii', 'Anwani inatumiwa na wengi'],
    'reconciliation.resolve': ['Tofauti imeelezwa na mtoa huduma', 'Imerekebishwa kwenye vitabu'],
  },
  en: {
    'withdrawal.approve': ['I looked at the facts and warnings', 'The merchant confirmed by phone'],
    'withdrawal.reject': Object.values(rejectionReasons.en),
    'withdrawal.recall': ['The merchant asked for the money back', 'The recipient is wrong'],
    'withdrawal.resolve': [
      'The statement of the provider shows the outcome',
      'The provider confirmed the outcome in writing',
    ],
    'collection.clear': [
      'The payer sent the receipt',
      'The provider confirmed the payment',
      'The payer asked for the money back',
    ],
    'adjustment.create': ['Adjustment after the reconciliation', 'Mistake of the provider'],
    'payouts.pause': ['The provider is down', 'We examine suspicious payouts'],
    'payouts.resume': ['The provider is back', 'The examination is complete'],
    'merchant.suspend': [
      'Many complaints of payers',
      'The documents have expired',
      'The merchant asked for the suspension',
    ],
    'ip_address.reject': ['The address does not belong to this merchant', 'Many others use this address'],
    'reconciliation.resolve': ['The provider explained the difference', 'We adjusted the books'],
  },
})
