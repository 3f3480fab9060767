// Contains the texts of invoices, receipts and posters in both languages. If a translation is missing, the program does not
// compile.

import type { Language } from '../lib/index.ts'

/** The status that an invoice document shows. OVERDUE means a sent and unpaid invoice after its due date. */
export type InvoiceStatus = 'DRAFT' | 'SENT' | 'OVERDUE' | 'PAID' | 'CANCELLED'

type DocumentTexts = {
  test: string
  page: (page: number, pages: number) => string
  invoice: {
    title: string
    billed_to: string
    issued: string
    due: string
    status: string
    statuses: Record<InvoiceStatus, string>
    total_label: Record<InvoiceStatus, string>
    item: string
    quantity: string
    price: (currency: string) => string
    amount: (currency: string) => string
    total: string
    note: string
    draft: string
    cancelled: string
    returned: string
    paid: (time: string) => string
    paid_and_returned: (paid: string, returned: string) => string
    reference: (reference: string) => string
    pay: string
    scan: string
    choose: string
    confirm: string
    keep_pin: string
    code: string
  }
  receipt: {
    title: string
    statuses: Record<'successful' | 'reversed', string>
    amount: string
    method: string
    phone: string
    reference: string
    provider_reference: string
    collection_id: string
    paid_at: string
    description: string
    proof: string
    scan: string
    code: string
  }
  poster: {
    title: string
    pay: string
    scan: string
    code: string
  }
}

const sw: DocumentTexts = {
  test: 'MAJARIBIO: hakuna pesa halisi',
  page: (page, pages) => `Ukurasa ${page} kati ya ${pages}`,
  invoice: {
    title: 'Ankara',
    billed_to: 'Imetolewa kwa',
    issued: 'Tarehe ya ankara',
    due: 'Tarehe ya mwisho ya kulipa',
    status: 'Hali',
    statuses: {
      DRAFT: 'Rasimu',
      SENT: 'Inasubiri malipo',
      OVERDUE: 'Imepita tarehe ya mwisho',
      PAID: 'Imelipwa',
      CANCELLED: 'Imesitishwa',
    },
    total_label: {
      DRAFT: 'Kiasi cha kulipa',
      SENT: 'Kiasi cha kulipa',
      OVERDUE: 'Kiasi cha kulipa',
      PAID: 'Kiasi kilicholipwa',
      CANCELLED: 'Kiasi',
    },
    item: 'Maelezo',
    quantity: 'Idadi',
    price: (currency) => `Bei (${currency})`,
    amount: (currency) => `Kiasi (${currency})`,
    total: 'Jumla',
    note: 'Maelezo ya ziada',
    draft: 'Hii ni rasimu: ankara bado haijatumwa kwa mteja.',
    cancelled: 'Ankara hii imesitishwa. Usiilipe.',
    returned: 'Imelipwa, kisha imerudishwa',
    paid: (time) => `Ankara hii imelipwa tarehe ${time}.`,
    paid_and_returned: (paid, returned) => `Ililipwa tarehe ${paid}, kisha malipo yakarudishwa tarehe ${returned}.`,
    reference: (reference) => `Namba ya kumbukumbu: ${reference}`,
    pay: 'Jinsi ya kulipa',
    scan: '1. Skani msimbo huu kwa kamera ya simu yako, au fungua kiungo hiki:',
    choose: '2. Chagua njia ya kulipa na uweke namba ya simu itakayolipa.',
    confirm: '3. Weka namba ya siri (PIN) kwenye simu yako kuthibitisha.',
    keep_pin: 'Usimpe mtu yeyote PIN yako.',
    code: 'Msimbo wa QR wa ukurasa wa kulipia ankara hii',
  },
  receipt: {
    title: 'Risiti',
    statuses: { successful: 'Malipo yamefanikiwa', reversed: 'Malipo yamerudishwa' },
    amount: 'Kiasi',
    method: 'Njia ya malipo',
    phone: 'Simu iliyolipa',
    reference: 'Namba ya kumbukumbu',
    provider_reference: 'Namba ya muamala',
    collection_id: 'Kitambulisho cha malipo',
    paid_at: 'Tarehe na saa',
    description: 'Maelezo',
    proof: 'Ujumbe (SMS) kutoka mtandao wako ndio uthibitisho wako wa malipo.',
    scan: 'Skani kuona hali ya malipo haya.',
    code: 'Msimbo wa QR wa ukurasa wa malipo haya',
  },
  poster: {
    title: 'Lipa kwa simu',
    pay: 'Lipa hapa kwa simu',
    scan: 'Skani msimbo huu kwa kamera ya simu yako, au fungua kiungo hiki:',
    code: 'Msimbo wa QR wa ukurasa wa kulipia',
  },
}

const en: DocumentTexts = {
  test: 'TEST: no real money',
  page: (page, pages) => `Page ${page} of ${pages}`,
  invoice: {
    title: 'Invoice',
    billed_to: 'Billed to',
    issued: 'Invoice date',
    due: 'Due date',
    status: 'Status',
    statuses: {
      DRAFT: 'Draft',
      SENT: 'Awaiting payment',
      OVERDUE: 'Overdue',
      PAID: 'Paid',
      CANCELLED: 'Cancelled',
    },
    total_label: {
      DRAFT: 'Amount to pay',
      SENT: 'Amount to pay',
      OVERDUE: 'Amount to pay',
      PAID: 'Amount paid',
      CANCELLED: 'Amount',
    },
    item: 'Item',
    quantity: 'Qty',
    price: (currency) => `Price (${currency})`,
    amount: (currency) => `Amount (${currency})`,
    total: 'Total',
    note: 'Note',
    draft: 'This is a draft: the merchant has not sent the invoice to the customer yet.',
    cancelled: 'This invoice is cancelled. Do not pay it.',
    returned: 'Paid, then returned',
    paid: (time) => `The customer paid this invoice on ${time}.`,
    paid_and_returned: (paid, returned) =>
      `The customer paid on ${paid}, and the provider returned the payment on ${returned}.`,
    reference: (reference) => `Reference: ${reference}`,
    pay: 'How to pay',
    scan: '1. Scan this code with the camera of your phone, or open this link:',
    choose: '2. Choose how to pay and enter the phone number that will pay.',
    confirm: '3. Enter your PIN on your phone to confirm.',
    keep_pin: 'Never share your PIN.',
    code: 'QR code of the page on which this invoice is paid',
  },
  receipt: {
    title: 'Receipt',
    statuses: { successful: 'Payment successful', reversed: 'Payment returned' },
    amount: 'Amount',
    method: 'Paid with',
    phone: 'Phone that paid',
    reference: 'Reference',
    provider_reference: 'Network reference',
    collection_id: 'Payment id',
    paid_at: 'Date and time',
    description: 'Description',
    proof: 'The message (SMS) of your network is your own proof of payment.',
    scan: 'Scan to see this payment.',
    code: 'QR code of the page of this payment',
  },
  poster: {
    title: 'Pay by phone',
    pay: 'Pay here by phone',
    scan: 'Scan this code with the camera of your phone, or open this link:',
    code: 'QR code of the page to pay on',
  },
}

/** The texts of invoices, receipts and posters, by language. */
export const TEXTS: Record<Language, DocumentTexts> = { sw, en }
