// Contains the texts about a webhook that a member sends again from the page of a payment.

import { texts } from '../../ui/language.ts'

/** The texts of the button and of each result. */
export const resendTexts = texts({
  sw: {
    resend: 'Tuma webhook tena',
    waits: 'Webhook inasubiri kutumwa',
    sending: 'Inatuma…',
    delivered: (event: string, code: number) => `Seva yako imepokea ujumbe ${event}: HTTP ${code}.`,
    refused: (event: string, code: number) =>
      `Seva yako imejibu ujumbe ${event} kwa HTTP ${code}. Jibu la 2xx pekee linahesabika kuwa limepokelewa.`,
    failed: (event: string, reason: string) => `Ujumbe ${event} haukufika kwenye seva yako: ${reason}.`,
    late: (event: string) => `Bado hakuna matokeo ya ujumbe ${event} baada ya sekunde 30.`,
    next: 'Utajaribiwa tena:',
    open: 'Fungua ujumbe huu',
  },
  en: {
    resend: 'Send the webhook again',
    waits: 'The server has not sent the webhook yet',
    sending: 'Sending…',
    delivered: (event: string, code: number) => `Your server accepted the event ${event}: HTTP ${code}.`,
    refused: (event: string, code: number) =>
      `Your server answered the event ${event} with HTTP ${code}. Only a 2xx answer counts as received.`,
    failed: (event: string, reason: string) => `The event ${event} did not reach your server: ${reason}.`,
    late: (event: string) => `The event ${event} has no result after 30 seconds.`,
    next: 'Next attempt:',
    open: 'Open this delivery',
  },
})
