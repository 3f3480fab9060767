// Contains the texts of held collections.

import { texts } from '../../ui/language.ts'

/** The texts of the list, of one case, and of the decision. */
export const heldTexts = texts({
  sw: {
    title: 'Malipo yaliyozuiwa',
    leads: {
      pending_clearance:
        'Pesa zimepokelewa lakini hazijaongezwa kwenye salio la biashara. Zinasubiri uamuzi, za zamani kwanza.',
      successful: 'Malipo haya yalizuiwa, kisha pesa ziliongezwa kwenye salio la biashara. Mapya kwanza.',
      failed: 'Malipo haya yalizuiwa, kisha yalikataliwa. Biashara haikupata pesa hizi. Mapya kwanza.',
      reversed: 'Malipo haya yalizuiwa, kisha yalirudishwa. Biashara haina pesa hizi. Mapya kwanza.',
    } as Record<string, string>,
    status: 'Hali',
    environment: 'Mazingira',
    held_at: 'Yalizuiwa',
    requested: 'Kiasi kilichoombwa',
    received: 'Kiasi kilichopokelewa',
    merchant: 'Biashara',
    payer: 'Mlipaji',
    why: 'Sababu ya kuzuiwa',
    whys: {
      amount: 'Kiasi kilichopokelewa ni tofauti',
      currency: 'Sarafu nyingine imepokelewa',
      review: 'Mtoa huduma ameyazuia ili ayakague',
    },
    empty: 'Hakuna malipo yaliyozuiwa',
    teach: 'Malipo yenye kiasi au sarafu tofauti na iliyoombwa, au ambayo mtoa huduma ameyazuia, yanasubiri hapa.',
    case: (amount: string) => `${amount} zilizozuiwa`,
    gone: 'Haiwezekani kuonyesha malipo yaliyozuiwa yenye namba hii. Funga dirisha hili, kisha chagua malipo kwenye orodha.',
    differs: (requested: string, received: string) =>
      `Biashara iliomba ${requested}, lakini mtoa huduma amepokea ${received}.`,
    foreign: (received: string) =>
      `Zimepokelewa ${received}, si shilingi. Hakuna kilichoingizwa kwenye vitabu hadi useme thamani yake kwa shilingi.`,
    foreign_received: 'Kiasi kilichopokelewa kwa sarafu nyingine',
    worth: (received: string) => `Thamani ya ${received} kwa shilingi (TZS)`,
    worth_hint: 'Kiasi hiki kinaingizwa kwenye vitabu na kubaki kwenye historia ya malipo na historia ya shughuli.',
    approve_foreign: (merchant: string) =>
      `Thamani unayoandika, ukitoa makato yetu, inaongezwa kwenye salio la ${merchant}.`,
    decline_foreign: (received: string) =>
      `Hakuna kinachoingizwa kwenye vitabu. Lazima urudishe ${received} kwa mlipaji kwenye mfumo wa mtoa huduma.`,
    done_decline_foreign: (received: string) =>
      `Umekataa malipo. Sasa rudisha ${received} kwa mlipaji kwenye mfumo wa mtoa huduma.`,
    fee: 'Makato yetu',
    method: 'Njia',
    credited: 'Biashara itapata ukiidhinisha',
    reference: 'Namba ya kumbukumbu ya biashara',
    description: 'Maelezo',
    provider: 'Mtoa huduma',
    provider_reference: 'Namba ya kumbukumbu kwa mtoa huduma',
    provider_status: 'Hali kwa mtoa huduma',
    history: 'Historia',
    noted: 'Taarifa iliyohifadhiwa',
    actor: (actor: string) =>
      actor.startsWith('operator')
        ? 'Mwendeshaji'
        : actor === 'deadline'
          ? 'Muda uliisha'
          : actor === 'provider'
            ? 'Mtoa huduma'
            : actor,
    decision: 'Uamuzi',
    approve: 'Idhinisha: pesa ni za biashara',
    approve_hint: (credited: string, merchant: string) => `${credited} zinaongezwa kwenye salio la ${merchant}.`,
    decline: 'Kataa: pesa zirudi kwa mlipaji',
    decline_hint: (received: string) =>
      `${received} zinatoka kwenye vitabu vya biashara. Lazima uzirudishe kwa mlipaji kwenye mfumo wa mtoa huduma.`,
    decision_needed: 'Chagua uamuzi.',
    reason: 'Sababu',
    reason_hint: 'Inabaki kwenye historia ya malipo na historia ya shughuli; biashara haiioni.',
    needed: 'Andika sababu.',
    button: 'Thibitisha',
    button_approve: (credited: string) => `Idhinisha ${credited}`,
    button_decline: (received: string) => `Rudisha ${received}`,
    done_first:
      'Uamuzi wako, wa kwanza kati ya miwili, umehifadhiwa. Hakuna pesa iliyohama: mwendeshaji mwingine lazima afanye uamuzi huo huo.',
    done_approve: (credited: string, merchant: string) =>
      `Umeidhinisha malipo: ${credited} zimeongezwa kwenye salio la ${merchant}.`,
    done_decline: (received: string) =>
      `Umekataa malipo: ${received} zimetoka kwenye vitabu vya biashara. Sasa zirudishe kwa mlipaji kwenye mfumo wa mtoa huduma.`,
    sandbox: 'Hii ni rekodi ya majaribio: hakuna pesa halisi.',
    decided: 'Yaliamuliwa',
    id: 'Namba ya rekodi',
  },
  en: {
    title: 'Held payments',
    leads: {
      pending_clearance:
        "Money that came in and is not in the merchant's balance yet. The list shows the payments that wait for a decision, the oldest first.",
      successful:
        "These payments were held, and then the server added the money to the merchant's balance. The newest come first.",
      failed: 'These payments were held and then declined. The merchant did not get the money. The newest come first.',
      reversed:
        'These payments were held and later reversed. The merchant does not have the money. The newest come first.',
    },
    status: 'Status',
    environment: 'Environment',
    held_at: 'Held since',
    requested: 'Requested amount',
    received: 'Amount received',
    merchant: 'Merchant',
    payer: 'Payer',
    why: 'Why the payment is held',
    whys: {
      amount: 'The provider took another amount',
      currency: 'The provider took another currency',
      review: 'The provider reviews the payment',
    },
    empty: 'No held payments',
    teach: 'Payments with another amount or currency than requested, and payments that the provider holds, wait here.',
    case: (amount: string) => `${amount} held`,
    gone: 'The console cannot show a held payment with this id. Close the dialog and choose a payment from the list.',
    differs: (requested: string, received: string) =>
      `The merchant requested ${requested}, but the provider took ${received}.`,
    foreign: (received: string) =>
      `The provider took ${received}, not shillings. The server books nothing until you state the value in shillings.`,
    foreign_received: 'Received in another currency',
    worth: (received: string) => `Value of ${received} in shillings (TZS)`,
    worth_hint: 'The server books this amount. The history and the audit log keep the amount.',
    approve_foreign: (merchant: string) =>
      `The server adds the value that you state, less our fee, to the balance of ${merchant}.`,
    decline_foreign: (received: string) =>
      `The server books nothing. You must return ${received} to the payer at the provider.`,
    done_decline_foreign: (received: string) => `Declined. Now return ${received} to the payer at the provider.`,
    fee: 'Our fee',
    method: 'Method',
    credited: 'The merchant gets, if you approve',
    reference: "Merchant's reference",
    description: 'Description',
    provider: 'Provider',
    provider_reference: 'Reference at the provider',
    provider_status: 'Provider status',
    history: 'History',
    noted: 'Noted',
    actor: (actor: string) =>
      actor.startsWith('operator')
        ? 'Operator'
        : actor === 'deadline'
          ? 'Timed out'
          : actor === 'provider'
            ? 'Provider'
            : actor,
    decision: 'Decision',
    approve: "Approve: the money is the merchant's",
    approve_hint: (credited: string, merchant: string) => `The server adds ${credited} to the balance of ${merchant}.`,
    decline: 'Decline: the money goes back to the payer',
    decline_hint: (received: string) =>
      `${received} leaves the merchant's books. You must return this money to the payer at the provider.`,
    decision_needed: 'Choose a decision.',
    reason: 'Reason',
    reason_hint: 'The history and the audit log keep the reason. The merchant cannot read the reason.',
    needed: 'Enter the reason.',
    button: 'Confirm',
    button_approve: (credited: string) => `Approve ${credited}`,
    button_decline: (received: string) => `Return ${received}`,
    done_first:
      'The server has recorded your decision, the first of two. No money has moved: another operator must make the same decision.',
    done_approve: (credited: string, merchant: string) =>
      `Approved: the server added ${credited} to the balance of ${merchant}.`,
    done_decline: (received: string) =>
      `Declined: ${received} has left the merchant's books. Now return this money to the payer at the provider.`,
    sandbox: 'This is a sandbox record: no real money.',
    decided: 'Decided',
    id: 'Id',
  },
})
