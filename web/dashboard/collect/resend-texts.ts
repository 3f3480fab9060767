// Contains the texts about a webhook that a member sends again from the page of a payment.

import { texts } from '../../ui/language.ts'

/** The texts of the button and of each result. */
export const resendTexts = texts({
  sw: {
    resend: 'Tuma webhook tena',
    send_now: 'Tuma webhook sasa',
    sending: 'Inatuma…',
    delivered: (event: string, code: number) => `Seva yako imepokea ujumbe ${event}: HTTP ${code}.`,
    refused: (event: string, code: number) =>
      `Seva yako imejibu ujumbe ${event} kwa HTTP ${code}. Jibu la 2xx pekee linahesabika kuwa limepokelewa.`,
    failed: (event: string, reason: string) => `Ujumbe ${event} haukufika kwenye seva yako: ${reason}.`,
    repetition_refused: (event: string, code: number) =>
      `Seva yako imejibu marudio ya ujumbe ${event} kwa HTTP ${code}.`,
    repetition_failed: (event: string, reason: string) =>
      `Marudio ya ujumbe ${event} hayakufika kwenye seva yako: ${reason}.`,
    late: (event: string) => `Bado hakuna matokeo ya ujumbe ${event} baada ya sekunde 30.`,
    untried: (event: string) => `Seva bado haijarekodi jaribio la kutuma ujumbe ${event}.`,
    unanswered: (event: string, count: number, reason: string) =>
      count === 1
        ? `Jaribio 1 la kutuma ujumbe ${event} limeshindikana: ${reason}.`
        : `Majaribio ${count} ya kutuma ujumbe ${event} yameshindikana. Tatizo la mwisho: ${reason}.`,
    rejected: (event: string, count: number, code: number) =>
      count === 1
        ? `Jaribio 1 la kutuma ujumbe ${event} limeshindikana kwa HTTP ${code}.`
        : `Majaribio ${count} ya kutuma ujumbe ${event} yameshindikana, la mwisho kwa HTTP ${code}.`,
    repeats: (event: string) => `Seva yako ilipokea ujumbe ${event}, na jaribio lingine linasubiri.`,
    open: 'Fungua ujumbe huu',
    mend: 'Angalia au badilisha anwani',
    removed: 'Anwani iliyoondolewa',
  },
  en: {
    resend: 'Send the webhook again',
    send_now: 'Send the webhook now',
    sending: 'Sending…',
    delivered: (event: string, code: number) => `Your server accepted the event ${event}: HTTP ${code}.`,
    refused: (event: string, code: number) =>
      `Your server answered the event ${event} with HTTP ${code}. Only a 2xx answer counts as received.`,
    failed: (event: string, reason: string) => `The event ${event} did not reach your server: ${reason}.`,
    repetition_refused: (event: string, code: number) =>
      `Your server answered the repetition of the event ${event} with HTTP ${code}.`,
    repetition_failed: (event: string, reason: string) =>
      `The repetition of the event ${event} did not reach your server: ${reason}.`,
    late: (event: string) => `The event ${event} has no result after 30 seconds.`,
    untried: (event: string) => `The server has recorded no attempt to send the event ${event} yet.`,
    unanswered: (event: string, count: number, reason: string) =>
      count === 1
        ? `1 attempt to send the event ${event} failed: ${reason}.`
        : `${count} attempts to send the event ${event} failed. The last problem: ${reason}.`,
    rejected: (event: string, count: number, code: number) =>
      count === 1
        ? `1 attempt to send the event ${event} failed with HTTP ${code}.`
        : `${count} attempts to send the event ${event} failed, the last with HTTP ${code}.`,
    repeats: (event: string) => `Your server accepted the event ${event}, and another attempt waits.`,
    open: 'Open this delivery',
    mend: 'Check or change the address',
    removed: 'Removed endpoint',
  },
})
