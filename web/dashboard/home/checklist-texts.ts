// Contains the texts of the first steps.

import { texts } from '../../ui/language.ts'

/** The texts of the first steps, the command of a first payment, and the test phone numbers of the sandbox. */
export const checklistTexts = texts({
  sw: {
    title: 'Hatua za kuanza',
    progress: (done: number, all: number) => `${done} kati ya ${all} zimekamilika`,
    hide: 'Ficha hatua hizi',
    show: 'Onyesha hatua za kuanza',
    done: 'Imekamilika',
    to_do: 'Bado',
    steps: {
      sandbox_key: {
        name: 'Tengeneza ufunguo wa majaribio',
        text: 'Ufunguo wa API huwezesha tovuti au programu yako kuomba malipo. Wa majaribio hausogezi pesa halisi.',
        action: 'Tengeneza ufunguo',
      },
      first_payment: {
        name: 'Fanya malipo ya kwanza ya majaribio',
        text: 'Tuma ombi hili kwa ufunguo wako, au tengeneza kiungo cha malipo cha majaribio na ukilipe mwenyewe.',
        action: 'Tengeneza kiungo cha majaribio',
      },
      webhook: {
        name: 'Pokea matukio kwa webhook',
        text: 'Seva yako inapata tukio malipo yanapofanikiwa. Hatua hii inakamilika seva yako inapojibu kwa 2xx.',
        action: 'Weka webhook',
      },
      business: {
        name: 'Biashara yako iidhinishwe',
        text: 'Mwendeshaji wa mfumo huidhinisha biashara, huithibitisha na kuipangia makato. Huhitaji kufanya chochote hapa.',
        action: '',
      },
      live_key: {
        name: 'Tengeneza ufunguo halisi',
        text: 'Unafanya kazi kama wa majaribio, ila kwa pesa halisi. Weka kwenye seva yako tu.',
        rehearsal: 'Unafanya kazi kama wa majaribio: mfumo huu unaigiza malipo tu. Weka kwenye seva yako tu.',
        action: 'Tengeneza ufunguo halisi',
      },
      first_live_payment: {
        name: 'Pokea malipo halisi ya kwanza',
        rehearsal_name: 'Pokea malipo ya kwanza kwenye Halisi',
        text: 'Njia rahisi ni kiungo cha malipo: kitume kwa mteja kwa WhatsApp au SMS.',
        rehearsal:
          'Mfumo huu unaigiza malipo tu: pesa halisi hazisogei. Tengeneza kiungo cha malipo na ukilipe mwenyewe.',
        action: 'Tengeneza kiungo halisi',
      },
    },
    business_status: (approved: boolean, verified: boolean, priced: boolean) =>
      [
        approved ? 'Imeidhinishwa.' : 'Bado inasubiri idhini.',
        verified ? 'Imethibitishwa.' : 'Bado haijathibitishwa.',
        priced ? 'Makato yamepangwa.' : 'Makato bado hayajapangwa.',
      ].join(' '),
    ask: 'Msimamizi au msanidi wa biashara anaweza kufanya hatua hii.',
    ask_money: 'Msimamizi au mtu wa fedha wa biashara anaweza kufanya hatua hii.',
    command: 'Ombi la malipo ya majaribio',
    key_place: 'UFUNGUO_WAKO',
    copy: 'Nakili ombi',
    numbers: 'Namba za simu za kujaribia',
    numbers_lead: 'Katika majaribio, tarakimu tatu za mwisho za simu ya mlipaji huamua kitakachotokea.',
    ends_in: 'Inaishia na',
    happens: 'Kinachotokea',
    endings: [
      ['001', 'Malipo yanafanikiwa'],
      ['002', 'PIN si sahihi'],
      ['003', 'Salio halitoshi'],
      ['004', 'Mlipaji anaghairi'],
      ['005', 'Mtandao unakataa'],
      ['006', 'Muda wa kuthibitisha unaisha'],
      ['007', 'Mtandao hautoi jibu la mwisho'],
      ['010', 'Malipo yanashindikana kwanza, kisha yanafanikiwa'],
      ['011', 'Mtandao unachukua kiasi kingine: malipo yanakaguliwa'],
      ['012', 'Malipo yanafanikiwa, kisha yanarudishwa'],
      ['013', 'Mtandao haupatikani'],
      ['014', 'Malipo yanazuiwa ili yakaguliwe'],
    ],
    other_ending: 'Nyingine yoyote',
    other_happens: 'Malipo yanafanikiwa',
  },
  en: {
    title: 'First steps',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    hide: 'Hide these steps',
    show: 'Show the first steps',
    done: 'Done',
    to_do: 'To do',
    steps: {
      sandbox_key: {
        name: 'Create a sandbox key',
        text: 'With an API key your site or program can request payments. A sandbox key moves no real money.',
        action: 'Create a key',
      },
      first_payment: {
        name: 'Take the first sandbox payment',
        text: 'Send this request with your key, or create a sandbox payment link and pay it yourself.',
        action: 'Create a sandbox link',
      },
      webhook: {
        name: 'Receive events by webhook',
        text: 'Your server gets an event when a payment succeeds. Once your server has answered with 2xx, this step is done.',
        action: 'Set the webhook',
      },
      business: {
        name: 'Have your business approved',
        text: 'An operator of the platform approves the business, verifies it and sets its fees. You need to do nothing here.',
        action: '',
      },
      live_key: {
        name: 'Create a live key',
        text: 'A live key works like a sandbox key, with real money. Keep the key on your server only.',
        rehearsal:
          'A live key works like a sandbox key: this installation only simulates payments. Keep the key on your server only.',
        action: 'Create a live key',
      },
      first_live_payment: {
        name: 'Take the first real payment',
        rehearsal_name: 'Take the first live payment',
        text: 'The easiest way is a payment link: send it to a customer by WhatsApp or SMS.',
        rehearsal:
          'This installation only simulates payments, so no money moves. Create a payment link and pay it yourself.',
        action: 'Create a live link',
      },
    },
    business_status: (approved: boolean, verified: boolean, priced: boolean) =>
      [
        approved ? 'Approved.' : 'Not approved yet.',
        verified ? 'Verified.' : 'Not verified yet.',
        priced ? 'Fees are set.' : 'Fees are not set yet.',
      ].join(' '),
    ask: 'An administrator or a developer of the business can do this step.',
    ask_money: 'An administrator of the business or a finance member can do this step.',
    command: 'Request of a sandbox payment',
    key_place: 'YOUR_KEY',
    copy: 'Copy the request',
    numbers: 'Test phone numbers',
    numbers_lead: "In the sandbox the last three digits of the payer's phone decide the outcome.",
    ends_in: 'Ends in',
    happens: 'What happens',
    endings: [
      ['001', 'The payment succeeds'],
      ['002', 'The PIN is wrong'],
      ['003', 'The balance is too low'],
      ['004', 'The payer cancels'],
      ['005', 'The network declines'],
      ['006', 'The prompt expires'],
      ['007', 'The network never gives a final answer'],
      ['010', 'The payment fails first, then succeeds'],
      ['011', 'The network takes another amount, and an operator reviews the payment'],
      ['012', 'The payment succeeds, then the network reverses the payment'],
      ['013', 'The server cannot reach the network'],
      ['014', 'The network holds the payment for a review'],
    ],
    other_ending: 'Any other',
    other_happens: 'The payment succeeds',
  },
})
