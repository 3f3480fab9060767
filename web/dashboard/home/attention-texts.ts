// Contains the texts of the problems on the first page.

import { texts } from '../../ui/language.ts'

/** A sentence and a link for each kind of problem or waiting records. */
export const attentionTexts = texts({
  sw: {
    title: 'Yanayohitaji uangalizi wako',
    details: 'Maelezo',
    webhooks_failing: {
      live: 'Seva yako haipokei matukio ya malipo halisi',
      sandbox: 'Seva yako haipokei matukio ya mazingira ya Majaribio',
    },
    webhooks_changed_title: {
      live: 'Matukio ya malipo halisi yanasubiri anwani iliyobadilishwa',
      sandbox: 'Matukio ya mazingira ya Majaribio yanasubiri anwani iliyobadilishwa',
    },
    webhooks_repair: 'Rekebisha seva yako au badilisha anwani yake. Kisha bofya "Tuma tukio la mfano".',
    webhooks_changed:
      'Mtumiaji au ufunguo wa API umebadilisha anwani hii baada ya jaribio la mwisho. Tuma sasa ujumbe uliokosekana, au tuma tukio la mfano kwanza.',
    webhooks_retrying: {
      live: 'Seva yako haikupokea tukio la mwisho la malipo halisi',
      sandbox: 'Seva yako haikupokea tukio la mwisho la mazingira ya Majaribio',
    },
    webhooks_waiting: {
      live: 'Seva yako inapokea tena matukio ya malipo halisi',
      sandbox: 'Seva yako inapokea tena matukio ya mazingira ya Majaribio',
    },
    webhooks_open: 'Angalia ujumbe uliotumwa',
    webhooks_mend: 'Rekebisha',
    webhooks_several: {
      live: (count: string) => `Anwani ${count} za webhook hazipokei matukio ya malipo halisi`,
      sandbox: (count: string) => `Anwani ${count} za webhook hazipokei matukio ya mazingira ya Majaribio`,
    },
    webhooks_list: 'Angalia anwani hizi',
    address: 'Anwani',
    webhooks_ask: 'Mwambie msanidi programu au msimamizi wa biashara yako aangalie ukurasa wa Webhook.',
    info_requested: (count: string) =>
      count === '1'
        ? 'Mwendeshaji anasubiri jibu lako kuhusu ombi 1 la kutoa pesa'
        : `Mwendeshaji anasubiri majibu yako kuhusu maombi ${count} ya kutoa pesa`,
    info_open: 'Jibu swali',
    in_doubt: (count: string) =>
      count === '1'
        ? 'Mwendeshaji anachunguza matokeo ya ombi 1 la kutoa pesa'
        : `Mwendeshaji anachunguza matokeo ya maombi ${count} ya kutoa pesa`,
    in_doubt_open: 'Angalia utoaji',
    held: (count: string) => `Mwendeshaji anakagua: malipo ${count}`,
    held_open: 'Angalia malipo',
    rate: (now: string, before: string) =>
      `Leo ni ${now} % tu ya malipo yanayofanikiwa; siku 7 kabla zilikuwa ${before} %`,
    rate_open: 'Angalia yasiyofanikiwa',
    balance: (mark: string) => `Salio lako liko chini ya ${mark}`,
    balance_open: 'Angalia miamala',
    keys: (count: string) =>
      count === '1'
        ? 'Ufunguo 1 wa API utaisha muda ndani ya siku 14'
        : `Funguo ${count} za API zitaisha muda ndani ya siku 14`,
    keys_open: 'Toa ufunguo mpya',
    since: 'Tangu',
    first_ends: 'Wa kwanza utaisha',
    mark_title: 'Nionye salio likiwa chini ya kiasi fulani',
    mark_field: 'Kiasi (TZS)',
    mark_now: (mark: string) => `Sasa: chini ya ${mark}.`,
    mark_none: 'Acha wazi ili usionywe.',
    mark_save: 'Hifadhi',
    mark_saved: 'Imehifadhiwa.',
  },
  en: {
    title: 'Needs your attention',
    details: 'Details',
    webhooks_failing: {
      live: 'Your server does not accept the events of live payments',
      sandbox: 'Your server does not accept the events of the sandbox',
    },
    webhooks_changed_title: {
      live: 'Events of live payments wait for the changed endpoint',
      sandbox: 'Events of the sandbox wait for the changed endpoint',
    },
    webhooks_repair: 'Repair your server or change its address. Then press "Send a test event".',
    webhooks_changed:
      'A member or an API key changed this endpoint after the last failed attempt. Send the missed deliveries now, or send a test event first.',
    webhooks_retrying: {
      live: 'The last attempt to send an event of live payments failed',
      sandbox: 'The last attempt to send an event of the sandbox failed',
    },
    webhooks_waiting: {
      live: 'Your server accepts the events of live payments again',
      sandbox: 'Your server accepts the events of the sandbox again',
    },
    webhooks_open: 'See the deliveries',
    webhooks_mend: 'Repair it',
    webhooks_several: {
      live: (count: string) => `${count} webhook endpoints do not accept the events of live payments`,
      sandbox: (count: string) => `${count} webhook endpoints do not accept the events of the sandbox`,
    },
    webhooks_list: 'See the endpoints',
    address: 'Address',
    webhooks_ask: 'Ask a developer or an administrator of your business to look at the page Webhooks.',
    info_requested: (count: string) =>
      count === '1'
        ? 'An operator waits for your answer about a withdrawal'
        : `An operator waits for your answers about ${count} withdrawals`,
    info_open: 'Answer',
    in_doubt: (count: string) =>
      count === '1'
        ? 'An operator examines the outcome of a withdrawal'
        : `Operators examine the outcomes of ${count} withdrawals`,
    in_doubt_open: 'See the withdrawals',
    held: (count: string) =>
      count === '1' ? 'An operator reviews a payment' : `An operator reviews ${count} payments`,
    held_open: 'See the payments',
    rate: (now: string, before: string) =>
      `Only ${now} % of the payments succeed today; in the 7 days before, ${before} % did`,
    rate_open: 'See the failed payments',
    balance: (mark: string) => `Your balance is below ${mark}`,
    balance_open: 'See the transactions',
    keys: (count: string) =>
      count === '1' ? 'An API key expires within 14 days' : `${count} API keys expire within 14 days`,
    keys_open: 'Replace the key',
    since: 'Since',
    first_ends: 'The first expires',
    mark_title: 'Warn me when the balance is low',
    mark_field: 'Below this amount (TZS)',
    mark_now: (mark: string) => `Now: below ${mark}.`,
    mark_none: 'Leave it empty for no warning.',
    mark_save: 'Save',
    mark_saved: 'Saved.',
  },
})
