// Contains the texts about pauses of payouts.

import { texts } from '../../ui/language.ts'

/** The texts of the page of pauses, of its dialogs, and of the banner. */
export const pausesTexts = texts({
  sw: {
    title: 'Kusimamisha utoaji pesa',
    lead: 'Utoaji uliosimamishwa unasubiri: pesa zinabaki zimetengwa, na hakuna kinachotumwa kwa mtoa huduma. Uliokwisha kutumwa unaendelea kuulizwa.',
    banner: 'Mwendeshaji amesimamisha utoaji pesa',
    banner_link: 'Angalia na uruhusu tena',
    start: 'Simamisha utoaji pesa',
    start_title: 'Simamisha utoaji pesa?',
    start_text:
      'Ukishathibitisha, hakuna utoaji halisi unaohusika utakaotumwa hadi mwendeshaji aruhusu tena. Idhini bado zinawezekana.',
    started: (sending: number) =>
      sending === 0
        ? 'Umesimamisha utoaji pesa.'
        : `Umesimamisha utoaji pesa. Ambao seva ilikuwa imeanza kuutuma: ${sending}. Mtoa huduma huenda ameulipa au ataulipa.`,
    scope: 'Unaohusika',
    scopes: {
      platform: 'Mfumo mzima',
      merchant: 'Biashara moja',
      provider: 'Mtoa huduma mmoja',
      destination: 'Mtandao au benki moja',
    } as Record<string, string>,
    merchant: 'Kitambulisho cha biashara',
    merchant_hint: 'Kiko kwenye anwani ya ukurasa wa biashara.',
    provider: 'Mtoa huduma',
    destination: 'Mtandao au benki',
    choose: 'Chagua',
    target_needed: 'Chagua unachosimamisha.',
    reason: 'Sababu',
    reason_hint: 'Inabaki kwenye historia ya shughuli na ya kila utoaji unaosubiri.',
    needed: 'Andika sababu.',
    since: 'Tangu',
    by: (name: string) => `na ${name}`,
    ended: 'Uliruhusiwa tena',
    state: 'Hali',
    states: { active: 'Umesimamishwa', ended: 'Umeruhusiwa tena' } as Record<string, string>,
    acts: 'Uamuzi',
    end: 'Ruhusu tena',
    end_title: 'Ruhusu utoaji pesa tena?',
    end_text: (what: string) =>
      `Utoaji uliosubiri (${what}) utatumwa ndani ya nusu dakika, kama hakuna kizuizi kingine.`,
    end_button: (what: string) => `Ruhusu tena: ${what}`,
    end_done: 'Utoaji pesa umeruhusiwa tena.',
    empty: 'Hakuna utoaji uliosimamishwa',
    teach: 'Simamisha utoaji pesa ukiona jambo lisilo la kawaida. Unaweza kuuruhusu tena wakati wowote.',
  },
  en: {
    title: 'Payout pauses',
    lead: 'Paused payouts wait: the money stays reserved, and the server sends nothing to a provider. The server still queries the payouts that it sent before.',
    banner: 'An operator has paused payouts',
    banner_link: 'See the pauses and end them',
    start: 'Pause payouts',
    start_title: 'Pause payouts?',
    start_text:
      'After you confirm, the server sends no live payout in the scope until an operator ends the pause. Approvals stay possible.',
    started: (sending: number) =>
      sending === 0
        ? 'You paused the payouts.'
        : `You paused the payouts. Payouts that the server had begun to send before: ${sending}. The provider may have paid them, or may still pay them.`,
    scope: 'Payouts that wait',
    scopes: {
      platform: 'The whole platform',
      merchant: 'One merchant',
      provider: 'One provider',
      destination: 'One network or bank',
    },
    merchant: 'Id of the merchant',
    merchant_hint: "The address of the merchant's page contains the id.",
    provider: 'Provider',
    destination: 'Network or bank',
    choose: 'Choose',
    target_needed: 'Choose the target of the pause.',
    reason: 'Reason',
    reason_hint: 'The audit log and the history of each payout that waits keep the reason.',
    needed: 'Enter the reason.',
    since: 'Since',
    by: (name: string) => `by ${name}`,
    ended: 'Ended',
    state: 'State',
    states: { active: 'In force', ended: 'Ended' },
    acts: 'Decision',
    end: 'End the pause',
    end_title: 'End this pause?',
    end_text: (what: string) =>
      `If nothing else stops them, the server sends the payouts that waited (${what}) within half a minute.`,
    end_button: (what: string) => `End the pause: ${what}`,
    end_done: 'The pause has ended.',
    empty: 'No pause is in force',
    teach: 'If you see an unusual payout, pause payouts. You can end the pause at any time.',
  },
})
