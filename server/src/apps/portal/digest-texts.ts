// Contains the texts of the summaries and the warnings that members receive by e-mail.

import type { NoticeKind } from '../../access/merchants/index.ts'
import type { Language } from '../../kernel/lib/index.ts'

const EN = {
  daily: 'daily summary',
  weekly: 'weekly summary',
  of: (merchant: string, days: string) => `Summary of "${merchant}" for ${days}`,
  days: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
  received: (amount: string, count: string) =>
    `Received: ${amount} in ${count} ${count === '1' ? 'payment' : 'payments'}`,
  fees: (amount: string) => `Fees: ${amount}`,
  failed: (count: string) => `Failed payments: ${count}`,
  paid_out: (amount: string, count: string) =>
    `Withdrawals paid: ${amount} in ${count} ${count === '1' ? 'withdrawal' : 'withdrawals'}`,
  waiting: (count: string) => `Withdrawals that wait for an operator now: ${count}`,
  payments: 'The payments:',
  payments_button: 'See the payments',
  withdrawals: 'Withdrawals submitted in these days:',
  attention: 'Needs your attention now:',
  nothing_to_report: 'Nothing needs your attention now.',
  items: {
    webhooks_failing: (count: string) => `Your server does not accept webhooks: ${count} failed`,
    withdrawals_info_requested: (count: string) => `An operator waits for your answer about withdrawals: ${count}`,
    withdrawals_in_doubt: (count: string) => `Withdrawals whose outcome is not known yet: ${count}`,
    payments_held: (count: string) => `Payments that an operator reviews: ${count}`,
    success_rate_low: (_count: string) => 'Fewer payments succeed today than in the 7 days before',
    balance_low: (_count: string) => 'Your balance is below the mark that you set',
    keys_expiring: (count: string) => `API keys that expire within 14 days: ${count}`,
  },
  why: {
    digest: 'You get this summary because you chose it.',
    withdrawals: 'You get this e-mail because you may withdraw money of the business.',
    webhooks: 'You get this e-mail because you may change the webhooks of the business.',
    keys: 'You get this e-mail because you may change the API keys of the business.',
  } satisfies Record<NoticeKind, string>,
  stop: 'Stop these e-mails:',
  settings: 'Choose your e-mails:',
  environment: { live: 'live', sandbox: 'sandbox' },
  webhooks_subject: 'your server does not accept webhooks',
  webhooks_lead: (merchant: string, environment: string) =>
    `A webhook endpoint of the business "${merchant}" (${environment}) fails.`,
  host: (host: string) => `Receiving server: ${host}`,
  failed_deliveries: (failed: string, given_up: string) =>
    `Failed deliveries: ${failed} (no longer retried: ${given_up})`,
  last_failure: (time: string, why: string) => `Last failure: ${time}${why === '' ? '' : ` (${why})`}`,
  webhooks_next:
    'Payments continue, but your server does not receive their events. Repair the server, then send the failed deliveries again:',
  webhooks_button: 'See the webhooks',
  keys_subject: 'an API key expires soon',
  keys_lead: (merchant: string, environment: string) =>
    `An API key of the business "${merchant}" (${environment}) expires soon.`,
  key: (name: string, last4: string) => `Key: "${name}" (...${last4})`,
  expires: (time: string) => `Expires: ${time}`,
  keys_next: 'After that, the server refuses its requests. Rotate the key and put the new key into your program:',
  keys_button: 'See the API keys',
}

const SW: typeof EN = {
  daily: 'muhtasari wa siku',
  weekly: 'muhtasari wa wiki',
  of: (merchant, days) => `Muhtasari wa "${merchant}" wa ${days}`,
  days: (first, last) => (first === last ? first : `${first} hadi ${last}`),
  received: (amount, count) => `Umepokea: ${amount} kwa malipo ${count}`,
  fees: (amount) => `Makato: ${amount}`,
  failed: (count) => `Malipo ambayo hayakufanikiwa: ${count}`,
  paid_out: (amount, count) => `Umetoa: ${amount} kwa mara ${count}`,
  waiting: (count) => `Maombi ya kutoa pesa yanayosubiri mwendeshaji sasa: ${count}`,
  payments: 'Angalia malipo:',
  payments_button: 'Angalia malipo',
  withdrawals: 'Maombi ya kutoa pesa ya siku hizi:',
  attention: 'Yanayohitaji uangalizi wako sasa:',
  nothing_to_report: 'Hakuna kinachohitaji uangalizi wako sasa.',
  items: {
    webhooks_failing: (count) => `Seva yako haipokei webhook: ${count} hazikufika`,
    withdrawals_info_requested: (count) => `Mwendeshaji anasubiri jibu lako kuhusu kutoa pesa: ${count}`,
    withdrawals_in_doubt: (count) => `Utoaji pesa ambao matokeo yake hayajulikani bado: ${count}`,
    payments_held: (count) => `Malipo yanayokaguliwa na mwendeshaji: ${count}`,
    success_rate_low: () => 'Leo malipo yanayofanikiwa ni machache kuliko siku 7 zilizopita',
    balance_low: () => 'Salio lako liko chini ya kiasi ulichoweka',
    keys_expiring: (count) => `Funguo za API zitakazoisha muda ndani ya siku 14: ${count}`,
  },
  why: {
    digest: 'Unapata muhtasari huu kwa sababu uliuchagua.',
    withdrawals: 'Unapata ujumbe huu kwa sababu una ruhusa ya kutoa pesa za biashara.',
    webhooks: 'Unapata ujumbe huu kwa sababu una ruhusa ya kubadilisha webhook za biashara.',
    keys: 'Unapata ujumbe huu kwa sababu una ruhusa ya kubadilisha funguo za API za biashara.',
  },
  stop: 'Acha kupokea ujumbe huu:',
  settings: 'Chagua ujumbe unaotaka:',
  environment: { live: 'Halisi', sandbox: 'Majaribio' },
  webhooks_subject: 'seva yako haipokei webhook',
  webhooks_lead: (merchant, environment) => `Webhook ya biashara "${merchant}" (${environment}) haifiki.`,
  host: (host) => `Seva inayopokea: ${host}`,
  failed_deliveries: (failed, given_up) => `Ujumbe ambao haukufika: ${failed}, tulioacha kujaribu: ${given_up}`,
  last_failure: (time, why) => `Jaribio la mwisho: ${time}${why === '' ? '' : ` (${why})`}`,
  webhooks_next:
    'Malipo yanaendelea, lakini seva yako haipati taarifa zake. Rekebisha seva, kisha tuma tena ujumbe ambao haukufika:',
  webhooks_button: 'Angalia webhook',
  keys_subject: 'ufunguo wa API utaisha muda karibuni',
  keys_lead: (merchant, environment) =>
    `Ufunguo wa API wa biashara "${merchant}" (${environment}) utaisha muda karibuni.`,
  key: (name, last4) => `Ufunguo: "${name}" (...${last4})`,
  expires: (time) => `Utaisha: ${time}`,
  keys_next: 'Baada ya hapo, seva itakataa maombi yake. Toa ufunguo mpya na uuweke kwenye programu yako:',
  keys_button: 'Angalia funguo za API',
}

/** The texts of summaries and warnings, by language. */
export const DIGEST_TEXTS: Record<Language, typeof EN> = { sw: SW, en: EN }
