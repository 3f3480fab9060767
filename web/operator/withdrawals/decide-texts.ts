// Contains the texts of the dialogs before a decision. The dialogs describe the effect of each decision.

import { texts } from '../../ui/language.ts'

/** The texts of the dialogs, their fields, and the messages after the decision. */
export const decideTexts = texts({
  sw: {
    facts: 'Tahadhari na taarifa',
    amount: 'Kiasi',
    total: 'Yatakayotoka kwenye salio',
    to: 'Kwa',
    network: 'Mtandao au benki',
    number: 'Namba',
    merchant: 'Biashara',
    no_name: 'Hakuna jina',
    sandbox: 'Hii ni rekodi ya majaribio: hakuna pesa halisi.',
    needed: 'Andika sababu.',
    outcome_needed: 'Chagua kilichotokea.',
    approve: {
      title: 'Idhinisha utoaji huu?',
      text: 'Kiasi na makato vitatengwa kwenye salio la biashara, kisha mtoa huduma ataagizwa kulipa. Baadaye unaweza tu kusitisha utoaji ambao haujatumwa.',
      first:
        'Kiasi hiki kinahitaji waendeshaji wawili. Idhini yako ni ya kwanza: pesa hazitatoka hadi mwingine aidhinishe.',
      second: (operator: string) => `${operator} ameshaidhinisha. Idhini yako ni ya pili: kisha pesa zitatoka.`,
      new_place: 'Nimekagua namba na jina: ni mara ya kwanza biashara hii kulipa hapa.',
      new_place_unnamed: 'Nimekagua namba. Jina halijulikani.',
      new_place_needed: 'Weka alama kwamba umekagua inakokwenda.',
      button: (amount: string) => `Idhinisha ${amount}`,
      done: (amount: string, name: string) => `Umeidhinishwa: ${amount} zinatumwa kwa ${name}.`,
      done_first: 'Idhini yako ya kwanza imepokelewa. Pesa hazijatoka: mwendeshaji wa pili anahitajika.',
    },
    reject: {
      title: 'Kataa utoaji huu?',
      text: 'Hakuna pesa zilizotengwa, kwa hiyo hakuna zinazohama. Biashara inaweza kusoma sababu yako.',
      field: 'Sababu',
      button: (amount: string) => `Kataa ${amount}`,
      done: (amount: string) => `Umekataliwa: ${amount} hazitatumwa.`,
      warned: (count: string) =>
        `Utoaji mwingine wa biashara hii unaosubiri ambao sasa una tahadhari kuhusu kukataliwa huku: ${count}.`,
    },
    recall: {
      title: 'Rudisha utoaji huu?',
      text: 'Utoaji umeidhinishwa na haujatumwa. Kiasi na makato vinarudi kwenye salio la biashara, na biashara inaweza kusoma sababu yako. Hatua hii hairudishwi.',
      field: 'Sababu',
      button: (amount: string) => `Rudisha ${amount}`,
      done: (amount: string) => `Umerudishwa: ${amount} na makato viko kwenye salio la biashara.`,
    },
    ask: {
      title: 'Uliza biashara?',
      text: 'Utoaji utasubiri hadi biashara ijibu. Bado unaweza kuidhinisha au kukataa bila jibu. Idhini ya kwanza, kama ipo, inafutwa.',
      field: 'Swali',
      hint: 'Biashara itasoma swali hili kwenye dashibodi yake.',
      button: 'Tuma swali',
      done: 'Swali limetumwa. Utoaji unasubiri jibu la biashara.',
    },
    retry: {
      title: 'Tuma tena kwa mtoa huduma?',
      text: 'Mtoa huduma aliukataa kwa sababu iliyo upande wetu; hakuna kilicholipwa. Rekebisha chanzo kwanza. Utatumwa kwa namba ile ile ya kumbukumbu, ambayo kwayo mtoa huduma hutambua ombi lililorudiwa.',
      button: (amount: string) => `Tuma tena ${amount}`,
      done: (amount: string) => `Umetumwa tena: ${amount} zinasubiri jibu la mtoa huduma.`,
    },
    done_first_decision:
      'Uamuzi wako, wa kwanza kati ya miwili, umehifadhiwa. Hakuna pesa iliyohama: mwendeshaji mwingine lazima afanye uamuzi huo huo.',
    resolve: {
      title: 'Nini kilitokea?',
      text: 'Angalia kwanza kwenye mfumo au taarifa ya mtoa huduma. Uamuzi wako unahamisha pesa kwenye vitabu; mtoa huduma haulizwi tena.',
      outcome: 'Kilichotokea',
      paid: 'Umelipwa',
      paid_hint: 'Mpokeaji amepata pesa. Kiasi na makato vinatoka kwenye salio la biashara.',
      unpaid: 'Haujalipwa, na hautalipwa',
      unpaid_hint:
        'Mpokeaji hakupata kitu. Kiasi na makato vinarudi kwenye salio la biashara. Ukikosea, pesa zinaweza kulipwa mara mbili.',
      field: 'Umejuaje?',
      hint: 'Inabaki kwenye historia ya shughuli.',
      reference: 'Namba ya kumbukumbu ya mtoa huduma',
      reference_hint: 'Kama ulivyoiona kwa mtoa huduma.',
      button_paid: (amount: string) => `Thibitisha: ${amount} zimelipwa`,
      button_unpaid: (amount: string) => `Thibitisha: ${amount} hazijalipwa`,
      button: 'Thibitisha',
      done_paid: (amount: string) => `Umefungwa kama uliolipwa: ${amount} zimetoka kwenye salio.`,
      done_unpaid: (amount: string) => `Umefungwa kama usiolipwa: ${amount} na makato vimerudi kwenye salio.`,
    },
  },
  en: {
    facts: 'Warnings and facts',
    amount: 'Amount',
    total: 'Leaves the balance',
    to: 'To',
    network: 'Network or bank',
    number: 'Number',
    merchant: 'Merchant',
    no_name: 'No name',
    sandbox: 'This is a sandbox record: no real money.',
    needed: 'Enter the reason.',
    outcome_needed: 'Choose the outcome.',
    approve: {
      title: 'Approve this withdrawal?',
      text: 'The server reserves amount and fees, and then asks the provider to pay. Afterwards you can only recall a payout that the server has not sent.',
      first:
        'This amount requires two operators. Yours is the first approval: the server sends no money until another operator approves.',
      second: (operator: string) =>
        `${operator} has approved. Yours is the second approval: the server then sends the money.`,
      new_place:
        'I have checked the number and the name: this is the first payout of the merchant to this destination.',
      new_place_unnamed: 'I have checked the number. No name is known.',
      new_place_needed: 'Tick that you have checked the destination.',
      button: (amount: string) => `Approve ${amount}`,
      done: (amount: string, name: string) => `Approved: the server pays out ${amount} to ${name}.`,
      done_first:
        'The server has recorded your approval, the first of two, and has sent no money: a second operator must approve.',
    },
    reject: {
      title: 'Reject this withdrawal?',
      text: 'The server has reserved no money for this request. The merchant can read your reason.',
      field: 'Reason',
      button: (amount: string) => `Reject ${amount}`,
      done: (amount: string) => `Rejected: the server does not pay out ${amount}.`,
      warned: (count: string) =>
        `Other waiting withdrawals of this merchant that now have a warning about this rejection: ${count}.`,
    },
    recall: {
      title: 'Recall this payout?',
      text: 'The server has not sent the approved payout. Amount and fees go back to the balance of the merchant; the merchant can read your reason. You cannot undo a recall.',
      field: 'Reason',
      button: (amount: string) => `Recall ${amount}`,
      done: (amount: string) => `Recalled: ${amount} and the fees are back in the balance of the merchant.`,
    },
    ask: {
      title: 'Ask the merchant?',
      text: 'The withdrawal waits until the merchant answers. You can still approve or reject the withdrawal without an answer. The question cancels a first approval.',
      field: 'Question',
      hint: 'The merchant reads the question in its dashboard.',
      button: 'Send the question',
      done: 'The server has sent the question. The withdrawal waits for the merchant.',
    },
    retry: {
      title: 'Send the payout to the provider again?',
      text: 'The provider refused the payout for a reason on our side, and paid nothing. Fix the cause first. The server sends the same reference, by which the provider recognises a repeat.',
      button: (amount: string) => `Send ${amount} again`,
      done: (amount: string) => `Sent again: ${amount} waits for the provider's answer.`,
    },
    done_first_decision:
      'The server has recorded your decision, the first of two. No money has moved: another operator must make the same decision.',
    resolve: {
      title: 'What was the outcome?',
      text: "Look at the provider's portal or statement first. Your decision moves money in the ledger; the server does not query the provider again.",
      outcome: 'What happened',
      paid: 'The provider paid',
      paid_hint: "The recipient has the money. Amount and fees leave the merchant's balance.",
      unpaid: 'The provider did not pay, and will not pay',
      unpaid_hint:
        "The recipient got nothing. Amount and fees go back to the merchant's balance. If you are wrong, the provider may pay the recipient twice.",
      field: 'How do you know?',
      hint: 'The audit log keeps the text.',
      reference: "Provider's reference",
      reference_hint: 'The reference that you saw at the provider.',
      button_paid: (amount: string) => `Confirm: the provider paid ${amount}`,
      button_unpaid: (amount: string) => `Confirm: the provider did not pay ${amount}`,
      button: 'Confirm',
      done_paid: (amount: string) => `Closed as paid: ${amount} has left the balance.`,
      done_unpaid: (amount: string) => `Closed as not paid: ${amount} and its fees are back in the balance.`,
    },
  },
})
