// Contains the texts of the page of a withdrawal.

import { texts } from '../../ui/language.ts'

/** The texts of the page and its parts: next step, facts, question, funding and simulation. */
export const withdrawalTexts = texts({
  sw: {
    title: (amount: string) => `Utoaji wa ${amount}`,
    one: 'Utoaji pesa',
    next_title: 'Kinachofuata',
    next: {
      PENDING_ADMIN_APPROVAL:
        'Ombi limepokelewa na linasubiri idhini. Mwendeshaji wa mfumo analinganisha jina, namba na kiasi, kisha anaidhinisha, anakataa, au anauliza. Huna la kufanya kwa sasa; hakuna pesa iliyotengwa wala kutumwa.',
      INFO_REQUESTED: 'Mwendeshaji ameuliza swali. Jibu hapa chini ili ombi lirudi kwenye foleni ya idhini.',
      PROCESSING:
        'Mwendeshaji ameidhinisha. Seva imetenga pesa na inamwagiza mtoa huduma kuzituma; ukurasa huu unajisasisha akithibitisha.',
      SUCCESS: 'Mtoa huduma amethibitisha kuwa pesa zimemfikia mpokeaji. Hakuna kilichobaki kufanywa.',
      FAILED: 'Pesa hazikutumwa. Zilizokuwa zimetengwa zimerudi kwenye salio lako. Angalia sababu, kisha omba tena.',
      REJECTED:
        'Mwendeshaji amekataa ombi hili. Hakuna pesa iliyotengwa wala kutoka. Rekebisha, kisha tuma ombi jipya.',
      CANCELLED: 'Ombi hili limesitishwa kabla ya pesa kutumwa. Hakuna pesa iliyotoka kwenye salio lako.',
      NEEDS_RECONCILIATION:
        'Mtoa huduma hajasema wazi kama pesa zimefika. Pesa zimebaki zimetengwa hadi ijulikane; seva inaendelea kumuuliza, na mwendeshaji anafuatilia. Usitume ombi lingine kwa malipo haya.',
      BLOCKED_IP_WHITELIST:
        'Mtoa huduma amekataa muunganisho wa mfumo huu. Si kosa lako. Mwendeshaji ataurekebisha na kutuma tena; pesa zimebaki zimetengwa.',
      NEEDS_ADMIN_ATTENTION:
        'Taarifa mbili za mtoa huduma zinapingana. Mwendeshaji anachunguza kabla ya chochote kingine kutokea.',
      REVERSED: 'Mtoa huduma amerudisha pesa baada ya kuzituma. Zimerudi kwenye salio lako.',
    } as Record<string, string>,
    mailed:
      'Wasimamizi na watu wa Fedha huchagua kwenye ukurasa wa Arifa kama watapata barua pepe ombi likikataliwa au swali likiulizwa.',
    again: 'Tuma ombi jipya',
    cancel: 'Sitisha ombi',
    cancel_title: 'Sitisha ombi hili?',
    cancel_text: (amount: string) =>
      `Ombi la kutoa ${amount} halitaidhinishwa wala kutumwa. Huwezi kulirudisha; unaweza kutuma ombi jipya.`,
    cancel_sure: 'Ndiyo, sitisha',
    cancel_keep: 'Hapana, libaki',
    receipt: 'Risiti',
    facts: 'Maelezo',
    status: 'Hali',
    amount: 'Mpokeaji anapata',
    percentage: 'Makato ya asilimia',
    flat: 'Makato kwa kila muamala',
    processor: 'Makato ya mtoa huduma',
    charges: 'Jumla ya makato',
    total: 'Jumla kutoka kwenye salio',
    method: 'Njia',
    to: 'Mpokeaji',
    number: 'Namba',
    place: 'Mtandao au benki',
    reference: 'Namba yako ya kumbukumbu',
    provider_reference: 'Namba ya kumbukumbu kwa mtoa huduma',
    transaction: 'Muamala',
    failure: 'Sababu',
    reason: 'Mwendeshaji amesema',
    created: 'Uliombwa',
    completed: 'Ulikamilika',
    id: 'Namba ya ombi hili',
    question_title: 'Mwendeshaji anauliza',
    answer: 'Jibu lako',
    answer_help: 'Mwendeshaji na watumiaji wa biashara yako wataliona. Usiandike PIN wala nywila.',
    send_answer: 'Tuma jibu',
    answered: 'Jibu limetumwa. Ombi linasubiri idhini tena.',
    answer_who: 'Msimamizi au mtu wa Fedha wa biashara yako ndiye anayejibu.',
    funding: 'Pesa hizi zilitoka wapi',
    funding_none: 'Baada ya idhini, seva inatenga pesa na kuonyesha hapa zilikotoka.',
    funding_part: 'Sehemu ya pesa iliingia zamani zaidi ya miamala inayotafutwa hapa.',
    funding_of: (used: string, total: string) => `${used} kati ya ${total}`,
    payment: 'Muamala ulioleta pesa',
    credited: 'Ulichoingiza',
    used: 'Kiasi kilichotumika',
    play: 'Majaribio: igiza mwendeshaji na mtoa huduma',
    play_help: 'Hapa hakuna pesa halisi. Chagua kitakachotokea ili ujaribu mfumo wako.',
    played: (status: string) => `Umeigiza. Hali sasa: ${status}.`,
  },
  en: {
    title: (amount: string) => `Withdrawal of ${amount}`,
    one: 'Withdrawal',
    next_title: 'What happens next',
    next: {
      PENDING_ADMIN_APPROVAL:
        'Your request has arrived and waits for approval. An operator of the platform compares name, number and amount, then approves it, rejects it, or asks a question. You need to do nothing now. The server has not reserved or sent any money yet.',
      INFO_REQUESTED:
        'An operator asked a question. Answer the question below. The request then waits for approval again.',
      PROCESSING:
        'An operator approved the withdrawal. The server has reserved the money, and sends the payout to the provider. When the provider confirms, this page changes.',
      SUCCESS: 'The provider confirmed that the money reached the recipient. You need to do nothing more.',
      FAILED:
        'The recipient got no money. The reserved money is back in your balance. Read the reason, then submit another withdrawal.',
      REJECTED:
        'An operator rejected this request. The server reserved no money. Correct the details, then send a new request.',
      CANCELLED:
        'Your business cancelled this request, or an operator recalled it before the provider got the payout. No money has left your balance.',
      NEEDS_RECONCILIATION:
        'The provider has not reported clearly whether the money arrived. The money stays reserved until the outcome is known: the server queries the provider again, and an operator checks the payout. Do not send another request for this payment.',
      BLOCKED_IP_WHITELIST:
        'The provider refused the connection of this platform. You did nothing wrong. An operator corrects the cause and sends the payout again; the money stays reserved.',
      NEEDS_ADMIN_ATTENTION:
        'The reports of the provider contradict each other. An operator investigates first; until then no money moves.',
      REVERSED: 'The provider returned the money after sending it. The money is back in your balance.',
    },
    mailed:
      'Administrators and finance members choose on the page Notifications whether they get an e-mail after a rejection or a question.',
    again: 'Send a new request',
    cancel: 'Cancel the request',
    cancel_title: 'Cancel this request?',
    cancel_text: (amount: string) =>
      `After a cancellation, no operator can approve the withdrawal of ${amount}. You cannot undo a cancellation, but you can send a new request.`,
    cancel_sure: 'Yes, cancel the request',
    cancel_keep: 'No, keep it',
    receipt: 'Receipt',
    facts: 'Facts',
    status: 'Status',
    amount: 'The recipient gets',
    percentage: 'Percentage fee',
    flat: 'Fixed fee',
    processor: "Provider's fee",
    charges: 'Total fees',
    total: 'From your balance in total',
    method: 'Method',
    to: 'Recipient',
    number: 'Number',
    place: 'Network or bank',
    reference: 'Your reference',
    provider_reference: 'Reference at the provider',
    transaction: 'Transaction',
    failure: 'Reason',
    reason: 'Message of the operator',
    created: 'Requested',
    completed: 'Completed',
    id: 'Id of this request',
    question_title: 'The operator asks',
    answer: 'Your answer',
    answer_help: 'The operator and the members of your business will see this text. Never write a PIN or a password.',
    send_answer: 'Send the answer',
    answered: 'The operator has your answer. The request waits for approval again.',
    answer_who: 'Only an administrator or a finance member of your business can answer this question.',
    funding: 'Sources of this money',
    funding_none: 'After the approval, the server reserves the money and shows its sources here.',
    funding_part: 'Some of the money is from transactions that are too old for this search.',
    funding_of: (used: string, total: string) => `${used} of ${total}`,
    payment: 'Transaction of the money',
    credited: 'Brought in',
    used: 'Used for this withdrawal',
    play: 'Sandbox: simulate the operator and the provider',
    play_help: 'No real money here. Choose an outcome to test your system.',
    played: (status: string) => `Simulated. The status is now: ${status}.`,
  },
})
