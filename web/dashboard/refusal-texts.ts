// Says why the server does not send a delivery again, on the page of payments and on the page of webhooks.

import { texts } from '../ui/language.ts'
import { ATTEMPTS_MAX } from './delivery-results.ts'

/** The reason of each refusal except a deleted endpoint, which deliveryErrors names. */
export const refusalTexts = texts({
  sw: {
    waits: 'ujumbe unasubiri kutumwa tayari',
    attempt_limit: `seva imeutuma mara ${ATTEMPTS_MAX} na haiutumi tena`,
  },
  en: {
    waits: 'the event already waits for its attempt',
    attempt_limit: `the server made ${ATTEMPTS_MAX} attempts and sends it no more`,
  },
})
