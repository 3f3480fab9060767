// Contains the texts of the receipt of a payment.

import { texts } from '../../ui/language.ts'

/** The texts of the receipt of a payment, on the screen and in print. */
export const receiptTexts = texts({
  sw: {
    title: 'Risiti ya malipo',
    statuses: { successful: 'Malipo yamefanikiwa', reversed: 'Malipo yamerudishwa' } as Record<string, string>,
    paid_at: 'Tarehe na saa',
    method: 'Njia ya malipo',
    payer: 'Mlipaji',
    phone: 'Simu iliyolipa',
    reference: 'Namba ya kumbukumbu',
    provider_reference: 'Namba kwa mtoa huduma',
    id: 'Kitambulisho cha malipo',
    none: 'Malipo haya hayana risiti, kwa sababu hayajafanikiwa.',
    back: 'Rudi kwenye malipo',
  },
  en: {
    title: 'Payment receipt',
    statuses: { successful: 'Payment successful', reversed: 'Payment returned' },
    paid_at: 'Date and time',
    method: 'Paid with',
    payer: 'Payer',
    phone: 'Phone that paid',
    reference: 'Reference',
    provider_reference: 'Reference at the provider',
    id: 'Payment id',
    none: 'This payment has no receipt, because it has not succeeded.',
    back: 'Back to the payment',
  },
})
