// Contains the texts of errors. Most texts tell the user what to do next. docs/design/errors.md explains the codes.

import { texts } from './language.ts'

/**
 * The texts of errors. `codes` has a text for each refusal that the user can resolve. For any other code, the page shows the
 * message of the API.
 */
export const problemTexts = texts({
  sw: {
    lost_title: 'Hatukupata majibu ya seva',
    lost: 'Ulichoandika kimehifadhiwa. Angalia mtandao, kisha jaribu tena.',
    over_title: 'Muda wako umeisha',
    over: 'Ingia tena ili kuendelea. Ulichoandika kimehifadhiwa.',
    step_up_title: 'Thibitisha kwanza',
    conflict_title: 'Haiwezekani kwa sasa',
    refused_title: 'Seva imekataa ombi',
    failed_title: 'Hitilafu upande wetu',
    failed: 'Jaribu tena baada ya muda mfupi; ikiendelea, tuma namba ya ombi kwa msaada.',
    failed_without_id: 'Jaribu tena baada ya muda mfupi; ikiendelea, waambie msaada ukurasa na saa.',
    operators: {
      failed: 'Jaribu tena baada ya muda mfupi; ikiendelea, tafuta namba ya ombi kwenye log ya seva.',
      failed_without_id: 'Jaribu tena baada ya muda mfupi; ikiendelea, soma log ya seva ya saa hii.',
    },
    missing_title: 'Haipatikani',
    missing:
      'Rekodi hii haipo, au iko kwenye mazingira mengine (Majaribio au Halisi), au ni ya biashara yako nyingine.',
    retry: 'Jaribu tena',
    sign_in: 'Ingia tena',
    reload: 'Onyesha hali ya sasa',
    request_id: 'Namba ya ombi',
    wait: (seconds: number) => `Jaribu tena baada ya sekunde ${seconds}.`,
    fields: 'Kuna kitu cha kurekebisha:',
    fields_marked: 'Rekebisha sehemu zilizowekwa alama nyekundu.',
    codes: {
      insufficient_role: 'Jukumu lako haliruhusu hili. Muulize msimamizi wa biashara.',
      insufficient_balance: 'Salio linalopatikana halitoshi kwa kiasi na makato.',
      confirmation_required: 'Ni mara ya kwanza kulipa hapa. Kagua inakokwenda, weka alama, kisha idhinisha tena.',
      payout_limit_reached:
        'Utoaji umevuka kikomo cha siku cha biashara hii. Idhinisha siku nyingine, au ongeza kikomo cha biashara.',
      withdrawal_restricted: 'Mwendeshaji lazima aidhinishe na athibitishe biashara kabla ya kutoa pesa.',
      production_access_restricted:
        'Mazingira halisi yanapatikana baada ya biashara kuidhinishwa, kuthibitishwa na kupangiwa makato.',
      payment_link_already_paid: 'Kiungo hiki kimeshalipwa; hakiwezi kusitishwa.',
      payment_link_not_active: 'Kiungo hiki hakitumiki tena.',
      payment_in_progress: 'Malipo mengine yanaendelea kwenye ukurasa huu.',
      invalid_state: 'Hali ya sasa hairuhusu hili. Huenda imebadilika tangu ulipofungua ukurasa.',
      idempotency_in_progress: 'Ombi lako la kwanza bado linashughulikiwa. Subiri kidogo.',
      idempotency_key_reused: 'Ombi hili lilishatumwa likiwa na maelezo mengine. Fungua fomu upya.',
      amount_not_supported: 'Kiasi hiki hakiruhusiwi.',
      unknown_destination: 'Mtandao au benki hii haijulikani.',
      rate_limited: 'Maombi ni mengi mno kwa sasa.',
      provider_unavailable: 'Mtoa huduma hapatikani kwa sasa.',
      validation_failed: 'Kuna sehemu za kurekebisha.',
      step_up_required: 'Rudia kitendo na uthibitishe kuwa ni wewe, au ingia tena: muda umepita tangu ulipoingia.',
      key_limit_reached: 'Funguo zimefikia kikomo.',
      webhook_endpoint_limit_reached: 'Anwani za webhook zimefikia kikomo. Ondoa moja kwanza.',
      second_factor_required: 'Biashara hii inataka hatua ya pili ya kuingia. Iweke, kisha uingie nayo.',
      payouts_paused: 'Mwendeshaji amesimamisha utoaji huu. Subiri, au uruhusu tena kwanza.',
      second_operator_required: 'Umeshafanya uamuzi huu. Mwendeshaji mwingine lazima afanye uamuzi huo huo.',
      conflict_of_interest:
        'Wewe ni au uliwahi kuwa mtumiaji wa biashara hii, au ulitengeneza ufunguo wake wa API. Mwendeshaji mwingine lazima aamue.',
      forbidden: 'Seva hairuhusu kitendo hiki.',
    } as Record<string, string>,
  },
  en: {
    lost_title: 'No answer from the server',
    lost: 'This tab keeps the text that you typed. Check your connection, then try again.',
    over_title: 'Your session has ended',
    over: 'Sign in again to continue. This tab keeps the text that you typed.',
    step_up_title: 'Confirm that it is you first',
    conflict_title: 'Not possible now',
    refused_title: 'The server refused the request',
    failed_title: 'Error on our side',
    failed: 'Try again in a moment. If the error happens again, give support the request id.',
    failed_without_id:
      'Try again in a moment. If the error happens again, tell support the page and the time of the error.',
    operators: {
      failed: 'Try again in a moment. If the error happens again, search the log of the server for the request id.',
      failed_without_id: 'Try again in a moment. If the error happens again, read the log of the server of this time.',
    },
    missing_title: 'Not found',
    missing:
      'This record does not exist, is in the other environment (Sandbox or Live), or belongs to another of your businesses.',
    retry: 'Try again',
    sign_in: 'Sign in again',
    reload: 'Show the current status',
    request_id: 'Request id',
    wait: (seconds: number) => `Try again in ${seconds} seconds.`,
    fields: 'Correct these fields:',
    fields_marked: 'Correct the fields that are marked in red.',
    codes: {
      insufficient_role: 'Your role does not allow this action. Ask an administrator of the business.',
      insufficient_balance: 'The available balance does not cover the amount and the fees.',
      confirmation_required:
        'First payout to this destination. Check the destination, tick the box, then approve again.',
      payout_limit_reached:
        'The payout exceeds a daily limit of this merchant. Approve the payout on another day, or raise the limit of the merchant.',
      withdrawal_restricted: 'An operator must approve and verify the business before the business can withdraw.',
      production_access_restricted:
        'You can use Live after an operator has approved and verified the business and set its fees.',
      payment_link_already_paid: 'A customer has paid this link, so you cannot cancel the link.',
      payment_link_not_active: 'This link is not active any more.',
      payment_in_progress: 'Another payment of this page is in progress.',
      invalid_state:
        'The current status does not allow this action. The status may have changed since you opened the page.',
      idempotency_in_progress: 'The server still processes your first request. Wait a moment.',
      idempotency_key_reused: 'The page has sent this request before with other contents. Open the form again.',
      amount_not_supported: 'The amount is outside the limits, or the provider cannot move it.',
      unknown_destination: 'The server does not know this network or bank.',
      rate_limited: 'Too many requests at the moment.',
      provider_unavailable: 'The server cannot reach the payment provider at the moment.',
      validation_failed: 'Some values are not valid. Correct these values.',
      step_up_required: 'Repeat the action and confirm that it is you, or sign in again: your sign-in is not recent.',
      key_limit_reached: 'The number of active keys has reached its limit.',
      webhook_endpoint_limit_reached: 'The number of webhook endpoints has reached its limit. Remove one first.',
      second_factor_required:
        'This business requires a second step at sign-in. Set up the second step, then sign in again.',
      payouts_paused: 'An operator has paused these payouts. Wait, or end the pause first.',
      second_operator_required: 'You have already made this decision. Another operator has to make the same decision.',
      conflict_of_interest:
        'You are or were a member of this merchant, or you created one of its API keys. Another operator has to decide.',
      forbidden: 'The server does not allow this action.',
    },
  },
})
