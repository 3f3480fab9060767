// Contains the texts of the page that ends e-mails to a member.

import type { NoticeKind } from '../../access/merchants/index.ts'

/** The texts of the page, by language. */
export const UNSUBSCRIBE_TEXTS = {
  sw: {
    other: 'English',
    title: 'Acha kupokea ujumbe',
    ask: (what: string, merchant: string) => `Acha kupokea barua pepe za biashara "${merchant}" kuhusu: ${what}?`,
    button: 'Acha kupokea',
    done_title: 'Hutapokea tena',
    done: (what: string, merchant: string) => `Hutapokea tena barua pepe za biashara "${merchant}" kuhusu: ${what}.`,
    back: 'Ukibadili mawazo, ingia kwenye dashibodi na ufungue Arifa.',
    wrong_title: 'Kiungo hiki hakifanyi kazi',
    wrong: 'Huenda kiungo hakijakamilika, au hauko tena kwenye biashara hiyo. Ingia kwenye dashibodi na ufungue Arifa.',
    dashboard: 'Fungua dashibodi',
    kinds: {
      digest: 'muhtasari',
      withdrawals: 'maamuzi kuhusu kutoa pesa',
      webhooks: 'webhook zisizofika',
      keys: 'funguo za API zinazoisha muda',
    } as Record<NoticeKind, string>,
  },
  en: {
    other: 'Kiswahili',
    title: 'Stop e-mails',
    ask: (what: string, merchant: string) => `Stop the e-mails with ${what} of the business "${merchant}"?`,
    button: 'Stop these e-mails',
    done_title: 'The e-mails have stopped',
    done: (what: string, merchant: string) => `You get no more e-mails with ${what} of the business "${merchant}".`,
    back: 'If you change your mind, sign in to the dashboard and open Notifications.',
    wrong_title: 'This link does not work',
    wrong:
      'The link may be incomplete, or you are no longer a member of the business. Sign in to the dashboard and open Notifications.',
    dashboard: 'Open the dashboard',
    kinds: {
      digest: 'the summary',
      withdrawals: 'decisions on withdrawals',
      webhooks: 'failing webhooks',
      keys: 'API keys that expire soon',
    } as Record<NoticeKind, string>,
  },
}
